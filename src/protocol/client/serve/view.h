// SPDX-License-Identifier: Apache-2.0
/**
 * Lists and sets of Redis's keys, as the lists and sets of the client protocol: the list redis@KEY
 * is the list that a Redis client has under KEY in database 0, redis.N@KEY that of database N. Why
 * so: docs/adr/0011.
 *
 * Such a structure has a container for its figures and listeners, and nothing in it; what it holds
 * stands in the map, beside the entries.
 */
#pragma once

#include "lib/base/attr.h"
#include "lib/conc/role.h"
#include "protocol/client/serve/task.h"

/**
 * After the container was found: whether it is such a view, the task has the map and the key then.
 * FIL_E_INVALID with a fault for a name that begins so and cannot be a key of Redis.
 */
int fil_wire_view_find(struct fil_wire_task *task) FIL_NODISCARD;

/** Inside: runs a request about a view instead of its handler. */
FIL_INSIDE_PARTITION int fil_wire_view_run(struct fil_wire_task *task) FIL_NODISCARD;

/** Inside: the key goes, as its view is destroyed. */
FIL_INSIDE_PARTITION void fil_wire_view_clear(struct fil_wire_task *task);

/** A task that has both is about a view. */
static inline bool fil_wire_task_is_view(const struct fil_wire_task *task)
{
    return task->container != NULL && task->map != NULL;
}

// Shared by the files about views.

/** Refuses a key that has something else. */
int fil_wire_view__refuse_kind(struct fil_wire_task *task) FIL_NODISCARD;

/** Runs a request about a set. */
FIL_INSIDE_PARTITION int fil_wire_view__run_set(struct fil_wire_task *task) FIL_NODISCARD;
