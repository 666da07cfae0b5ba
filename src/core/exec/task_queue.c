// SPDX-License-Identifier: Apache-2.0
#include "core/exec/task_queue.h"

#include "filbert/error.h"
#include "lib/base/assert.h"

#define MOVES_PER_TAKE 64U // from the list to the ring, so that a take stays bounded

int fil_task_queue_init(struct fil_task_queue *queue, struct fil_env *env, uint32_t capacity)
{
    fil_assert(env != NULL);
    *queue = (struct fil_task_queue){.env = env};
    fil_stack_init(&queue->overflow);
    fil_probe_arm(&queue->probe);
    return fil_mpmc_init(&queue->ring, capacity);
}

/** Whether tasks wait outside the ring, or a worker is just moving them. */
static bool has_spilled(struct fil_task_queue *queue)
{
    // C1 pairs with C2: sequentially consistent, as the ring's own look. The count goes up before
    // the task is in the list and down after it is in the ring, so it is never seen nowhere.
    return atomic_load_explicit(&queue->spilled_count, memory_order_seq_cst) != 0;
}

void fil_task_queue_fini(struct fil_task_queue *queue)
{
    fil_assert(!has_spilled(queue));
    fil_mpmc_fini(&queue->ring);
}

bool fil_task_queue_push_try(struct fil_task_queue *queue, struct fil_task *task)
{
    fil_debug_assert(task->run != NULL);
    if (FIL_LIKELY(!has_spilled(queue))) {
        fil_probe_mark(&queue->probe, queue->env, task);
        if (FIL_LIKELY(fil_mpmc_push(&queue->ring, task))) {
            return true;
        }
        fil_probe_unmark(&queue->probe, task);
    }
    fil_counter_add_shared(&queue->refused_count, 1);
    return false;
}

void fil_task_queue_push(struct fil_task_queue *queue, struct fil_task *task)
{
    fil_debug_assert(task->run != NULL);
    fil_probe_mark(&queue->probe, queue->env, task);
    if (FIL_LIKELY(!has_spilled(queue) && fil_mpmc_push(&queue->ring, task))) {
        return;
    }
    fil_counter_add_shared(&queue->overflow_count, 1);
    atomic_fetch_add_explicit(&queue->spilled_count, 1, memory_order_seq_cst); // C2
    (void)fil_stack_push(&queue->overflow, &task->link);
}

/** Moves to the ring what fits. */
static void move_spilled(struct fil_task_queue *queue)
{
    // Relaxed: the flag's holder is the only one who reads and writes it.
    struct fil_link *link = atomic_load_explicit(&queue->spilled, memory_order_relaxed);
    uint64_t moved = 0;
    while (moved < MOVES_PER_TAKE) {
        if (link == NULL) {
            link = fil_stack_take_all(&queue->overflow);
        }
        if (link == NULL) {
            break;
        }
        // Once it is in the ring, the task is somebody else's.
        struct fil_link *next = link->next;
        if (!fil_mpmc_push(&queue->ring, FIL_CONTAINER_OF(link, struct fil_task, link))) {
            break;
        }
        link = next;
        moved++;
    }
    atomic_store_explicit(&queue->spilled, link, memory_order_relaxed);
    atomic_fetch_sub_explicit(&queue->spilled_count, moved, memory_order_seq_cst); // C2
}

static void refill(struct fil_task_queue *queue)
{
    // A1 pairs with R1: the list is as the worker before us left it.
    if (atomic_exchange_explicit(&queue->is_refilling, true, memory_order_acquire)) {
        return; // another worker is at it; there is nothing to wait for
    }
    move_spilled(queue);
    atomic_store_explicit(&queue->is_refilling, false, memory_order_release); // R1
}

struct fil_task *fil_task_queue_take(struct fil_task_queue *queue)
{
    if (FIL_UNLIKELY(has_spilled(queue))) {
        refill(queue);
    }
    return fil_mpmc_take(&queue->ring);
}

bool fil_task_queue_is_empty(struct fil_task_queue *queue)
{
    // The ring last: a task on its way from the list is in the ring before the count goes down.
    return !has_spilled(queue) && fil_mpmc_is_empty(&queue->ring);
}

uint64_t fil_task_queue_count(struct fil_task_queue *queue)
{
    // Relaxed: a figure.
    return fil_mpmc_count(&queue->ring) +
           atomic_load_explicit(&queue->spilled_count, memory_order_relaxed);
}
