// SPDX-License-Identifier: Apache-2.0

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.ExecutionCallback;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.IExecutorService;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * What the Java client does with executors: HazelcastExecutors ADDRESS. Functions of the member are
 * objects with their ids and one string. The member has an executor "small" with one thread and
 * room for one, and "one" with one thread. Ends with 0 when all is as its documentation says.
 */
public final class HazelcastExecutors extends HazelcastProgram {
    private static final int ECHO = 1;
    private static final int SLEEP = 2;
    private static final int MAP_SIZE = 3;

    private HazelcastExecutors() {
    }

    /** One of the member's functions. */
    private static final class Function
            implements Callable<Object>, Runnable, IdentifiedDataSerializable {
        private final int number;
        private final String argument;

        Function(int number, String argument) {
            this.number = number;
            this.argument = argument;
        }

        @Override
        public Object call() {
            throw new UnsupportedOperationException("it runs on the member");
        }

        @Override
        public void run() {
            throw new UnsupportedOperationException("it runs on the member");
        }

        @Override
        public int getFactoryId() {
            return 7071;
        }

        @Override
        public int getClassId() {
            return number;
        }

        @Override
        public void writeData(ObjectDataOutput out) throws IOException {
            out.writeString(argument);
        }

        @Override
        public void readData(ObjectDataInput in) {
            throw new UnsupportedOperationException("it stays what it is");
        }
    }

    private static void submit(HazelcastInstance client) throws Exception {
        IExecutorService executor = client.getExecutorService("java");
        Callable<Object> echo = new Function(ECHO, "hello");
        Member member = client.getCluster().getMembers().iterator().next();
        same("submit", executor.submit(echo).get(), "hello");
        same("key owner", executor.submitToKeyOwner(echo, "key").get(), "hello");
        same("member", executor.submitToMember(echo, member).get(), "hello");
        same("all", executor.submitToAllMembers(echo).get(member).get(), "hello");
        same("number", executor.submit((Callable<Object>) new Function(SLEEP, "1")).get(), 1L);
        client.getMap("java-entries").put("a", "b");
        same("map", executor.submitToMember((Callable<Object>) new Function(MAP_SIZE,
                "java-entries"), member).get(), 1L);
        executor.submit((Runnable) new Function(SLEEP, "1")).get();
        executor.execute(new Function(SLEEP, "1"));
    }

    private static void callbacks(HazelcastInstance client) throws Exception {
        IExecutorService executor = client.getExecutorService("java");
        CountDownLatch latch = new CountDownLatch(1);
        List<Object> got = new ArrayList<>();
        executor.submit((Callable<Object>) new Function(ECHO, "told"),
                new ExecutionCallback<Object>() {
                    @Override
                    public void onResponse(Object response) {
                        got.add(response);
                        latch.countDown();
                    }

                    @Override
                    public void onFailure(Throwable problem) {
                        got.add(problem);
                        latch.countDown();
                    }
                });
        same("callback", latch.await(GUARD_MS, TimeUnit.MILLISECONDS), true);
        same("response", got, List.of("told"));
    }

    private static Throwable causeOf(Future<?> future) throws Exception {
        try {
            future.get();
        } catch (ExecutionException problem) {
            return problem.getCause();
        } catch (CancellationException | RejectedExecutionException problem) {
            return problem;
        }
        return null;
    }

    private static void problems(HazelcastInstance client) throws Exception {
        IExecutorService executor = client.getExecutorService("java");
        Throwable unknown = causeOf(executor.submit((Callable<Object>) new Function(99, "")));
        same("unknown", unknown instanceof UnsupportedOperationException, true);
        Throwable wrong = causeOf(executor.submit((Callable<Object>) new Function(SLEEP, "x")));
        same("wrong", wrong instanceof IllegalArgumentException, true);
        same("why", wrong.getMessage().contains("a number of milliseconds"), true);
    }

    /** One runs for ever, one waits behind it; without a cancel nothing else would ever run. */
    private static void cancels(HazelcastInstance client) throws Exception {
        IExecutorService one = client.getExecutorService("one");
        Callable<Object> endless = new Function(SLEEP, "3600000");
        Future<Object> runs = one.submitToKeyOwner(endless, "a");
        Future<Object> waits = one.submitToMember(endless,
                client.getCluster().getMembers().iterator().next());
        same("cancel", waits.cancel(false), true);
        same("cancel running", runs.cancel(true), true);
        same("cancelled", runs.isCancelled() && waits.isCancelled(), true);
        same("free", one.submit((Callable<Object>) new Function(ECHO, "free")).get(), "free");
    }

    private static void rejects(HazelcastInstance client) throws Exception {
        IExecutorService small = client.getExecutorService("small");
        List<Future<Object>> futures = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            futures.add(small.submit((Callable<Object>) new Function(SLEEP, "200")));
        }
        int rejected = 0;
        for (Future<Object> future : futures) {
            Throwable cause = causeOf(future);
            same("rejected", cause == null || cause instanceof RejectedExecutionException, true);
            rejected += cause == null ? 0 : 1;
        }
        same("some are", rejected > 0 && rejected < futures.size(), true);
    }

    private static void shutdown(HazelcastInstance client) throws Exception {
        IExecutorService executor = client.getExecutorService("java-gone");
        same("is shut down", executor.isShutdown(), false);
        executor.shutdown();
        same("was shut down", executor.isShutdown(), true);
        Throwable late;
        try {
            late = causeOf(executor.submit((Callable<Object>) new Function(ECHO, "")));
        } catch (RejectedExecutionException problem) {
            late = problem;
        }
        same("late", late instanceof RejectedExecutionException, true);
        executor.destroy();
        same("again", client.getExecutorService("java-gone").isShutdown(), false);
    }

    /** Runs all. */
    public static void main(String[] arguments) throws Exception {
        HazelcastInstance client = HazelcastClient.newHazelcastClient(configure(arguments[0]));
        submit(client);
        callbacks(client);
        problems(client);
        cancels(client);
        rejects(client);
        shutdown(client);
        client.shutdown();
        System.out.println("ok");
        System.exit(0);
    }
}
