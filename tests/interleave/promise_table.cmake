# SPDX-License-Identifier: Apache-2.0
# The promises' explored copies and their mutants. See rewrite.cmake.

# Numbers that grow with every cell would tell states apart that behave alike.
setting(core/exec/cell.c [[    static _Atomic uint32_t generations;]]
                         [[    _Atomic uint32_t generations = 0;]])

mutant(bit_is_set_in_two_steps VALUE_against_THEN core/exec/cell.c
[[    uint32_t before = atomic_fetch_add_explicit(&cell->state, bit, memory_order_acq_rel);]]
[[    uint32_t before = atomic_load_explicit(&cell->state, memory_order_acquire);
    atomic_store_explicit(&cell->state, before + bit, memory_order_release);]])
