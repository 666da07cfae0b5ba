// SPDX-License-Identifier: Apache-2.0

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.function.ComparatorEx;
import com.hazelcast.jet.Job;
import com.hazelcast.jet.Traverser;
import com.hazelcast.jet.Traversers;
import com.hazelcast.jet.aggregate.AggregateOperations;
import com.hazelcast.jet.config.JobConfig;
import com.hazelcast.jet.config.ProcessingGuarantee;
import com.hazelcast.jet.core.AbstractProcessor;
import com.hazelcast.jet.core.DAG;
import com.hazelcast.jet.core.Edge;
import com.hazelcast.jet.core.Processor;
import com.hazelcast.jet.core.ProcessorMetaSupplier;
import com.hazelcast.jet.core.SlidingWindowPolicy;
import com.hazelcast.jet.core.TimestampKind;
import com.hazelcast.jet.core.Vertex;
import com.hazelcast.jet.core.Watermark;
import com.hazelcast.jet.core.processor.Processors;
import com.hazelcast.jet.core.processor.SourceProcessors;
import com.hazelcast.jet.datamodel.KeyedWindowResult;
import com.hazelcast.jet.datamodel.Tuple2;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map.Entry;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The loads of bench_stream for Hazelcast Jet: the same records, the same results, a line of JSON a
 * round. One embedded member with two cooperative threads, two instances of each vertex.
 *
 * <p>java JetLoad LOAD [millions=N] [rounds=N] [seconds=N] [folder=PATH]
 */
public final class JetLoad {
    private static final long BIDS_A_MS = 5000;
    private static final long SIZE_MS = 10_000;
    private static final long SLIDE_MS = 500;
    private static final int INSTANCES = 2;
    private static final long SLIDES_RATE = 250_000;
    private static final long SLIDES_KEYS = 10_000;
    private static final long NS_A_MS = 1_000_000;
    private static final long WARM_UP_MS = 12_000;

    private static final AtomicLong SUM = new AtomicLong();
    private static final AtomicLong COUNT = new AtomicLong();
    private static volatile long beganNs;
    private static volatile long endMs;
    private static volatile CountDownLatch firstSeen = new CountDownLatch(1);
    private static volatile long firstSeenNs;
    private static final List<Long> FIRST = new ArrayList<>();
    private static final List<Long> LAST = new ArrayList<>();

    private final HazelcastInstance member;
    private final String load;
    private long millions;
    private long rounds = 1;
    private long seconds = 30;
    private String folder = ".";

    private JetLoad(HazelcastInstance member, String load) {
        this.member = member;
        this.load = load;
    }

    static long mix(long value) {
        long hash = value * 0x9E3779B97F4A7C15L;
        hash ^= hash >>> 32;
        return hash ^ (hash >>> 16);
    }

    /** A bid; public fields, as a tuned program would have them. */
    static final class Bid implements java.io.Serializable {
        final long id;
        final long time;
        final long auction;
        final long price;

        Bid(long id, long time, long auction, long price) {
            this.id = id;
            this.time = time;
            this.auction = auction;
            this.price = price;
        }
    }

    interface Maker extends java.io.Serializable {
        Object make(long sequence);
    }

    interface Timer extends java.io.Serializable {
        long timeOf(long sequence);
    }

    /** Records index, index + 2 and so on, with watermarks at multiples of the frame. */
    static final class Source extends AbstractProcessor {
        private final long count;
        private final long frame;
        private final long rate;
        private final Maker maker;
        private final Timer timer;
        private long next;
        private long step;
        private long top = Long.MIN_VALUE;
        private Object pending;

        Source(long count, long frame, long rate, Maker maker, Timer timer) {
            this.count = count;
            this.frame = frame;
            this.rate = rate;
            this.maker = maker;
            this.timer = timer;
        }

        @Override
        protected void init(Context context) {
            next = context.globalProcessorIndex();
            step = context.totalParallelism();
        }

