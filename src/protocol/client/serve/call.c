// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/call.h"

#include <stdlib.h>
#include <string.h>

#include "core/exec/activity.h"
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "grid/map/index.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/murmur3.h"
#include "lib/mem/budget.h"
#include "lib/mem/parcel.h"
#include "lib/net/loop.h"
#include "protocol/client/query/plan.h"
#include "protocol/client/serve/container_task.h"
#include "protocol/client/serve/view.h"

#define COPY_BYTES_MAX 1024U
#define NS_PER_MS      1000000U
#define TIMEOUT_MS_MAX (INT64_C(1) << 40)

// Replies of a group beyond this are large ones: the next group is of one request, because the
// limit of the output is looked at after each group.
#define SMALL_BYTES_MAX ((size_t)64 << 10)

static struct fil_turn *turn_of(struct fil_wire_session *session)
{
    return session->connection->loop->context;
}

void fil_wire_call_output(struct fil_wire_session *session, struct fil_wire_writer *out_writer)
{
    struct fil_output *output = &session->connection->output;
    fil_wire_writer_init(out_writer, &output->queue, output->pool, FIL_WIRE_FRAME_MAX);
}

static uint64_t now_of(const struct fil_wire_task *task, uint64_t now_ns)
{
    return task->container != NULL ? fil_container_now_ms(task->container, now_ns)
                                   : fil_map_now_ms(task->map, now_ns);
}

/** Runs the function of a task inside its partition; what changes is signed by the client. */
static int run_inside(struct fil_wire_task *task)
{
    static const uint64_t nobody[2] = {0};
    if (task->container != NULL) {
        return fil_wire_task_is_view(task) ? fil_wire_view_run(task) : task->handler->run(task);
    }
    const struct fil_wire_uuid *uuid = &task->session->client_uuid;
    fil_map_sign_here(task->map, task->key.partition_id, (uint64_t[2]){uuid->high, uuid->low});
    int error = task->handler->run(task);
    fil_map_sign_here(task->map, task->key.partition_id, nobody);
    return error;
}

/** A response that failed has left nothing behind, so that the error can be answered. */
static void answer_if_failed(struct fil_wire_task *task, int error)
{
    if (FIL_UNLIKELY(error != FIL_OK)) {
        fil_wire_answer_error(task, error);
    }
}

static void refuse(struct fil_wire_task *task, int error) FIL_RUNS_ON(io)
{
    struct fil_wire_writer writer;
    fil_wire_group_run(task->session);
    fil_wire_call_output(task->session, &writer);
    task->writer = &writer;
    fil_wire_answer_error(task, error);
}

static struct fil_wire_call *take_block(struct fil_wire_session *session, size_t size)
    FIL_RUNS_ON(io)
{
    struct fil_budget *budget = session->server->options.budget;
    struct fil_wire_call *call = NULL;
    if (size <= FIL_TURN_OP_BYTES) {
        return fil_pool_take(&turn_of(session)->ops);
    }
    if (fil_budget_draw(budget, size)) {
        call = fil_alloc(size);
        if (call == NULL) {
            fil_budget_return(budget, size);
        }
    }
    return call;
}

static void free_call(struct fil_wire_call *call)
{
    fil_chunk_queue_clear(&call->reply);
    if (call->task.query != NULL && call->walk.search != NULL) {
        fil_map_search_fini(call->walk.search);
    }
    fil_query_predicate_fini(&call->query);
    if (call->work != NULL) {
        call->free_work(call->work);
    }
    fil_free(call->partitions);
    fil_parcel_free(&call->parcel);
    if (call->home != NULL) {
        fil_pool_give(call->home, call);
        return;
    }
    fil_budget_return(call->task.session->server->options.budget, call->heap_bytes);
    fil_free(call);
}

static bool is_huge(const struct fil_wire_task *task)
{
    return FIL_UNLIKELY(task->message.size >= FIL_WIRE_HUGE_BYTES);
}

