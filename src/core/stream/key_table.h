// SPDX-License-Identifier: Apache-2.0
/**
 * From keys to dense numbers: each key that is in use has a slot, and state lies in columns by
 * slot.
 *
 * Open addressing over entries of 8 bytes: the low half of the hash, its tag, and the slot; the key
 * itself lies in a column, and is compared. Eight entries are a line of the cache, whose tags are
 * compared at once; a key is in the line that the high bits of its tag say, or behind it when that
 * is full. So an entry tells where it belongs in a table of any size, and growth copies from one
 * end to the other: some entries with each group of lookups, so no step pays for all of them. At
 * most five eighths full. Slots of removed keys are used again.
 *
 * Memory:  drawn from a budget; a lookup that finds none says FIL_E_NOMEM. A key of 8 bytes costs 8
 *          for itself and 13 to 26 for its entry.
 * Threads: whoever owns it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/column.h"
#include "core/stream/key_line.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/mem/region.h"

/** Keys looked up at once, at most. */
#define FIL_KEY_TABLE_GROUP 64U

#define FIL_KEY_TABLE_KEY_BYTES_MAX 1024U

/** An index with more places does not stay in a core's cache. */
#define FIL_KEY_TABLE_LARGE 65536U

struct fil_key_table_index {
    struct fil_region region;
    struct fil_key_line *lines; // NULL: none
    uint32_t mask;              // of places: line * FIL_KEY_LINE_PLACES + place in it
    uint32_t shift;             // of a tag, to get its line
};

struct fil_key_table {
    struct fil_account account;
    struct fil_key_table_index index;
    struct fil_key_table_index old; // being emptied; lines NULL: none
    uint32_t old_next;
    uint32_t count;      // keys
    uint32_t slot_limit; // one behind the highest slot ever used
    uint32_t free_slot;  // first of the removed, plus 1; its row tells the next one
    uint32_t key_max;
    bool is_fixed; // all keys have key_max bytes; else a row begins with its key's size
    struct fil_segments row_segments;
    struct fil_column rows;
    struct fil_segments live_segments;
    struct fil_column live; // a bit for each slot, in words
};

/**
 * Keys of exactly key_bytes, or of up to that many when they vary; room for expected_count without
 * growth. FIL_E_NOMEM; fini is due in any case.
 */
int fil_key_table_init(struct fil_key_table *table, struct fil_budget *budget, uint32_t key_bytes,
                       bool is_fixed, uint32_t expected_count) FIL_NODISCARD;
void fil_key_table_fini(struct fil_key_table *table);

/**
 * Slots of up to FIL_KEY_TABLE_GROUP keys, new ones for keys that are not there. FIL_E_NOMEM, or
 * FIL_E_LIMIT for a key that is too long; then some of the keys may be there.
 */
int fil_key_table_find(struct fil_key_table *table, uint32_t count, const struct fil_bytes *keys,
                       const uint64_t *hashes, uint32_t *out_slots) FIL_NODISCARD;

/** Whether lookups in the table wait for memory, so that it pays to fetch ahead. */
static inline bool fil_key_table_is_large(const struct fil_key_table *table)
{
    return table->index.mask >= FIL_KEY_TABLE_LARGE;
}

/** Fetches what a lookup of a key with this hash looks at first. */
FIL_PREFETCHES_INLINE void fil_key_table_fetch(const struct fil_key_table *table, uint64_t hash)
{
    FIL_PREFETCH(&table->index.lines[(uint32_t)hash >> table->index.shift]);
}

/** Whether fixed keys of so many bytes are looked up as words. */
static inline bool fil_key_table_has_words(uint32_t key_bytes)
{
    return key_bytes == sizeof(uint64_t) || key_bytes == 2 * sizeof(uint64_t);
}

/** The same for fixed keys of 8 or 16 bytes, as words one behind the other. */
int fil_key_table_find_words(struct fil_key_table *table, uint32_t count, const uint64_t *words,
                             const uint64_t *hashes, uint32_t *out_slots) FIL_NODISCARD;

/** Removes a key; its slot will be given to another one. */
void fil_key_table_remove(struct fil_key_table *table, uint32_t slot);

/** Whether the slot has a key. */
static inline bool fil_key_table_has(const struct fil_key_table *table, uint32_t slot)
{
    const uint64_t *word = fil_column_find(&table->live, slot / 64);
    return word != NULL && (*word >> (slot % 64) & 1) != 0;
}

/** The key of a slot that has one. */
struct fil_bytes fil_key_table_key(const struct fil_key_table *table, uint32_t slot);

/** Its hash. */
uint64_t fil_key_table_hash(const struct fil_key_table *table, uint32_t slot);

/** Asserts that every key is found in its place. */
void fil_key_table_check(const struct fil_key_table *table);
