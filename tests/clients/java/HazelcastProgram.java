// SPDX-License-Identifier: Apache-2.0

import com.hazelcast.client.config.ClientConfig;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;

/** What the programs of the Java client share. */
abstract class HazelcastProgram {
    protected static final long GUARD_MS = 60000;

    protected HazelcastProgram() {
    }

    protected static ClientConfig configure(String address) {
        ClientConfig config = new ClientConfig();
        config.getNetworkConfig().addAddress(address);
        config.getConnectionStrategyConfig().getConnectionRetryConfig()
                .setClusterConnectTimeoutMillis(GUARD_MS);
        config.setProperty("hazelcast.logging.type", "none");
        return config;
    }

    protected static void same(String what, Object got, Object wanted) {
        if (!Objects.equals(got, wanted)) {
            throw new AssertionError(what + ": got " + got + ", wanted " + wanted);
        }
    }

    protected static void until(String what, Callable<Boolean> isDone) throws Exception {
        for (long end = System.currentTimeMillis() + GUARD_MS; !isDone.call();) {
            if (System.currentTimeMillis() > end) {
                throw new AssertionError("gave up waiting for " + what);
            }
            Thread.sleep(5);
        }
    }

    protected static String newName() {
        return "java-" + UUID.randomUUID();
    }
}
