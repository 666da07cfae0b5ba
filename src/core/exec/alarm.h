// SPDX-License-Identifier: Apache-2.0
/**
 * Knows when something is due in a partition: the deadline of a parked operation, or upkeep.
 *
 * It has a thread of its own, which runs no operation: whatever keeps a partition's home busy, the
 * deadlines of its other partitions are told in time, as tickets, which a thief takes while the
 * home is at something long. When all partition threads are, nobody takes them: so the alarm looks
 * again, and what nobody has seen to within FIL_ALARM_PATIENCE_NS it does itself. Only what waits
 * in the partition whose operation runs waits for it.
 *
 *     due --ring--> ticket, rung list --> taken by a partition thread: off the list
 *                                     \-> still queued: relieved by the alarm, chores only
 *
 *   tells a deadline (inside the partition)    the alarm's thread
 *   ---------------------------------------    ------------------
 *   write the deadline                         says until when it will sleep
 *   put the partition on the list              looks at the list once more, then sleeps
 *   does it sleep for longer? then wake it
 *
 * S3: both write before they look, all of it sequentially consistent, so at least one sees the
 * other. A deadline that is later than the end of the sleep wakes nobody.
 *
 * Threads: tell is for whoever is inside; the cycle runs on one thread, or in a simulation. As it
 *          goes into partitions, that thread has the role of those that do.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/runner.h"
#include "lib/base/list.h"
#include "lib/base/wheel.h"
#include "lib/conc/counter.h"
#include "lib/conc/parker.h"
#include "lib/conc/role.h"
#include "lib/conc/stack.h"
#include "lib/mem/pool.h"
#include "lib/os/thread.h"

/** How long the alarm leaves what is due to the partition threads. */
#define FIL_ALARM_PATIENCE_NS UINT64_C(1000000)

struct fil_exec;
struct fil_partition;

struct fil_alarm {
    // Set by init, then read-only.
    struct fil_exec *exec;

    // Shared.
    struct fil_stack told; // partitions with a new deadline
    struct fil_parker parker;
    _Atomic uint64_t sleeps_until_ns;
    _Atomic bool is_stopping;

    // Written by its thread, read by anyone.
    struct fil_counter rings;   // partitions in which something was due
    struct fil_counter reliefs; // times it did what was due itself

    // The thread's own.
    alignas(FIL_CACHE_LINE) struct fil_runner runner;
    struct fil_pool chunks; // for the replies of what has expired
    struct fil_wheel deadlines;
    struct fil_list rung; // partitions in which something is due, until somebody has begun with it
    uint64_t look_ns;     // when to look at them again; FIL_WHEEL_NEVER: there are none
    uint64_t patience_ns; // until the look after that, when they are held for long
    struct fil_thread thread;
};

void fil_alarm_init(struct fil_alarm *alarm, struct fil_exec *exec) FIL_BEFORE_SHARING;
void fil_alarm_fini(struct fil_alarm *alarm) FIL_BEFORE_SHARING;

/** The partition's deadline is new, and sooner or the next: its runner owes the wake-up. */
FIL_INSIDE_PARTITION void fil_alarm_tell(struct fil_alarm *alarm, struct fil_partition *partition,
                                         uint64_t deadline_ns);

/** One bounded turn; returns in how many partitions something was due, or was done. */
uint32_t fil_alarm_cycle(struct fil_alarm *alarm) FIL_RUNS_ON(partition);

/** When it has to look again, of what the last cycle knew; UINT64_MAX: never. */
uint64_t fil_alarm_next_ns(const struct fil_alarm *alarm);

int fil_alarm_start(struct fil_alarm *alarm) FIL_NODISCARD;

/** Harmless when it was not started. */
void fil_alarm_stop(struct fil_alarm *alarm);
