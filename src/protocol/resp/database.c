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
        fil_maps_keep(server->options.maps, map); // sessions have it for as long as they like
        // R8 pairs with A8. Another may have come first, and have swapped it since.
        struct fil_map *none = NULL;
        if (!atomic_compare_exchange_strong_explicit(&server->databases[number], &none, map,
                                                     memory_order_acq_rel, memory_order_acquire)) {
            map = none;
        } else {
            fil_map_observe(map, &server->observer);
        }
    }
    *out_map = map;
    return FIL_OK;
}

const char *fil_resp_database_policy(struct fil_resp_server *server)
{
    // Redis has no SIEVE; what it does is nearest to the first.
    static const char *const words[] = {
        [FIL_EVICTION_NONE] = "noeviction",   [FIL_EVICTION_LRU] = "allkeys-lru",
        [FIL_EVICTION_LFU] = "allkeys-lfu",   [FIL_EVICTION_RANDOM] = "allkeys-random",
        [FIL_EVICTION_SIEVE] = "allkeys-lru",
    };
    const struct fil_map *map = fil_resp_database_find(server, 0);
    enum fil_eviction eviction = map->config.eviction;
    fil_assert((size_t)eviction < FIL_COUNT_OF(words));
    return words[eviction];
}

int fil_resp_database_swap(struct fil_resp_server *server, int64_t first, int64_t second)
{
    struct fil_map *map = NULL;
    int error = fil_resp_database_get(server, first, &map);
    if (error == FIL_OK) {
        error = fil_resp_database_get(server, second, &map);
    }
    if (error != FIL_OK) {
        return error;
    }
    fil_mutex_lock(&server->mutex);
    map = fil_resp_database_find(server, (uint32_t)second);
    // R8 pairs with A8. Who selects one of the two meanwhile looks again when all is done.
    map = atomic_exchange_explicit(&server->databases[first], map, memory_order_acq_rel);
    atomic_store_explicit(&server->databases[second], map, memory_order_release);
    // R9 pairs with A9.
    atomic_fetch_add_explicit(&server->swap_count, 1, memory_order_release);
    fil_mutex_unlock(&server->mutex);
    return FIL_OK;
}

void fil_resp_database_refresh(struct fil_resp_session *session)
{
    struct fil_resp_server *server = session->server;
    // A9 pairs with R9. Before the map is looked up, so that a later swap is not missed.
    session->swap_count = atomic_load_explicit(&server->swap_count, memory_order_acquire);
    session->map = fil_resp_database_find(
        server, atomic_load_explicit(&session->database, memory_order_relaxed));
    fil_assert(session->map != NULL);
}