        @Override
        public boolean complete() {
            long limit = count;
            if (rate > 0) {
                long elapsed = System.nanoTime() - beganNs;
                limit = elapsed < 0 ? 0 : Math.min(count, elapsed / (1_000_000_000L / rate) + 1);
            }
            for (int i = 0; i < 1024; i++) {
                if (pending != null) {
                    if (!tryEmit(pending)) {
                        return false;
                    }
                    pending = null;
                }
                if (next >= limit) {
                    return next >= count;
                }
                if (frame > 0) {
                    long mark = timer.timeOf(next) / frame * frame;
                    if (mark > top) {
                        top = mark;
                        pending = new Watermark(mark);
                        continue;
                    }
                }
                pending = maker.make(next);
                next += step;
            }
            return false;
        }

        @Override
        public boolean saveToSnapshot() {
            return true; // The benchmark never restores; the state would be two numbers.
        }
    }

    interface Taker extends java.io.Serializable {
        void take(Object item);
    }

    /** A sink that is a function; sums of its own, added to the shared ones at the end. */
    static final class Sink extends AbstractProcessor {
        private final Taker taker;

        Sink(Taker taker) {
            this.taker = taker;
        }

        @Override
        public boolean tryProcess(int ordinal, Object item) {
            taker.take(item);
            return true;
        }

        @Override
        public boolean tryProcessWatermark(Watermark watermark) {
            return true;
        }
    }

    static final class Prices extends AbstractProcessor {
        private long sum;
        private long count;

        @Override
        public boolean tryProcess(int ordinal, Object item) {
            sum += ((Bid) item).price;
            count++;
            return true;
        }

        @Override
        public boolean tryProcessWatermark(Watermark watermark) {
            return true;
        }

        @Override
        public boolean complete() {
            SUM.addAndGet(sum);
            COUNT.addAndGet(count);
            return true;
        }
    }

    static final class Results extends AbstractProcessor {
        private long sum;
        private long count;
        private final boolean isSums;

        Results(boolean isSums) {
            this.isSums = isSums;
        }

        @Override
        @SuppressWarnings("unchecked")
        public boolean tryProcess(int ordinal, Object item) {
            Entry<Object, Long> entry = (Entry<Object, Long>) item;
            sum += entry.getValue();
            count += !isSums || (Long) entry.getKey() % (1 << 20) == 0 ? 1 : 0;
            return true;
        }

        @Override
        public boolean complete() {
            SUM.addAndGet(sum);
            COUNT.addAndGet(count);
            return true;
        }
    }

    private static ProcessorMetaSupplier of(
            com.hazelcast.function.SupplierEx<? extends Processor> supplier) {
        return ProcessorMetaSupplier.of(INSTANCES, com.hazelcast.jet.core.ProcessorSupplier.of(supplier));
    }

    private static Vertex vertex(DAG dag, String name,
            com.hazelcast.function.SupplierEx<? extends Processor> supplier, int parallelism) {
        return dag.newVertex(name, of(supplier)).localParallelism(parallelism);
    }

    private DAG bids(boolean isMap) {
        DAG dag = new DAG();
        Vertex source = bidSource(dag, 10_000);
        Vertex work = isMap
                ? dag.newVertex("work", Processors.mapP((Bid bid) ->
                        new Bid(bid.id, bid.time, bid.auction, bid.price * 8 / 10)))
                : dag.newVertex("work", Processors.filterP((Bid bid) -> bid.auction % 128 == 0));
        work.localParallelism(INSTANCES);
        Vertex end = vertex(dag, "end", Prices::new, INSTANCES);
        dag.edge(Edge.between(source, work).isolated());
        dag.edge(Edge.between(work, end).isolated());
        return dag;
    }

    private Vertex bidSource(DAG dag, long keys) {
        long count = millions * 1_000_000;
        return vertex(dag, "bids", () -> new Source(count, SLIDE_MS, 0,
                n -> new Bid(n, n / BIDS_A_MS, n % keys, Math.abs(mix(n)) % 100),
                n -> n / BIDS_A_MS), INSTANCES);
    }

