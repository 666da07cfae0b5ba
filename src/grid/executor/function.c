// SPDX-License-Identifier: Apache-2.0
#include "grid/executor/function.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/reader.h"
#include "lib/os/env.h"
#include "lib/os/futex.h"

#define NS_PER_MS    1000000U
#define SLEEP_MS_MAX (UINT64_C(1) << 40)

// The registry.

static bool is_name(const char *name)
{
    size_t size = name == NULL ? 0 : strlen(name);
    return size >= 1 && size <= FIL_FUNCTION_NAME_MAX && strchr(name, ' ') == NULL;
}

static bool has_ids(const struct fil_function *function)
{
    return function->factory_id != 0 || function->class_id != 0;
}

const struct fil_function_entry *fil_functions_find(const struct fil_functions *functions,
                                                    struct fil_bytes name)
{
    for (uint32_t i = 0; i < functions->count; i++) {
        if (fil_bytes_equal_text(name, functions->list[i].function.name)) {
            return &functions->list[i];
        }
    }
    return NULL;
}

const struct fil_function_entry *fil_functions_find_ids(const struct fil_functions *functions,
                                                        int32_t factory_id, int32_t class_id)
{
    for (uint32_t i = 0; i < functions->count; i++) {
        const struct fil_function *function = &functions->list[i].function;
        if (has_ids(function) && function->factory_id == factory_id &&
            function->class_id == class_id) {
            return &functions->list[i];
        }
    }
    return NULL;
}

int fil_functions_add(struct fil_functions *functions, const struct fil_function *function,
                      void *context)
{
    if (!is_name(function->name) || function->run == NULL) {
        return FIL_E_INVALID;
    }
    if (fil_functions_find(functions, fil_bytes_of(function->name)) != NULL ||
        fil_functions_find_ids(functions, function->factory_id, function->class_id) != NULL) {
        return FIL_E_EXISTS;
    }
    if (functions->count == FIL_FUNCTIONS_MAX) {
        return FIL_E_LIMIT;
    }
    functions->list[functions->count] =
        (struct fil_function_entry){.function = *function, .context = context};
    functions->count++;
    return FIL_OK;
}

// Those that are built in.

static int echo(struct fil_function_call *call)
{
    size_t size = 0;
    const char *text = fil_function_text(call, &size);
    if (text == NULL) {
        return fil_function_fail(call, FIL_E_INVALID, "echo takes one string");
    }
    return fil_function_reply_text(call, text, size);
}

static int sleep_for(struct fil_function_call *call)
{
    size_t size = 0;
    int64_t timeout_ms = 0;
    const char *text = fil_function_text(call, &size);
    if (text == NULL || !fil_bytes_to_i64(fil_bytes_make(text, size), &timeout_ms) ||
        timeout_ms < 0) {
        return fil_function_fail(call, FIL_E_INVALID, "sleep takes a number of milliseconds");
    }
    int error = fil_function_sleep(call, (uint64_t)timeout_ms);
    return error == FIL_OK ? fil_function_reply_number(call, timeout_ms) : error;
}

void fil_functions_init(struct fil_functions *functions)
{
    static const struct fil_function built_in[] = {
        {"echo", FIL_FUNCTION_FACTORY, 1, echo},
        {"sleep", FIL_FUNCTION_FACTORY, 2, sleep_for},
    };
    functions->count = 0;
    for (size_t i = 0; i < FIL_COUNT_OF(built_in); i++) {
        int error = fil_functions_add(functions, &built_in[i], NULL);
        fil_assert(error == FIL_OK);
    }
}

// What a function sees of its call.

const void *fil_function_argument(const struct fil_function_call *call, size_t *out_size)
{
    *out_size = call->argument.size;
    return call->argument.data;
}

