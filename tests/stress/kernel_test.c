// SPDX-License-Identifier: Apache-2.0
/**
 * The kernel under real threads: rounds with drawn partition counts, thread counts and switches, in
 * which several callers, and operations from inside, send each other's partitions operations of all
 * kinds: plain, sliced, with priority, parking, notifying, expiring, cancelled, abandoned, and some
 * that hold a partition thread so long that the alarm has to step in. A caller is now an
 * application's thread (fil_exec_submit), now an I/O loop in a turn (fil_turn): it runs some in
 * place, holds a partition twice, hands others over grouped.
 * Promises: nobody is ever alone in thinking that it is alone in a partition (the data is plain
 * memory, the thread sanitizer watches it); nothing of one sender is overtaken; every operation
 * completes exactly once; all counters, also the kernel's own, are exact in the end.
 *
 * `stress_kernel 10000000 7` plays ten million operations from seed 7; otherwise a million
 * from seed 1.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/exec/exec.h"
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/prng.h"
#include "lib/os/env.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define CALLERS_MAX      4U
#define PARTITIONS_MAX   300U
#define WINDOW           128U  // operations of one caller under way
#define ROUND_OPS        2500U // of one caller
#define KEYS             3U
#define SENDERS          (CALLERS_MAX + 1U) // the last one: operations
#define DEADLINE_NS_MAX  UINT64_C(4000000)
#define TURN_OPS_MAX     24U // an I/O loop's, in one turn
#define HOLD_NS          (2 * FIL_ALARM_PATIENCE_NS)
#define DEFAULT_OP_COUNT 1000000U

enum stress_kind {
    PLAIN,
    SLICED,
    WAITER,
    GIVER,
    POSTER, // submits another one from inside
    KIND_COUNT,
    HOLDER, // takes long; rare, and always declared slow
};

struct stress_op {
    struct fil_op op;
    enum stress_kind kind;
    uint32_t caller;
    uint32_t number; // among those of its sender; 0: not checked for order
    uint32_t slices;
    uint64_t key;
    bool has_run;
    uint32_t run_count;
    struct stress_op *posted; // a poster's
    _Atomic bool is_done;     // released by complete, read by its caller
};

/** One partition's data: only the one inside touches it. */
struct cell {
    uint64_t run_count;
    uint64_t complete_count;
    uint32_t tokens[KEYS];
    uint32_t last_number[CALLERS_MAX][2];
} __attribute__((aligned(64)));

struct results {
    uint64_t submitted;
    uint64_t done;
    uint64_t timed_out;
    uint64_t cancelled;
    uint64_t stopped;
};

struct caller {
    uint32_t index;
    struct fil_prng prng;
    struct fil_turn turn;
    struct fil_thread thread;
    struct stress_op ops[WINDOW];
    struct stress_op posted[WINDOW];
    bool is_used[WINDOW];
    uint32_t open; // slots that are used
    uint32_t number;
    uint32_t sent;
    struct results results;
};

static struct round {
    struct fil_exec *exec;
    struct fil_budget budget;
    uint32_t partition_count;
    uint32_t caller_count;
    struct cell cells[PARTITIONS_MAX];
    struct caller *callers[CALLERS_MAX];
} now;

static struct stress_op *stress_op_of(struct fil_op *op)
{
    return FIL_CONTAINER_OF(op, struct stress_op, op);
}

// Operations.

static void check_order(struct stress_op *op, struct cell *cell)
{
    if (op->number == 0) {
        return;
    }
    uint32_t *last = &cell->last_number[op->caller][op->op.is_priority ? 1 : 0];
    fil_assert(op->number > *last);
    *last = op->number;
}

static enum fil_op_outcome wait_for_token(struct stress_op *op, struct fil_partition *partition,
                                          struct cell *cell)
{
    if (cell->tokens[op->key] > 0) {
        cell->tokens[op->key]--;
        return FIL_OP_DONE;
    }
    op->op.error = fil_partition_park(partition, &op->op, op->key);
    return op->op.error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
}

