// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/call.h"

#include <string.h>

#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/connection.h"
#include "lib/net/loop.h"
#include "protocol/resp/reply.h"

#define COPY_BYTES_MAX 1024U

static struct fil_turn *turn_of(struct fil_resp_session *session)
{
    return session->connection->loop->context;
}

/** A block for a call with so many parts and bytes of arguments; NULL when
 * memory is out. */
static struct fil_resp_call *new_call(struct fil_resp_session *session, uint32_t part_count,
                                      size_t argument_bytes) FIL_RUNS_ON(io)
{
    size_t size =
        sizeof(struct fil_resp_call) + part_count * sizeof(struct fil_resp_part) + argument_bytes;
    struct fil_pool *pool = &turn_of(session)->ops;
    struct fil_budget *budget = session->server->options.budget;
    bool is_large = size > FIL_TURN_OP_BYTES;
    struct fil_resp_call *call = NULL;
    if (!is_large) {
        call = fil_pool_take(pool);
    } else if (fil_budget_draw(budget, size)) {
        call = fil_alloc(size);
        if (call == NULL) {
            fil_budget_return(budget, size);
        }
    }
    if (call == NULL) {
        return NULL;
    }
    memset(call, 0, sizeof(*call));
    fil_list_init(&call->link);
    call->session = session;
    call->home = is_large ? NULL : pool;
    call->heap_bytes = is_large ? size : 0;
    call->part_count = part_count;
    fil_output_init(&call->reply);
    return call;
}

static void free_call(struct fil_resp_call *call)
{
    fil_output_fini(&call->reply);
    if (call->home != NULL) {
        fil_pool_give(call->home, call);
        return;
    }
    fil_budget_return(call->session->server->options.budget, call->heap_bytes);
    fil_free(call);
}

/** Puts the call at the end of the line; the writer flag is held. */
static void line_up(struct fil_resp_call *call) FIL_RUNS_ON(io)
{
    struct fil_resp_session *session = call->session;
    fil_list_push_back(&session->line, &call->link);
    session->line_count++;
}

/** Grows at once, shrinks slowly: one small reply says little of the next. */
static void learn_size(struct fil_resp_session *session, size_t size)
{
    uint64_t faded = session->reply_bytes - session->reply_bytes / 4;
    session->reply_bytes = size > faded ? size : faded;
}

uint32_t fil_resp_call_window(const struct fil_resp_session *session)
{
    uint64_t limit = session->connection->loop->limits.output_bytes_max;
    uint64_t window = limit / (session->reply_bytes + 1);
    if (window == 0) {
        return 1;
    }
    return window < FIL_CONNECTION_PENDING_MAX ? (uint32_t)window : FIL_CONNECTION_PENDING_MAX;
}

/** Small replies are copied together, large ones change hands. */
static void move_reply(struct fil_output *output, struct fil_output *reply)
{
    struct fil_bytes slice;
    if (reply->queue.size_bytes <= COPY_BYTES_MAX &&
        fil_chunk_queue_slices(&reply->queue, &slice, 1) == 1 &&
        slice.size == reply->queue.size_bytes) {
        fil_output_append(output, slice);
    } else {
        fil_chunk_queue_move(&output->queue, &reply->queue);
    }
}

bool fil_resp_call_collect(struct fil_resp_session *session)
{
    struct fil_output *output = &session->connection->output;
    bool is_single = session->server->options.has_single_replies;
    while (!fil_list_is_empty(&session->line)) {
        struct fil_resp_call *call =
            FIL_CONTAINER_OF(session->line.next, struct fil_resp_call, link);
        // A5 pairs with R5: the reply is complete.
        if (!atomic_load_explicit(&call->is_done, memory_order_acquire)) {
            break;
        }
        fil_list_remove(&call->link);
        session->line_count--;
        learn_size(session, call->reply.queue.size_bytes);
        move_reply(output, &call->reply);
        free_call(call);
        if (FIL_UNLIKELY(is_single)) {
            return true;
        }
    }
    return false;
}