    private DAG windows(long keys) {
        DAG dag = new DAG();
        Vertex source = bidSource(dag, keys);
        Vertex counts = dag.newVertex("counts", Processors.aggregateToSlidingWindowP(
                Collections.singletonList((Bid bid) -> bid.auction),
                Collections.singletonList((Bid bid) -> bid.time), TimestampKind.EVENT,
                SlidingWindowPolicy.slidingWinPolicy(SIZE_MS, SLIDE_MS), 0L,
                AggregateOperations.counting(), KeyedWindowResult::new));
        counts.localParallelism(INSTANCES);
        Vertex best = dag.newVertex("best", Processors.aggregateToSlidingWindowP(
                Collections.singletonList((KeyedWindowResult<Long, Long> r) -> 0L),
                Collections.singletonList((KeyedWindowResult<Long, Long> r) -> r.end() - 1),
                TimestampKind.EVENT, SlidingWindowPolicy.tumblingWinPolicy(SLIDE_MS), 0L,
                AggregateOperations.topN(10, ComparatorEx.comparing(
                        (KeyedWindowResult<Long, Long> r) -> r.result())),
                (start, finish, key, top, isEarly) ->
                        new KeyedWindowResult<>(start, finish, key, top, isEarly)));
        best.localParallelism(1);
        Vertex end = vertex(dag, "end", () -> new Sink(JetLoad::takeTop), 1);
        dag.edge(Edge.between(source, counts).partitioned((Bid bid) -> bid.auction));
        dag.edge(Edge.between(counts, best));
        dag.edge(Edge.between(best, end));
        return dag;
    }

    @SuppressWarnings("unchecked")
    private static void takeTop(Object item) {
        List<KeyedWindowResult<Long, Long>> top =
                ((KeyedWindowResult<Long, List<KeyedWindowResult<Long, Long>>>) item).result();
        long sum = 0;
        for (KeyedWindowResult<Long, Long> each : top) {
            sum += each.result();
        }
        SUM.addAndGet(sum);
        COUNT.incrementAndGet();
    }

    private DAG sums() {
        long count = millions * 1_000_000;
        DAG dag = new DAG();
        Vertex source = vertex(dag, "numbers",
                () -> new Source(count, 0, 0, n -> n, n -> 0), INSTANCES);
        Vertex sums = dag.newVertex("sums", Processors.aggregateByKeyP(
                Collections.singletonList((Long n) -> n % 10_000_000),
                AggregateOperations.summingLong((Long n) -> n), Tuple2::tuple2));
        sums.localParallelism(INSTANCES);
        Vertex end = vertex(dag, "end", () -> new Results(true), INSTANCES);
        dag.edge(Edge.between(source, sums).partitioned((Long n) -> n % 10_000_000));
        dag.edge(Edge.between(sums, end).isolated());
        return dag;
    }

    private DAG words() {
        DAG dag = new DAG();
        Vertex source = dag.newVertex("lines", SourceProcessors.readFilesP(folder,
                java.nio.charset.StandardCharsets.UTF_8, "words-" + millions + "-*.txt", false,
                (file, line) -> line));
        source.localParallelism(INSTANCES);
        Vertex words = dag.newVertex("words", Processors.flatMapP(JetLoad::split));
        words.localParallelism(INSTANCES);
        Vertex counts = dag.newVertex("counts", Processors.aggregateByKeyP(
                Collections.singletonList((String word) -> word),
                AggregateOperations.counting(), Tuple2::tuple2));
        counts.localParallelism(INSTANCES);
        Vertex end = vertex(dag, "end", () -> new Results(false), INSTANCES);
        dag.edge(Edge.between(source, words));
        dag.edge(Edge.between(words, counts).partitioned((String word) -> word));
        dag.edge(Edge.between(counts, end).isolated());
        return dag;
    }

    private static Traverser<String> split(String line) {
        String[] words = line.split(" ");
        return Traversers.traverseArray(words).filter(word -> !word.isEmpty());
    }

