// SPDX-License-Identifier: Apache-2.0
/** Maps: many keys at once, split by partition, and whole maps. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "client/gather.h"
#include "client/listener_internal.h"
#include "client/map_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/serialization.h"

static const struct fil_client_op get_all_op = {.request = &fil_wire_map_get_all_request_layout,
                                                .answer = FIL_CLIENT_ANSWER_RAW,
                                                .is_retryable = true};
static const struct fil_client_op put_all_op = {.request = &fil_wire_map_put_all_request_layout};
static const struct fil_client_op keys_op = {.request = &fil_wire_map_key_set_request_layout,
                                             .answer = FIL_CLIENT_ANSWER_RAW,
                                             .is_retryable = true};
static const struct fil_client_op entries_op = {.request = &fil_wire_map_entry_set_request_layout,
                                                .answer = FIL_CLIENT_ANSWER_RAW,
                                                .is_retryable = true};

/** One key, and its value when there is one to be set. */
struct piece {
    int32_t partition;
    uint32_t index; // as the application gave it
    struct fil_wire_entry entry;
};

/** Many keys under way. */
struct crowd {
    struct fil_map_waiter waiter;
    struct fil_map *map;
    struct piece *pieces; // by partition
    struct fil_bytes *keys;
    struct fil_wire_entry *entries;
    size_t count;
    uint8_t *bytes; // all serialized keys and values
    size_t bytes_size;
    size_t bytes_capacity;
    struct fil_gather gather;
};

/** The keys of one partition; what its answer is matched with. */
struct group {
    struct crowd *crowd;
    size_t first;
    size_t count;
};

static int crowd_init(struct crowd *crowd, struct fil_map *map, size_t count)
{
    *crowd = (struct crowd){.map = map, .waiter = {.client = map->client}, .count = count};
    crowd->pieces = fil_alloc_zero(count, sizeof(*crowd->pieces));
    crowd->keys = fil_alloc_zero(count, sizeof(*crowd->keys));
    crowd->entries = fil_alloc_zero(count, sizeof(*crowd->entries));
    bool is_made = crowd->pieces != NULL && crowd->keys != NULL && crowd->entries != NULL;
    return is_made ? FIL_OK : FIL_E_NOMEM;
}

static void crowd_fini(struct crowd *crowd)
{
    fil_free(crowd->pieces);
    fil_free(crowd->keys);
    fil_free(crowd->entries);
    fil_free(crowd->bytes);
    fil_gather_fini(&crowd->gather);
}

/** Appends the serialized value; out_data has its place instead of a pointer. */
static int keep(struct crowd *crowd, const struct fil_value *value, struct fil_bytes *out_data)
{
    struct fil_map_data data;
    int error = fil_client__map_encode(value, &data);
    if (error == FIL_OK && data.bytes.size > crowd->bytes_capacity - crowd->bytes_size) {
        size_t wanted = (crowd->bytes_size + data.bytes.size) * 2;
        uint8_t *bytes = fil_realloc(crowd->bytes, wanted);
        error = bytes == NULL ? FIL_E_NOMEM : FIL_OK;
        crowd->bytes = bytes == NULL ? crowd->bytes : bytes;
        crowd->bytes_capacity = bytes == NULL ? crowd->bytes_capacity : wanted;
    }
    if (error == FIL_OK) {
        fil_assert(crowd->bytes != NULL);
        memcpy(crowd->bytes + crowd->bytes_size, data.bytes.data, data.bytes.size);
        *out_data = fil_bytes_make((const void *)(uintptr_t)crowd->bytes_size, data.bytes.size);
        crowd->bytes_size += data.bytes.size;
    }
    fil_client__map_release(&data);
    return error;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *left = a;
    const struct piece *right = b;
    if (left->partition != right->partition) {
        return left->partition < right->partition ? -1 : 1;
    }
    return left->index < right->index ? -1 : left->index > right->index;
}

static void place(struct crowd *crowd, struct fil_bytes *data)
{
    if (data->size > 0) {
        data->data = crowd->bytes + (uintptr_t)data->data;
    }
}

/** All bytes have come to rest: finds the partitions and puts each one's keys side by side. */
static void sort_pieces(struct crowd *crowd)
{
    for (size_t i = 0; i < crowd->count; i++) {
        struct piece *piece = &crowd->pieces[i];
        piece->index = (uint32_t)i;
        place(crowd, &piece->entry.key);
        place(crowd, &piece->entry.value);
        piece->partition = fil_client__map_partition(crowd->map, piece->entry.key);
    }
    qsort(crowd->pieces, crowd->count, sizeof(*crowd->pieces), compare_pieces);
    for (size_t i = 0; i < crowd->count; i++) {
        crowd->keys[i] = crowd->pieces[i].entry.key;
        crowd->entries[i] = crowd->pieces[i].entry;
    }
}