static void hold_thread(void)
{
    uint64_t end_ns = fil_env_now_ns(fil_env_real()) + HOLD_NS;
    while (fil_env_now_ns(fil_env_real()) < end_ns) {
        fil_thread_yield();
    }
}

static enum fil_op_outcome act(struct stress_op *op, struct fil_partition *partition,
                               struct cell *cell)
{
    switch (op->kind) {
    case SLICED:
        op->slices--;
        return op->slices > 0 ? FIL_OP_AGAIN : FIL_OP_DONE;
    case WAITER:
        return wait_for_token(op, partition, cell);
    case GIVER:
        cell->tokens[op->key]++;
        (void)fil_partition_notify(partition, op->key, 1);
        return FIL_OP_DONE;
    case POSTER:
        fil_exec_submit(now.exec, &op->posted->op, partition->runner);
        return FIL_OP_DONE;
    case HOLDER:
        hold_thread();
        return FIL_OP_DONE;
    case PLAIN:
    case KIND_COUNT:
    default:
        return FIL_OP_DONE;
    }
}

static enum fil_op_outcome op_run(struct fil_op *base, struct fil_partition *partition)
{
    struct stress_op *op = stress_op_of(base);
    struct cell *cell = &now.cells[partition->id];
    cell->run_count++;
    op->run_count++;
    if (!op->has_run) {
        op->has_run = true;
        check_order(op, cell);
    }
    return act(op, partition, cell);
}

static void op_complete(struct fil_op *base, struct fil_runner *runner)
{
    (void)runner;
    struct stress_op *op = stress_op_of(base);
    now.cells[base->partition_id].complete_count++;
    bool was_done = atomic_exchange_explicit(&op->is_done, true, memory_order_release);
    fil_assert(!was_done);
}

static const struct fil_op_type quick_type = {
    .name = "quick", .run = op_run, .complete = op_complete};
static const struct fil_op_type slow_type = {
    .name = "slow", .run = op_run, .complete = op_complete, .is_slow = true};

// Callers.

static void draw_op(struct caller *caller, struct stress_op *op)
{
    struct fil_prng *prng = &caller->prng;
    fil_partition_id id = (fil_partition_id)fil_prng_below(prng, now.partition_count);
    fil_op_init(&op->op, fil_prng_chance(prng, 0.3) ? &slow_type : &quick_type, id);
    op->op.is_priority = fil_prng_chance(prng, 0.1);
    op->kind =
        fil_prng_chance(prng, 0.5) ? PLAIN : (enum stress_kind)fil_prng_below(prng, KIND_COUNT);
    op->caller = caller->index;
    op->number = 0;
    op->slices = 1 + (uint32_t)fil_prng_below(prng, 4);
    op->key = fil_prng_below(prng, KEYS);
    op->has_run = false;
    op->run_count = 0;
    op->posted = NULL;
    if (fil_prng_chance(prng, 0.0003)) {
        op->kind = HOLDER;
        op->op.type = &slow_type;
    }
    if (op->kind == WAITER || fil_prng_chance(prng, 0.02)) {
        op->op.deadline_ns = fil_env_now_ns(fil_env_real()) + fil_prng_below(prng, DEADLINE_NS_MAX);
    }
    atomic_store_explicit(&op->is_done, false, memory_order_relaxed);
}

/** The next operation, in a slot of its own. */
static struct stress_op *next_op(struct caller *caller, uint32_t slot)
{
    struct stress_op *op = &caller->ops[slot];
    caller->is_used[slot] = true;
    caller->open++;
    draw_op(caller, op);
    caller->number++;
    op->number = caller->number;
    if (op->kind == POSTER) {
        op->posted = &caller->posted[slot];
        draw_op(caller, op->posted);
        op->posted->kind = PLAIN;
    }
    caller->results.submitted++;
    caller->sent++;
    return op;
}

