// SPDX-License-Identifier: Apache-2.0
/**
 * The slots of a bounded queue that many threads push to: whose a place is, and how it is claimed.
 *
 * The turn says whose a slot is. With p the position that is pushed to it next: turn == p: empty,
 * the producers'; turn == p + 1: filled, the consumers'. Who has taken the item sets it to
 * p + capacity, the position of the next round.
 *
 * Progress: claim is lock-free: when a thread goes round again, another one has moved on.
 * Memory:   the slots borrow the items; they never dereference or free them.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/role.h"

#define FIL_SLOTS_MAX (1U << 24)

struct fil_slot {
    _Atomic uint32_t turn;
    void *item;
};

/** All empty, from position 0 on; a power of two, at least 2. NULL: no memory. */
struct fil_slot *fil_slots_new(uint32_t capacity);
void fil_slots_free(struct fil_slot *slots);

/**
 * Claims the next position of a cursor whose slot has the turn position + ahead, and moves the
 * cursor on; NULL: the slot is not so far. With ahead 0 it is a producer's claim, with 1 a
 * consumer's.
 */
FIL_ANY_THREAD struct fil_slot *fil_slots_claim(struct fil_slot *slots, uint32_t mask,
                                                _Atomic uint32_t *cursor, uint32_t ahead,
                                                uint32_t *out_position);

/** Fills the slot at the tail; false: the queue is full. */
FIL_ANY_THREAD bool fil_slots_push(struct fil_slot *slots, uint32_t mask, _Atomic uint32_t *tail,
                                   void *item) FIL_NODISCARD;
