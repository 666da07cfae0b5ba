// SPDX-License-Identifier: Apache-2.0
/** MULTI, EXEC, DISCARD, WATCH, UNWATCH. */
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/resp/call.h"
#include "protocol/resp/database.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/journey.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/transaction.h"
#include "protocol/resp/watch.h"
#include "protocol/resp/word.h"

FIL_RESP_HANDLER(multi)
{
    (void)command;
    struct fil_output *output = fil_resp_output(session);
    if (session->transaction != NULL) {
        fil_resp_error(output, "ERR MULTI calls can not be nested");
        return;
    }
    session->transaction = fil_alloc_zero(1, sizeof(*session->transaction));
    if (session->transaction == NULL) {
        fil_resp_out_of_memory(output);
    } else {
        fil_resp_simple(output, "OK");
    }
}

FIL_RESP_HANDLER(discard)
{
    fil_role_assert_io();
    (void)command;
    if (session->transaction == NULL) {
        fil_resp_error(fil_resp_output(session), "ERR DISCARD without MULTI");
        return;
    }
    fil_resp_transaction_drop(session);
    fil_resp_watch_drop(session);
    fil_resp_simple(fil_resp_output(session), "OK");
}

FIL_RESP_HANDLER(unwatch)
{
    (void)command;
    // In a transaction EXEC has done it already, and may run this anywhere.
    if (session->watches != NULL) {
        fil_role_assert_io();
        fil_resp_watch_drop(session);
    }
    fil_resp_simple(fil_resp_output(session), "OK");
}

/** The keys come in the order in which they were added. */
static int64_t access_watch(struct fil_resp_access *access)
{
    struct fil_resp_watch *watch = access->session->unregistered;
    fil_assert(fil_bytes_equal(watch->watch.key.bytes, access->key.bytes));
    fil_map_watch_here(watch->map, &watch->watch, access->now_ms);
    access->session->unregistered = watch->next;
    return FIL_OK;
}

/** Adds the keys, the last first, for the newest is the first of the list; false: out of memory. */
static bool add_watches(struct fil_resp_session *session, const struct fil_resp_command *command)
    FIL_RUNS_ON(io)
{
    for (uint32_t i = command->count - 1; i >= 1; i--) {
        if (!fil_resp_watch_add(session, fil_resp_argument(command, i))) {
            return false;
        }
    }
    session->unregistered = session->watches;
    return true;
}

FIL_RESP_HANDLER(watch)
{
    fil_role_assert_io();
    struct fil_output *output = fil_resp_output(session);
    if (session->transaction != NULL) {
        fil_resp_error(output, "ERR WATCH inside MULTI is not allowed");
    } else if (command->count > FIL_RESP_WATCHES_MAX) {
        fil_resp_error(output, "ERR too many keys to watch");
    } else if (!add_watches(session, command)) {
        // Those that were added are forgotten with the others, before they were known.
        fil_resp_out_of_memory(output);
    } else {
        struct fil_turn *turn = session->connection->loop->context;
        struct fil_resp_plan plan = {
            .session = session,
            .map = session->map,
            .now_ms = fil_map_now_ms(session->map, turn->runner.now_ns),
            .version = fil_resp_version(session),
            .kind = FIL_RESP_PLAN_ALL,
            .run = access_watch,
            .first = 1,
            .step = 1,
            .count = command->count - 1,
        };
        fil_resp_call_plan(session, &plan, command);
    }
}

