// SPDX-License-Identifier: Apache-2.0
/** The limits of the I/O pool; each has a counter for being hit (stats.h). */
#pragma once

#include <stddef.h>
#include <stdint.h>

// Of a request that has begun: with less the connection stands still.
#define FIL_NET_MOVEMENT_BYTES 1024U

struct fil_net_limits {
    uint32_t connections_max;
    size_t handshake_bytes_max;    // before it is known who it is
    uint64_t handshake_timeout_ns; // from accept to a known protocol
    size_t frame_bytes_max;        // the largest request
    size_t output_bytes_max;       // waiting output at which a connection's requests wait too
    uint64_t stall_timeout_ns;     // standing still, as a reader or within a request
    uint64_t idle_timeout_ns;      // 0: never
    uint64_t rest_ns;              // see gather.h; 0: never
};
