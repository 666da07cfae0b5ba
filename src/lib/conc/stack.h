// SPDX-License-Identifier: Apache-2.0
/**
 * Intrusive hand-over: many threads push linked items, one thread takes them all at once.
 *
 * A push is one compare-and-swap, also for a whole chain; a take is one exchange and gives the
 * items in the order they arrived. There is no capacity: an item can be in at most one stack,
 * so whoever bounds the items bounds the stack.
 *
 * Order:    first in, first out for each producer; a chain stays together.
 * Progress: push is lock-free, take is wait-free (then one pass to turn the items round).
 * Memory:   borrows the items; after a push they belong to the consumer.
 * Parking:  push and is_empty are sequentially consistent, see parker.h.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/base/assert.h"
#include "lib/conc/role.h"

struct fil_link {
    struct fil_link *next;
};

struct fil_stack {
    _Atomic(struct fil_link *) top;
};

static inline void fil_stack_init(struct fil_stack *stack)
{
    atomic_init(&stack->top, NULL);
}

/**
 * Pushes a chain that is linked from newest to oldest; returns whether the stack was empty.
 */
FIL_ANY_THREAD static inline bool
fil_stack_push_chain(struct fil_stack *stack, struct fil_link *newest, struct fil_link *oldest)
{
    fil_debug_assert(newest != NULL);
    // Relaxed: only a guess for the exchange below.
    struct fil_link *top = atomic_load_explicit(&stack->top, memory_order_relaxed);
    // Lock-free: when this thread goes round again, another one has pushed or taken.
    do {
        oldest->next = top;
        // R1 pairs with A1: the items are written before they are seen.
    } while (!atomic_compare_exchange_weak_explicit(&stack->top, &top, newest, memory_order_seq_cst,
                                                    memory_order_relaxed));
    return top == NULL;
}

/** Pushes one item; returns whether the stack was empty. */
FIL_ANY_THREAD static inline bool fil_stack_push(struct fil_stack *stack, struct fil_link *item)
{
    return fil_stack_push_chain(stack, item, item);
}

/** Takes everything, oldest first; NULL when there is nothing. */
static inline struct fil_link *fil_stack_take_all(struct fil_stack *stack)
{
    // A1 pairs with R1: what the producers wrote is visible after the exchange. Sequentially
    // consistent, because partitions order it against their state word.
    struct fil_link *newest = atomic_exchange_explicit(&stack->top, NULL, memory_order_seq_cst);
    struct fil_link *oldest = NULL;
    while (newest != NULL) {
        struct fil_link *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    return oldest;
}

static inline bool fil_stack_is_empty(struct fil_stack *stack)
{
    return atomic_load_explicit(&stack->top, memory_order_seq_cst) == NULL;
}
