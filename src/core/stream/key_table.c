// SPDX-License-Identifier: Apache-2.0
#include "core/stream/key_table.h"

#include <stddef.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define REMOVED        UINT32_MAX
#define SMALLEST       256U
#define MOVES_A_LOOKUP 8U // of the old index, at least; growth doubles, so 2 would be enough
#define KEYS_SHIFT     10U

static uint32_t key_item_bytes(uint32_t key_max)
{
    return (uint32_t)(sizeof(struct fil_key_table_key) + key_max + 7U) & ~7U;
}

static int open_index(struct fil_key_table *table, struct fil_key_table_index *index,
                      uint64_t places)
{
    uint64_t bytes = places * sizeof(*index->entries);
    if (places > UINT32_MAX || !fil_account_take(&table->account, bytes)) {
        return FIL_E_NOMEM;
    }
    index->entries = fil_alloc_zero(places, sizeof(*index->entries));
    if (index->entries == NULL) {
        fil_account_give(&table->account, bytes);
        return FIL_E_NOMEM;
    }
    index->mask = (uint32_t)(places - 1);
    return FIL_OK;
}

static void close_index(struct fil_key_table *table, struct fil_key_table_index *index)
{
    if (index->entries != NULL) {
        fil_account_give(&table->account, ((uint64_t)index->mask + 1) * sizeof(*index->entries));
        fil_free(index->entries);
        index->entries = NULL;
    }
}

int fil_key_table_init(struct fil_key_table *table, struct fil_budget *budget, uint32_t key_bytes,
                       bool is_fixed, uint32_t expected_count)
{
    fil_assert(key_bytes >= 1 && key_bytes <= FIL_KEY_TABLE_KEY_BYTES_MAX);
    *table = (struct fil_key_table){.key_max = key_bytes, .is_exact = is_fixed && key_bytes == 8};
    fil_account_init_data(&table->account, budget);
    fil_segments_init(&table->key_segments, budget, key_item_bytes(key_bytes), KEYS_SHIFT);
    fil_column_init(&table->keys, &table->key_segments);
    uint64_t places = SMALLEST;
    while (places / 2 < expected_count) {
        places *= 2;
    }
    return open_index(table, &table->index, places);
}

void fil_key_table_fini(struct fil_key_table *table)
{
    if (table->key_max == 0) {
        return;
    }
    close_index(table, &table->index);
    close_index(table, &table->old);
    fil_column_clear(&table->keys);
    fil_segments_fini(&table->key_segments);
    fil_account_fini(&table->account);
    table->key_max = 0;
}

static bool is_key(const struct fil_key_table *table, const struct fil_key_table_entry *entry,
                   struct fil_bytes key, uint64_t hash)
{
    if (entry->hash != hash || entry->slot == REMOVED) {
        return false;
    }
    if (table->is_exact) {
        return true;
    }
    const struct fil_key_table_key *stored = fil_column_at(&table->keys, entry->slot - 1);
    return stored->size == key.size && memcmp(stored->bytes, key.data, key.size) == 0;
}

/** The key's entry, or the free one where the search ends. */
static struct fil_key_table_entry *probe(const struct fil_key_table *table,
                                         const struct fil_key_table_index *index,
                                         struct fil_bytes key, uint64_t hash)
{
    uint32_t place = (uint32_t)hash & index->mask;
    while (index->entries[place].slot != 0 && !is_key(table, &index->entries[place], key, hash)) {
        place = (place + 1) & index->mask;
    }
    return &index->entries[place];
}

static void insert_moved(struct fil_key_table *table, const struct fil_key_table_entry *entry)
{
    uint32_t place = (uint32_t)entry->hash & table->index.mask;
    while (table->index.entries[place].slot != 0) {
        place = (place + 1) & table->index.mask;
    }
    table->index.entries[place] = *entry;
}

/** Moves some entries out of the old index. */
static void move_some(struct fil_key_table *table, uint32_t count)
{
    if (table->old.entries == NULL) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct fil_key_table_entry *entry = &table->old.entries[table->old_next];
        if (entry->slot != 0 && entry->slot != REMOVED) {
            insert_moved(table, entry);
            entry->slot = REMOVED;
        }
        if (table->old_next == table->old.mask) {
            close_index(table, &table->old);
            return;
        }
        table->old_next++;
    }
}

static int grow_when_full(struct fil_key_table *table, uint32_t coming)
{
    if ((uint64_t)table->count + coming <= ((uint64_t)table->index.mask + 1) / 2) {
        return FIL_OK;
    }
    if (table->old.entries != NULL) {
        move_some(table, UINT32_MAX);
    }
    struct fil_key_table_index larger = {0};
    int error = open_index(table, &larger, ((uint64_t)table->index.mask + 1) * 2);
    if (error != FIL_OK) {
        return error;
    }
    table->old = table->index;
    table->old_next = 0;
    table->index = larger;
    return FIL_OK;
}

