// SPDX-License-Identifier: Apache-2.0
/**
 * One partition's entries of one structure: byte strings under byte strings, with time to live,
 * eviction, cursors, snapshots and secondary indexes.
 *
 * Work:    every operation is bounded: at most a bucket or two is moved, a few records are expired,
 *          evicted or moved besides; there is no operation that touches all entries.
 * Time:    there is no clock: callers pass the time of day in milliseconds, never going back.
 * Memory:  all of it is charged to the store's account. A write that finds no room is refused with
 *          FIL_E_NOMEM and leaves the entry as it was; what eviction took before that stays gone.
 *          Values given out are borrowed until the next change of the store. What is passed in is
 *          copied and must not be borrowed from the same store.
 * Threads: single-threaded; whoever owns the partition.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/store/index.h"
#include "core/store/slab.h"
#include "core/store/table.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/mem/budget.h"

#define FIL_STORE_NEVER    UINT64_MAX                // no time to live, no limit to being idle
#define FIL_STORE_TIME_MAX ((UINT64_C(1) << 48) - 2) // the latest time at which something ends
#define FIL_STORE_SCAN_END FIL_TABLE_END             // the cursor behind the last entry
#define FIL_STORE_KEY_MAX  (UINT32_C(1) << 30)

struct fil_store;

enum fil_eviction {
    FIL_EVICTION_NONE,
    FIL_EVICTION_LRU, // the longest unused of a sample
    FIL_EVICTION_LFU, // the least used of a sample
    FIL_EVICTION_RANDOM,
    FIL_EVICTION_SIEVE // a queue whose hand spares what was used since it came by
};

/** Why an entry left without being asked to. */
enum fil_store_reason {
    FIL_STORE_EXPIRED,
    FIL_STORE_EVICTED
};

/** Called before the memory is reused; must not touch the store. */
typedef void (*fil_store_gone_fn)(void *context, struct fil_store *store,
                                  enum fil_store_reason reason, struct fil_bytes key,
                                  struct fil_bytes value);

/** Whether eviction may take the entry, e.g. because nobody holds its lock. */
typedef bool (*fil_store_spare_fn)(void *context, struct fil_store *store, struct fil_bytes key);

/** A record is at another reference now; the old one can still be read. Must not touch the store.
 */
typedef void (*fil_store_moved_fn)(void *context, struct fil_store *store, uint32_t from,
                                   uint32_t to);

/** What all stores of a structure share. Read-only while they live. */
struct fil_store_options {
    uint64_t hash_seed;                     // the hash given with a key is fil_hash of it with this
    uint64_t (*hash)(struct fil_bytes key); // another hash; NULL: the one above
    uint64_t ttl_ms;                        // for writes that name none; 0: none
    uint64_t max_idle_ms;                   // likewise
    bool has_statistics;                    // times, version and hits of every entry
    enum fil_eviction eviction;
    uint64_t entry_count_max;     // a store's; 0: no limit
    uint64_t byte_count_max;      // a store's, of what is there; 0: no limit
    uint32_t memory_percent_max;  // of the budget, drawn by all; 0: no limit
    fil_store_gone_fn gone;       // NULL: nobody is told
    fil_store_spare_fn can_evict; // NULL: every entry may go
    fil_store_moved_fn moved;     // for who keeps references; NULL: nobody is told
    void *context;                // of all three
};

struct fil_expiry;
struct fil_snapshot;
struct fil_index;

struct fil_store {
    // What a lookup needs comes first: it shares a cache line. What a write looks at besides
    // follows right behind it.
    const struct fil_store_options *options;
    struct fil_table table;
    struct fil_slab slab;
    struct fil_expiry *expiry;     // NULL until an entry expires
    struct fil_snapshot *snapshot; // NULL: none under way
    uint32_t doomed;               // a block whose bytes are still lent out
    uint32_t drain_pause;          // changes until sparseness is looked at again
    uint32_t drain_position;       // how far records have been moved out of sparse runs
    uint32_t index_count;
    struct fil_account account;
    struct fil_index *indexes; // NULL: none
    uint64_t random;
    uint32_t newest; // SIEVE: the queue's ends, and where its hand stands
    uint32_t oldest;
    uint32_t hand;
    uint8_t drain_groups; // of buckets to look through, for what came while memory fills up
    bool is_pressed;      // memory fills up: sparse runs are worth more
    bool is_dense;        // the last look at the runs found none to empty
};

void fil_store_init(struct fil_store *store, struct fil_budget *budget,
                    const struct fil_store_options *options);

/** Frees everything at once; nobody is told. */
void fil_store_fini(struct fil_store *store);

static inline uint32_t fil_store_count(const struct fil_store *store)
{
    return store->table.count;
}

