// SPDX-License-Identifier: Apache-2.0
/**
 * Routes without parameters by their paths: most requests find theirs with one comparison.
 *
 * A route that an earlier one with parameters hides is not in it, so that what is found is what
 * looking through all routes in their order would find. What is not found may still be there.
 *
 * Memory:  fixed; twice as many slots as there may be routes.
 * Threads: add before the service opens; find by any thread.
 */
#pragma once

#include <stdint.h>

#include "core/service/route.h"
#include "lib/base/attr.h"
#include "lib/conc/role.h"

#define FIL_ROUTE_INDEX_SLOTS 512U // a power of two

struct fil_route_index {
    struct fil_route *slots[FIL_ROUTE_INDEX_SLOTS]; // borrowed; the next ones after a collision
};

/** The route goes behind these, which are there in their order. */
void fil_route_index_add(struct fil_route_index *index, struct fil_route *route,
                         struct fil_route *const *earlier, uint32_t earlier_count);

/** NULL: look through all. */
FIL_ANY_THREAD struct fil_route *fil_route_index_find(const struct fil_route_index *index,
                                                      struct fil_bytes path,
                                                      enum fil_http_method method);
