// SPDX-License-Identifier: Apache-2.0
/**
 * Names whatever holds a thread: looks at what every runner is doing and notes operations that run
 * longer than a threshold, with the stack of their thread.
 *
 * Runners publish what they do anyway (runner.h); being watched costs them nothing. The watchdog
 * looks every half threshold as long as something runs, and ever more rarely, up to
 * FIL_WATCHDOG_DOZE_NS, when nothing does: ten looks a second cost less than 0.1 % of a cpu. A
 * runner that has slept may stir it at the beginning of a turn (one relaxed load when there is
 * nothing to do), so that the first operation after a quiet time is watched as closely as any.
 *
 * What a duration means: while an operation runs, it counts from the look that first saw it. When
 * a look has seen it, its runner measures it at its end (activity.h), and that is what stays. So
 * every operation that takes longer than the distance of two looks and than the threshold is noted.
 * One that still runs has its state: it computes, and then has its stack, or it sleeps in a system
 * call, which is named; its stack is asked for only where the question does not end the sleep
 * early. One that ended between two looks has neither, but is noted, however many have; of many
 * that still run a look asks a few, and the next looks the others.
 *
 * All the time of such operations is counted for their runners, that on a processor apart from that
 * without one (stats.stalled_*). The log hears of a culprit at once and then now and then: see
 * slow_pace.h.
 *
 * Memory:   all of it is allocated by init.
 * Threads:  cycle and next_ns by one thread, the watchdog's own (start, stop) or a simulation's;
 * the others by any. The mutex guards the list of runners and is held for one pass over it.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/runner.h"
#include "core/exec/slow_pace.h"
#include "core/exec/slow_table.h"
#include "lib/base/attr.h"
#include "lib/conc/counter.h"
#include "lib/conc/parker.h"
#include "lib/conc/role.h"
#include "lib/os/env.h"
#include "lib/os/mutex.h"
#include "lib/os/thread.h"

#define FIL_WATCHDOG_THRESHOLD_NS UINT64_C(10000000)
#define FIL_WATCHDOG_DOZE_NS      UINT64_C(100000000)
#define FIL_WATCHDOG_RUNNERS_MAX  512U

/** For a runner whose thread is not to be interrupted, or is not known. */
#define FIL_WATCHDOG_NO_THREAD 0U

struct fil_log;

typedef void (*fil_watchdog_tick_fn)(void *context);

struct fil_watchdog_options {
    struct fil_env *env;
    struct fil_log *log;   // NULL: nothing is logged
    uint64_t threshold_ns; // 0: FIL_WATCHDOG_THRESHOLD_NS
    uint64_t abort_ns;     // what runs for longer ends the process, for tests; 0: nothing does
    uint64_t doze_ns;      // longest pause; 0: FIL_WATCHDOG_DOZE_NS; more if all runners stir it
    uint32_t runner_count_max; // 0: FIL_WATCHDOG_RUNNERS_MAX
    fil_watchdog_tick_fn tick; // called at each look, to help those who are stuck; may be NULL
    void *tick_context;
};

/** A runner and what was last seen of it. */
struct fil_watch {
    // Under the mutex.
    struct fil_runner *runner; // NULL: free, or leaving
    uint32_t thread_id;
    bool is_leaving; // the watchdog closes its books and then frees the place

    // The watchdog's own.
    const char *op; // NULL: was between operations
    uint64_t op_count;
    uint64_t since_ns; // the look that first saw the operation
    uint64_t took_ns;
    uint64_t serial;        // in the table; 0: not slow yet
    uint64_t next_tell_ns;  // at this age it is worth another line
    uint64_t stalled_ns;    // of its age: counted as a stall
    uint64_t cpu_ns;        // that its thread had used then
    uint64_t suspect_count; // what the runner was told to measure; 0: nothing
    const char *suspect_op;
    fil_partition_id suspect_partition_id;

    // Under the mutex, of a runner that has left: what it had measured, and its name.
    uint64_t left_took_ns;
    char left_name[FIL_SLOW_THREAD_MAX];
};

struct fil_watchdog_finding;

struct fil_watchdog_stats {
    struct fil_counter looks;
    struct fil_counter slow_ops;
    struct fil_counter blind;  // slow operations whose thread's stack could not be had
    struct fil_counter untold; // that had no line of their own in the log
    struct fil_counter refused_runners;
};

struct fil_watchdog {
    // Set by init, then read-only.
    struct fil_watchdog_options options;
    uint64_t tick_ns; // between two looks while something runs
    uint64_t doze_ns; // the longest time between two looks
    bool has_stacks;

    // Shared.
    _Atomic bool is_dozing; // sleeps longer than a tick; false again: somebody has stirred it
    _Atomic bool is_stopping;
    struct fil_parker parker;
    struct fil_watchdog_stats stats;
    struct fil_slow_table table;

    // Under the mutex.
    struct fil_mutex mutex;
    struct fil_watch *watches;
    uint32_t watch_count; // places that were ever used

    // The watchdog's own.
    uint64_t pause_ns; // to the next look
    uint64_t next_ns;
    bool has_dozed_off;                 // it has set is_dozing
    struct fil_watchdog_finding *ended; // of a look: what is over, one a runner at most
    struct fil_slow_pace pace;
    struct fil_thread thread;
};

/** FIL_OK or FIL_E_NOMEM. Stacks are left out where the system does not give them. */
int fil_watchdog_init(struct fil_watchdog *watchdog, const struct fil_watchdog_options *options)
    FIL_NODISCARD;
void fil_watchdog_fini(struct fil_watchdog *watchdog);

int fil_watchdog_start(struct fil_watchdog *watchdog) FIL_NODISCARD;
void fil_watchdog_stop(struct fil_watchdog *watchdog);

/**
 * Watches the runner, whose thread is the one with the number (fil_thread_id) or
 * FIL_WATCHDOG_NO_THREAD. Its name must outlive the watch. FIL_E_EXISTS, or FIL_E_LIMIT, counted,
 * when too many are watched.
 */
FIL_ANY_THREAD int fil_watchdog_add(struct fil_watchdog *watchdog, struct fil_runner *runner,
                                    uint32_t thread_id) FIL_NODISCARD;

/** After it the watchdog touches the runner no more. Harmless when it is not watched. */
FIL_ANY_THREAD void fil_watchdog_remove(struct fil_watchdog *watchdog,
                                        const struct fil_runner *runner);

/** Ends a doze; see fil_watchdog_stir. */
FIL_ANY_THREAD FIL_COLD void fil_watchdog_rouse(struct fil_watchdog *watchdog);

/** A runner begins to work after it had nothing to do. */
FIL_ANY_THREAD static inline void fil_watchdog_stir(struct fil_watchdog *watchdog)
{
    // Relaxed: a look at the state that is missed now is made up for by the next turn, or by the
    // end of the doze.
    if (FIL_UNLIKELY(atomic_load_explicit(&watchdog->is_dozing, memory_order_relaxed))) {
        fil_watchdog_rouse(watchdog);
    }
}

/** One look, if it is time for one; returns how many slow operations it found. */
uint32_t fil_watchdog_cycle(struct fil_watchdog *watchdog);

/** When the next look is due. */
uint64_t fil_watchdog_next_ns(const struct fil_watchdog *watchdog);
