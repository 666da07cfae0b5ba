// SPDX-License-Identifier: Apache-2.0
#include "grid/map/journal.h"

#include <string.h>

#include "filbert/error.h"
#include "grid/map/map_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

/** The bytes are the key, the old value and the value. */
struct record {
    enum fil_map_event_kind kind;
    bool has_old;
    bool has_value;
    size_t key_size;
    size_t old_size;
    size_t value_size;
    uint8_t bytes[];
};

struct fil_map_journal {
    struct fil_account account;
    uint64_t next; // number of the next change
    uint32_t capacity;
    bool has_waiters;
    struct record *ring[]; // by number; NULL: lost, or not written yet
};

static size_t size_of(const struct record *record)
{
    return sizeof(*record) + record->key_size + record->old_size + record->value_size;
}

/** What the journal itself takes, beside its records. */
static size_t head_size(uint32_t capacity)
{
    return sizeof(struct fil_map_journal) + capacity * sizeof(struct record *);
}

static void drop(struct fil_map_journal *journal, uint32_t slot)
{
    struct record *record = journal->ring[slot];
    if (record != NULL) {
        fil_account_give(&journal->account, size_of(record));
        fil_free(record);
        journal->ring[slot] = NULL;
    }
}

uint64_t fil_map__journal_bytes(const struct fil_map_journal *journal)
{
    return journal == NULL ? 0 : fil_account_used(&journal->account);
}

void fil_map__free_journal(struct fil_map_journal *journal)
{
    if (journal == NULL) {
        return;
    }
    for (uint32_t i = 0; i < journal->capacity; i++) {
        drop(journal, i);
    }
    fil_account_give(&journal->account, head_size(journal->capacity));
    fil_account_fini(&journal->account);
    fil_free(journal);
}

uint32_t fil_map_journal_capacity(const struct fil_map *map)
{
    uint32_t wanted = map->config.journal_capacity;
    uint32_t capacity = wanted / map->partition_count;
    return capacity == 0 && wanted > 0 ? 1 : capacity;
}

static int open_journal(struct fil_map_shard *shard, uint32_t capacity)
{
    struct fil_map_journal *journal = fil_alloc_zero(1, head_size(capacity));
    if (journal == NULL) {
        return FIL_E_NOMEM;
    }
    fil_account_init_data(&journal->account, shard->map->budget);
    if (!fil_account_take(&journal->account, head_size(capacity))) {
        fil_account_fini(&journal->account);
        fil_free(journal);
        return FIL_E_NOMEM;
    }
    journal->capacity = capacity;
    shard->journal = journal;
    shard->interests |= FIL_MAP__JOURNALED;
    return FIL_OK;
}

int fil_map__open_journals(struct fil_map *map)
{
    uint32_t capacity = fil_map_journal_capacity(map);
    if (capacity == 0) {
        return FIL_OK;
    }
    int error = FIL_OK;
    for (uint32_t i = 0; i < map->partition_count && error == FIL_OK; i++) {
        error = open_journal(&map->shards[i], capacity);
    }
    return error;
}

static void copy(uint8_t **room, struct fil_bytes bytes)
{
    if (bytes.size > 0) {
        memcpy(*room, bytes.data, bytes.size);
    }
    *room += bytes.size;
}

/** NULL when memory is out. */
static struct record *make_record(struct fil_map_journal *journal,
                                  const struct fil_map__change *change)
{
    struct record head = {
        .kind = change->kind,
        .has_old = change->has_old,
        .has_value = change->has_value,
        .key_size = change->key.size,
        .old_size = change->has_old ? change->old_value.size : 0,
        .value_size = change->has_value ? change->value.size : 0,
    };
    if (!fil_account_take(&journal->account, size_of(&head))) {
        return NULL;
    }
    struct record *record = fil_alloc(size_of(&head));
    if (record == NULL) {
        fil_account_give(&journal->account, size_of(&head));
        return NULL;
    }
    *record = head;
    uint8_t *room = record->bytes;
    copy(&room, change->key);
    copy(&room, fil_bytes_make(change->old_value.data, head.old_size));
    copy(&room, fil_bytes_make(change->value.data, head.value_size));
    fil_assert(room == (uint8_t *)record + size_of(&head));
    return record;
}

static uint64_t wait_key(const struct fil_map *map)
{
    // Keys that are waited for in locks have another number, most of the time.
    return ~map->wait_salt;
}

void fil_map__record(struct fil_map_shard *shard, const struct fil_map__change *change)
{
    struct fil_map_journal *journal = shard->journal;
    struct fil_partition *partition = fil_map__partition(shard);
    uint32_t slot = (uint32_t)(journal->next % journal->capacity);
    drop(journal, slot);
    journal->ring[slot] = make_record(journal, change);
    fil_counter_add(&shard->counters.journal_lost, journal->ring[slot] == NULL);
    journal->next++;
    if (journal->has_waiters && partition != NULL) {
        journal->has_waiters = false;
        (void)fil_partition_notify(partition, wait_key(shard->map), UINT32_MAX);
    }
}

static uint64_t oldest_of(const struct fil_map_journal *journal)
{
    return journal->next > journal->capacity ? journal->next - journal->capacity : 0;
}

int fil_map_journal_bounds_here(struct fil_map *map, fil_partition_id partition_id,
                                uint64_t *out_oldest, uint64_t *out_next)
{
    const struct fil_map_journal *journal = fil_map__shard(map, partition_id)->journal;
    if (journal == NULL) {
        return FIL_E_UNSUPPORTED;
    }
    *out_oldest = oldest_of(journal);
    *out_next = journal->next;
    return FIL_OK;
}

static struct fil_map_journal_entry entry_of(const struct record *record, uint64_t seq)
{
    const uint8_t *old = record->bytes + record->key_size;
    const uint8_t *value = old + record->old_size;
    return (struct fil_map_journal_entry){
        .seq = seq,
        .kind = record->kind,
        .key = fil_bytes_make(record->bytes, record->key_size),
        .old_value = fil_bytes_make(record->has_old ? old : NULL, record->old_size),
        .value = fil_bytes_make(record->has_value ? value : NULL, record->value_size),
    };
}

uint64_t fil_map_journal_read_here(struct fil_map *map, const struct fil_map_journal_read *read,
                                   uint64_t *out_lost)
{
    const struct fil_map_journal *journal = fil_map__shard(map, read->partition_id)->journal;
    *out_lost = 0;
    if (journal == NULL || read->seq >= journal->next) {
        return read->seq;
    }
    uint64_t oldest = oldest_of(journal);
    uint64_t seq = read->seq < oldest ? oldest : read->seq;
    *out_lost = seq - read->seq;
    for (uint32_t i = 0; i < read->limit && seq < journal->next; i++, seq++) {
        const struct record *record = journal->ring[seq % journal->capacity];
        if (record == NULL) {
            (*out_lost)++;
            continue;
        }
        struct fil_map_journal_entry entry = entry_of(record, seq);
        read->visit(read->context, &entry);
    }
    return seq;
}

bool fil_map_journal_must_wait_here(struct fil_map *map, fil_partition_id partition_id,
                                    uint64_t seq, uint32_t count, uint64_t *out_wait_key)
{
    struct fil_map_journal *journal = fil_map__shard(map, partition_id)->journal;
    if (journal == NULL || journal->next >= seq + count) {
        return false;
    }
    journal->has_waiters = true;
    *out_wait_key = wait_key(map);
    return true;
}
