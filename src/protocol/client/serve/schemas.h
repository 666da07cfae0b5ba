// SPDX-License-Identifier: Apache-2.0
/**
 * The compact schemas that clients have sent: kept under their numbers, given to who asks.
 *
 * They are never forgotten while the member lives, because entries may be written in them.
 *
 * Memory:  the bytes as they were received, drawn from the budget.
 * Threads: any, under the lock.
 */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/list.h"
#include "lib/conc/role.h"
#include "lib/mem/budget.h"
#include "lib/os/mutex.h"
#include "protocol/client/part.h"
#include "protocol/client/writer.h"

#define FIL_WIRE_SCHEMAS_MAX 65536U

struct fil_compact_layout;

struct fil_wire_schemas {
    struct fil_budget *budget;
    struct fil_mutex mutex;

    // Under the mutex.
    struct fil_list list;
    uint32_t count;
};

void fil_wire_schemas_init(struct fil_wire_schemas *schemas, struct fil_budget *budget);
void fil_wire_schemas_fini(struct fil_wire_schemas *schemas);

/** Keeps a schema that was decoded, if it is new. FIL_E_NOMEM, FIL_E_LIMIT, FIL_E_MALFORMED. */
FIL_ANY_THREAD int fil_wire_schemas_put(struct fil_wire_schemas *schemas,
                                        const struct fil_wire_part *schema) FIL_NODISCARD;

/** Likewise all of a list; stops at the first error. */
FIL_ANY_THREAD int fil_wire_schemas_put_all(struct fil_wire_schemas *schemas,
                                            const struct fil_wire_part *list) FIL_NODISCARD;

/** Writes the schema of that number, or null. */
FIL_ANY_THREAD void fil_wire_schemas_write(struct fil_wire_schemas *schemas, int64_t id,
                                           struct fil_wire_writer *writer);

/** How records of that schema are laid out; NULL: it is not known. Stays as long as the schemas. */
FIL_ANY_THREAD const struct fil_compact_layout *
fil_wire_schemas_layout(struct fil_wire_schemas *schemas, int64_t id);