static bool is_key(const struct piece *piece, struct fil_bytes key)
{
    return fil_bytes_equal(fil_wire_data_identity(piece->entry.key), fil_wire_data_identity(key));
}

/** Sets the places of a key that was answered; the same key may have been asked for twice. */
static int settle_key(const struct group *group, const struct fil_wire_entry *entry)
{
    struct crowd *crowd = group->crowd;
    int error = FIL_OK;
    for (size_t i = 0; i < group->count && error == FIL_OK; i++) {
        const struct piece *piece = &crowd->pieces[group->first + i];
        if (is_key(piece, entry->key)) {
            error = fil_gather_set(&crowd->gather, piece->index, entry->value);
        }
    }
    return error;
}

static int read_group(const struct group *group, struct fil_bytes message)
{
    struct fil_wire_map_get_all_response response;
    struct fil_wire_entry entry;
    int error = FIL_WIRE_DECODE(map_get_all_response, message, &response, NULL);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_wire_cursor cursor = fil_wire_part_open(&response.response);
    while (error == FIL_OK && fil_wire_cursor_data(&cursor, &entry.key) &&
           fil_wire_cursor_data_or_null(&cursor, &entry.value)) {
        error = settle_key(group, &entry);
    }
    return error;
}

static void on_values(struct fil_client_call *call, int error, struct fil_bytes message)
{
    struct group *group = call->context;
    int result = error == FIL_OK ? read_group(group, message) : error;
    fil_client__map_arrive(&group->crowd->waiter, result);
}

static void on_stored(struct fil_client_call *call, int error, struct fil_bytes message)
{
    struct group *group = call->context;
    (void)message;
    fil_client__map_arrive(&group->crowd->waiter, error);
}

static int begin_group(struct group *group, bool is_put)
{
    struct crowd *crowd = group->crowd;
    struct fil_client_request request = {
        .op = is_put ? &put_all_op : &get_all_op,
        .partition = crowd->pieces[group->first].partition,
        .done = is_put ? on_stored : on_values,
        .context = group,
        .map = crowd->map,
    };
    struct fil_wire_map_put_all_request put = {
        .name = fil_client__map_name(crowd->map),
        .entries = fil_wire_part_items(crowd->entries + group->first, (uint32_t)group->count),
    };
    struct fil_wire_map_get_all_request get = {
        .name = put.name,
        .keys = fil_wire_part_items(crowd->keys + group->first, (uint32_t)group->count),
    };
    request.fields = is_put ? (const void *)&put : &get;
    return fil_client__map_join(&crowd->waiter, &request);
}

/** Begins all groups, then waits for all that were begun. */
static int run_groups(struct crowd *crowd, struct group *groups, bool is_put)
{
    int error = FIL_OK;
    struct group *group = groups;
    for (size_t first = 0; first < crowd->count && error == FIL_OK; group++) {
        size_t end = first;
        while (end < crowd->count &&
               crowd->pieces[end].partition == crowd->pieces[first].partition) {
            end++;
        }
        *group = (struct group){.crowd = crowd, .first = first, .count = end - first};
        error = begin_group(group, is_put);
        first = end;
    }
    fil_client__kick(crowd->waiter.client);
    while (crowd->waiter.left_count > 0) {
        fil_client__turn(crowd->waiter.client);
    }
    return error == FIL_OK ? crowd->waiter.error : error;
}

static int run_crowd(struct crowd *crowd, bool is_put)
{
    struct fil_client *client = crowd->waiter.client;
    struct group *groups = fil_alloc_zero(crowd->count, sizeof(*groups));
    if (groups == NULL) {
        return FIL_E_NOMEM;
    }
    fil_client__lock(client);
    sort_pieces(crowd);
    for (size_t i = 0; is_put && crowd->map->near != NULL && i < crowd->count; i++) {
        fil_client__near_drop(crowd->map, crowd->pieces[i].entry.key);
    }
    int error = run_groups(crowd, groups, is_put);
    fil_client__unlock(client);
    fil_free(groups);
    return error;
}

static int check_many(const struct fil_map *map, const void *items, size_t count)
{
    if (map == NULL || (items == NULL && count > 0) || count > UINT32_MAX) {
        return FIL_E_INVALID;
    }
    return fil_client__is_inside(map->client) ? FIL_E_WOULD_BLOCK : FIL_OK;
}

/** Hands over what was gathered. */
static int finish_values(struct fil_gather *gather, struct fil_values *out_values)
{
    struct fil_value *items = NULL;
    int error = fil_gather_finish(gather, &items);
    if (error == FIL_OK) {
        *out_values = (struct fil_values){.items = items, .count = gather->count, .memory = items};
    }
    return error;
}

