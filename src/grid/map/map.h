// SPDX-License-Identifier: Apache-2.0
/**
 * A map: byte strings to byte strings, spread over the kernel's partitions by the form of the key.
 *
 * Time:    operations take the time of day in milliseconds, which fil_map_now_ms makes of the
 *          runner's clock. It is set once, when the map is made, and never goes back.
 * Memory:  values are borrowed until the partition is left or the map is changed there. A write
 *          that finds no room is refused with FIL_E_NOMEM and leaves the entry as it was.
 * Threads: placement and sums by any thread; the `_here` functions by whoever is inside the
 *          partition.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/partition.h"
#include "core/store/store.h"
#include "grid/map/config.h"
#include "grid/map/form.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/hash.h"
#include "lib/base/list.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"
#include "lib/mem/budget.h"

struct fil_events;
struct fil_exec;
struct fil_map_audience;
struct fil_map_hub;
struct fil_map_indexes;
struct fil_map_journal;
struct fil_map_locks;
struct fil_shelf;

/** A key with its hash and where it lives. */
struct fil_map_key {
    struct fil_bytes bytes;
    uint64_t hash;
    fil_partition_id partition_id;
};

/** What a partition counts of its part of a map. */
struct fil_map_counters {
    struct fil_counter entries; // those that have expired and wait to be removed included
    struct fil_counter gets;
    struct fil_counter hits; // of gets
    struct fil_counter puts;
    struct fil_counter removes;
    struct fil_counter expired;
    struct fil_counter evicted;
    struct fil_counter locks;        // keys locked now
    struct fil_counter events;       // published to listeners
    struct fil_counter events_lost;  // for want of memory or room
    struct fil_counter journal_lost; // events for which there was no memory
    struct fil_counter collections;  // keys that have one (shelf.h)
    struct fil_counter values;       // of a multimap (multi.h)
    struct fil_counter value_bytes;  // of memory that collections use
    struct fil_counter lock_bytes;   // of memory that locks use
    struct fil_counter index_finds;  // entries that queries found through indexes
};

/** One partition's part of the map; for this folder. */
struct fil_map_shard {
    // Whoever is inside the partition. What every operation looks at shares a cache line.
    alignas(FIL_CACHE_LINE) uint32_t lock_count; // keys; ended leases until they are removed
    uint32_t interests; // enum fil_map__interest: who wants to know of changes
    struct fil_store store;
    struct fil_map *map;
    bool is_counted; // in the map's entry_count
    struct fil_list watches;
    struct fil_map_locks *locks;       // NULL until the first one
    struct fil_map_audience *audience; // NULL: no listeners
    struct fil_map_journal *journal;   // NULL: none
    struct fil_shelf *shelf;           // NULL until the first collection
    uint32_t awaited;                  // operations that wait for collections (shelf.h)
    struct fil_upkeep upkeep;
    uint64_t origin[2]; // who makes the changes of now, for listeners
    uint8_t *draft_old; // the value before the edit that is open, for listeners
    size_t draft_old_size;

    // Written there, read by anyone.
    alignas(FIL_CACHE_LINE) struct fil_map_counters counters;

    // Shared: changes told to listeners that want numbers.
    _Atomic uint64_t sequence;
};

/** How to make a map. */
struct fil_map_setup {
    struct fil_exec *exec;     // NULL: nobody waits and nothing expires by itself, for tests
    struct fil_events *events; // NULL: no listeners
    struct fil_budget *budget; // all memory is drawn from it
    uint32_t partition_count;  // the exec's
    uint64_t seed;             // makes hashes inside a partition unpredictable from outside
    uint64_t wall_offset_ns;   // time of day minus monotonic time
    struct fil_bytes name;     // up to FIL_MAP_NAME_MAX
    uint64_t id;               // differs for each map of a member
    struct fil_map_config config;
};

/**
 * Somebody who is told at once, inside the partition, of keys that leave by themselves; must not
 * touch the map.
 */
struct fil_map_observer {
    void (*gone)(void *context, struct fil_map *map, struct fil_bytes key, bool is_expired);
    void *context;
};

