// SPDX-License-Identifier: Apache-2.0
/** Commands whose keys must be there all at once. */
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/resp/journey.h"
#include "protocol/resp/kept.h"
#include "protocol/resp/weight.h"

#define PLACES_USUAL 32U

static struct fil_turn *turn_of(struct fil_resp_session *session)
{
    return session->connection->loop->context;
}

/** A command whose keys must be there all at once, with its partitions and words behind it. */
struct meeting {
    struct fil_resp_call call;
    struct fil_resp_plan plan;
    struct fil_resp_kept kept;
    struct fil_resp_places places; // none: they are not yet found
};

static void fini_meeting(struct fil_resp_call *call)
{
    fil_resp_kept_drop(&FIL_CONTAINER_OF(call, struct meeting, call)->kept);
}

/** All are entered: whether a key is locked by another, and where; NO_PARTITION: none is. */
static fil_partition_id find_lock(const struct fil_resp_plan *plan,
                                  const struct fil_resp_command *command, uint64_t *out_wait_key)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        struct fil_map_key key = fil_resp_plan_place(plan, command, i);
        if (fil_resp_plan_must_wait(plan, i, &key, out_wait_key)) {
            return key.partition_id;
        }
    }
    return FIL_OP_NO_PARTITION;
}

/** All partitions are entered. */
static void run_entered(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                        struct fil_output *output)
{
    if (FIL_LIKELY(plan->kind == FIL_RESP_PLAN_TOGETHER)) {
        fil_resp_plan_call(plan, command, output);
    } else {
        fil_resp_plan_run(plan, command, output); // a huge one of one key
    }
}

/** Runs the command if all its partitions are free, else says which one is not, or why else. */
static fil_partition_id try_together(const struct fil_resp_plan *plan,
                                     const struct fil_resp_command *command,
                                     const struct fil_resp_places *places,
                                     const struct fil_resp_door *door, struct fil_output *output,
                                     uint64_t *out_wait_key)
{
    fil_partition_id busy = fil_resp_places_enter(places, door);
    if (busy != FIL_OP_NO_PARTITION) {
        return busy;
    }
    busy = find_lock(plan, command, out_wait_key);
    if (busy == FIL_OP_NO_PARTITION && door->turn != NULL &&
        fil_resp_plan_is_heavy(plan, command)) {
        busy = FIL_RESP_TOO_HEAVY;
    }
    if (busy != FIL_OP_NO_PARTITION) {
        fil_resp_places_step_out(places, door);
        return busy;
    }
    run_entered(plan, command, output);
    fil_resp_places_leave(places, door);
    return FIL_OP_NO_PARTITION;
}

/** Fills in where the keys live. */
static void find_places(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                        struct fil_resp_places *places)
{
    places->count = plan->count;
    for (uint32_t i = 0; i < plan->count; i++) {
        places->ids[i] = fil_resp_plan_place(plan, command, i).partition_id;
    }
    fil_resp_places_tidy(places);
}

/** Where one that has just found its places should be: in one of them. */
static bool is_elsewhere(struct meeting *meeting, const struct fil_partition *partition)
{
    if (meeting->places.count > 0) {
        return false;
    }
    find_places(&meeting->plan, &meeting->kept.command, &meeting->places);
    return meeting->places.ids[0] != partition->id;
}

static enum fil_op_outcome step_meeting(struct fil_resp_call *call, struct fil_partition *partition)
{
    struct meeting *meeting = FIL_CONTAINER_OF(call, struct meeting, call);
    struct fil_resp_door door = fil_resp_door_of(partition);
    uint64_t wait_key = 0;
    if (is_elsewhere(meeting, partition)) {
        call->next = meeting->places.ids[0];
        return FIL_OP_DONE;
    }
    meeting->plan.now_ms = fil_map_now_ms(meeting->plan.map, partition->runner->now_ns);
    fil_partition_id busy = try_together(&meeting->plan, &meeting->kept.command, &meeting->places,
                                         &door, &call->reply, &wait_key);
    if (busy == partition->id) {
        call->op.error = fil_partition_park(partition, &call->op, wait_key);
        return call->op.error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
    }
    if (busy != FIL_OP_NO_PARTITION) {
        call->next = busy;
    } else {
        fil_resp_kept_drop(&meeting->kept); // here, and not on a loop
    }
    return FIL_OP_DONE;
}

