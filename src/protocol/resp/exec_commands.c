// SPDX-License-Identifier: Apache-2.0
/** EXEC. */
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/resp/call.h"
#include "protocol/resp/database.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/journey.h"
#include "protocol/resp/publish.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/room.h"
#include "protocol/resp/transaction.h"
#include "protocol/resp/watch.h"
#include "protocol/resp/weight.h"
#include "protocol/resp/word.h"

/** What a command weighs besides its words, and one that has no keys: it may tell very much. */
#define COMMAND_WEIGHT 16U
#define OTHER_WEIGHT   512U

/** EXEC on its way. What it has is the session's until it leaves the loop. */
struct exec {
    struct fil_resp_call call;
    struct fil_resp_places places;
    bool has_places;      // they are filled in
    uint64_t place_bytes; // drawn from the budget
};

static void fini_exec(struct fil_resp_call *call)
{
    struct exec *exec = FIL_CONTAINER_OF(call, struct exec, call);
    fil_free(exec->places.ids);
    fil_budget_return(call->session->server->options.budget, exec->place_bytes);
}

/** The map that the commands behind this one use; SELECT changes it. */
static struct fil_map *map_after(struct fil_resp_session *session,
                                 const struct fil_resp_queued *queued, struct fil_map *map)
{
    int64_t number = 0;
    struct fil_map *selected = NULL;
    if (queued->info->handler == fil_resp__select &&
        fil_resp_word_to_integer(fil_resp_argument(&queued->command, 1), &number) &&
        fil_resp_database_get(session->server, number, &selected) == FIL_OK) {
        return selected;
    }
    return map;
}

/** Plans the command for a map; the number of its keys, 0 when it has none or is wrong. */
static uint32_t plan_queued(struct fil_resp_session *session, const struct fil_resp_queued *queued,
                            uint64_t now_ns, struct fil_resp_plan *plan)
{
    if (queued->info->plan == NULL ||
        !fil_resp_plan_make(plan, session, queued->info, &queued->command, now_ns) ||
        plan->kind == FIL_RESP_PLAN_NO_KEYS) {
        return 0;
    }
    return plan->count;
}

/** Notes the places of all keys and watches, for which there is room; returns how many. */
static uint32_t list_places(struct fil_resp_session *session, fil_partition_id *ids,
                            uint64_t now_ns)
{
    struct fil_map *selected = session->map;
    struct fil_resp_plan plan;
    uint32_t count = 0;
    for (const struct fil_resp_queued *queued = session->transaction->first; queued != NULL;
         queued = queued->next) {
        uint32_t keys = plan_queued(session, queued, now_ns, &plan);
        for (uint32_t i = 0; i < keys; i++) {
            ids[count + i] = fil_resp_plan_place(&plan, &queued->command, i).partition_id;
        }
        count += keys;
        session->map = map_after(session, queued, session->map);
    }
    session->map = selected;
    for (const struct fil_resp_watch *watch = session->watches; watch != NULL;
         watch = watch->next) {
        ids[count] = watch->watch.key.partition_id;
        count++;
    }
    return count;
}

/** Makes room for as many places as there may be; false: out of memory. */
static bool make_room(struct exec *exec)
{
    struct fil_resp_session *session = exec->call.session;
    uint64_t count = session->transaction->word_count + 1;
    for (const struct fil_resp_watch *watch = session->watches; watch != NULL;
         watch = watch->next) {
        count++;
    }
    uint64_t bytes = count * sizeof(fil_partition_id);
    if (!fil_budget_draw(session->server->options.budget, bytes)) {
        return false;
    }
    exec->place_bytes = bytes;
    exec->places.ids = fil_alloc(bytes);
    return exec->places.ids != NULL;
}

static void find_places(struct exec *exec, uint64_t now_ns)
{
    struct fil_resp_session *session = exec->call.session;
    exec->places.count = list_places(session, exec->places.ids, now_ns);
    fil_assert(exec->places.count * sizeof(fil_partition_id) <= exec->place_bytes);
    fil_resp_places_tidy(&exec->places);
    exec->has_places = true;
}

/** PUBLISH only needs the loop to write to the publisher itself; here it goes the usual way. */
static void publish(struct fil_resp_session *session, const struct fil_resp_command *command,
                    struct fil_output *output) FIL_TSA(no_thread_safety_analysis)
{
    fil_resp_integer(output, fil_resp_pubsub_publish(&session->server->pubsub,
                                                     fil_resp_argument(command, 1),
                                                     fil_resp_argument(command, 2), NULL));
}

