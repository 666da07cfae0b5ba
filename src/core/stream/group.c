// SPDX-License-Identifier: Apache-2.0
#include "core/stream/group.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"

// Without a key all records share one, so that the rest need not know.
static const uint8_t no_key[8] = {0};

int fil_group_init(struct fil_group *group, const struct fil_processor_context *context,
                   const struct fil_group_config *config)
{
    bool has_key = fil_key_is_set(&config->key);
    bool is_fixed = config->key.extract == NULL;
    bool has_words = has_key && is_fixed && fil_key_table_has_words(config->key.size);
    *group = (struct fil_group){
        .config = config, .has_key = has_key, .word_count = has_words ? config->key.size / 8 : 0};
    const struct fil_aggregate *aggregate = &config->aggregate;
    uint32_t key_bytes = has_key ? config->key.size : sizeof(no_key);
    if (key_bytes == 0 || key_bytes > FIL_KEY_TABLE_KEY_BYTES_MAX || aggregate->ops == NULL ||
        aggregate->state_size == 0 || aggregate->state_size % 8 != 0 ||
        aggregate->state_size > FIL_AGGREGATE_STATE_BYTES_MAX) {
        return FIL_E_INVALID;
    }
    // Keys are dealt by their hashes: nearly as many to each instance.
    uint32_t share = config->expected_count / (context->count == 0 ? 1 : context->count);
    return fil_key_table_init(&group->table, context->budget, key_bytes, is_fixed,
                              share + share / 16);
}

void fil_group_fini(struct fil_group *group)
{
    fil_key_table_fini(&group->table);
}

/** Records in a row whose keys are one word, or two: a constant, so that the loop asks nothing. */
static inline void load_words(struct fil_group *group, const uint8_t *record, uint32_t stride,
                              uint32_t count, uint32_t word_count)
{
    struct fil_group_work *work = &group->work;
    uint64_t *words = &work->words[(size_t)work->count * word_count];
    uint32_t offset = group->config->key.offset;
    fil_debug_assert(work->count + count <= FIL_KEY_TABLE_GROUP);
    for (uint32_t i = work->count; i < work->count + count; i++, record += stride) {
        memcpy(words, record + offset, word_count * sizeof(*words));
        work->records[i] = record;
        work->hashes[i] =
            word_count == 1 ? fil_key_mix(words[0]) : fil_key_mix_pair(words[0], words[1]);
        words += word_count;
    }
    work->count += count;
}

/** The keys behind those of this turn: what they look up first comes in meanwhile. */
FIL_PREFETCHES static void fetch_ahead(const struct fil_group *group, struct fil_batch *batch,
                                       uint32_t first)
{
    uint32_t left = batch->count - first;
    uint32_t count = left < FIL_KEY_TABLE_GROUP ? left : FIL_KEY_TABLE_GROUP;
    const uint8_t *key = (const uint8_t *)fil_batch_record(batch, first);
    key += group->config->key.offset;
    for (uint32_t i = 0; i < count; i++, key += batch->stride) {
        uint64_t words[2];
        memcpy(words, key, sizeof(words[0]));
        if (group->word_count == 2) {
            memcpy(&words[1], key + sizeof(words[0]), sizeof(words[1]));
        }
        fil_key_table_fetch(&group->table, group->word_count == 2
                                               ? fil_key_mix_pair(words[0], words[1])
                                               : fil_key_mix(words[0]));
    }
}

static void load_some(struct fil_group *group, const uint8_t *record, uint32_t stride,
                      uint32_t count)
{
    if (group->word_count == 1) {
        load_words(group, record, stride, count, 1);
    } else {
        load_words(group, record, stride, count, 2);
    }
}

void fil_group_add(struct fil_group *group, struct fil_batch *batch, uint32_t index)
{
    struct fil_group_work *work = &group->work;
    uint32_t place = work->count;
    fil_debug_assert(place < FIL_KEY_TABLE_GROUP);
    const void *record = fil_batch_record(batch, index);
    if (group->word_count != 0) {
        load_some(group, record, 0, 1);
        return;
    }
    work->records[place] = record;
    if (group->has_key) {
        work->keys[place] =
            fil_key_of(&group->config->key, record, fil_batch_record_size(batch, index));
        work->hashes[place] = fil_key_hash_bytes(work->keys[place]);
    }
    work->count = place + 1;
}

