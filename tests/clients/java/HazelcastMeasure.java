// SPDX-License-Identifier: Apache-2.0

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;

/**
 * How fast the Java client is: HazelcastMeasure ADDRESS one|many|getall|putall SECONDS. Prints a line
 * of JSON: calls, the seconds they took, and the median of a call in microseconds.
 * bench/hazelcast_compare runs it.
 */
public final class HazelcastMeasure {
    private static final int IN_FLIGHT = 256;
    private static final int BATCH = 1000;
    private static final int CALLS_MAX = 10_000_000;
    private static final long NS_PER_S = 1_000_000_000L;

    private HazelcastMeasure() {
    }

    private static String report(int calls, long elapsed, double median) {
        return "{\"calls\": " + calls + ", \"seconds\": " + (double) elapsed / NS_PER_S
                + ", \"p50_us\": " + median + "}";
    }

    private static String many(IMap<String, String> map, long duration) throws Exception {
        Semaphore slots = new Semaphore(IN_FLIGHT);
        long begin = System.nanoTime();
        int calls = 0;
        for (; System.nanoTime() - begin < duration; calls++) {
            slots.acquire();
            map.getAsync("k").whenComplete((value, error) -> slots.release());
        }
        slots.acquire(IN_FLIGHT);
        return report(calls, System.nanoTime() - begin, 0);
    }

    private static String one(Runnable call, long duration) {
        long[] times = new long[CALLS_MAX];
        long begin = System.nanoTime();
        long last = begin;
        int calls = 0;
        for (; last - begin < duration && calls < CALLS_MAX; calls++) {
            call.run();
            long now = System.nanoTime();
            times[calls] = now - last;
            last = now;
        }
        Arrays.sort(times, 0, calls);
        return report(calls, last - begin, times[calls / 2] / 1000.0);
    }

    public static void main(String[] arguments) throws Exception {
        ClientConfig config = new ClientConfig();
        config.getNetworkConfig().addAddress(arguments[0]);
        config.setProperty("hazelcast.logging.type", "none");
        HazelcastInstance client = HazelcastClient.newHazelcastClient(config);
        IMap<String, String> map = client.getMap("measure");
        String value = new String(new char[100]).replace('\0', 'v');
        Map<String, String> batch = new HashMap<>();
        for (int i = 0; i < BATCH; i++) {
            batch.put("key-" + i, value);
        }
        map.putAll(batch);
        map.set("k", value);
        long duration = (long) (Double.parseDouble(arguments[2]) * NS_PER_S);
        Runnable call = () -> map.get("k");
        if (arguments[1].equals("getall")) {
            call = () -> map.getAll(batch.keySet());
        } else if (arguments[1].equals("putall")) {
            call = () -> map.putAll(batch);
        }
        // Until its code is compiled the client would measure its own interpreter.
        one(call, duration / 2);
        System.out.println(arguments[1].equals("many") ? many(map, duration) : one(call, duration));
        client.shutdown();
        System.exit(0);
    }
}
