// SPDX-License-Identifier: Apache-2.0
/** What the requests about containers (queues, lists, ring buffers ...) share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/container/container.h"
#include "lib/base/attr.h"
#include "protocol/client/serve/handlers_internal.h"
#include "protocol/client/serve/task.h"

/** Finds the container, which is made if there is none; the request runs in its partition. */
int fil_wire_task_find_container(struct fil_wire_task *task, const struct fil_container_type *type,
                                 struct fil_bytes name) FIL_NODISCARD;

/** So many items are not handled on a loop; and bytes of a request that may have as many. */
#define FIL_WIRE_HUGE_ITEMS 8192U
#define FIL_WIRE_MANY_BYTES ((size_t)FIL_WIRE_HUGE_ITEMS * 16)

/** Whether so many are in the container, as far as can be seen from outside of its partition. */
FIL_ANY_THREAD static inline bool fil_wire_container_is_huge(const struct fil_container *container)
{
    return fil_counter_read(&container->counters.items) >= FIL_WIRE_HUGE_ITEMS;
}

/** The values of a list as forms, until they are freed. FIL_E_NOMEM, FIL_E_INVALID. */
struct fil_wire_items {
    struct fil_bytes *items;
    uint64_t count;
};

int fil_wire_items_take(struct fil_wire_items *items, struct fil_wire_task *task) FIL_NODISCARD;
void fil_wire_items_free(struct fil_wire_items *items);

int fil_wire_answer_i32(struct fil_wire_task *task, uint64_t value) FIL_NODISCARD;
int fil_wire_answer_i64(struct fil_wire_task *task, int64_t value) FIL_NODISCARD;

/** A refusal with a code of its own. */
int fil_wire_answer_refusal(struct fil_wire_task *task, enum fil_wire_error_code code,
                            const char *text) FIL_NODISCARD;

/** A response that is a list of data: open, fil_wire_writer_form for each, close. */
void fil_wire_answer_list_open(struct fil_wire_task *task);
int fil_wire_answer_list_close(struct fil_wire_task *task) FIL_NODISCARD;

/** Empties the container. */
int fil_wire_container_clear(struct fil_wire_task *task) FIL_NODISCARD;

/** Whether an operation that found it must wait shall not: the request allows no time. */
static inline bool fil_wire_task_gives_up(const struct fil_wire_task *task, int error)
{
    return error == FIL_E_AGAIN && task->timeout_ms <= 0;
}

#define FIL_WIRE_FOREVER INT64_MAX

/** A statement of the readers below. */
#define FIL_WIRE_TAKE_WHOLE task->is_whole = true

/** The reader of a request that names a container; the statements take the other fields. */
#define FIL_WIRE_CONTAINER_READER(message_name, type, statements)          \
    int fil_wire__##message_name##_read(struct fil_wire_task *task)        \
    {                                                                      \
        struct fil_wire_##message_name##_request request;                  \
        int error = FIL_WIRE_READ(message_name, task, &request);           \
        if (error != FIL_OK) {                                             \
            return error;                                                  \
        }                                                                  \
        error = fil_wire_task_find_container(task, &(type), request.name); \
        if (error == FIL_OK) {                                             \
            statements;                                                    \
        }                                                                  \
        return error;                                                      \
    }

#define FIL_WIRE_TAKE_VALUE error = fil_wire_task_take_value(task, request.value, &task->value)
