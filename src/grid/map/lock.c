// SPDX-License-Identifier: Apache-2.0
/**
 * The locks of a shard are a store of their own, under the same keys: it grows and shrinks in small
 * steps, is charged to the budget, and its time to live is the lease.
 */
#include "grid/map/lock.h"

#include <string.h>

#include "filbert/error.h"
#include "grid/map/map_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"

/** The value under a locked key. */
struct lock {
    struct fil_map_owner owner;
    uint64_t reference; // of the last call that changed it
    uint32_t count;
};

struct fil_map_locks {
    struct fil_store store;
    struct fil_map_shard *shard;
};

void fil_map__free_locks(struct fil_map_locks *locks)
{
    if (locks != NULL) {
        struct fil_budget *budget = locks->shard->map->budget;
        fil_store_fini(&locks->store);
        fil_budget_free(budget, locks, sizeof(*locks));
    }
}

/** The shard's locks, made when there are none; NULL without memory. */
static struct fil_map_locks *need_locks(struct fil_map_shard *shard)
{
    if (shard->locks == NULL) {
        struct fil_map_locks *locks = fil_budget_alloc(shard->map->budget, sizeof(*locks));
        if (locks == NULL) {
            return NULL;
        }
        fil_store_init(&locks->store, shard->map->budget, &shard->map->lock_options);
        locks->shard = shard;
        shard->locks = locks;
    }
    return shard->locks;
}

static void publish_count(struct fil_map_shard *shard)
{
    shard->lock_count = fil_store_count(&shard->locks->store);
    // Relaxed: a count publishes nothing but itself.
    atomic_store_explicit(&shard->counters.locks.value, shard->lock_count, memory_order_relaxed);
    atomic_store_explicit(&shard->counters.lock_bytes.value,
                          sizeof(*shard->locks) + fil_store_bytes(&shard->locks->store),
                          memory_order_relaxed);
}

static bool find(struct fil_map_shard *shard, uint64_t hash, struct fil_bytes key, uint64_t now_ms,
                 struct lock *out_lock)
{
    struct fil_bytes value;
    if (shard->lock_count == 0 ||
        !fil_store_peek(&shard->locks->store, hash, key, now_ms, &value)) {
        return false;
    }
    fil_assert(value.size == sizeof(*out_lock));
    memcpy(out_lock, value.data, sizeof(*out_lock));
    return true;
}

static bool is_owned_by(const struct lock *lock, const struct fil_map_owner *owner)
{
    return lock->owner.member == owner->member && lock->owner.thread == owner->thread;
}

static uint64_t wait_key(const struct fil_map *map, uint64_t hash)
{
    return hash ^ map->wait_salt;
}

/** Those that wait for the key may look again. */
static void wake(struct fil_map_shard *shard, uint64_t hash)
{
    struct fil_partition *partition = fil_map__partition(shard);
    if (partition != NULL) {
        (void)fil_partition_notify(partition, wait_key(shard->map, hash), UINT32_MAX);
    }
}

bool fil_map__is_free(struct fil_map_shard *shard, uint64_t hash, struct fil_bytes key,
                      uint64_t now_ms)
{
    struct lock lock;
    return !find(shard, hash, key, now_ms, &lock);
}

bool fil_map_must_wait_here(struct fil_map *map, const struct fil_map_key *key,
                            const struct fil_map_owner *owner, uint64_t now_ms,
                            uint64_t *out_wait_key)
{
    struct lock lock;
    if (!find(fil_map__shard(map, key->partition_id), key->hash, key->bytes, now_ms, &lock) ||
        is_owned_by(&lock, owner)) {
        return false;
    }
    *out_wait_key = wait_key(map, key->hash);
    return true;
}

/** Writes the lock with its lease; wakes nobody. */
static int write_lock(struct fil_map_locks *locks, const struct fil_map_key *key,
                      const struct lock *lock, const struct fil_store_write *how)
{
    struct fil_bytes value = fil_bytes_make(lock, sizeof(*lock));
    int error = fil_store_put(&locks->store, key->hash, key->bytes, value, how, NULL);
    publish_count(locks->shard);
    if (locks->store.expiry != NULL) {
        fil_map__ask_upkeep(locks->shard, fil_store_next_expiry_ms(&locks->store));
    }
    return error;
}

/** When a lease from now on ends; one beyond all clocks has no end. */
static uint64_t lease_end(const struct fil_map_lock_wish *wish)
{
    bool is_endless = wish->lease_ms == 0 || wish->lease_ms > FIL_MAP_DURATION_MAX;
    return is_endless ? FIL_STORE_NEVER : wish->now_ms + wish->lease_ms;
}

int fil_map_lock_here(struct fil_map *map, const struct fil_map_key *key,
                      const struct fil_map_lock_wish *wish, uint64_t *out_wait_key)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    // All of its bytes are written to the store, those between its members too.
    struct lock lock;
    memset(&lock, 0, sizeof(lock));
    if (!find(shard, key->hash, key->bytes, wish->now_ms, &lock)) {
        lock.owner = wish->owner;
    } else if (!is_owned_by(&lock, &wish->owner)) {
        *out_wait_key = wait_key(map, key->hash);
        return FIL_E_AGAIN;
    } else if (wish->reference != 0 && lock.reference == wish->reference) {
        return FIL_OK;
    }
    if (lock.count == UINT32_MAX) {
        return FIL_E_LIMIT;
    }
    struct fil_map_locks *locks = need_locks(shard);
    if (locks == NULL) {
        return FIL_E_NOMEM;
    }
    lock.count++;
    lock.reference = wish->reference;
    struct fil_store_write how = {.now_ms = wish->now_ms, .expires_ms = lease_end(wish)};
    return write_lock(locks, key, &lock, &how);
}

