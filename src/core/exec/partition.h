// SPDX-License-Identifier: Apache-2.0
/**
 * A partition as an actor: a mailbox, and one word that says who may touch its data.
 *
 *            enter (a caller)                    deliver while somebody is inside
 *     idle ------------------> running <---------------------------> noted
 *      | ^                     |  ^  |                                 |
 *      | +---- leave, no mail -+  |  +---- leave with mail ------+     |
 *      |                          |                              v     |
 *      +------- deliver ----------|-------------------------> queued <-+
 *                                 +---- taken by a thread ------+
 *
 * Whoever moves it to running is the only one who touches the partition until it leaves. A queued
 * partition has a ticket in its home thread's run queue (and in the urgent one when a priority
 * operation waits); tickets may be stale, the word decides.
 *
 * Order:    operations of one sender are run in the order of their delivery; priority ones first.
 *           A caller enters only when the mailbox is empty, so nothing is overtaken.
 * Progress: lock-free; nobody waits for a partition.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/op.h"
#include "core/exec/runner.h"
#include "lib/base/list.h"
#include "lib/base/wheel.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"
#include "lib/conc/stack.h"

struct fil_parking;
struct fil_partition;

/** Work that comes due in a partition by itself: entries expire, memory wants to be tidied. */
struct fil_upkeep {
    struct fil_list link; // while it waits in its partition
    uint64_t due_ns;      // FIL_OP_NO_DEADLINE: it does not wait

    /** Inside. Does a bounded slice; returns when it wants to be called again, as due_ns. */
    uint64_t (*run)(struct fil_upkeep *upkeep, struct fil_partition *partition);
};

/** A line of operations that only the one inside touches. */
struct fil_op_line {
    struct fil_op *first;
    struct fil_op *last;
};

struct fil_partition {
    // Set by init, then read-only; here because everybody who enters needs them.
    alignas(FIL_CACHE_LINE) fil_partition_id id;
    uint32_t home; // index of its home thread

    // Shared. All that a thread looks at to enter and leave is in this cache line and the next.
    _Atomic uint32_t state;
    _Atomic uint32_t chores; // what the next one inside does first
    struct fil_stack mail;
    struct fil_stack priority_mail;
    struct fil_counter arrived; // operations delivered; added to before they are

    // Whoever is inside.
    struct fil_runner *runner;
    struct fil_op_line line;
    alignas(FIL_CACHE_LINE) struct fil_op_line priority_line;
    struct fil_op_line woken_line; // were parked, go before what came later
    struct fil_parking *parking;   // NULL until something parks
    struct fil_list upkeeps;       // those that wait
    const void *thread;            // debug builds: its fil_role_thread

    // Shared.
    alignas(FIL_CACHE_LINE) _Atomic uint64_t parked_until_ns; // earliest deadline of a parked
                                                              // operation or an upkeep
    _Atomic bool is_told; // the alarm is being told of that deadline
    struct fil_link told_link;

    // Written by whoever is inside, read by anyone: operations taken out, less those put back.
    struct fil_counter taken;

    // The alarm's own.
    struct fil_timer timer;    // fires at parked_until_ns
    struct fil_list rung_link; // until somebody has seen to what was due
};

void fil_partition_init(struct fil_partition *partition, fil_partition_id id, uint32_t home);

/** No operation may wait in it; upkeep that does is forgotten. */
void fil_partition_fini(struct fil_partition *partition);

/**
 * Caller-runs: goes in when nobody is inside and nothing waits. False otherwise.
 */
FIL_ANY_THREAD bool fil_partition_enter(struct fil_partition *partition, struct fil_runner *runner)
    FIL_NODISCARD;

/** A partition thread goes into a queued partition whose ticket it has; false: a stale ticket. */
bool fil_partition_claim(struct fil_partition *partition, struct fil_runner *runner)
    FIL_RUNS_ON(partition) FIL_NODISCARD;

/** Goes out; with mail inside the partition is queued at its home, which is then owed a wake. */
FIL_INSIDE_PARTITION void fil_partition_leave(struct fil_partition *partition);

/**
 * Puts a chain of operations, linked from newest to oldest, into the mailbox and sees to it that
 * somebody runs them. Wakes are owed by the runner.
 */
