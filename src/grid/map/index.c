// SPDX-License-Identifier: Apache-2.0
#include "grid/map/index.h"

#include <stdlib.h>
#include <string.h>

#include "filbert/error.h"
#include "grid/map/map_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/mutex.h"

#define FILL_BUDGET  128U                // entries a slice
#define HASHES_FIRST 256U                // room for the entries of a partition, which grows
#define HASHES_MAX   (UINT32_C(1) << 16) // beyond, a partition is scanned

/** A map's indexes. */
struct fil_map_indexes {
    struct fil_mutex mutex; // of those who add
    _Atomic uint32_t count;
    struct fil_map_index *items[FIL_INDEXES_MAX];
    struct fil_counter queries;
    struct fil_counter indexed_queries;
};

int fil_map__new_indexes(struct fil_map *map)
{
    map->indexes = fil_alloc_zero(1, sizeof(*map->indexes));
    if (map->indexes == NULL) {
        return FIL_E_NOMEM;
    }
    fil_mutex_init(&map->indexes->mutex);
    return FIL_OK;
}

static void free_index(struct fil_map_index *index)
{
    if (index->free_context != NULL) {
        index->free_context(index->definition.context);
    }
    fil_free(index);
}

void fil_map__free_indexes(struct fil_map *map)
{
    struct fil_map_indexes *indexes = map->indexes;
    if (indexes == NULL) {
        return;
    }
    for (uint32_t i = 0; i < fil_map_index_count(map); i++) {
        free_index(indexes->items[i]);
    }
    fil_mutex_fini(&indexes->mutex);
    fil_free(indexes);
}

uint32_t fil_map_index_count(const struct fil_map *map)
{
    // A1 pairs with R1: an index that is counted can be looked at.
    return atomic_load_explicit(&map->indexes->count, memory_order_acquire);
}

struct fil_map_index *fil_map_index_at(const struct fil_map *map, uint32_t number)
{
    fil_assert(number < fil_map_index_count(map));
    return map->indexes->items[number];
}

bool fil_map_index_is_ready(const struct fil_map_index *index)
{
    // Relaxed: partitions are entered before their trees are looked at.
    return atomic_load_explicit(&index->is_ready, memory_order_relaxed);
}

static struct fil_map_index *find_index(const struct fil_map *map, struct fil_bytes name)
{
    for (uint32_t i = 0; i < fil_map_index_count(map); i++) {
        struct fil_map_index *index = map->indexes->items[i];
        if (fil_bytes_equal(fil_bytes_of(index->name), name)) {
            return index;
        }
    }
    return NULL;
}

static struct fil_map_index *new_index(const struct fil_map_index_setup *setup)
{
    struct fil_map_index *index = fil_alloc_zero(1, sizeof(*index));
    if (index == NULL) {
        return NULL;
    }
    fil_assert(setup->name.size <= FIL_MAP_INDEX_NAME_MAX);
    memcpy(index->name, setup->name.data, setup->name.size);
    index->definition = (struct fil_index_definition){
        .kind = setup->kind, .extract = setup->extract, .context = setup->context};
    index->free_context = setup->free_context;
    atomic_init(&index->is_ready, false);
    return index;
}

/** With the mutex: the index is none of those that are there. */
static int append_index(struct fil_map_indexes *indexes, const struct fil_map_index_setup *setup,
                        struct fil_map_index **out_index)
{
    uint32_t count = atomic_load_explicit(&indexes->count, memory_order_relaxed);
    if (count == FIL_INDEXES_MAX || setup->name.size > FIL_MAP_INDEX_NAME_MAX) {
        return FIL_E_LIMIT;
    }
    *out_index = new_index(setup);
    if (*out_index == NULL) {
        return FIL_E_NOMEM;
    }
    indexes->items[count] = *out_index;
    // R1 pairs with A1.
    atomic_store_explicit(&indexes->count, count + 1, memory_order_release);
    return FIL_OK;
}

int fil_map_index_add(struct fil_map *map, const struct fil_map_index_setup *setup,
                      struct fil_map_index **out_index)
{
    int error = FIL_OK;
    fil_assert(setup->extract != NULL);
    fil_mutex_lock(&map->indexes->mutex);
    *out_index = find_index(map, setup->name);
    bool is_new = *out_index == NULL;
    if (is_new) {
        error = append_index(map->indexes, setup, out_index);
    }
    fil_mutex_unlock(&map->indexes->mutex);
    if ((!is_new || error != FIL_OK) && setup->free_context != NULL) {
        setup->free_context(setup->context);
    }
    return error;
}

/** Relaxed: whoever searches enters the partitions, which publishes their trees. */
static void set_ready(struct fil_map_index *index)
{
    atomic_store_explicit(&index->is_ready, true, memory_order_relaxed);
}

int fil_map_index_declare(struct fil_map *map, const struct fil_map_index_setup *setup)
{
    struct fil_map_index *index = NULL;
    int error = fil_map_index_add(map, setup, &index);
    for (uint32_t i = 0; error == FIL_OK && i < map->partition_count; i++) {
        fil_assert(fil_store_count(&map->shards[i].store) == 0);
        error = fil_store_index_open(&map->shards[i].store, &index->definition);
    }
    if (error == FIL_OK) {
        set_ready(index);
    }
    return error;
}