/** EXEC on its way. What it has is the session's until it leaves the loop. */
struct exec {
    struct fil_resp_call call;
    struct fil_resp_places places;
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

/** Counts the places of all keys and, when there is room, notes them. */
static uint32_t list_places(struct fil_resp_session *session, fil_partition_id *ids,
                            uint64_t now_ns)
{
    struct fil_map *selected = session->map;
    struct fil_resp_plan plan;
    uint32_t count = 0;
    for (const struct fil_resp_queued *queued = session->transaction->first; queued != NULL;
         queued = queued->next) {
        uint32_t keys = plan_queued(session, queued, now_ns, &plan);
        for (uint32_t i = 0; ids != NULL && i < keys; i++) {
            ids[count + i] = fil_resp_plan_place(&plan, &queued->command, i).partition_id;
        }
        count += keys;
        session->map = map_after(session, queued, session->map);
    }
    session->map = selected;
    for (const struct fil_resp_watch *watch = session->watches; watch != NULL;
         watch = watch->next) {
        if (ids != NULL) {
            ids[count] = watch->watch.key.partition_id;
        }
        count++;
    }
    return count;
}

static bool find_places(struct exec *exec, uint64_t now_ns)
{
    struct fil_resp_session *session = exec->call.session;
    uint32_t count = list_places(session, NULL, now_ns);
    uint64_t bytes = (count + UINT64_C(1)) * sizeof(fil_partition_id);
    if (!fil_budget_draw(session->server->options.budget, bytes)) {
        return false;
    }
    exec->place_bytes = bytes;
    exec->places.ids = fil_alloc(bytes);
    if (exec->places.ids == NULL) {
        return false;
    }
    exec->places.count = list_places(session, exec->places.ids, now_ns);
    fil_assert(exec->places.count == count);
    fil_resp_places_tidy(&exec->places);
    return true;
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
            if (fil_resp_plan_must_wait(&plan, &key, out_wait_key)) {
                found = key.partition_id;
            }
        }
        session->map = map_after(session, queued, session->map);
    }
    session->map = selected;
    return found;
}

/** Runs the transaction if all its partitions are free, else says which one is not. */
static fil_partition_id try_exec(struct exec *exec, const struct fil_resp_door *door,
                                 uint64_t *out_wait_key)
{
    struct fil_resp_session *session = exec->call.session;
    uint64_t now_ns = door->runner->now_ns;
    fil_partition_id busy = fil_resp_places_enter(&exec->places, door);
    if (busy != FIL_OP_NO_PARTITION) {
        return busy;
    }
    busy = find_lock(session, now_ns, out_wait_key);
    if (busy == FIL_OP_NO_PARTITION) {
        run_transaction(session, &exec->call.reply, now_ns);
    }
    fil_resp_places_leave(&exec->places, door);
    return busy;
}

static enum fil_op_outcome step_exec(struct fil_resp_call *call, struct fil_partition *partition)
{
    struct exec *exec = FIL_CONTAINER_OF(call, struct exec, call);
    struct fil_resp_door door = fil_resp_door_of(partition);
    uint64_t wait_key = 0;
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

/** Runs the transaction in place, or sends it off. */
static void start_exec(struct fil_resp_session *session) FIL_RUNS_ON(io)
{
    struct fil_turn *turn = session->connection->loop->context;
    struct fil_resp_door door = fil_resp_door_of_turn(turn);
    struct fil_resp_call *call = fil_resp_call_new(session, sizeof(struct exec), step_exec);
    uint64_t wait_key = 0;
    if (call == NULL) {
        abort_exec(session);
        fil_resp_out_of_memory(fil_resp_output(session));
        return;
    }
    struct exec *exec = FIL_CONTAINER_OF(call, struct exec, call);
    exec->places = (struct fil_resp_places){0};
    exec->place_bytes = 0;
    call->fini = fini_exec;
    call->is_traveller = true;
    if (!find_places(exec, turn->runner.now_ns)) {
        fil_resp_call_free(call);
        abort_exec(session);
        fil_resp_out_of_memory(fil_resp_output(session));
        return;
    }
    fil_partition_id busy = try_exec(exec, &door, &wait_key);
    if (busy == FIL_OP_NO_PARTITION) {
        fil_resp_call_end(call);
    } else {
        fil_resp_call_send(call, busy);
    }
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
    } else {
        start_exec(session);
    }
}
