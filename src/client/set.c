// SPDX-License-Identifier: Apache-2.0
#include "filbert/set.h"

#include <assert.h>

#include "client/listener_internal.h"
#include "client/thing_internal.h"
#include "protocol/client/generated/set.h"

struct fil_set {
    struct fil_client_thing thing;
};

static const struct fil_client_op add_op = {.request = &fil_wire_set_add_request_layout,
                                            .answer = FIL_CLIENT_ANSWER_BOOL};
static const struct fil_client_op remove_op = {.request = &fil_wire_set_remove_request_layout,
                                               .answer = FIL_CLIENT_ANSWER_BOOL};
static const struct fil_client_op contains_op = {.request = &fil_wire_set_contains_request_layout,
                                                 .answer = FIL_CLIENT_ANSWER_BOOL,
                                                 .is_retryable = true};
static const struct fil_client_op size_op = {.request = &fil_wire_set_size_request_layout,
                                             .answer = FIL_CLIENT_ANSWER_I32,
                                             .is_retryable = true};
static const struct fil_client_op clear_op = {.request = &fil_wire_set_clear_request_layout};
static const struct fil_client_op items_op = {.request = &fil_wire_set_get_all_request_layout,
                                              .answer = FIL_CLIENT_ANSWER_RAW,
                                              .is_retryable = true};
static const struct fil_client_op listen_op = {.request =
                                                   &fil_wire_set_add_listener_request_layout};
static const struct fil_client_op forget_op = {.request =
                                                   &fil_wire_set_remove_listener_request_layout};

static const struct fil_client_ear ear = {.listen = &listen_op,
                                          .remove = &forget_op,
                                          .has_values_field = true,
                                          .tell = fil_client__tell_item};

struct fil_set *fil_set(struct fil_grid *grid, const char *name)
{
    struct fil_client_thing *thing = fil_client__thing(grid, FIL_CLIENT_SET, name);
    return thing == NULL ? NULL : FIL_CONTAINER_OF(thing, struct fil_set, thing);
}

/** Add, remove and contains have the same fields. */
static int ask(struct fil_set *set, const struct fil_client_op *op, const struct fil_value *item,
               bool *out_answer)
{
    struct fil_value value = fil_null();
    if (set == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_set_add_request fields = {.name = fil_client__thing_name(&set->thing)};
    struct fil_client_item_request request = {.op = op, .fields = &fields, .item = &fields.value};
    int error = fil_client__thing_run_item(&set->thing, &request, item, &value);
    return fil_client__thing_tell_bool(error, &value, out_answer);
}

static_assert(sizeof(struct fil_wire_set_add_request) == sizeof(struct fil_wire_set_remove_request),
              "the same fields");
static_assert(sizeof(struct fil_wire_set_add_request) ==
                  sizeof(struct fil_wire_set_contains_request),
              "the same fields");

int fil_set_add(struct fil_set *set, struct fil_value item, bool *out_is_new)
{
    return ask(set, &add_op, &item, out_is_new);
}

int fil_set_remove(struct fil_set *set, struct fil_value item, bool *out_was_there)
{
    return ask(set, &remove_op, &item, out_was_there);
}

int fil_set_contains(struct fil_set *set, struct fil_value item, bool *out_contains)
{
    return ask(set, &contains_op, &item, out_contains);
}

int fil_set_size(struct fil_set *set, uint64_t *out_size)
{
    struct fil_value value = fil_null();
    if (set == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_set_size_request fields = {.name = fil_client__thing_name(&set->thing)};
    int error = fil_client__thing_run(&set->thing, &size_op, &fields, &value);
    return fil_client__thing_tell_count(error, &value, out_size);
}

int fil_set_clear(struct fil_set *set)
{
    if (set == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_set_clear_request fields = {.name = fil_client__thing_name(&set->thing)};
    return fil_client__thing_run(&set->thing, &clear_op, &fields, NULL);
}

int fil_set_items(struct fil_set *set, struct fil_values *out_items)
{
    if (set == NULL || out_items == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_set_get_all_request fields = {.name = fil_client__thing_name(&set->thing)};
    struct fil_client_errand errand = {.op = &items_op, .fields = &fields};
    return fil_client__thing_list(&set->thing, &errand, out_items);
}

int fil_set_subscribe(struct fil_set *set, const struct fil_item_subscribe_options *options,
                      struct fil_subscription **out_subscription)
{
    return set == NULL ? FIL_E_INVALID
                       : fil_client__item_listen(&set->thing, &ear, options, out_subscription);
}