/** Takes the lock away and wakes those that wait. */
static bool let_go(struct fil_map_shard *shard, uint64_t hash, struct fil_bytes key,
                   uint64_t now_ms)
{
    bool was_locked = fil_store_remove(&shard->locks->store, hash, key, now_ms, NULL);
    publish_count(shard);
    wake(shard, hash);
    return was_locked;
}

int fil_map_unlock_here(struct fil_map *map, const struct fil_map_key *key,
                        const struct fil_map_lock_wish *wish)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    struct lock lock;
    if (!find(shard, key->hash, key->bytes, wish->now_ms, &lock) ||
        !is_owned_by(&lock, &wish->owner)) {
        return FIL_E_DENIED;
    }
    if (wish->reference != 0 && lock.reference == wish->reference) {
        return FIL_OK;
    }
    fil_assert(lock.count > 0);
    lock.count--;
    if (lock.count == 0) {
        (void)let_go(shard, key->hash, key->bytes, wish->now_ms); // it was there just now
        return FIL_OK;
    }
    lock.reference = wish->reference;
    struct fil_store_write how = {.now_ms = wish->now_ms, .keeps_expiry = true};
    return write_lock(shard->locks, key, &lock, &how);
}

bool fil_map_force_unlock_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    return shard->lock_count > 0 && let_go(shard, key->hash, key->bytes, now_ms);
}

bool fil_map_is_locked_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms,
                            struct fil_map_lock_view *out_view)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    struct lock lock;
    struct fil_store_view view;
    if (!find(shard, key->hash, key->bytes, now_ms, &lock)) {
        return false;
    }
    if (out_view != NULL &&
        fil_store_inspect(&shard->locks->store, key->hash, key->bytes, now_ms, &view)) {
        *out_view = (struct fil_map_lock_view){
            .owner = lock.owner, .count = lock.count, .expires_ms = view.expires_ms};
    }
    return true;
}

void fil_map__lock_gone(void *context, struct fil_store *store, enum fil_store_reason reason,
                        struct fil_bytes key, struct fil_bytes value)
{
    const struct fil_map *map = context;
    struct fil_map_locks *locks = FIL_CONTAINER_OF(store, struct fil_map_locks, store);
    (void)value;
    fil_assert(reason == FIL_STORE_EXPIRED);
    wake(locks->shard, fil_hash(key, map->seed));
}

uint64_t fil_map__upkeep_locks(struct fil_map_shard *shard, uint64_t now_ms, uint32_t budget)
{
    if (shard->locks == NULL) {
        return FIL_STORE_NEVER;
    }
    bool has_more = fil_store_maintain(&shard->locks->store, now_ms, budget);
    publish_count(shard);
    return has_more ? now_ms : fil_store_next_expiry_ms(&shard->locks->store);
}

/** Looks for a lock of a client, or of anybody. */
struct search {
    uint64_t member;
    bool is_any;
    uint8_t *key; // a copy of the first that was found; NULL: none
    size_t key_size;
    bool is_out_of_memory;
};

static void visit_lock(void *context, const struct fil_store_view *view)
{
    struct search *search = context;
    struct lock lock;
    memcpy(&lock, view->value.data, sizeof(lock));
    bool is_meant = search->is_any || lock.owner.member == search->member;
    if (!is_meant || search->key != NULL) {
        return;
    }
    search->key = fil_alloc(view->key.size + 1);
    search->is_out_of_memory = search->key == NULL;
    search->key_size = view->key.size;
    if (search->key != NULL && view->key.size > 0) {
        memcpy(search->key, view->key.data, view->key.size);
    }
}

/** Unlocks what is meant, from the cursor on; returns the next. */
static uint64_t unlock_meant(struct fil_map_shard *shard, struct search meant, uint64_t cursor,
                             uint32_t budget, uint64_t now_ms)
{
    if (shard->lock_count == 0) {
        return FIL_STORE_SCAN_END;
    }
    for (uint32_t i = 0; i < budget && cursor != FIL_STORE_SCAN_END; i++) {
        struct search search = meant;
        // One bucket at a time, and again until nothing of the client is left in it.
        uint64_t next =
            fil_store_scan(&shard->locks->store, cursor, now_ms, 1, visit_lock, &search);
        if (search.is_out_of_memory) {
            return cursor;
        }
        if (search.key == NULL) {
            cursor = next;
            continue;
        }
        struct fil_bytes key = fil_bytes_make(search.key, search.key_size);
        // It was there just now.
        (void)let_go(shard, fil_hash(key, shard->map->seed), key, now_ms);
        fil_free(search.key);
    }
    return cursor;
}

uint64_t fil_map_unlock_all_here(struct fil_map *map, fil_partition_id partition_id,
                                 uint64_t member, uint64_t cursor, uint32_t budget, uint64_t now_ms)
{
    return unlock_meant(fil_map__shard(map, partition_id), (struct search){.member = member},
                        cursor, budget, now_ms);
}

void fil_map__break_locks(struct fil_map_shard *shard, uint32_t budget, uint64_t now_ms)
{
    (void)unlock_meant(shard, (struct search){.is_any = true}, 0, budget, now_ms);
}
