// SPDX-License-Identifier: Apache-2.0
/** The functions of the handlers, by the names of their messages, for the table of them. */
#pragma once

#include "protocol/client/serve/call.h"
#include "protocol/client/serve/task.h"

#define SESSION(message, number) int fil_wire__##message##_run(struct fil_wire_task *task);
#define PARTITION(message, number)                              \
    int fil_wire__##message##_read(struct fil_wire_task *task); \
    int fil_wire__##message##_run(struct fil_wire_task *task);
#define WAITING(message, number)   PARTITION(message, number)
#define CONTAINER(message, number) PARTITION(message, number)
#define MAP(message, number)                                    \
    int fil_wire__##message##_read(struct fil_wire_task *task); \
    int fil_wire__##message##_run(struct fil_wire_task *task);  \
    void fil_wire__##message##_walk(struct fil_wire_call *call);
#define LATER(message, number)                                  \
    int fil_wire__##message##_read(struct fil_wire_task *task); \
    int fil_wire__##message##_run(struct fil_wire_task *task);  \
    int fil_wire__##message##_start(struct fil_wire_call *call, struct fil_runner *runner);
#define X(message, number, kind) kind(message, number)
#include "protocol/client/handlers.def"
#undef X
#undef SESSION
#undef PARTITION
#undef WAITING
#undef MAP
#undef CONTAINER
#undef LATER

/** Decodes the request of a message; the fault of the task says why it cannot be. */
#define FIL_WIRE_READ(message_name, task, request) \
    FIL_WIRE_DECODE(message_name##_request, (task)->message, request, &(task)->fault)
