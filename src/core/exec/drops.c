// SPDX-License-Identifier: Apache-2.0
#include "core/exec/drops.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/assert.h"

static uint32_t state_of(const struct fil_drops_place *place)
{
    // A1 pairs with R1: who sees a taken place sees its name.
    return atomic_load_explicit(&place->state, memory_order_acquire);
}

/** Takes a free place for the name; false when another was faster. */
static bool take(struct fil_drops_place *place, const char *name)
{
    uint32_t state = FIL_DROPS_FREE;
    // Relaxed: the claim publishes nothing, R1 does.
    if (!atomic_compare_exchange_strong_explicit(&place->state, &state, FIL_DROPS_CLAIMED,
                                                 memory_order_relaxed, memory_order_relaxed)) {
        return false;
    }
    (void)snprintf(place->name, sizeof(place->name), "%s", name);                // may cut
    atomic_store_explicit(&place->state, FIL_DROPS_TAKEN, memory_order_release); // R1
    return true;
}

static bool has_name(const struct fil_drops_place *place, const char *name)
{
    return state_of(place) == FIL_DROPS_TAKEN &&
           strncmp(place->name, name, sizeof(place->name) - 1) == 0;
}

/** Where the name's losses are counted; NULL when somebody is in the middle of taking a place. */
static struct fil_counter *find(struct fil_drops *drops, const char *name)
{
    for (uint32_t i = 0; i < FIL_DROPS_NAMES_MAX; i++) {
        struct fil_drops_place *place = &drops->places[i];
        if (state_of(place) == FIL_DROPS_FREE && take(place, name)) {
            return &place->count;
        }
        if (state_of(place) != FIL_DROPS_TAKEN) {
            return NULL; // it may become the same name's
        }
        if (has_name(place, name)) {
            return &place->count;
        }
    }
    return &drops->others;
}

void fil_drops_count(struct fil_drops *drops, const char *name,
                     _Atomic(struct fil_counter *) *cache, uint64_t count)
{
    // Relaxed: the counter has been there since the table was made.
    struct fil_counter *counter = atomic_load_explicit(cache, memory_order_relaxed);
    if (counter == NULL) {
        counter = find(drops, name);
        atomic_store_explicit(cache, counter, memory_order_relaxed);
    }
    fil_counter_add_shared(counter == NULL ? &drops->others : counter, count);
}

const struct fil_drops_place *fil_drops_place(const struct fil_drops *drops, uint32_t index)
{
    fil_assert(index < FIL_DROPS_NAMES_MAX);
    const struct fil_drops_place *place = &drops->places[index];
    return state_of(place) == FIL_DROPS_TAKEN ? place : NULL;
}
