// SPDX-License-Identifier: Apache-2.0
/**
 * The kernel without threads: its cycles and its callers' turns come in an order, and at times,
 * drawn from a seed. Promises: the same seed gives the same run, step by step; whatever the seed,
 * every operation completes exactly once and in its sender's order, and nothing is left.
 */
#include "core/exec/exec.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "lib/base/prng.h"
#include "tests/support/sim_env.h"
#include "tests/unit/harness.h"

#define CALLERS    3U
#define STAGES_MAX 4U
#define PARTITIONS 5U
#define OPS        60U // of one caller
#define SEEDS      150U

enum sim_kind {
    PLAIN,
    SLICED,
    WAITER,
    GIVER,
    KIND_COUNT
};

struct sim_op {
    struct fil_op op;
    enum sim_kind kind;
    uint32_t caller;
    uint32_t number;
    uint32_t slices;
    bool has_run;
    uint32_t complete_count;
};

struct sim_caller {
    uint32_t index;
    struct fil_prng prng;
    struct fil_runner runner;
    uint32_t sent;
    struct sim_op ops[OPS];
};

static struct sim_world {
    struct fil_sim sim;
    struct fil_budget budget;
    struct fil_exec *exec;
    struct sim_caller callers[CALLERS];
    struct fil_sim_timer timer;
    uint32_t last_number[CALLERS][PARTITIONS][2];
    uint32_t tokens[PARTITIONS];
    uint32_t completed;
    uint64_t trace; // hash of all that has happened, in its order
} world;

static void note(uint32_t event, const struct sim_op *op)
{
    const uint64_t words[] = {world.trace, event, op->caller, op->number, world.sim.now_ns};
    world.trace = fil_hash(fil_bytes_make(words, sizeof(words)), 0);
}

static enum fil_op_outcome op_run(struct fil_op *base, struct fil_partition *partition)
{
    struct sim_op *op = FIL_CONTAINER_OF(base, struct sim_op, op);
    note(1, op);
    if (!op->has_run) {
        op->has_run = true;
        uint32_t *last = &world.last_number[op->caller][partition->id][base->is_priority ? 1 : 0];
        assert_true(op->number > *last);
        *last = op->number;
    }
    switch (op->kind) {
    case SLICED:
        op->slices--;
        return op->slices > 0 ? FIL_OP_AGAIN : FIL_OP_DONE;
    case WAITER:
        if (world.tokens[partition->id] == 0) {
            base->error = fil_partition_park(partition, base, 1);
            return base->error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
        }
        world.tokens[partition->id]--;
        return FIL_OP_DONE;
    case GIVER:
        world.tokens[partition->id]++;
        (void)fil_partition_notify(partition, 1, 1);
        return FIL_OP_DONE;
    case PLAIN:
    case KIND_COUNT:
    default:
        return FIL_OP_DONE;
    }
}

static void op_complete(struct fil_op *base, struct fil_runner *runner)
{
    (void)runner;
    struct sim_op *op = FIL_CONTAINER_OF(base, struct sim_op, op);
    note((uint32_t)(2 - base->error), op);
    op->complete_count++;
    world.completed++;
}

static const struct fil_op_type quick_type = {
    .name = "quick", .run = op_run, .complete = op_complete};
static const struct fil_op_type slow_type = {
    .name = "slow", .run = op_run, .complete = op_complete, .is_slow = true};

/** A caller's turn: mostly submits one operation, sometimes cancels an earlier one. */
static uint32_t caller_cycle(void *context)
{
    struct sim_caller *caller = context;
    struct fil_prng *prng = &caller->prng;
    if (caller->sent == OPS) {
        return 0;
    }
    if (caller->sent > 0 && fil_prng_chance(prng, 0.1)) {
        struct sim_op *earlier = &caller->ops[fil_prng_below(prng, caller->sent)];
        fil_exec_cancel(world.exec, &earlier->op, &caller->runner);
        return 1;
    }
    struct sim_op *op = &caller->ops[caller->sent];
    fil_op_init(&op->op, fil_prng_chance(prng, 0.3) ? &slow_type : &quick_type,
                (fil_partition_id)fil_prng_below(prng, PARTITIONS));
    op->op.is_priority = fil_prng_chance(prng, 0.15);
    op->kind = (enum sim_kind)fil_prng_below(prng, KIND_COUNT);
    op->caller = caller->index;
    op->slices = 1 + (uint32_t)fil_prng_below(prng, 5);
    if (op->kind == WAITER) {
        op->op.deadline_ns = world.sim.now_ns + fil_prng_below(prng, 50000000);
    }
    caller->sent++;
    op->number = caller->sent;
    note(0, op);
    fil_exec_submit(world.exec, &op->op, &caller->runner);
    return 1;
}

