// SPDX-License-Identifier: Apache-2.0
#include "filbert/multimap.h"

#include "client/listener_internal.h"
#include "client/thing_internal.h"
#include "protocol/client/generated/multi_map.h"

struct fil_multimap {
    struct fil_client_thing thing;
};

#define OP(noun, ...)                               \
    static const struct fil_client_op noun##_op = { \
        .request = &fil_wire_multi_map_##noun##_request_layout, __VA_ARGS__}
// clang-format off
OP(put, .answer = FIL_CLIENT_ANSWER_BOOL);
OP(get, .answer = FIL_CLIENT_ANSWER_RAW, .is_retryable = true);
OP(remove, .answer = FIL_CLIENT_ANSWER_RAW);
OP(remove_entry, .answer = FIL_CLIENT_ANSWER_BOOL);
OP(contains_key, .answer = FIL_CLIENT_ANSWER_BOOL, .is_retryable = true);
OP(value_count, .answer = FIL_CLIENT_ANSWER_I32, .is_retryable = true);
OP(size, .answer = FIL_CLIENT_ANSWER_I32, .is_retryable = true);
OP(clear, .answer = FIL_CLIENT_ANSWER_NONE);
OP(key_set, .answer = FIL_CLIENT_ANSWER_RAW, .is_retryable = true);
OP(entry_set, .answer = FIL_CLIENT_ANSWER_RAW, .is_retryable = true);
OP(lock, .answer = FIL_CLIENT_ANSWER_NONE, .is_retryable = true, .has_no_deadline = true);
OP(try_lock, .answer = FIL_CLIENT_ANSWER_BOOL, .is_retryable = true, .has_no_deadline = true);
OP(unlock, .answer = FIL_CLIENT_ANSWER_NONE, .is_retryable = true);
OP(add_entry_listener, .answer = FIL_CLIENT_ANSWER_NONE);
OP(remove_entry_listener, .answer = FIL_CLIENT_ANSWER_NONE);
// clang-format on

static const struct fil_client_ear ear = {.listen = &add_entry_listener_op,
                                          .remove = &remove_entry_listener_op,
                                          .has_values_field = true,
                                          .tell = fil_client__tell_entry};

struct fil_multimap *fil_multimap(struct fil_grid *grid, const char *name)
{
    struct fil_client_thing *thing = fil_client__thing(grid, FIL_CLIENT_MULTIMAP, name);
    return thing == NULL ? NULL : FIL_CONTAINER_OF(thing, struct fil_multimap, thing);
}

/** A key, perhaps with a value, while its request is made. */
struct draft {
    struct fil_map_data key;
    struct fil_map_data value;
    int error;
};

static void open_draft(struct draft *draft, const struct fil_multimap *map,
                       const struct fil_value *key, const struct fil_value *value)
{
    *draft = (struct draft){.error = map == NULL ? FIL_E_INVALID : FIL_OK};
    if (draft->error == FIL_OK) {
        draft->error = fil_client__map_encode(key, &draft->key);
    }
    if (draft->error == FIL_OK && value != NULL) {
        draft->error = fil_client__map_encode(value, &draft->value);
    }
}

static void close_draft(struct draft *draft)
{
    fil_client__map_release(&draft->key);
    fil_client__map_release(&draft->value);
}

/** The request goes to its key's partition; then the draft ends. */
static int run_draft(struct fil_multimap *map, struct draft *draft, const struct fil_client_op *op,
                     const void *fields, struct fil_value *out_value)
{
    struct fil_client_errand errand = {
        .op = op, .fields = fields, .key = draft->key.bytes, .out_value = out_value};
    int error = draft->error == FIL_OK ? fil_client__thing_ask(&map->thing, &errand) : draft->error;
    close_draft(draft);
    return error;
}

static struct fil_bytes name_of(const struct fil_multimap *map)
{
    return map == NULL ? fil_bytes_make(NULL, 0) : fil_client__thing_name(&map->thing);
}

int fil_multimap_put(struct fil_multimap *map, struct fil_value key, struct fil_value value,
                     bool *out_is_added)
{
    struct fil_value answer = fil_null();
    struct draft draft;
    open_draft(&draft, map, &key, &value);
    struct fil_wire_multi_map_put_request fields = {.thread_id = fil_client__map_thread(),
                                                    .name = name_of(map),
                                                    .key = draft.key.bytes,
                                                    .value = draft.value.bytes};
    int error = run_draft(map, &draft, &put_op, &fields, &answer);
    return fil_client__thing_tell_bool(error, &answer, out_is_added);
}

int fil_multimap_remove_value(struct fil_multimap *map, struct fil_value key,
                              struct fil_value value, bool *out_was_there)
{
    struct fil_value answer = fil_null();
    struct draft draft;
    open_draft(&draft, map, &key, &value);
    struct fil_wire_multi_map_remove_entry_request fields = {.thread_id = fil_client__map_thread(),
                                                             .name = name_of(map),
                                                             .key = draft.key.bytes,
                                                             .value = draft.value.bytes};
    int error = run_draft(map, &draft, &remove_entry_op, &fields, &answer);
    return fil_client__thing_tell_bool(error, &answer, out_was_there);
}

/** Get and remove answer with the values of a key. */
static int list_values(struct fil_multimap *map, const struct fil_client_op *op,
                       const struct fil_value *key, struct fil_values *out_values)
{
    struct draft draft;
    open_draft(&draft, map, key, NULL);
    struct fil_wire_multi_map_get_request fields = {
        .thread_id = fil_client__map_thread(), .name = name_of(map), .key = draft.key.bytes};
    struct fil_client_errand errand = {.op = op, .fields = &fields, .key = draft.key.bytes};
    int error = draft.error == FIL_OK ? fil_client__thing_list(&map->thing, &errand, out_values)
                                      : draft.error;
    close_draft(&draft);
    return error;
}

