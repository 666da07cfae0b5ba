// SPDX-License-Identifier: Apache-2.0
#include "core/stream/key_table.h"

#include <stddef.h>
#include <string.h>

#include "core/stream/key.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define REMOVED        UINT32_MAX
#define SMALLEST_BITS  8U
#define TAG_BITS       32U
#define LINE_BITS      3U
#define MOVES_A_LOOKUP 8U // of the old index, at least; growth doubles, so 2 would be enough
#define ROWS_SHIFT     10U
#define LIVE_SHIFT     6U
#define SIZE_BYTES     8U // in front of a key that may have any size

/** Keys that an index of so many places takes before it grows. */
static uint64_t limit_of(uint64_t places)
{
    return places / 8 * 5;
}

static uint32_t row_bytes(uint32_t key_max, bool is_fixed)
{
    return ((key_max + 7U) & ~7U) + (is_fixed ? 0 : SIZE_BYTES);
}

static int open_index(struct fil_key_table *table, struct fil_key_table_index *index, uint32_t bits)
{
    uint64_t lines = UINT64_C(1) << (bits - LINE_BITS);
    uint64_t bytes = lines * sizeof(struct fil_key_line);
    if (bits > TAG_BITS - 1 || !fil_account_take(&table->account, fil_region_bytes(bytes))) {
        return FIL_E_NOMEM;
    }
    int error = fil_region_init(&index->region, bytes);
    if (error != FIL_OK) {
        fil_account_give(&table->account, fil_region_bytes(bytes));
        return error;
    }
    index->lines = (void *)index->region.memory;
    index->mask = (uint32_t)(lines * FIL_KEY_LINE_PLACES - 1);
    index->shift = TAG_BITS - bits + LINE_BITS;
    return FIL_OK;
}

