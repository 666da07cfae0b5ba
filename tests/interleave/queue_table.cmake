# SPDX-License-Identifier: Apache-2.0
# The queues' mutants. See rewrite.cmake.

mutant(place_is_published_before_its_item doorway lib/conc/slots.c
[[    slot->item = item;
]]
[[    atomic_store_explicit(&slot->turn, position + 1, memory_order_release);
    (void)atomic_load_explicit(tail, memory_order_relaxed); // somebody may come between
    slot->item = item;
]])

mutant(parker_is_announced_late buffered_edge lib/conc/parker.c
[[    atomic_store_explicit(&parker->state, PARKED, memory_order_seq_cst);]]
[[    atomic_store_explicit(&parker->state, PARKED, memory_order_release);]])

mutant(sleep_is_announced_again doorway lib/conc/parker.c
[[    int result = fil_futex_wait(&parker->state, PARKED, timeout_ns);]]
[[    atomic_store_explicit(&parker->state, PARKED, memory_order_seq_cst);
    int result = fil_futex_wait(&parker->state, PARKED, timeout_ns);]])

mutant(every_waker_wakes doorway lib/conc/parker.c
[[    if (atomic_exchange_explicit(&parker->state, AWAKE, memory_order_seq_cst) == AWAKE) {
        return false;
    }]]
[[    atomic_store_explicit(&parker->state, AWAKE, memory_order_seq_cst);]])