// Filling.

static uint64_t fill_slice(struct fil_map_walk *walk, struct fil_partition *partition)
{
    struct fil_map_index *index = walk->work;
    struct fil_store *store = &fil_map__shard(walk->map, partition->id)->store;
    uint64_t cursor = walk->cursor;
    int error = fil_store_index_open(store, &index->definition);
    if (error == FIL_OK) {
        error = fil_store_index_fill(store, &index->definition, &cursor, FILL_BUDGET);
    }
    if (error != FIL_OK) {
        walk->error = error;
        walk->is_over = true;
        return FIL_STORE_SCAN_END;
    }
    if (cursor == FIL_STORE_SCAN_END && partition->id + 1 == walk->map->partition_count) {
        set_ready(index);
    }
    return cursor;
}

void fil_map_walk_index(struct fil_map_walk *walk, struct fil_map *map, struct fil_map_index *index)
{
    fil_map_walk_init(walk, map, "map-add-index", fill_slice);
    walk->work = index;
}

// Searching.

void fil_map_search_init(struct fil_map_search *search, const struct fil_map_search_part *parts,
                         uint32_t part_count, bool may_repeat)
{
    fil_assert(part_count > 0);
    *search =
        (struct fil_map_search){.parts = parts, .part_count = part_count, .may_repeat = may_repeat};
}

void fil_map_search_fini(struct fil_map_search *search)
{
    fil_free(search->hashes.items);
    search->hashes = (struct fil_store_hashes){0};
}

void fil_map_count_query(struct fil_map *map, const struct fil_map_search *search)
{
    fil_counter_add_shared(&map->indexes->queries, 1);
    if (search == NULL) {
        return;
    }
    fil_counter_add_shared(&map->indexes->indexed_queries, 1);
    for (uint32_t i = 0; i < search->part_count; i++) {
        // Parts of one index stand together, most of the time.
        if (i == 0 || search->parts[i].index != search->parts[i - 1].index) {
            fil_counter_add_shared(&search->parts[i].index->searches, 1);
        }
    }
}

uint64_t fil_map_query_count(const struct fil_map *map)
{
    return fil_counter_read(&map->indexes->queries);
}

uint64_t fil_map_indexed_query_count(const struct fil_map *map)
{
    return fil_counter_read(&map->indexes->indexed_queries);
}

/** More room; what was in it is forgotten. */
static bool grow(struct fil_store_hashes *hashes)
{
    uint32_t capacity = hashes->capacity == 0 ? HASHES_FIRST : hashes->capacity * 4;
    if (capacity > HASHES_MAX) {
        return false;
    }
    fil_free(hashes->items);
    hashes->items = fil_alloc_zero(capacity, sizeof(hashes->items[0]));
    hashes->capacity = hashes->items == NULL ? 0 : capacity;
    return hashes->items != NULL;
}

/** Whether all parts fit into the room there is. */
static bool collect_parts(struct fil_map_search *search, const struct fil_store *store)
{
    search->hashes.count = 0;
    for (uint32_t i = 0; i < search->part_count; i++) {
        const struct fil_map_search_part *part = &search->parts[i];
        if (!fil_store_collect(store, &part->index->definition, &part->range, &search->hashes)) {
            return false;
        }
    }
    return true;
}

static int compare_hashes(const void *left, const void *right)
{
    const uint64_t *a = left;
    const uint64_t *b = right;
    return (*a > *b) - (*a < *b);
}

/** Each entry once. */
static void drop_doubles(struct fil_store_hashes *hashes)
{
    uint32_t kept = 0;
    qsort(hashes->items, hashes->count, sizeof(hashes->items[0]), compare_hashes);
    for (uint32_t i = 0; i < hashes->count; i++) {
        if (kept == 0 || hashes->items[i] != hashes->items[kept - 1]) {
            hashes->items[kept] = hashes->items[i];
            kept++;
        }
    }
    hashes->count = kept;
}

/** What a partition's search looks at, all of it before anything changes there. */
static void collect(struct fil_map_search *search, struct fil_map_shard *shard)
{
    bool has_room = search->hashes.capacity > 0 || grow(&search->hashes);
    while (has_room && !collect_parts(search, &shard->store)) {
        has_room = grow(&search->hashes);
    }
    if (has_room && search->may_repeat) {
        drop_doubles(&search->hashes);
    }
    search->is_scanning = !has_room;
    fil_counter_add(&shard->counters.index_finds, has_room ? search->hashes.count : 0);
}

uint64_t fil_map__search(struct fil_map_search *search, struct fil_map_shard *shard,
                         struct fil_map_slice slice, fil_store_visit_fn visit, void *context)
{
    if (slice.cursor == 0) {
        collect(search, shard);
    }
    if (search->is_scanning) {
        return fil_store_scan(&shard->store, slice.cursor, slice.now_ms, slice.budget, visit,
                              context);
    }
    uint64_t end = slice.cursor + slice.budget;
    end = end < search->hashes.count ? end : search->hashes.count;
    for (uint64_t i = slice.cursor; i < end; i++) {
        fil_store_visit_hash(&shard->store, search->hashes.items[i], slice.now_ms, visit, context);
    }
    return end == search->hashes.count ? FIL_STORE_SCAN_END : end;
}