static void close_index(struct fil_key_table *table, struct fil_key_table_index *index)
{
    if (index->lines != NULL) {
        fil_account_give(&table->account, index->region.size);
        fil_region_fini(&index->region);
        index->lines = NULL;
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

static struct fil_key_line *line_of(const struct fil_key_table_index *index, uint32_t tag)
{
    return &index->lines[tag >> index->shift];
}

/** The first place of a tag's line. */
static uint32_t place_of(const struct fil_key_table_index *index, uint32_t tag)
{
    return tag >> index->shift << LINE_BITS;
}

static struct fil_key_line *line_at(const struct fil_key_table_index *index, uint32_t place)
{
    return &index->lines[place >> LINE_BITS];
}

static uint32_t *slot_at(const struct fil_key_table_index *index, uint32_t place)
{
    return &line_at(index, place)->slots[place % FIL_KEY_LINE_PLACES];
}

static uint32_t *tag_at(const struct fil_key_table_index *index, uint32_t place)
{
    return &line_at(index, place)->tags[place % FIL_KEY_LINE_PLACES];
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

/** Whether a number of a line, a slot plus 1 or none, is the slot of the key. */
static inline bool is_wanted(const struct fil_key_table *table, uint32_t number,
                             const struct wanted *wanted, uint32_t word_count)
{
    // Neither free places nor removed ones are below the limit.
    uint32_t slot = number - 1;
    if (slot >= table->slot_limit) {
        return false;
    }
    if (word_count != 0) {
        return has_words(table, slot, (const void *)wanted->key.data, word_count);
    }
    return fil_bytes_equal(fil_key_table_key(table, slot), wanted->key);
}

/** The key's place, or the free one where the search ends. */
static inline uint32_t probe(const struct fil_key_table *table,
                             const struct fil_key_table_index *index, const struct wanted *wanted,
                             uint32_t word_count)
{
    uint32_t place = place_of(index, wanted->tag);
    // Ends: an index is never full.
    for (;;) {
        const struct fil_key_line *line = line_at(index, place);
        uint32_t match = fil_key_line_match(line->tags, wanted->tag);
        for (; match != 0; match &= match - 1) {
            uint32_t at = (uint32_t)__builtin_ctz(match);
            if (is_wanted(table, line->slots[at], wanted, word_count)) {
                return place + at;
            }
        }
        uint32_t unused = fil_key_line_match(line->slots, 0);
        if (unused != 0) {
            return place + (uint32_t)__builtin_ctz(unused);
        }
        place = (place + FIL_KEY_LINE_PLACES) & index->mask;
    }
}

static void insert_moved(struct fil_key_table *table, uint32_t tag, uint32_t number)
{
    const struct fil_key_table_index *index = &table->index;
    uint32_t place = place_of(index, tag);
    uint32_t unused = fil_key_line_match(line_at(index, place)->slots, 0);
    while (unused == 0) {
        place = (place + FIL_KEY_LINE_PLACES) & index->mask;
        unused = fil_key_line_match(line_at(index, place)->slots, 0);
    }
    place += (uint32_t)__builtin_ctz(unused);
    *tag_at(index, place) = tag;
    *slot_at(index, place) = number;
}

/** Moves some entries out of the old index. */
static void move_some(struct fil_key_table *table, uint32_t count)
{
    if (table->old.lines == NULL) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *number = slot_at(&table->old, table->old_next);
        if (*number != 0 && *number != REMOVED) {
            insert_moved(table, *tag_at(&table->old, table->old_next), *number);
            *number = REMOVED;
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
    if (table->old.lines != NULL) {
        move_some(table, UINT32_MAX);
    }
    struct fil_key_table_index larger = {0};
    int error = open_index(table, &larger, TAG_BITS - table->index.shift + LINE_BITS + 1);
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

/** A new key, in a place that is free. */
static int insert(struct fil_key_table *table, uint32_t place, const struct wanted *wanted,
                  uint32_t *out_slot)
{
    fil_assert(*slot_at(&table->index, place) == 0);
    bool fits =
        table->is_fixed ? wanted->key.size == table->key_max : wanted->key.size <= table->key_max;
    if (!fits) {
        return FIL_E_LIMIT;
    }
    int error = new_slot(table, wanted->key, out_slot);
    if (error == FIL_OK) {
        *tag_at(&table->index, place) = wanted->tag;
        *slot_at(&table->index, place) = *out_slot + 1;
    }
    return error;
}

static inline int find_one(struct fil_key_table *table, const struct wanted *wanted,
                           uint32_t word_count, uint32_t *out_slot)
{
    uint32_t place = probe(table, &table->index, wanted, word_count);
    uint32_t number = *slot_at(&table->index, place);
    if (number == 0 && table->old.lines != NULL) {
        number = *slot_at(&table->old, probe(table, &table->old, wanted, word_count));
    }
    if (number != 0) {
        *out_slot = number - 1;
        return FIL_OK;
    }
    return insert(table, place, wanted, out_slot);
}

/**
 * The slots that the keys most likely have: of the first equal tag in their lines, or of any other
 * entry there, or none. Each has to be compared.
 */
static void guess(const struct fil_key_table *table, uint32_t count, const uint64_t *hashes,
                  uint32_t *out_slots)
{
    bool is_large = fil_key_table_is_large(table);
    for (uint32_t i = 0; is_large && i < count; i++) {
        fil_key_table_fetch(table, hashes[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct fil_key_line *line = line_of(&table->index, (uint32_t)hashes[i]);
        uint32_t match = fil_key_line_match(line->tags, (uint32_t)hashes[i]);
        // No branch for none: the last entry is as good as any that is not equal.
        uint32_t at = (uint32_t)__builtin_ctz(match | 1U << (FIL_KEY_LINE_PLACES - 1));
        out_slots[i] = line->slots[at] - 1;
    }
    // A small table is in the cache anyway.
    for (uint32_t i = 0; is_large && i < count; i++) {
        FIL_PREFETCH(fil_column_find(&table->rows, out_slots[i]));
    }
}

static int prepare(struct fil_key_table *table, uint32_t count, const uint64_t *hashes,
                   uint32_t *out_slots)
{
    fil_assert(count <= FIL_KEY_TABLE_GROUP);
    int error = grow_when_full(table, count);
    if (error == FIL_OK) {
        move_some(table, MOVES_A_LOOKUP * count);
        guess(table, count, hashes, out_slots);
    }
    return error;
}

int fil_key_table_find(struct fil_key_table *table, uint32_t count, const struct fil_bytes *keys,
                       const uint64_t *hashes, uint32_t *out_slots)
{
    int error = prepare(table, count, hashes, out_slots);
    for (uint32_t i = 0; error == FIL_OK && i < count; i++) {
        const struct wanted wanted = {.key = keys[i], .tag = (uint32_t)hashes[i]};
        if (!is_wanted(table, out_slots[i] + 1, &wanted, 0)) {
            error = find_one(table, &wanted, 0, &out_slots[i]);
        }
    }
    return error;
}

static inline int find_words(struct fil_key_table *table, uint32_t count, const uint64_t *words,
                             uint32_t word_count, const uint64_t *hashes, uint32_t *out_slots)
{
    int error = prepare(table, count, hashes, out_slots);
    for (uint32_t i = 0; error == FIL_OK && i < count; i++, words += word_count) {
        bool is_found =
            out_slots[i] < table->slot_limit && has_words(table, out_slots[i], words, word_count);
        if (FIL_UNLIKELY(!is_found)) {
            const struct wanted wanted = {.key = fil_bytes_make(words, word_count * sizeof(*words)),
                                          .tag = (uint32_t)hashes[i]};
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

/** The place of a slot; false when it is in the other index. */
static bool find_slot(const struct fil_key_table_index *index, uint64_t hash, uint32_t slot,
                      uint32_t *out_place)
{
    if (index->lines == NULL) {
        return false;
    }
    uint32_t place = place_of(index, (uint32_t)hash);
    for (;;) {
        const struct fil_key_line *line = line_at(index, place);
        uint32_t match = fil_key_line_match(line->slots, slot + 1);
        if (match != 0) {
            *out_place = place + (uint32_t)__builtin_ctz(match);
            return true;
        }
        if (fil_key_line_match(line->slots, 0) != 0) {
            return false;
        }
        place = (place + FIL_KEY_LINE_PLACES) & index->mask;
    }
}

/** Closes the gap: entries behind it that would be found no more move into it. */
static void close_gap(struct fil_key_table_index *index, uint32_t gap)
{
    uint32_t place = (gap + 1) & index->mask;
    while (*slot_at(index, place) != 0) {
        uint32_t wanted = place_of(index, *tag_at(index, place));
        // Between the wanted place and this one, round the end: is the gap there?
        if (((place - wanted) & index->mask) >= ((place - gap) & index->mask)) {
            *tag_at(index, gap) = *tag_at(index, place);
            *slot_at(index, gap) = *slot_at(index, place);
            gap = place;
        }
        place = (place + 1) & index->mask;
    }
    *slot_at(index, gap) = 0;
}

void fil_key_table_remove(struct fil_key_table *table, uint32_t slot)
{
    uint64_t hash = fil_key_table_hash(table, slot);
    uint32_t place = 0;
    if (find_slot(&table->index, hash, slot, &place)) {
        close_gap(&table->index, place);
    } else {
        bool is_old = find_slot(&table->old, hash, slot, &place);
        fil_assert(is_old);
        *slot_at(&table->old, place) = REMOVED;
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
            uint32_t place = 0;
            bool is_there = find_slot(&table->index, hash, slot, &place) ||
                            find_slot(&table->old, hash, slot, &place);
            fil_assert(is_there);
            live++;
        }
    }
    fil_assert(live == table->count);
}
