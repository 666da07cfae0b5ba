// SPDX-License-Identifier: Apache-2.0
/**
 * Fuzzes what clients want to be run: a serialized value.
 *
 * What must hold for any bytes: it is refused with a reason, or names a function in some way; its
 * argument lies inside the value, and one that is quoted does not grow.
 */
#include <stdint.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/callable.h"
#include "protocol/client/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void unquote(const struct fil_wire_callable *callable)
{
    uint8_t *room = fil_alloc(callable->argument.size);
    if (room != NULL) {
        fil_assert(fil_wire_callable_unquote(callable, room) <= callable->argument.size);
        fil_free(room);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fil_wire_callable callable;
    const char *reason = NULL;
    if (size < FIL_WIRE_DATA_SIZE_MIN) {
        return 0;
    }
    int error = fil_wire_callable_decode(fil_bytes_make(data, size), &callable, &reason);
    if (error != FIL_OK) {
        fil_assert(reason != NULL);
        return 0;
    }
    fil_assert(callable.argument.size <= size);
    fil_assert(callable.has_ids || callable.name.size <= size);
    if (callable.is_quoted) {
        unquote(&callable);
    }
    return 0;
}
