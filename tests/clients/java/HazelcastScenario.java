// SPDX-License-Identifier: Apache-2.0

import com.hazelcast.aggregation.Aggregators;
import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.IndexType;
import com.hazelcast.config.NearCacheConfig;
import com.hazelcast.core.EntryAdapter;
import com.hazelcast.core.EntryEvent;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastJsonValue;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.IMap;
import com.hazelcast.map.MapEvent;
import com.hazelcast.projection.Projections;
import com.hazelcast.query.PagingPredicate;
import com.hazelcast.query.Predicates;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * What the Java client does with maps: HazelcastScenario ADDRESS [restart|hello]. Ends with 0 when
 * all is as its documentation says. With "restart" it waits for a line of input, while the member
 * is started again, and goes on; with "hello" nothing is configured.
 */
public final class HazelcastScenario extends HazelcastProgram {
    private static final int CLIENTS = 100;
    private static String address;

    private HazelcastScenario() {
    }

    private static ClientConfig configure() {
        return configure(address);
    }

    private static HazelcastInstance connect(ClientConfig config) {
        return HazelcastClient.newHazelcastClient(config);
    }

    private static void entries(HazelcastInstance client) {
        IMap<Object, Object> map = client.getMap(newName());
        same("put", map.put("k", "v"), null);
        same("put again", map.put("k", "w"), "v");
        map.set("k", "x");
        same("get", map.get("k"), "x");
        same("putIfAbsent", map.putIfAbsent("k", "y"), "x");
        same("replace", map.replace("k", "y"), "x");
        same("replace if same", map.replace("k", "x", "z"), false);
        same("containsKey", map.containsKey("k"), true);
        same("containsValue", map.containsValue("y"), true);
        same("remove if same", map.remove("k", "no"), false);
        same("remove", map.remove("k"), "y");
        same("tryPut", map.tryPut("k", 1, 0, TimeUnit.SECONDS), true);
        same("tryRemove", map.tryRemove("k", 0, TimeUnit.SECONDS), true);
        map.putTransient("t", 2L, 0, TimeUnit.SECONDS);
        map.flush();
        same("putTransient", map.get("t"), 2L);
        map.delete("t");
        same("compute", map.compute("c", (key, value) -> value == null ? 1 : 2), 1);
        same("merge", map.merge("c", 5, (old, given) -> (int) old + (int) given), 6);
        same("computeIfAbsent", map.computeIfAbsent("c", key -> 9), 6);
        same("computeIfPresent", map.computeIfPresent("c", (key, value) -> null), null);
        same("getOrDefault", map.getOrDefault("c", 3), 3);
        same("isEmpty", map.isEmpty(), true);
        map.set("json", new HazelcastJsonValue("{\"a\":1}"));
        same("json", map.get("json"), new HazelcastJsonValue("{\"a\":1}"));
        byte[] large = new byte[10 << 20];
        Arrays.fill(large, (byte) 7);
        map.set("large", large);
        same("10 MB", Arrays.equals((byte[]) map.get("large"), large), true);
        map.destroy();
    }

    private static <T> T done(java.util.concurrent.CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(GUARD_MS, TimeUnit.MILLISECONDS);
    }

    private static void later(HazelcastInstance client) throws Exception {
        IMap<String, Integer> map = client.getMap(newName());
        same("putAsync", done(map.putAsync("k", 1)), null);
        same("putAsync again", done(map.putAsync("k", 2, 1, TimeUnit.HOURS)), 1);
        same("getAsync", done(map.getAsync("k")), 2);
        done(map.setAsync("k", 3));
        done(map.setAsync("k", 4, 1, TimeUnit.HOURS, 1, TimeUnit.HOURS));
        done(map.putAllAsync(Collections.singletonMap("l", 6)));
        done(map.setAllAsync(Collections.singletonMap("m", 7)));
        same("removeAsync", done(map.removeAsync("k")), 4);
        same("deleteAsync", done(map.deleteAsync("l")), true);
        same("left", map.keySet(), Collections.singleton("m"));
        map.destroy();
    }

