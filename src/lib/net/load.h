// SPDX-License-Identifier: Apache-2.0
/**
 * What a connection costs its loop, in one figure: points.
 *
 * A byte in or out is a point; a request is as much as 1 KiB of them, a system call as 4 KiB, which
 * is about what they take of a processor's time; and each nanosecond in which the loop was busy
 * with the connection is two. An ordinary request has about as many points for its time as for the
 * rest, one that makes the loop work for long has most of them for its time.
 *
 * Time is measured in some turns only, one in 16 on average and at odd distances, in which each
 * connection's part is timed by itself; it counts for the turns between. In the others nobody looks
 * at the clock for it. A part that seems to take milliseconds is cut: most likely the thread was
 * preempted. Why so: docs/adr/0009-load-by-sampled-time.md.
 *
 * The same points are counted for a loop (out of its stats) and for each of its connections.
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
#define FIL_LOAD_NS_POINTS      UINT64_C(2)
#define FIL_LOAD_TURNS_MEASURED 16U // one turn in so many, on average
#define FIL_LOAD_PART_NS_MAX    UINT64_C(4000000)

struct fil_load {
    uint64_t points;      // in the round below
    uint64_t last_points; // in the round before it
    uint32_t round;
};

static inline uint64_t fil_load_points(uint64_t bytes, uint64_t requests, uint64_t calls)
{
    return bytes + requests * FIL_LOAD_REQUEST_POINTS + calls * FIL_LOAD_CALL_POINTS;
}

/** For so much time in measured turns. */
static inline uint64_t fil_load_time_points(uint64_t measured_ns)
{
    return measured_ns * FIL_LOAD_TURNS_MEASURED * FIL_LOAD_NS_POINTS;
}

/** A loop's points since it was made. */
FIL_ANY_THREAD static inline uint64_t fil_load_of_loop(const struct fil_loop_stats *stats)
{
    return fil_load_points(fil_counter_read(&stats->bytes_received) +
                               fil_counter_read(&stats->bytes_sent),
                           fil_counter_read(&stats->requests),
                           fil_counter_read(&stats->receives) + fil_counter_read(&stats->sends)) +
           fil_load_time_points(fil_counter_read(&stats->measured_ns));
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
