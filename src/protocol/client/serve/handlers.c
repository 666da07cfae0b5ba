// SPDX-License-Identifier: Apache-2.0
/** The table of handlers, made from handlers.def. */
#include <stddef.h>

#include "protocol/client/generated/client.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/serve/handlers_internal.h"

#define SERVICES 2U // client and map
#define METHODS  256U

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
#define MAP(message)                                                \
    .kind = FIL_WIRE_SERVE_MAP, .read = fil_wire__##message##_read, \
    .run = fil_wire__##message##_run, .walk = fil_wire__##message##_walk

static const struct fil_wire_handler handlers[SERVICES][METHODS] = {
#define X(message, number, kind)                                                       \
    [SERVICE_OF(FIL_WIRE_##number)][METHOD_OF(FIL_WIRE_##number)] = {.name = #message, \
                                                                     kind(message)},
#include "protocol/client/handlers.def"
#undef X
};

const struct fil_wire_handler *fil_wire_handler_find(uint32_t number)
{
    if (FIL_UNLIKELY(SERVICE_OF(number) >= SERVICES || (number & 0xFFU) != 0)) {
        return NULL;
    }
    const struct fil_wire_handler *handler = &handlers[SERVICE_OF(number)][METHOD_OF(number)];
    return handler->name == NULL ? NULL : handler;
}
