// SPDX-License-Identifier: Apache-2.0
/** What the files of the map share: shards, and who is told of changes. */
#pragma once

#include "grid/map/event.h"
#include "grid/map/map.h"
#include "lib/base/assert.h"

struct fil_map_search;
struct fil_map_walk;

/** Who wants to know of changes of a shard. */
enum fil_map__interest {
    FIL_MAP__WATCHED = 1U << 0,
    FIL_MAP__LISTENED = 1U << 1,
    FIL_MAP__JOURNALED = 1U << 2,

    // Nobody wants to know, but a new entry takes the place of a collection of its key.
    FIL_MAP__SHELVED = 1U << 3,
};

static inline struct fil_map_shard *fil_map__shard(struct fil_map *map, fil_partition_id id)
{
    fil_debug_assert(id < map->partition_count);
    return &map->shards[id];
}

static inline fil_partition_id fil_map__id(const struct fil_map_shard *shard)
{
    return (fil_partition_id)(shard - shard->map->shards);
}

/** The partition, or NULL for a map without a kernel. */
struct fil_partition *fil_map__partition(const struct fil_map_shard *shard);

/** Lets the shard's upkeep run at that time of day. */
void fil_map__ask_upkeep(struct fil_map_shard *shard, uint64_t at_ms);

/** A change of one key, for everybody who is interested. */
struct fil_map__change {
    enum fil_map_event_kind kind;
    uint64_t hash;
    struct fil_bytes key;
    bool has_old;
    bool has_value;
    struct fil_bytes old_value;
    struct fil_bytes value;
    uint64_t count; // entries, of a change of all
};

/** Tells everybody; only when shard->interests is not 0. */
void fil_map__tell(struct fil_map_shard *shard, const struct fil_map__change *change);

/** Removes an entry; nobody is told, and nothing is counted. */
bool fil_map__take_out(struct fil_map_shard *shard, uint64_t hash, struct fil_bytes key,
                       uint64_t now_ms);

// shelf.c

/** An entry has come to the key: the collection that was there goes. */
void fil_map__unshelve(struct fil_map_shard *shard, const struct fil_map_key *key, uint64_t now_ms);

/** A slice of the collections that have expired; returns when to look again, as time of day. */
uint64_t fil_map__upkeep_shelf(struct fil_map_shard *shard, uint64_t now_ms, uint32_t budget);

/** A key has left by itself. */
void fil_map__tell_gone(struct fil_map *map, struct fil_bytes key, bool is_expired);

// watch.c

/** The key has been changed. */
void fil_map__touch(struct fil_map_shard *shard, uint64_t hash, struct fil_bytes key);

/** The key has expired: a change for those who saw it. */
void fil_map__touch_expired(struct fil_map_shard *shard, uint64_t hash, struct fil_bytes key);

/** All keys that are there will be gone. */
void fil_map__touch_present(struct fil_map_shard *shard, uint64_t now_ms);

// lock.c

void fil_map__free_locks(struct fil_map_locks *locks);

/** Whether nobody holds a lock on the key. */
bool fil_map__is_free(struct fil_map_shard *shard, uint64_t hash, struct fil_bytes key,
                      uint64_t now_ms);

/** A slice of the leases that have run out; returns when to look again, as time of day. */
/**
 * A slice of a walk that destroys the map: true when it unlocked keys instead of going on, and
 * comes again.
 */
bool fil_map__walk_breaks_locks(struct fil_map_walk *walk, fil_partition_id partition_id);

/** Unlocks about `budget` keys, whoever has locked them. */
void fil_map__break_locks(struct fil_map_shard *shard, uint32_t budget, uint64_t now_ms);

uint64_t fil_map__upkeep_locks(struct fil_map_shard *shard, uint64_t now_ms, uint32_t budget);

/** A lock's lease has run out. */
void fil_map__lock_gone(void *context, struct fil_store *store, enum fil_store_reason reason,
                        struct fil_bytes key, struct fil_bytes value);

// listen.c

/** Publishes the change to the listeners that want it. */
void fil_map__publish(struct fil_map_shard *shard, const struct fil_map__change *change);

/** Whether a listener wants the old value when the key is updated. */
bool fil_map__is_old_wanted(const struct fil_map_shard *shard, struct fil_bytes key);
void fil_map__free_hub(struct fil_map *map);
int fil_map__new_hub(struct fil_map *map) FIL_NODISCARD;

// index.c

int fil_map__new_indexes(struct fil_map *map) FIL_NODISCARD;
void fil_map__free_indexes(struct fil_map *map);

/** A slice of a search in one partition; cursors as in a scan. */
uint64_t fil_map__search(struct fil_map_search *search, struct fil_map_shard *shard,
                         struct fil_map_slice slice, fil_store_visit_fn visit, void *context);

// journal.c

int fil_map__open_journals(struct fil_map *map) FIL_NODISCARD;
void fil_map__free_journal(struct fil_map_journal *journal);

/** What it takes; 0 for NULL. */
FIL_ANY_THREAD uint64_t fil_map__journal_bytes(const struct fil_map_journal *journal);
void fil_map__record(struct fil_map_shard *shard, const struct fil_map__change *change);