    private DAG slides() {
        long count = SLIDES_RATE * seconds;
        DAG dag = new DAG();
        Vertex source = vertex(dag, "numbers", () -> new Source(count, 20, SLIDES_RATE,
                n -> new long[] {n % SLIDES_KEYS, n * 4 / 1000}, n -> n * 4 / 1000), INSTANCES);
        Vertex counts = dag.newVertex("counts", Processors.aggregateToSlidingWindowP(
                Collections.singletonList((long[] n) -> n[0]),
                Collections.singletonList((long[] n) -> n[1]), TimestampKind.EVENT,
                SlidingWindowPolicy.slidingWinPolicy(SIZE_MS, 20), 0L,
                AggregateOperations.counting(), KeyedWindowResult::new));
        counts.localParallelism(INSTANCES);
        Vertex keys = dag.newVertex("keys", Processors.filterP(
                (KeyedWindowResult<Long, Long> r) -> r.key() % 1000 == 0));
        keys.localParallelism(INSTANCES);
        Vertex end = vertex(dag, "end", SlideSink::new, 1);
        dag.edge(Edge.between(source, counts).partitioned((long[] n) -> n[0]));
        dag.edge(Edge.between(counts, keys).isolated());
        dag.edge(Edge.between(keys, end));
        return dag;
    }

    /** Notes when the first and the last of the ten keys of a window are there. */
    static final class SlideSink extends AbstractProcessor {
        private final java.util.HashMap<Long, Integer> seen = new java.util.HashMap<>();

        @Override
        @SuppressWarnings("unchecked")
        public boolean tryProcess(int ordinal, Object item) {
            long end = ((KeyedWindowResult<Long, Long>) item).end();
            int count = seen.merge(end, 1, Integer::sum);
            long late = System.nanoTime() - beganNs - end * NS_A_MS;
            if (end > endMs) {
                return true; // Cut short: the records are over.
            }
            if (end >= WARM_UP_MS && count == 1) {
                FIRST.add(late);
            }
            if (count == 10) {
                seen.remove(end);
                if (end >= WARM_UP_MS) {
                    LAST.add(late);
                }
            }
            return true;
        }

        @Override
        public boolean tryProcessWatermark(Watermark watermark) {
            return true;
        }
    }

    private DAG pings() {
        long count = 1000 * seconds;
        DAG dag = new DAG();
        Vertex source = vertex(dag, "pings",
                () -> new Source(count, 0, 1000, n -> n, n -> 0), 1);
        Vertex map = dag.newVertex("map", Processors.mapP((Long n) -> n));
        map.localParallelism(1);
        Vertex end = vertex(dag, "end", () -> new Sink(JetLoad::takePing), 1);
        dag.edge(Edge.between(source, map));
        dag.edge(Edge.between(map, end));
        return dag;
    }

    private static void takePing(Object item) {
        long due = (Long) item * NS_A_MS;
        if (due >= WARM_UP_MS * NS_A_MS) {
            LAST.add(System.nanoTime() - beganNs - due);
        }
    }

    private DAG small(long count, long rate, int parallelism) {
        DAG dag = new DAG();
        Vertex source = vertex(dag, "numbers",
                () -> new Source(count, 0, rate, n -> n, n -> 0), parallelism);
        Vertex map = dag.newVertex("map", Processors.mapP((Long n) -> n));
        map.localParallelism(parallelism);
        Vertex end = vertex(dag, "end", () -> new Sink(JetLoad::takeFirst), parallelism);
        dag.edge(Edge.between(source, map).isolated());
        dag.edge(Edge.between(map, end).isolated());
        return dag;
    }

    private static void takeFirst(Object item) {
        firstSeenNs = System.nanoTime();
        firstSeen.countDown();
    }

    private static double quantile(List<Long> values, double part) {
        if (values.isEmpty()) {
            return 0;
        }
        List<Long> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get((int) Math.min(sorted.size() - 1, (long) (part * sorted.size()))) / 1000.0;
    }

    private static String quantiles(String name, List<Long> values) {
        return String.format("\"%s\":{\"p50_us\":%.1f,\"p90_us\":%.1f,\"p99_us\":%.1f,\"count\":%d}",
                name, quantile(values, 0.5), quantile(values, 0.9), quantile(values, 0.99),
                values.size());
    }

