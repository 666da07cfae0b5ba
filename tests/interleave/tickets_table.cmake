# SPDX-License-Identifier: Apache-2.0
# The run queue's explored copy has words of four tickets, so that few of them have marks; and its
# mutants. See rewrite.cmake.

setting(core/exec/tickets.c [[#define WORD_BITS 64U]] [[#define WORD_BITS 4U]])

mutant(word_is_marked_before_it_has_tickets two_putters core/exec/tickets.c
[[    // T1 with take: when the bit is still set, whoever takes it does so after us, and sees what we
    // did before.
    uint64_t before =
        atomic_fetch_or_explicit(&tickets->words[word], bit_of(index), memory_order_seq_cst);
    if (tickets->word_count > 1) {
        mark(tickets, word);
    }]]
[[    mark(tickets, word);
    uint64_t before =
        atomic_fetch_or_explicit(&tickets->words[word], bit_of(index), memory_order_seq_cst);]])

mutant(word_is_unmarked_for_good two_takers core/exec/tickets.c
[[    if (atomic_load_explicit(&tickets->words[word], memory_order_seq_cst) != 0) {
        atomic_fetch_or_explicit(mark, bit_of(word), memory_order_seq_cst);
    }]]
[[]])

mutant(ticket_of_several_words_is_taken_in_two_steps two_takers core/exec/tickets.c
[[        if (atomic_fetch_and_explicit(&tickets->words[word], ~bit, memory_order_seq_cst) & bit) {]]
[[        uint64_t seen = atomic_load_explicit(&tickets->words[word], memory_order_seq_cst);
        atomic_store_explicit(&tickets->words[word], seen & ~bit, memory_order_seq_cst);
        if (seen & bit) {]])