struct fil_map {
    // Set by new, then read-only.
    struct fil_exec *exec;
    struct fil_events *events;
    struct fil_budget *budget;
    uint64_t seed;
    uint64_t wall_offset_ns;
    uint64_t wait_salt;
    uint64_t created_ms;
    uint64_t drawn_bytes;
    uint32_t partition_count;
    fil_partition_id home_id;        // the partition of its name
    bool has_hard_limits;            // there are limits, and nothing is evicted
    char name[FIL_MAP_NAME_MAX + 1]; // with a 0 byte behind it
    size_t name_size;
    struct fil_map_config config;
    struct fil_store_options store_options;
    struct fil_store_options lock_options;
    struct fil_map_hub *hub; // of the listeners
    struct fil_map_indexes *indexes;

    // Shared.
    _Atomic(const struct fil_map_observer *) observer; // NULL: nobody

    // Nobody has asked for the map since it was destroyed; is_kept: it cannot be (maps.h).
    _Atomic bool is_destroyed;
    _Atomic bool is_kept;

    // Entries of all partitions, and those about to come, where their number has a limit and
    // nothing is evicted.
    _Atomic uint64_t entry_count;

    struct fil_map_shard shards[];
};

void fil_map_free(struct fil_map *map);

/** From now on it is told, also of collections; it stays as long as the map, or until another is
 * set, NULL for none, when nobody is inside a partition. */
FIL_ANY_THREAD static inline void fil_map_observe(struct fil_map *map,
                                                  const struct fil_map_observer *observer)
{
    // R11 pairs with A11: the observer is complete.
    atomic_store_explicit(&map->observer, observer, memory_order_release);
}

/** Whether whoever has kept a pointer to it must ask for its name again (maps.h). */
FIL_ANY_THREAD static inline bool fil_map_is_destroyed(const struct fil_map *map)
{
    // Relaxed: who learns of it a moment later has come a moment earlier.
    return atomic_load_explicit(&map->is_destroyed, memory_order_relaxed);
}

/** FIL_E_NOMEM, FIL_E_LIMIT for a name that is too long. */
int fil_map_new(struct fil_map **out_map, const struct fil_map_setup *setup) FIL_NODISCARD;

FIL_ANY_THREAD static inline struct fil_map_key fil_map_place(const struct fil_map *map,
                                                              struct fil_bytes key)
{
    return (struct fil_map_key){
        .bytes = key,
        .hash = fil_hash(key, map->seed),
        .partition_id = (fil_partition_id)fil_map_form_partition(key, map->partition_count),
    };
}

/** The time of day at a moment of the runner's clock. */
FIL_ANY_THREAD static inline uint64_t fil_map_now_ms(const struct fil_map *map, uint64_t now_ns)
{
    return (now_ns + map->wall_offset_ns) / 1000000U;
}

/**
 * Hints for a group of keys, whose waits for memory then overlap: ask for all shards, enter their
 * partitions, prefetch all keys, guess all their records, prefetch those, then use them. A pass may
 * be left out.
 */
FIL_ANY_THREAD FIL_PREFETCHES_INLINE void fil_map_prefetch_shard(const struct fil_map *map,
                                                                 fil_partition_id partition_id)
{
    const struct fil_map_shard *shard = &map->shards[partition_id];
    FIL_PREFETCH(shard);
    FIL_PREFETCH(&shard->store.expiry); // the line that writes look at
    FIL_PREFETCH(&shard->counters);
}

FIL_INSIDE_PARTITION FIL_PREFETCHES_INLINE void fil_map_prefetch_here(const struct fil_map *map,
                                                                      const struct fil_map_key *key)
{
    fil_store_prefetch(&map->shards[key->partition_id].store, key->hash);
}

/** A number for the next pass. */
FIL_INSIDE_PARTITION FIL_PREFETCHES_INLINE uint32_t
fil_map_guess_here(struct fil_map *map, const struct fil_map_key *key)
{
    return fil_store_guess(&map->shards[key->partition_id].store, key->hash);
}

FIL_INSIDE_PARTITION FIL_PREFETCHES_INLINE void
fil_map_prefetch_guess_here(const struct fil_map *map, const struct fil_map_key *key,
                            uint32_t guess)
{
    fil_store_prefetch_guess(&map->shards[key->partition_id].store, guess);
}

