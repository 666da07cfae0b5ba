// SPDX-License-Identifier: Apache-2.0
#include "filbert/replicated_map.h"

#include "client/listener_internal.h"
#include "client/thing_internal.h"
#include "protocol/client/generated/replicated_map.h"

struct fil_replicated_map {
    struct fil_client_thing thing;
};

#define OP(noun, ...)                               \
    static const struct fil_client_op noun##_op = { \
        .request = &fil_wire_replicated_map_##noun##_request_layout, __VA_ARGS__}
// clang-format off
OP(put, .answer = FIL_CLIENT_ANSWER_DATA);
OP(get, .answer = FIL_CLIENT_ANSWER_DATA, .is_retryable = true);
OP(remove, .answer = FIL_CLIENT_ANSWER_DATA);
OP(contains_key, .answer = FIL_CLIENT_ANSWER_BOOL, .is_retryable = true);
OP(size, .answer = FIL_CLIENT_ANSWER_I32, .is_retryable = true);
OP(clear, .answer = FIL_CLIENT_ANSWER_NONE);
OP(key_set, .answer = FIL_CLIENT_ANSWER_RAW, .is_retryable = true);
OP(entry_set, .answer = FIL_CLIENT_ANSWER_RAW, .is_retryable = true);
OP(add_entry_listener, .answer = FIL_CLIENT_ANSWER_NONE);
OP(remove_entry_listener, .answer = FIL_CLIENT_ANSWER_NONE);
// clang-format on

static const struct fil_client_ear ear = {.listen = &add_entry_listener_op,
                                          .remove = &remove_entry_listener_op,
                                          .tell = fil_client__tell_entry};

struct fil_replicated_map *fil_replicated_map(struct fil_grid *grid, const char *name)
{
    struct fil_client_thing *thing = fil_client__thing(grid, FIL_CLIENT_REPLICATED_MAP, name);
    return thing == NULL ? NULL : FIL_CONTAINER_OF(thing, struct fil_replicated_map, thing);
}

int fil_replicated_map_put(struct fil_replicated_map *map, struct fil_value key,
                           struct fil_value value, uint64_t ttl_ms, struct fil_value *out_old)
{
    struct fil_map_data key_data = {0};
    struct fil_map_data value_data = {0};
    int error = map == NULL ? FIL_E_INVALID : fil_client__map_encode(&key, &key_data);
    if (error == FIL_OK) {
        error = fil_client__map_encode(&value, &value_data);
    }
    if (error == FIL_OK) {
        struct fil_wire_replicated_map_put_request fields = {
            .ttl = fil_client__thing_wait(ttl_ms),
            .name = fil_client__thing_name(&map->thing),
            .key = key_data.bytes,
            .value = value_data.bytes};
        struct fil_client_errand errand = {
            .op = &put_op, .fields = &fields, .key = key_data.bytes, .out_value = out_old};
        error = fil_client__thing_ask(&map->thing, &errand);
    }
    fil_client__map_release(&key_data);
    fil_client__map_release(&value_data);
    return error;
}

/** Get, remove and contains_key have the same fields. */
static int ask_key(struct fil_replicated_map *map, const struct fil_client_op *op,
                   const struct fil_value *key, struct fil_value *out_value)
{
    struct fil_map_data data = {0};
    int error = map == NULL ? FIL_E_INVALID : fil_client__map_encode(key, &data);
    if (error == FIL_OK) {
        struct fil_wire_replicated_map_get_request fields = {
            .name = fil_client__thing_name(&map->thing), .key = data.bytes};
        struct fil_client_errand errand = {
            .op = op, .fields = &fields, .key = data.bytes, .out_value = out_value};
        error = fil_client__thing_ask(&map->thing, &errand);
    }
    fil_client__map_release(&data);
    return error;
}

int fil_replicated_map_get(struct fil_replicated_map *map, struct fil_value key,
                           struct fil_value *out_value)
{
    return out_value == NULL ? FIL_E_INVALID : ask_key(map, &get_op, &key, out_value);
}

int fil_replicated_map_remove(struct fil_replicated_map *map, struct fil_value key,
                              struct fil_value *out_old)
{
    return ask_key(map, &remove_op, &key, out_old);
}

int fil_replicated_map_contains(struct fil_replicated_map *map, struct fil_value key,
                                bool *out_contains)
{
    struct fil_value answer = fil_null();
    int error = ask_key(map, &contains_key_op, &key, &answer);
    return fil_client__thing_tell_bool(error, &answer, out_contains);
}

/** A request about all entries has nothing but the name, and any member has them. */
static struct fil_client_errand whole(const struct fil_client_op *op,
                                      struct fil_wire_replicated_map_size_request *fields,
                                      const struct fil_replicated_map *map)
{
    fields->name = map == NULL ? fil_bytes_make(NULL, 0) : fil_client__thing_name(&map->thing);
    return (struct fil_client_errand){.op = op, .fields = fields, .is_for_any = true};
}

int fil_replicated_map_size(struct fil_replicated_map *map, uint64_t *out_size)
{
    struct fil_wire_replicated_map_size_request fields;
    struct fil_value answer = fil_null();
    struct fil_client_errand errand = whole(&size_op, &fields, map);
    errand.out_value = &answer;
    int error = map == NULL ? FIL_E_INVALID : fil_client__thing_ask(&map->thing, &errand);
    return fil_client__thing_tell_count(error, &answer, out_size);
}

int fil_replicated_map_clear(struct fil_replicated_map *map)
{
    struct fil_wire_replicated_map_size_request fields;
    struct fil_client_errand errand = whole(&clear_op, &fields, map);
    return map == NULL ? FIL_E_INVALID : fil_client__thing_ask(&map->thing, &errand);
}

int fil_replicated_map_keys(struct fil_replicated_map *map, struct fil_values *out_keys)
{
    struct fil_wire_replicated_map_size_request fields;
    struct fil_client_errand errand = whole(&key_set_op, &fields, map);
    if (map == NULL || out_keys == NULL) {
        return FIL_E_INVALID;
    }
    return fil_client__thing_list(&map->thing, &errand, out_keys);
}

int fil_replicated_map_entries(struct fil_replicated_map *map, struct fil_entries *out_entries)
{
    struct fil_wire_replicated_map_size_request fields;
    struct fil_client_errand errand = whole(&entry_set_op, &fields, map);
    struct fil_values values;
    if (map == NULL || out_entries == NULL) {
        return FIL_E_INVALID;
    }
    int error = fil_client__thing_list(&map->thing, &errand, &values);
    *out_entries = fil_client__thing_pair(&values);
    return error;
}

int fil_replicated_map_subscribe(struct fil_replicated_map *map,
                                 const struct fil_map_subscribe_options *options,
                                 struct fil_subscription **out_subscription)
{
    return map == NULL ? FIL_E_INVALID
                       : fil_client__entry_listen(&map->thing, &ear, options, out_subscription);
}
