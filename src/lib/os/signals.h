// SPDX-License-Identifier: Apache-2.0
/**
 * Signals without handlers: blocked in every thread, waited for by main; and the crash report.
 *
 * Order:   block is called by main before any other thread starts, so that all of them inherit it.
 * Threads: one thread waits, main.
 */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/os/env.h"

/**
 * From here on SIGINT, SIGTERM, SIGHUP and SIGUSR1 only arrive at wait; SIGPIPE is ignored, and so
 * stays SIGHUP when it is.
 */
void fil_signals_block(void);

/**
 * Waits for one of the blocked signals. Returns FIL_OK with its number, or FIL_E_TIMEOUT;
 * FIL_WAIT_FOREVER has no timeout.
 */
int fil_signals_wait(int64_t timeout_ns, int *out_signal) FIL_NODISCARD;

/** "SIGTERM"; "signal" for one that this file does not deal with. Async-signal-safe. */
const char *fil_signals_name(int signal);

/**
 * SIGSEGV, SIGBUS, SIGFPE and SIGABRT print signal, thread and backtrace to stderr and then do what
 * they do by default. A handler that is there already (a sanitizer's, an embedding application's)
 * stays. The calling thread gets a stack for the report, as fil_thread_start gives every thread.
 */
void fil_signals_report_crashes(void);
