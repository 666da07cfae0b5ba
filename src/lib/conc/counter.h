// SPDX-License-Identifier: Apache-2.0
/**
 * 64-bit counter that one thread writes and any thread reads.
 *
 * The writer's add has no locked instruction: it loads and stores, both relaxed, which is only
 * right because nobody else writes. Where several threads write the same counter, all of them must
 * use add_shared.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/role.h"

struct fil_counter {
    _Atomic uint64_t value;
};

/** The counter's one writer. */
static inline void fil_counter_add(struct fil_counter *counter, uint64_t amount)
{
    // Relaxed: a count publishes nothing but itself.
    uint64_t before = atomic_load_explicit(&counter->value, memory_order_relaxed);
    atomic_store_explicit(&counter->value, before + amount, memory_order_relaxed);
}

/** For a counter that has several writers. */
FIL_ANY_THREAD static inline void fil_counter_add_shared(struct fil_counter *counter,
                                                         uint64_t amount)
{
    // Relaxed: a count publishes nothing but itself.
    atomic_fetch_add_explicit(&counter->value, amount, memory_order_relaxed);
}

FIL_ANY_THREAD static inline uint64_t fil_counter_read(const struct fil_counter *counter)
{
    // Relaxed: the reader wants a recent figure, not what happened before it.
    return atomic_load_explicit(&counter->value, memory_order_relaxed);
}
