// SPDX-License-Identifier: Apache-2.0
/** Requests that only sets have. */
#include "filbert/error.h"
#include "grid/set/set.h"
#include "protocol/client/generated/set.h"
#include "protocol/client/serve/collection.h"
#include "protocol/client/serve/container_task.h"

FIL_WIRE_CONTAINER_READER(set_add, fil_set_type, FIL_WIRE_TAKE_VALUE)

int fil_wire__set_add_run(struct fil_wire_task *task)
{
    bool is_new = false;
    int error = fil_set_add_here(fil_set_of(task->container), task->value, task->now_ms, &is_new);
    return fil_wire_answer_added(task, error, is_new);
}
