// SPDX-License-Identifier: Apache-2.0
#include "core/exec/tickets.h"

#include <stddef.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define WORD_BITS 64U

static uint32_t words_for(uint32_t count)
{
    return (count + WORD_BITS - 1) / WORD_BITS;
}

static uint64_t bit_of(uint32_t index)
{
    return UINT64_C(1) << (index % WORD_BITS);
}

/** The bits from that index on. */
static uint64_t bits_from(uint32_t index)
{
    return UINT64_MAX << (index % WORD_BITS);
}

int fil_tickets_init(struct fil_tickets *tickets, uint32_t count)
{
    fil_assert(count > 0);
    tickets->word_count = words_for(count);
    tickets->mark_count = words_for(tickets->word_count);
    size_t size = sizeof(*tickets->words);
    tickets->words = fil_alloc_aligned(FIL_CACHE_LINE, tickets->word_count * size);
    tickets->marks = fil_alloc_aligned(FIL_CACHE_LINE, tickets->mark_count * size);
    atomic_init(&tickets->next, 0);
    if (tickets->words == NULL || tickets->marks == NULL) {
        fil_tickets_fini(tickets);
        return FIL_E_NOMEM;
    }
    return FIL_OK;
}

void fil_tickets_fini(struct fil_tickets *tickets)
{
    fil_free(tickets->words);
    fil_free(tickets->marks);
    tickets->words = NULL;
    tickets->marks = NULL;
}

static void mark(struct fil_tickets *tickets, uint32_t word)
{
    _Atomic uint64_t *marks = &tickets->marks[word / WORD_BITS];
    // T2 with unmark: we write the word and look at the mark, it clears the mark and looks at the
    // word. Whoever puts sees to the mark, also when another has put before: that one may be
    // interrupted and not have come so far.
    if ((atomic_load_explicit(marks, memory_order_seq_cst) & bit_of(word)) == 0) {
        atomic_fetch_or_explicit(marks, bit_of(word), memory_order_seq_cst);
    }
}

bool fil_tickets_put(struct fil_tickets *tickets, uint32_t index)
{
    uint32_t word = index / WORD_BITS;
    fil_assert(word < tickets->word_count);
    // T1 with take: when the bit is still set, whoever takes it does so after us, and sees what we
    // did before.
    uint64_t before =
        atomic_fetch_or_explicit(&tickets->words[word], bit_of(index), memory_order_seq_cst);
    if (tickets->word_count > 1) {
        mark(tickets, word);
    }
    return (before & bit_of(index)) == 0;
}

/** Takes one of these bits of a word; false when there is none (any more). */
static bool take_bit(struct fil_tickets *tickets, uint32_t word, uint64_t bits, uint32_t *out_index)
{
    // Lock-free: a bit that is gone was taken by another thread.
    while (bits != 0) {
        uint64_t bit = bits & (~bits + 1);
        // T1 with put.
        if (atomic_fetch_and_explicit(&tickets->words[word], ~bit, memory_order_seq_cst) & bit) {
            *out_index = word * WORD_BITS + (uint32_t)__builtin_ctzll(bit);
            return true;
        }
        bits &= ~bit;
    }
    return false;
}

/** As take_bit, of those that are wanted. */
static bool take_from(struct fil_tickets *tickets, uint32_t word, uint64_t wanted,
                      uint32_t *out_index)
{
    uint64_t bits = atomic_load_explicit(&tickets->words[word], memory_order_seq_cst);
    return take_bit(tickets, word, bits & wanted, out_index);
}

/** When there is one word it needs no mark. */
static bool take_from_one(struct fil_tickets *tickets, uint32_t next, uint32_t *out_index)
{
    uint64_t bits = atomic_load_explicit(&tickets->words[0], memory_order_seq_cst);
    return take_bit(tickets, 0, bits & bits_from(next), out_index) ||
           take_bit(tickets, 0, bits & ~bits_from(next), out_index);
}

/** Clears the mark of a word that was empty; sets it again when somebody has put meanwhile. */
static void unmark(struct fil_tickets *tickets, uint32_t word)
{
    _Atomic uint64_t *mark = &tickets->marks[word / WORD_BITS];
    atomic_fetch_and_explicit(mark, ~bit_of(word), memory_order_seq_cst);
    // T2 with put.
    if (atomic_load_explicit(&tickets->words[word], memory_order_seq_cst) != 0) {
        atomic_fetch_or_explicit(mark, bit_of(word), memory_order_seq_cst);
    }
}

/** Takes from the marked words among those that one word of marks speaks of. */
static bool take_marked(struct fil_tickets *tickets, uint32_t mark, uint64_t wanted,
                        uint32_t *out_index)
{
    uint64_t marks = atomic_load_explicit(&tickets->marks[mark], memory_order_seq_cst) & wanted;
    for (; marks != 0; marks &= marks - 1) {
        uint32_t word = mark * WORD_BITS + (uint32_t)__builtin_ctzll(marks);
        if (take_from(tickets, word, UINT64_MAX, out_index)) {
            return true;
        }
        unmark(tickets, word);
        // Somebody may have put between the two looks.
        if (take_from(tickets, word, UINT64_MAX, out_index)) {
            return true;
        }
    }
    return false;
}

/** Of several words: what is left of the one, the words behind it, and round to its beginning. */
static bool take_round(struct fil_tickets *tickets, uint32_t next, uint32_t *out_index)
{
    uint32_t word = next / WORD_BITS;
    uint32_t mark = word / WORD_BITS;
    bool is_taken = take_from(tickets, word, bits_from(next), out_index);
    uint64_t behind = bits_from(word) & ~bit_of(word);
    is_taken = is_taken || take_marked(tickets, mark, behind, out_index);
    for (uint32_t i = 1; i < tickets->mark_count && !is_taken; i++) {
        is_taken = take_marked(tickets, (mark + i) % tickets->mark_count, UINT64_MAX, out_index);
    }
    return is_taken || take_marked(tickets, mark, ~behind, out_index);
}

bool fil_tickets_take(struct fil_tickets *tickets, uint32_t *out_index)
{
    // Relaxed, here and below: an old place to begin is as good as any.
    uint32_t next = atomic_load_explicit(&tickets->next, memory_order_relaxed);
    bool is_taken = tickets->word_count == 1 ? take_from_one(tickets, next, out_index)
                                             : take_round(tickets, next, out_index);
    if (is_taken) {
        atomic_store_explicit(&tickets->next, (*out_index + 1) % (tickets->word_count * WORD_BITS),
                              memory_order_relaxed);
    }
    return is_taken;
}

bool fil_tickets_is_empty(struct fil_tickets *tickets)
{
    for (uint32_t i = 0; i < tickets->word_count; i++) {
        // Not the marks: for a moment unmark hides a word that is not empty.
        if (atomic_load_explicit(&tickets->words[i], memory_order_seq_cst) != 0) {
            return false;
        }
    }
    return true;
}

bool fil_tickets_seem_empty(struct fil_tickets *tickets)
{
    if (tickets->word_count == 1) {
        return fil_tickets_is_empty(tickets);
    }
    for (uint32_t i = 0; i < tickets->mark_count; i++) {
        uint64_t marks = atomic_load_explicit(&tickets->marks[i], memory_order_seq_cst);
        for (; marks != 0; marks &= marks - 1) {
            // A mark stays a while longer than the word's tickets.
            uint32_t word = i * WORD_BITS + (uint32_t)__builtin_ctzll(marks);
            if (atomic_load_explicit(&tickets->words[word], memory_order_seq_cst) != 0) {
                return false;
            }
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
