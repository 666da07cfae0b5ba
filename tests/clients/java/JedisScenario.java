// SPDX-License-Identifier: Apache-2.0

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.json.JSONArray;
import org.json.JSONObject;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.KeyValue;

/** Jedis through scenario.json: java JedisScenario.java SCENARIO PORT VERSION. See ../README.md. */
public class JedisScenario {
    private static final int MESSAGE_SECONDS = 10;

    private final HostAndPort address;
    private final RedisProtocol protocol;

    JedisScenario(int port, int version) {
        address = new HostAndPort("127.0.0.1", port);
        protocol = version == 3 ? RedisProtocol.RESP3 : RedisProtocol.RESP2;
    }

    Jedis connect() {
        return new Jedis(address, DefaultJedisClientConfig.builder().protocol(protocol).build());
    }

    static ProtocolCommand name(JSONArray command) {
        byte[] bytes = command.getString(0).getBytes(StandardCharsets.UTF_8);
        return () -> bytes;
    }

    static String[] words(JSONArray command) {
        String[] words = new String[command.length() - 1];
        for (int i = 0; i < words.length; i++) {
            words[i] = command.getString(i + 1);
        }
        return words;
    }

    /** A reply as JSON has it; maps of RESP 3 are lists, as in RESP 2. */
    static Object canonical(Object reply) {
        if (reply == null) {
            return JSONObject.NULL;
        }
        if (reply instanceof byte[]) {
            return new String((byte[]) reply, StandardCharsets.UTF_8);
        }
        if (reply instanceof Exception) {
            return new JSONObject().put("error", ((Exception) reply).getMessage());
        }
        if (reply instanceof List) {
            JSONArray all = new JSONArray();
            for (Object part : (List<?>) reply) {
                if (part instanceof KeyValue) {
                    all.put(canonical(((KeyValue<?, ?>) part).getKey()));
                    all.put(canonical(((KeyValue<?, ?>) part).getValue()));
                } else {
                    all.put(canonical(part));
                }
            }
            return all;
        }
        return reply;
    }

    static Object caught(Supplier<Object> sent) {
        try {
            return canonical(sent.get());
        } catch (JedisDataException error) {
            return canonical(error);
        }
    }

    static JSONArray runEach(Jedis client, JSONArray commands) {
        JSONArray replies = new JSONArray();
        for (int i = 0; i < commands.length(); i++) {
            JSONArray command = commands.getJSONArray(i);
            replies.put(caught(() -> client.sendCommand(name(command), words(command))));
        }
        return replies;
    }

    static JSONArray runPipeline(Jedis client, JSONArray commands) {
        List<Response<Object>> sent = new ArrayList<>();
        try (Pipeline pipeline = client.pipelined()) {
            for (int i = 0; i < commands.length(); i++) {
                JSONArray command = commands.getJSONArray(i);
                sent.add(pipeline.sendCommand(name(command), words(command)));
            }
            pipeline.sync();
        }
        JSONArray replies = new JSONArray();
        sent.forEach(each -> replies.put(caught(each::get)));
        return replies;
    }

    static List<Object> exec(AbstractTransaction transaction, JSONArray commands) {
        for (int i = 0; i < commands.length(); i++) {
            JSONArray command = commands.getJSONArray(i);
            transaction.sendCommand(name(command), words(command));
        }
        return transaction.exec();
    }

    static Object runTransaction(Jedis client, JSONArray commands) {
        try (Transaction transaction = client.multi()) {
            return canonical(exec(transaction, commands));
        }
    }

    /** Whether the transaction ran although another connection has changed the key. */
    boolean runWatch(Jedis client, JSONObject watch) {
        client.watch(watch.getString("key"));
        try (Jedis other = connect()) {
            JSONArray change = watch.getJSONArray("change");
            other.sendCommand(name(change), words(change));
        }
        try (Transaction transaction = client.multi()) {
            return exec(transaction, watch.getJSONArray("commands")) != null;
        }
    }

    /** Notes what it hears, in a thread of its own. */
    private static class Listener extends JedisPubSub {
        final JSONArray heard = new JSONArray();
        final CountDownLatch subscribed = new CountDownLatch(2);
        final int wanted;

        Listener(int wanted) {
            this.wanted = wanted;
        }

        void hear(Object pattern, String channel, String message) {
            heard.put(new JSONArray().put(pattern).put(channel).put(message));
            if (heard.length() == wanted) {
                unsubscribe();
                punsubscribe();
            }
        }

        @Override
        public void onMessage(String channel, String message) {
            hear(JSONObject.NULL, channel, message);
        }

        @Override
        public void onPMessage(String pattern, String channel, String message) {
            hear(pattern, channel, message);
        }

        @Override
        public void onSubscribe(String channel, int count) {
            subscribed.countDown();
        }

        @Override
        public void onPSubscribe(String pattern, int count) {
            subscribed.countDown();
        }
    }

    JSONArray runSubscribe(Jedis client, JSONObject subscribe) throws InterruptedException {
        JSONArray messages = subscribe.getJSONArray("messages");
        String channel = subscribe.getString("channel");
        Listener listener = new Listener(2 * messages.length());
        Thread thread = new Thread(() -> {
            try (Jedis subscriber = connect()) {
                subscriber.subscribe(listener, channel);
            }
        });
        thread.start();
        while (!listener.isSubscribed()) {
            Thread.onSpinWait();
        }
        listener.psubscribe(subscribe.getString("pattern"));
        if (!listener.subscribed.await(MESSAGE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("not subscribed in time");
        }
        for (int i = 0; i < messages.length(); i++) {
            client.publish(channel, messages.getString(i));
        }
        thread.join(TimeUnit.SECONDS.toMillis(MESSAGE_SECONDS));
        return listener.heard;
    }

    JSONObject run(JSONObject scenario) throws InterruptedException {
        try (Jedis client = connect()) {
            JSONObject watch = scenario.getJSONObject("watch");
            JSONObject result = new JSONObject();
            result.put("commands", runEach(client, scenario.getJSONArray("commands")));
            result.put("pipeline", runPipeline(client, scenario.getJSONArray("pipeline")));
            result.put("transaction", runTransaction(client, scenario.getJSONArray("transaction")));
            result.put("watch", runWatch(client, watch));
            JSONArray after = watch.getJSONArray("after");
            result.put("after", canonical(client.sendCommand(name(after), words(after))));
            result.put("subscribe", runSubscribe(client, scenario.getJSONObject("subscribe")));
            return result;
        }
    }

    public static void main(String[] arguments) throws Exception {
        String text = Files.readString(Path.of(arguments[0]));
        int port = Integer.parseInt(arguments[1]);
        int version = Integer.parseInt(arguments[2]);
        System.out.println(new JedisScenario(port, version).run(new JSONObject(text)));
    }
}
