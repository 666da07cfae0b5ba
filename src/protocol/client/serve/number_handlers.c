// SPDX-License-Identifier: Apache-2.0
/** Requests about PN counters, flake ids and cardinality estimators. */
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "grid/cardinality/cardinality.h"
#include "grid/counter/counter.h"
#include "grid/flake/flake.h"
#include "lib/base/endian.h"
#include "lib/net/loop.h"
#include "protocol/client/generated/cardinality_estimator.h"
#include "protocol/client/generated/flake_id_generator.h"
#include "protocol/client/generated/pn_counter.h"
#include "protocol/client/serve/container_task.h"
#include "protocol/client/serve/session.h"

#define CLOCK_SIZE (FIL_WIRE_UUID_SIZE + sizeof(int64_t))
#define MEMBER     0U // the number of the only member

FIL_WIRE_CONTAINER_READER(pn_counter_get, fil_pn_counter_type,
                          task->value = request.replica_timestamps)
FIL_WIRE_CONTAINER_READER(pn_counter_add, fil_pn_counter_type,
                          task->value = request.replica_timestamps;
                          task->index = request.delta; task->limit = request.get_before_update)
FIL_WIRE_CONTAINER_READER(pn_counter_get_configured_replica_count, fil_pn_counter_type, (void)0)
FIL_WIRE_CONTAINER_READER(cardinality_estimator_add, fil_cardinality_type,
                          task->index = request.hash)
FIL_WIRE_CONTAINER_READER(cardinality_estimator_estimate, fil_cardinality_type, (void)0)

/** The clocks that the caller has seen, as many as there may be replicas. */
static struct fil_pn_seen seen_of(const struct fil_wire_task *task, struct fil_pn_clock *clocks)
{
    size_t count = task->value.size / CLOCK_SIZE;
    count = count < FIL_PN_REPLICAS_MAX ? count : FIL_PN_REPLICAS_MAX;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *from = task->value.data + i * CLOCK_SIZE;
        struct fil_wire_uuid uuid = fil_wire_load_uuid(from);
        clocks[i] = (struct fil_pn_clock){.id = {.high = uuid.high, .low = uuid.low},
                                          .time = fil_load_u64_le(from + FIL_WIRE_UUID_SIZE)};
    }
    return (struct fil_pn_seen){.clocks = clocks, .count = (uint32_t)count};
}

static int answer_counter(struct fil_wire_task *task, int64_t value)
{
    const struct fil_pn_counter *counter = fil_pn_counter_of(task->container);
    struct fil_wire_header header = {.type = task->header.type + 1,
                                     .correlation = task->header.correlation};
    uint8_t *fixed = fil_wire_writer_open_response(task->writer, &header, sizeof(int64_t) + 4);
    if (fixed != NULL) {
        fil_store_u64_le(fixed, (uint64_t)value);
        fil_store_u32_le(fixed + sizeof(int64_t), 1); // one member, one replica
    }
    uint8_t *to = fil_wire_writer_frame(task->writer, 0, counter->replica_count * CLOCK_SIZE);
    for (uint32_t i = 0; to != NULL && i < counter->replica_count; i++, to += CLOCK_SIZE) {
        const struct fil_pn_clock *clock = &counter->replicas[i].clock;
        fil_wire_store_uuid(to,
                            (struct fil_wire_uuid){.high = clock->id.high, .low = clock->id.low});
        fil_store_u64_le(to + FIL_WIRE_UUID_SIZE, clock->time);
    }
    return fil_wire_writer_finish(task->writer);
}

/** A caller that has seen more than this replica would see its writes undone. */
static int refuse_counter(struct fil_wire_task *task, int error)
{
    if (error != FIL_E_NOT_READY) {
        return error;
    }
    return fil_wire_answer_refusal(task, FIL_WIRE_ERROR_CONSISTENCY_LOST,
                                   "counter: this replica has not seen what the caller has");
}

int fil_wire__pn_counter_get_run(struct fil_wire_task *task)
{
    struct fil_pn_clock clocks[FIL_PN_REPLICAS_MAX];
    int64_t value = 0;
    int error = fil_pn_counter_get_here(fil_pn_counter_of(task->container), seen_of(task, clocks),
                                        task->now_ms, &value);
    return error == FIL_OK ? answer_counter(task, value) : refuse_counter(task, error);
}

int fil_wire__pn_counter_add_run(struct fil_wire_task *task)
{
    const struct fil_wire_uuid *uuid = &task->session->server->member_uuid;
    struct fil_pn_clock clocks[FIL_PN_REPLICAS_MAX];
    struct fil_pn_change change = {.self = {.high = uuid->high, .low = uuid->low},
                                   .delta = task->index};
    int error = fil_pn_counter_add_here(fil_pn_counter_of(task->container), seen_of(task, clocks),
                                        &change, task->now_ms);
    if (error != FIL_OK) {
        return refuse_counter(task, error);
    }
    return answer_counter(task, task->limit != 0 ? change.before : change.after);
}

int fil_wire__pn_counter_get_configured_replica_count_run(struct fil_wire_task *task)
{
    return fil_wire_answer_i32(task, INT32_MAX);
}

int fil_wire__cardinality_estimator_add_run(struct fil_wire_task *task)
{
    int error = fil_cardinality_add_here(fil_cardinality_of(task->container), (uint64_t)task->index,
                                         task->now_ms);
    return error == FIL_OK ? fil_wire_answer_empty(task) : error;
}

int fil_wire__cardinality_estimator_estimate_run(struct fil_wire_task *task)
{
    return fil_wire_answer_i64(task, (int64_t)fil_cardinality_estimate_here(
                                         fil_cardinality_of(task->container), task->now_ms));
}

/** Ids need no partition: the loop hands them out. */
int fil_wire__flake_id_generator_new_id_batch_run(struct fil_wire_task *task)
{
    struct fil_turn *turn = task->session->connection->loop->context;
    struct fil_wire_flake_id_generator_new_id_batch_request request;
    uint64_t base = 0;
    uint64_t wait_ms = 0;
    int error = FIL_WIRE_READ(flake_id_generator_new_id_batch, task, &request);
    if (error == FIL_OK) {
        error = fil_wire_task_find_container(task, &fil_flake_type, request.name);
    }
    if (error != FIL_OK) {
        return error;
    }
    uint64_t now_ms = fil_container_now_ms(task->container, turn->runner.now_ns);
    uint32_t count = request.batch_size < 0 ? 0 : (uint32_t)request.batch_size;
    error = fil_flake_take(fil_flake_of(task->container), now_ms, MEMBER, count, &base, &wait_ms);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_wire_flake_id_generator_new_id_batch_response response = {
        .base = (int64_t)base,
        .increment = (int64_t)FIL_FLAKE_STEP,
        .batch_size = request.batch_size,
    };
    return FIL_WIRE_ENCODE(flake_id_generator_new_id_batch_response, task->writer, &task->header,
                           &response);
}
