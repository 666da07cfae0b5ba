// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/key.h"

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/reply.h"

const char *fil_resp_type_name(enum fil_resp_type type)
{
    static const char *const names[] = {
        [FIL_RESP_TYPE_NONE] = "none",
        [FIL_RESP_TYPE_STRING] = "string",
        [FIL_RESP_TYPE_LIST] = "list",
    };
    fil_assert((size_t)type < FIL_COUNT_OF(names));
    return names[type];
}

enum fil_resp_type fil_resp_key_inspect(struct fil_map *map, const struct fil_map_key *key,
                                        uint64_t now_ms, struct fil_store_view *out_view)
{
    if (fil_map_inspect_here(map, key, now_ms, out_view)) {
        return FIL_RESP_TYPE_STRING;
    }
    if (fil_map_inspect_collection_here(map, key, now_ms, out_view)) {
        fil_assert(fil_shelf_read(out_view)->kind == FIL_COLLECTION_LIST);
        return FIL_RESP_TYPE_LIST;
    }
    return FIL_RESP_TYPE_NONE;
}

bool fil_resp_key_has_collection(struct fil_map *map, const struct fil_map_key *key,
                                 uint64_t now_ms)
{
    struct fil_store_view view;
    return fil_map_inspect_collection_here(map, key, now_ms, &view);
}

uint64_t fil_resp_key_cost(enum fil_resp_type type, const struct fil_store_view *view)
{
    fil_assert(type != FIL_RESP_TYPE_NONE);
    bool has_collection = type != FIL_RESP_TYPE_STRING;
    return view->cost_bytes + (has_collection ? fil_collection_bytes(fil_shelf_read(view)) : 0);
}

bool fil_resp_key_remove(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms)
{
    return fil_map_remove_here(map, key, now_ms, NULL) ||
           fil_map_remove_collection_here(map, key, now_ms);
}

int fil_resp_key_expire(struct fil_map *map, const struct fil_map_key *key, enum fil_resp_type type,
                        const struct fil_store_write *how)
{
    fil_assert(type != FIL_RESP_TYPE_NONE);
    return type == FIL_RESP_TYPE_STRING ? fil_map_set_expiry_here(map, key, how)
                                        : fil_map_expire_collection_here(map, key, how);
}

bool fil_resp_key_pick(struct fil_map *map, fil_partition_id partition_id, uint64_t now_ms,
                       uint32_t random, struct fil_store_view *out_view)
{
    const struct fil_map_counters *counters = &map->shards[partition_id].counters;
    uint64_t shelved = fil_counter_read(&counters->collections);
    uint64_t count = fil_counter_read(&counters->entries) + shelved;
    bool is_from_shelf = count > 0 && random % count < shelved;
    if (is_from_shelf && fil_map_pick_collection_here(map, partition_id, now_ms, out_view)) {
        return true;
    }
    return fil_map_pick_here(map, partition_id, now_ms, out_view) ||
           fil_map_pick_collection_here(map, partition_id, now_ms, out_view);
}

uint64_t fil_resp_key_count(const struct fil_map *map)
{
    return fil_map_size(map) + fil_map_collection_count(map);
}

int fil_resp_key_transfer(const struct fil_resp_transfer *transfer)
{
    struct fil_map *map = transfer->map;
    const struct fil_map_key *key = transfer->key;
    struct fil_store_write how = {.now_ms = transfer->now_ms, .expires_ms = transfer->expires_ms};
    struct fil_collection *target = fil_map_find_collection_here(map, key, transfer->now_ms);
    int error = FIL_OK;
    if (target == NULL) {
        error = fil_map_add_collection_here(map, key, transfer->now_ms, transfer->source->kind,
                                            &target);
    }
    if (error != FIL_OK) {
        return error;
    }
    error = fil_map_expire_collection_here(map, key, &how);
    if (error == FIL_OK && transfer->is_move) {
        fil_collection_move(transfer->source, target);
    } else if (error == FIL_OK) {
        error = fil_collection_copy(transfer->source, target);
    }
    if (error == FIL_OK) {
        (void)fil_map_remove_here(map, key, transfer->now_ms, NULL);
    }
    fil_map_touch_collection_here(map, key, target, transfer->now_ms);
    return error;
}

bool fil_resp_key_find_list(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms,
                            struct fil_output *output, struct fil_collection **out_list)
{
    struct fil_bytes value;
    *out_list = fil_map_find_collection_here(map, key, now_ms);
    bool is_wrong = *out_list != NULL ? (*out_list)->kind != FIL_COLLECTION_LIST
                                      : fil_map_peek_here(map, key, now_ms, &value);
    if (is_wrong) {
        fil_resp_error(output, FIL_RESP_WRONG_TYPE);
    }
    return !is_wrong;
}