static void run_queued(struct fil_resp_session *session, const struct fil_resp_queued *queued,
                       struct fil_output *output, uint64_t now_ns)
{
    struct fil_resp_plan plan;
    const struct fil_resp_command_info *info = queued->info;
    if (info->plan != NULL) {
        if (!fil_resp_plan_make(&plan, session, info, &queued->command, now_ns)) {
            fil_resp_plan_refuse(&plan, info, &queued->command, output);
            return;
        }
        if (plan.kind != FIL_RESP_PLAN_NO_KEYS) {
            fil_resp_plan_run(&plan, &queued->command, output);
            return;
        }
    }
    if (info->handler == fil_resp__publish) {
        publish(session, &queued->command, output);
        return;
    }
    session->target = output;
    info->handler(session, &queued->command);
    session->target = NULL;
}

/** All partitions are entered: whether a watched key was changed; forgets the watches. */
static bool end_watches(struct fil_resp_session *session, uint64_t now_ns)
{
    bool is_touched = false;
    uint32_t swap_count = atomic_load_explicit(&session->server->swap_count, memory_order_relaxed);
    while (session->watches != NULL) {
        struct fil_resp_watch *watch = session->watches;
        session->watches = watch->next;
        is_touched |=
            fil_map_is_touched_here(watch->map, &watch->watch, fil_map_now_ms(watch->map, now_ns));
        // Its database is another one now: as Redis, which takes that for a change.
        is_touched |= watch->swap_count != swap_count;
        fil_resp_watch_forget(watch);
    }
    return is_touched;
}

/** All partitions are entered: runs the commands, unless a watched key was changed. */
static void run_transaction(struct fil_resp_session *session, struct fil_output *output,
                            uint64_t now_ns)
{
    struct fil_resp_transaction *transaction = session->transaction;
    if (end_watches(session, now_ns)) {
        fil_resp_null_array(output, fil_resp_version(session));
    } else {
        fil_resp_array(output, transaction->count);
        for (const struct fil_resp_queued *queued = transaction->first; queued != NULL;
             queued = queued->next) {
            run_queued(session, queued, output, now_ns);
        }
    }
    fil_resp_transaction_drop(session);
}

/** All partitions are entered: where a key is that another has locked; NO_PARTITION: nowhere. */
static fil_partition_id find_lock(struct fil_resp_session *session, uint64_t now_ns,
                                  uint64_t *out_wait_key)
{
    struct fil_map *selected = session->map;
    struct fil_resp_plan plan;
    fil_partition_id found = FIL_OP_NO_PARTITION;
    for (const struct fil_resp_queued *queued = session->transaction->first;
         queued != NULL && found == FIL_OP_NO_PARTITION; queued = queued->next) {
        uint32_t keys = plan_queued(session, queued, now_ns, &plan);
        for (uint32_t i = 0; i < keys && found == FIL_OP_NO_PARTITION; i++) {
            struct fil_map_key key = fil_resp_plan_place(&plan, &queued->command, i);
            if (fil_resp_plan_must_wait(&plan, i, &key, out_wait_key)) {
                found = key.partition_id;
            }
        }
        session->map = map_after(session, queued, session->map);
    }
    session->map = selected;
    return found;
}

/** What a command weighs, with its partitions entered; with more than is huge when it is slow. */
static uint64_t weigh_queued(struct fil_resp_session *session, const struct fil_resp_queued *queued,
                             uint64_t now_ns)
{
    struct fil_resp_plan plan;
    if (plan_queued(session, queued, now_ns, &plan) == 0) {
        return OTHER_WEIGHT;
    }
    if (plan.is_slow) {
        return FIL_RESP_HUGE_MEMBERS;
    }
    bool is_weighed = plan.is_weighed || plan.is_weighed_inside;
    uint64_t weight =
        is_weighed ? fil_resp_plan_weight(&plan, &queued->command) : queued->command.count;
    return weight + COMMAND_WEIGHT;
}

/** All partitions are entered: whether the transaction is too heavy for a loop. */
static bool is_heavy(struct fil_resp_session *session, uint64_t now_ns)
{
    struct fil_map *selected = session->map;
    uint64_t weight = 0;
    for (const struct fil_resp_queued *queued = session->transaction->first;
         queued != NULL && weight < FIL_RESP_HUGE_MEMBERS; queued = queued->next) {
        weight += weigh_queued(session, queued, now_ns);
        session->map = map_after(session, queued, session->map);
    }
    session->map = selected;
    return weight >= FIL_RESP_HUGE_MEMBERS;
}

/** Runs the transaction if all its partitions are free, else says which one is not, or why else. */
static fil_partition_id try_exec(struct exec *exec, const struct fil_resp_door *door,
                                 uint64_t *out_wait_key)
{
    struct fil_resp_session *session = exec->call.session;
    uint64_t now_ns = door->runner->now_ns;
    fil_partition_id busy = fil_resp_places_enter(&exec->places, door);
    if (busy != FIL_OP_NO_PARTITION) {
        return busy;
    }
    bool is_for_another = door->turn != NULL && is_heavy(session, now_ns);
    busy = is_for_another ? FIL_RESP_TOO_HEAVY : find_lock(session, now_ns, out_wait_key);
    if (busy != FIL_OP_NO_PARTITION) {
        fil_resp_places_step_out(&exec->places, door);
        return busy;
    }
    run_transaction(session, &exec->call.reply, now_ns);
    fil_resp_places_leave(&exec->places, door);
    return FIL_OP_NO_PARTITION;
}

