// SPDX-License-Identifier: Apache-2.0
#include "core/exec/tickets.h"

#include <stddef.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/conc/yield.h"

#define WORD_BITS 64U

int fil_tickets_init(struct fil_tickets *tickets, uint32_t count)
{
    fil_assert(count > 0);
    tickets->word_count = (count + WORD_BITS - 1) / WORD_BITS;
    tickets->words =
        fil_alloc_aligned(FIL_CACHE_LINE, tickets->word_count * sizeof(*tickets->words));
    atomic_init(&tickets->next, 0);
    return tickets->words == NULL ? FIL_E_NOMEM : FIL_OK;
}

void fil_tickets_fini(struct fil_tickets *tickets)
{
    fil_free(tickets->words);
    tickets->words = NULL;
}

bool fil_tickets_put(struct fil_tickets *tickets, uint32_t index)
{
    fil_assert(index / WORD_BITS < tickets->word_count);
    uint64_t bit = UINT64_C(1) << (index % WORD_BITS);
    FIL_YIELD_POINT();
    // T1 with take: when the bit is still set, whoever takes it does so after us, and sees what we
    // did before.
    return (atomic_fetch_or_explicit(&tickets->words[index / WORD_BITS], bit,
                                     memory_order_seq_cst) &
            bit) == 0;
}

/** Takes one of the wanted bits of a word; false when there is none (any more). */
static bool take_from(struct fil_tickets *tickets, uint32_t word, uint64_t wanted,
                      uint32_t *out_index)
{
    FIL_YIELD_POINT();
    uint64_t bits = atomic_load_explicit(&tickets->words[word], memory_order_seq_cst) & wanted;
    // Lock-free: a bit that is gone was taken by another thread.
    while (bits != 0) {
        uint64_t bit = bits & (~bits + 1);
        FIL_YIELD_POINT();
        // T1 with put.
        if (atomic_fetch_and_explicit(&tickets->words[word], ~bit, memory_order_seq_cst) & bit) {
            *out_index = word * WORD_BITS + (uint32_t)__builtin_ctzll(bit);
            return true;
        }
        bits &= ~bit;
    }
    return false;
}

bool fil_tickets_take(struct fil_tickets *tickets, uint32_t *out_index)
{
    FIL_YIELD_POINT();
    // Relaxed, here and below: an old place to begin is as good as any.
    uint32_t next = atomic_load_explicit(&tickets->next, memory_order_relaxed);
    uint32_t first = next / WORD_BITS;
    uint64_t later = UINT64_MAX << (next % WORD_BITS);
    bool is_taken = take_from(tickets, first, later, out_index);
    for (uint32_t i = 1; i < tickets->word_count && !is_taken; i++) {
        is_taken = take_from(tickets, (first + i) % tickets->word_count, UINT64_MAX, out_index);
    }
    is_taken = is_taken || take_from(tickets, first, ~later, out_index);
    if (is_taken) {
        FIL_YIELD_POINT();
        atomic_store_explicit(&tickets->next, (*out_index + 1) % (tickets->word_count * WORD_BITS),
                              memory_order_relaxed);
    }
    return is_taken;
}

bool fil_tickets_is_empty(struct fil_tickets *tickets)
{
    for (uint32_t i = 0; i < tickets->word_count; i++) {
        FIL_YIELD_POINT();
        if (atomic_load_explicit(&tickets->words[i], memory_order_seq_cst) != 0) {
            return false;
        }
    }
    return true;
}

uint32_t fil_tickets_count(struct fil_tickets *tickets)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tickets->word_count; i++) {
        // Relaxed: a figure.
        count += (uint32_t)__builtin_popcountll(
            atomic_load_explicit(&tickets->words[i], memory_order_relaxed));
    }
    return count;
}
