// SPDX-License-Identifier: Apache-2.0
/**
 * Bytes that a client of HTTP/2 sends, to a server on a simulated network: nothing but its own
 * connection suffers, and all memory comes back. The first byte says what the rest is: bit 0, it
 * comes behind a greeting; bit 1, it is a block of compressed headers (HPACK) of a request; bit 2,
 * it comes in small pieces.
 */
#include <stdint.h>

#include "tests/unit/protocol/http/http2_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BYTES_MAX 32768U

static void run(unsigned mode, struct fil_bytes bytes)
{
    struct fil_sim_client *client = net_world_client(&world);
    if ((mode & 3U) != 0) {
        fil_sim_client_send(client, fil_bytes_make(GREETING, sizeof(GREETING) - 1));
    }
    if ((mode & 2U) != 0 && bytes.size <= 16384) {
        send_frame(client, FRAME_HEADERS, END_HEADERS | END_STREAM, 1, bytes);
    } else if (bytes.size > 0) {
        fil_sim_client_send(client, bytes);
    }
    net_world_run_for(&world, SECOND / 10);
    fil_sim_client_close(client);
    net_world_run_for(&world, SECOND / 10);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > BYTES_MAX) {
        return 0;
    }
    open_world();
    if ((data[0] & 4U) != 0) {
        world.client_options.fragment_bytes = (struct fil_sim_range){.min = 1, .max = 7};
    }
    run(data[0], fil_bytes_make(data + 1, size - 1));
    close_world();
    return 0;
}
