// SPDX-License-Identifier: Apache-2.0
#include "core/stream/key_table.h"

#include <stddef.h>
#include <string.h>

#include "core/stream/key.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/memory.h"

#define REMOVED        UINT32_MAX
#define SMALLEST_BITS  8U
#define TAG_BITS       32U
#define MOVES_A_LOOKUP 8U // of the old index, at least; growth doubles, so 2 would be enough
#define ROWS_SHIFT     10U
#define LIVE_SHIFT     6U
#define ROOMY_PLACES   131072U
#define SIZE_BYTES     8U // in front of a key that may have any size

/** Keys that an index of so many places takes before it grows. */
static uint64_t limit_of(uint64_t places)
{
    // While it is small, room is cheap, and most keys are in the first place looked at.
    return places < ROOMY_PLACES ? places / 8 * 3 : places / 8 * 5;
}

static uint32_t row_bytes(uint32_t key_max, bool is_fixed)
{
    return ((key_max + 7U) & ~7U) + (is_fixed ? 0 : SIZE_BYTES);
}

static int open_index(struct fil_key_table *table, struct fil_key_table_index *index, uint32_t bits)
{
    uint64_t places = UINT64_C(1) << bits;
    uint64_t bytes = places * sizeof(*index->entries);
    if (bits > TAG_BITS - 1 || !fil_account_take(&table->account, bytes)) {
        return FIL_E_NOMEM;
    }
    index->entries = fil_alloc_zero(places, sizeof(*index->entries));
    if (index->entries == NULL) {
        fil_account_give(&table->account, bytes);
        return FIL_E_NOMEM;
    }
    // Lookups jump about in it: with small pages each would miss the translation cache, too.
    fil_memory_prefer_large_pages(index->entries, bytes);
    index->mask = (uint32_t)(places - 1);
    index->shift = TAG_BITS - bits;
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
    *table = (struct fil_key_table){.key_max = key_bytes, .is_fixed = is_fixed};
    fil_account_init_data(&table->account, budget);
    fil_segments_init(&table->row_segments, budget, row_bytes(key_bytes, is_fixed), ROWS_SHIFT);
    fil_column_init(&table->rows, &table->row_segments);
    fil_segments_init(&table->live_segments, budget, sizeof(uint64_t), LIVE_SHIFT);
    fil_column_init(&table->live, &table->live_segments);
    uint32_t bits = SMALLEST_BITS;
    while (limit_of(UINT64_C(1) << bits) < expected_count) {
        bits++;
    }
    return open_index(table, &table->index, bits);
}

void fil_key_table_fini(struct fil_key_table *table)
{
    if (table->key_max == 0) {
        return;
    }
    close_index(table, &table->index);
    close_index(table, &table->old);
    fil_column_clear(&table->rows);
    fil_segments_fini(&table->row_segments);
    fil_column_clear(&table->live);
    fil_segments_fini(&table->live_segments);
    fil_account_fini(&table->account);
    table->key_max = 0;
}

struct fil_bytes fil_key_table_key(const struct fil_key_table *table, uint32_t slot)
{
    fil_assert(fil_key_table_has(table, slot));
    const uint8_t *row = fil_column_at(&table->rows, slot);
    if (table->is_fixed) {
        return fil_bytes_make(row, table->key_max);
    }
    uint32_t size;
    memcpy(&size, row, sizeof(size));
    return fil_bytes_make(row + SIZE_BYTES, size);
}

uint64_t fil_key_table_hash(const struct fil_key_table *table, uint32_t slot)
{
    return fil_key_hash_bytes(fil_key_table_key(table, slot));
}

static uint32_t place_of(const struct fil_key_table_index *index, uint32_t tag)
{
    return tag >> index->shift;
}

/** What is looked for. */
struct wanted {
    struct fil_bytes key;
    uint32_t tag;
};

/** Whether a slot that is in use has the key, which is one word or two. */
static inline bool has_words(const struct fil_key_table *table, uint32_t slot,
                             const uint64_t *words, uint32_t word_count)
{
    // Rows of words are an array in each segment; the slot is in use, so its segment is there.
    const uint64_t *rows = (const void *)table->rows.items[slot >> ROWS_SHIFT];
    const uint64_t *row = rows + (size_t)(slot & ((1U << ROWS_SHIFT) - 1)) * word_count;
    return row[0] == words[0] && (word_count == 1 || row[1] == words[1]);
}

