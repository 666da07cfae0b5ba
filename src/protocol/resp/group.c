// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/group.h"

#include "core/exec/activity.h"
#include "core/exec/turn.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/resp/reply.h"

// Replies of a group beyond this are large ones: the next group is of one command, because the
// limit of the output is looked at after each group. Groups grow again while replies are small.
#define SMALL_BYTES_MAX ((size_t)64 << 10)

bool fil_resp_group_add(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                        const struct fil_resp_access *access)
{
    struct fil_resp_group *group = session->group;
    struct fil_turn *turn = session->connection->loop->context;
    fil_assert(group->count < FIL_RESP_GROUP_MAX);
    struct fil_partition *partition = fil_turn_enter(turn, access->key.partition_id);
    if (FIL_UNLIKELY(partition == NULL)) {
        return false;
    }
    uint64_t wait_key = 0;
    if (FIL_UNLIKELY(fil_resp_plan_must_wait(plan, &access->key, &wait_key))) {
        fil_turn_leave(turn, partition);
        return false;
    }
    fil_map_prefetch_here(access->map, &access->key);
    struct fil_resp_grouped *grouped = &group->commands[group->count];
    grouped->access = *access;
    grouped->partition = partition;
    grouped->run = plan->run;
    grouped->is_counting = plan->kind == FIL_RESP_PLAN_SUM;
    group->count++;
    // The text of an inline command lives only until the next one is decoded.
    if (group->count >= session->group_limit || FIL_UNLIKELY(session->decoder.text != NULL)) {
        fil_resp_group_run(session);
    }
    return true;
}

static void run_one(struct fil_resp_grouped *grouped, struct fil_turn *turn,
                    struct fil_output *output) FIL_RUNS_ON(io)
{
    grouped->access.output = output;
    fil_activity_place(&turn->runner, grouped->access.key.partition_id);
    int64_t result = grouped->run(&grouped->access);
    if (grouped->is_counting) {
        fil_resp_integer(output, result);
    }
    fil_turn_leave(turn, grouped->partition);
}

void fil_resp_group_run(struct fil_resp_session *session)
{
    struct fil_resp_group *group = session->group;
    if (group == NULL || group->count == 0) {
        return;
    }
    struct fil_output *output = &session->connection->output;
    size_t size_before = output->queue.size_bytes;
    for (uint32_t i = 0; group->count > 1 && i < group->count; i++) {
        const struct fil_resp_access *access = &group->commands[i].access;
        fil_map_prefetch_record_here(access->map, &access->key);
    }
    for (uint32_t i = 0; i < group->count; i++) {
        run_one(&group->commands[i], session->connection->loop->context, output);
    }
    group->count = 0;
    if (output->queue.size_bytes - size_before > SMALL_BYTES_MAX) {
        session->group_limit = 1;
    } else if (session->group_limit < FIL_RESP_GROUP_MAX) {
        session->group_limit *= 2;
    }
}