/** Whether it is huge, or about so much in a container that other connections would wait for it. */
static bool is_heavy(const struct fil_wire_task *task)
{
    return is_huge(task) || (task->is_whole && (task->message.size >= FIL_WIRE_MANY_BYTES ||
                                                fil_wire_container_is_huge(task->container)));
}

/** Gives the call the message to itself, in the room behind it or, a huge one, where it is. */
static bool keep_message(struct fil_wire_call *call, const struct fil_wire_task *task)
    FIL_RUNS_ON(io)
{
    struct fil_wire_session *session = task->session;
    const struct fil_bytes *message = &task->message;
    if (!is_huge(task)) {
        call->task.message =
            fil_bytes_make(memcpy(call + 1, message->data, message->size), message->size);
        return true;
    }
    if (session->receiver.is_assembled) {
        call->parcel = fil_wire_receiver_take(&session->receiver);
        return true;
    }
    fil_assert(session->group == NULL || session->group->count == 0); // it is in the same memory
    return fil_connection_take_input(session->connection, message->data + message->size,
                                     &call->parcel);
}

/** A call with the message to itself; not yet under way. NULL: no memory. */
static struct fil_wire_call *new_call(const struct fil_wire_task *task) FIL_RUNS_ON(io)
{
    struct fil_wire_session *session = task->session;
    size_t size = sizeof(struct fil_wire_call) + (is_huge(task) ? 0 : task->message.size);
    struct fil_wire_call *call = take_block(session, size);
    if (call == NULL) {
        return NULL;
    }
    bool is_large = size > FIL_TURN_OP_BYTES;
    memset(call, 0, sizeof(*call));
    fil_list_init(&call->link);
    call->home = is_large ? NULL : &turn_of(session)->ops;
    call->heap_bytes = is_large ? size : 0;
    fil_chunk_queue_init(&call->reply);
    call->task = *task;
    call->task.writer = &call->writer;
    if (!keep_message(call, task)) {
        free_call(call);
        return NULL;
    }
    return call;
}

/** The call is under way from here on. */
static void enlist(struct fil_wire_call *call) FIL_RUNS_ON(io)
{
    struct fil_wire_session *session = call->task.session;
    fil_connection_hold(session->connection);
    fil_list_push_back(&session->calls, &call->link);
    session->call_count++;
}

void fil_wire_call_count_apart(struct fil_wire_call *call)
{
    struct fil_wire_session *session = call->task.session;
    fil_assert(!call->is_submission && session->call_count > 0);
    call->is_submission = true;
    session->call_count--;
    session->submission_count++;
}

/** It has ended and leaves the list. */
static void delist(struct fil_wire_call *call)
{
    struct fil_wire_session *session = call->task.session;
    uint32_t *count = call->is_submission ? &session->submission_count : &session->call_count;
    fil_assert(*count > 0);
    fil_list_remove(&call->link);
    (*count)--;
}

/** The response is written and may leave. */
static void finish(struct fil_wire_call *call, struct fil_runner *runner)
{
    struct fil_wire_session *session = call->task.session;
    struct fil_connection *connection = session->connection;
    if (call->waiting == FIL_WIRE_WAITS_FOR_PARTITION) {
        fil_parcel_free(&call->parcel); // here, and not on a loop
    }
    // R1 pairs with A1: the operation is over.
    atomic_store_explicit(&call->is_done, true, memory_order_release);
    // From here on the call may be freed by whoever holds the writer flag.
    (void)fil_stack_push(&session->finished, &call->finished_link);
    fil_runner_notify(runner, connection);
}

static void use_runner(struct fil_wire_call *call, struct fil_runner *runner)
{
    fil_wire_writer_init(&call->writer, &call->reply, runner->chunks, FIL_WIRE_FRAME_MAX);
}

