// SPDX-License-Identifier: Apache-2.0
#include "core/exec/turn.h"

#include "core/exec/exec_internal.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define RUNS_BETWEEN_LOOKS 16U
#define COSTLY_NS          UINT64_C(50000) // of so many runs: then each is looked at
#define LARGE_BYTES        (16U << 10)     // that an operation moves
#define OPS_KEPT           1024U
#define LARGE_OPS_KEPT     64U

int fil_turn_init(struct fil_turn *turn, struct fil_exec *exec, const char *name,
                  struct fil_pool *chunks)
{
    uint32_t count = fil_exec_partition_count(exec);
    *turn = (struct fil_turn){0};
    fil_runner_init(&turn->runner, exec, name);
    fil_histogram_init(&turn->in_place_ns);
    turn->runs_until_look = RUNS_BETWEEN_LOOKS;
    turn->can_enter = fil_exec_options(exec)->has_caller_runs;
    turn->runner.chunks = chunks;
    turn->partitions = fil_exec_partition(exec, 0);
    struct fil_budget *budget = fil_exec_options(exec)->budget;
    fil_pool_init(&turn->ops, budget, FIL_TURN_OP_BYTES, OPS_KEPT);
    fil_pool_init(&turn->large_ops, budget, FIL_TURN_LARGE_OP_BYTES, LARGE_OPS_KEPT);
    turn->shares = fil_alloc_zero(count, sizeof(struct fil_turn_share));
    turn->touched = fil_alloc_zero(count, sizeof(fil_partition_id));
    if (turn->shares == NULL || turn->touched == NULL) {
        fil_turn_fini(turn);
        return FIL_E_NOMEM;
    }
    return FIL_OK;
}

void fil_turn_fini(struct fil_turn *turn)
{
    fil_assert(turn->touched_count == 0);
    fil_pool_adopt(&turn->ops);
    fil_pool_fini(&turn->ops);
    fil_pool_adopt(&turn->large_ops);
    fil_pool_fini(&turn->large_ops);
    fil_free(turn->shares);
    fil_free(turn->touched);
    turn->shares = NULL;
    turn->touched = NULL;
}

void fil_turn_enter_thread(struct fil_turn *turn)
{
    fil_pool_adopt(&turn->ops);
    fil_pool_adopt(&turn->large_ops);
}

void fil_turn_begin(struct fil_turn *turn, uint64_t now_ns)
{
    turn->runner.now_ns = now_ns;
    turn->started_ns = now_ns;
    turn->looked_ns = now_ns;
    turn->unseen_runs = 0;
    turn->is_spent = false;
}

static void record_runs(struct fil_turn *turn, uint64_t elapsed_ns) FIL_RUNS_ON(io)
{
    uint32_t runs = turn->unseen_runs;
    if (runs > 0) {
        fil_histogram_record_many(&turn->in_place_ns, elapsed_ns / runs, runs);
        turn->unseen_runs = 0;
    }
}

/**
 * Looks at the clock now and then, and after each operation when they are costly: one long turn
 * must not starve the other connections. What the last turn's cost is what the next's may cost.
 */
static void look_at_clock(struct fil_turn *turn) FIL_RUNS_ON(io)
{
    const struct fil_exec_options *options = fil_exec_options(turn->runner.exec);
    uint64_t now_ns = fil_env_now_ns(options->env);
    fil_assert(now_ns >= turn->looked_ns);
    record_runs(turn, now_ns - turn->looked_ns);
    turn->runs_until_look = now_ns - turn->looked_ns > COSTLY_NS ? 1 : RUNS_BETWEEN_LOOKS;
    turn->looked_ns = now_ns;
    turn->runner.now_ns = now_ns;
    turn->is_spent = now_ns - turn->started_ns > options->caller_budget_ns;
}

void fil_turn_charge(struct fil_turn *turn, size_t bytes)
{
    if (FIL_UNLIKELY(bytes >= LARGE_BYTES)) {
        look_at_clock(turn);
    }
}

struct fil_partition *fil_turn_enter(struct fil_turn *turn, fil_partition_id id)
{
    struct fil_turn_share *share = &turn->shares[id];
    if (FIL_UNLIKELY(!turn->can_enter || share->newest != NULL)) {
        return NULL;
    }
    struct fil_partition *partition = &turn->partitions[id];
    if (share->held_count == 0 && !fil_partition_enter(partition, &turn->runner)) {
        return NULL;
    }
    share->held_count++;
    return partition;
}

void fil_turn_step_out(struct fil_turn *turn, struct fil_partition *partition)
{
    struct fil_turn_share *share = &turn->shares[partition->id];
    fil_assert(share->held_count > 0);
    share->held_count--;
    if (share->held_count == 0) {
        fil_partition_leave(partition);
    }
}

void fil_turn_count(struct fil_turn *turn, uint32_t runs)
{
    fil_counter_add(&turn->runner.stats.runs, runs);
    fil_counter_add(&turn->runner.stats.caller_runs, runs);
    turn->unseen_runs += runs;
    if (FIL_UNLIKELY(turn->runs_until_look <= runs)) {
        look_at_clock(turn);
    } else {
        turn->runs_until_look -= runs;
    }
}

void fil_turn_step(struct fil_turn *turn)
{
    if (turn->runs_until_look <= 1) {
        look_at_clock(turn);
    } else {
        turn->runs_until_look--;
    }
}

void fil_turn_leave(struct fil_turn *turn, struct fil_partition *partition)
{
    fil_turn_step_out(turn, partition);
    fil_turn_count(turn, 1);
}

static void deliver(struct fil_turn *turn, fil_partition_id id) FIL_RUNS_ON(io)
{
    struct fil_turn_share *share = &turn->shares[id];
    fil_partition_deliver(fil_exec_partition(turn->runner.exec, id), share->newest, share->oldest,
                          &turn->runner);
    *share = (struct fil_turn_share){0};
}

void fil_turn_stage(struct fil_turn *turn, struct fil_op *op)
{
    struct fil_turn_share *share = &turn->shares[op->partition_id];
    fil_assert(share->held_count == 0);
    op->submitted_ns = turn->runner.now_ns;
    fil_counter_add(&turn->runner.stats.handed_over, 1);
    if (op->is_priority) {
        fil_partition_deliver_priority(fil_exec_partition(turn->runner.exec, op->partition_id), op,
                                       &turn->runner);
        return;
    }
    if (share->newest == NULL) {
        share->oldest = op;
        turn->touched[turn->touched_count] = op->partition_id;
        turn->touched_count++;
        op->link.next = NULL;
    } else {
        op->link.next = &share->newest->link;
    }
    share->newest = op;
    if (!fil_exec_options(turn->runner.exec)->has_batching) {
        turn->touched_count--;
        deliver(turn, op->partition_id);
    }
}

void fil_turn_submit(struct fil_turn *turn, struct fil_op *op)
{
    const struct fil_turn_share *share = &turn->shares[op->partition_id];
    fil_assert(share->held_count == 0);
    if (share->newest == NULL &&
        fil_exec__run_in_place(&turn->partitions[op->partition_id], op, &turn->runner)) {
        fil_turn_step(turn);
    } else {
        fil_turn_stage(turn, op);
    }
}

void fil_turn_end(struct fil_turn *turn)
{
    for (uint32_t i = 0; i < turn->touched_count; i++) {
        deliver(turn, turn->touched[i]);
    }
    turn->touched_count = 0;
    fil_runner_end_turn(&turn->runner);
}
