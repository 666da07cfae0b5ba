// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/journey.h"

#include "core/exec/activity.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/resp/kept.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/weight.h"

#define CHUNK_KEYS    16U
#define STEP_KEYS_MAX 512U // a multiple of the chunk

static struct fil_turn *turn_of(struct fil_resp_session *session)
{
    return session->connection->loop->context;
}

/** How far a command of several keys has got. */
struct walk {
    struct fil_resp_plan plan;
    struct fil_resp_command command;
    uint32_t position; // the next key
    int64_t sum;
    int64_t error;   // the first
    uint64_t weight; // on a loop: of the keys so far
    bool is_heavy;   // with the next key it is too much for a loop
};

/** Keys that are being run together. */
struct chunk {
    uint32_t count;
    uint64_t wait_key; // when a lock ended it: what the next key waits for
    struct fil_partition *partitions[CHUNK_KEYS];
    bool is_entered[CHUNK_KEYS]; // by this key, not by one before it
    struct fil_resp_access accesses[CHUNK_KEYS];
};

/** The partition as an earlier key of the chunk has entered it; NULL: none has. */
static struct fil_partition *find_entered(const struct chunk *chunk, fil_partition_id id)
{
    for (uint32_t i = 0; i < chunk->count; i++) {
        if (chunk->partitions[i]->id == id) {
            return chunk->partitions[i];
        }
    }
    return NULL;
}

/** Inside its partition: whether the key cannot be run now, because it is locked by another or, on
 * a loop, too heavy. */
static bool is_barred(const struct fil_resp_access *access, const struct fil_resp_door *door,
                      struct walk *walk, struct chunk *chunk)
{
    if (FIL_UNLIKELY(fil_resp_access_must_wait(access, &chunk->wait_key))) {
        return true;
    }
    if (access->is_weighed && door->turn != NULL) {
        walk->weight += fil_resp_access_weight(access);
        walk->is_heavy = walk->weight >= FIL_RESP_HUGE_MEMBERS;
        return walk->is_heavy;
    }
    return false;
}

/** Enters the key's partition; false when it is not free or the key is barred. */
static bool enter_key(struct walk *walk, const struct fil_resp_door *door, struct chunk *chunk)
{
    struct fil_resp_access *access = &chunk->accesses[chunk->count];
    fil_resp_plan_access(&walk->plan, &walk->command, walk->position + chunk->count, access);
    fil_partition_id id = access->key.partition_id;
    struct fil_partition *partition = door->turn == NULL ? find_entered(chunk, id) : NULL;
    bool is_entered = partition == NULL;
    if (is_entered) {
        partition = fil_resp_door_enter(door, id);
    }
    if (FIL_UNLIKELY(partition == NULL)) {
        return false;
    }
    if (FIL_UNLIKELY(is_barred(access, door, walk, chunk))) {
        if (is_entered) {
            fil_resp_door_step_out(door, partition);
        }
        return false;
    }
    access->can_put_off = door->turn != NULL;
    fil_map_prefetch_here(access->map, &access->key);
    chunk->partitions[chunk->count] = partition;
    chunk->is_entered[chunk->count] = is_entered;
    chunk->count++;
    return true;
}

/** As in a group of commands: what is asked for in one pass is there in the next. */
FIL_PREFETCHES static void await_memory(const struct chunk *chunk)
{
    uint32_t guesses[CHUNK_KEYS];
    for (uint32_t i = 0; i < chunk->count; i++) {
        guesses[i] = fil_map_guess_here(chunk->accesses[i].map, &chunk->accesses[i].key);
    }
    for (uint32_t i = 0; i < chunk->count; i++) {
        fil_map_prefetch_guess_here(chunk->accesses[i].map, &chunk->accesses[i].key, guesses[i]);
    }
}

/** Runs the chunk's keys up to one that is too heavy; returns how many. */
static uint32_t run_accesses(struct walk *walk, struct chunk *chunk, struct fil_output *output)
{
    for (uint32_t i = 0; i < chunk->count; i++) {
        struct fil_resp_access *access = &chunk->accesses[i];
        access->output = output;
        int64_t result = fil_resp_access_call(access);
        if (FIL_UNLIKELY(access->is_put_off)) {
            walk->is_heavy = true;
            return i;
        }
        walk->sum += result;
        walk->error = walk->error == FIL_OK ? result : walk->error;
    }
    return chunk->count;
}

/** Runs the next keys, as many as are free and fit; returns how many. */
static uint32_t run_chunk(struct walk *walk, const struct fil_resp_door *door,
                          struct fil_output *output, uint64_t *out_wait_key)
{
    struct chunk chunk;
    chunk.count = 0;
    chunk.wait_key = 0;
    while (chunk.count < CHUNK_KEYS && walk->position + chunk.count < walk->plan.count &&
           enter_key(walk, door, &chunk)) {
    }
    await_memory(&chunk);
    uint32_t done = run_accesses(walk, &chunk, output);
    for (uint32_t i = 0; i < chunk.count; i++) {
        if (chunk.is_entered[i] && i < done) {
            fil_resp_door_leave(door, chunk.partitions[i]);
        } else if (chunk.is_entered[i]) {
            fil_resp_door_step_out(door, chunk.partitions[i]);
        }
    }
    walk->position += done;
    *out_wait_key = chunk.wait_key;
    return done;
}

