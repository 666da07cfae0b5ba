// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/query/distinct.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"

#define CAPACITY_MIN 64U

struct fil_query_distinct_item {
    uint64_t hash;
    size_t offset;
    size_t size;
};

void fil_query_distinct_init(struct fil_query_distinct *set)
{
    *set = (struct fil_query_distinct){0};
    fil_map_buffer_init(&set->objects);
}

void fil_query_distinct_fini(struct fil_query_distinct *set)
{
    fil_map_buffer_fini(&set->objects);
    fil_free(set->items);
    fil_free(set->slots);
}

static uint32_t slot_mask(const struct fil_query_distinct *set)
{
    return set->capacity * 2 - 1;
}

/** The free slot of a hash. */
static void put_in_slot(struct fil_query_distinct *set, uint32_t number)
{
    uint32_t at = (uint32_t)set->items[number].hash & slot_mask(set);
    while (set->slots[at] != 0) {
        at = (at + 1) & slot_mask(set);
    }
    set->slots[at] = number + 1;
}

static int grow(struct fil_query_distinct *set)
{
    uint32_t capacity = set->capacity == 0 ? CAPACITY_MIN : set->capacity * 2;
    if (capacity > FIL_QUERY_DISTINCT_MAX) {
        return FIL_E_LIMIT;
    }
    uint32_t *slots = fil_alloc_zero((size_t)capacity * 2, sizeof(*slots));
    struct fil_query_distinct_item *items =
        slots == NULL ? NULL : fil_realloc(set->items, capacity * sizeof(*items));
    if (items == NULL) {
        fil_free(slots);
        return FIL_E_NOMEM;
    }
    fil_free(set->slots);
    set->slots = slots;
    set->items = items;
    set->capacity = capacity;
    for (uint32_t i = 0; i < set->count; i++) {
        put_in_slot(set, i);
    }
    return FIL_OK;
}

static bool contains(const struct fil_query_distinct *set, uint64_t hash, struct fil_bytes object)
{
    if (set->capacity == 0) {
        return false;
    }
    const uint8_t *objects = fil_map_buffer_bytes(&set->objects).data;
    for (uint32_t at = (uint32_t)hash & slot_mask(set); set->slots[at] != 0;
         at = (at + 1) & slot_mask(set)) {
        const struct fil_query_distinct_item *item = &set->items[set->slots[at] - 1];
        if (item->hash == hash &&
            fil_bytes_equal(fil_bytes_make(objects + item->offset, item->size), object)) {
            return true;
        }
    }
    return false;
}

int fil_query_distinct_add(struct fil_query_distinct *set, struct fil_bytes object)
{
    // The seed differs from set to set, so that nobody can prepare objects that collide.
    uint64_t hash = fil_hash(object, (uint64_t)(uintptr_t)set);
    if (contains(set, hash, object)) {
        return FIL_OK;
    }
    if (object.size > FIL_QUERY_DISTINCT_BYTES_MAX - set->objects.size) {
        return FIL_E_LIMIT;
    }
    int error = set->count == set->capacity ? grow(set) : FIL_OK;
    if (error != FIL_OK) {
        return error;
    }
    size_t offset = set->objects.size;
    fil_map_buffer_add(&set->objects, object);
    if (set->objects.is_out_of_memory) {
        return FIL_E_NOMEM;
    }
    set->items[set->count] = (struct fil_query_distinct_item){hash, offset, object.size};
    put_in_slot(set, set->count);
    set->count++;
    fil_assert(set->count <= set->capacity);
    return FIL_OK;
}