void fil_group_load(struct fil_group *group, struct fil_batch *batch, uint32_t first,
                    uint32_t count)
{
    struct fil_group_work *work = &group->work;
    fil_assert(count >= 1 && count <= FIL_KEY_TABLE_GROUP);
    work->count = 0;
    work->run_stride = 0;
    if (!group->has_key && batch->stride != 0) {
        work->records[0] = fil_batch_record(batch, first);
        work->run_stride = batch->stride;
        work->count = count;
        return;
    }
    if (group->word_count != 0 && batch->stride != 0) {
        load_some(group, fil_batch_record(batch, first), batch->stride, count);
        if (fil_key_table_is_large(&group->table) && first + count < batch->count) {
            fetch_ahead(group, batch, first + count);
        }
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        fil_group_add(group, batch, first + i);
    }
}

/** Without a key: one slot for all. */
static int find_only(struct fil_group *group)
{
    const struct fil_bytes key = fil_bytes_make(no_key, sizeof(no_key));
    struct fil_group_work *work = &group->work;
    uint64_t hash = fil_key_hash_bytes(key);
    uint32_t slot = 0;
    int error = fil_key_table_find(&group->table, 1, &key, &hash, &slot);
    uint32_t count = work->run_stride != 0 ? 1 : work->count;
    for (uint32_t i = 0; i < count; i++) {
        work->slots[i] = slot;
    }
    return error;
}

int fil_group_find(struct fil_group *group)
{
    struct fil_group_work *work = &group->work;
    if (work->count == 0) {
        return FIL_OK;
    }
    if (group->word_count != 0) {
        return fil_key_table_find_words(&group->table, work->count, work->words, work->hashes,
                                        work->slots);
    }
    if (!group->has_key) {
        return find_only(group);
    }
    return fil_key_table_find(&group->table, work->count, work->keys, work->hashes, work->slots);
}

int fil_group_accumulate(struct fil_group *group, struct fil_column *states)
{
    struct fil_group_work *work = &group->work;
    if (work->run_stride != 0) {
        void *state = fil_column_get(states, work->slots[0]);
        if (state == NULL) {
            return FIL_E_NOMEM;
        }
        fil_aggregate_accumulate_run(&group->config->aggregate, state, work->records[0],
                                     work->run_stride, work->count);
        return FIL_OK;
    }
    // All states first: so a failure leaves none of the records half done.
    for (uint32_t i = 0; i < work->count; i++) {
        work->states[i] = fil_column_get(states, work->slots[i]);
        if (work->states[i] == NULL) {
            return FIL_E_NOMEM;
        }
        FIL_PREFETCH(work->states[i]);
    }
    const struct fil_aggregate *aggregate = &group->config->aggregate;
    aggregate->ops->accumulate(aggregate, work->states, work->records, work->count);
    return FIL_OK;
}

int fil_group_find_key(struct fil_group *group, struct fil_bytes key, uint32_t *out_slot)
{
    uint64_t hash = fil_key_hash_bytes(key);
    return fil_key_table_find(&group->table, 1, &key, &hash, out_slot);
}

void fil_group_describe(const struct fil_group_config *config, const char *kind,
                        char out_text[FIL_PROCESSOR_FORMAT_MAX])
{
    const struct fil_aggregate *aggregate = &config->aggregate;
    (void)snprintf(out_text, FIL_PROCESSOR_FORMAT_MAX, "%s of %s in %u bytes by a key of %u%s",
                   kind, fil_aggregate_name(aggregate), aggregate->state_size, config->key.size,
                   config->key.extract != NULL ? " at most" : "");
}

int fil_group_restore(struct fil_group *group, struct fil_column *states, uint32_t slot,
                      struct fil_bytes saved)
{
    const struct fil_aggregate *aggregate = &group->config->aggregate;
    if (saved.size != aggregate->state_size) {
        return FIL_E_MALFORMED;
    }
    void *state = fil_column_get(states, slot);
    if (state == NULL) {
        return FIL_E_NOMEM;
    }
    // In front of an exchange by key, several instances may have had a part of the same state.
    uint64_t copy[FIL_AGGREGATE_STATE_BYTES_MAX / sizeof(uint64_t)];
    fil_assert(saved.size <= sizeof(copy));
    memcpy(copy, saved.data, saved.size);
    aggregate->ops->combine(aggregate, state, copy);
    return FIL_OK;
}

uint32_t fil_group_key_bytes(const struct fil_group_config *config)
{
    return fil_key_is_set(&config->key) ? (config->key.size + 7U) & ~7U : 0;
}

void fil_group__write_any_key(const struct fil_group *group, uint32_t slot, uint8_t *out)
{
    struct fil_bytes key = fil_key_table_key(&group->table, slot);
    uint32_t room = fil_group_key_bytes(group->config);
    memset(out, 0, room);
    memcpy(out, key.data, key.size);
}
