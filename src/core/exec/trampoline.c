// SPDX-License-Identifier: Apache-2.0
#include "core/exec/trampoline.h"

#include <stddef.h>

#include "lib/base/assert.h"

struct run_list {
    struct fil_link *first;
    struct fil_link *last; // only valid while there is a first
    bool is_running;
};

static _Thread_local struct run_list run_list;

static void append(struct run_list *list, struct fil_link *link)
{
    link->next = NULL;
    if (list->first == NULL) {
        list->first = link;
    } else {
        list->last->next = link;
    }
    list->last = link;
}

static void drain(struct run_list *list)
{
    while (list->first != NULL) {
        struct fil_task *task = FIL_CONTAINER_OF(list->first, struct fil_task, link);
        list->first = task->link.next;
        task->run(task);
    }
}

void fil_trampoline_run(struct fil_task *task)
{
    fil_debug_assert(task->run != NULL);
    struct run_list *list = &run_list;
    if (list->is_running) {
        append(list, &task->link);
        return;
    }
    fil_debug_assert(list->first == NULL);
    list->is_running = true;
    task->run(task);
    drain(list);
    list->is_running = false;
}

void fil_trampoline_flush(void)
{
    drain(&run_list);
}

static void inline_submit(struct fil_target *target, struct fil_task *task)
{
    (void)target;
    fil_trampoline_run(task);
}

static bool inline_is_current(struct fil_target *target)
{
    (void)target;
    return true;
}

static const struct fil_target_ops inline_ops = {
    .name = "inline",
    .submit = inline_submit,
    .is_current = inline_is_current,
};

static struct fil_target inline_target = {.ops = &inline_ops};

struct fil_target *fil_target_inline(void)
{
    return &inline_target;
}
