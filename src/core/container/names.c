// SPDX-License-Identifier: Apache-2.0
#include "core/container/names.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"

static uint32_t slots_for(uint32_t count_max)
{
    uint32_t count = 2;
    while (count < count_max * 2) {
        count *= 2;
    }
    return count;
}

int fil_names_init(struct fil_names *names, uint32_t count_max, uint64_t seed,
                   fil_names_of_fn name_of)
{
    fil_assert(count_max > 0 && count_max <= UINT32_MAX / 4);
    *names = (struct fil_names){.name_of = name_of,
                                .seed = seed,
                                .count_max = count_max,
                                .slot_count = slots_for(count_max)};
    names->slots = fil_alloc_zero(names->slot_count, sizeof(names->slots[0]));
    return names->slots == NULL ? FIL_E_NOMEM : FIL_OK;
}

void fil_names_fini(struct fil_names *names)
{
    fil_free(names->slots);
    names->slots = NULL;
}

static struct fil_bytes name_of(const struct fil_names *names, const void *thing)
{
    struct fil_bytes name = {0};
    names->name_of(thing, &name);
    return name;
}

/** The thing, or NULL and the slot where it would be. */
static void *look_up(const struct fil_names *names, struct fil_bytes name, uint32_t *out_slot)
{
    uint32_t mask = names->slot_count - 1;
    uint32_t slot = (uint32_t)fil_hash(name, names->seed) & mask;
    // Bounded: at least half of the slots are empty.
    for (;; slot = (slot + 1) & mask) {
        // A1 pairs with R1: the thing is complete.
        void *thing = atomic_load_explicit(&names->slots[slot], memory_order_acquire);
        if (thing == NULL || fil_bytes_equal(name_of(names, thing), name)) {
            *out_slot = slot;
            return thing;
        }
    }
}

void *fil_names_find(const struct fil_names *names, struct fil_bytes name)
{
    uint32_t slot = 0;
    return look_up(names, name, &slot);
}

int fil_names_add(struct fil_names *names, void *thing)
{
    uint32_t slot = 0;
    // Relaxed: one thread at a time adds.
    uint32_t count = atomic_load_explicit(&names->count, memory_order_relaxed);
    if (count == names->count_max) {
        return FIL_E_LIMIT;
    }
    void *other = look_up(names, name_of(names, thing), &slot);
    fil_assert(other == NULL);
    // R1 pairs with A1.
    atomic_store_explicit(&names->slots[slot], thing, memory_order_release);
    atomic_store_explicit(&names->count, count + 1, memory_order_relaxed);
    return FIL_OK;
}

uint32_t fil_names_count(const struct fil_names *names)
{
    // Relaxed: the reader wants a recent figure.
    return atomic_load_explicit(&names->count, memory_order_relaxed);
}

void *fil_names_next(const struct fil_names *names, uint32_t *position)
{
    while (names->slots != NULL && *position < names->slot_count) {
        uint32_t slot = (*position)++;
        // A1 pairs with R1, as above.
        void *thing = atomic_load_explicit(&names->slots[slot], memory_order_acquire);
        if (thing != NULL) {
            return thing;
        }
    }
    return NULL;
}