/** Guess and prefetch in one pass. */
FIL_INSIDE_PARTITION void fil_map_prefetch_record_here(struct fil_map *map,
                                                       const struct fil_map_key *key);

/** The value; counts as a use of the entry. False when the key is not there. */
FIL_INSIDE_PARTITION static inline bool fil_map_get_here(struct fil_map *map,
                                                         const struct fil_map_key *key,
                                                         uint64_t now_ms,
                                                         struct fil_bytes *out_value)
{
    struct fil_map_shard *shard = &map->shards[key->partition_id];
    bool is_found = fil_store_get(&shard->store, key->hash, key->bytes, now_ms, out_value);
    fil_counter_add(&shard->counters.gets, 1);
    fil_counter_add(&shard->counters.hits, is_found);
    return is_found;
}

/** As get, but nobody notices. */
FIL_INSIDE_PARTITION bool fil_map_peek_here(struct fil_map *map, const struct fil_map_key *key,
                                            uint64_t now_ms, struct fil_bytes *out_value);

/** Everything known of the entry; nobody notices. */
FIL_INSIDE_PARTITION bool fil_map_inspect_here(struct fil_map *map, const struct fil_map_key *key,
                                               uint64_t now_ms, struct fil_store_view *out_view);

/**
 * Inserts or overwrites. out_outcome may be NULL. FIL_E_NOMEM; FIL_E_LIMIT for what is too
 * large; FIL_E_ENTRIES_MAX for a new key, and FIL_E_BYTES_MAX for one or for a value that grows,
 * when that limit of the map is reached and nothing is evicted.
 */
FIL_INSIDE_PARTITION int fil_map_put_here(struct fil_map *map, const struct fil_map_key *key,
                                          struct fil_bytes value, const struct fil_store_write *how,
                                          struct fil_store_outcome *out_outcome) FIL_NODISCARD;

/** Inserts a value under a key that is not there. Errors as put. */
FIL_INSIDE_PARTITION int fil_map_insert_here(struct fil_map *map, const struct fil_map_key *key,
                                             const struct fil_store_new_value *value,
                                             uint64_t now_ms) FIL_NODISCARD;

/** Whether the key was there. out_old may be NULL. */
FIL_INSIDE_PARTITION bool fil_map_remove_here(struct fil_map *map, const struct fil_map_key *key,
                                              uint64_t now_ms, struct fil_bytes *out_old);

/** As peek, for callers that may go on to edit what they found, before any other change. */
FIL_INSIDE_PARTITION static inline bool fil_map_find_here(const struct fil_map *map,
                                                          const struct fil_map_key *key,
                                                          uint64_t now_ms,
                                                          struct fil_store_spot *out_spot)
{
    return fil_store_find(&map->shards[key->partition_id].store, key->hash, key->bytes, now_ms,
                          out_spot);
}

/** As fil_store_rewrite, where nobody wants to know of changes either. */
FIL_INSIDE_PARTITION bool fil_map_rewrite_here(struct fil_map *map, const struct fil_map_key *key,
                                               const struct fil_store_spot *spot,
                                               struct fil_bytes value);

/**
 * Opens the value for writing at that size; nothing else may be done in the map's partition until
 * commit. FIL_E_NOT_FOUND, FIL_E_NOMEM, FIL_E_LIMIT, FIL_E_BYTES_MAX: nothing is open then.
 */
FIL_INSIDE_PARTITION int fil_map_edit_here(struct fil_map *map, const struct fil_map_key *key,
                                           size_t size, uint64_t now_ms,
                                           struct fil_store_edit *out_edit) FIL_NODISCARD;

/** As edit, of the entry that was found and is not looked up again. */
FIL_INSIDE_PARTITION int fil_map_edit_found_here(struct fil_map *map, const struct fil_map_key *key,
                                                 const struct fil_store_spot *spot, size_t size,
                                                 struct fil_store_edit *out_edit) FIL_NODISCARD;
FIL_INSIDE_PARTITION int fil_map_commit_here(struct fil_map *map, const struct fil_map_key *key,
                                             const struct fil_store_edit *edit) FIL_NODISCARD;

/** Changes when the entry expires. FIL_E_NOT_FOUND, FIL_E_NOMEM. */
FIL_INSIDE_PARTITION int fil_map_set_expiry_here(struct fil_map *map, const struct fil_map_key *key,
                                                 const struct fil_store_write *how) FIL_NODISCARD;