/** Whether the call was abandoned not by its client, which waits for the answer. */
static bool is_stopping(const struct fil_wire_task *task)
{
    // Relaxed: whoever asks has seen that the call was abandoned.
    return atomic_load_explicit(&task->session->is_stopping, memory_order_relaxed);
}

static enum fil_op_outcome run_op(struct fil_op *op, struct fil_partition *partition)
{
    struct fil_wire_call *call = FIL_CONTAINER_OF(op, struct fil_wire_call, op);
    struct fil_wire_task *task = &call->task;
    fil_activity_rename(partition->runner, task->handler->name);
    use_runner(call, partition->runner);
    task->now_ms = now_of(task, partition->runner->now_ns);
    int error = task->container == NULL ? FIL_OK : fil_waiter_begin_here(&task->waiter, op);
    if (error == FIL_OK || is_stopping(task)) {
        error = run_inside(task);
    }
    if (error == FIL_E_AGAIN && task->container != NULL) {
        return fil_waiter_park_here(&task->waiter, partition);
    }
    if (error == FIL_E_AGAIN) {
        op->error = fil_partition_park(partition, op, task->wait_key);
        return op->error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
    }
    answer_if_failed(task, error);
    return FIL_OP_DONE;
}

/** The time of a request that waited in a container is over: it looks once more, and gives up. */
static void answer_late(struct fil_wire_task *task)
{
    task->timeout_ms = 0;
    int error = task->handler->run(task);
    answer_if_failed(task, error == FIL_E_AGAIN ? FIL_E_TIMEOUT : error);
}

static void complete_op(struct fil_op *op, struct fil_runner *runner)
{
    struct fil_wire_call *call = FIL_CONTAINER_OF(op, struct fil_wire_call, op);
    fil_waiter_end_here(&call->task.waiter);
    if (op->error == FIL_E_TIMEOUT && call->task.container != NULL) {
        use_runner(call, runner);
        answer_late(&call->task);
    } else if (op->error == FIL_E_TIMEOUT && call->task.timeout_ms > 0) {
        use_runner(call, runner);
        answer_if_failed(&call->task, fil_wire_answer_bool(&call->task, false));
    } else if (op->error != FIL_OK) {
        bool is_ours = op->error == FIL_E_CANCELLED && is_stopping(&call->task);
        use_runner(call, runner);
        fil_wire_answer_error(&call->task, is_ours ? FIL_E_STOPPING : op->error);
    }
    finish(call, runner);
}

static const struct fil_op_type call_type = {
    .name = "client", .run = run_op, .complete = complete_op};
static const struct fil_op_type slow_call_type = {
    .name = "client-slow", .run = run_op, .complete = complete_op, .is_slow = true};

/** When a request that waits gives up; 0 and less: it does not wait, or for ever. */
static uint64_t deadline_of(const struct fil_wire_task *task, uint64_t now_ns)
{
    if (task->timeout_ms <= 0 || task->timeout_ms > TIMEOUT_MS_MAX) {
        return FIL_OP_NO_DEADLINE;
    }
    return now_ns + (uint64_t)task->timeout_ms * NS_PER_MS;
}

/** Hands the request over to its partition. */
static void send_task(const struct fil_wire_task *task) FIL_RUNS_ON(io)
{
    struct fil_turn *turn = turn_of(task->session);
    struct fil_wire_call *call = new_call(task);
    if (call == NULL) {
        struct fil_wire_task refused = *task;
        refuse(&refused, FIL_E_NOMEM);
        return;
    }
    if (!is_huge(task)) {
        // What was read points into the input: read again from the copy, which cannot fail.
        int error = task->handler->read(&call->task);
        fil_assert(error == FIL_OK);
    }
    call->task.waiter = (struct fil_waiter){0};
    enlist(call);
    fil_op_init(&call->op, is_heavy(task) ? &slow_call_type : &call_type,
                call->task.key.partition_id);
    call->op.deadline_ns = deadline_of(task, turn->runner.now_ns);
    fil_turn_submit(turn, &call->op); // mostly it parks, as it had to wait before
}

