// SPDX-License-Identifier: Apache-2.0
#include "grid/replicated/replicated.h"

#include "core/container/listen.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"

#define EXPIRE_BUDGET 128U // entries that one slice of upkeep removes

static uint64_t hash_of(const struct fil_replicated *map, struct fil_bytes key)
{
    return fil_hash(key, map->store_options.hash_seed);
}

static void note_size(struct fil_replicated *map)
{
    fil_container_note_size_here(&map->container, fil_store_count(&map->store),
                                 fil_store_bytes(&map->store));
}

static void note_read(struct fil_replicated *map, uint64_t now_ms)
{
    fil_counter_add(&map->container.counters.reads, 1);
    fil_container_note_read_here(&map->container, now_ms);
}

uint64_t fil_replicated_size_here(const struct fil_replicated *map)
{
    return fil_store_count(&map->store);
}

bool fil_replicated_get_here(struct fil_replicated *map, struct fil_bytes key, uint64_t now_ms,
                             struct fil_bytes *out_value)
{
    note_read(map, now_ms);
    return fil_store_get(&map->store, hash_of(map, key), key, now_ms, out_value);
}

int fil_replicated_put_here(struct fil_replicated *map, struct fil_bytes key,
                            struct fil_bytes value, uint64_t ttl_ms, uint64_t now_ms,
                            struct fil_bytes *out_old)
{
    bool has_end = ttl_ms > 0 && ttl_ms < UINT64_MAX / 2 - now_ms;
    struct fil_store_write how = {.now_ms = now_ms,
                                  .expires_ms = has_end ? now_ms + ttl_ms : FIL_STORE_NEVER,
                                  .wants_old = true};
    struct fil_store_outcome outcome = {0};
    map->now_ms = now_ms;
    int error = fil_store_put(&map->store, hash_of(map, key), key, value, &how, &outcome);
    note_size(map);
    if (error != FIL_OK) {
        fil_counter_add(&map->container.counters.refused, 1);
        return error;
    }
    if (has_end) {
        fil_container_ask_upkeep_here(&map->container, fil_store_next_expiry_ms(&map->store));
    }
    *out_old = outcome.was_there ? outcome.old_value : (struct fil_bytes){0};
    fil_counter_add(&map->container.counters.adds, 1);
    fil_container_note_update_here(&map->container, now_ms);
    fil_container_tell_here(&map->container, &(struct fil_container_event){
                                                 .kind = outcome.was_there ? FIL_CONTAINER_UPDATED
                                                                           : FIL_CONTAINER_ADDED,
                                                 .key = key,
                                                 .item = value,
                                                 .old_item = *out_old,
                                                 .time_ms = now_ms,
                                             });
    return FIL_OK;
}

bool fil_replicated_remove_here(struct fil_replicated *map, struct fil_bytes key, uint64_t now_ms,
                                struct fil_bytes *out_old)
{
    map->now_ms = now_ms;
    bool was_there = fil_store_remove(&map->store, hash_of(map, key), key, now_ms, out_old);
    if (!was_there) {
        return false;
    }
    fil_counter_add(&map->container.counters.removes, 1);
    fil_container_note_update_here(&map->container, now_ms);
    fil_container_tell_here(&map->container, &(struct fil_container_event){
                                                 .kind = FIL_CONTAINER_REMOVED,
                                                 .key = key,
                                                 .old_item = *out_old,
                                                 .time_ms = now_ms,
                                             });
    note_size(map);
    return true;
}

/** Looks for a value. */
struct search {
    struct fil_bytes value;
    bool is_found;
};

static void compare(void *context, const struct fil_store_view *view)
{
    struct search *search = context;
    search->is_found = search->is_found || fil_bytes_equal(view->value, search->value);
}

bool fil_replicated_contains_value_here(struct fil_replicated *map, struct fil_bytes value,
                                        uint64_t now_ms)
{
    struct search search = {.value = value};
    fil_replicated_visit_here(map, now_ms, compare, &search);
    return search.is_found;
}

void fil_replicated_visit_here(struct fil_replicated *map, uint64_t now_ms,
                               fil_store_visit_fn visit, void *context)
{
    note_read(map, now_ms);
    for (uint64_t cursor = 0; cursor != FIL_STORE_SCAN_END;) {
        cursor = fil_store_scan(&map->store, cursor, now_ms, UINT32_MAX, visit, context);
    }
}

/** The store's callback: an entry's time has come. */
static void entry_gone(void *context, struct fil_store *store, enum fil_store_reason reason,
                       struct fil_bytes key, struct fil_bytes value)
{
    struct fil_replicated *map = context;
    fil_assert(store == &map->store);
    fil_assert(reason == FIL_STORE_EXPIRED);
    fil_counter_add(&map->container.counters.expired, 1);
    // Listeners know nothing of time: to them it is evicted, as in Hazelcast.
    fil_container_tell_here(&map->container, &(struct fil_container_event){
                                                 .kind = FIL_CONTAINER_EVICTED,
                                                 .key = key,
                                                 .old_item = value,
                                                 .time_ms = map->now_ms,
                                             });
}

static int open_replicated(struct fil_container *container, const void *config)
{
    struct fil_replicated *map = fil_replicated_of(container);
    struct fil_budget *budget = container->account->budget;
    (void)config;
    map->store_options = (struct fil_store_options){
        .hash_seed = fil_container_seed(container), .gone = entry_gone, .context = map};
    fil_store_init(&map->store, budget, &map->store_options);
    return FIL_OK;
}

static void close_replicated(struct fil_container *container)
{
    fil_store_fini(&fil_replicated_of(container)->store);
}

static void clear_replicated(struct fil_container *container, uint64_t now_ms)
{
    struct fil_replicated *map = fil_replicated_of(container);
    uint64_t count = fil_store_count(&map->store);
    for (uint64_t cursor = 0; cursor != FIL_STORE_SCAN_END;) {
        cursor = fil_store_clear(&map->store, cursor, UINT32_MAX);
    }
    fil_container_note_update_here(container, now_ms);
    fil_container_tell_here(container, &(struct fil_container_event){.kind = FIL_CONTAINER_CLEARED,
                                                                     .count = count,
                                                                     .time_ms = now_ms});
    note_size(map);
}

static uint64_t keep_replicated(struct fil_container *container, uint64_t now_ms)
{
    struct fil_replicated *map = fil_replicated_of(container);
    map->now_ms = now_ms;
    (void)fil_store_expire(&map->store, now_ms, EXPIRE_BUDGET);
    bool has_more = fil_store_maintain(&map->store, now_ms, EXPIRE_BUDGET);
    note_size(map);
    uint64_t next_ms = has_more ? now_ms : fil_store_next_expiry_ms(&map->store);
    return next_ms > now_ms ? next_ms : now_ms + 1;
}

const struct fil_container_type fil_replicated_type = {
    .name = "replicated",
    .size = sizeof(struct fil_replicated),
    .open = open_replicated,
    .close = close_replicated,
    .clear = clear_replicated,
    .upkeep = keep_replicated,
};