static uint32_t stage_cycle(void *context) FIL_BEFORE_SHARING
{
    struct fil_partition_stage *stage = context;
    fil_role_enter(&fil_role_partition);
    return fil_partition_stage_cycle(stage);
}

static uint32_t alarm_cycle(void *context) FIL_BEFORE_SHARING
{
    struct fil_alarm *alarm = context;
    fil_role_enter(&fil_role_partition);
    uint32_t moved = fil_alarm_cycle(alarm);
    uint64_t next_ns = fil_alarm_next_ns(alarm);
    fil_sim_timer_cancel(&world.timer);
    if (next_ns != FIL_WHEEL_NEVER) {
        fil_sim_timer_set(&world.sim, &world.timer, next_ns);
    }
    return moved;
}

static bool is_complete(void *context)
{
    (void)context;
    return world.completed == CALLERS * OPS;
}

static void make_world(uint64_t seed)
{
    struct fil_prng prng;
    fil_prng_init(&prng, seed);
    memset(&world, 0, sizeof(world));
    struct fil_sim_options faults = {.cycle_ns = {.min = 0, .max = 3000000}};
    faults.chance[FIL_SIM_FAULT_CYCLE_SKIPPED] = 0.2;
    assert_int_equal(fil_sim_init(&world.sim, seed, &faults), FIL_OK);
    fil_budget_init(&world.budget, UINT64_MAX);
    struct fil_exec_options options = {
        .env = &world.sim.env,
        .budget = &world.budget,
        .partition_count = PARTITIONS,
        .thread_count = 1 + (uint32_t)fil_prng_below(&prng, STAGES_MAX),
        .has_caller_runs = fil_prng_chance(&prng, 0.5),
        .has_stealing = fil_prng_chance(&prng, 0.5),
        .has_batching = fil_prng_chance(&prng, 0.5),
        .has_wake_suppression = true,
    };
    assert_int_equal(fil_exec_new(&world.exec, &options), FIL_OK);
    for (uint32_t i = 0; i < CALLERS; i++) {
        world.callers[i].index = i;
        fil_prng_init(&world.callers[i].prng, seed + i + 1);
        fil_runner_init(&world.callers[i].runner, world.exec, "caller");
    }
}

/** Runs what the last operations have left: tickets that are stale, deadlines that are over. */
static void settle(const struct fil_sim_cycle *cycles, uint32_t count)
{
    struct fil_sim_until until = {.time_max_ns = UINT64_C(1000000000)};
    assert_int_equal(fil_sim_run(&world.sim, cycles, count, &until), FIL_OK);
}

/** Plays a seed; returns the hash of what has happened. */
static uint64_t play(uint64_t seed)
{
    make_world(seed);
    struct fil_sim_cycle cycles[1 + CALLERS + STAGES_MAX];
    fil_sim_timer_init(&world.timer);
    cycles[0] = (struct fil_sim_cycle){.cycle = alarm_cycle, .context = fil_exec_alarm(world.exec)};
    uint32_t count = 1;
    for (uint32_t i = 0; i < CALLERS; i++) {
        cycles[count] = (struct fil_sim_cycle){.cycle = caller_cycle, .context = &world.callers[i]};
        count++;
    }
    for (uint32_t i = 0; i < fil_exec_stage_count(world.exec); i++) {
        cycles[count] =
            (struct fil_sim_cycle){.cycle = stage_cycle, .context = fil_exec_stage(world.exec, i)};
        count++;
    }
    struct fil_sim_until until = {.is_met = is_complete};
    int error = fil_sim_run(&world.sim, cycles, count, &until);
    if (error != FIL_OK) {
        fail_msg("seed %llu: %s after %u completions", (unsigned long long)seed,
                 fil_error_name(error), world.completed);
    }
    settle(cycles, count);
    for (uint32_t i = 0; i < CALLERS * OPS; i++) {
        assert_int_equal(world.callers[i / OPS].ops[i % OPS].complete_count, 1);
    }
    fil_sim_timer_cancel(&world.timer);
    fil_exec_free(world.exec);
    fil_sim_fini(&world.sim);
    return world.trace;
}

static void test_same_seed_gives_the_same_run(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        uint64_t trace = play(seed);
        assert_true(play(seed) == trace);
        assert_true(play(seed + 1000) != trace);
    }
}

static void test_every_seed_completes_all(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        (void)play(seed);
        assert_int_equal(world.completed, CALLERS * OPS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_seed_gives_the_same_run),
        cmocka_unit_test(test_every_seed_completes_all),
    };
    return cmocka_run_group_tests_name("exec_sim", tests, NULL, NULL);
}
