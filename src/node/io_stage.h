// SPDX-License-Identifier: Apache-2.0
/** An I/O loop with its thread: idles by the configured strategy, drains when told to stop. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/turn.h"
#include "lib/base/histogram.h"
#include "lib/conc/idle.h"
#include "lib/conc/role.h"
#include "lib/log/log.h"
#include "lib/net/loop.h"
#include "lib/os/thread.h"

struct fil_io_stage {
    struct fil_loop *loop;
    struct fil_turn turn;
    char name[24];
    struct fil_log *log;
    const struct fil_cpu_set *cpus;
    struct fil_thread thread;
    struct fil_idle idle;
    uint64_t stop_timeout_ns;
    struct fil_message stop_message;
    _Atomic bool is_hurried;
    bool is_stopping FIL_OWNED_BY(io);
    bool is_cutting FIL_OWNED_BY(io); // the time to end well is over
    uint64_t stop_deadline_ns FIL_OWNED_BY(io);
    uint32_t cut_count FIL_OWNED_BY(io); // connections that did not end in time
    uint64_t busy_seen_ns;               // the loop's own: what its turns have taken so far
    struct fil_histogram turn_ns;        // of turns that moved something; read by anyone

    // The watchdog sends a probe to a loop that is busy; how late it is served is the loop's lag.
    struct fil_message probe;
    _Atomic uint64_t probe_sent_ns; // 0: none is under way
    struct fil_histogram lag_ns;    // the loop's own; read by anyone
};

struct fil_io_stage_options {
    struct fil_loop_options loop; // hooks and context are the stage's own
    const char *name;             // NULL: by the loop's index
    struct fil_exec *exec;
    struct fil_log *log;
    enum fil_idle_kind idle;
    const struct fil_cpu_set *cpus; // NULL: any; must outlive the stage
    uint64_t stop_timeout_ns;
};

/** Makes the loop, too; both stay where they are. */
int fil_io_stage_init(struct fil_io_stage *stage, struct fil_loop *loop,
                      const struct fil_io_stage_options *options) FIL_NODISCARD;

/** The thread has ended, or was never started. */
void fil_io_stage_fini(struct fil_io_stage *stage);

int fil_io_stage_start(struct fil_io_stage *stage) FIL_NODISCARD;

/**
 * The watchdog: measures the loop's lag when it is busy, and notes what waits for it when it is
 * held. An idle loop is left alone.
 */
FIL_ANY_THREAD void fil_io_stage_probe(struct fil_io_stage *stage, uint64_t now_ns);

/** Asks the thread to drain and end; several stages drain at the same time. */
void fil_io_stage_stop(struct fil_io_stage *stage);

/** A stage that drains cuts what is left at once. */
FIL_ANY_THREAD void fil_io_stage_hurry(struct fil_io_stage *stage);

/** Waits for the end; returns how many connections were cut. */
uint32_t fil_io_stage_join(struct fil_io_stage *stage) FIL_BEFORE_SHARING;