static void begin_reply(const struct walk *walk, struct fil_output *output)
{
    if (walk->plan.kind == FIL_RESP_PLAN_EACH) {
        fil_resp_array(output, walk->plan.count);
    }
}

static void end_reply(const struct walk *walk, struct fil_output *output)
{
    if (walk->plan.kind == FIL_RESP_PLAN_SUM) {
        fil_resp_integer(output, walk->sum);
    } else if (walk->plan.kind == FIL_RESP_PLAN_ALL && walk->error != FIL_OK) {
        fil_resp_plan_tell(output, (int)walk->error);
    } else if (walk->plan.kind == FIL_RESP_PLAN_ALL) {
        fil_resp_simple(output, "OK");
    }
}

/** Memory is out in the middle of the command: what is missing of the reply says so. */
static void end_reply_early(const struct walk *walk, struct fil_output *output)
{
    uint32_t missing =
        walk->plan.kind == FIL_RESP_PLAN_EACH ? walk->plan.count - walk->position : 1;
    for (uint32_t i = 0; i < missing; i++) {
        fil_resp_out_of_memory(output);
    }
}

struct walk_call {
    struct fil_resp_call call;
    struct walk walk;
    struct fil_resp_kept kept; // the command of the walk
};

static void fini_walk(struct fil_resp_call *call)
{
    fil_resp_kept_drop(&FIL_CONTAINER_OF(call, struct walk_call, call)->kept);
}

static enum fil_op_outcome step_walk(struct fil_resp_call *call, struct fil_partition *partition)
{
    struct walk_call *traveller = FIL_CONTAINER_OF(call, struct walk_call, call);
    struct walk *walk = &traveller->walk;
    struct fil_resp_door door = fil_resp_door_of(partition);
    uint64_t wait_key = 0;
    uint32_t done = 0;
    walk->plan.now_ms = fil_map_now_ms(walk->plan.map, partition->runner->now_ns);
    while (walk->position < walk->plan.count && done < STEP_KEYS_MAX) {
        uint32_t count = run_chunk(walk, &door, &call->reply, &wait_key);
        done += count;
        if (count == 0) {
            break;
        }
    }
    if (walk->position == walk->plan.count) {
        end_reply(walk, &call->reply);
        fil_resp_kept_drop(&traveller->kept); // here, and not on a loop
        return FIL_OP_DONE;
    }
    struct fil_map_key key = fil_resp_plan_place(&walk->plan, &walk->command, walk->position);
    if (done == 0 && key.partition_id == partition->id) {
        call->op.error = fil_partition_park(partition, &call->op, wait_key);
        return call->op.error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
    }
    call->next = key.partition_id;
    return FIL_OP_DONE;
}

/** A call for the keys that are left, with the command to itself; NULL: memory is out. */
static struct walk_call *new_walk(struct fil_resp_session *session, const struct walk *walk)
    FIL_RUNS_ON(io)
{
    size_t bytes = fil_resp_kept_bytes(session, &walk->command);
    struct fil_resp_call *call =
        fil_resp_call_new(session, sizeof(struct walk_call) + bytes, step_walk);
    if (call == NULL) {
        return NULL;
    }
    struct walk_call *traveller = FIL_CONTAINER_OF(call, struct walk_call, call);
    if (!fil_resp_keep(session, &walk->command, traveller + 1, &traveller->kept)) {
        fil_resp_call_free(call);
        return NULL;
    }
    traveller->walk = *walk;
    traveller->walk.command = traveller->kept.command;
    call->fini = fini_walk;
    return traveller;
}

/** Hands the keys that are left over to the partition where they begin. */
static void send_walk(struct fil_resp_session *session, const struct walk *walk,
                      fil_partition_id start) FIL_RUNS_ON(io)
{
    struct walk_call *traveller = new_walk(session, walk);
    if (traveller == NULL) {
        end_reply_early(walk, fil_resp_call_open(session));
        fil_resp_call_close(session);
        return;
    }
    struct fil_resp_call *call = &traveller->call;
    call->is_traveller = true;
    call->is_slow = walk->is_heavy;
    call->is_read_only = !walk->plan.is_write;
    fil_resp_call_send(call, start);
}

/** Where the keys that are left begin. */
static fil_partition_id start_of(const struct walk *walk)
{
    if (walk->position == 0 && walk->is_heavy) {
        return fil_resp_plan_start(&walk->plan, &walk->command);
    }
    return fil_resp_plan_place(&walk->plan, &walk->command, walk->position).partition_id;
}

void fil_resp_journey_keys(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                           const struct fil_resp_command *command)
{
    struct fil_turn *turn = turn_of(session);
    struct fil_resp_door door = fil_resp_door_of_turn(turn);
    struct walk walk = {.plan = *plan, .command = *command};
    struct fil_output *output = fil_resp_call_open(session);
    uint64_t wait_key = 0;
    bool is_going = !fil_resp_is_huge(session);
    walk.is_heavy = !is_going;
    begin_reply(&walk, output);
    while (is_going && walk.position < plan->count && !fil_turn_is_spent(turn)) {
        is_going = run_chunk(&walk, &door, output, &wait_key) > 0 && !walk.is_heavy;
    }
    bool is_done = walk.position == plan->count;
    if (FIL_LIKELY(is_done)) {
        end_reply(&walk, output);
    }
    fil_resp_call_close(session);
    if (FIL_UNLIKELY(!is_done)) {
        send_walk(session, &walk, start_of(&walk));
    }
}
