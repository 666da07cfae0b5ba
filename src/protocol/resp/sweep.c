// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/sweep.h"

#include <string.h>

#include "core/exec/turn.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/resp/database.h"
#include "protocol/resp/reply.h"

#define STEP_LOOKS_MAX      1000U              // entries in one step
#define VISIT_LOOKS_MAX     128U               // between two looks at the clock
#define MATCH_BYTES         (UINT32_C(1) << 9) // of patterns that are compared in between
#define PATTERN_USUAL_MAX   32U                // bytes; a longer one is for a partition thread
#define STEP_NS_MAX         UINT64_C(100000)   // then whoever waits for this thread gets his turn
#define STEP_PARTITIONS_MAX 1024U

static void fini_sweep(struct fil_resp_call *call)
{
    fil_output_fini(&FIL_CONTAINER_OF(call, struct fil_resp_sweep, call)->body);
}

/** Goes on with the next partition, or with the next database that is there. */
static void advance(struct fil_resp_sweep *sweep)
{
    sweep->cursor = 0;
    sweep->partitions_left--;
    sweep->partition_id = (sweep->partition_id + 1) % sweep->partition_count;
    while (sweep->partitions_left == 0 && !sweep->is_done) {
        sweep->map_index++;
        if (sweep->map_index >= sweep->map_end) {
            sweep->is_done = true;
            return;
        }
        sweep->map = fil_resp_database_find(sweep->call.session->server, sweep->map_index);
        sweep->partitions_left = sweep->map == NULL ? 0 : sweep->partition_count;
    }
}

/** Entries between two looks at the clock: fewer where each is compared with a pattern, which may
 * take the product of both sizes. */
static uint32_t visit_looks(const struct fil_resp_sweep *sweep)
{
    if (!sweep->has_match || sweep->pattern.size == 0) {
        return VISIT_LOOKS_MAX;
    }
    uint32_t looks =
        sweep->pattern.size < MATCH_BYTES ? MATCH_BYTES / (uint32_t)sweep->pattern.size : 1;
    return looks < VISIT_LOOKS_MAX ? looks : VISIT_LOOKS_MAX;
}

/** Visits as much as a step may; false when the next partition is not free. */
static bool run_slice(struct fil_resp_sweep *sweep, const struct fil_resp_door *door)
{
    struct fil_env *env = sweep->call.session->server->options.env;
    uint64_t until_ns = fil_env_now_ns(env) + STEP_NS_MAX;
    uint32_t budget = STEP_LOOKS_MAX;
    uint32_t visit_max = visit_looks(sweep);
    for (uint32_t i = 0; i < STEP_PARTITIONS_MAX && budget > 0 && !sweep->is_done; i++) {
        struct fil_partition *partition = fil_resp_door_enter(door, sweep->partition_id);
        if (partition == NULL) {
            return false;
        }
        uint64_t left = sweep->looks_max - sweep->looks;
        uint32_t limit = budget < visit_max ? budget : visit_max;
        limit = left < limit ? (uint32_t)left : limit;
        uint32_t looks =
            sweep->visit(sweep, fil_map_now_ms(sweep->map, door->runner->now_ns), limit);
        fil_resp_door_leave(door, partition);
        sweep->looks += looks;
        budget -= looks < budget ? looks : budget;
        if (sweep->cursor == FIL_STORE_SCAN_END) {
            advance(sweep);
        }
        // Partitions without entries cost next to nothing: the clock is for the others.
        if (sweep->looks >= sweep->looks_max || (looks > 0 && fil_env_now_ns(env) >= until_ns)) {
            break;
        }
    }
    sweep->is_done |= sweep->looks >= sweep->looks_max;
    return true;
}

static enum fil_op_outcome step_sweep(struct fil_resp_call *call, struct fil_partition *partition)
{
    struct fil_resp_sweep *sweep = FIL_CONTAINER_OF(call, struct fil_resp_sweep, call);
    struct fil_resp_door door = fil_resp_door_of(partition);
    sweep->body.pool = partition->runner->chunks;
    (void)run_slice(sweep, &door);
    if (sweep->is_done) {
        sweep->sum_up(sweep, &call->reply);
    } else {
        call->next = sweep->partition_id;
    }
    return FIL_OP_DONE;
}

struct fil_resp_sweep *fil_resp_sweep_new(struct fil_resp_session *session,
                                          struct fil_bytes pattern)
{
    struct fil_turn *turn = session->connection->loop->context;
    struct fil_resp_call *call =
        fil_resp_call_new(session, sizeof(struct fil_resp_sweep) + pattern.size, step_sweep);
    if (call == NULL) {
        return NULL;
    }
    struct fil_resp_sweep *sweep = FIL_CONTAINER_OF(call, struct fil_resp_sweep, call);
    memset((uint8_t *)sweep + sizeof(*call), 0, sizeof(*sweep) - sizeof(*call));
    call->is_traveller = true;
    call->fini = fini_sweep;
    if (pattern.size > 0) {
        memcpy(sweep + 1, pattern.data, pattern.size);
    }
    sweep->pattern = fil_bytes_make(sweep + 1, pattern.size);
    sweep->map = session->map;
    sweep->map_end = 1;
    sweep->looks_max = UINT64_MAX;
    sweep->partition_count = fil_exec_partition_count(turn->runner.exec);
    sweep->partitions_left = sweep->partition_count;
    sweep->version = fil_resp_version(session);
    fil_output_init(&sweep->body);
    sweep->body.pool = session->connection->output.pool;
    return sweep;
}

void fil_resp_sweep_start(struct fil_resp_sweep *sweep)
{
    struct fil_resp_call *call = &sweep->call;
    struct fil_turn *turn = call->session->connection->loop->context;
    struct fil_resp_door door = fil_resp_door_of_turn(turn);
    fil_assert(fil_list_is_empty(&call->session->line));
    call->is_slow |= sweep->has_match && sweep->pattern.size > PATTERN_USUAL_MAX;
    if (!call->is_slow) {
        (void)run_slice(sweep, &door);
    }
    if (sweep->is_done) {
        sweep->sum_up(sweep, &call->reply);
        fil_resp_call_end(call);
    } else {
        fil_resp_call_send(call, sweep->partition_id);
    }
}