static int new_slot(struct fil_key_table *table, struct fil_bytes key, uint64_t hash,
                    uint32_t *out_slot)
{
    uint32_t slot = table->free_slot != 0 ? table->free_slot - 1 : table->slot_limit;
    struct fil_key_table_key *stored = fil_column_get(&table->keys, slot);
    if (stored == NULL) {
        return FIL_E_NOMEM;
    }
    if (table->free_slot != 0) {
        table->free_slot = stored->next_free;
    } else {
        table->slot_limit++;
    }
    stored->hash = hash;
    stored->size = (uint32_t)key.size;
    stored->is_live = true;
    memcpy(stored->bytes, key.data, key.size);
    table->count++;
    *out_slot = slot;
    return FIL_OK;
}

static int find_one(struct fil_key_table *table, struct fil_bytes key, uint64_t hash,
                    uint32_t *out_slot)
{
    struct fil_key_table_entry *entry = probe(table, &table->index, key, hash);
    if (FIL_LIKELY(entry->slot != 0)) {
        *out_slot = entry->slot - 1;
        return FIL_OK;
    }
    if (table->old.entries != NULL) {
        struct fil_key_table_entry *old = probe(table, &table->old, key, hash);
        if (old->slot != 0) {
            *out_slot = old->slot - 1;
            return FIL_OK;
        }
    }
    if (key.size > table->key_max) {
        return FIL_E_LIMIT;
    }
    int error = new_slot(table, key, hash, out_slot);
    if (error == FIL_OK) {
        *entry = (struct fil_key_table_entry){.hash = hash, .slot = *out_slot + 1};
    }
    return error;
}

int fil_key_table_find(struct fil_key_table *table, uint32_t count, const struct fil_bytes *keys,
                       const uint64_t *hashes, uint32_t *out_slots)
{
    fil_assert(count <= FIL_KEY_TABLE_GROUP);
    int error = grow_when_full(table, count);
    if (error != FIL_OK) {
        return error;
    }
    move_some(table, MOVES_A_LOOKUP * count);
    for (uint32_t i = 0; i < count; i++) {
        FIL_PREFETCH(&table->index.entries[(uint32_t)hashes[i] & table->index.mask]);
    }
    for (uint32_t i = 0; i < count; i++) {
        error = find_one(table, keys[i], hashes[i], &out_slots[i]);
        if (error != FIL_OK) {
            return error;
        }
    }
    return FIL_OK;
}

/** The entry of a slot that is there; NULL when it is in the other index. */
static struct fil_key_table_entry *entry_of(const struct fil_key_table_index *index, uint64_t hash,
                                            uint32_t slot)
{
    if (index->entries == NULL) {
        return NULL;
    }
    uint32_t place = (uint32_t)hash & index->mask;
    while (index->entries[place].slot != 0) {
        if (index->entries[place].slot == slot + 1) {
            return &index->entries[place];
        }
        place = (place + 1) & index->mask;
    }
    return NULL;
}

/** Closes the gap: entries behind it that would be found no more move into it. */
static void close_gap(struct fil_key_table_index *index, uint32_t gap)
{
    uint32_t place = (gap + 1) & index->mask;
    while (index->entries[place].slot != 0) {
        uint32_t wanted = (uint32_t)index->entries[place].hash & index->mask;
        // Between the wanted place and this one, round the end: is the gap there?
        if (((place - wanted) & index->mask) >= ((place - gap) & index->mask)) {
            index->entries[gap] = index->entries[place];
            gap = place;
        }
        place = (place + 1) & index->mask;
    }
    index->entries[gap].slot = 0;
}

void fil_key_table_remove(struct fil_key_table *table, uint32_t slot)
{
    struct fil_key_table_key *key = fil_column_find(&table->keys, slot);
    fil_assert(key != NULL && key->is_live);
    struct fil_key_table_entry *entry = entry_of(&table->index, key->hash, slot);
    if (entry != NULL) {
        close_gap(&table->index, (uint32_t)(entry - table->index.entries));
    } else {
        entry = entry_of(&table->old, key->hash, slot);
        fil_assert(entry != NULL);
        entry->slot = REMOVED;
    }
    key->is_live = false;
    key->next_free = table->free_slot;
    table->free_slot = slot + 1;
    table->count--;
}

void fil_key_table_check(const struct fil_key_table *table)
{
    uint32_t live = 0;
    for (uint32_t slot = 0; slot < table->slot_limit; slot++) {
        const struct fil_key_table_key *key = fil_key_table_key(table, slot);
        if (key != NULL) {
            bool is_there = entry_of(&table->index, key->hash, slot) != NULL ||
                            entry_of(&table->old, key->hash, slot) != NULL;
            fil_assert(is_there);
            live++;
        }
    }
    fil_assert(live == table->count);
}
