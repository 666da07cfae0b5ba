// SPDX-License-Identifier: Apache-2.0
/**
 * The balancer: moves connections from the most to the least loaded I/O loop.
 *
 * Once an interval (a round) it reads the loops' loads (load.h). When the largest exceeds the
 * smallest by more than a set ratio, it asks the most loaded loop to give its busiest fitting
 * connection to the least loaded one. A connection fits when its load is below nine tenths of the
 * difference: a larger one would only take the trouble with it. At most one moves a round, and each
 * move makes the difference smaller, so moves come to an end while the load stays as it is.
 *
 * Threads: cycle runs on the acceptor's thread; the loop that is asked chooses by itself.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/conc/counter.h"
#include "lib/conc/role.h"
#include "lib/net/loop.h"
#include "lib/net/message.h"
#include "lib/os/env.h"

#define FIL_BALANCER_LOOPS_MAX 256U

/** A loop that costs less in a second is not worth a move: about a hundred requests. */
#define FIL_BALANCER_FLOOR_POINTS (UINT64_C(1) << 20)

struct fil_balancer_options {
    struct fil_env *env;
    struct fil_loop *loops; // an array; must outlive the balancer
    uint32_t loop_count;
    uint64_t interval_ns; // 0: never
    uint32_t ratio_percent;
};

/** What a loop is asked to do. */
struct fil_balancer_request {
    struct fil_message message;
    struct fil_loop *target;
    uint64_t points_max; // the load of the connection is below
    uint32_t round;      // the load is that of the round before
    _Atomic bool is_sent;
};

struct fil_balancer {
    // Set by init, then read-only.
    struct fil_balancer_options options;

    // The balancer's until it is sent, then the loop's.
    struct fil_balancer_request request;

    // Written by the balancer, read by anyone.
    struct fil_counter imbalances; // rounds in which the ratio was exceeded

    // The balancer's own.
    uint64_t seen_points[FIL_BALANCER_LOOPS_MAX] FIL_OWNED_BY(acceptor);
    uint64_t round_ns FIL_OWNED_BY(acceptor); // when the round began
    uint32_t round FIL_OWNED_BY(acceptor);
};

void fil_balancer_init(struct fil_balancer *balancer,
                       const struct fil_balancer_options *options) FIL_BEFORE_SHARING;

/** Ends the round when it is over; returns whether a move was asked for. */
uint32_t fil_balancer_cycle(struct fil_balancer *balancer) FIL_RUNS_ON(acceptor);

/** How long until the round is over; FIL_WAIT_FOREVER when there are none. */
int64_t fil_balancer_wait_ns(const struct fil_balancer *balancer) FIL_RUNS_ON(acceptor);

/** Which load should go where. */
struct fil_balance {
    uint32_t source;
    uint32_t target;
    uint64_t points_max; // the load to move is below
};

/** The rule: false when the loads are within the ratio, or the largest does not exceed the floor.
 */
bool fil_balancer_choose(const uint64_t *loads, uint32_t count, uint32_t ratio_percent,
                         uint64_t floor_points, struct fil_balance *out_balance);
