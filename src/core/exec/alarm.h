// SPDX-License-Identifier: Apache-2.0
/**
 * Knows when something is due in a partition: the deadline of a parked operation, or upkeep.
 *
 * It has a thread of its own, which runs no operation: whatever keeps a partition's home busy, the
 * deadlines of its other partitions are told in time, as tickets, which a thief takes while the
 * home is at something long. Only what waits in the partition whose operation runs waits for it.
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
 * Threads: tell is for whoever is inside; the cycle runs on one thread, or in a simulation.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/runner.h"
#include "lib/base/wheel.h"
#include "lib/conc/counter.h"
#include "lib/conc/parker.h"
#include "lib/conc/role.h"
#include "lib/conc/stack.h"
#include "lib/os/thread.h"

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
    struct fil_counter rings; // partitions in which something was due

    // The thread's own.
    alignas(FIL_CACHE_LINE) struct fil_runner runner; // owes wake-ups, runs nothing
    struct fil_wheel deadlines;
    struct fil_thread thread;
};

void fil_alarm_init(struct fil_alarm *alarm, struct fil_exec *exec) FIL_BEFORE_SHARING;

/** The partition's deadline is new, and sooner or the next: its runner owes the wake-up. */
FIL_INSIDE_PARTITION void fil_alarm_tell(struct fil_alarm *alarm, struct fil_partition *partition,
                                         uint64_t deadline_ns);

/** One bounded turn; returns in how many partitions something was due. */
uint32_t fil_alarm_cycle(struct fil_alarm *alarm);

/** When something is due next, of what the last cycle knew; UINT64_MAX: never. */
uint64_t fil_alarm_next_ns(const struct fil_alarm *alarm);

int fil_alarm_start(struct fil_alarm *alarm) FIL_NODISCARD;

/** Harmless when it was not started. */
void fil_alarm_stop(struct fil_alarm *alarm);
