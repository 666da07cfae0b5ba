// SPDX-License-Identifier: Apache-2.0
#include "lib/mem/pages.h"

#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/memory.h"
#include "lib/os/mutex.h"

#define UNIT_SHIFT   12U
#define PLACE_SHIFTS 9U // places of 4 KiB to 1 MiB; larger blocks are mapped each by itself
#define AREA_BYTES   FIL_MEMORY_LARGE_PAGE
#define AREAS_MIN    16U

_Static_assert(FIL_PAGES_UNIT == (size_t)1 << UNIT_SHIFT, "a unit is a page");

/** A place without a block. */
struct vacancy {
    uint8_t *memory;
    size_t resident; // bytes from its begin that may still have pages
};

/** All places of one size. */
struct places {
    struct fil_mutex mutex;

    // Under the mutex.
    struct vacancy *vacancies; // a stack; those with pages on top
    uint32_t vacant;
    uint32_t kept;     // of them, with pages
    uint32_t capacity; // as many as there are places
    size_t kept_bytes;
    uint8_t **areas;
    uint32_t area_count;
};

struct fil_pages {
    struct places places[PLACE_SHIFTS];
};

static size_t place_bytes(uint32_t index)
{
    return FIL_PAGES_UNIT << index;
}

/** Which places a block belongs to; PLACE_SHIFTS: it is mapped by itself. */
static uint32_t index_of(size_t size)
{
    size_t units = fil_pages_bytes(size) >> UNIT_SHIFT;
    uint32_t index = units <= 1 ? 0 : 64U - (uint32_t)__builtin_clzl(units - 1);
    return index < PLACE_SHIFTS ? index : PLACE_SHIFTS;
}

static size_t area_multiple(size_t size)
{
    return (size + AREA_BYTES - 1) / AREA_BYTES * AREA_BYTES;
}

struct fil_pages *fil_pages_new(void)
{
    struct fil_pages *pages = fil_alloc_zero(1, sizeof(*pages));
    for (uint32_t i = 0; pages != NULL && i < PLACE_SHIFTS; i++) {
        fil_mutex_init(&pages->places[i].mutex);
    }
    return pages;
}

static void free_places(struct places *places) FIL_TSA(no_thread_safety_analysis)
{
    for (uint32_t i = 0; i < places->area_count; i++) {
        fil_memory_unmap(places->areas[i], AREA_BYTES);
    }
    fil_free(places->areas);
    fil_free(places->vacancies);
    fil_mutex_fini(&places->mutex);
}

void fil_pages_free(struct fil_pages *pages)
{
    for (uint32_t i = 0; pages != NULL && i < PLACE_SHIFTS; i++) {
        free_places(&pages->places[i]);
    }
    fil_free(pages);
}

/** Room to remember another area and its places. */
static bool has_room(struct places *places, uint32_t more)
    FIL_TSA(requires_capability(places->mutex))
{
    bool is_power = (places->area_count & (places->area_count - 1)) == 0;
    if (places->area_count == 0 || (is_power && places->area_count >= AREAS_MIN)) {
        uint32_t count = places->area_count == 0 ? AREAS_MIN : 2 * places->area_count;
        uint8_t **areas = fil_realloc(places->areas, count * sizeof(*areas));
        if (areas == NULL) {
            return false;
        }
        places->areas = areas;
    }
    uint32_t capacity = places->capacity + more;
    struct vacancy *vacancies = fil_realloc(places->vacancies, capacity * sizeof(*vacancies));
    if (vacancies == NULL) {
        return false;
    }
    places->vacancies = vacancies;
    places->capacity = capacity;
    return true;
}

/** More places; false when there is no memory. All that were there are taken. */
static bool add_area(struct places *places, size_t bytes)
    FIL_TSA(requires_capability(places->mutex))
{
    fil_assert(places->vacant == 0);
    uint32_t count = (uint32_t)(AREA_BYTES / bytes);
    if (!has_room(places, count)) {
        return false;
    }
    uint8_t *area = fil_memory_map(AREA_BYTES);
    if (area == NULL) {
        places->capacity -= count;
        return false;
    }
    fil_memory_refuse_large_pages(area, AREA_BYTES);
    places->areas[places->area_count] = area;
    places->area_count++;
    for (uint32_t i = count; i > 0; i--) {
        places->vacancies[places->vacant] = (struct vacancy){.memory = area + (i - 1) * bytes};
        places->vacant++;
    }
    return true;
}

