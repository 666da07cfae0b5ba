// SPDX-License-Identifier: Apache-2.0
/** What the files of the store share: records by reference, the wheel, the queue, the cut. */
#pragma once

#include "core/store/record.h"
#include "core/store/store.h"
#include "lib/base/hash.h"

#define FIL_STORE_BATCH         64U // references looked at together
#define FIL_STORE_DEADLINE_MASK ((UINT64_C(1) << 48) - 1)
#define FIL_STORE_TICK_SHIFT    4U // of access times: 16 ms

static inline uint8_t *fil_store__record(const struct fil_store *store, uint32_t reference)
{
    return (uint8_t *)fil_slab_at(&store->slab, reference);
}

static inline uint64_t fil_store__hash_key(const struct fil_store *store, struct fil_bytes key)
{
    return store->options->hash != NULL ? store->options->hash(key)
                                        : fil_hash(key, store->options->hash_seed);
}

static inline uint64_t fil_store__hash(const struct fil_store *store, uint32_t reference)
{
    return fil_store__hash_key(store, fil_record_key(fil_store__record(store, reference)));
}

/** As the table wants it; the context is the store. */
uint64_t fil_store__hash_of(const void *context, uint32_t reference);

/** When the entry ends; FIL_STORE_NEVER. */
uint64_t fil_store__deadline(const uint8_t *record);

bool fil_store__is_expired_timer(const uint8_t *record, uint64_t now_ms);

static inline bool fil_store__is_expired(const uint8_t *record, uint64_t now_ms)
{
    return FIL_UNLIKELY(fil_record_has(record, FIL_RECORD_TIMER)) &&
           fil_store__is_expired_timer(record, now_ms);
}

/** Whether the record is of this key. Without a call: most keys are short, and most records met
 * here are the ones looked for. */
static inline bool fil_store__has_key(const uint8_t *record, struct fil_bytes key)
{
    if (fil_record_key_size(record) != key.size) {
        return false;
    }
    const uint8_t *other = record + fil_record_key_offset(record);
    if (FIL_UNLIKELY(key.size < sizeof(uint64_t) || key.size > 2 * sizeof(uint64_t))) {
        return key.size == 0 || memcmp(other, key.data, key.size) == 0;
    }
    // Two words that overlap in the middle.
    uint64_t words[4];
    size_t last = key.size - sizeof(uint64_t);
    memcpy(&words[0], key.data, sizeof(uint64_t));
    memcpy(&words[1], other, sizeof(uint64_t));
    memcpy(&words[2], key.data + last, sizeof(uint64_t));
    memcpy(&words[3], other + last, sizeof(uint64_t));
    return ((words[0] ^ words[1]) | (words[2] ^ words[3])) == 0;
}

/** Looks the key up in the table. */
uint32_t fil_store__search(const struct fil_store *store, uint64_t hash, struct fil_bytes key);

/** The record of a key, expired or not. */
static inline uint32_t fil_store__find(const struct fil_store *store, uint64_t hash,
                                       struct fil_bytes key)
{
    uint32_t guess = fil_table_guessed(&store->table, hash);
    bool is_guessed =
        guess != FIL_SLAB_NONE && fil_store__has_key(fil_store__record(store, guess), key);
    return FIL_LIKELY(is_guessed) ? guess : fil_store__search(store, hash, key);
}

/** The record of a key that has not expired. */
static inline uint32_t fil_store__find_live(const struct fil_store *store, uint64_t hash,
                                            struct fil_bytes key, uint64_t now_ms)
{
    uint32_t reference = fil_store__find(store, hash, key);
    bool is_gone = reference != FIL_SLAB_NONE &&
                   fil_store__is_expired(fil_store__record(store, reference), now_ms);
    return is_gone ? FIL_SLAB_NONE : reference;
}

/** Times of access, as records keep them: the low bits, which come round every two years. */
static inline uint32_t fil_store__tick(uint64_t now_ms)
{
    return (uint32_t)(now_ms >> FIL_STORE_TICK_SHIFT);
}

/** Notes a read or a write of the entry for those that choose victims. */
static inline void fil_store__note_use(uint8_t *record, uint64_t now_ms)
{
    uint32_t flags = fil_record_flags(record);
    if ((flags & FIL_RECORD_ACCESS) != 0) {
        struct fil_record_access access = fil_record_access(record);
        access.tick = fil_store__tick(now_ms);
        access.hits += access.hits < UINT32_MAX;
        fil_record_set_access(record, &access);
    }
    if ((flags & (FIL_RECORD_LINKS | FIL_RECORD_VISITED)) == FIL_RECORD_LINKS) {
        record[0] |= FIL_RECORD_VISITED;
    }
}