int fil_map_get_all(struct fil_map *map, const struct fil_value *keys, size_t count,
                    struct fil_values *out_values)
{
    int error = out_values == NULL ? FIL_E_INVALID : check_many(map, keys, count);
    if (error != FIL_OK) {
        return error;
    }
    *out_values = (struct fil_values){0};
    if (count == 0) {
        return FIL_OK;
    }
    struct crowd crowd;
    error = crowd_init(&crowd, map, count);
    if (error == FIL_OK) {
        error = fil_gather_reserve(&crowd.gather, count);
    }
    for (size_t i = 0; i < count && error == FIL_OK; i++) {
        error = keep(&crowd, &keys[i], &crowd.pieces[i].entry.key);
    }
    if (error == FIL_OK) {
        error = run_crowd(&crowd, false);
    }
    if (error == FIL_OK) {
        error = finish_values(&crowd.gather, out_values);
    }
    crowd_fini(&crowd);
    return error;
}

int fil_map_put_all(struct fil_map *map, const struct fil_entry *entries, size_t count)
{
    int error = check_many(map, entries, count);
    if (error != FIL_OK || count == 0) {
        return error;
    }
    struct crowd crowd;
    error = crowd_init(&crowd, map, count);
    for (size_t i = 0; i < count && error == FIL_OK; i++) {
        error = keep(&crowd, &entries[i].key, &crowd.pieces[i].entry.key);
        if (error == FIL_OK) {
            error = keep(&crowd, &entries[i].value, &crowd.pieces[i].entry.value);
        }
    }
    if (error == FIL_OK) {
        error = run_crowd(&crowd, true);
    }
    crowd_fini(&crowd);
    return error;
}

/** A whole map, keys alone or pairs. */
struct sweep {
    struct fil_map_waiter waiter;
    struct fil_gather gather;
};

static void on_whole(struct fil_client_call *call, int error, struct fil_bytes message)
{
    struct sweep *sweep = call->context;
    struct fil_wire_map_key_set_response keys = {0};
    struct fil_wire_map_entry_set_response entries = {0};
    struct fil_bytes data;
    bool is_keys = call->op == &keys_op;
    if (error == FIL_OK) {
        error = is_keys ? FIL_WIRE_DECODE(map_key_set_response, message, &keys, NULL)
                        : FIL_WIRE_DECODE(map_entry_set_response, message, &entries, NULL);
    }
    struct fil_wire_cursor cursor =
        fil_wire_part_open(is_keys ? &keys.response : &entries.response);
    while (error == FIL_OK && fil_wire_cursor_data_or_null(&cursor, &data)) {
        error = fil_gather_add(&sweep->gather, data);
    }
    fil_client__map_arrive(&sweep->waiter, error);
}

static int run_sweep(struct fil_map *map, bool is_keys, struct fil_values *out_values)
{
    struct sweep sweep = {.waiter = {.client = map->client}};
    struct fil_wire_map_key_set_request keys = {.name = fil_client__map_name(map)};
    struct fil_wire_map_entry_set_request entries = {.name = keys.name};
    struct fil_client_request request = {
        .op = is_keys ? &keys_op : &entries_op,
        .fields = is_keys ? (const void *)&keys : &entries,
        .partition = -1,
        .done = on_whole,
        .context = &sweep,
    };
    fil_client__lock(map->client);
    int error = fil_client__map_join(&sweep.waiter, &request);
    fil_client__kick(map->client);
    while (sweep.waiter.left_count > 0) {
        fil_client__turn(map->client);
    }
    fil_client__unlock(map->client);
    error = error == FIL_OK ? sweep.waiter.error : error;
    if (error == FIL_OK) {
        error = finish_values(&sweep.gather, out_values);
    }
    fil_gather_fini(&sweep.gather);
    return error;
}

int fil_map_keys(struct fil_map *map, struct fil_values *out_keys)
{
    int error = check_many(map, out_keys, 1);
    if (error != FIL_OK) {
        return error;
    }
    *out_keys = (struct fil_values){0};
    return run_sweep(map, true, out_keys);
}

int fil_map_entries(struct fil_map *map, struct fil_entries *out_entries)
{
    static_assert(sizeof(struct fil_entry) == 2 * sizeof(struct fil_value), "pairs of values");
    struct fil_values values = {0};
    int error = check_many(map, out_entries, 1);
    if (error != FIL_OK) {
        return error;
    }
    *out_entries = (struct fil_entries){0};
    error = run_sweep(map, false, &values);
    if (error == FIL_OK) {
        *out_entries = (struct fil_entries){.items = (struct fil_entry *)(void *)values.items,
                                            .count = values.count / 2,
                                            .memory = values.memory};
    }
    return error;
}
