// SPDX-License-Identifier: Apache-2.0
/** The table of handlers, made from handlers.def. */
#include <stddef.h>

#include "protocol/client/generated/cardinality_estimator.h"
#include "protocol/client/generated/client.h"
#include "protocol/client/generated/executor_service.h"
#include "protocol/client/generated/flake_id_generator.h"
#include "protocol/client/generated/list.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/generated/multi_map.h"
#include "protocol/client/generated/pn_counter.h"
#include "protocol/client/generated/queue.h"
#include "protocol/client/generated/replicated_map.h"
#include "protocol/client/generated/ringbuffer.h"
#include "protocol/client/generated/set.h"
#include "protocol/client/generated/topic.h"
#include "protocol/client/serve/handlers_internal.h"

#define SERVICES 0x25U // up to the vector collection
#define METHODS  128U

// Numbers are service, method and kind, a byte each; the kind of a request is 0.
#define METHOD_OF(number)  (((unsigned)(number) >> 8) & 0xFFU)
#define SERVICE_OF(number) ((unsigned)(number) >> 16)

#define SESSION(message) .kind = FIL_WIRE_SERVE_SESSION, .run = fil_wire__##message##_run
#define PARTITION(message)                                                \
    .kind = FIL_WIRE_SERVE_PARTITION, .read = fil_wire__##message##_read, \
    .run = fil_wire__##message##_run
#define WAITING(message)                                                \
    .kind = FIL_WIRE_SERVE_WAITING, .read = fil_wire__##message##_read, \
    .run = fil_wire__##message##_run
#define CONTAINER(message)                                                \
    .kind = FIL_WIRE_SERVE_CONTAINER, .read = fil_wire__##message##_read, \
    .run = fil_wire__##message##_run
#define MAP(message)                                                \
    .kind = FIL_WIRE_SERVE_MAP, .read = fil_wire__##message##_read, \
    .run = fil_wire__##message##_run, .walk = fil_wire__##message##_walk
#define LATER(message)                                                \
    .kind = FIL_WIRE_SERVE_LATER, .read = fil_wire__##message##_read, \
    .run = fil_wire__##message##_run, .start = fil_wire__##message##_start

enum number {
    NONE,
#define X(message, number, kind) HANDLER_##message,
#include "protocol/client/handlers.def"
#undef X
};

static const struct fil_wire_handler handlers[] = {
#define X(message, number, kind) [HANDLER_##message] = {.name = #message, kind(message)},
#include "protocol/client/handlers.def"
#undef X
};

// Which handler a service's method has; NONE when it has none.
static const uint16_t places[SERVICES][METHODS] = {
#define X(message, number, kind) \
    [SERVICE_OF(FIL_WIRE_##number)][METHOD_OF(FIL_WIRE_##number)] = HANDLER_##message,
#include "protocol/client/handlers.def"
#undef X
};

const struct fil_wire_handler *fil_wire_handler_find(uint32_t number)
{
    if (FIL_UNLIKELY(SERVICE_OF(number) >= SERVICES || METHOD_OF(number) >= METHODS ||
                     (number & 0xFFU) != 0)) {
        return NULL;
    }
    uint16_t place = places[SERVICE_OF(number)][METHOD_OF(number)];
    return place == NONE ? NULL : &handlers[place];
}
