// SPDX-License-Identifier: Apache-2.0
/**
 * What a connection costs its loop, in one figure: points.
 *
 * A byte in or out is a point; a request is as much as 1 KiB of them, a system call as 4 KiB, which
 * is about what they take of a processor's time. The same points are counted for a loop (out of its
 * stats) and for each of its connections, so a connection's share of its loop's busy time is its
 * share of the points. Points do not depend on the clock: a thread that was preempted looks no
 * busier for it, and a simulation balances as a real member does.
 *
 * A connection's points are kept for the balancer's present round and the one before. Nobody goes
 * round the connections when a round begins: each takes notice when it is next counted.
 */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/net/stats.h"

#define FIL_LOAD_REQUEST_POINTS UINT64_C(1024)
#define FIL_LOAD_CALL_POINTS    UINT64_C(4096)

struct fil_load {
    uint64_t points;      // in the round below
    uint64_t last_points; // in the round before it
    uint32_t round;
};

static inline uint64_t fil_load_points(uint64_t bytes, uint64_t requests, uint64_t calls)
{
    return bytes + requests * FIL_LOAD_REQUEST_POINTS + calls * FIL_LOAD_CALL_POINTS;
}

/** A loop's points since it was made. */
FIL_ANY_THREAD static inline uint64_t fil_load_of_loop(const struct fil_loop_stats *stats)
{
    return fil_load_points(fil_counter_read(&stats->bytes_received) +
                               fil_counter_read(&stats->bytes_sent),
                           fil_counter_read(&stats->requests),
                           fil_counter_read(&stats->receives) + fil_counter_read(&stats->sends));
}

/** A new round begins for this load. */
static inline void fil_load_turn(struct fil_load *load, uint32_t round)
{
    load->last_points = round - load->round == 1 ? load->points : 0;
    load->points = 0;
    load->round = round;
}

/** The points of the round before this one. */
static inline uint64_t fil_load_before(const struct fil_load *load, uint32_t round)
{
    if (load->round == round) {
        return load->last_points;
    }
    return round - load->round == 1 ? load->points : 0;
}