static void cancel_some(struct caller *caller, struct stress_op *op)
{
    // It may have ended, but its memory is ours until we take it back below.
    if (fil_prng_chance(&caller->prng, 0.015)) {
        fil_exec_cancel(now.exec, &op->op, &caller->turn.runner);
    } else if (fil_prng_chance(&caller->prng, 0.015)) {
        fil_exec_abandon(now.exec, &op->op, &caller->turn.runner);
    }
}

/** As a loop runs commands: without the runner's help, perhaps in a partition that it holds. */
static bool run_by_hand(struct caller *caller, struct stress_op *op) FIL_RUNS_ON(io)
{
    struct fil_turn *turn = &caller->turn;
    bool may_wait = op->kind == WAITER || op->kind == SLICED || op->op.type->is_slow;
    struct fil_partition *partition = may_wait ? NULL : fil_turn_enter(turn, op->op.partition_id);
    if (partition == NULL) {
        return false;
    }
    if (fil_prng_chance(&caller->prng, 0.2)) {
        struct fil_partition *again = fil_turn_enter(turn, op->op.partition_id);
        fil_assert(again == partition);
        fil_turn_step_out(turn, again);
    }
    enum fil_op_outcome outcome = op_run(&op->op, partition);
    fil_assert(outcome == FIL_OP_DONE);
    op_complete(&op->op, &turn->runner);
    fil_turn_leave(turn, partition);
    return true;
}

static void send_in_turn(struct caller *caller, struct stress_op *op) FIL_RUNS_ON(io)
{
    switch (fil_prng_below(&caller->prng, 3)) {
    case 0:
        fil_turn_stage(&caller->turn, &op->op);
        break;
    case 1:
        fil_turn_submit(&caller->turn, &op->op);
        break;
    default:
        if (!run_by_hand(caller, op)) {
            fil_turn_stage(&caller->turn, &op->op);
        }
        break;
    }
}

/** A free slot from that one on; WINDOW: there is none. */
static uint32_t free_slot(const struct caller *caller, uint32_t slot)
{
    while (slot < WINDOW && caller->is_used[slot]) {
        slot++;
    }
    return slot;
}

static void play_turn(struct caller *caller) FIL_RUNS_ON(io)
{
    uint32_t count = 1 + (uint32_t)fil_prng_below(&caller->prng, TURN_OPS_MAX);
    uint32_t slot = free_slot(caller, 0);
    fil_turn_begin(&caller->turn, fil_env_now_ns(fil_env_real()));
    while (count > 0 && slot < WINDOW && caller->sent < ROUND_OPS) {
        struct stress_op *op = next_op(caller, slot);
        send_in_turn(caller, op);
        cancel_some(caller, op);
        slot = free_slot(caller, slot + 1);
        count--;
    }
    fil_turn_end(&caller->turn);
}

static void send_one(struct caller *caller)
{
    uint32_t slot = free_slot(caller, 0);
    if (slot < WINDOW && caller->sent < ROUND_OPS) {
        struct stress_op *op = next_op(caller, slot);
        fil_exec_submit(now.exec, &op->op, &caller->turn.runner);
        cancel_some(caller, op);
    }
}

static void count_result(struct caller *caller, const struct stress_op *op)
{
    struct results *results = &caller->results;
    switch (op->op.error) {
    case FIL_OK:
        fil_assert(op->run_count > 0);
        results->done++;
        break;
    case FIL_E_TIMEOUT:
        fil_assert(op->op.deadline_ns != FIL_OP_NO_DEADLINE);
        results->timed_out++;
        break;
    case FIL_E_CANCELLED:
        results->cancelled++;
        break;
    default:
        fil_assert(op->op.error == FIL_E_STOPPING);
        results->stopped++;
        break;
    }
}

static bool is_done(struct stress_op *op)
{
    return atomic_load_explicit(&op->is_done, memory_order_acquire);
}

/** Takes the operation in the slot back if it has ended, with the one it has posted. */
static bool take_back(struct caller *caller, uint32_t slot)
{
    struct stress_op *op = &caller->ops[slot];
    if (!is_done(op)) {
        return false;
    }
    bool has_posted = op->posted != NULL && op->run_count > 0;
    if (has_posted && !is_done(op->posted)) {
        return false;
    }
    count_result(caller, op);
    if (has_posted) {
        caller->results.submitted++;
        count_result(caller, op->posted);
    }
    return true;
}

