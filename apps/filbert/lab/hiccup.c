// SPDX-License-Identifier: Apache-2.0
#include "hiccup.h"

#include "filbert/error.h"
#include "lib/os/futex.h"

#define NAP_NS INT64_C(100000)

static void run(void *context)
{
    struct lab_hiccup *hiccup = context;
    // Relaxed: the join orders the rest.
    while (atomic_load_explicit(&hiccup->is_stopping, memory_order_relaxed) == 0) {
        uint64_t due_ns = fil_env_now_ns(hiccup->env) + (uint64_t)NAP_NS;
        (void)!fil_futex_wait(&hiccup->is_stopping, 0, NAP_NS);
        uint64_t now_ns = fil_env_now_ns(hiccup->env);
        fil_histogram_record(&hiccup->late_ns, now_ns > due_ns ? now_ns - due_ns : 0);
    }
}

int lab_hiccup_start(struct lab_hiccup *hiccup, struct fil_env *env)
{
    hiccup->env = env;
    atomic_init(&hiccup->is_stopping, 0);
    fil_histogram_init(&hiccup->late_ns);
    return fil_thread_start(&hiccup->thread, "hiccup", run, hiccup);
}

void lab_hiccup_stop(struct lab_hiccup *hiccup)
{
    atomic_store_explicit(&hiccup->is_stopping, 1, memory_order_relaxed);
    fil_futex_wake(&hiccup->is_stopping, 1);
    fil_thread_join(&hiccup->thread);
}