/** Bytes in use: records, index, everything; exact. */
static inline uint64_t fil_store_bytes(const struct fil_store *store)
{
    return fil_account_used(&store->account);
}

/** The value; counts as a use of the entry. False when the key is not there or has expired. */
bool fil_store_get(struct fil_store *store, uint64_t hash, struct fil_bytes key, uint64_t now_ms,
                   struct fil_bytes *out_value);

/** As get, but nobody notices. */
bool fil_store_peek(const struct fil_store *store, uint64_t hash, struct fil_bytes key,
                    uint64_t now_ms, struct fil_bytes *out_value);

struct fil_store_lookup {
    uint64_t hash;
    struct fil_bytes key;
    struct fil_bytes value; // the answer; data is NULL when the key is not there
};

/** Many gets, whose waits for memory overlap. Returns how many were found. */
uint32_t fil_store_find_many(struct fil_store *store, struct fil_store_lookup *lookups,
                             uint32_t count, uint64_t now_ms);

/**
 * Hints for a group of keys, whose waits for memory then overlap: ask for all buckets, then guess
 * all records, then ask for all of them, then use the keys. Each pass finds there what the one
 * before has asked for.
 */
FIL_PREFETCHES_INLINE void fil_store_prefetch(const struct fil_store *store, uint64_t hash)
{
    if (FIL_LIKELY(store->table.bucket_count > 0)) {
        FIL_PREFETCH(fil_table_bucket(&store->table, hash));
    }
}

/** Which record it probably is, whose place is asked for; FIL_SLAB_NONE: probably none. Who uses
 * the last key that was guessed need not look for it again. */
FIL_PREFETCHES_INLINE uint32_t fil_store_guess(struct fil_store *store, uint64_t hash)
{
    if (FIL_UNLIKELY(store->table.bucket_count == 0)) {
        return FIL_SLAB_NONE;
    }
    // Only the first candidate: nearly always the one.
    struct fil_table_probe probe = fil_table_find(&store->table, hash);
    uint32_t reference = fil_table_next(&probe, &store->slab);
    fil_table_note_guess(&store->table, hash, reference);
    FIL_PREFETCH(fil_slab_run_of(&store->slab, reference));
    return reference;
}

#define FIL_STORE_PREFETCH_BYTES 256U // of a record; what follows the processor asks for itself

/**
 * Asks for memory by a read of which nobody waits for the result: a processor may leave out a
 * prefetch, but not a read. Not before an atomic step, which waits for all reads.
 */
static inline void fil_store__touch(const uint8_t *memory)
{
    // Relaxed: only so that the compiler leaves it there.
    (void)atomic_load_explicit((const _Atomic uint8_t *)memory, memory_order_relaxed);
}

/** Asks for the guessed record. */
FIL_PREFETCHES_INLINE void fil_store_prefetch_guess(const struct fil_store *store,
                                                    uint32_t reference)
{
    if (FIL_LIKELY(reference != FIL_SLAB_NONE)) {
        const uint8_t *record = fil_slab_at(&store->slab, reference);
        uint32_t size = fil_slab_capacity(&store->slab, reference);
        size = size < FIL_STORE_PREFETCH_BYTES ? size : FIL_STORE_PREFETCH_BYTES;
        fil_store__touch(record);
        fil_store__touch(record + size - 1);
        for (uint32_t at = FIL_CACHE_LINE; at + 1 < size; at += FIL_CACHE_LINE) {
            FIL_PREFETCH(record + at);
        }
    }
}

/** Both in one pass. */
void fil_store_prefetch_record(struct fil_store *store, uint64_t hash);

enum fil_store_condition {
    FIL_STORE_ALWAYS,
    FIL_STORE_IF_ABSENT,
    FIL_STORE_IF_PRESENT
};

/** How to write; all zero but the time is a plain put. */
struct fil_store_write {
    uint64_t now_ms;
    uint64_t expires_ms;  // a time; 0: the structure's time to live from now on
    uint64_t max_idle_ms; // 0: the structure's
    enum fil_store_condition condition;
    bool keeps_expiry; // of the entry that is there
    bool wants_old;    // the old value is asked for
    bool is_move;      // as much goes elsewhere: it may borrow what data cannot have
    bool is_rename;    // that: within a map, which has as many entries as before
};

struct fil_store_outcome {
    bool was_there;
    bool is_written;
    struct fil_bytes old_value; // when it was there, and was asked for or nothing was written
};

/** Inserts or overwrites. out_outcome may be NULL. FIL_E_NOMEM, FIL_E_LIMIT (too large). */
int fil_store_put(struct fil_store *store, uint64_t hash, struct fil_bytes key,
                  struct fil_bytes value, const struct fil_store_write *how,
                  struct fil_store_outcome *out_outcome) FIL_NODISCARD;

