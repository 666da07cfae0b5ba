// SPDX-License-Identifier: Apache-2.0
#include "node/limit_name.h"

#include "lib/base/assert.h"

struct fil_limit_name fil_limit_name_of(const struct fil_net_limits *limits,
                                        enum fil_close_reason reason)
{
    const struct fil_limit_name names[FIL_CLOSE_REASON_COUNT] = {
        [FIL_CLOSE_HANDSHAKE] = {"net.handshake_timeout",
                                 FIL_F_NS("limit", limits->handshake_timeout_ns)},
        [FIL_CLOSE_STRANGER] = {"net.handshake_bytes_max",
                                FIL_F_SIZE("limit", limits->handshake_bytes_max)},
        [FIL_CLOSE_FRAME] = {"net.frame_bytes_max", FIL_F_SIZE("limit", limits->frame_bytes_max)},
        [FIL_CLOSE_HALF] = {"net.stall_timeout", FIL_F_NS("limit", limits->stall_timeout_ns)},
        [FIL_CLOSE_STALLED] = {"net.stall_timeout", FIL_F_NS("limit", limits->stall_timeout_ns)},
        [FIL_CLOSE_OVERRUN] = {"net.output_bytes_max",
                               FIL_F_SIZE("limit", limits->output_bytes_max)},
        [FIL_CLOSE_IDLE] = {"net.idle_timeout", FIL_F_NS("limit", limits->idle_timeout_ns)},
    };
    fil_assert(reason < FIL_CLOSE_REASON_COUNT);
    return names[reason];
}
