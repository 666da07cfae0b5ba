// SPDX-License-Identifier: Apache-2.0
#include "core/exec/activity.h"

#include "core/exec/exec_internal.h"
#include "lib/base/assert.h"

void fil_activity_measure(struct fil_runner *runner)
{
    uint64_t now_ns = fil_env_now_ns(runner->exec->options.env);
    fil_assert(now_ns >= runner->current_ns);
    uint64_t took_ns = now_ns - runner->current_ns;
    runner->now_ns = now_ns;
    // Relaxed: a number of its own. The suspect is forgotten first, so that what runs around this
    // activity, and has the same count, is not measured with it.
    atomic_store_explicit(&runner->suspect_count, 0, memory_order_relaxed);
    atomic_store_explicit(&runner->suspect_took_ns, took_ns == 0 ? 1 : took_ns,
                          memory_order_relaxed);
}
