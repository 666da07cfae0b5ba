// SPDX-License-Identifier: Apache-2.0
/**
 * A thread that runs operations, as the kernel sees it: a partition thread, an I/O loop that runs
 * what it brought, an application's thread.
 *
 * It carries what several operations share: the clock; the wake-ups and replies it owes, paid once
 * a turn; what it is doing right now, for the watchdog; its counters.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/op.h"
#include "lib/base/histogram.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"

#define FIL_RUNNER_STAGES_MAX   256U // partition threads
#define FIL_RUNNER_NOTIFIES_MAX 64U  // connections told at once at the end of a turn
#define FIL_RUNNER_CREWS_MAX    4U   // crews that a turn may owe a wake-up
#define FIL_RUNNER_DEPTH_MAX    8U   // operations that an operation runs in place, one in another

struct fil_connection;
struct fil_crew;
struct fil_exec;
struct fil_pool;

struct fil_runner_stats {
    struct fil_counter runs;        // operations run by this thread
    struct fil_counter caller_runs; // of those: in place, without a queue
    struct fil_counter handed_over; // operations put into mailboxes
    struct fil_counter wakes;       // partition threads this one has woken
    struct fil_counter slices;      // operations that went back to the tail
    struct fil_counter parks;       // operations parked
    struct fil_counter expiries;    // operations whose deadline passed
    struct fil_counter cancels;
    struct fil_counter busy_ns;   // time in cycles that moved something
    struct fil_histogram wait_ns; // from submit to run, of those that waited in a mailbox
    struct fil_histogram
        service_ns; // of one operation: its run, and its reply or what became of it

    // Written by the watchdog: time in operations that were slow.
    struct fil_counter stalled_cpu_ns;   // on a processor
    struct fil_counter stalled_sleep_ns; // asleep, or waiting for a processor
};

struct fil_runner {
    // Set by init, then read-only.
    struct fil_exec *exec;
    const char *name; // "partition/0"

    // Published for the watchdog.
    _Atomic(const char *) current_name; // NULL: between operations
    _Atomic uint32_t current_partition;
    _Atomic uint64_t current_count; // counts up with each operation

    // Between runner and watchdog: the operation that the watchdog has seen running, by its count,
    // and how long it took when it is over.
    _Atomic uint64_t suspect_count;   // 0: none
    _Atomic uint64_t suspect_took_ns; // 0: it still runs, or the watchdog has read it

    // Written by the runner, read by anyone.
    struct fil_runner_stats stats;

    // The runner's own.
    alignas(FIL_CACHE_LINE) uint64_t now_ns; // read when an operation ends, and when a turn begins
    uint64_t turn_until_ns; // a turn that has come so far ends; FIL_OP_NO_DEADLINE: no limit
    uint64_t current_ns;    // when what runs now has begun
    uint32_t depth;         // operations it is inside of
    uint64_t owed_wakes[FIL_RUNNER_STAGES_MAX / 64];
    bool owes_wakes;
    bool owes_alarm; // implies owes_wakes
    struct fil_crew *owed_crews[FIL_RUNNER_CREWS_MAX];
    uint32_t owed_crew_count;
    struct fil_pool *chunks; // for output; NULL: the runner never writes to connections
    struct fil_connection *notifies[FIL_RUNNER_NOTIFIES_MAX]; // held
    uint32_t notify_count;
};

void fil_runner_init(struct fil_runner *runner, struct fil_exec *exec, const char *name);

/** Runs one operation on a partition that the runner has entered; completes, re-queues or parks. */
FIL_INSIDE_PARTITION void fil_runner_run(struct fil_runner *runner, struct fil_partition *partition,
                                         struct fil_op *op);

/** Whether the turn has gone on for so long that replies and wake-ups must not wait any more. */
static inline bool fil_runner_is_due(const struct fil_runner *runner)
{
    return runner->now_ns >= runner->turn_until_ns;
}

/** Remembers that the partition thread has new work. */
void fil_runner_owe_wake(struct fil_runner *runner, uint32_t stage);

/** Remembers that something is due in a partition before the alarm's sleep ends. */
void fil_runner_owe_alarm(struct fil_runner *runner);

/** Remembers that a crew has new work: one of its members is woken at the end of the turn. */
void fil_runner_owe_crew(struct fil_runner *runner, struct fil_crew *crew);

/**
 * A reply for the connection is ready: it is written at the end of the turn, together with the
 * others. Takes over the caller's hold on the connection.
 */
void fil_runner_notify(struct fil_runner *runner, struct fil_connection *connection);

/** End of a turn: writes the replies, then wakes whom it owes. */
void fil_runner_end_turn(struct fil_runner *runner);

/** Wakes the threads that are owed, each at most once and only if it is parked. */
void fil_runner_pay_wakes(struct fil_runner *runner);
