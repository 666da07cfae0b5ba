// SPDX-License-Identifier: Apache-2.0
#include "client/thing_internal.h"

#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/serialization.h"

static struct fil_client_thing *find_thing(struct fil_client *client,
                                           enum fil_client_thing_kind kind, struct fil_bytes name)
{
    fil_list_foreach(item, &client->things) {
        struct fil_client_thing *thing = FIL_CONTAINER_OF(item, struct fil_client_thing, link);
        if (thing->kind == kind && fil_bytes_equal(fil_client__thing_name(thing), name)) {
            return thing;
        }
    }
    return NULL;
}

static struct fil_client_thing *make_thing(struct fil_client *client,
                                           enum fil_client_thing_kind kind, struct fil_bytes name)
{
    struct fil_client_thing *thing = fil_alloc_zero(1, sizeof(*thing));
    if (thing == NULL) {
        return NULL;
    }
    fil_assert(name.size < sizeof(thing->name));
    thing->client = client;
    thing->kind = kind;
    thing->name_size = name.size;
    memcpy(thing->name, name.data, name.size);
    struct fil_value value = fil_str(thing->name);
    if (fil_client__map_encode(&value, &thing->place) != FIL_OK) {
        fil_free(thing);
        return NULL;
    }
    fil_list_init(&thing->link);
    fil_list_push_back(&client->things, &thing->link);
    return thing;
}

struct fil_client_thing *fil_client__thing(struct fil_grid *grid, enum fil_client_thing_kind kind,
                                           const char *name)
{
    struct fil_bytes bytes = name == NULL ? fil_bytes_make(NULL, 0) : fil_bytes_of(name);
    if (grid == NULL || bytes.size == 0 || bytes.size >= FIL_CLIENT_NAME_MAX) {
        return NULL;
    }
    fil_client__lock(grid->client);
    struct fil_client_thing *thing = find_thing(grid->client, kind, bytes);
    if (thing == NULL) {
        thing = make_thing(grid->client, kind, bytes);
    }
    fil_client__unlock(grid->client);
    return thing;
}

void fil_client__things_free(struct fil_client *client)
{
    struct fil_list *item = NULL;
    while ((item = fil_list_take_front(&client->things)) != NULL) {
        struct fil_client_thing *thing = FIL_CONTAINER_OF(item, struct fil_client_thing, link);
        fil_client__map_release(&thing->place);
        fil_free(thing);
    }
}

/** A request that somebody waits for. */
struct run {
    struct fil_map_waiter waiter;
    struct fil_value *out_value;
};

static void wake(struct fil_client_call *call, int error, struct fil_bytes message)
{
    struct run *run = call->context;
    struct fil_value value = fil_null();
    if (error == FIL_OK) {
        error = fil_client__value_read(call->op->answer, message, &value);
    }
    if (error == FIL_OK && run->out_value != NULL) {
        error = fil_client__value_copy(&value, run->out_value);
    }
    fil_client__map_arrive(&run->waiter, error);
}

int fil_client__thing_run(struct fil_client_thing *thing, const struct fil_client_op *op,
                          const void *fields, struct fil_value *out_value)
{
    struct fil_client *client = thing->client;
    struct run run = {.waiter = {.client = client}, .out_value = out_value};
    struct fil_client_request request = {
        .op = op, .fields = fields, .done = wake, .context = &run, .partition = -1};
    if (out_value != NULL) {
        *out_value = fil_null();
    }
    if (fil_client__is_inside(client)) {
        return FIL_E_WOULD_BLOCK;
    }
    fil_client__lock(client);
    if (client->partition_count > 0) {
        request.partition =
            (int32_t)fil_wire_partition_of_key(thing->place.bytes, client->partition_count);
    }
    int error = fil_client__map_join(&run.waiter, &request);
    if (error == FIL_OK) {
        fil_client__kick(client);
    }
    while (run.waiter.left_count > 0) {
        fil_client__turn(client);
    }
    fil_client__unlock(client);
    return error == FIL_OK ? run.waiter.error : error;
}

int fil_client__thing_run_item(struct fil_client_thing *thing,
                               const struct fil_client_item_request *request,
                               const struct fil_value *item, struct fil_value *out_value)
{
    struct fil_map_data data = {0};
    int error = fil_client__map_encode(item, &data);
    if (error == FIL_OK) {
        *request->item = data.bytes;
        error = fil_client__thing_run(thing, request->op, request->fields, out_value);
    }
    fil_client__map_release(&data);
    return error;
}

int fil_client__thing_tell_bool(int error, const struct fil_value *value, bool *out_answer)
{
    if (out_answer != NULL) {
        *out_answer = error == FIL_OK && value->type == FIL_VALUE_BOOL && value->as.boolean;
    }
    return error;
}

int fil_client__thing_tell_count(int error, const struct fil_value *value, uint64_t *out_count)
{
    if (out_count != NULL) {
        *out_count = error == FIL_OK ? (uint64_t)fil_value_i64(value) : 0;
    }
    return error;
}