static inline bool is_wanted(const struct fil_key_table *table,
                             const struct fil_key_table_entry *entry, const struct wanted *wanted,
                             uint32_t word_count)
{
    if (entry->tag != wanted->tag || entry->slot == REMOVED) {
        return false;
    }
    if (word_count != 0) {
        return has_words(table, entry->slot - 1, (const void *)wanted->key.data, word_count);
    }
    return fil_bytes_equal(fil_key_table_key(table, entry->slot - 1), wanted->key);
}

/** The key's entry, or the free one where the search ends. */
static inline struct fil_key_table_entry *probe(const struct fil_key_table *table,
                                                const struct fil_key_table_index *index,
                                                const struct wanted *wanted, uint32_t word_count)
{
    uint32_t place = place_of(index, wanted->tag);
    while (index->entries[place].slot != 0 &&
           !is_wanted(table, &index->entries[place], wanted, word_count)) {
        place = (place + 1) & index->mask;
    }
    return &index->entries[place];
}

static void insert_moved(struct fil_key_table *table, const struct fil_key_table_entry *entry)
{
    uint32_t place = place_of(&table->index, entry->tag);
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
    if ((uint64_t)table->count + coming <= limit_of((uint64_t)table->index.mask + 1)) {
        return FIL_OK;
    }
    if (table->old.entries != NULL) {
        move_some(table, UINT32_MAX);
    }
    struct fil_key_table_index larger = {0};
    int error = open_index(table, &larger, TAG_BITS - table->index.shift + 1);
    if (error != FIL_OK) {
        return error;
    }
    table->old = table->index;
    table->old_next = 0;
    table->index = larger;
    return FIL_OK;
}

static int new_slot(struct fil_key_table *table, struct fil_bytes key, uint32_t *out_slot)
{
    uint32_t slot = table->free_slot != 0 ? table->free_slot - 1 : table->slot_limit;
    uint8_t *row = fil_column_get(&table->rows, slot);
    uint64_t *live = fil_column_get(&table->live, slot / 64);
    if (row == NULL || live == NULL) {
        return FIL_E_NOMEM;
    }
    if (table->free_slot != 0) {
        memcpy(&table->free_slot, row, sizeof(table->free_slot));
    } else {
        table->slot_limit++;
    }
    if (!table->is_fixed) {
        uint32_t size = (uint32_t)key.size;
        memcpy(row, &size, sizeof(size));
        row += SIZE_BYTES;
    }
    memcpy(row, key.data, key.size);
    *live |= UINT64_C(1) << (slot % 64);
    table->count++;
    *out_slot = slot;
    return FIL_OK;
}

static int insert(struct fil_key_table *table, struct fil_key_table_entry *entry,
                  const struct wanted *wanted, uint32_t *out_slot)
{
    fil_assert(entry->slot == 0);
    bool fits =
        table->is_fixed ? wanted->key.size == table->key_max : wanted->key.size <= table->key_max;
    if (!fits) {
        return FIL_E_LIMIT;
    }
    int error = new_slot(table, wanted->key, out_slot);
    if (error == FIL_OK) {
        *entry = (struct fil_key_table_entry){.tag = wanted->tag, .slot = *out_slot + 1};
    }
    return error;
}

static inline int find_one(struct fil_key_table *table, const struct wanted *wanted,
                           uint32_t word_count, uint32_t *out_slot)
{
    struct fil_key_table_entry *entry = probe(table, &table->index, wanted, word_count);
    if (FIL_LIKELY(entry->slot != 0)) {
        *out_slot = entry->slot - 1;
        return FIL_OK;
    }
    if (table->old.entries != NULL) {
        const struct fil_key_table_entry *old = probe(table, &table->old, wanted, word_count);
        if (old->slot != 0) {
            *out_slot = old->slot - 1;
            return FIL_OK;
        }
    }
    return insert(table, entry, wanted, out_slot);
}