static void walk_finished(struct fil_map_walk *walk, struct fil_runner *runner)
{
    struct fil_wire_call *call = FIL_CONTAINER_OF(walk, struct fil_wire_call, walk);
    call->writer.pool = runner->chunks;
    int error = walk->error != FIL_OK ? walk->error : call->task.query_error;
    if (error == FIL_OK) {
        error = call->task.handler->run(&call->task);
    } else {
        fil_chunk_queue_clear(&call->reply);
        use_runner(call, runner);
    }
    answer_if_failed(&call->task, error);
    finish(call, runner);
}

/** Reads the request again from its copy, and makes what it means ready for testing entries. */
static int prepare_walk(struct fil_wire_call *call) FIL_RUNS_ON(io)
{
    struct fil_wire_task *task = &call->task;
    int error = task->handler->read(task);
    if (error != FIL_OK || task->predicate.data == NULL) {
        return error;
    }
    task->query = &call->query;
    return fil_query_predicate_init(&call->query, task->predicate, &task->fault);
}

static int compare_ids(const void *left, const void *right)
{
    const fil_partition_id *a = left;
    const fil_partition_id *b = right;
    return (*a > *b) - (*a < *b);
}

int fil_wire_call_limit(struct fil_wire_call *call, const int32_t *key_hashes, uint32_t count)
{
    fil_assert(count > 0 && call->partitions == NULL);
    fil_partition_id *ids = fil_alloc_zero(count, sizeof(*ids));
    if (ids == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = fil_murmur3_partition(key_hashes[i], call->task.map->partition_count);
    }
    qsort(ids, count, sizeof(*ids), compare_ids);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < count; i++) {
        ids[kept] = ids[i];
        kept += ids[i] != ids[kept - 1];
    }
    call->partitions = ids;
    call->walk.only = ids;
    call->walk.only_count = kept;
    return FIL_OK;
}

/** A walk that looks for some entries looks into an index, if there is one for it. */
static void plan_walk(struct fil_wire_call *call) FIL_RUNS_ON(io)
{
    struct fil_map *map = call->task.map;
    if (call->task.query == NULL || call->is_paged) {
        return;
    }
    call->walk.search = fil_query_plan(&call->query, map);
    fil_map_count_query(map, call->walk.search);
}

static void send_walk(struct fil_wire_task *task) FIL_RUNS_ON(io)
{
    struct fil_turn *turn = turn_of(task->session);
    struct fil_wire_call *call = new_call(task);
    int error = call == NULL ? FIL_E_NOMEM : prepare_walk(call);
    if (error != FIL_OK) {
        // It has been read before, so only memory is missing.
        refuse(task, error);
        if (call != NULL) {
            free_call(call);
        }
        return;
    }
    call->waiting = FIL_WIRE_WAITS_FOR_WALK;
    use_runner(call, &turn->runner);
    task->handler->walk(call);
    if (call->query.key_hash_count > 0 && call->partitions == NULL) {
        error = fil_wire_call_limit(call, call->query.key_hashes, call->query.key_hash_count);
    }
    if (error != FIL_OK) {
        refuse(task, error);
        free_call(call);
        return;
    }
    plan_walk(call);
    enlist(call);
    fil_map_walk_start(&call->walk, walk_finished, call, &turn->runner);
}

void fil_wire_call_finish(struct fil_wire_call *call, struct fil_runner *runner, int error)
{
    fil_assert(call->waiting == FIL_WIRE_WAITS_FOR_FINISH);
    use_runner(call, runner);
    answer_if_failed(&call->task, error == FIL_OK ? call->task.handler->run(&call->task) : error);
    finish(call, runner);
}

