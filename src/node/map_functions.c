// SPDX-License-Identifier: Apache-2.0
#include "node/map_functions.h"

#include "core/exec/executor.h"
#include "core/exec/promise.h"
#include "filbert/error.h"
#include "grid/map/form.h"
#include "grid/map/walk.h"
#include "lib/base/assert.h"
#include "protocol/client/serialization.h"

#define LOOK_NS INT64_C(20000000) // between two looks whether the result is still wanted

struct total {
    struct fil_map_walk walk;
    struct fil_promise promise;
    fil_partition_id only;
    int64_t sum;
    bool is_wrong; // a value is no number, or there are too many
};

/** The value as a whole number: text, or one of the clients' types. */
static bool to_number(struct fil_bytes form, int64_t *out_number)
{
    struct fil_wire_value value;
    if (!fil_map_form_is_serialized(form)) {
        return fil_bytes_to_i64(form, out_number);
    }
    if (fil_wire_value_decode(form, &value) != FIL_OK ||
        (value.type != FIL_WIRE_DATA_BYTE && value.type != FIL_WIRE_DATA_SHORT &&
         value.type != FIL_WIRE_DATA_INTEGER && value.type != FIL_WIRE_DATA_LONG)) {
        return false;
    }
    *out_number = value.integer;
    return true;
}

static void count_entry(void *context, const struct fil_store_view *view)
{
    struct total *total = context;
    (void)view;
    total->sum++;
}

static void add_entry(void *context, const struct fil_store_view *view)
{
    struct total *total = context;
    int64_t number = 0;
    if (!to_number(view->value, &number) ||
        __builtin_add_overflow(total->sum, number, &total->sum)) {
        total->is_wrong = true;
        total->walk.is_over = true;
    }
}

static void on_finished(struct fil_map_walk *walk, struct fil_runner *runner)
{
    (void)runner;
    struct total *total = walk->context;
    // The one who waits may be gone with the total after this.
    (void)fil_promise_complete(total->promise, fil_result_fail(walk->error));
}

/** Waits on the executor's thread, and ends the walk early when nobody wants it any more. */
static int await_walk(struct fil_function_call *call, struct total *total, struct fil_future future)
{
    struct fil_result result;
    bool is_stopped = false;
    while (fil_future_await(future, LOOK_NS, &result) != FIL_OK) {
        if (!is_stopped && fil_function_is_cancelled(call)) {
            fil_map_walk_stop(&total->walk);
            is_stopped = true;
        }
    }
    return result.code;
}

static int walk_map(struct fil_function_call *call, struct fil_map *map, struct total *total,
                    fil_store_visit_fn visit)
{
    struct fil_future future;
    int error = fil_promise_new(NULL, &total->promise, &future);
    if (error != FIL_OK) {
        return error;
    }
    fil_map_walk_visit(&total->walk, map, visit, total);
    if (call->partition_id != FIL_OP_NO_PARTITION) {
        total->only = call->partition_id;
        total->walk.only = &total->only;
        total->walk.only_count = 1;
    }
    fil_map_walk_start(&total->walk, on_finished, total, fil_executor_runner());
    return await_walk(call, total, future);
}

static int run(struct fil_function_call *call, fil_store_visit_fn visit)
{
    struct total total = {0};
    size_t size = 0;
    const char *name = fil_function_text(call, &size);
    if (name == NULL || size == 0) {
        return fil_function_fail(call, FIL_E_INVALID, "takes the name of a map");
    }
    struct fil_map *map = fil_maps_find(call->context, fil_bytes_make(name, size));
    int error = map == NULL ? FIL_OK : walk_map(call, map, &total, visit);
    if (error == FIL_OK && total.is_wrong) {
        error = fil_function_fail(call, FIL_E_INVALID,
                                  "found a value that is no whole number, or too large a sum");
    }
    return error == FIL_OK ? fil_function_reply_number(call, total.sum) : error;
}

static int map_size(struct fil_function_call *call)
{
    return run(call, count_entry);
}

static int map_sum(struct fil_function_call *call)
{
    return run(call, add_entry);
}

int fil_map_functions_add(struct fil_functions *functions, struct fil_maps *maps)
{
    static const struct fil_function list[] = {
        {"map-size", FIL_FUNCTION_FACTORY, 3, map_size},
        {"map-sum", FIL_FUNCTION_FACTORY, 4, map_sum},
    };
    int error = FIL_OK;
    for (size_t i = 0; i < FIL_COUNT_OF(list) && error == FIL_OK; i++) {
        error = fil_functions_add(functions, &list[i], maps);
    }
    return error;
}