/** A call with the command to itself; NULL: memory is out. */
static struct meeting *new_meeting(struct fil_resp_session *session,
                                   const struct fil_resp_plan *plan,
                                   const struct fil_resp_command *command) FIL_RUNS_ON(io)
{
    // The words begin with their sizes, which want to be aligned.
    size_t id_bytes = (plan->count + (plan->count & 1U)) * sizeof(fil_partition_id);
    size_t bytes = sizeof(struct meeting) + id_bytes + fil_resp_kept_bytes(session, command);
    struct fil_resp_call *call = fil_resp_call_new(session, bytes, step_meeting);
    if (call == NULL) {
        return NULL;
    }
    struct meeting *meeting = FIL_CONTAINER_OF(call, struct meeting, call);
    if (!fil_resp_keep(session, command, (uint8_t *)(meeting + 1) + id_bytes, &meeting->kept)) {
        fil_resp_call_free(call);
        return NULL;
    }
    meeting->plan = *plan;
    meeting->places = (struct fil_resp_places){.ids = (fil_partition_id *)(meeting + 1)};
    call->fini = fini_meeting;
    return meeting;
}

/** Hands the command over to the partition that is not free, or where it begins. */
static void send_meeting(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                         const struct fil_resp_command *command, fil_partition_id busy)
    FIL_RUNS_ON(io)
{
    struct meeting *meeting = new_meeting(session, plan, command);
    if (meeting == NULL) {
        fil_resp_call_refuse(session);
        return;
    }
    struct fil_resp_call *call = &meeting->call;
    call->is_traveller = true;
    call->is_slow = busy == FIL_RESP_TOO_HEAVY;
    call->is_read_only = !plan->is_write;
    if (FIL_UNLIKELY(meeting->kept.parcel.block != NULL)) {
        busy = fil_resp_plan_start(plan, command); // where it finds its places
    } else {
        find_places(plan, command, &meeting->places);
        busy = call->is_slow ? meeting->places.ids[0] : busy;
    }
    fil_resp_call_send(call, busy);
}

/** Runs the keys in place; FIL_OP_NO_PARTITION, or what prevents it. */
static fil_partition_id run_in_place(struct fil_resp_session *session,
                                     const struct fil_resp_plan *plan,
                                     const struct fil_resp_command *command,
                                     struct fil_output *output)
{
    fil_partition_id ids[PLACES_USUAL];
    struct fil_resp_places places = {.ids = ids};
    struct fil_resp_door door = fil_resp_door_of_turn(turn_of(session));
    uint64_t wait_key = 0;
    if (FIL_UNLIKELY(plan->count > PLACES_USUAL || plan->is_slow ||
                     fil_resp_command_is_long(command) || fil_resp_is_huge(session))) {
        return FIL_RESP_TOO_HEAVY;
    }
    find_places(plan, command, &places);
    return try_together(plan, command, &places, &door, output, &wait_key);
}

bool fil_resp_journey_try(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                          const struct fil_resp_command *command, struct fil_output *output)
{
    return run_in_place(session, plan, command, output) == FIL_OP_NO_PARTITION;
}

void fil_resp_journey_together(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                               const struct fil_resp_command *command)
{
    fil_partition_id busy = run_in_place(session, plan, command, fil_resp_call_open(session));
    fil_resp_call_close(session);
    if (busy != FIL_OP_NO_PARTITION) {
        send_meeting(session, plan, command, busy);
    }
}
