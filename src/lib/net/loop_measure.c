// SPDX-License-Identifier: Apache-2.0
/** Turns in which each connection's part is timed: see load.h. */
#include "lib/base/assert.h"
#include "lib/net/connection_internal.h"
#include "lib/net/loop_internal.h"

void fil_loop__mark_parts(struct fil_loop *loop)
{
    fil_assert(loop->is_measured);
    loop->part_began_ns = fil_env_now_ns(loop->env);
}

void fil_loop__measure_part(struct fil_loop *loop, struct fil_connection *connection)
{
    fil_assert(loop->is_measured);
    fil_loop_run_deferred(loop); // what it has deferred is its part, too
    uint64_t now_ns = fil_env_now_ns(loop->env);
    fil_assert(now_ns >= loop->part_began_ns);
    fil_connection__count_time(connection, now_ns - loop->part_began_ns);
    loop->part_began_ns = now_ns;
    fil_connection_release(connection);
}

void fil_loop__choose_measure(struct fil_loop *loop)
{
    loop->is_measured = loop->turns_until_measure == 0;
    if (FIL_LIKELY(!loop->is_measured)) {
        loop->turns_until_measure--;
        return;
    }
    // At odd distances, of 16 turns on average: clients that take turns do not fall in step with
    // it.
    loop->measure_chance = loop->measure_chance * 1664525U + 1013904223U;
    loop->turns_until_measure = (loop->measure_chance >> 16) % (2 * FIL_LOAD_TURNS_MEASURED - 1);
}