FIL_ANY_THREAD void fil_partition_deliver(struct fil_partition *partition, struct fil_op *newest,
                                          struct fil_op *oldest, struct fil_runner *runner);

/** As deliver, for one priority operation: its home is kicked. */
FIL_ANY_THREAD void fil_partition_deliver_priority(struct fil_partition *partition,
                                                   struct fil_op *op, struct fil_runner *runner);

/** Operations that wait to be run, those that are parked not counted; a figure. */
FIL_ANY_THREAD uint64_t fil_partition_mail_count(const struct fil_partition *partition);

/**
 * Inside: ends what was cancelled or has expired, then runs up to limit operations, priority ones
 * first, up to the first that wants another slice or uses up the runner's turn. Returns how many.
 */
FIL_INSIDE_PARTITION uint32_t fil_partition_run(struct fil_partition *partition, uint32_t limit);

/** Inside: puts an operation behind everything that has arrived. */
FIL_INSIDE_PARTITION void fil_partition_append(struct fil_partition *partition, struct fil_op *op);

/**
 * Inside, from an operation's run: parks it under the key until a notify or its deadline; it then
 * runs again. FIL_E_NOMEM when there is no memory for it, FIL_E_CANCELLED when nobody waits for it
 * any more: end it with that error. Return FIL_OP_PARKED after FIL_OK.
 */
FIL_INSIDE_PARTITION int fil_partition_park(struct fil_partition *partition, struct fil_op *op,
                                            uint64_t key) FIL_NODISCARD;

/** Inside: lets up to limit operations parked under the key run again, in arrival order. */
FIL_INSIDE_PARTITION uint32_t fil_partition_notify(struct fil_partition *partition, uint64_t key,
                                                   uint32_t limit);

void fil_upkeep_init(struct fil_upkeep *upkeep,
                     uint64_t (*run)(struct fil_upkeep *upkeep, struct fil_partition *partition));

/**
 * Inside: lets the upkeep run at that time or a little later, by whoever is inside then, unless it
 * is due before. It must live until it has left the partition, see fil_upkeep_forget.
 */
FIL_INSIDE_PARTITION void fil_partition_ask_upkeep(struct fil_partition *partition,
                                                   struct fil_upkeep *upkeep, uint64_t due_ns);

/** Inside, or after the threads have ended: it does not wait any more. */
FIL_INSIDE_PARTITION void fil_upkeep_forget(struct fil_upkeep *upkeep);

/**
 * Makes a submitted operation end with FIL_E_CANCELLED, also when it is parked, unless it ends
 * first. The caller knows that the op has not been given back yet.
 */
FIL_ANY_THREAD void fil_partition_cancel(struct fil_partition *partition, struct fil_op *op,
                                         struct fil_runner *runner);

/**
 * The caller is gone: the operation still runs, but ends with FIL_E_CANCELLED
 * where it would wait. The op has not been given back yet.
 */
FIL_ANY_THREAD void fil_partition_abandon(struct fil_partition *partition, struct fil_op *op,
                                          struct fil_runner *runner);

/** The deadline of a parked operation or of an upkeep has come: the next one inside sees to it. */
FIL_ANY_THREAD void fil_partition_expire(struct fil_partition *partition,
                                         struct fil_runner *runner);

/** Whether nobody has begun yet with what fil_partition_expire has told of. */
FIL_ANY_THREAD bool fil_partition_is_due(struct fil_partition *partition);

/**
 * For who has no ticket: goes into a queued partition, does a slice of its chores, runs none of its
 * operations, and goes out. False: it is not queued, so somebody is or was inside.
 */
bool fil_partition_relieve(struct fil_partition *partition, struct fil_runner *runner)
    FIL_RUNS_ON(partition) FIL_NODISCARD;

/** After the threads have ended, on an idle partition: ends what is parked with FIL_E_STOPPING. */
void fil_partition_close(struct fil_partition *partition,
                         struct fil_runner *runner) FIL_BEFORE_SHARING;

/** Asserts that somebody is inside; in debug builds, that it is the calling thread. */
FIL_INSIDE_PARTITION void fil_partition_assert_inside(const struct fil_partition *partition);

/** Asserts that the calling runner is inside. */
FIL_INSIDE_PARTITION void fil_partition_assert_mine(const struct fil_partition *partition,
                                                    const struct fil_runner *runner);