static void take_all_back(struct caller *caller)
{
    for (uint32_t slot = 0; slot < WINDOW; slot++) {
        if (caller->is_used[slot] && take_back(caller, slot)) {
            caller->is_used[slot] = false;
            caller->open--;
        }
    }
}

static void run_caller(void *context)
{
    struct caller *caller = context;
    fil_role_enter(&fil_role_io);
    fil_role_assert_io();
    fil_turn_enter_thread(&caller->turn);
    while (caller->sent < ROUND_OPS || caller->open > 0) {
        take_all_back(caller);
        if (fil_prng_chance(&caller->prng, 0.3)) {
            play_turn(caller);
        } else {
            send_one(caller);
        }
        if (caller->open > WINDOW / 2 || caller->sent == ROUND_OPS) {
            fil_thread_yield();
        }
    }
}

// Rounds.

static void draw_options(struct fil_exec_options *options, struct fil_prng *prng)
{
    static const uint32_t partition_counts[] = {1, 2, 3, 7, 16, 65, 271, PARTITIONS_MAX};
    *options = (struct fil_exec_options){
        .env = fil_env_real(),
        .budget = &now.budget,
        .partition_count = partition_counts[fil_prng_below(prng, FIL_COUNT_OF(partition_counts))],
        .thread_count = 1 + (uint32_t)fil_prng_below(prng, 6),
        .idle = fil_prng_chance(prng, 0.5) ? FIL_IDLE_KIND_BLOCK : FIL_IDLE_KIND_BACKOFF,
        .has_caller_runs = fil_prng_chance(prng, 0.7),
        .has_stealing = fil_prng_chance(prng, 0.7),
        .has_batching = fil_prng_chance(prng, 0.7),
        .has_wake_suppression = fil_prng_chance(prng, 0.8),
        .has_write_through = true,
        .caller_budget_ns = fil_prng_below(prng, 1000000),
    };
    now.partition_count = options->partition_count;
    now.caller_count = 1 + (uint32_t)fil_prng_below(prng, CALLERS_MAX);
}

static void begin_round(uint64_t round_seed) FIL_BEFORE_SHARING
{
    struct fil_prng prng;
    fil_prng_init(&prng, round_seed);
    memset(&now, 0, sizeof(now));
    fil_budget_init(&now.budget, UINT64_MAX);
    struct fil_exec_options options;
    draw_options(&options, &prng);
    assert_int_equal(fil_exec_new(&now.exec, &options), FIL_OK);
    assert_int_equal(fil_exec_start(now.exec), FIL_OK);
    for (uint32_t i = 0; i < now.caller_count; i++) {
        struct caller *caller = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(*caller));
        assert_non_null(caller);
        caller->index = i;
        fil_prng_init(&caller->prng, round_seed ^ ((uint64_t)(i + 1) << 32));
        assert_int_equal(fil_turn_init(&caller->turn, now.exec, "caller", NULL), FIL_OK);
        now.callers[i] = caller;
    }
}

/** Parks an operation without a deadline in each partition: the stop has to end it. */
static void park_some(struct caller *caller)
{
    for (uint32_t i = 0; i < now.partition_count && i < WINDOW; i++) {
        struct stress_op *op = &caller->ops[i];
        draw_op(caller, op);
        op->op.partition_id = i;
        op->op.deadline_ns = FIL_OP_NO_DEADLINE;
        op->kind = WAITER;
        op->key = 0;
        now.cells[i].tokens[0] = 0; // everybody else has ended
        caller->results.submitted++;
        fil_exec_submit(now.exec, &op->op, &caller->turn.runner);
    }
}

static void take_back_parked(struct caller *caller)
{
    for (uint32_t i = 0; i < now.partition_count && i < WINDOW; i++) {
        assert_true(take_back(caller, i));
        assert_int_equal(caller->ops[i].op.error, FIL_E_STOPPING);
    }
}

