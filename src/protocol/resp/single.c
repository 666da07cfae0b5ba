// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/single.h"

#include "core/exec/activity.h"
#include "core/exec/turn.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/resp/call.h"
#include "protocol/resp/group.h"

static struct fil_turn *turn_of(const struct fil_resp_session *session)
{
    return session->connection->loop->context;
}

/** A call of one key, with the key and what comes with it behind it. */
struct single {
    struct fil_resp_call call;
    struct fil_resp_access access;
};

static enum fil_op_outcome step_single(struct fil_resp_call *call, struct fil_partition *partition)
{
    struct fil_resp_access *access = &FIL_CONTAINER_OF(call, struct single, call)->access;
    uint64_t wait_key = 0;
    access->now_ms = fil_map_now_ms(access->map, partition->runner->now_ns);
    if (FIL_UNLIKELY(fil_resp_access_must_wait(access, &wait_key))) {
        call->op.error = fil_partition_park(partition, &call->op, wait_key);
        return call->op.error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
    }
    fil_resp_access_run(access, &call->reply);
    return FIL_OP_DONE;
}

/** Hands the key over to its partition. */
static void hand_over(const struct fil_resp_access *access, bool is_slow) FIL_RUNS_ON(io)
{
    struct fil_resp_session *session = access->session;
    struct fil_resp_call *call = fil_resp_call_new(session,
                                                   sizeof(struct single) + access->key.bytes.size +
                                                       access->value.size + access->second.size,
                                                   step_single);
    if (call == NULL) {
        fil_resp_call_refuse(session);
        return;
    }
    struct single *single = FIL_CONTAINER_OF(call, struct single, call);
    uint8_t *room = (uint8_t *)(single + 1);
    single->access = *access;
    single->access.key.bytes = fil_resp_call_copy_word(&room, access->key.bytes);
    single->access.value = fil_resp_call_copy_word(&room, access->value);
    single->access.second = fil_resp_call_copy_word(&room, access->second);
    single->access.can_put_off = false;
    single->access.is_put_off = false;
    call->is_slow = is_slow;
    call->is_read_only = !access->is_write;
    call->name = access->name;
    fil_resp_call_send(call, access->key.partition_id);
}

/** What became of a key that was tried in place. */
enum trial {
    TRIAL_DONE,
    TRIAL_BUSY,  // its partition is not free
    TRIAL_HEAVY, // it is too heavy for a loop
};

/** Runs the key in place, if that is possible. */
static enum trial try_in_place(struct fil_resp_access *access, struct fil_output *output)
    FIL_RUNS_ON(io)
{
    struct fil_turn *turn = turn_of(access->session);
    struct fil_partition *partition = fil_turn_enter(turn, access->key.partition_id);
    uint64_t wait_key = 0;
    if (FIL_UNLIKELY(partition == NULL)) {
        return TRIAL_BUSY;
    }
    if (FIL_UNLIKELY(fil_resp_access_must_wait(access, &wait_key))) {
        fil_turn_step_out(turn, partition);
        return TRIAL_BUSY;
    }
    fil_activity_place(&turn->runner, access->key.partition_id);
    if (FIL_UNLIKELY(!fil_resp_access_try(access, output))) {
        fil_turn_step_out(turn, partition);
        return TRIAL_HEAVY;
    }
    fil_turn_leave(turn, partition);
    return TRIAL_DONE;
}

void fil_resp_single_send(const struct fil_resp_access *access, bool is_heavy)
{
    struct fil_resp_session *session = access->session;
    enum trial trial = is_heavy ? TRIAL_HEAVY : TRIAL_BUSY;
    if (!is_heavy && !fil_list_is_empty(&session->line)) {
        // It runs now, its reply waits for those before it.
        struct fil_resp_access now = *access;
        trial = try_in_place(&now, fil_resp_call_open(session));
        if (trial == TRIAL_DONE) {
            fil_resp_call_close(session);
        } else {
            fil_resp_call_withdraw(session);
        }
    }
    if (trial != TRIAL_DONE) {
        hand_over(access, trial == TRIAL_HEAVY);
    }
}

void fil_resp_single_run(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                         const struct fil_resp_command *command)
{
    if (FIL_LIKELY(fil_resp_single_can_join(session, plan))) {
        fil_resp_group_add(session, plan, command);
        return;
    }
    struct fil_resp_access access;
    fil_resp_plan_access(plan, command, 0, &access);
    fil_resp_group_run(session);
    fil_resp_single_send(&access, plan->is_slow);
}
