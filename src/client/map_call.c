// SPDX-License-Identifier: Apache-2.0
/** Requests about maps: begun, told of or waited for. */
#include <stdatomic.h>

#include "client/listener_internal.h"
#include "client/map_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/serialization.h"

static _Thread_local int64_t thread_number; // 0: none yet
static _Atomic int64_t last_thread_number;

int64_t fil_client__map_thread(void)
{
    if (thread_number == 0) {
        // Relaxed: only that each number is given once matters.
        thread_number = atomic_fetch_add_explicit(&last_thread_number, 1, memory_order_relaxed) + 1;
    }
    return thread_number;
}

int64_t fil_client__map_reference(struct fil_client *client)
{
    fil_client__lock(client);
    client->reference++;
    int64_t reference = (int64_t)client->reference;
    fil_client__unlock(client);
    return reference;
}

int fil_client__map_encode(const struct fil_value *value, struct fil_map_data *out_data)
{
    return fil_client__value_encode(value, out_data->room, sizeof(out_data->room), &out_data->bytes,
                                    &out_data->heap);
}

void fil_client__map_release(struct fil_map_data *data)
{
    fil_free(data->heap);
    data->heap = NULL;
}

int32_t fil_client__map_partition(const struct fil_map *map, struct fil_bytes key)
{
    uint32_t count = map->client->partition_count;
    return count == 0 ? -1 : (int32_t)fil_wire_partition_of_key(key, count);
}

/** Reads the result; a near cache learns of it before anybody else. */
static int read_result(struct fil_client_call *call, int error, struct fil_bytes message,
                       struct fil_value *out_value)
{
    *out_value = fil_null();
    if (error == FIL_OK) {
        error = fil_client__value_read(call->op->answer, message, out_value);
    }
    if (call->near_ticket != 0) {
        struct fil_wire_cursor cursor;
        struct fil_bytes data = {0};
        bool has_data = error == FIL_OK &&
                        fil_wire_cursor_open(&cursor, message, FIL_WIRE_RESPONSE_SIZE) != NULL &&
                        fil_wire_cursor_data_or_null(&cursor, &data);
        fil_client__lock(call->map->client);
        fil_client__near_fill(call->map, call->near_ticket,
                              has_data ? data : fil_bytes_make(NULL, 0));
        fil_client__unlock(call->map->client);
    }
    return error;
}

/** Tells the application; a text has its 0 byte for as long as that takes. */
static void tell(struct fil_client_call *call, int error, struct fil_bytes message)
{
    struct fil_value value;
    int result = read_result(call, error, message, &value);
    struct fil_client_seal seal = fil_client__seal(&value);
    call->tell(call->context, result, &value);
    fil_client__unseal(seal);
}

static void prepare(struct fil_map *map, const struct fil_map_request *request,
                    struct fil_client_request *call)
{
    call->op = request->op;
    call->fields = request->fields;
    call->map = map;
    call->partition = request->key.data == NULL ? -1 : fil_client__map_partition(map, request->key);
    if (map->near != NULL && request->is_write) {
        fil_client__near_drop(map, request->key);
    }
}

int fil_client__map_start(struct fil_map *map, const struct fil_map_request *request,
                          fil_value_fn told, void *context)
{
    if (told == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_client *client = map->client;
    struct fil_client_request call = {.done = tell, .tell = told, .context = context};
    fil_client__lock(client);
    if (map->near != NULL && request->op->answer == FIL_CLIENT_ANSWER_DATA &&
        request->op->is_retryable) {
        call.near_ticket = fil_client__near_reserve(map, request->key);
    }
    prepare(map, request, &call);
    int error = fil_client__begin(client, &call);
    if (error == FIL_OK) {
        fil_client__kick(client);
    }
    fil_client__unlock(client);
    return error;
}

void fil_client__map_arrive(struct fil_map_waiter *waiter, int error)
{
    fil_client__lock(waiter->client);
    fil_assert(waiter->left_count > 0);
    if (waiter->error == FIL_OK) {
        waiter->error = error;
    }
    waiter->left_count--;
    fil_client__unlock(waiter->client);
}

int fil_client__map_join(struct fil_map_waiter *waiter, const struct fil_client_request *request)
{
    struct fil_client_request chosen = *request;
    int error = fil_client__begin_when_possible(waiter->client, &chosen);
    waiter->left_count += error == FIL_OK;
    return error;
}

/** One request, and where its result goes. */
struct run {
    struct fil_map_waiter waiter;
    struct fil_value *out_value;
};

static void wake(struct fil_client_call *call, int error, struct fil_bytes message)
{
    struct run *run = call->context;
    struct fil_value value;
    int result = read_result(call, error, message, &value);
    if (result == FIL_OK && run->out_value != NULL) {
        result = fil_client__value_copy(&value, run->out_value);
    }
    fil_client__map_arrive(&run->waiter, result);
}

int fil_client__map_run(struct fil_map *map, const struct fil_map_request *request,
                        struct fil_value *out_value)
{
    struct fil_client *client = map->client;
    struct run run = {.waiter = {.client = client}, .out_value = out_value};
    struct fil_client_request call = {.done = wake, .context = &run};
    if (out_value != NULL) {
        *out_value = fil_null();
    }
    if (fil_client__is_inside(client)) {
        return FIL_E_WOULD_BLOCK;
    }
    fil_client__lock(client);
    bool is_read = map->near != NULL && request->op->answer == FIL_CLIENT_ANSWER_DATA &&
                   request->op->is_retryable && out_value != NULL;
    if (is_read && fil_client__near_get(map, request->key, out_value)) {
        fil_client__unlock(client);
        return FIL_OK;
    }
    call.near_ticket = is_read ? fil_client__near_reserve(map, request->key) : 0;
    prepare(map, request, &call);
    int error = fil_client__begin_when_possible(client, &call);
    if (error == FIL_OK) {
        run.waiter.left_count = 1;
        fil_client__kick(client);
    }
    while (run.waiter.left_count > 0) {
        fil_client__turn(client);
    }
    fil_client__unlock(client);
    return error == FIL_OK ? run.waiter.error : error;
}

void fil_client__map_draft(struct fil_map_draft *draft, const struct fil_map *map,
                           const struct fil_value *key, const struct fil_value *value)
{
    draft->key.heap = NULL;
    draft->value.heap = NULL;
    draft->error = map == NULL ? FIL_E_INVALID : fil_client__map_encode(key, &draft->key);
    if (draft->error == FIL_OK && value != NULL) {
        draft->error = fil_client__map_encode(value, &draft->value);
    }
}

int fil_client__map_submit(struct fil_map *map, struct fil_map_draft *draft,
                           const struct fil_map_request *request,
                           const struct fil_map_outlet *outlet)
{
    int error = draft->error;
    if (error == FIL_OK) {
        error = outlet->tell != NULL
                    ? fil_client__map_start(map, request, outlet->tell, outlet->context)
                    : fil_client__map_run(map, request, outlet->out_value);
    }
    fil_client__map_release(&draft->key);
    fil_client__map_release(&draft->value);
    return error;
}
