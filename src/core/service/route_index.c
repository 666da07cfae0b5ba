// SPDX-License-Identifier: Apache-2.0
#include "core/service/route_index.h"

#include "lib/base/assert.h"
#include "lib/base/endian.h"

#define MASK (FIL_ROUTE_INDEX_SLOTS - 1)

/** Of the size, the first and the last bytes: what paths differ in, and cheap. */
static uint32_t hash_of(struct fil_bytes path)
{
    uint64_t first = 0;
    uint64_t last = 0;
    if (path.size >= sizeof(uint64_t)) {
        first = fil_load_u64_le(path.data);
        last = fil_load_u64_le(path.data + path.size - sizeof(uint64_t));
    } else if (path.size >= sizeof(uint32_t)) {
        first = fil_load_u32_le(path.data);
        last = fil_load_u32_le(path.data + path.size - sizeof(uint32_t));
    } else if (path.size > 0) {
        first = path.data[path.size / 2]; // begins with a slash
        last = path.data[path.size - 1];
    }
    uint64_t mixed =
        (first ^ (last + path.size) * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
    return (uint32_t)(mixed >> 40) & MASK;
}

/** Whether a request for the route's path could be an earlier one's with parameters. */
static bool is_hidden(const struct fil_route *route, struct fil_route *const *earlier,
                      uint32_t count)
{
    struct fil_bytes params[FIL_ROUTE_PARAMS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        if (!earlier[i]->is_exact && fil_route_match(earlier[i], route->path, params)) {
            return true;
        }
    }
    return false;
}

void fil_route_index_add(struct fil_route_index *index, struct fil_route *route,
                         struct fil_route *const *earlier, uint32_t earlier_count)
{
    if (!route->is_exact || is_hidden(route, earlier, earlier_count)) {
        return;
    }
    uint32_t at = hash_of(route->path);
    // Bounded: there are fewer routes than slots.
    while (index->slots[at] != NULL) {
        at = (at + 1) & MASK;
    }
    index->slots[at] = route;
}

struct fil_route *fil_route_index_find(const struct fil_route_index *index, struct fil_bytes path,
                                       enum fil_http_method method)
{
    uint32_t at = hash_of(path);
    // Bounded: there are fewer routes than slots.
    for (struct fil_route *route = index->slots[at]; route != NULL; route = index->slots[at]) {
        if (fil_route_has_method(route, method) && fil_bytes_equal(route->path, path)) {
            return route;
        }
        at = (at + 1) & MASK;
    }
    return NULL;
}
