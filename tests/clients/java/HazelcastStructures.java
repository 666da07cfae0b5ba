// SPDX-License-Identifier: Apache-2.0

import com.hazelcast.cardinality.CardinalityEstimator;
import com.hazelcast.client.HazelcastClient;
import com.hazelcast.collection.IList;
import com.hazelcast.collection.IQueue;
import com.hazelcast.collection.ISet;
import com.hazelcast.collection.ItemEvent;
import com.hazelcast.collection.ItemListener;
import com.hazelcast.core.EntryAdapter;
import com.hazelcast.core.EntryEvent;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.crdt.pncounter.PNCounter;
import com.hazelcast.flakeidgen.FlakeIdGenerator;
import com.hazelcast.multimap.MultiMap;
import com.hazelcast.replicatedmap.ReplicatedMap;
import com.hazelcast.ringbuffer.OverflowPolicy;
import com.hazelcast.ringbuffer.ReadResultSet;
import com.hazelcast.ringbuffer.Ringbuffer;
import com.hazelcast.ringbuffer.StaleSequenceException;
import com.hazelcast.topic.ITopic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * What the Java client does with the structures beside maps: HazelcastStructures ADDRESS. Ends with
 * 0 when all is as its documentation says.
 */
public final class HazelcastStructures extends HazelcastProgram {

    private HazelcastStructures() {
    }

    private static List<String> sorted(Collection<String> items) {
        return new ArrayList<>(new TreeSet<>(items));
    }

    /** What listeners heard. */
    private static final class Ear extends EntryAdapter<String, String>
            implements ItemListener<String> {
        final List<String> told = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void itemAdded(ItemEvent<String> event) {
            told.add("+" + event.getItem());
        }

        @Override
        public void itemRemoved(ItemEvent<String> event) {
            told.add("-" + event.getItem());
        }

        @Override
        public void entryAdded(EntryEvent<String, String> event) {
            told.add("+" + event.getKey() + "=" + event.getValue());
        }

        @Override
        public void entryRemoved(EntryEvent<String, String> event) {
            told.add("-" + event.getKey() + "=" + event.getOldValue());
        }
    }

    private static void queue(HazelcastInstance client) throws Exception {
        IQueue<String> queue = client.getQueue(newName());
        Ear ear = new Ear();
        queue.addItemListener(ear, true);
        same("offer", queue.offer("a"), true);
        queue.put("b");
        same("add all", queue.addAll(Arrays.asList("c", "d", "e")), true);
        same("peek", queue.peek(), "a");
        same("poll", queue.poll(), "a");
        same("take", queue.take(), "b");
        same("items", new ArrayList<>(queue), Arrays.asList("c", "d", "e"));
        same("contains all", queue.containsAll(Arrays.asList("c", "d")), true);
        same("remove all", queue.removeAll(Arrays.asList("d")), true);
        same("retain all", queue.retainAll(Arrays.asList("c")), true);
        List<String> drained = new ArrayList<>();
        same("drain", queue.drainTo(drained), 1);
        same("drained", drained, Arrays.asList("c"));
        same("poll in time", queue.poll(50, TimeUnit.MILLISECONDS), null);
        until("events of a queue", () -> ear.told.size() == 10);
        same("first event", ear.told.get(0), "+a");
    }