/** Fetches the places of the keys, then the rows that they most likely lead to. */
FIL_PREFETCHES static void fetch(const struct fil_key_table *table, uint32_t count,
                                 const uint64_t *hashes)
{
    const struct fil_key_table_index *index = &table->index;
    // A small table is in the cache anyway.
    if (!fil_key_table_is_large(table)) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        fil_key_table_fetch(table, hashes[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = index->entries[place_of(index, (uint32_t)hashes[i])].slot;
        if (slot != 0 && slot != REMOVED) {
            FIL_PREFETCH(fil_column_find(&table->rows, slot - 1));
        }
    }
}

static int prepare(struct fil_key_table *table, uint32_t count, const uint64_t *hashes)
{
    fil_assert(count <= FIL_KEY_TABLE_GROUP);
    int error = grow_when_full(table, count);
    if (error == FIL_OK) {
        move_some(table, MOVES_A_LOOKUP * count);
        fetch(table, count, hashes);
    }
    return error;
}

int fil_key_table_find(struct fil_key_table *table, uint32_t count, const struct fil_bytes *keys,
                       const uint64_t *hashes, uint32_t *out_slots)
{
    int error = prepare(table, count, hashes);
    for (uint32_t i = 0; error == FIL_OK && i < count; i++) {
        const struct wanted wanted = {.key = keys[i], .tag = (uint32_t)hashes[i]};
        error = find_one(table, &wanted, 0, &out_slots[i]);
    }
    return error;
}

/** The slot of a key whose entry is in the first place; UINT32_MAX: look further. */
static inline uint32_t find_first(const struct fil_key_table *table, const uint64_t *words,
                                  uint32_t word_count, uint32_t tag)
{
    const struct fil_key_table_entry *entry = &table->index.entries[place_of(&table->index, tag)];
    uint32_t slot = entry->slot - 1;
    if (entry->tag != tag || slot >= table->slot_limit) {
        return UINT32_MAX;
    }
    return has_words(table, slot, words, word_count) ? slot : UINT32_MAX;
}

static inline int find_words(struct fil_key_table *table, uint32_t count, const uint64_t *words,
                             uint32_t word_count, const uint64_t *hashes, uint32_t *out_slots)
{
    int error = prepare(table, count, hashes);
    for (uint32_t i = 0; error == FIL_OK && i < count; i++, words += word_count) {
        uint32_t tag = (uint32_t)hashes[i];
        out_slots[i] = find_first(table, words, word_count, tag);
        if (FIL_UNLIKELY(out_slots[i] == UINT32_MAX)) {
            const struct wanted wanted = {.key = fil_bytes_make(words, word_count * sizeof(*words)),
                                          .tag = tag};
            error = find_one(table, &wanted, word_count, &out_slots[i]);
        }
    }
    return error;
}

int fil_key_table_find_words(struct fil_key_table *table, uint32_t count, const uint64_t *words,
                             const uint64_t *hashes, uint32_t *out_slots)
{
    fil_assert(table->is_fixed && fil_key_table_has_words(table->key_max));
    // Two loops with constants instead of one that asks for each key.
    return table->key_max == sizeof(*words) ? find_words(table, count, words, 1, hashes, out_slots)
                                            : find_words(table, count, words, 2, hashes, out_slots);
}

/** The entry of a slot that is there; NULL when it is in the other index. */
static struct fil_key_table_entry *entry_of(const struct fil_key_table_index *index, uint64_t hash,
                                            uint32_t slot)
{
    if (index->entries == NULL) {
        return NULL;
    }
    uint32_t place = place_of(index, (uint32_t)hash);
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
        uint32_t wanted = place_of(index, index->entries[place].tag);
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
    uint64_t hash = fil_key_table_hash(table, slot);
    struct fil_key_table_entry *entry = entry_of(&table->index, hash, slot);
    if (entry != NULL) {
        close_gap(&table->index, (uint32_t)(entry - table->index.entries));
    } else {
        entry = entry_of(&table->old, hash, slot);
        fil_assert(entry != NULL);
        entry->slot = REMOVED;
    }
    memcpy(fil_column_at(&table->rows, slot), &table->free_slot, sizeof(table->free_slot));
    *(uint64_t *)fil_column_at(&table->live, slot / 64) &= ~(UINT64_C(1) << (slot % 64));
    table->free_slot = slot + 1;
    table->count--;
}

void fil_key_table_check(const struct fil_key_table *table)
{
    uint32_t live = 0;
    for (uint32_t slot = 0; slot < table->slot_limit; slot++) {
        if (fil_key_table_has(table, slot)) {
            uint64_t hash = fil_key_table_hash(table, slot);
            bool is_there = entry_of(&table->index, hash, slot) != NULL ||
                            entry_of(&table->old, hash, slot) != NULL;
            fil_assert(is_there);
            live++;
        }
    }
    fil_assert(live == table->count);
}
