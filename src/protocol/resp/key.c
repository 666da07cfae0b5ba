// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/key.h"

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"

static const char *const type_names[] = {
    [FIL_RESP_TYPE_NONE] = "none",     [FIL_RESP_TYPE_STRING] = "string",
    [FIL_RESP_TYPE_LIST] = "list",     [FIL_RESP_TYPE_HASH] = "hash",
    [FIL_RESP_TYPE_SET] = "set",       [FIL_RESP_TYPE_ZSET] = "zset",
    [FIL_RESP_TYPE_STREAM] = "stream",
};

const char *fil_resp_type_name(enum fil_resp_type type)
{
    fil_assert((size_t)type < FIL_COUNT_OF(type_names));
    return type_names[type];
}

const char *fil_resp_type_encoding(enum fil_resp_type type, bool is_odd)
{
    static const char *const names[][2] = {
        [FIL_RESP_TYPE_LIST] = {"quicklist", "quicklist"},
        [FIL_RESP_TYPE_HASH] = {"listpack", "hashtable"},
        [FIL_RESP_TYPE_SET] = {"intset", "hashtable"},
        [FIL_RESP_TYPE_ZSET] = {"listpack", "skiplist"},
        [FIL_RESP_TYPE_STREAM] = {"stream", "stream"},
    };
    fil_assert(type > FIL_RESP_TYPE_STRING && (size_t)type < FIL_COUNT_OF(names));
    return names[type][is_odd];
}

enum fil_resp_type fil_resp_type_of_name(struct fil_bytes name)
{
    for (size_t i = FIL_RESP_TYPE_STRING; i < FIL_COUNT_OF(type_names); i++) {
        if (fil_bytes_equal_nocase(name, fil_bytes_of(type_names[i]))) {
            return (enum fil_resp_type)i;
        }
    }
    return FIL_RESP_TYPE_NONE;
}

enum fil_resp_type fil_resp_type_of_value(struct fil_bytes value)
{
    static const enum fil_resp_type types[] = {
        [FIL_COLLECTION_LIST] = FIL_RESP_TYPE_LIST,     [FIL_COLLECTION_HASH] = FIL_RESP_TYPE_HASH,
        [FIL_COLLECTION_SET] = FIL_RESP_TYPE_SET,       [FIL_COLLECTION_ZSET] = FIL_RESP_TYPE_ZSET,
        [FIL_COLLECTION_STREAM] = FIL_RESP_TYPE_STREAM,
    };
    enum fil_collection_kind kind = fil_value_kind(value);
    fil_assert((size_t)kind < FIL_COUNT_OF(types));
    return types[kind];
}

enum fil_resp_type fil_resp_key_inspect(struct fil_map *map, const struct fil_map_key *key,
                                        uint64_t now_ms, struct fil_store_view *out_view)
{
    if (fil_map_inspect_here(map, key, now_ms, out_view)) {
        return FIL_RESP_TYPE_STRING;
    }
    if (fil_map_inspect_collection_here(map, key, now_ms, out_view)) {
        return fil_resp_type_of_value(out_view->value);
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
    return view->cost_bytes + (has_collection ? fil_value_bytes(view->value) : 0);
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

int fil_resp_key_write_string(struct fil_map *map, const struct fil_map_key *key, size_t size_min,
                              uint64_t now_ms, fil_store_fill_fn write, void *context)
{
    struct fil_store_edit edit;
    struct fil_store_spot spot;
    if (!fil_map_find_here(map, key, now_ms, &spot)) {
        struct fil_store_new_value value = {.size = size_min, .fill = write, .context = context};
        return fil_map_insert_here(map, key, &value, now_ms);
    }
    size_t size = spot.value.size > size_min ? spot.value.size : size_min;
    int error = fil_map_edit_found_here(map, key, &spot, size, &edit);
    if (error != FIL_OK) {
        return error;
    }
    write(context, edit.value, edit.size);
    return fil_map_commit_here(map, key, &edit);
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

bool fil_resp_key_find_list(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms,
                            struct fil_output *output, struct fil_collection **out_list)
{
    struct fil_bundle bundle;
    *out_list = NULL;
    if (!fil_resp_key_open(map, key, FIL_COLLECTION_LIST, now_ms, output, &bundle)) {
        return false;
    }
    *out_list = bundle.large;
    return true;
}

/** Whether the key has what is wanted or nothing; otherwise that is told. */
static bool is_of_kind(struct fil_map *map, const struct fil_map_key *key,
                       enum fil_collection_kind kind, struct fil_output *output,
                       struct fil_bundle *bundle)
{
    struct fil_bytes value;
    bool is_wrong = bundle->is_there ? bundle->kind != kind
                                     : fil_map_peek_here(map, key, bundle->now_ms, &value);
    if (is_wrong) {
        fil_resp_error(output, FIL_RESP_WRONG_TYPE);
    }
    bundle->kind = kind;
    return !is_wrong;
}

bool fil_resp_key_open(struct fil_map *map, const struct fil_map_key *key,
                       enum fil_collection_kind kind, uint64_t now_ms, struct fil_output *output,
                       struct fil_bundle *out_bundle)
{
    fil_map_open_bundle_here(map, key, now_ms, out_bundle);
    return is_of_kind(map, key, kind, output, out_bundle);
}

bool fil_resp_key_need(struct fil_map *map, const struct fil_map_key *key,
                       enum fil_collection_kind kind, uint64_t now_ms, struct fil_output *output,
                       struct fil_bundle *out_bundle)
{
    int error = fil_map_need_bundle_here(map, key, now_ms, out_bundle);
    if (error != FIL_OK) {
        fil_resp_plan_tell(output, error);
        return false;
    }
    return is_of_kind(map, key, kind, output, out_bundle);
}

void fil_resp_key_touch(struct fil_map *map, const struct fil_map_key *key,
                        struct fil_bundle *bundle)
{
    fil_map_touch_collection_here(map, key, fil_bundle_count(bundle) == 0, bundle->now_ms);
}
