// SPDX-License-Identifier: Apache-2.0
/**
 * Bounded queue of tasks for many workers, with a way round the bound for what must not be lost.
 *
 * push_try is for new work: it is refused when the queue is full. push is for work that has been
 * admitted before and comes back (a continuation): it is always taken; what does not fit waits in
 * a list through the tasks' own links, which costs no memory and is bounded by whoever admitted
 * the tasks. As long as that list is not empty new work is refused.
 *
 * Order:    first in, first out while the list is empty; afterwards for each producer.
 * Progress: lock-free, as fil_mpmc; of the workers one at a time moves tasks from the list to the
 *           queue, and the others do not wait for it.
 * Parking:  the pushes and is_empty are sequentially consistent, see parker.h.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/meter.h"
#include "core/exec/task.h"
#include "lib/base/attr.h"
#include "lib/conc/counter.h"
#include "lib/conc/mpmc.h"
#include "lib/conc/role.h"
#include "lib/conc/stack.h"
#include "lib/os/env.h"

struct fil_task_queue {
    // Written by init, then read-only.
    struct fil_env *env;

    // Shared.
    struct fil_mpmc ring;
    struct fil_probe probe;
    struct fil_stack overflow;          // what did not fit, as it came
    _Atomic(struct fil_link *) spilled; // what was taken from the overflow and did not fit yet
    _Atomic bool is_refilling;          // a worker is moving spilled tasks to the ring
    _Atomic uint64_t spilled_count;     // tasks in both lists
    struct fil_counter refused_count;   // by push_try
    struct fil_counter overflow_count;  // pushes that went round the bound
};

/** Capacity is a power of two, at least 2. Returns FIL_OK or FIL_E_NOMEM. */
int fil_task_queue_init(struct fil_task_queue *queue, struct fil_env *env, uint32_t capacity)
    FIL_NODISCARD;

/** The queue must be empty and its users gone; harmless after a failed init. */
void fil_task_queue_fini(struct fil_task_queue *queue);

/** False, and counted, when the queue is full. */
FIL_ANY_THREAD bool fil_task_queue_push_try(struct fil_task_queue *queue, struct fil_task *task)
    FIL_NODISCARD;

/** Always takes the task. */
FIL_ANY_THREAD void fil_task_queue_push(struct fil_task_queue *queue, struct fil_task *task);

/** The oldest task, or NULL when there is none (or its push is not complete). */
FIL_ANY_THREAD struct fil_task *fil_task_queue_take(struct fil_task_queue *queue);

/** False as soon as a push has begun. */
FIL_ANY_THREAD bool fil_task_queue_is_empty(struct fil_task_queue *queue);

/** How many tasks there are; a figure that may be old. */
FIL_ANY_THREAD uint64_t fil_task_queue_count(struct fil_task_queue *queue);
