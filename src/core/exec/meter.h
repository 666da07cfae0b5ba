// SPDX-License-Identifier: Apache-2.0
/**
 * What one worker of a stage writes down about its work, and how long items wait for it.
 *
 * Threads: the worker writes its meter, any thread reads; a reader adds meters up in one of its
 *          own. The probe is shared by those who push and those who take.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/histogram.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"
#include "lib/os/env.h"

struct fil_meter {
    struct fil_counter item_count;   // run or delivered
    struct fil_counter cycle_count;  // cycles that moved something
    struct fil_counter busy_ns;      // time spent in those
    struct fil_histogram wait_ns;    // from push to start, sampled
    struct fil_histogram service_ns; // of one item, sampled
};

void fil_meter_init(struct fil_meter *meter);

/** Writer of `sum`: adds all that the other holds. */
void fil_meter_add(struct fil_meter *sum, const struct fil_meter *meter);

/** Writer: a cycle moved so many items in this time. */
static inline void fil_meter_cycle(struct fil_meter *meter, uint64_t items, uint64_t busy_ns)
{
    fil_counter_add(&meter->item_count, items);
    fil_counter_add(&meter->cycle_count, 1);
    fil_counter_add(&meter->busy_ns, busy_ns);
}

/**
 * Measures how long an item waits in a queue, without a clock reading for each: at most one item
 * is marked at a time. The consumer arms the probe once a cycle; the next push marks its item and
 * reads the clock; whoever takes that item sees the mark. When there is little to do every item
 * is measured, under load one a cycle.
 *
 * All steps are relaxed but for the compare-and-swaps' atomicity: an item's mark is written before
 * the item is pushed, so the queue's own order shows it to the one who takes the item.
 */
struct fil_probe {
    _Atomic uintptr_t mark; // FIL_PROBE_*, or the marked item's address
    _Atomic uint64_t pushed_ns;
};

#define FIL_PROBE_IDLE    ((uintptr_t)0)
#define FIL_PROBE_ARMED   ((uintptr_t)1)
#define FIL_PROBE_CLAIMED ((uintptr_t)2)

/** Consumer, once a cycle: the next item may be marked. */
static inline void fil_probe_arm(struct fil_probe *probe)
{
    uintptr_t mark = atomic_load_explicit(&probe->mark, memory_order_relaxed);
    if (mark == FIL_PROBE_IDLE) {
        // A failure means that another consumer was first.
        (void)atomic_compare_exchange_strong_explicit(&probe->mark, &mark, FIL_PROBE_ARMED,
                                                      memory_order_relaxed, memory_order_relaxed);
    }
}

/** Producer, before the push. */
FIL_ANY_THREAD static inline void fil_probe_mark(struct fil_probe *probe, struct fil_env *env,
                                                 const void *item)
{
    uintptr_t mark = atomic_load_explicit(&probe->mark, memory_order_relaxed);
    if (mark != FIL_PROBE_ARMED ||
        !atomic_compare_exchange_strong_explicit(&probe->mark, &mark, FIL_PROBE_CLAIMED,
                                                 memory_order_relaxed, memory_order_relaxed)) {
        return;
    }
    atomic_store_explicit(&probe->pushed_ns, fil_env_now_ns(env), memory_order_relaxed);
    atomic_store_explicit(&probe->mark, (uintptr_t)item, memory_order_relaxed);
}

/** Whether this is the marked item. */
static inline bool fil_probe_is_marked(struct fil_probe *probe, const void *item)
{
    return atomic_load_explicit(&probe->mark, memory_order_relaxed) == (uintptr_t)item;
}

/** Producer: the push was refused. */
static inline void fil_probe_unmark(struct fil_probe *probe, const void *item)
{
    if (fil_probe_is_marked(probe, item)) {
        atomic_store_explicit(&probe->mark, FIL_PROBE_ARMED, memory_order_relaxed);
    }
}

/** Whoever took the marked item: records how long it waited. */
static inline void fil_probe_record(struct fil_probe *probe, struct fil_meter *meter,
                                    uint64_t now_ns)
{
    uint64_t pushed_ns = atomic_load_explicit(&probe->pushed_ns, memory_order_relaxed);
    atomic_store_explicit(&probe->mark, FIL_PROBE_IDLE, memory_order_relaxed);
    // The consumer may have read its clock a moment before the item came.
    fil_histogram_record(&meter->wait_ns, now_ns > pushed_ns ? now_ns - pushed_ns : 0);
}