int fil_multimap_get(struct fil_multimap *map, struct fil_value key, struct fil_values *out_values)
{
    return out_values == NULL ? FIL_E_INVALID : list_values(map, &get_op, &key, out_values);
}

int fil_multimap_remove(struct fil_multimap *map, struct fil_value key, struct fil_values *out_old)
{
    struct fil_values old = {0};
    int error = list_values(map, &remove_op, &key, &old);
    if (out_old != NULL) {
        *out_old = old;
    } else {
        fil_values_release(&old);
    }
    return error;
}

static int ask_key(struct fil_multimap *map, const struct fil_client_op *op,
                   const struct fil_value *key, struct fil_value *out_value)
{
    struct draft draft;
    open_draft(&draft, map, key, NULL);
    struct fil_wire_multi_map_contains_key_request fields = {
        .thread_id = fil_client__map_thread(), .name = name_of(map), .key = draft.key.bytes};
    return run_draft(map, &draft, op, &fields, out_value);
}

int fil_multimap_contains(struct fil_multimap *map, struct fil_value key, bool *out_contains)
{
    struct fil_value answer = fil_null();
    int error = ask_key(map, &contains_key_op, &key, &answer);
    return fil_client__thing_tell_bool(error, &answer, out_contains);
}

int fil_multimap_value_count(struct fil_multimap *map, struct fil_value key, uint64_t *out_count)
{
    struct fil_value answer = fil_null();
    int error = ask_key(map, &value_count_op, &key, &answer);
    return fil_client__thing_tell_count(error, &answer, out_count);
}

/** A request about all keys has nothing but the name. */
static struct fil_client_errand whole(const struct fil_client_op *op,
                                      struct fil_wire_multi_map_size_request *fields,
                                      const struct fil_multimap *map)
{
    fields->name = name_of(map);
    return (struct fil_client_errand){.op = op, .fields = fields, .is_for_any = true};
}

int fil_multimap_count(struct fil_multimap *map, uint64_t *out_count)
{
    struct fil_wire_multi_map_size_request fields;
    struct fil_value answer = fil_null();
    struct fil_client_errand errand = whole(&size_op, &fields, map);
    errand.out_value = &answer;
    int error = map == NULL ? FIL_E_INVALID : fil_client__thing_ask(&map->thing, &errand);
    return fil_client__thing_tell_count(error, &answer, out_count);
}

int fil_multimap_clear(struct fil_multimap *map)
{
    struct fil_wire_multi_map_size_request fields;
    struct fil_client_errand errand = whole(&clear_op, &fields, map);
    return map == NULL ? FIL_E_INVALID : fil_client__thing_ask(&map->thing, &errand);
}

int fil_multimap_keys(struct fil_multimap *map, struct fil_values *out_keys)
{
    struct fil_wire_multi_map_size_request fields;
    struct fil_client_errand errand = whole(&key_set_op, &fields, map);
    if (map == NULL || out_keys == NULL) {
        return FIL_E_INVALID;
    }
    return fil_client__thing_list(&map->thing, &errand, out_keys);
}

int fil_multimap_entries(struct fil_multimap *map, struct fil_entries *out_entries)
{
    struct fil_wire_multi_map_size_request fields;
    struct fil_client_errand errand = whole(&entry_set_op, &fields, map);
    struct fil_values values;
    if (map == NULL || out_entries == NULL) {
        return FIL_E_INVALID;
    }
    int error = fil_client__thing_list(&map->thing, &errand, &values);
    *out_entries = fil_client__thing_pair(&values);
    return error;
}

int fil_multimap_lock(struct fil_multimap *map, struct fil_value key)
{
    struct draft draft;
    open_draft(&draft, map, &key, NULL);
    struct fil_wire_multi_map_lock_request fields = {
        .thread_id = fil_client__map_thread(),
        .ttl = -1,
        .reference_id = map == NULL ? 0 : fil_client__map_reference(map->thing.client),
        .name = name_of(map),
        .key = draft.key.bytes};
    return run_draft(map, &draft, &lock_op, &fields, NULL);
}

int fil_multimap_try_lock(struct fil_multimap *map, struct fil_value key, uint64_t wait_ms,
                          bool *out_is_locked)
{
    struct fil_value answer = fil_null();
    struct draft draft;
    open_draft(&draft, map, &key, NULL);
    struct fil_wire_multi_map_try_lock_request fields = {
        .thread_id = fil_client__map_thread(),
        .lease = -1,
        .timeout = fil_client__thing_wait(wait_ms),
        .reference_id = map == NULL ? 0 : fil_client__map_reference(map->thing.client),
        .name = name_of(map),
        .key = draft.key.bytes};
    int error = run_draft(map, &draft, &try_lock_op, &fields, &answer);
    return fil_client__thing_tell_bool(error, &answer, out_is_locked);
}

int fil_multimap_unlock(struct fil_multimap *map, struct fil_value key)
{
    struct draft draft;
    open_draft(&draft, map, &key, NULL);
    struct fil_wire_multi_map_unlock_request fields = {
        .thread_id = fil_client__map_thread(),
        .reference_id = map == NULL ? 0 : fil_client__map_reference(map->thing.client),
        .name = name_of(map),
        .key = draft.key.bytes};
    return run_draft(map, &draft, &unlock_op, &fields, NULL);
}

int fil_multimap_subscribe(struct fil_multimap *map,
                           const struct fil_map_subscribe_options *options,
                           struct fil_subscription **out_subscription)
{
    return map == NULL ? FIL_E_INVALID
                       : fil_client__entry_listen(&map->thing, &ear, options, out_subscription);
}