static uint64_t relief_count; // of all rounds

static void add_runner(const struct fil_runner *runner, uint64_t *out_sums)
{
    out_sums[0] += fil_counter_read(&runner->stats.runs);
    out_sums[1] += fil_counter_read(&runner->stats.caller_runs);
    out_sums[2] += fil_counter_read(&runner->stats.handed_over);
    out_sums[3] += fil_counter_read(&runner->stats.expiries);
    assert_int_equal(runner->depth, 0);
    assert_false(runner->owes_wakes);
}

/** What was counted in partitions, by callers and by the kernel must agree. */
static void check_counters(void)
{
    uint64_t runs = 0;
    uint64_t completes = 0;
    for (uint32_t i = 0; i < now.partition_count; i++) {
        runs += now.cells[i].run_count;
        completes += now.cells[i].complete_count;
    }
    struct results sum = {0};
    uint64_t kernel[4] = {0};
    for (uint32_t i = 0; i < now.caller_count; i++) {
        const struct results *results = &now.callers[i]->results;
        sum.submitted += results->submitted;
        sum.done += results->done;
        sum.timed_out += results->timed_out;
        sum.cancelled += results->cancelled;
        sum.stopped += results->stopped;
        add_runner(&now.callers[i]->turn.runner, kernel);
    }
    const struct fil_alarm *alarm = fil_exec_alarm(now.exec);
    add_runner(&alarm->runner, kernel);
    relief_count += fil_counter_read(&alarm->reliefs);
    for (uint32_t i = 0; i < fil_exec_stage_count(now.exec); i++) {
        add_runner(&fil_exec_stage(now.exec, i)->runner, kernel);
    }
    assert_int_equal(completes, sum.submitted);
    assert_int_equal(sum.done + sum.timed_out + sum.cancelled + sum.stopped, sum.submitted);
    assert_int_equal(kernel[0], runs);
    assert_int_equal(kernel[1] + kernel[2], sum.submitted);
    assert_int_equal(kernel[3], sum.timed_out);
}

static void run_callers(void)
{
    for (uint32_t i = 0; i < now.caller_count; i++) {
        struct caller *caller = now.callers[i];
        assert_int_equal(fil_thread_start(&caller->thread, "caller", run_caller, caller), FIL_OK);
    }
    for (uint32_t i = 0; i < now.caller_count; i++) {
        fil_thread_join(&now.callers[i]->thread);
    }
}

static void end_turns(void) FIL_BEFORE_SHARING
{
    for (uint32_t i = 0; i < now.caller_count; i++) {
        fil_turn_fini(&now.callers[i]->turn);
    }
}

static uint64_t check_round(uint64_t round_seed)
{
    begin_round(round_seed);
    run_callers();
    // The partitions' data is handed to this thread by the completions that the callers have seen.
    park_some(now.callers[0]);
    fil_exec_stop(now.exec);
    take_back_parked(now.callers[0]);
    check_counters();
    end_turns();
    fil_exec_free(now.exec);
    uint64_t count = 0;
    for (uint32_t i = 0; i < now.caller_count; i++) {
        count += now.callers[i]->results.submitted;
        fil_free(now.callers[i]);
    }
    return count;
}

// What the command line asks for.
static uint64_t wanted = DEFAULT_OP_COUNT;
static uint64_t seed = 1;

static void test_all_is_done_once_in_order_and_counted(void **state)
{
    (void)state;
    uint64_t count = 0;
    uint64_t round = 0;
    while (count < wanted) {
        count += check_round(seed + round);
        round++;
    }
    print_message("%" PRIu64 " operations in %" PRIu64 " rounds from seed %" PRIu64 ", %" PRIu64
                  " times by the alarm\n",
                  count, round, seed, relief_count);
}

int main(int argc, char **argv)
{
    wanted = argc > 1 ? strtoull(argv[1], NULL, 10) : wanted;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : seed;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_is_done_once_in_order_and_counted),
    };
    return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
