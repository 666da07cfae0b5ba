// SPDX-License-Identifier: Apache-2.0
/**
 * The objects that clients have made, by service and name: what they list, and hear of coming and
 * going. The data is elsewhere; a service says what to do when one of its objects is destroyed.
 *
 * Threads: any, under the lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/list.h"
#include "lib/conc/role.h"
#include "lib/mem/budget.h"
#include "lib/os/mutex.h"

#define FIL_WIRE_OBJECTS_MAX 65536U

struct fil_wire_objects {
    struct fil_budget *budget;
    struct fil_mutex mutex;

    // Under the mutex.
    struct fil_list list;
    uint32_t count;
};

void fil_wire_objects_init(struct fil_wire_objects *objects, struct fil_budget *budget);
void fil_wire_objects_fini(struct fil_wire_objects *objects);

/** Makes it known; out_is_new says whether it was not. FIL_E_NOMEM, FIL_E_LIMIT. */
FIL_ANY_THREAD int fil_wire_objects_add(struct fil_wire_objects *objects, struct fil_bytes service,
                                        struct fil_bytes name, bool *out_is_new) FIL_NODISCARD;

/** Whether it was known. */
FIL_ANY_THREAD bool fil_wire_objects_remove(struct fil_wire_objects *objects,
                                            struct fil_bytes service, struct fil_bytes name);

FIL_ANY_THREAD bool fil_wire_objects_has(struct fil_wire_objects *objects, struct fil_bytes service,
                                         struct fil_bytes name);

/** Under the lock, for each; must not come back here. */
typedef void (*fil_wire_object_fn)(void *context, struct fil_bytes service, struct fil_bytes name);
FIL_ANY_THREAD void fil_wire_objects_visit(struct fil_wire_objects *objects,
                                           fil_wire_object_fn visit, void *context);
