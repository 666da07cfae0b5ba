// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/database.h"

#include <stdio.h>

#include "filbert/error.h"
#include "grid/map/maps.h"
#include "lib/base/assert.h"

struct fil_map *fil_resp_database_find(struct fil_resp_server *server, uint32_t number)
{
    fil_assert(number < FIL_RESP_DATABASES);
    // A8 pairs with R8: the map is complete.
    return atomic_load_explicit(&server->databases[number], memory_order_acquire);
}

int fil_resp_database_get(struct fil_resp_server *server, int64_t number, struct fil_map **out_map)
{
    if (number < 0 || number >= FIL_RESP_DATABASES ||
        (number > 0 && server->options.maps == NULL)) {
        return FIL_E_LIMIT;
    }
    struct fil_map *map = fil_resp_database_find(server, (uint32_t)number);
    if (map == NULL) {
        char name[8];
        (void)snprintf(name, sizeof(name), "%u", (unsigned)number);
        int error = fil_maps_get(server->options.maps, fil_bytes_of(name), &map);
        if (error != FIL_OK) {
            return error;
        }
        // R8 pairs with A8. Two that come at once store the same map.
        atomic_store_explicit(&server->databases[number], map, memory_order_release);
    }
    *out_map = map;
    return FIL_OK;
}