/** A bounded part of a walk over one partition. */
struct fil_map_slice {
    uint64_t cursor; // 0 to FIL_STORE_SCAN_END
    uint64_t now_ms;
    uint32_t budget; // about how many entries
};

/** Visits entries of one partition from a cursor on; see fil_store_scan for what it promises. */
FIL_INSIDE_PARTITION uint64_t fil_map_scan_here(struct fil_map *map, fil_partition_id partition_id,
                                                struct fil_map_slice slice,
                                                fil_store_visit_fn visit, void *context);

/** A random entry of the partition; false when none was met. */
FIL_INSIDE_PARTITION bool fil_map_pick_here(struct fil_map *map, fil_partition_id partition_id,
                                            uint64_t now_ms, struct fil_store_view *out_view);

/**
 * Removes about `budget` entries of one partition from a cursor on (0 to FIL_STORE_SCAN_END).
 * Watchers and the journal are told; listeners are by fil_map_tell_cleared_here, once, when the
 * whole map is cleared.
 */
FIL_INSIDE_PARTITION uint64_t fil_map_clear_here(struct fil_map *map, fil_partition_id partition_id,
                                                 uint64_t cursor, uint32_t budget, uint64_t now_ms);

/** Inside the last partition of a map that was cleared of so many entries: tells listeners. */
FIL_INSIDE_PARTITION void fil_map_tell_cleared_here(struct fil_map *map,
                                                    fil_partition_id partition_id, uint64_t count);

/** Cheap first look: whether any entry of the partition has FIL_SLAB_HUGE bytes or more. */
FIL_INSIDE_PARTITION static inline bool fil_map_has_huge_here(const struct fil_map *map,
                                                              fil_partition_id partition_id)
{
    return map->shards[partition_id].store.slab.huge != 0;
}

/** Cheap first look: whether any key of the partition is locked. */
FIL_INSIDE_PARTITION static inline bool fil_map_has_locks_here(const struct fil_map *map,
                                                               fil_partition_id partition_id)
{
    return map->shards[partition_id].lock_count != 0;
}

/** Who makes the changes from now on, for those who listen; {0} before the partition is left. */
FIL_INSIDE_PARTITION static inline void
fil_map_sign_here(struct fil_map *map, fil_partition_id partition_id, const uint64_t origin[2])
{
    struct fil_map_shard *shard = &map->shards[partition_id];
    if (FIL_UNLIKELY(shard->interests != 0)) {
        shard->origin[0] = origin[0];
        shard->origin[1] = origin[1];
    }
}

/** Whose a lock is; RESP's owner is {0, connection id}. */
struct fil_map_owner {
    uint64_t member; // or client
    uint64_t thread;
};

/**
 * Whether a write by this owner must wait because another has locked the key; the operation then
 * parks under *out_wait_key and looks again when it runs.
 */
FIL_INSIDE_PARTITION bool fil_map_must_wait_here(struct fil_map *map, const struct fil_map_key *key,
                                                 const struct fil_map_owner *owner, uint64_t now_ms,
                                                 uint64_t *out_wait_key);

/** Entries, and the bytes of entries and collections, summed over the partitions; figures that may
 * be a moment old. */
FIL_ANY_THREAD uint64_t fil_map_size(const struct fil_map *map);
FIL_ANY_THREAD uint64_t fil_map_bytes(const struct fil_map *map);

FIL_ANY_THREAD static inline struct fil_bytes fil_map_name(const struct fil_map *map)
{
    return fil_bytes_make(map->name, map->name_size);
}

/** The counters of all partitions together, the bytes, and when the map was made. */
struct fil_map_stats {
    uint64_t entries;
    uint64_t bytes;
    uint64_t gets;
    uint64_t hits;
    uint64_t puts;
    uint64_t removes;
    uint64_t expired;
    uint64_t evicted;
    uint64_t locks;
    uint64_t events;
    uint64_t events_lost;
    uint64_t journal_lost;
    uint64_t created_ms;
};

FIL_ANY_THREAD void fil_map_read_stats(const struct fil_map *map, struct fil_map_stats *out_stats);