    private static long cpuNs() {
        return ((com.sun.management.OperatingSystemMXBean)
                ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private void throughput(DAG dag, JobConfig config) {
        for (long i = 0; i < rounds; i++) {
            SUM.set(0);
            COUNT.set(0);
            long cpu = cpuNs();
            long began = System.nanoTime();
            member.getJet().newJob(dag, config).join();
            long took = System.nanoTime() - began;
            double records = millions * 1e6;
            System.out.printf("{\"load\":\"%s\",\"records\":%.0f,\"digest\":%d,\"results\":%d,"
                    + "\"a_second\":%.0f,\"cpu_ns\":%.2f}%n", load, records, SUM.get(), COUNT.get(),
                    records * 1e9 / took, (cpuNs() - cpu) / records);
        }
    }

    private void latency(DAG dag) {
        beganNs = System.nanoTime() + 50 * NS_A_MS;
        endMs = seconds * 1000;
        long cpu = cpuNs();
        Job job = member.getJet().newJob(dag);
        LockSupport.parkNanos(WARM_UP_MS * NS_A_MS);
        cpu = cpuNs();
        long began = System.nanoTime();
        job.join();
        double share = (double) (cpuNs() - cpu) / (System.nanoTime() - began);
        System.out.printf("{\"load\":\"%s\",%s,%s,\"cpu\":%.4f}%n", load, quantiles("first", FIRST),
                quantiles("last", LAST), share);
    }

    private void idle() {
        beganNs = System.nanoTime() + 3_600_000 * NS_A_MS;
        for (int i = 0; i < 100; i++) {
            member.getJet().newJob(small(Long.MAX_VALUE, 1, INSTANCES));
        }
        LockSupport.parkNanos(5000 * NS_A_MS);
        long cpu = cpuNs();
        long began = System.nanoTime();
        LockSupport.parkNanos(seconds * 1000 * NS_A_MS);
        System.out.printf("{\"load\":\"idle\",\"jobs\":100,\"cpu\":%.6f}%n",
                (double) (cpuNs() - cpu) / (System.nanoTime() - began));
    }

    private void light() throws InterruptedException {
        List<Long> taken = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            firstSeen = new CountDownLatch(1);
            DAG dag = small(1, 0, 1);
            long began = System.nanoTime();
            Job job = member.getJet().newLightJob(dag);
            firstSeen.await();
            job.join();
            if (i >= 300) {
                taken.add(firstSeenNs - began);
            }
        }
        System.out.printf("{\"load\":\"light\",\"p50_us\":%.1f,\"p90_us\":%.1f,\"p99_us\":%.1f}%n",
                quantile(taken, 0.5), quantile(taken, 0.9), quantile(taken, 0.99));
    }

    private void run() throws InterruptedException {
        JobConfig plain = new JobConfig();
        JobConfig exact = new JobConfig().setProcessingGuarantee(ProcessingGuarantee.EXACTLY_ONCE)
                .setSnapshotIntervalMillis(1000);
        switch (load) {
            case "q1" -> throughput(bids(true), plain);
            case "q2" -> throughput(bids(false), plain);
            case "q5" -> throughput(windows(10_000), plain);
            case "q5-snapshots" -> throughput(windows(10_000), exact);
            case "w4" -> throughput(windows(1_000_000), plain);
            case "w2" -> throughput(sums(), plain);
            case "w1" -> throughput(words(), plain);
            case "w3" -> latency(slides());
            case "l1" -> latency(pings());
            case "idle" -> idle();
            case "light" -> light();
            default -> throw new IllegalArgumentException(load);
        }
    }

    private void read(String word) {
        String[] pair = word.split("=", 2);
        switch (pair[0]) {
            case "millions" -> millions = Long.parseLong(pair[1]);
            case "rounds" -> rounds = Long.parseLong(pair[1]);
            case "seconds" -> seconds = Long.parseLong(pair[1]);
            case "folder" -> folder = pair[1];
            default -> throw new IllegalArgumentException(word);
        }
    }

    /** Runs one load on an embedded member. */
    public static void main(String[] words) throws InterruptedException {
        Config config = new Config();
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.logging.type", "none");
        config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
        config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        config.getNetworkConfig().setPort(0);
        config.getJetConfig().setEnabled(true).setCooperativeThreadCount(INSTANCES);
        HazelcastInstance member = Hazelcast.newHazelcastInstance(config);
        try {
            JetLoad load = new JetLoad(member, words[0]);
            for (int i = 1; i < words.length; i++) {
                load.read(words[i]);
            }
            load.run();
        } finally {
            member.shutdown();
        }
    }
}
