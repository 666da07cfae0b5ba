// SPDX-License-Identifier: Apache-2.0
#include "core/items/choice.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"

#define COUNT_MAX (UINT32_C(1) << 30)
#define TICKED    (UINT32_C(1) << 31)

/** The slot of an equal item, or the free one where it would be. */
static uint32_t find_slot(const struct fil_choice *choice, struct fil_bytes item)
{
    uint32_t mask = choice->slot_count - 1;
    uint32_t slot = (uint32_t)fil_hash(item, choice->seed) & mask;
    // Bounded: half of the slots are free.
    while (choice->slots[slot] != 0 &&
           !fil_bytes_equal(choice->items[(choice->slots[slot] & ~TICKED) - 1], item)) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

int fil_choice_init(struct fil_choice *choice, const struct fil_bytes *items, uint64_t count,
                    uint64_t seed)
{
    *choice = (struct fil_choice){.items = items, .slot_count = 2, .seed = seed};
    if (count > COUNT_MAX) {
        return FIL_E_LIMIT;
    }
    while (choice->slot_count < count * 2) {
        choice->slot_count *= 2;
    }
    choice->slots = fil_alloc_zero(choice->slot_count, sizeof(choice->slots[0]));
    if (choice->slots == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = find_slot(choice, items[i]);
        if (choice->slots[slot] == 0) {
            choice->slots[slot] = i + 1;
            choice->distinct++;
        }
    }
    fil_assert(choice->distinct <= count);
    return FIL_OK;
}

void fil_choice_fini(struct fil_choice *choice)
{
    fil_free(choice->slots);
    choice->slots = NULL;
}

bool fil_choice_has(const struct fil_choice *choice, struct fil_bytes item)
{
    return choice->slots[find_slot(choice, item)] != 0;
}

bool fil_choice_tick(struct fil_choice *choice, struct fil_bytes item)
{
    uint32_t *slot = &choice->slots[find_slot(choice, item)];
    bool is_new = *slot != 0 && !(*slot & TICKED);
    if (is_new) {
        *slot |= TICKED;
    }
    return is_new;
}

bool fil_choice_is_covered(struct fil_choice *choice, const struct fil_items *sequence,
                           uint64_t from)
{
    struct fil_item_cursor cursor = fil_items_at(sequence, from);
    struct fil_bytes item;
    uint32_t found = 0;
    while (found < choice->distinct && fil_items_read(&cursor, &item)) {
        found += fil_choice_tick(choice, item);
        fil_items_next(sequence, &cursor);
    }
    return found == choice->distinct;
}

bool fil_choice_drops(const struct fil_choice *choice, enum fil_sift which, struct fil_bytes item)
{
    return fil_choice_has(choice, item) == (which == FIL_SIFT_REMOVE_NAMED);
}

uint64_t fil_choice_sift(const struct fil_choice *choice, enum fil_sift which,
                         struct fil_items *sequence, uint64_t from, fil_choice_leave_fn leave,
                         void *context)
{
    struct fil_item_cursor cursor = fil_items_at(sequence, from);
    struct fil_bytes item;
    uint64_t count_before = sequence->count;
    while (fil_items_read(&cursor, &item)) {
        if (fil_choice_drops(choice, which, item)) {
            leave(context, item);
            fil_items_remove(sequence, &cursor);
        } else {
            fil_items_next(sequence, &cursor);
        }
    }
    return count_before - sequence->count;
}
