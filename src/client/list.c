// SPDX-License-Identifier: Apache-2.0
#include "filbert/list.h"

#include <assert.h>

#include "client/listener_internal.h"
#include "client/thing_internal.h"
#include "protocol/client/generated/list.h"

struct fil_grid_list {
    struct fil_client_thing thing;
};

#define OP(noun, ...)                               \
    static const struct fil_client_op noun##_op = { \
        .request = &fil_wire_list_##noun##_request_layout, __VA_ARGS__}
// clang-format off
OP(add, .answer = FIL_CLIENT_ANSWER_BOOL);
OP(add_with_index, .answer = FIL_CLIENT_ANSWER_NONE);
OP(get, .answer = FIL_CLIENT_ANSWER_DATA, .is_retryable = true);
OP(set, .answer = FIL_CLIENT_ANSWER_DATA);
OP(remove_with_index, .answer = FIL_CLIENT_ANSWER_DATA);
OP(remove, .answer = FIL_CLIENT_ANSWER_BOOL);
OP(index_of, .answer = FIL_CLIENT_ANSWER_I32, .is_retryable = true);
OP(size, .answer = FIL_CLIENT_ANSWER_I32, .is_retryable = true);
OP(clear, .answer = FIL_CLIENT_ANSWER_NONE);
OP(get_all, .answer = FIL_CLIENT_ANSWER_RAW, .is_retryable = true);
OP(add_listener, .answer = FIL_CLIENT_ANSWER_NONE);
OP(remove_listener, .answer = FIL_CLIENT_ANSWER_NONE);
// clang-format on

static const struct fil_client_ear ear = {.listen = &add_listener_op,
                                          .remove = &remove_listener_op,
                                          .has_values_field = true,
                                          .tell = fil_client__tell_item};

struct fil_grid_list *fil_grid_list(struct fil_grid *grid, const char *name)
{
    struct fil_client_thing *thing = fil_client__thing(grid, FIL_CLIENT_LIST, name);
    return thing == NULL ? NULL : FIL_CONTAINER_OF(thing, struct fil_grid_list, thing);
}

/** Add, remove and index_of have the same fields. */
static int ask_item(struct fil_grid_list *list, const struct fil_client_op *op,
                    const struct fil_value *item, struct fil_value *out_value)
{
    struct fil_wire_list_add_request fields = {.name = fil_client__thing_name(&list->thing)};
    struct fil_client_item_request request = {.op = op, .fields = &fields, .item = &fields.value};
    return fil_client__thing_run_item(&list->thing, &request, item, out_value);
}

static_assert(sizeof(struct fil_wire_list_add_request) ==
                      sizeof(struct fil_wire_list_remove_request) &&
                  sizeof(struct fil_wire_list_add_request) ==
                      sizeof(struct fil_wire_list_index_of_request),
              "the same fields");

int fil_grid_list_add(struct fil_grid_list *list, struct fil_value item, bool *out_is_added)
{
    struct fil_value value = fil_null();
    int error = list == NULL ? FIL_E_INVALID : ask_item(list, &add_op, &item, &value);
    return fil_client__thing_tell_bool(error, &value, out_is_added);
}

int fil_grid_list_remove(struct fil_grid_list *list, struct fil_value item, bool *out_was_there)
{
    struct fil_value value = fil_null();
    int error = list == NULL ? FIL_E_INVALID : ask_item(list, &remove_op, &item, &value);
    return fil_client__thing_tell_bool(error, &value, out_was_there);
}

int fil_grid_list_find(struct fil_grid_list *list, struct fil_value item, int64_t *out_index)
{
    struct fil_value value = fil_null();
    if (list == NULL || out_index == NULL) {
        return FIL_E_INVALID;
    }
    int error = ask_item(list, &index_of_op, &item, &value);
    *out_index = error == FIL_OK ? fil_value_i64(&value) : -1;
    return error;
}

/** Set and add_with_index have the same fields. */
static int ask_place(struct fil_grid_list *list, const struct fil_client_op *op, uint32_t index,
                     const struct fil_value *item, struct fil_value *out_value)
{
    if (list == NULL || index > INT32_MAX) {
        return FIL_E_INVALID;
    }
    struct fil_wire_list_set_request fields = {.index = (int32_t)index,
                                               .name = fil_client__thing_name(&list->thing)};
    struct fil_client_item_request request = {.op = op, .fields = &fields, .item = &fields.value};
    return fil_client__thing_run_item(&list->thing, &request, item, out_value);
}

static_assert(sizeof(struct fil_wire_list_set_request) ==
                  sizeof(struct fil_wire_list_add_with_index_request),
              "the same fields");

int fil_grid_list_insert(struct fil_grid_list *list, uint32_t index, struct fil_value item)
{
    return ask_place(list, &add_with_index_op, index, &item, NULL);
}

int fil_grid_list_set(struct fil_grid_list *list, uint32_t index, struct fil_value item,
                      struct fil_value *out_old)
{
    return ask_place(list, &set_op, index, &item, out_old);
}

/** Get and remove_with_index have the same fields. */
static int ask_index(struct fil_grid_list *list, const struct fil_client_op *op, uint32_t index,
                     struct fil_value *out_value)
{
    if (list == NULL || index > INT32_MAX) {
        return FIL_E_INVALID;
    }
    struct fil_wire_list_get_request fields = {.index = (int32_t)index,
                                               .name = fil_client__thing_name(&list->thing)};
    return fil_client__thing_run(&list->thing, op, &fields, out_value);
}

static_assert(sizeof(struct fil_wire_list_get_request) ==
                  sizeof(struct fil_wire_list_remove_with_index_request),
              "the same fields");

int fil_grid_list_get(struct fil_grid_list *list, uint32_t index, struct fil_value *out_item)
{
    return out_item == NULL ? FIL_E_INVALID : ask_index(list, &get_op, index, out_item);
}

int fil_grid_list_remove_at(struct fil_grid_list *list, uint32_t index, struct fil_value *out_old)
{
    return ask_index(list, &remove_with_index_op, index, out_old);
}

int fil_grid_list_size(struct fil_grid_list *list, uint64_t *out_size)
{
    struct fil_value value = fil_null();
    if (list == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_list_size_request fields = {.name = fil_client__thing_name(&list->thing)};
    int error = fil_client__thing_run(&list->thing, &size_op, &fields, &value);
    return fil_client__thing_tell_count(error, &value, out_size);
}

int fil_grid_list_clear(struct fil_grid_list *list)
{
    if (list == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_list_clear_request fields = {.name = fil_client__thing_name(&list->thing)};
    return fil_client__thing_run(&list->thing, &clear_op, &fields, NULL);
}

int fil_grid_list_items(struct fil_grid_list *list, struct fil_values *out_items)
{
    if (list == NULL || out_items == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_list_get_all_request fields = {.name = fil_client__thing_name(&list->thing)};
    struct fil_client_errand errand = {.op = &get_all_op, .fields = &fields};
    return fil_client__thing_list(&list->thing, &errand, out_items);
}

int fil_grid_list_subscribe(struct fil_grid_list *list,
                            const struct fil_item_subscribe_options *options,
                            struct fil_subscription **out_subscription)
{
    return list == NULL ? FIL_E_INVALID
                        : fil_client__item_listen(&list->thing, &ear, options, out_subscription);
}
