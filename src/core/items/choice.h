// SPDX-License-Identifier: Apache-2.0
/**
 * Whether an item is one of those that were named: for requests about many items at once.
 *
 * Memory:  a table of four bytes for each two items, for the time of the request; borrows the
 * items.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/items/items.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

struct fil_choice {
    const struct fil_bytes *items;
    uint32_t *slots; // 0: free, otherwise an item's index and one; the highest bit: ticked
    uint32_t slot_count;
    uint32_t distinct; // items that differ
    uint64_t seed;
};

/** FIL_E_NOMEM, FIL_E_LIMIT for more than 2^30. */
int fil_choice_init(struct fil_choice *choice, const struct fil_bytes *items, uint64_t count,
                    uint64_t seed) FIL_NODISCARD;
void fil_choice_fini(struct fil_choice *choice);

bool fil_choice_has(const struct fil_choice *choice, struct fil_bytes item);

/** Whether it was named and has not been ticked before; it is from here on. */
bool fil_choice_tick(struct fil_choice *choice, struct fil_bytes item);

/** Which items go when many are named. */
enum fil_sift {
    FIL_SIFT_REMOVE_NAMED, // those that were named
    FIL_SIFT_RETAIN_NAMED, // all others
};

/** Whether an item is one of those that go. */
bool fil_choice_drops(const struct fil_choice *choice, enum fil_sift which, struct fil_bytes item);

/** An item is about to go. */
typedef void (*fil_choice_leave_fn)(void *context, struct fil_bytes item);

/** Removes all that go from the sequence, from an index on; returns how many. */
uint64_t fil_choice_sift(const struct fil_choice *choice, enum fil_sift which,
                         struct fil_items *sequence, uint64_t from, fil_choice_leave_fn leave,
                         void *context);

/** Whether each of those named is in the sequence, from an index on. Ticks them; once. */
bool fil_choice_is_covered(struct fil_choice *choice, const struct fil_items *sequence,
                           uint64_t from);
