// SPDX-License-Identifier: Apache-2.0
/**
 * What stands in the place of <stdatomic.h>'s accesses in explored copies (see rewrite.cmake):
 * each tells the explorer where it goes before it goes there. Included by the compiler's command
 * line before everything else.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIL_EXPLORED_TEXT_OF(line) #line
#define FIL_EXPLORED_AT(line)      __FILE__ ":" FIL_EXPLORED_TEXT_OF(line)
#define FIL_EXPLORED_HERE          FIL_EXPLORED_AT(__LINE__)

void fil_explored_before_load(const void *object, const char *where);
void fil_explored_before_update(const void *object, const char *where);

/** False: the store goes to memory. True: it goes to the actor's buffer, with the next call. */
bool fil_explored_store_is_buffered(const void *object, bool is_ordered, const char *where);
void fil_explored_buffer_store(void *object, size_t size, uint64_t value);

/** What thread-local variables of explored copies become: each actor has its own. */
#define FIL_EXPLORED_LOCAL __attribute__((section("explored_local")))

/** Another address for each actor, and for whoever is none. */
char *fil_explored_self(void);

// The objects are evaluated twice and must have no effects.

#define fil_explored_load(object, order)                          \
    ((void)fil_explored_before_load((object), FIL_EXPLORED_HERE), \
     atomic_load_explicit((object), (order)))

#define fil_explored_store(object, value, order)                                                  \
    (fil_explored_store_is_buffered((object), (order) == memory_order_seq_cst, FIL_EXPLORED_HERE) \
         ? fil_explored_buffer_store((object), sizeof(*(object)), (uint64_t)(uintptr_t)(value))   \
         : atomic_store_explicit((object), (value), (order)))

#define fil_explored_exchange(object, value, order)                 \
    ((void)fil_explored_before_update((object), FIL_EXPLORED_HERE), \
     atomic_exchange_explicit((object), (value), (order)))

#define fil_explored_compare_exchange_strong(object, expected, value, order, other) \
    ((void)fil_explored_before_update((object), FIL_EXPLORED_HERE),                 \
     atomic_compare_exchange_strong_explicit((object), (expected), (value), (order), (other)))

// Strong, because a failure without a reason would not be repeatable.
#define fil_explored_compare_exchange_weak(object, expected, value, order, other) \
    fil_explored_compare_exchange_strong(object, expected, value, order, other)

#define fil_explored_fetch_add(object, value, order)                \
    ((void)fil_explored_before_update((object), FIL_EXPLORED_HERE), \
     atomic_fetch_add_explicit((object), (value), (order)))

#define fil_explored_fetch_sub(object, value, order)                \
    ((void)fil_explored_before_update((object), FIL_EXPLORED_HERE), \
     atomic_fetch_sub_explicit((object), (value), (order)))

#define fil_explored_fetch_or(object, value, order)                 \
    ((void)fil_explored_before_update((object), FIL_EXPLORED_HERE), \
     atomic_fetch_or_explicit((object), (value), (order)))

#define fil_explored_fetch_and(object, value, order)                \
    ((void)fil_explored_before_update((object), FIL_EXPLORED_HERE), \
     atomic_fetch_and_explicit((object), (value), (order)))