struct fil_output *fil_resp_call_open(struct fil_resp_session *session)
{
    if (FIL_LIKELY(fil_list_is_empty(&session->line))) {
        session->target = &session->connection->output;
        return session->target;
    }
    struct fil_resp_call *call = new_call(session, 0, 0);
    if (call == NULL) {
        session->connection->output.queue.is_out_of_memory = true;
        session->target = &session->connection->output;
        return session->target;
    }
    call->reply.pool = session->connection->output.pool;
    atomic_init(&call->is_done, true);
    line_up(call);
    session->target = &call->reply;
    return session->target;
}

void fil_resp_call_close(struct fil_resp_session *session)
{
    session->target = NULL;
}

/** The last part has ended: the reply is complete and may leave. */
static void finish_call(struct fil_resp_call *call, struct fil_runner *runner)
{
    struct fil_connection *connection = call->session->connection;
    int error = atomic_load_explicit(&call->error, memory_order_relaxed);
    if (error != FIL_OK) {
        call->reply.pool = runner->chunks;
        fil_resp_error(&call->reply, "ERR %s", fil_error_text(error));
    } else if (call->is_counting) {
        call->reply.pool = runner->chunks;
        fil_resp_integer(&call->reply, atomic_load_explicit(&call->sum, memory_order_relaxed));
    }
    // R5 pairs with A5. From here on the call may be freed by whoever holds the
    // writer flag.
    atomic_store_explicit(&call->is_done, true, memory_order_release);
    fil_runner_notify(runner, connection);
}

static enum fil_op_outcome run_part(struct fil_op *op, struct fil_partition *partition)
{
    struct fil_resp_part *part = FIL_CONTAINER_OF(op, struct fil_resp_part, op);
    struct fil_resp_call *call = part->call;
    part->access.output = &call->reply;
    if (!call->is_counting) {
        call->reply.pool = partition->runner->chunks;
    }
    int64_t result = call->run(&part->access);
    // Relaxed: the count of open parts orders it.
    atomic_fetch_add_explicit(&call->sum, result, memory_order_relaxed);
    return FIL_OP_DONE;
}

static void complete_part(struct fil_op *op, struct fil_runner *runner)
{
    struct fil_resp_part *part = FIL_CONTAINER_OF(op, struct fil_resp_part, op);
    struct fil_resp_call *call = part->call;
    if (op->error != FIL_OK) {
        // Relaxed: the count of open parts orders it.
        atomic_store_explicit(&call->error, op->error, memory_order_relaxed);
    }
    // A6, R6: what the parts did is seen by the last of them.
    if (atomic_fetch_sub_explicit(&call->open_count, 1, memory_order_acq_rel) == 1) {
        finish_call(call, runner);
    }
}

static const struct fil_op_type part_type = {
    .name = "resp",
    .run = run_part,
    .complete = complete_part,
};

static const struct fil_op_type slow_part_type = {
    .name = "resp-slow",
    .run = run_part,
    .complete = complete_part,
    .is_slow = true,
};

/** Runs one key in place; false when its partition is not free. */
static bool try_in_place(struct fil_resp_session *session, struct fil_resp_access *access,
                         const struct fil_resp_keys *keys, int64_t *out_result) FIL_RUNS_ON(io)
{
    struct fil_turn *turn = turn_of(session);
    struct fil_partition *partition = fil_turn_enter(turn, access->key.partition_id);
    if (FIL_UNLIKELY(partition == NULL)) {
        return false;
    }
    *out_result = keys->run(access);
    fil_turn_leave(turn, partition);
    return true;
}

static struct fil_resp_access make_access(struct fil_resp_session *session,
                                          const struct fil_resp_command *command,
                                          const struct fil_resp_keys *keys, uint32_t index)
{
    struct fil_map *map = session->server->options.map;
    return (struct fil_resp_access){
        .map = map,
        .key = fil_map_place(map, fil_resp_argument(command, keys->first + index)),
        .value =
            keys->value == 0 ? fil_bytes_make(NULL, 0) : fil_resp_argument(command, keys->value),
        .version = fil_resp_version(session),
    };
}

static struct fil_bytes copy_bytes(uint8_t **room, struct fil_bytes bytes)
{
    uint8_t *copy = *room;
    if (bytes.size > 0) {
        memcpy(copy, bytes.data, bytes.size);
    }
    *room += bytes.size;
    return fil_bytes_make(copy, bytes.size);
}

