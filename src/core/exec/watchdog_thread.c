// SPDX-License-Identifier: Apache-2.0
/** The watchdog's thread: looks, and sleeps until the next look. */
#include "core/exec/watchdog_internal.h"
#include "lib/log/log.h"

static bool is_stopping(struct fil_watchdog *watchdog)
{
    return atomic_load_explicit(&watchdog->is_stopping, memory_order_seq_cst);
}

/** Sleeps until the next look, or until stirred or stopped. */
static void park(struct fil_watchdog *watchdog)
{
    fil_parker_prepare(&watchdog->parker);
    uint64_t now_ns = fil_env_now_ns(watchdog->options.env);
    if (is_stopping(watchdog) || fil_watchdog__is_roused(watchdog) || now_ns >= watchdog->next_ns) {
        fil_parker_cancel(&watchdog->parker);
    } else {
        fil_parker_park(&watchdog->parker, (int64_t)(watchdog->next_ns - now_ns));
    }
}

static void run(void *context)
{
    struct fil_watchdog *watchdog = context;
    struct fil_log *log = watchdog->options.log;
    // Without a ring of its own the thread logs through the shared one.
    bool is_attached = log != NULL && fil_log_attach(log, "watchdog") == FIL_OK;
    while (!is_stopping(watchdog)) {
        (void)fil_watchdog_cycle(watchdog);
        park(watchdog);
    }
    if (is_attached) {
        fil_log_detach(log);
    }
}

int fil_watchdog_start(struct fil_watchdog *watchdog)
{
    atomic_store_explicit(&watchdog->is_stopping, false, memory_order_relaxed);
    return fil_thread_start(&watchdog->thread, "watchdog", run, watchdog);
}

void fil_watchdog_stop(struct fil_watchdog *watchdog)
{
    atomic_store_explicit(&watchdog->is_stopping, true, memory_order_seq_cst);
    (void)fil_parker_wake(&watchdog->parker);
    fil_thread_join(&watchdog->thread);
}
