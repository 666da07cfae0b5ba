// SPDX-License-Identifier: Apache-2.0
#include "filbert/numbers.h"

#include <string.h>

#include "client/thing_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/hash.h"
#include "protocol/client/generated/cardinality_estimator.h"
#include "protocol/client/generated/flake_id_generator.h"
#include "protocol/client/generated/pn_counter.h"
#include "protocol/client/serialization.h"

#define BATCH_COUNT   100
#define BATCH_LIFE_NS UINT64_C(600000000000)

struct fil_pn_counter {
    struct fil_client_thing thing;
};

struct fil_flake_ids {
    struct fil_client_thing thing;
};

struct fil_cardinality_estimator {
    struct fil_client_thing thing;
};

static const struct fil_client_op counter_get_op = {.request =
                                                        &fil_wire_pn_counter_get_request_layout,
                                                    .answer = FIL_CLIENT_ANSWER_RAW,
                                                    .is_retryable = true};
static const struct fil_client_op counter_add_op = {
    .request = &fil_wire_pn_counter_add_request_layout, .answer = FIL_CLIENT_ANSWER_RAW};
static const struct fil_client_op batch_op = {
    .request = &fil_wire_flake_id_generator_new_id_batch_request_layout,
    .answer = FIL_CLIENT_ANSWER_RAW,
    .is_retryable = true};
static const struct fil_client_op hash_op = {
    .request = &fil_wire_cardinality_estimator_add_request_layout, .is_retryable = true};
static const struct fil_client_op estimate_op = {
    .request = &fil_wire_cardinality_estimator_estimate_request_layout,
    .answer = FIL_CLIENT_ANSWER_I64,
    .is_retryable = true};

// PN counters. One member counts for the client, and is shown what others have shown to it.

struct fil_pn_counter *fil_pn_counter(struct fil_grid *grid, const char *name)
{
    struct fil_client_thing *thing = fil_client__thing(grid, FIL_CLIENT_PN_COUNTER, name);
    return thing == NULL ? NULL : FIL_CONTAINER_OF(thing, struct fil_pn_counter, thing);
}

/** What a request of a counter takes along: the clocks are copied, as others may change them. */
struct outlook {
    struct fil_wire_uuid replica;
    struct fil_bytes clocks;
    uint8_t *memory;
};

/** Under the mutex: any member that is connected; it is kept, so that what was read stays true. */
static bool choose_replica(struct fil_client_thing *thing)
{
    struct fil_client *client = thing->client;
    if (thing->replica.high != 0 && fil_client__link_of(client, thing->replica) != NULL) {
        return true;
    }
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        const struct fil_client_link *link = &client->links[i];
        if (link->is_known && fil_client__link_is(link, FIL_CLIENT_LINK_READY)) {
            thing->replica = link->member;
            return true;
        }
    }
    return false;
}

static int look_out(struct fil_client_thing *thing, struct outlook *outlook)
{
    *outlook = (struct outlook){0};
    fil_client__lock(thing->client);
    int error = choose_replica(thing) ? FIL_OK : FIL_E_UNREACHABLE;
    outlook->replica = thing->replica;
    if (error == FIL_OK && thing->clocks_size > 0) {
        outlook->memory = fil_alloc(thing->clocks_size);
        error = outlook->memory == NULL ? FIL_E_NOMEM : FIL_OK;
    }
    if (outlook->memory != NULL) {
        memcpy(outlook->memory, thing->clocks, thing->clocks_size);
    }
    outlook->clocks = fil_bytes_make(outlook->memory == NULL ? (const void *)"" : outlook->memory,
                                     thing->clocks_size);
    fil_client__unlock(thing->client);
    return error;
}

/** What an answer is read into. */
struct count {
    struct fil_client_thing *thing;
    int64_t value;
};

/** Get and add answer alike. */
static int read_count(void *context, struct fil_bytes message)
{
    struct count *count = context;
    struct fil_client_thing *thing = count->thing;
    struct fil_wire_pn_counter_get_response response;
    int error = FIL_WIRE_DECODE(pn_counter_get_response, message, &response, NULL);
    if (error != FIL_OK) {
        return error;
    }
    count->value = response.value;
    size_t size = response.replica_timestamps.size;
    uint8_t *clocks = fil_alloc(size + 1);
    if (clocks == NULL) {
        return FIL_E_NOMEM;
    }
    memcpy(clocks, response.replica_timestamps.data, size);
    fil_client__lock(thing->client);
    fil_free(thing->clocks);
    thing->clocks = clocks;
    thing->clocks_size = size;
    fil_client__unlock(thing->client);
    return FIL_OK;
}

static int run_count(struct fil_client_thing *thing, const struct fil_client_op *op,
                     const void *fields, int64_t *out_value)
{
    struct count count = {.thing = thing};
    struct fil_client_errand errand = {
        .op = op, .fields = fields, .is_for_any = true, .read = read_count, .context = &count};
    int error = fil_client__thing_ask(thing, &errand);
    if (out_value != NULL) {
        *out_value = error == FIL_OK ? count.value : 0;
    }
    return error;
}

