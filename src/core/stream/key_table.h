// SPDX-License-Identifier: Apache-2.0
/**
 * From keys to dense numbers: each key that is in use has a slot, and state lies in columns by
 * slot.
 *
 * Open addressing with linear probing over entries of 16 bytes, at most half full. The whole hash
 * is kept: for keys of 8 bytes, whose hash loses nothing, it is the comparison. Growth moves some
 * entries with each group of lookups, so no step pays for all of them. Slots of removed keys are
 * used again.
 *
 * Memory:  drawn from a budget; a lookup that finds none says FIL_E_NOMEM.
 * Threads: whoever owns it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/column.h"
#include "lib/base/bytes.h"

/** Keys looked up at once, at most. */
#define FIL_KEY_TABLE_GROUP 64U

#define FIL_KEY_TABLE_KEY_BYTES_MAX 1024U

struct fil_key_table_entry {
    uint64_t hash;
    uint32_t slot; // 1 and more; 0: free, UINT32_MAX: was removed
    uint32_t unused;
};

struct fil_key_table_index {
    struct fil_key_table_entry *entries;
    uint32_t mask;
};

struct fil_key_table {
    struct fil_account account;
    struct fil_key_table_index index;
    struct fil_key_table_index old; // being emptied; entries NULL: none
    uint32_t old_next;
    uint32_t count;      // keys
    uint32_t slot_limit; // one behind the highest slot ever used
    uint32_t free_slot;  // first of the removed, plus 1
    uint32_t key_max;
    bool is_exact; // the hash is the key
    struct fil_segments key_segments;
    struct fil_column keys; // a struct fil_key_table_key for each slot
};

/** A slot's key. */
struct fil_key_table_key {
    uint64_t hash;
    uint32_t size;      // of the key
    uint32_t next_free; // plus 1
    bool is_live;
    uint8_t bytes[];
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

/** Removes a key; its slot will be given to another one. */
void fil_key_table_remove(struct fil_key_table *table, uint32_t slot);

/** The slot's key, or NULL when it has none. */
static inline const struct fil_key_table_key *fil_key_table_key(const struct fil_key_table *table,
                                                                uint32_t slot)
{
    const struct fil_key_table_key *key = fil_column_find(&table->keys, slot);
    return key != NULL && key->is_live ? key : NULL;
}

/** Asserts that every key is found in its place. */
void fil_key_table_check(const struct fil_key_table *table);
