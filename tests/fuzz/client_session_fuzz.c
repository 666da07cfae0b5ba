// SPDX-License-Identifier: Apache-2.0
/**
 * Bytes that a client sends, to a whole member on a simulated network: nothing but its own
 * connection suffers, and all memory comes back. The first byte says whether the client is let in
 * before it sends the rest, and whether partitions are run by the loop.
 */
#include <stdint.h>
#include <string.h>

#include "tests/unit/protocol/client/serve/wire_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Client 1, cluster "dev", no user, PYH 5.7.0 named c, no labels.
static const char hello[] =
    "CP2\x28\0\0\0\0\xc0\0\1\0\0\1\0\0\0\0\0\0\0\xff\xff\xff\xff\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0"
    "\0\1\x9\0\0\0\0\0dev\6\0\0\0\0\4\6\0\0\0\0\4\x9\0\0\0\0\0PYH\xb\0\0\0\0\0"
    "5.7.0\7\0\0\0\0\0c\6\0\0\0\0\x10\6\0\0\0\0\x28";

static void run(const uint8_t *data, size_t size, bool is_let_in)
{
    struct fil_sim_client *client = net_world_client(&world.net);
    if (is_let_in) {
        fil_sim_client_send(client, fil_bytes_make(hello, sizeof(hello) - 1));
        net_world_run_for(&world.net, SECOND / 10);
        fil_assert(fil_sim_client_received(client).size > 32);
    }
    if (size > 0) {
        fil_sim_client_send(client, fil_bytes_make(data, size));
        net_world_run_for(&world.net, SECOND / 10);
    }
    fil_sim_client_close(client);
    net_world_run_for(&world.net, SECOND / 10);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    memset(&world, 0, sizeof(world));
    open_world((data[0] & 2U) != 0);
    run(data + 1, size - 1, (data[0] & 1U) != 0);
    return tear_down(NULL);
}