/** Where one that has just found its places should be: in one of them. */
static bool is_elsewhere(struct exec *exec, const struct fil_partition *partition)
{
    if (exec->has_places) {
        return false;
    }
    find_places(exec, partition->runner->now_ns);
    return exec->places.count > 0 && exec->places.ids[0] != partition->id;
}

static enum fil_op_outcome step_exec(struct fil_resp_call *call, struct fil_partition *partition)
{
    struct exec *exec = FIL_CONTAINER_OF(call, struct exec, call);
    struct fil_resp_door door = fil_resp_door_of(partition);
    uint64_t wait_key = 0;
    if (is_elsewhere(exec, partition)) {
        call->next = exec->places.ids[0];
        return FIL_OP_DONE;
    }
    fil_partition_id busy = try_exec(exec, &door, &wait_key);
    if (busy == partition->id) {
        call->op.error = fil_partition_park(partition, &call->op, wait_key);
        return call->op.error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
    }
    if (busy != FIL_OP_NO_PARTITION) {
        call->next = busy;
    }
    return FIL_OP_DONE;
}

static void abort_exec(struct fil_resp_session *session) FIL_RUNS_ON(io)
{
    fil_resp_transaction_drop(session);
    fil_resp_watch_drop(session);
}

/** Runs the transaction in place if it is small and its partitions are free, else says why not. */
static fil_partition_id run_in_place(struct exec *exec, struct fil_turn *turn) FIL_RUNS_ON(io)
{
    const struct fil_resp_transaction *transaction = exec->call.session->transaction;
    struct fil_resp_door door = fil_resp_door_of_turn(turn);
    uint64_t wait_key = 0;
    if (UINT64_C(1) * COMMAND_WEIGHT * transaction->count + transaction->word_count >=
            FIL_RESP_HUGE_MEMBERS ||
        transaction->word_bytes >= FIL_RESP_HUGE_BYTES) {
        return FIL_RESP_TOO_HEAVY;
    }
    find_places(exec, turn->runner.now_ns);
    return try_exec(exec, &door, &wait_key);
}

/** Where a transaction that is too heavy for a loop goes first. */
static fil_partition_id first_place(const struct exec *exec, const struct fil_turn *turn)
{
    if (exec->has_places && exec->places.count > 0) {
        return exec->places.ids[0];
    }
    uint64_t id = exec->call.session->connection->id;
    return (fil_partition_id)(id % fil_exec_partition_count(turn->runner.exec));
}

/** Runs the transaction in place, or sends it off. */
static void start_exec(struct fil_resp_session *session) FIL_RUNS_ON(io)
{
    struct fil_turn *turn = session->connection->loop->context;
    struct fil_resp_call *call = fil_resp_call_new(session, sizeof(struct exec), step_exec);
    if (call == NULL) {
        abort_exec(session);
        fil_resp_out_of_memory(fil_resp_output(session));
        return;
    }
    struct exec *exec = FIL_CONTAINER_OF(call, struct exec, call);
    exec->places = (struct fil_resp_places){0};
    exec->has_places = false;
    exec->place_bytes = 0;
    call->fini = fini_exec;
    call->is_traveller = true;
    if (!make_room(exec)) {
        fil_resp_call_free(call);
        abort_exec(session);
        fil_resp_out_of_memory(fil_resp_output(session));
        return;
    }
    fil_partition_id busy = run_in_place(exec, turn);
    call->is_slow = busy == FIL_RESP_TOO_HEAVY;
    if (busy == FIL_OP_NO_PARTITION) {
        fil_resp_call_end(call);
    } else {
        fil_resp_call_send(call, call->is_slow ? first_place(exec, turn) : busy);
    }
}

/** Whether memory is too short for all that the commands write. */
static bool is_short(const struct fil_resp_session *session)
{
    const struct fil_resp_transaction *transaction = session->transaction;
    return transaction->write_count > 0 &&
           !fil_resp_room_is_left(session->map, transaction->write_count, transaction->write_bytes);
}

FIL_RESP_HANDLER(exec)
{
    fil_role_assert_io();
    (void)command;
    struct fil_output *output = fil_resp_output(session);
    if (session->transaction == NULL) {
        fil_resp_error(output, "ERR EXEC without MULTI");
    } else if (session->transaction->is_failed) {
        abort_exec(session);
        fil_resp_error(output, "EXECABORT Transaction discarded because of previous errors.");
    } else if (is_short(session)) {
        abort_exec(session);
        fil_resp_error(output, "EXECABORT Transaction discarded because of: " FIL_RESP_FULL);
    } else if (!fil_resp_publish_hold_exec(session)) {
        start_exec(session);
    }
}