/** Writes a new value, of which all bytes are zero. */
typedef void (*fil_store_fill_fn)(void *context, uint8_t *value, size_t size);

/** A value that is written where it will lie. */
struct fil_store_new_value {
    size_t size;
    fil_store_fill_fn fill;
    void *context;
};

/** Inserts it; the key is not there. FIL_E_NOMEM, FIL_E_LIMIT: nothing was written. */
int fil_store_insert(struct fil_store *store, uint64_t hash, struct fil_bytes key,
                     const struct fil_store_new_value *value, const struct fil_store_write *how)
    FIL_NODISCARD;

/** Whether the key was there. out_old may be NULL. */
bool fil_store_remove(struct fil_store *store, uint64_t hash, struct fil_bytes key, uint64_t now_ms,
                      struct fil_bytes *out_old);

/** An entry that was looked up; good until the next change of the store. */
struct fil_store_spot {
    struct fil_bytes value;
    uint64_t hash; // the rest is the store's
    uint64_t now_ms;
    uint32_t reference; // good until the record moves, which options.moved tells
};

/** As peek, for callers that may go on to edit what they found. */
bool fil_store_find(const struct fil_store *store, uint64_t hash, struct fil_bytes key,
                    uint64_t now_ms, struct fil_store_spot *out_spot);

/**
 * Writes another value of the same size to an entry that was found just now, where nothing else has
 * to follow: no times, no index, no snapshot. False, and nothing has changed, where something does:
 * then edit.
 */
bool fil_store_rewrite(struct fil_store *store, const struct fil_store_spot *spot,
                       struct fil_bytes value);

/** A value that is being changed in place. */
struct fil_store_edit {
    uint8_t *value; // of the size asked for: the old bytes, then zeros
    uint32_t size;
    uint32_t old_size;
    uint64_t hash; // the rest is the store's
    uint32_t reference;
    uint32_t draft;
    uint64_t now_ms;
};

/**
 * Opens an entry's value for writing, at another size if wanted. Nothing else may be called
 * until fil_store_commit. FIL_E_NOT_FOUND, FIL_E_NOMEM, FIL_E_LIMIT: nothing is open then.
 */
int fil_store_edit(struct fil_store *store, uint64_t hash, struct fil_bytes key, size_t size,
                   uint64_t now_ms, struct fil_store_edit *out_edit) FIL_NODISCARD;

/** As edit, of an entry that was found just now and is not looked up again. FIL_E_NOMEM,
 * FIL_E_LIMIT. */
int fil_store_edit_found(struct fil_store *store, const struct fil_store_spot *spot, size_t size,
                         struct fil_store_edit *out_edit) FIL_NODISCARD;

/** Makes the new bytes the value; its expiry stays. FIL_E_NOMEM (only with indexes): nothing has
 * changed. */
int fil_store_commit(struct fil_store *store, const struct fil_store_edit *edit) FIL_NODISCARD;

/** Changes when an entry expires. 0 and FIL_STORE_NEVER as in a write. FIL_E_NOT_FOUND,
 * FIL_E_NOMEM. */
int fil_store_set_expiry(struct fil_store *store, uint64_t hash, struct fil_bytes key,
                         const struct fil_store_write *how) FIL_NODISCARD;

/** Everything known of an entry; what its structure does not keep is 0. */
struct fil_store_view {
    struct fil_bytes key;
    struct fil_bytes value;
    uint64_t expires_ms;  // by time to live; FIL_STORE_NEVER
    uint64_t max_idle_ms; // FIL_STORE_NEVER
    uint64_t created_ms;
    uint64_t updated_ms; // 0: never since
    uint64_t version;
    uint64_t accessed_ms; // to 16 ms, and with max idle exactly
    uint32_t hits;        // reads and writes since it was made
    uint32_t cost_bytes;  // of its record in memory
};

/** Nobody notices. */
bool fil_store_inspect(const struct fil_store *store, uint64_t hash, struct fil_bytes key,
                       uint64_t now_ms, struct fil_store_view *out_view);

/** Must not change the store. */
typedef void (*fil_store_visit_fn)(void *context, const struct fil_store_view *view);

/**
 * Visits entries from a cursor on until `budget` have been looked at, or more for the last bucket;
 * returns the next cursor, FIL_STORE_SCAN_END at the end. Start with 0. The cursor is a number and
 * nothing is held for it, so it may be dropped or kept for days.
 *
 * Whatever happens to the table between two calls, growth and shrinking included: an entry that is
 * there from the first call to the last is visited exactly once; one that was put or removed
 * meanwhile at most once for each time it was there.
 */
uint64_t fil_store_scan(const struct fil_store *store, uint64_t cursor, uint64_t now_ms,
                        uint32_t budget, fil_store_visit_fn visit, void *context);

