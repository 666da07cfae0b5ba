// SPDX-License-Identifier: Apache-2.0
/** A target whose tasks run when the test says so, and which is current only while they do. */
#pragma once

#include <stdatomic.h>

#include "core/exec/task.h"
#include "lib/base/attr.h"

struct hand_target {
    struct fil_target target;
    struct fil_stack inbox;
    _Atomic uint32_t submit_count;
};

/** The one whose tasks the calling thread is running. */
static _Thread_local struct hand_target *hand_target_current;

static inline void hand_target_submit(struct fil_target *target, struct fil_task *task)
{
    struct hand_target *hand = FIL_CONTAINER_OF(target, struct hand_target, target);
    atomic_fetch_add_explicit(&hand->submit_count, 1, memory_order_relaxed);
    (void)fil_stack_push(&hand->inbox, &task->link);
}

static inline bool hand_target_is_current(struct fil_target *target)
{
    return hand_target_current == FIL_CONTAINER_OF(target, struct hand_target, target);
}

static const struct fil_target_ops hand_target_ops = {
    .name = "hand",
    .submit = hand_target_submit,
    .is_current = hand_target_is_current,
};

static inline void hand_target_init(struct hand_target *hand)
{
    hand->target.ops = &hand_target_ops;
    fil_stack_init(&hand->inbox);
    atomic_init(&hand->submit_count, 0);
}

/** Runs what has been submitted so far, in its order; returns how many tasks that were. */
static inline uint32_t hand_target_run(struct hand_target *hand)
{
    struct hand_target *outer = hand_target_current;
    hand_target_current = hand;
    uint32_t count = 0;
    struct fil_link *link = fil_stack_take_all(&hand->inbox);
    while (link != NULL) {
        struct fil_task *task = FIL_CONTAINER_OF(link, struct fil_task, link);
        link = link->next;
        task->run(task);
        count++;
    }
    hand_target_current = outer;
    return count;
}
