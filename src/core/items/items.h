// SPDX-License-Identifier: Apache-2.0
/**
 * A sequence of byte strings in compact memory: the core of lists, queues and ring buffers.
 *
 * Items stand one behind the other in blocks of up to 4 KiB, which are linked; a larger item has a
 * block of its own. An item under 128 bytes costs two bytes besides its own.
 *
 * Work:    both ends in constant time; the middle costs a look at each block on the way from the
 *          nearer end, and a move within one block.
 * Memory:  all of it is charged to the account given to init. What finds no room is refused with
 *          FIL_E_NOMEM, and the sequence is as it was. Items given out are borrowed until the next
 *          change; what is passed in is copied and must not be borrowed from the same sequence.
 * Threads: single-threaded; whoever owns the account.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/list.h"
#include "lib/mem/budget.h"

#define FIL_ITEM_BYTES_MAX (UINT32_C(1) << 30)

struct fil_item_block;

struct fil_items {
    struct fil_account *account;
    struct fil_list blocks;
    uint64_t count;
    uint64_t bytes; // of memory, as charged
};

/** Where an item stands; block is NULL behind the last one and before the first. */
struct fil_item_cursor {
    struct fil_item_block *block;
    uint32_t offset;
    uint64_t index;
};

/** Owns nothing until the first item comes. */
void fil_items_init(struct fil_items *items, struct fil_account *account);
void fil_items_fini(struct fil_items *items);

/** FIL_E_NOMEM, FIL_E_LIMIT for an item that is too large. */
int fil_items_push_back(struct fil_items *items, struct fil_bytes item) FIL_NODISCARD;
int fil_items_push_front(struct fil_items *items, struct fil_bytes item) FIL_NODISCARD;

/** False when there is none. */
bool fil_items_front(const struct fil_items *items, struct fil_bytes *out_item);
bool fil_items_back(const struct fil_items *items, struct fil_bytes *out_item);

/** The first, the last item goes; there must be one. */
void fil_items_drop_front(struct fil_items *items);
void fil_items_drop_back(struct fil_items *items);

/** Hints for a group of sequences, whose waits for memory then overlap: ask for the blocks at their
 * ends, then for the items there. */
FIL_PREFETCHES void fil_items_prefetch(const struct fil_items *items);
FIL_PREFETCHES void fil_items_prefetch_ends(const struct fil_items *items);

/** All items go, and all memory. */
void fil_items_clear(struct fil_items *items);

/** All items go to the other, which is empty, with their memory: nothing is copied or refused. */
void fil_items_move(struct fil_items *target, struct fil_items *source);

/** Cursors, good until the next change that is not made through them. */
struct fil_item_cursor fil_items_first(const struct fil_items *items);
struct fil_item_cursor fil_items_last(const struct fil_items *items);
struct fil_item_cursor fil_items_at(const struct fil_items *items, uint64_t index);
bool fil_items_read(const struct fil_item_cursor *cursor, struct fil_bytes *out_item);
void fil_items_next(const struct fil_items *items, struct fil_item_cursor *cursor);
void fil_items_previous(const struct fil_items *items, struct fil_item_cursor *cursor);

/**
 * Puts an item before the cursor's, at the end when it stands behind the last; the cursor then
 * stands on the new one. FIL_E_NOMEM, FIL_E_LIMIT.
 */
int fil_items_insert(struct fil_items *items, struct fil_item_cursor *cursor, struct fil_bytes item)
    FIL_NODISCARD;

/** The cursor's item goes; the cursor then stands on the next one. */
void fil_items_remove(struct fil_items *items, struct fil_item_cursor *cursor);

/** Another item in its place. FIL_E_NOMEM, FIL_E_LIMIT: the old one stays. */
int fil_items_replace(struct fil_items *items, struct fil_item_cursor *cursor,
                      struct fil_bytes item) FIL_NODISCARD;

/** The first, the last cursor with an equal item; its block is NULL when there is none. */
struct fil_item_cursor fil_items_find(const struct fil_items *items, struct fil_bytes item);
struct fil_item_cursor fil_items_find_last(const struct fil_items *items, struct fil_bytes item);

/** Less than, equal to or greater than 0, as a stands before, beside or behind b. */
typedef int (*fil_items_compare_fn)(void *context, struct fil_bytes a, struct fil_bytes b);

/** In a sorted sequence: the first item that belongs behind this one. Looks at every block. */
struct fil_item_cursor fil_items_find_place(const struct fil_items *items, struct fil_bytes item,
                                            fil_items_compare_fn compare, void *context);

/** Asserts every invariant; for tests. */
void fil_items_check(const struct fil_items *items);
