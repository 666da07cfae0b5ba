// SPDX-License-Identifier: Apache-2.0
#include "grid/map/entry.h"

#include "filbert/error.h"
#include "grid/map/map_internal.h"
#include "lib/base/assert.h"

/** As the store wants it: 0 is the map's, FIL_STORE_NEVER no end. */
static uint64_t end_of(uint64_t now_ms, int64_t ttl_ms)
{
    if (ttl_ms < 0) {
        return 0;
    }
    bool is_endless = ttl_ms == FIL_MAP_TIME_NEVER || (uint64_t)ttl_ms > FIL_MAP_DURATION_MAX;
    return is_endless ? FIL_STORE_NEVER : now_ms + (uint64_t)ttl_ms;
}

static uint64_t idle_of(int64_t max_idle_ms)
{
    if (max_idle_ms < 0) {
        return 0;
    }
    bool is_endless =
        max_idle_ms == FIL_MAP_TIME_NEVER || (uint64_t)max_idle_ms > FIL_MAP_DURATION_MAX;
    return is_endless ? FIL_STORE_NEVER : (uint64_t)max_idle_ms;
}

struct fil_store_write fil_map_write_of(const struct fil_map_times *times)
{
    return (struct fil_store_write){
        .now_ms = times->now_ms,
        .expires_ms = end_of(times->now_ms, times->ttl_ms),
        .max_idle_ms = idle_of(times->max_idle_ms),
    };
}

/** A write that wants to know what was there. */
static int put_for_old(struct fil_map *map, const struct fil_map_key *key, struct fil_bytes value,
                       struct fil_store_write *how, struct fil_bytes *out_old)
{
    struct fil_store_outcome outcome = {0};
    how->wants_old = true;
    *out_old = fil_bytes_make(NULL, 0);
    int error = fil_map_put_here(map, key, value, how, &outcome);
    if (error == FIL_OK && outcome.was_there) {
        *out_old = outcome.old_value;
    }
    return error;
}

int fil_map_replace_value_here(struct fil_map *map, const struct fil_map_key *key,
                               struct fil_bytes value, const struct fil_map_times *times,
                               struct fil_bytes *out_old)
{
    struct fil_store_write how = fil_map_write_of(times);
    return put_for_old(map, key, value, &how, out_old);
}

int fil_map_set_here(struct fil_map *map, const struct fil_map_key *key, struct fil_bytes value,
                     const struct fil_map_times *times)
{
    struct fil_store_write how = fil_map_write_of(times);
    return fil_map_put_here(map, key, value, &how, NULL);
}

int fil_map_put_if_absent_here(struct fil_map *map, const struct fil_map_key *key,
                               struct fil_bytes value, const struct fil_map_times *times,
                               struct fil_bytes *out_old)
{
    struct fil_store_write how = fil_map_write_of(times);
    how.condition = FIL_STORE_IF_ABSENT;
    return put_for_old(map, key, value, &how, out_old);
}

int fil_map_replace_here(struct fil_map *map, const struct fil_map_key *key, struct fil_bytes value,
                         uint64_t now_ms, struct fil_bytes *out_old)
{
    struct fil_store_write how = {.now_ms = now_ms, .condition = FIL_STORE_IF_PRESENT};
    return put_for_old(map, key, value, &how, out_old);
}

static bool has_value(struct fil_map *map, const struct fil_map_key *key, struct fil_bytes expected,
                      uint64_t now_ms)
{
    struct fil_bytes value;
    return fil_map_peek_here(map, key, now_ms, &value) && fil_bytes_equal(value, expected);
}

int fil_map_replace_if_same_here(struct fil_map *map, const struct fil_map_key *key,
                                 struct fil_bytes expected, struct fil_bytes value, uint64_t now_ms,
                                 bool *out_is_replaced)
{
    *out_is_replaced = false;
    if (!has_value(map, key, expected, now_ms)) {
        return FIL_OK;
    }
    struct fil_store_write how = {.now_ms = now_ms, .condition = FIL_STORE_IF_PRESENT};
    int error = fil_map_put_here(map, key, value, &how, NULL);
    *out_is_replaced = error == FIL_OK;
    return error;
}