    private static void refused(String what, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException expected) {
            return;
        }
        throw new AssertionError(what + " is not refused");
    }

    /** Code of this program, which no member has. */
    private static final class Unknown implements EntryProcessor<String, Integer, Integer> {
        private static final long serialVersionUID = 1L;

        @Override
        public Integer process(Map.Entry<String, Integer> entry) {
            return entry.setValue(2);
        }
    }

    private static void refusals(HazelcastInstance client) {
        IMap<String, Integer> map = client.getMap(newName());
        map.set("k", 1);
        Unknown unknown = new Unknown();
        refused("executeOnKey", () -> map.executeOnKey("k", unknown));
        refused("executeOnKeys", () -> map.executeOnKeys(Collections.singleton("k"), unknown));
        refused("executeOnEntries", () -> map.executeOnEntries(unknown));
        same("not changed", map.get("k"), 1);
        map.destroy();
    }

    private static void times(HazelcastInstance client) throws Exception {
        IMap<String, Integer> map = client.getMap(newName());
        map.put("a", 1, 200, TimeUnit.MILLISECONDS);
        map.put("b", 1, 1, TimeUnit.HOURS, 200, TimeUnit.MILLISECONDS);
        map.putIfAbsent("c", 1, 200, TimeUnit.MILLISECONDS);
        map.putTransient("d", 1, 1, TimeUnit.HOURS, 200, TimeUnit.MILLISECONDS);
        map.set("short", 1, 200, TimeUnit.MILLISECONDS);
        map.set("long", 1, 1, TimeUnit.HOURS);
        map.set("idle", 1, 1, TimeUnit.HOURS, 300, TimeUnit.MILLISECONDS);
        same("setTtl", map.setTtl("long", 2, TimeUnit.HOURS), true);
        until("the end of entries", () -> map.size() == 1);
        same("view", map.getEntryView("long").getValue(), 1);
        same("evict", map.evict("long"), true);
        map.destroy();
    }

    private static void many(HazelcastInstance client) {
        IMap<String, Integer> map = client.getMap(newName());
        Map<String, Integer> all = new HashMap<>();
        for (int i = 0; i < 10000; i++) {
            all.put("k" + i, i);
        }
        map.putAll(all);
        same("size", map.size(), all.size());
        same("getAll", map.getAll(all.keySet()), all);
        same("keySet", map.keySet(), all.keySet());
        same("values", map.values().size(), all.size());
        Map<String, Integer> walked = new HashMap<>();
        for (Map.Entry<String, Integer> entry : map) {
            walked.put(entry.getKey(), entry.getValue());
        }
        same("iteration", walked, all);
        same("chosen", map.values(Predicates.lessThan("this", 3)).size(), 3);
        same("by key", map.keySet(Predicates.equal("__key", "k7")),
                Collections.singleton("k7"));
        map.removeAll(Predicates.greaterEqual("this", 10));
        same("left", map.size(), 10);
        map.evictAll();
        same("all evicted", map.isEmpty(), true);
        map.setAll(Collections.singletonMap("k", 1));
        same("setAll", map.entrySet(), Collections.singletonMap("k", 1).entrySet());
        map.clear();
        same("isEmpty", map.isEmpty(), true);
        map.destroy();
    }

    private static void queries(HazelcastInstance client) {
        IMap<String, HazelcastJsonValue> map = client.getMap(newName());
        map.addIndex(IndexType.SORTED, "age");
        for (int i = 0; i < 10; i++) {
            map.set("p" + i, new HazelcastJsonValue("{\"age\": " + i + ", \"name\": \"N" + i % 3
                    + "\", \"home\": {\"zip\": \"" + i + "\"}}"));
        }
        same("equal", map.keySet(Predicates.equal("age", 7)), Collections.singleton("p7"));
        same("sql", map.keySet(Predicates.sql("age > 8 OR home.zip = '3'")),
                new HashSet<>(Arrays.asList("p3", "p9")));
        same("regex", map.keySet(Predicates.regex("name", "[A-Z]2")),
                new HashSet<>(Arrays.asList("p2", "p5", "p8")));
        same("partition", map.keySet(Predicates.partitionPredicate("p4",
                Predicates.equal("age", 4))), Collections.singleton("p4"));
        same("partitions", map.keySet(Predicates.multiPartitionPredicate(
                new HashSet<>(Arrays.asList("p4", "p5")), Predicates.in("age", 4, 5))),
                new HashSet<>(Arrays.asList("p4", "p5")));
        PagingPredicate<String, HazelcastJsonValue> page =
                Predicates.pagingPredicate(Predicates.lessThan("age", 7), 4);
        same("page", new ArrayList<>(map.keySet(page)), Arrays.asList("p0", "p1", "p2", "p3"));
        page.nextPage();
        same("next", new ArrayList<>(map.keySet(page)), Arrays.asList("p4", "p5", "p6"));
        same("count", map.aggregate(Aggregators.count()), 10L);
        same("average", map.aggregate(Aggregators.numberAvg("age")), 4.5);
        same("projected", new HashSet<>(map.project(Projections.singleAttribute("name"))),
                new HashSet<>(Arrays.asList("N0", "N1", "N2")));
        map.destroy();
    }

    private static void locks(HazelcastInstance client) throws Exception {
        String name = newName();
        HazelcastInstance other = connect(configure());
        IMap<String, String> map = client.getMap(name);
        IMap<String, String> theirs = other.getMap(name);
        map.lock("k");
        same("isLocked", theirs.isLocked("k"), true);
        same("tryLock", theirs.tryLock("k"), false);
        try {
            theirs.unlock("k");
            throw new AssertionError("another client unlocks");
        } catch (IllegalMonitorStateException expected) {
            // As it must be.
        }
        Future<String> waiting = theirs.putAsync("k", "theirs").toCompletableFuture();
        map.put("k", "mine");
        map.unlock("k");
        same("put that waited", waiting.get(), "mine");
        map.lock("k", 100, TimeUnit.MILLISECONDS);
        same("lease", theirs.tryLock("k", GUARD_MS, TimeUnit.MILLISECONDS), true);
        theirs.forceUnlock("k");
        same("unlocked", map.isLocked("k"), false);
        other.shutdown();
        map.destroy();
    }

    private static final class Ear extends EntryAdapter<String, String> {
        private final List<String> told = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void onEntryEvent(EntryEvent<String, String> event) {
            told.add(event.getEventType() + " " + event.getKey() + " " + event.getValue() + " "
                    + event.getOldValue());
        }

        @Override
        public void onMapEvent(MapEvent event) {
            told.add(event.getEventType() + " " + event.getNumberOfEntriesAffected());
        }
    }

    private static void listeners(HazelcastInstance client) throws Exception {
        IMap<String, String> map = client.getMap(newName());
        Ear all = new Ear();
        Ear byKey = new Ear();
        Ear chosen = new Ear();
        UUID id = map.addEntryListener(all, true);
        map.addEntryListener(byKey, "k", false);
        map.addEntryListener(chosen, Predicates.equal("this", "v2"), true);
        map.put("k", "v");
        map.put("k", "w");
        map.remove("k");
        map.put("e", "v2");
        map.evict("e");
        map.put("c", "v");
        map.clear();
        map.put("a", "v");
        map.evictAll();
        map.put("x", "v", 100, TimeUnit.MILLISECONDS);
        until("events", () -> all.told.size() >= 11 && byKey.told.size() >= 4);
        List<String> wanted = Arrays.asList("ADDED a v null", "ADDED c v null", "ADDED e v2 null",
                "ADDED k v null", "ADDED x v null", "CLEAR_ALL 1", "EVICTED e null v2",
                "EVICT_ALL 1", "EXPIRED x null v", "REMOVED k null w", "UPDATED k w v");
        List<String> got = new ArrayList<>(all.told);
        Collections.sort(got);
        same("events", got, wanted);
        same("by key", byKey.told.contains("ADDED k null null"), true);
        same("chosen", chosen.told.contains("ADDED e v2 null"), true);
        same("removed", map.removeEntryListener(id), true);
        map.destroy();
    }

    private static void nearCache(HazelcastInstance client) throws Exception {
        String name = newName();
        ClientConfig config = configure();
        config.addNearCacheConfig(
                new NearCacheConfig(name).setInMemoryFormat(InMemoryFormat.OBJECT));
        HazelcastInstance near = connect(config);
        IMap<String, String> cached = near.getMap(name);
        IMap<String, String> plain = client.getMap(name);
        plain.set("k", "old");
        same("first", cached.get("k"), "old");
        same("second", cached.get("k"), "old");
        plain.set("k", "new");
        until("an invalidation", () -> "new".equals(cached.get("k")));
        plain.clear();
        until("a clear", () -> cached.get("k") == null);
        near.shutdown();
        plain.destroy();
    }

    private static void sessions(HazelcastInstance client) throws Exception {
        ClientConfig wrong = configure();
        wrong.setClusterName("other");
        wrong.getConnectionStrategyConfig().getConnectionRetryConfig()
                .setClusterConnectTimeoutMillis(100);
        try {
            connect(wrong);
            throw new AssertionError("a wrong cluster name is let in");
        } catch (IllegalStateException expected) {
            // As it must be.
        }
        String name = newName();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int number = i;
            all.add(CompletableFuture.runAsync(() -> {
                HazelcastInstance each = connect(configure());
                each.getMap(name).set(number, "v");
                each.shutdown();
            }, threads));
        }
        CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0])).get();
        threads.shutdown();
        same("clients", client.getMap(name).size(), CLIENTS);
        HazelcastInstance first = connect(configure());
        first.getMap(name).set("restarted", "v");
        first.shutdown();
        HazelcastInstance second = connect(configure());
        same("client restart", second.getMap(name).get("restarted"), "v");
        second.shutdown();
    }

    private static void restart(HazelcastInstance client) throws Exception {
        IMap<String, String> map = client.getMap(newName());
        Ear ear = new Ear();
        map.addEntryListener(ear, false);
        map.set("before", "v");
        until("an event", () -> ear.told.size() == 1);
        System.out.println("ready");
        new BufferedReader(new InputStreamReader(System.in)).readLine();
        until("a listener that goes on", () -> {
            try {
                map.set("after " + System.nanoTime(), "v");
            } catch (RuntimeException notYet) {
                return false;
            }
            return ear.told.size() > 1;
        });
    }

    /** A client that is told nothing at all finds the member at its usual place. */
    private static void hello() {
        HazelcastInstance client = HazelcastClient.newHazelcastClient();
        IMap<String, String> map = client.getMap(newName());
        map.put("k", "v");
        same("zero configuration", map.get("k"), "v");
        map.destroy();
        client.shutdown();
    }

    private static void run(String[] arguments) throws Exception {
        HazelcastInstance client = connect(configure());
        if (arguments.length > 1) {
            restart(client);
        } else {
            entries(client);
            later(client);
            refusals(client);
            times(client);
            many(client);
            queries(client);
            locks(client);
            listeners(client);
            nearCache(client);
            sessions(client);
        }
        client.shutdown();
        System.out.println("ok");
    }

    /** Runs all, or what is to be seen when the member is started again. */
    public static void main(String[] arguments) {
        address = arguments[0];
        try {
            if (arguments.length > 1 && arguments[1].equals("hello")) {
                hello();
            } else {
                run(arguments);
            }
            System.exit(0);
        } catch (Throwable problem) {
            // The client has threads that would keep the program alive.
            problem.printStackTrace();
            System.exit(1);
        }
    }
}
