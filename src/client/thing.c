// SPDX-License-Identifier: Apache-2.0
#include "client/thing_internal.h"

#include <assert.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/generated/list.h"
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
    fil_list_init(&thing->link);
    fil_list_push_back(&client->things, &thing->link);
    return thing;
}

struct fil_client_thing *fil_client__thing(struct fil_grid *grid, enum fil_client_thing_kind kind,
                                           const char *name)
{
    const struct fil_bytes prefix = fil_bytes_of(FIL_CLIENT_RING_PREFIX);
    char ring[FIL_CLIENT_RING_MAX];
    struct fil_bytes bytes = name == NULL ? fil_bytes_make(NULL, 0) : fil_bytes_of(name);
    if (grid == NULL || bytes.size == 0 || bytes.size >= FIL_CLIENT_NAME_MAX) {
        return NULL;
    }
    if (kind == FIL_CLIENT_RELIABLE_TOPIC) {
        memcpy(ring, prefix.data, prefix.size);
        memcpy(ring + prefix.size, bytes.data, bytes.size);
        bytes = fil_bytes_make(ring, prefix.size + bytes.size);
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
        fil_free(thing->clocks);
        fil_free(thing);
    }
}

/** A request that somebody waits for. */
struct run {
    struct fil_map_waiter waiter;
    const struct fil_client_errand *errand;
};

static int read_answer(const struct fil_client_errand *errand, struct fil_bytes message)
{
    struct fil_value value = fil_null();
    if (errand->read != NULL) {
        return errand->read(errand->context, message);
    }
    int error = fil_client__value_read(errand->op->answer, message, &value);
    if (error == FIL_OK && errand->out_value != NULL) {
        error = fil_client__value_copy(&value, errand->out_value);
    }
    return error;
}

static void wake(struct fil_client_call *call, int error, struct fil_bytes message)
{
    struct run *run = call->context;
    error = error == FIL_OK ? read_answer(run->errand, message) : error;
    fil_client__map_arrive(&run->waiter, error);
}

int32_t fil_client__thing_partition(const struct fil_client_thing *thing)
{
    uint32_t count = thing->client->partition_count;
    struct fil_bytes name = fil_client__thing_name(thing);
    return count == 0 ? -1 : (int32_t)fil_wire_partition_of_name(name, count);
}

/** Under the mutex: where a request goes; -1 is any member. */
static int32_t partition_of(const struct fil_client_thing *thing,
                            const struct fil_client_errand *errand)
{
    uint32_t count = thing->client->partition_count;
    if (errand->is_for_any || count == 0) {
        return -1;
    }
    return errand->key.data == NULL ? fil_client__thing_partition(thing)
                                    : (int32_t)fil_wire_partition_of_key(errand->key, count);
}

int fil_client__thing_ask(struct fil_client_thing *thing, const struct fil_client_errand *errand)
{
    struct fil_client *client = thing->client;
    struct run run = {.waiter = {.client = client}, .errand = errand};
    struct fil_client_request request = {
        .op = errand->op, .fields = errand->fields, .done = wake, .context = &run};
    if (errand->out_value != NULL) {
        *errand->out_value = fil_null();
    }
    if (fil_client__is_inside(client)) {
        return FIL_E_WOULD_BLOCK;
    }
    fil_client__lock(client);
    request.partition = partition_of(thing, errand);
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

int fil_client__gather_part(struct fil_gather *gather, const struct fil_wire_part *part)
{
    struct fil_wire_cursor cursor = fil_wire_part_open(part);
    struct fil_bytes data;
    int error = FIL_OK;
    while (error == FIL_OK && fil_wire_cursor_data_or_null(&cursor, &data)) {
        error = fil_gather_add(gather, data);
    }
    return error;
}

/** All answers that are one list have the same form. */
static int read_list(void *context, struct fil_bytes message)
{
    struct fil_wire_list_get_all_response response;
    int error = FIL_WIRE_DECODE(list_get_all_response, message, &response, NULL);
    return error == FIL_OK ? fil_client__gather_part(context, &response.response) : error;
}

int fil_client__thing_list(struct fil_client_thing *thing, const struct fil_client_errand *errand,
                           struct fil_values *out_values)
{
    struct fil_gather gather = {0};
    struct fil_client_errand listing = *errand;
    struct fil_value *items = NULL;
    *out_values = (struct fil_values){0};
    listing.read = read_list;
    listing.context = &gather;
    int error = fil_client__thing_ask(thing, &listing);
    if (error == FIL_OK) {
        error = fil_gather_finish(&gather, &items);
    }
    if (error == FIL_OK) {
        *out_values = (struct fil_values){.items = items, .count = gather.count, .memory = items};
    }
    fil_gather_fini(&gather);
    return error;
}

struct fil_entries fil_client__thing_pair(const struct fil_values *values)
{
    static_assert(sizeof(struct fil_entry) == 2 * sizeof(struct fil_value), "pairs of values");
    return (struct fil_entries){.items = (struct fil_entry *)(void *)values->items,
                                .count = values->count / 2,
                                .memory = values->memory};
}

int fil_client__thing_run(struct fil_client_thing *thing, const struct fil_client_op *op,
                          const void *fields, struct fil_value *out_value)
{
    struct fil_client_errand errand = {.op = op, .fields = fields, .out_value = out_value};
    return fil_client__thing_ask(thing, &errand);
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
