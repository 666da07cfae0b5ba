// SPDX-License-Identifier: Apache-2.0
#include "core/store/table.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define SLOTS_MIN 16U

struct fil_record {
    uint64_t hash;
    uint32_t key_size;
    uint32_t value_size;
    uint8_t bytes[]; // key, then value
};

void fil_table_init(struct fil_table *table, struct fil_budget *budget)
{
    *table = (struct fil_table){0};
    fil_account_init_data(&table->account, budget);
}

static uint64_t record_bytes(const struct fil_record *record)
{
    return sizeof(*record) + record->key_size + record->value_size;
}

static void free_record(struct fil_table *table, struct fil_record *record)
{
    fil_account_give(&table->account, record_bytes(record));
    fil_free(record);
}

/** The hash's other half beside the pointer: most misses are seen without touching a record. */
struct fil_slot {
    struct fil_record *record; // NULL: empty
    uint32_t tag;
};

static uint32_t tag_of(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

static uint64_t slots_bytes(uint32_t mask)
{
    return ((uint64_t)mask + 1) * sizeof(struct fil_slot);
}

void fil_table_fini(struct fil_table *table)
{
    for (uint32_t i = 0; table->slots != NULL && i <= table->mask; i++) {
        if (table->slots[i].record != NULL) {
            free_record(table, table->slots[i].record);
        }
    }
    if (table->slots != NULL) {
        fil_free(table->slots);
        fil_account_give(&table->account, slots_bytes(table->mask));
    }
    fil_account_fini(&table->account);
}

static bool has_key(const struct fil_record *record, uint64_t hash, struct fil_bytes key)
{
    return record->hash == hash &&
           fil_bytes_equal(fil_bytes_make(record->bytes, record->key_size), key);
}

/** The key's slot, or the empty one where it would go. Linear probing; never full. */
static uint32_t find_slot(const struct fil_table *table, uint64_t hash, struct fil_bytes key)
{
    uint32_t tag = tag_of(hash);
    uint32_t index = (uint32_t)hash & table->mask;
    for (;; index = (index + 1) & table->mask) {
        const struct fil_slot *slot = &table->slots[index];
        if (slot->record == NULL || (slot->tag == tag && has_key(slot->record, hash, key))) {
            return index;
        }
    }
}

bool fil_table_get(const struct fil_table *table, uint64_t hash, struct fil_bytes key,
                   struct fil_bytes *out_value)
{
    if (table->slots == NULL) {
        return false;
    }
    const struct fil_record *record = table->slots[find_slot(table, hash, key)].record;
    if (record == NULL) {
        return false;
    }
    *out_value = fil_bytes_make(record->bytes + record->key_size, record->value_size);
    return true;
}

/** Moves all records to a table of the given size. */
static int resize(struct fil_table *table, uint32_t slot_count)
{
    uint32_t mask = slot_count - 1;
    if (!fil_account_take(&table->account, slots_bytes(mask))) {
        return FIL_E_NOMEM;
    }
    struct fil_slot *slots = fil_alloc_zero(slot_count, sizeof(*slots));
    if (slots == NULL) {
        fil_account_give(&table->account, slots_bytes(mask));
        return FIL_E_NOMEM;
    }
    struct fil_slot *old = table->slots;
    uint32_t old_mask = table->mask;
    table->slots = slots;
    table->mask = mask;
    for (uint32_t i = 0; old != NULL && i <= old_mask; i++) {
        const struct fil_record *record = old[i].record;
        if (record != NULL) {
            struct fil_bytes key = fil_bytes_make(record->bytes, record->key_size);
            slots[find_slot(table, record->hash, key)] = old[i];
        }
    }
    if (old != NULL) {
        fil_free(old);
        fil_account_give(&table->account, slots_bytes(old_mask));
    }
    return FIL_OK;
}

static int make_room(struct fil_table *table)
{
    if (table->slots == NULL) {
        return resize(table, SLOTS_MIN);
    }
    uint64_t slot_count = (uint64_t)table->mask + 1;
    if ((uint64_t)table->count + 1 <= slot_count - slot_count / 4) {
        return FIL_OK;
    }
    return slot_count >= UINT32_MAX / 2 ? FIL_E_LIMIT : resize(table, (uint32_t)slot_count * 2);
}

static struct fil_record *new_record(struct fil_table *table, uint64_t hash, struct fil_bytes key,
                                     struct fil_bytes value)
{
    uint64_t bytes = sizeof(struct fil_record) + key.size + value.size;
    if (!fil_account_take(&table->account, bytes)) {
        return NULL;
    }
    struct fil_record *record = fil_alloc(bytes);
    if (record == NULL) {
        fil_account_give(&table->account, bytes);
        return NULL;
    }
    record->hash = hash;
    record->key_size = (uint32_t)key.size;
    record->value_size = (uint32_t)value.size;
    if (key.size > 0) {
        memcpy(record->bytes, key.data, key.size);
    }
    if (value.size > 0) {
        memcpy(record->bytes + key.size, value.data, value.size);
    }
    return record;
}

static int insert(struct fil_table *table, uint64_t hash, struct fil_bytes key,
                  struct fil_bytes value)
{
    int error = make_room(table);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_record *record = new_record(table, hash, key, value);
    if (record == NULL) {
        return FIL_E_NOMEM;
    }
    table->slots[find_slot(table, hash, key)] =
        (struct fil_slot){.record = record, .tag = tag_of(hash)};
    table->count++;
    return FIL_OK;
}

static int overwrite(struct fil_table *table, uint32_t slot, struct fil_bytes value)
{
    struct fil_record *old = table->slots[slot].record;
    if (old->value_size == value.size) {
        if (value.size > 0) {
            memcpy(old->bytes + old->key_size, value.data, value.size);
        }
        return FIL_OK;
    }
    struct fil_bytes key = fil_bytes_make(old->bytes, old->key_size);
    struct fil_record *record = new_record(table, old->hash, key, value);
    if (record == NULL) {
        return FIL_E_NOMEM;
    }
    table->slots[slot].record = record;
    free_record(table, old);
    return FIL_OK;
}

int fil_table_put(struct fil_table *table, uint64_t hash, struct fil_bytes key,
                  struct fil_bytes value)
{
    if (key.size > UINT32_MAX || value.size > UINT32_MAX) {
        return FIL_E_LIMIT;
    }
    if (table->slots != NULL) {
        uint32_t slot = find_slot(table, hash, key);
        if (table->slots[slot].record != NULL) {
            // Needs no room in the table, so a full one can still be written to.
            return overwrite(table, slot, value);
        }
    }
    return insert(table, hash, key, value);
}

/** Moves later records of the same run back, so that no search ends at the hole too early. */
static void close_gap(struct fil_table *table, uint32_t hole)
{
    uint32_t slot = hole;
    for (;;) {
        slot = (slot + 1) & table->mask;
        struct fil_record *record = table->slots[slot].record;
        if (record == NULL) {
            break;
        }
        uint32_t ideal = (uint32_t)record->hash & table->mask;
        if (((slot - ideal) & table->mask) >= ((slot - hole) & table->mask)) {
            table->slots[hole] = table->slots[slot];
            hole = slot;
        }
    }
    table->slots[hole] = (struct fil_slot){0};
}

bool fil_table_remove(struct fil_table *table, uint64_t hash, struct fil_bytes key)
{
    if (table->slots == NULL) {
        return false;
    }
    uint32_t slot = find_slot(table, hash, key);
    struct fil_record *record = table->slots[slot].record;
    if (record == NULL) {
        return false;
    }
    close_gap(table, slot);
    fil_assert(table->count > 0);
    table->count--;
    free_record(table, record);
    return true;
}
