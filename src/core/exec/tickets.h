// SPDX-License-Identifier: Apache-2.0
/**
 * The run queue of a partition thread: which of the partitions that are at home with it have a
 * ticket, one bit each. A second level tells which words are worth a look, so that an empty queue
 * of thousands costs as little as one of a few.
 *
 * Order:    round robin: a partition that gets a ticket again waits for all others that have one.
 * Progress: put is wait-free, take is lock-free. There is room for everybody, and a thread that is
 *           interrupted in the middle hides nobody's ticket.
 * Parking:  put and is_empty are sequentially consistent, see parker.h.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/role.h"

struct fil_tickets {
    // Written by init, then read-only.
    _Atomic uint64_t *words;
    _Atomic uint64_t *marks; // a bit a word: set when the word has tickets, and a while longer
    uint32_t word_count;
    uint32_t mark_count; // words of marks

    // Shared by those who take.
    alignas(FIL_CACHE_LINE) _Atomic uint32_t next; // where the next take begins to look
};

/** For indexes below count. Returns FIL_OK or FIL_E_NOMEM. */
int fil_tickets_init(struct fil_tickets *tickets, uint32_t count) FIL_NODISCARD;

/** Harmless after a failed init. */
void fil_tickets_fini(struct fil_tickets *tickets);

/** Gives a ticket; false when there is one already. */
FIL_ANY_THREAD bool fil_tickets_put(struct fil_tickets *tickets, uint32_t index);

/** Takes a ticket; false when there is none. */
FIL_ANY_THREAD bool fil_tickets_take(struct fil_tickets *tickets, uint32_t *out_index)
    FIL_NODISCARD;

/** For who is about to park: looks at every word. */
FIL_ANY_THREAD bool fil_tickets_is_empty(struct fil_tickets *tickets);

/** As is_empty, but overlooks words that another thread is about to take from. */
FIL_ANY_THREAD bool fil_tickets_seem_empty(struct fil_tickets *tickets);

/** How many there are; a figure that may be old. */
FIL_ANY_THREAD uint32_t fil_tickets_count(struct fil_tickets *tickets);
