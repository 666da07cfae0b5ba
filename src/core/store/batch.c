// SPDX-License-Identifier: Apache-2.0
/** Many lookups at once. */
#include "core/store/store.h"

#define GROUP_MAX 32U // lookups whose memory is awaited together

static uint32_t find_group(struct fil_store *store, struct fil_store_lookup *lookups,
                           uint32_t count, uint64_t now_ms)
{
    for (uint32_t i = 0; i < count; i++) {
        fil_store_prefetch(store, lookups[i].hash);
    }
    uint32_t guesses[GROUP_MAX];
    for (uint32_t i = 0; i < count; i++) {
        guesses[i] = fil_store_guess(store, lookups[i].hash);
    }
    for (uint32_t i = 0; i < count; i++) {
        fil_store_prefetch_guess(store, guesses[i]);
    }
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        lookups[i].value = fil_bytes_make(NULL, 0);
        found += fil_store_get(store, lookups[i].hash, lookups[i].key, now_ms, &lookups[i].value);
    }
    return found;
}

uint32_t fil_store_find_many(struct fil_store *store, struct fil_store_lookup *lookups,
                             uint32_t count, uint64_t now_ms)
{
    uint32_t found = 0;
    for (uint32_t done = 0; done < count; done += GROUP_MAX) {
        uint32_t rest = count - done;
        found += find_group(store, lookups + done, rest < GROUP_MAX ? rest : GROUP_MAX, now_ms);
    }
    return found;
}
