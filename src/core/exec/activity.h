// SPDX-License-Identifier: Apache-2.0
/**
 * What a thread is doing right now, in the words of its runner, for the watchdog.
 *
 * Threads: the runner's own writes, any thread reads. All steps are relaxed: the watchdog wants to
 * know what runs for long, and that has been visible for long.
 *
 * Time:    an activity begins at the last clock reading of its runner, which is at most a turn's
 *          budget old. The clock is read at its end only when the watchdog has seen it running, so
 *          what is short costs one comparison, and what is long is measured to its end.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "core/exec/runner.h"
#include "lib/base/attr.h"

/** Something begins; its name is static text. Returns what goes on after it, for end. */
static inline const char *fil_activity_begin(struct fil_runner *runner, const char *name)
{
    const char *outer = atomic_load_explicit(&runner->current_name, memory_order_relaxed);
    atomic_store_explicit(&runner->current_partition, FIL_OP_NO_PARTITION, memory_order_relaxed);
    atomic_store_explicit(&runner->current_name, name, memory_order_relaxed);
    uint64_t count = atomic_load_explicit(&runner->current_count, memory_order_relaxed);
    atomic_store_explicit(&runner->current_count, count + 1, memory_order_relaxed);
    runner->current_ns = runner->now_ns;
    return outer;
}

/** Tells the watchdog, which has seen it running, how long it took. */
FIL_COLD void fil_activity_measure(struct fil_runner *runner);

/** It is over, and what was going on around it goes on. */
static inline void fil_activity_end(struct fil_runner *runner, const char *outer)
{
    if (FIL_UNLIKELY(atomic_load_explicit(&runner->suspect_count, memory_order_relaxed) ==
                     atomic_load_explicit(&runner->current_count, memory_order_relaxed))) {
        fil_activity_measure(runner);
    }
    atomic_store_explicit(&runner->current_name, outer, memory_order_relaxed);
}

/** It goes on with a piece of work that has nothing to do with the last, at this time. */
static inline void fil_activity_step(struct fil_runner *runner, uint64_t now_ns)
{
    uint64_t count = atomic_load_explicit(&runner->current_count, memory_order_relaxed);
    if (FIL_UNLIKELY(atomic_load_explicit(&runner->suspect_count, memory_order_relaxed) == count)) {
        fil_activity_measure(runner);
    }
    atomic_store_explicit(&runner->current_count, count + 1, memory_order_relaxed);
    runner->now_ns = now_ns;
    runner->current_ns = now_ns;
}

/** What goes on is known better now. */
static inline void fil_activity_rename(struct fil_runner *runner, const char *name)
{
    atomic_store_explicit(&runner->current_name, name, memory_order_relaxed);
}

/** NULL: between operations. */
FIL_ANY_THREAD static inline const char *fil_activity_name(const struct fil_runner *runner)
{
    return atomic_load_explicit(&runner->current_name, memory_order_relaxed);
}

/** It goes on in this partition. */
static inline void fil_activity_place(struct fil_runner *runner, fil_partition_id partition_id)
{
    atomic_store_explicit(&runner->current_partition, partition_id, memory_order_relaxed);
}

/**
 * Changes with every operation, also with those that a turn runs in place, which count nothing but
 * runs.
 */
FIL_ANY_THREAD static inline uint64_t fil_activity_count(const struct fil_runner *runner)
{
    return atomic_load_explicit(&runner->current_count, memory_order_relaxed) +
           fil_counter_read(&runner->stats.runs);
}