static size_t argument_bytes(const struct fil_resp_command *command,
                             const struct fil_resp_keys *keys, uint32_t from)
{
    size_t bytes = keys->value == 0 ? 0 : fil_resp_argument(command, keys->value).size;
    for (uint32_t i = from; i < keys->count; i++) {
        bytes += fil_resp_argument(command, keys->first + i).size;
    }
    return bytes;
}

/** Hands the keys from index `from` on over to their partitions. */
static void call_rest(struct fil_resp_session *session, const struct fil_resp_command *command,
                      const struct fil_resp_keys *keys, uint32_t from, int64_t sum) FIL_RUNS_ON(io)
{
    uint32_t part_count = keys->count - from;
    struct fil_resp_call *call = new_call(session, part_count, argument_bytes(command, keys, from));
    if (call == NULL) {
        fil_resp_out_of_memory(fil_resp_call_open(session));
        fil_resp_call_close(session);
        return;
    }
    call->run = keys->run;
    call->is_counting = keys->is_counting;
    atomic_init(&call->open_count, part_count);
    atomic_init(&call->sum, sum);
    atomic_init(&call->error, FIL_OK);
    fil_connection_hold(session->connection);
    line_up(call);
    uint8_t *room = (uint8_t *)&call->parts[part_count];
    for (uint32_t i = 0; i < part_count; i++) {
        struct fil_resp_part *part = &call->parts[i];
        part->call = call;
        part->access = make_access(session, command, keys, from + i);
        part->access.key.bytes = copy_bytes(&room, part->access.key.bytes);
        if (keys->value != 0) {
            part->access.value = copy_bytes(&room, part->access.value);
        }
        fil_op_init(&part->op, keys->is_slow ? &slow_part_type : &part_type,
                    part->access.key.partition_id);
    }
    for (uint32_t i = 0; i < part_count; i++) {
        fil_turn_stage(turn_of(session), &call->parts[i].op);
    }
}

/** One key, nothing waiting: straight to the output. */
static bool run_directly(struct fil_resp_session *session, const struct fil_resp_command *command,
                         const struct fil_resp_keys *keys) FIL_RUNS_ON(io)
{
    int64_t result = 0;
    struct fil_resp_access access = make_access(session, command, keys, 0);
    access.output = fil_resp_call_open(session);
    bool is_done = try_in_place(session, &access, keys, &result);
    if (!is_done && access.output != &session->connection->output) {
        // The place in the line was for a reply that now comes with a call of its
        // own.
        struct fil_resp_call *call = FIL_CONTAINER_OF(access.output, struct fil_resp_call, reply);
        fil_list_remove(&call->link);
        session->line_count--;
        free_call(call);
    }
    if (is_done && keys->is_counting) {
        fil_resp_integer(access.output, result);
    }
    fil_resp_call_close(session);
    return is_done;
}

static void run_counting(struct fil_resp_session *session, const struct fil_resp_command *command,
                         const struct fil_resp_keys *keys) FIL_RUNS_ON(io)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < keys->count; i++) {
        int64_t result = 0;
        struct fil_resp_access access = make_access(session, command, keys, i);
        if (fil_turn_is_spent(turn_of(session)) || !try_in_place(session, &access, keys, &result)) {
            call_rest(session, command, keys, i, sum);
            return;
        }
        sum += result;
    }
    fil_resp_integer(fil_resp_call_open(session), sum);
    fil_resp_call_close(session);
}

void fil_resp_call_keys(struct fil_resp_session *session, const struct fil_resp_command *command,
                        const struct fil_resp_keys *keys)
{
    if (keys->count > 1) {
        run_counting(session, command, keys);
    } else if (keys->is_slow || !run_directly(session, command, keys)) {
        call_rest(session, command, keys, 0, 0);
    }
}

void fil_resp_call_abandon(struct fil_resp_session *session)
{
    struct fil_turn *turn = turn_of(session);
    fil_list_foreach(link, &session->line) {
        struct fil_resp_call *call = FIL_CONTAINER_OF(link, struct fil_resp_call, link);
        // The call stays while it is in the line, and the flag is held: its parts
        // are valid.
        if (atomic_load_explicit(&call->is_done, memory_order_acquire)) {
            continue;
        }
        for (uint32_t i = 0; i < call->part_count; i++) {
            fil_exec_abandon(turn->runner.exec, &call->parts[i].op, &turn->runner);
        }
    }
}