static void *take_place(struct places *places, size_t place, size_t size)
{
    struct vacancy vacancy = {0};
    fil_mutex_lock(&places->mutex);
    if (places->vacant > 0 || add_area(places, place)) {
        places->vacant--;
        vacancy = places->vacancies[places->vacant];
        if (places->kept > 0) {
            places->kept--;
            places->kept_bytes -= vacancy.resident;
        }
    }
    fil_mutex_unlock(&places->mutex);
    // What the block before it had beyond would be there and belong to nobody.
    if (vacancy.resident > size) {
        fil_memory_discard(vacancy.memory + size, vacancy.resident - size);
    }
    return vacancy.memory;
}

/** Puts the place below those with pages. */
static void push_vacancy(struct places *places, struct vacancy vacancy)
    FIL_TSA(requires_capability(places->mutex))
{
    fil_assert(places->vacant < places->capacity);
    uint32_t at = places->vacant;
    if (vacancy.resident == 0 && places->kept > 0) {
        at -= places->kept;
        places->vacancies[places->vacant] = places->vacancies[at];
    }
    places->vacancies[at] = vacancy;
    places->vacant++;
    places->kept += vacancy.resident > 0;
    places->kept_bytes += vacancy.resident;
}

static void give_place(struct places *places, uint8_t *block, size_t size)
{
    fil_mutex_lock(&places->mutex);
    bool is_kept = places->kept_bytes + size <= FIL_PAGES_KEPT_BYTES;
    if (!is_kept) {
        // Under the mutex: whoever takes the place next must find it discarded.
        fil_memory_discard(block, size);
    }
    push_vacancy(places, (struct vacancy){.memory = block, .resident = is_kept ? size : 0});
    fil_mutex_unlock(&places->mutex);
}

void *fil_pages_take(struct fil_pages *pages, size_t size)
{
    fil_assert(size > 0 && size < SIZE_MAX / 2);
    if (pages == NULL) {
        return fil_alloc(size);
    }
    if (fil_alloc_must_fail()) {
        return NULL;
    }
    uint32_t index = index_of(size);
    if (index < PLACE_SHIFTS) {
        return take_place(&pages->places[index], place_bytes(index), fil_pages_bytes(size));
    }
    void *memory = fil_memory_map(area_multiple(size));
    if (memory != NULL) {
        fil_memory_refuse_large_pages(memory, area_multiple(size));
    }
    return memory;
}

void fil_pages_give(struct fil_pages *pages, void *block, size_t size)
{
    if (pages == NULL) {
        fil_free(block);
        return;
    }
    uint32_t index = index_of(size);
    if (index < PLACE_SHIFTS) {
        give_place(&pages->places[index], block, fil_pages_bytes(size));
    } else {
        fil_memory_unmap(block, area_multiple(size));
    }
}

/** Of a block that stays in its place. */
static void *resize_in_place(uint8_t *block, size_t old_bytes, size_t bytes)
{
    if (bytes < old_bytes) {
        fil_memory_discard(block + bytes, old_bytes - bytes);
    }
    return block;
}

/** Of a block that is mapped by itself: its pages move, not its bytes. */
static void *resize_mapped(uint8_t *block, size_t old_bytes, size_t bytes)
{
    size_t old_area = area_multiple(old_bytes);
    size_t area = area_multiple(bytes);
    if (area != old_area) {
        block = fil_alloc_must_fail() ? NULL : fil_memory_remap(block, old_area, area);
    }
    return block == NULL ? NULL
                         : resize_in_place(block, old_bytes < area ? old_bytes : area, bytes);
}

void *fil_pages_resize(struct fil_pages *pages, void *block, size_t old_size, size_t size)
{
    if (pages == NULL) {
        return fil_realloc(block, size);
    }
    uint32_t index = index_of(size);
    if (index == index_of(old_size)) {
        size_t old_bytes = fil_pages_bytes(old_size);
        size_t bytes = fil_pages_bytes(size);
        return index < PLACE_SHIFTS ? resize_in_place(block, old_bytes, bytes)
                                    : resize_mapped(block, old_bytes, bytes);
    }
    void *moved = fil_pages_take(pages, size);
    if (moved != NULL) {
        memcpy(moved, block, old_size < size ? old_size : size);
        fil_pages_give(pages, block, old_size);
    }
    return moved;
}

uint64_t fil_pages_kept_bytes(struct fil_pages *pages)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < PLACE_SHIFTS; i++) {
        struct places *places = &pages->places[i];
        fil_mutex_lock(&places->mutex);
        sum += places->kept_bytes;
        fil_mutex_unlock(&places->mutex);
    }
    return sum;
}