int fil_pn_counter_add(struct fil_pn_counter *counter, int64_t delta, int64_t *out_after)
{
    struct outlook outlook = {0};
    int error = counter == NULL ? FIL_E_INVALID : look_out(&counter->thing, &outlook);
    if (error == FIL_OK) {
        struct fil_wire_pn_counter_add_request fields = {
            .delta = delta,
            .target_replica_uuid = outlook.replica,
            .name = fil_client__thing_name(&counter->thing),
            .replica_timestamps = outlook.clocks};
        error = run_count(&counter->thing, &counter_add_op, &fields, out_after);
    }
    fil_free(outlook.memory);
    return error;
}

int fil_pn_counter_get(struct fil_pn_counter *counter, int64_t *out_value)
{
    struct outlook outlook = {0};
    if (counter == NULL || out_value == NULL) {
        return FIL_E_INVALID;
    }
    int error = look_out(&counter->thing, &outlook);
    if (error == FIL_OK) {
        struct fil_wire_pn_counter_get_request fields = {
            .target_replica_uuid = outlook.replica,
            .name = fil_client__thing_name(&counter->thing),
            .replica_timestamps = outlook.clocks};
        error = run_count(&counter->thing, &counter_get_op, &fields, out_value);
    }
    fil_free(outlook.memory);
    return error;
}

// Ids.

struct fil_flake_ids *fil_flake_ids(struct fil_grid *grid, const char *name)
{
    struct fil_client_thing *thing = fil_client__thing(grid, FIL_CLIENT_FLAKE_IDS, name);
    return thing == NULL ? NULL : FIL_CONTAINER_OF(thing, struct fil_flake_ids, thing);
}

/** One id of the batch that is there; false: it is used up, or too old. */
static bool take_id(struct fil_client_thing *thing, int64_t *out_id)
{
    fil_client__lock(thing->client);
    uint64_t now_ns = fil_env_now_ns(thing->client->env);
    bool has_id = thing->id_count > 0 && now_ns < thing->ids_until_ns;
    if (has_id) {
        *out_id = thing->next_id;
        thing->next_id += thing->id_step;
        thing->id_count--;
    }
    fil_client__unlock(thing->client);
    return has_id;
}

static int read_batch(void *context, struct fil_bytes message)
{
    struct fil_client_thing *thing = context;
    struct fil_wire_flake_id_generator_new_id_batch_response response;
    int error = FIL_WIRE_DECODE(flake_id_generator_new_id_batch_response, message, &response, NULL);
    if (error != FIL_OK || response.batch_size <= 0) {
        return error == FIL_OK ? FIL_E_MALFORMED : error;
    }
    fil_client__lock(thing->client);
    thing->next_id = response.base;
    thing->id_step = response.increment;
    thing->id_count = (uint32_t)response.batch_size;
    thing->ids_until_ns = fil_env_now_ns(thing->client->env) + BATCH_LIFE_NS;
    fil_client__unlock(thing->client);
    return FIL_OK;
}

int fil_flake_ids_next(struct fil_flake_ids *ids, int64_t *out_id)
{
    if (ids == NULL || out_id == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_flake_id_generator_new_id_batch_request fields = {
        .batch_size = BATCH_COUNT, .name = fil_client__thing_name(&ids->thing)};
    struct fil_client_errand errand = {.op = &batch_op,
                                       .fields = &fields,
                                       .is_for_any = true,
                                       .read = read_batch,
                                       .context = &ids->thing};
    int error = FIL_OK;
    // Others may take all of a batch before its asker does.
    while (error == FIL_OK && !take_id(&ids->thing, out_id)) {
        error = fil_client__thing_ask(&ids->thing, &errand);
    }
    return error;
}

// Cardinality.

struct fil_cardinality_estimator *fil_cardinality_estimator(struct fil_grid *grid, const char *name)
{
    struct fil_client_thing *thing = fil_client__thing(grid, FIL_CLIENT_CARDINALITY, name);
    return thing == NULL ? NULL : FIL_CONTAINER_OF(thing, struct fil_cardinality_estimator, thing);
}

int fil_cardinality_estimator_add(struct fil_cardinality_estimator *estimator,
                                  struct fil_value value)
{
    struct fil_map_data data = {0};
    int error = estimator == NULL ? FIL_E_INVALID : fil_client__map_encode(&value, &data);
    if (error == FIL_OK) {
        struct fil_wire_cardinality_estimator_add_request fields = {
            .hash = (int64_t)fil_hash(fil_wire_data_identity(data.bytes), 0),
            .name = fil_client__thing_name(&estimator->thing)};
        error = fil_client__thing_run(&estimator->thing, &hash_op, &fields, NULL);
    }
    fil_client__map_release(&data);
    return error;
}

int fil_cardinality_estimator_estimate(struct fil_cardinality_estimator *estimator,
                                       uint64_t *out_estimate)
{
    struct fil_value value = fil_null();
    if (estimator == NULL || out_estimate == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_cardinality_estimator_estimate_request fields = {
        .name = fil_client__thing_name(&estimator->thing)};
    int error = fil_client__thing_run(&estimator->thing, &estimate_op, &fields, &value);
    return fil_client__thing_tell_count(error, &value, out_estimate);
}