const char *fil_function_text(const struct fil_function_call *call, size_t *out_size)
{
    struct fil_bytes text = call->argument;
    if (call->has_fields) {
        struct fil_reader reader;
        uint32_t size = 0;
        fil_reader_init(&reader, call->argument);
        if (!fil_reader_u32_be(&reader, &size) || !fil_reader_take(&reader, size, &text)) {
            return NULL;
        }
    }
    *out_size = text.size;
    return text.data == NULL ? "" : (const char *)text.data;
}

int32_t fil_function_partition(const struct fil_function_call *call)
{
    return call->partition_id == FIL_OP_NO_PARTITION ? -1 : (int32_t)call->partition_id;
}

bool fil_function_is_cancelled(const struct fil_function_call *call)
{
    // Relaxed: a request to stop, nothing more.
    return atomic_load_explicit(&call->is_cancelled, memory_order_relaxed) != 0;
}

int fil_function_sleep(struct fil_function_call *call, uint64_t timeout_ms)
{
    uint64_t now_ns = fil_env_now_ns(call->env);
    timeout_ms = timeout_ms < SLEEP_MS_MAX ? timeout_ms : SLEEP_MS_MAX;
    uint64_t until_ns = now_ns + timeout_ms * NS_PER_MS;
    while (!fil_function_is_cancelled(call) && now_ns < until_ns) {
        // However it ended, the word and the clock say what now.
        (void)!fil_futex_wait(&call->is_cancelled, 0, (int64_t)(until_ns - now_ns));
        now_ns = fil_env_now_ns(call->env);
    }
    return fil_function_is_cancelled(call) ? FIL_E_CANCELLED : FIL_OK;
}

void fil_function_call_cancel(struct fil_function_call *call)
{
    // Relaxed: as above.
    atomic_store_explicit(&call->is_cancelled, 1, memory_order_relaxed);
    fil_futex_wake(&call->is_cancelled, UINT32_MAX);
}

// What it says.

void fil_function_call_fini(struct fil_function_call *call)
{
    if (call->data != NULL) {
        fil_free(call->data);
        fil_budget_return(call->budget, call->size);
    }
    call->data = NULL;
    call->reply = FIL_FUNCTION_NOTHING;
}

static int reply_bytes(struct fil_function_call *call, enum fil_function_reply reply,
                       const void *data, size_t size)
{
    fil_function_call_fini(call);
    if (size > FIL_FUNCTION_REPLY_MAX) {
        return fil_function_fail(call, FIL_E_LIMIT, "a reply has 64 MiB at most");
    }
    if (!fil_budget_draw(call->budget, size)) {
        return FIL_E_NOMEM;
    }
    call->data = fil_alloc(size + 1);
    if (call->data == NULL) {
        fil_budget_return(call->budget, size);
        return FIL_E_NOMEM;
    }
    if (size > 0) {
        memcpy(call->data, data, size);
    }
    call->size = size;
    call->reply = reply;
    return FIL_OK;
}

int fil_function_reply_text(struct fil_function_call *call, const void *text, size_t size)
{
    return reply_bytes(call, FIL_FUNCTION_TEXT, text, size);
}

int fil_function_reply_json(struct fil_function_call *call, const void *text, size_t size)
{
    return reply_bytes(call, FIL_FUNCTION_JSON, text, size);
}

int fil_function_reply_number(struct fil_function_call *call, int64_t number)
{
    fil_function_call_fini(call);
    call->number = number;
    call->reply = FIL_FUNCTION_NUMBER;
    return FIL_OK;
}

int fil_function_reply_data(struct fil_function_call *call, const void *data, size_t size)
{
    if (size < 8) {
        return fil_function_fail(call, FIL_E_INVALID, "data has 8 bytes of hash and type");
    }
    return reply_bytes(call, FIL_FUNCTION_DATA, data, size);
}

int fil_function_fail(struct fil_function_call *call, int error, const char *text)
{
    (void)snprintf(call->problem, sizeof(call->problem), "%s", text); // may cut
    return error;
}