static void start_call(struct fil_wire_task *task) FIL_RUNS_ON(io)
{
    struct fil_turn *turn = turn_of(task->session);
    struct fil_wire_call *call = new_call(task);
    if (call == NULL) {
        refuse(task, FIL_E_NOMEM);
        return;
    }
    int error = task->handler->read(&call->task);
    call->waiting = FIL_WIRE_WAITS_FOR_FINISH;
    enlist(call);
    if (error == FIL_OK) {
        error = task->handler->start(call, &turn->runner);
    }
    if (error != FIL_OK) {
        fil_wire_call_finish(call, &turn->runner, error);
    }
}

/** One request outside of a group, which may find that it has to wait. */
static void run_alone(struct fil_wire_task *task) FIL_RUNS_ON(io)
{
    struct fil_turn *turn = turn_of(task->session);
    struct fil_wire_writer writer;
    int error = FIL_E_AGAIN;
    fil_wire_group_run(task->session);
    struct fil_partition *partition =
        is_heavy(task) ? NULL : fil_turn_enter(turn, task->key.partition_id);
    if (partition != NULL) {
        fil_wire_call_output(task->session, &writer);
        task->writer = &writer;
        task->now_ms = now_of(task, turn->runner.now_ns);
        fil_activity_place(&turn->runner, task->key.partition_id);
        error = run_inside(task);
        if (error != FIL_E_AGAIN) {
            answer_if_failed(task, error);
        }
        fil_turn_leave(turn, partition);
    }
    if (error == FIL_E_AGAIN) {
        send_task(task);
    }
}

static void run_grouped(struct fil_wire_task *task, struct fil_wire_writer *writer,
                        struct fil_partition *partition) FIL_RUNS_ON(io)
{
    struct fil_turn *turn = turn_of(task->session);
    task->writer = writer;
    task->now_ms = fil_map_now_ms(task->map, turn->runner.now_ns);
    fil_activity_place(&turn->runner, task->key.partition_id);
    int error = run_inside(task);
    fil_assert(error != FIL_E_AGAIN); // there were no locks when it was added
    answer_if_failed(task, error);
    fil_turn_leave(turn, partition);
}

void fil_wire_group_run(struct fil_wire_session *session)
{
    struct fil_wire_group *group = session->group;
    struct fil_wire_writer writer;
    if (group == NULL || group->count == 0) {
        return;
    }
    fil_wire_call_output(session, &writer);
    size_t size_before = writer.queue->size_bytes;
    for (uint32_t i = 0; group->count > 1 && i < group->count; i++) {
        fil_map_prefetch_record_here(group->tasks[i].map, &group->tasks[i].key);
    }
    for (uint32_t i = 0; i < group->count; i++) {
        run_grouped(&group->tasks[i], &writer, group->partitions[i]);
    }
    group->count = 0;
    if (writer.queue->size_bytes - size_before > SMALL_BYTES_MAX) {
        session->group_limit = 1;
    } else if (session->group_limit < FIL_WIRE_GROUP_MAX) {
        session->group_limit *= 2;
    }
}

/** False when the partition is not free, or a key of it is locked. */
static bool add_to_group(const struct fil_wire_task *task) FIL_RUNS_ON(io)
{
    struct fil_wire_session *session = task->session;
    struct fil_wire_group *group = session->group;
    struct fil_turn *turn = turn_of(session);
    fil_assert(group->count < FIL_WIRE_GROUP_MAX);
    struct fil_partition *partition = fil_turn_enter(turn, task->key.partition_id);
    if (FIL_UNLIKELY(partition == NULL)) {
        return false;
    }
    if (FIL_UNLIKELY(fil_map_has_locks_here(task->map, task->key.partition_id))) {
        fil_turn_leave(turn, partition);
        return false;
    }
    fil_map_prefetch_here(task->map, &task->key);
    group->tasks[group->count] = *task;
    group->partitions[group->count] = partition;
    group->count++;
    // A message that came in fragments lives only until the next one is received.
    if (group->count >= session->group_limit || FIL_UNLIKELY(session->receiver.is_assembled)) {
        fil_wire_group_run(session);
    }
    return true;
}