bool fil_map_remove_if_same_here(struct fil_map *map, const struct fil_map_key *key,
                                 struct fil_bytes expected, uint64_t now_ms)
{
    return has_value(map, key, expected, now_ms) && fil_map_remove_here(map, key, now_ms, NULL);
}

bool fil_map_delete_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms)
{
    return fil_map_remove_here(map, key, now_ms, NULL);
}

bool fil_map_contains_key_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms)
{
    struct fil_bytes value;
    return fil_map_get_here(map, key, now_ms, &value);
}

bool fil_map_evict_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    struct fil_bytes old;
    if (!fil_map__is_free(shard, key->hash, key->bytes, now_ms) ||
        !fil_map_peek_here(map, key, now_ms, &old)) {
        return false;
    }
    if (shard->interests != 0) {
        fil_map__tell(shard, &(struct fil_map__change){.kind = FIL_MAP_EVICTED,
                                                       .hash = key->hash,
                                                       .key = key->bytes,
                                                       .has_old = true,
                                                       .old_value = old});
    }
    fil_counter_add(&shard->counters.evicted, 1);
    return fil_map__take_out(shard, key->hash, key->bytes, now_ms);
}

int fil_map_set_ttl_here(struct fil_map *map, const struct fil_map_key *key, int64_t ttl_ms,
                         uint64_t now_ms)
{
    struct fil_store_view view;
    if (!fil_map_inspect_here(map, key, now_ms, &view)) {
        return FIL_E_NOT_FOUND;
    }
    return fil_map_set_expiry_here(map, key,
                                   &(struct fil_store_write){.now_ms = now_ms,
                                                             .expires_ms = end_of(now_ms, ttl_ms),
                                                             .max_idle_ms = view.max_idle_ms});
}

uint32_t fil_map_get_all_here(struct fil_map *map, fil_partition_id partition_id,
                              struct fil_store_lookup *lookups, uint32_t count, uint64_t now_ms)
{
    struct fil_map_shard *shard = fil_map__shard(map, partition_id);
    uint32_t found = fil_store_find_many(&shard->store, lookups, count, now_ms);
    fil_assert(found <= count);
    fil_counter_add(&shard->counters.gets, count);
    fil_counter_add(&shard->counters.hits, found);
    return found;
}

int fil_map_set_all_here(struct fil_map *map, const struct fil_map_pair *pairs, uint32_t count,
                         const struct fil_map_times *times, uint32_t *out_count)
{
    *out_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct fil_map_key key = fil_map_place(map, pairs[i].key);
        int error = fil_map_set_here(map, &key, pairs[i].value, times);
        if (error != FIL_OK) {
            return error;
        }
        (*out_count)++;
    }
    return FIL_OK;
}

static uint64_t shown(uint64_t time_ms)
{
    return time_ms == FIL_STORE_NEVER ? (uint64_t)INT64_MAX : time_ms;
}

/** From the last write on, which is when it began. */
static uint64_t ttl_of(const struct fil_store_view *view, uint64_t now_ms)
{
    uint64_t begin_ms = view->updated_ms != 0 ? view->updated_ms : view->created_ms;
    begin_ms = begin_ms != 0 ? begin_ms : now_ms;
    if (view->expires_ms == FIL_STORE_NEVER || view->expires_ms <= begin_ms) {
        return view->expires_ms == FIL_STORE_NEVER ? (uint64_t)INT64_MAX : 0;
    }
    return view->expires_ms - begin_ms;
}

bool fil_map_entry_view_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms,
                             struct fil_map_entry_view *out_view)
{
    struct fil_store_view view;
    if (!fil_map_inspect_here(map, key, now_ms, &view)) {
        return false;
    }
    *out_view = (struct fil_map_entry_view){
        .key = view.key,
        .value = view.value,
        .cost_bytes = view.cost_bytes,
        .created_ms = view.created_ms,
        .expires_ms = shown(view.expires_ms),
        .hits = view.hits,
        .accessed_ms = view.accessed_ms,
        .updated_ms = view.updated_ms,
        .version = view.version,
        .ttl_ms = ttl_of(&view, now_ms),
        .max_idle_ms = shown(view.max_idle_ms),
    };
    return true;
}