    /** A hundred threads wait; each gets one item, and none is lost. */
    private static void takers(HazelcastInstance client) throws Exception {
        BlockingQueue<String> queue = client.getQueue(newName());
        Set<String> taken = Collections.synchronizedSet(new HashSet<>());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Thread thread = new Thread(() -> {
                try {
                    taken.add(queue.take());
                } catch (InterruptedException ended) {
                    Thread.currentThread().interrupt();
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (int i = 0; i < 100; i++) {
            queue.put("item " + i);
        }
        for (Thread thread : threads) {
            thread.join(GUARD_MS);
        }
        same("takers", taken.size(), 100);
    }

    private static void listAndSet(HazelcastInstance client) {
        IList<String> list = client.getList(newName());
        same("add", list.addAll(Arrays.asList("a", "b", "c")), true);
        list.add(1, "x");
        same("set", list.set(1, "y"), "x");
        same("remove at", list.remove(1), "y");
        same("get", list.get(2), "c");
        same("index", list.indexOf("c"), 2);
        same("sub list", list.subList(0, 2), Arrays.asList("a", "b"));
        same("items", new ArrayList<>(list), Arrays.asList("a", "b", "c"));
        same("retain", list.retainAll(Arrays.asList("b")), true);
        same("size", list.size(), 1);
        try {
            list.get(5);
            throw new AssertionError("an index beyond the end");
        } catch (IndexOutOfBoundsException expected) {
            same("size", list.size(), 1);
        }
        ISet<String> set = client.getSet(newName());
        same("add", set.add("a"), true);
        same("add again", set.add("a"), false);
        same("add all", set.addAll(Arrays.asList("a", "b")), true);
        same("items", sorted(set), Arrays.asList("a", "b"));
        same("remove", set.remove("a"), true);
        same("contains", set.contains("a"), false);
    }

    private static void multimap(HazelcastInstance client) throws Exception {
        MultiMap<String, String> multimap = client.getMultiMap(newName());
        Ear ear = new Ear();
        multimap.addEntryListener(ear, true);
        same("put", multimap.put("k", "a"), true);
        same("put again", multimap.put("k", "a"), false);
        Map<String, Collection<? extends String>> more = new HashMap<>();
        more.put("k", Arrays.asList("b", "c"));
        more.put("l", Arrays.asList("d"));
        multimap.putAllAsync(more).toCompletableFuture().get();
        same("get", sorted(multimap.get("k")), Arrays.asList("a", "b", "c"));
        same("count", multimap.valueCount("k"), 3);
        same("size", multimap.size(), 4);
        same("entry", multimap.containsEntry("l", "d"), true);
        same("value", multimap.containsValue("d"), true);
        same("keys", sorted(multimap.keySet()), Arrays.asList("k", "l"));
        same("entries", multimap.entrySet().size(), 4);
        same("remove", multimap.remove("k", "a"), true);
        same("remove all", sorted(multimap.remove("k")), Arrays.asList("b", "c"));
        same("lock", multimap.tryLock("l"), true);
        same("locked", multimap.isLocked("l"), true);
        multimap.unlock("l");
        multimap.delete("l");
        same("key", multimap.containsKey("l"), false);
        multimap.put("m", "e");
        multimap.clear();
        same("cleared", multimap.size(), 0);
        until("events of a multimap", () -> ear.told.size() >= 8);
        same("an event", ear.told.contains("+k=a"), true);
    }

    private static void ringbuffer(HazelcastInstance client) throws Exception {
        Ringbuffer<String> ring = client.getRingbuffer(newName());
        same("add", ring.add("a"), 0L);
        same("add all", ring.addAllAsync(Arrays.asList("b", "c"), OverflowPolicy.OVERWRITE)
                .toCompletableFuture().get(), 2L);
        same("size", ring.size(), 3L);
        same("head", ring.headSequence(), 0L);
        same("tail", ring.tailSequence(), 2L);
        same("read", ring.readOne(1), "b");
        CompletionStage<ReadResultSet<String>> waiting = ring.readManyAsync(2, 2, 10, null);
        ring.add("d");
        ReadResultSet<String> read = waiting.toCompletableFuture().get();
        same("read many", Arrays.asList(read.get(0), read.get(1)), Arrays.asList("c", "d"));
        same("count", read.readCount(), 2);
        for (int i = 0; i < 21; i++) {
            ring.addAllAsync(Collections.nCopies(500, "x"), OverflowPolicy.OVERWRITE)
                    .toCompletableFuture().get();
        }
        try {
            ring.readOne(0);
            throw new AssertionError("an item that is gone");
        } catch (StaleSequenceException expected) {
            same("capacity", ring.capacity(), 10000L);
        }
    }

    private static void topics(HazelcastInstance client) throws Exception {
        for (ITopic<String> topic : Arrays.asList(client.<String>getTopic(newName()),
                client.<String>getReliableTopic(newName()))) {
            List<String> told = Collections.synchronizedList(new ArrayList<>());
            topic.addMessageListener(message -> told.add(message.getMessageObject()));
            topic.publish("a");
            topic.publish("b");
            until("messages", () -> told.size() == 2);
            same("messages of " + topic.getServiceName(), new ArrayList<>(told), Arrays.asList("a", "b"));
        }
    }

    private static void others(HazelcastInstance client) throws Exception {
        ReplicatedMap<String, String> map = client.getReplicatedMap(newName());
        same("put", map.put("k", "v"), null);
        same("put again", map.put("k", "w"), "v");
        until("a replica", () -> "w".equals(map.get("k")));
        same("remove", map.remove("k"), "w");
        PNCounter counter = client.getPNCounter(newName());
        same("add", counter.addAndGet(5), 5L);
        same("decrement", counter.decrementAndGet(), 4L);
        same("get", counter.get(), 4L);
        FlakeIdGenerator ids = client.getFlakeIdGenerator(newName());
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            seen.add(ids.newId());
        }
        same("ids", seen.size(), 1000);
        CardinalityEstimator estimator = client.getCardinalityEstimator(newName());
        for (int i = 0; i < 1000; i++) {
            estimator.add("item " + i % 100);
        }
        same("estimate", Math.abs(estimator.estimate() - 100) <= 3, true);
    }

    /** Runs all. */
    public static void main(String[] arguments) throws Exception {
        HazelcastInstance client = HazelcastClient.newHazelcastClient(configure(arguments[0]));
        queue(client);
        takers(client);
        listAndSet(client);
        multimap(client);
        ringbuffer(client);
        topics(client);
        others(client);
        client.shutdown();
        System.out.println("ok");
        System.exit(0);
    }
}