static void run_session(struct fil_wire_task *task) FIL_RUNS_ON(io)
{
    struct fil_wire_writer writer;
    fil_wire_group_run(task->session);
    fil_wire_call_output(task->session, &writer);
    task->writer = &writer;
    answer_if_failed(task, task->handler->run(task));
}

void fil_wire_call_run(struct fil_wire_task *task)
{
    const struct fil_wire_handler *handler = task->handler;
    fil_activity_rename(&turn_of(task->session)->runner, handler->name);
    int error = handler->read == NULL ? FIL_OK : handler->read(task);
    if (FIL_UNLIKELY(error != FIL_OK)) {
        refuse(task, error);
    } else if (FIL_LIKELY(handler->kind == FIL_WIRE_SERVE_PARTITION)) {
        if (FIL_UNLIKELY(is_huge(task) || !add_to_group(task))) {
            run_alone(task);
        }
    } else if (handler->kind == FIL_WIRE_SERVE_WAITING ||
               handler->kind == FIL_WIRE_SERVE_CONTAINER) {
        run_alone(task);
    } else if (handler->kind == FIL_WIRE_SERVE_MAP) {
        fil_wire_group_run(task->session);
        send_walk(task);
    } else if (handler->kind == FIL_WIRE_SERVE_LATER) {
        fil_wire_group_run(task->session);
        start_call(task);
    } else {
        run_session(task);
    }
}

void fil_wire_call_move(struct fil_output *output, struct fil_chunk_queue *reply)
{
    struct fil_bytes slice;
    if (reply->size_bytes <= COPY_BYTES_MAX && fil_chunk_queue_slices(reply, &slice, 1) == 1 &&
        slice.size == reply->size_bytes) {
        fil_output_append(output, slice);
    } else {
        fil_chunk_queue_move(&output->queue, reply);
    }
}

void fil_wire_call_collect(struct fil_wire_session *session)
{
    struct fil_output *output = &session->connection->output;
    struct fil_link *link = fil_stack_take_all(&session->finished);
    while (link != NULL) {
        struct fil_wire_call *call = FIL_CONTAINER_OF(link, struct fil_wire_call, finished_link);
        link = link->next;
        delist(call);
        fil_wire_call_move(output, &call->reply);
        free_call(call);
    }
}

void fil_wire_call_abandon(struct fil_wire_session *session)
{
    struct fil_turn *turn = turn_of(session);
    fil_list_foreach(link, &session->calls) {
        struct fil_wire_call *call = FIL_CONTAINER_OF(link, struct fil_wire_call, link);
        // The call stays while it is in the list, and the flag is held. A1 pairs with R1.
        if (atomic_load_explicit(&call->is_done, memory_order_acquire)) {
            continue;
        }
        if (call->waiting == FIL_WIRE_WAITS_FOR_WALK) {
            fil_map_walk_stop(&call->walk);
        } else if (call->waiting == FIL_WIRE_WAITS_FOR_PARTITION) {
            fil_exec_abandon(turn->runner.exec, &call->op, &turn->runner);
        } else if (call->abandon != NULL) {
            call->abandon(call, &turn->runner);
        }
    }
}

void fil_wire_call_end_waits(struct fil_wire_session *session)
{
    struct fil_turn *turn = turn_of(session);
    fil_list_foreach(link, &session->calls) {
        struct fil_wire_call *call = FIL_CONTAINER_OF(link, struct fil_wire_call, link);
        // As in abandon.
        if (call->waiting == FIL_WIRE_WAITS_FOR_PARTITION &&
            !atomic_load_explicit(&call->is_done, memory_order_acquire)) {
            fil_exec_abandon(turn->runner.exec, &call->op, &turn->runner);
        }
    }
}
