// SPDX-License-Identifier: Apache-2.0
/**
 * Byte strings under byte strings in compact memory: the core of sets and hashes.
 *
 * A small one is a sequence (items.h) that is searched from end to end, keys and values in turn; a
 * set keeps no values. From 129 entries or a key or value over 64 bytes on it is a store, and stays
 * one until it is cleared.
 *
 * Memory:  charged to the account, or to the budget's by the store. FIL_E_NOMEM leaves everything
 *          as it was. What is given out is borrowed until the next change.
 * Threads: single-threaded.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/items/items.h"
#include "core/store/store.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/mem/budget.h"

#define FIL_DICT_SMALL_ENTRIES 128U
#define FIL_DICT_SMALL_BYTES   64U

struct fil_dict {
    struct fil_items small;
    struct fil_store *large;                 // NULL: it is small
    const struct fil_store_options *options; // of the store; for its hash
    bool has_values;
};

/** The options must outlive it; only their hash seed is looked at before it is large. */
void fil_dict_init(struct fil_dict *dict, struct fil_account *account,
                   const struct fil_store_options *options, bool has_values);
void fil_dict_fini(struct fil_dict *dict);

uint64_t fil_dict_count(const struct fil_dict *dict);

/** Bytes of memory, exact. */
uint64_t fil_dict_bytes(const struct fil_dict *dict);

/** out_value may be NULL. */
bool fil_dict_find(const struct fil_dict *dict, struct fil_bytes key, struct fil_bytes *out_value);

/** Inserts or overwrites. FIL_E_NOMEM, FIL_E_LIMIT for what is too large. */
int fil_dict_put(struct fil_dict *dict, struct fil_bytes key, struct fil_bytes value,
                 bool *out_is_new) FIL_NODISCARD;

/** Whether the key was there. */
bool fil_dict_remove(struct fil_dict *dict, struct fil_bytes key);

/** Everything goes, and all memory. */
void fil_dict_clear(struct fil_dict *dict);

/**
 * All entries go to the other, which is empty, of the same kind and seed, with their memory:
 * nothing is copied or refused.
 */
void fil_dict_move(struct fil_dict *target, struct fil_dict *source);

/** Must not change the dict. */
typedef void (*fil_dict_visit_fn)(void *context, struct fil_bytes key, struct fil_bytes value);

/**
 * Visits about `budget` entries from a cursor on, which starts with 0; returns the next cursor,
 * FIL_STORE_SCAN_END at the end. A small one is visited at once. What is there from the first call
 * to the last is visited at least once.
 */
uint64_t fil_dict_scan(const struct fil_dict *dict, uint64_t cursor, uint32_t budget,
                       fil_dict_visit_fn visit, void *context);

/** A random entry; false when there is none. */
bool fil_dict_pick(struct fil_dict *dict, uint64_t random, struct fil_bytes *out_key,
                   struct fil_bytes *out_value);