/** Removes about `budget` entries from a cursor on and gives their memory back; cursors as in scan.
 * Nobody is told. */
uint64_t fil_store_clear(struct fil_store *store, uint64_t cursor, uint32_t budget);

/** A random entry that has not expired; false when none was met. */
bool fil_store_pick(struct fil_store *store, uint64_t now_ms, struct fil_store_view *out_view);

/** Removes up to about `budget` entries whose time has come; returns how many. */
uint32_t fil_store_expire(struct fil_store *store, uint64_t now_ms, uint32_t budget);

/** As expire, which may be a tick late, to the millisecond: for one that needs the room now. */
uint32_t fil_store_expire_now(struct fil_store *store, uint64_t now_ms, uint32_t budget);

/** A time before which nothing expires; FIL_STORE_NEVER. May be early. */
uint64_t fil_store_next_expiry_ms(const struct fil_store *store);

/** Whether memory fills up so far that entries should make room, of the member or of its share. */
bool fil_store_is_short(const struct fil_store *store);

/** Evicts up to `budget` entries by the structure's policy, limit or not; returns how many. */
uint32_t fil_store_evict(struct fil_store *store, uint64_t now_ms, uint32_t budget);

/** The housekeeping of `budget` changes, for idle moments; true while there is more to do. */
bool fil_store_maintain(struct fil_store *store, uint64_t now_ms, uint32_t budget);

/**
 * Begins a snapshot: the entries as they are now, whatever is written until it ends. Records that
 * change before they are visited are kept beside, so the memory it takes is what changes.
 * FIL_E_AGAIN while one is under way or being wound up, FIL_E_NOMEM.
 */
int fil_store_snapshot_begin(struct fil_store *store, uint64_t now_ms) FIL_NODISCARD;

/**
 * Visits about `budget` entries, each exactly once until out_is_done. Values and times to live are
 * those of the cut; hits and idle times are of now. FIL_E_NOMEM: a write needed room to keep an old
 * record and found none, the write won, and the snapshot must be ended and begun again.
 */
int fil_store_snapshot_next(struct fil_store *store, uint32_t budget, fil_store_visit_fn visit,
                            void *context, bool *out_is_done) FIL_NODISCARD;

/** Ends it, also before it is done; what is left to tidy up is done by later changes. */
void fil_store_snapshot_end(struct fil_store *store);

/**
 * Gives the store an index, which follows every change from now on; the entries that are there are
 * added by fill. It stays until the store ends, and so must the definition. Once more does nothing.
 * FIL_E_NOMEM, FIL_E_LIMIT beyond FIL_INDEXES_MAX.
 */
int fil_store_index_open(struct fil_store *store, const struct fil_index_definition *definition)
    FIL_NODISCARD;

/**
 * Adds entries that are there to an index that was opened, from a cursor on as scan does, until it
 * is FIL_STORE_SCAN_END. What is in the index already stays. FIL_E_NOMEM: the cursor stays, and the
 * same slice may be tried again.
 */
int fil_store_index_fill(struct fil_store *store, const struct fil_index_definition *definition,
                         uint64_t *cursor, uint32_t budget) FIL_NODISCARD;

/** Which entries of an index; both ends included unless told. */
struct fil_store_range {
    struct fil_bytes low;
    struct fil_bytes high;
    bool has_low;
    bool has_high;
    bool is_low_excluded;
    bool is_high_excluded;
};

/** Returns false to stop. */
typedef bool (*fil_store_match_fn)(void *context, const struct fil_store_view *view);

/** Visits the entries with this attribute; of attributes that are cut, those that begin so. */
void fil_store_find_by(const struct fil_store *store, const struct fil_index_definition *definition,
                       struct fil_bytes attribute, uint64_t now_ms, fil_store_match_fn match,
                       void *context);

/** Visits the entries of a range in the order of their attributes; a sorted index only. */
void fil_store_find_range(const struct fil_store *store,
                          const struct fil_index_definition *definition,
                          const struct fil_store_range *range, uint64_t now_ms,
                          fil_store_match_fn match, void *context);

/** The hashes of some entries. */
struct fil_store_hashes {
    uint64_t *items;
    uint32_t count;
    uint32_t capacity;
};

/**
 * Appends the hashes of the entries of a range, looking at the index alone; a hash index knows
 * ranges of one attribute. False when there are more than fit.
 */
bool fil_store_collect(const struct fil_store *store, const struct fil_index_definition *definition,
                       const struct fil_store_range *range, struct fil_store_hashes *hashes);

/** Visits the entries of that hash, nearly always one or none. */
void fil_store_visit_hash(const struct fil_store *store, uint64_t hash, uint64_t now_ms,
                          fil_store_visit_fn visit, void *context);

/** Asserts every invariant; for tests. */
void fil_store_check(const struct fil_store *store);
