// SPDX-License-Identifier: Apache-2.0
#include "core/stream/tasklet.h"

#include <stddef.h>

#include "core/stream/worker.h"
#include "lib/base/assert.h"

void fil_tasklet_init(struct fil_tasklet *tasklet, const struct fil_tasklet_ops *ops,
                      const char *name, uint32_t job_slot)
{
    fil_assert(ops != NULL && ops->step != NULL && ops->done != NULL);
    *tasklet = (struct fil_tasklet){.ops = ops, .name = name, .job_slot = job_slot};
    atomic_init(&tasklet->state, FIL_TASKLET_PARKED);
    atomic_init(&tasklet->home, NULL);
    fil_list_init(&tasklet->ready);
    fil_list_init(&tasklet->sleeping);
    fil_list_init(&tasklet->at_home);
    tasklet->wake_at_ns = FIL_TASKLET_NEVER;
    tasklet->last_step = FIL_STEP_IDLE;
}

void fil_tasklet_wake(struct fil_tasklet *tasklet, struct fil_worker *by)
{
    // W1 pairs with W2 in worker.c: sequentially consistent, as are the rings' push and the looks
    // that find them empty. Either the tasklet's look sees the push before this wake, or this
    // look sees it running.
    uint32_t state = atomic_load_explicit(&tasklet->state, memory_order_seq_cst);
    // Lock-free: goes round only when another thread has moved the state.
    for (;;) {
        if (state != FIL_TASKLET_PARKED && state != FIL_TASKLET_RUNNING) {
            return;
        }
        uint32_t next = state == FIL_TASKLET_PARKED ? FIL_TASKLET_QUEUED : FIL_TASKLET_AGAIN;
        if (atomic_compare_exchange_weak_explicit(&tasklet->state, &state, next,
                                                  memory_order_seq_cst, memory_order_seq_cst)) {
            break;
        }
    }
    if (state == FIL_TASKLET_PARKED) {
        // The home was written before the state became PARKED; it stays until the tasklet runs.
        struct fil_worker *home = atomic_load_explicit(&tasklet->home, memory_order_relaxed);
        fil_worker_enqueue(home, tasklet, by);
    }
}