/** Max idle starts again. */
void fil_store__postpone(uint8_t *record, uint64_t now_ms);

/** What was lent out until the next change goes now. */
void fil_store__begin_change(struct fil_store *store);

/** The entry as its visitors see it at that time. */
struct fil_store_view fil_store__view(const struct fil_store *store, uint32_t reference,
                                      uint64_t now_ms);

/** Takes an entry out of everything and tells why; its memory goes, or waits for a snapshot. */
void fil_store__drop(struct fil_store *store, uint32_t reference, enum fil_store_reason reason);

/** As drop, but nobody is told; is_lent keeps the bytes until the next change. */
void fil_store__take_out(struct fil_store *store, uint64_t hash, uint32_t reference, bool is_lent);

/** Gives a record's memory back that nothing refers to any more. */
void fil_store__release(struct fil_store *store, uint32_t reference);

/** Housekeeping after a change: the table's size, sparse runs, snapshots that were ended. */
bool fil_store__upkeep(struct fil_store *store);

/** Looks for memory between the entries, for a bounded time; false when there is none. */
bool fil_store__squeeze(struct fil_store *store);

/** Whether it is empty; then it owns nothing any more. */
bool fil_store__give_back_if_empty(struct fil_store *store);

/** A record has been copied elsewhere: everything that refers to it follows. */
void fil_store__moved(struct fil_store *store, uint64_t hash, uint32_t from, uint32_t to);

// The wheel of expiry.

/** Makes the wheel; FIL_E_NOMEM. */
int fil_expiry__prepare(struct fil_store *store, uint64_t now_ms) FIL_NODISCARD;
void fil_expiry__arm(struct fil_store *store, uint32_t reference, uint64_t deadline_ms);
void fil_expiry__disarm(struct fil_store *store, uint32_t reference);
/** The record is at another reference now. */
void fil_expiry__moved(struct fil_store *store, uint32_t to);
void fil_expiry__fini(struct fil_store *store);
void fil_expiry__check(const struct fil_store *store);

// The queue of SIEVE, and the choice of victims.

void fil_sieve__push(struct fil_store *store, uint32_t reference);
void fil_sieve__remove(struct fil_store *store, uint32_t reference);
/** The queue's neighbours of a record, whose links are copied already, learn its new reference. */
void fil_sieve__moved(struct fil_store *store, uint32_t from, uint32_t to);
void fil_sieve__check(const struct fil_store *store);

/** What a write is about to take. */
struct fil_store__need {
    uint64_t bytes; // more than before
    bool is_entry;  // one more than before
    uint32_t kept;  // is no victim
};

/** Evicts so that what comes keeps within the limits. */
void fil_eviction__make_room(struct fil_store *store, uint64_t now_ms,
                             const struct fil_store__need *need);

/** Evicts one other than `kept`; false when there is none to take. */
bool fil_eviction__evict(struct fil_store *store, uint64_t now_ms, uint32_t kept);

/** Evicts one from the bucket that a hash belongs to, whose chain then has room. */
bool fil_eviction__evict_near(struct fil_store *store, uint64_t hash, uint64_t now_ms);

uint64_t fil_store__random(struct fil_store *store);

// Snapshots.

/** Whether the record belongs to a cut that has not visited it. */
bool fil_snapshot__holds(const struct fil_store *store, uint64_t hash, const uint8_t *record);
/** Keeps a record that left the table; false when it does not belong to a cut. */
bool fil_snapshot__keep(struct fil_store *store, uint64_t hash, uint32_t reference);
/** Marks a new record as written after the cut, where that matters. */
void fil_snapshot__mark(const struct fil_store *store, uint64_t hash, uint8_t *record);
/** One step of winding up a snapshot that was ended early; true while there is more. */
bool fil_snapshot__wind_up(struct fil_store *store);
void fil_snapshot__fini(struct fil_store *store);

// Indexes, all of the store's at once.

int fil_index__add(struct fil_store *store, uint64_t hash, uint32_t reference) FIL_NODISCARD;
void fil_index__remove(struct fil_store *store, uint64_t hash, uint32_t reference);
void fil_index__moved(struct fil_store *store, uint64_t hash, uint32_t from, uint32_t to);
/** Puts a record in the place of another one of the same key. FIL_E_NOMEM: nothing has changed. */
int fil_index__replace(struct fil_store *store, uint64_t hash, uint32_t from, uint32_t to)
    FIL_NODISCARD;
void fil_index__fini(struct fil_store *store);
void fil_index__check(const struct fil_store *store);
