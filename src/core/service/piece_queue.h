// SPDX-License-Identifier: Apache-2.0
/**
 * Bytes on their way between a connection and whoever works for its request, in the pieces in which
 * they came.
 *
 * The queue has no limit of its own: whoever pushes asks for its size first, and what it does when
 * that is too much is its own affair.
 *
 * Order:    first in, first out for each of those that push.
 * Progress: push is lock-free, take is wait-free.
 * Memory:   a piece is a copy, drawn from the budget until it is given back.
 * Threads:  any push and ask for the size; one takes and gives back.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"
#include "lib/conc/stack.h"

struct fil_budget;

struct fil_piece {
    struct fil_link link;
    size_t size;
    uint8_t data[];
};

struct fil_piece_queue {
    // Set by init, then read-only.
    struct fil_budget *budget; // NULL: none

    // Shared.
    struct fil_stack pushed;     // since the last take
    _Atomic uint64_t size_bytes; // of all pieces that were not given back

    // The taker's own.
    struct fil_link *taken; // in order
};

void fil_piece_queue_init(struct fil_piece_queue *queue, struct fil_budget *budget);

/** Nobody pushes any more: frees what was not taken. */
void fil_piece_queue_fini(struct fil_piece_queue *queue);

/** Pushes a copy of what first and second have, one behind the other, as one piece. FIL_E_NOMEM. */
int fil_piece_queue_push(struct fil_piece_queue *queue, struct fil_bytes first,
                         struct fil_bytes second) FIL_NODISCARD;

/** The next piece, or NULL; the taker gives it back. */
struct fil_piece *fil_piece_queue_take(struct fil_piece_queue *queue);

/** Frees a piece that was taken; returns the size that the queue had with it. */
uint64_t fil_piece_queue_give(struct fil_piece_queue *queue, struct fil_piece *piece);

FIL_ANY_THREAD static inline uint64_t fil_piece_queue_size(const struct fil_piece_queue *queue)
{
    // Relaxed: the pieces themselves are handed over by the stack.
    return atomic_load_explicit(&queue->size_bytes, memory_order_relaxed);
}
