// SPDX-License-Identifier: Apache-2.0
/**
 * Each case is a kernel of one to three partition threads, real ones with their loops, parking and
 * stop, and where there are deadlines the alarm's; up to three callers with a script each; and
 * operations that check what the protocol promises: nobody else is inside, per sender and partition
 * nothing is overtaken, each operation completes exactly once with an expected result. When all
 * have completed, one actor stops the kernel, and the partitions must be idle with nothing in them.
 */
#include "tests/interleave/suite.h"

#include <string.h>

#include "core/exec/exec.h"
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/net/connection.h"
#include "lib/os/env.h"

#define OPS_MAX        6U
#define CALLERS_MAX    3U
#define ACTIONS_MAX    5U
#define PARTITIONS_MAX 5U
#define KEY            7U
#define TICK_NS        (UINT64_C(1) << FIL_WHEEL_TICK_SHIFT)

enum op_kind {
    NO_OP,
    PLAIN,
    SLICED,  // does two slices
    WAITER,  // parks until the partition has a token, and takes it
    GIVER,   // puts a token and notifies
    POSTER,  // submits the operation behind it in the plan
    BLOCKER, // parks for good: only a deadline, a cancel or the stop ends it
    GATE,    // goes on when the callers have ended; what waits elsewhere must be in its queues
    STUCK,   // goes on when the operation behind it in the plan has completed
};

struct op_plan {
    enum op_kind kind;
    fil_partition_id partition_id;
    bool is_priority;
    bool is_slow;
    bool must_run;        // also when it ends with the other result
    uint64_t deadline_ns; // from the start; 0: none
    int other_result;     // besides FIL_OK
};

enum action_kind {
    NO_ACTION,
    SUBMIT,
    TURN, // this operation and the next, as an I/O loop does it
    CANCEL,
    ABANDON,
    ADVANCE, // the clock, by two ticks
};

struct action {
    enum action_kind kind;
    uint32_t op;
};

struct kernel_case {
    const char *name;
    uint32_t partition_count;
    uint32_t thread_count;
    bool has_caller_runs;
    bool has_stealing;
    bool has_no_batching;
    bool has_store_buffers;
    bool has_jumps;             // a script moves the clock, else it moves when everybody sleeps
    bool is_relieved;           // nobody but the alarm can see to a deadline
    bool stops_at_once;         // as soon as all is submitted, not when all has completed
    uint32_t interruptions_max; // 0: any number
    struct op_plan ops[OPS_MAX];
    struct action scripts[CALLERS_MAX][ACTIONS_MAX];
};

struct kernel_op {
    struct fil_op op;
    const struct op_plan *plan;
    uint32_t sender;
    uint32_t number;
    uint32_t slices;
    bool has_run;
    bool has_completed;
};

static struct world {
    const struct kernel_case *now;
    struct fil_exec *exec;
    uint32_t op_count;
    uint32_t completed_count;
    uint32_t caller_count; // that have not ended
    bool has_rested;       // everything was done and everybody slept
    struct kernel_op ops[OPS_MAX];
    uint32_t inside[PARTITIONS_MAX];
    uint32_t data[PARTITIONS_MAX]; // touched, to let others come between
    uint32_t tokens[PARTITIONS_MAX];
    uint32_t last_number[CALLERS_MAX + 1][PARTITIONS_MAX][2];
    uint32_t numbers[CALLERS_MAX + 1];
    struct fil_turn turns[CALLERS_MAX];
} world;

// The kernel writes to no connection here.

void fil_connection_notify(struct fil_connection *connection, struct fil_pool *pool)
{
    (void)connection;
    (void)pool;
    fil_explorer_fail("a connection was written to");
}

void fil_connection_attend(struct fil_connection *connection)
{
    (void)connection;
    fil_explorer_fail("a connection was attended to");
}

void fil_connection_release(struct fil_connection *connection)
{
    (void)connection;
    fil_explorer_fail("a connection was released");
}

static uint64_t now_ns(struct fil_env *env)
{
    (void)env;
    return fil_explorer_now_ns();
}

static const struct fil_env_ops env_ops = {.now_ns = now_ns};
static struct fil_env env = {.ops = &env_ops};
static struct fil_budget budget; // nothing is drawn from it

// Operations.

static struct kernel_op *kernel_op_of(struct fil_op *op)
{
    return FIL_CONTAINER_OF(op, struct kernel_op, op);
}

static void go_inside(fil_partition_id id)
{
    if (world.inside[id] != 0) {
        fil_explorer_fail("two threads are inside partition %u", id);
    }
    world.inside[id] = 1;
    fil_explorer_touch(&world.data[id]);
}

static void go_outside(fil_partition_id id)
{
    fil_explorer_touch(&world.data[id]);
    world.inside[id] = 0;
}

static void number_op(struct kernel_op *op, uint32_t sender)
{
    world.numbers[sender]++;
    op->sender = sender;
    op->number = world.numbers[sender];
}

static void check_order(struct kernel_op *op)
{
    uint32_t *last =
        &world.last_number[op->sender][op->op.partition_id][op->op.is_priority ? 1 : 0];
    if (op->number <= *last) {
        fil_explorer_fail("operation %u of sender %u was overtaken", op->number, op->sender);
    }
    *last = op->number;
}

static enum fil_op_outcome park(struct kernel_op *op, struct fil_partition *partition)
{
    op->op.error = fil_partition_park(partition, &op->op, KEY);
    return op->op.error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
}

static bool have_callers_ended(void *context)
{
    (void)context;
    return world.caller_count == 0;
}

static bool has_completed(void *context)
{
    return ((struct kernel_op *)context)->has_completed;
}

/** Nobody but this thread is active: a partition that waits for it must have its tickets. */
static void check_tickets(const struct fil_partition_stage *home)
{
    for (uint32_t i = 0; i < world.now->partition_count; i++) {
        struct fil_partition *partition = fil_exec_partition(world.exec, i);
        uint64_t bit = UINT64_C(1) << (i / world.now->thread_count);
        if (world.inside[i] != 0) {
            continue;
        }
        if (partition->priority_mail.top != NULL && (home->urgent_tickets.words[0] & bit) == 0) {
            fil_explorer_fail("partition %u has a priority operation and no urgent ticket", i);
        }
        if (partition->mail.top != NULL && (home->tickets.words[0] & bit) == 0) {
            fil_explorer_fail("partition %u has mail and no ticket", i);
        }
    }
}

static enum fil_op_outcome act(struct kernel_op *op, struct fil_partition *partition)
{
    uint32_t *tokens = &world.tokens[partition->id];
    switch (op->plan->kind) {
    case SLICED:
        op->slices++;
        return op->slices < 2 ? FIL_OP_AGAIN : FIL_OP_DONE;
    case WAITER:
        if (*tokens == 0) {
            return park(op, partition);
        }
        (*tokens)--;
        return FIL_OP_DONE;
    case GIVER:
        (*tokens)++;
        (void)fil_partition_notify(partition, KEY, 1);
        return FIL_OP_DONE;
    case POSTER:
        number_op(op + 1, CALLERS_MAX);
        fil_exec_submit(world.exec, &op[1].op, partition->runner);
        return FIL_OP_DONE;
    case BLOCKER:
        return park(op, partition);
    case GATE:
        fil_explorer_wait_until(have_callers_ended, NULL);
        check_tickets(fil_exec_stage(world.exec, partition->home));
        return FIL_OP_DONE;
    case STUCK:
        fil_explorer_wait_until(has_completed, op + 1);
        return FIL_OP_DONE;
    case NO_OP:
    case PLAIN:
    default:
        return FIL_OP_DONE;
    }
}

static enum fil_op_outcome op_run(struct fil_op *base, struct fil_partition *partition)
{
    struct kernel_op *op = kernel_op_of(base);
    if (op->has_completed) {
        fil_explorer_fail("operation %u of sender %u runs after its end", op->number, op->sender);
    }
    go_inside(partition->id);
    if (!op->has_run) {
        op->has_run = true;
        check_order(op);
    }
    enum fil_op_outcome outcome = act(op, partition);
    go_outside(partition->id);
    return outcome;
}

/** Whether the operation has expired later than the clock's jumps, if there are any, explain. */
static bool is_late(const struct fil_op *op)
{
    uint64_t limit_ns = op->deadline_ns + TICK_NS;
    limit_ns += world.now->is_relieved ? FIL_ALARM_PATIENCE_NS : 0;
    return op->error == FIL_E_TIMEOUT && !world.now->has_jumps && fil_explorer_now_ns() > limit_ns;
}

static void op_complete(struct fil_op *base, struct fil_runner *runner)
{
    (void)runner;
    struct kernel_op *op = kernel_op_of(base);
    go_inside(base->partition_id);
    if (op->has_completed) {
        fil_explorer_fail("operation %u of sender %u completes twice", op->number, op->sender);
    }
    bool is_expected =
        base->error == FIL_OK ? op->plan->kind != BLOCKER : base->error == op->plan->other_result;
    bool had_to_run = base->error == FIL_OK || op->plan->must_run;
    is_expected = is_expected && (op->has_run || !had_to_run);
    if (!is_expected) {
        fil_explorer_fail("operation %u of sender %u ends with %d", op->number, op->sender,
                          base->error);
    }
    if (is_late(base)) {
        fil_explorer_fail("operation %u of sender %u expires too late", op->number, op->sender);
    }
    op->has_completed = true;
    go_outside(base->partition_id);
    world.completed_count++;
}

static const struct fil_op_type quick_type = {
    .name = "quick", .run = op_run, .complete = op_complete};
static const struct fil_op_type slow_type = {
    .name = "slow", .run = op_run, .complete = op_complete, .is_slow = true};

// Actors.

/** As an I/O loop: in place when the partition is free, else staged until the turn ends. */
static void run_or_stage(struct fil_turn *turn, struct kernel_op *op) FIL_RUNS_ON(io)
{
    struct fil_partition *partition = fil_turn_enter(turn, op->op.partition_id);
    if (partition == NULL) {
        fil_turn_stage(turn, &op->op);
        return;
    }
    enum fil_op_outcome outcome = op_run(&op->op, partition);
    fil_assert(outcome == FIL_OP_DONE);
    op_complete(&op->op, &turn->runner);
    fil_turn_leave(turn, partition);
}

static void play_turn(struct fil_turn *turn, uint32_t sender, struct kernel_op *first)
    FIL_RUNS_ON(io)
{
    fil_turn_begin(turn, fil_explorer_now_ns());
    for (uint32_t i = 0; i < 2; i++) {
        number_op(&first[i], sender);
        run_or_stage(turn, &first[i]);
    }
    fil_turn_end(turn);
}

static void play_action(struct fil_turn *turn, uint32_t sender, const struct action *action)
{
    struct kernel_op *op = &world.ops[action->op];
    switch (action->kind) {
    case SUBMIT:
        number_op(op, sender);
        fil_exec_submit(world.exec, &op->op, &turn->runner);
        break;
    case TURN:
        fil_role_enter(&fil_role_io);
        fil_role_assert_io();
        play_turn(turn, sender, op);
        break;
    case CANCEL:
        fil_exec_cancel(world.exec, &op->op, &turn->runner);
        break;
    case ABANDON:
        fil_exec_abandon(world.exec, &op->op, &turn->runner);
        break;
    case ADVANCE:
        fil_explorer_advance(2 * TICK_NS);
        break;
    case NO_ACTION:
    default:
        break;
    }
}

static void run_script(void *context)
{
    struct fil_turn *turn = context;
    uint32_t sender = (uint32_t)(turn - world.turns);
    for (uint32_t i = 0; i < ACTIONS_MAX; i++) {
        play_action(turn, sender, &world.now->scripts[sender][i]);
    }
    world.caller_count--;
}

/** An operation may complete before its submit returns: the callers have to end as well. */
static bool may_stop(void *context)
{
    (void)context;
    return world.caller_count == 0 && (world.has_rested || world.now->stops_at_once);
}

static void stop(void *context)
{
    (void)context;
    fil_explorer_wait_until(may_stop, NULL);
    fil_exec_stop(world.exec);
}

// Worlds.

static void ignore_statistics(struct fil_runner *runner)
{
    fil_explorer_ignore(&runner->stats, sizeof(runner->stats));
    fil_explorer_ignore(&runner->current_count, sizeof(runner->current_count));
    fil_explorer_ignore(runner->notifies, sizeof(runner->notifies)); // never used here
}

static bool has_deadlines(const struct kernel_case *now)
{
    bool has = false;
    for (uint32_t i = 0; i < OPS_MAX; i++) {
        has = has || now->ops[i].deadline_ns > 0;
    }
    return has;
}

static void ignore_stage_statistics(struct fil_partition_stage *stage)
{
    ignore_statistics(&stage->runner);
    fil_explorer_ignore(&stage->parker.wake_count, sizeof(stage->parker.wake_count));
    fil_explorer_ignore(&stage->steals, sizeof(stage->steals));
    fil_explorer_ignore(&stage->parks, sizeof(stage->parks));
}

static void ignore_alarm_statistics(struct fil_alarm *alarm)
{
    ignore_statistics(&alarm->runner);
    fil_explorer_ignore(&alarm->parker.wake_count, sizeof(alarm->parker.wake_count));
    fil_explorer_ignore(&alarm->rings, sizeof(alarm->rings));
    fil_explorer_ignore(&alarm->reliefs, sizeof(alarm->reliefs));
}

static void ignore_partition_statistics(struct fil_partition *partition)
{
    fil_explorer_ignore(&partition->arrived, sizeof(partition->arrived));
    fil_explorer_ignore(&partition->taken, sizeof(partition->taken));
}

static void make_ops(const struct kernel_case *now)
{
    for (uint32_t i = 0; i < OPS_MAX && now->ops[i].kind != NO_OP; i++) {
        const struct op_plan *plan = &now->ops[i];
        struct kernel_op *op = &world.ops[i];
        fil_op_init(&op->op, plan->is_slow ? &slow_type : &quick_type, plan->partition_id);
        op->op.is_priority = plan->is_priority;
        if (plan->deadline_ns > 0) {
            op->op.deadline_ns = FIL_EXPLORER_START_NS + plan->deadline_ns;
        }
        op->plan = plan;
        world.op_count++;
    }
}

/** The alarm's thread only where there is something for it: it would sleep, in many more states. */
static void start_kernel(const struct kernel_case *now)
{
    int error = has_deadlines(now) ? fil_exec_start(world.exec) : FIL_OK;
    fil_assert(error == FIL_OK);
    for (uint32_t i = 0; !has_deadlines(now) && i < now->thread_count; i++) {
        error = fil_partition_stage_start(fil_exec_stage(world.exec, i));
        fil_assert(error == FIL_OK);
    }
}

static void make_kernel(const struct kernel_case *now)
{
    const struct fil_exec_options options = {
        .env = &env,
        .budget = &budget,
        .partition_count = now->partition_count,
        .thread_count = now->thread_count,
        .idle = FIL_IDLE_KIND_BLOCK,
        .has_caller_runs = now->has_caller_runs,
        .has_stealing = now->has_stealing,
        .has_batching = !now->has_no_batching,
        .has_wake_suppression = true,
    };
    fil_budget_init(&budget, UINT64_MAX);
    int error = fil_exec_new(&world.exec, &options);
    fil_assert(error == FIL_OK);
    for (uint32_t i = 0; i < now->thread_count; i++) {
        ignore_stage_statistics(fil_exec_stage(world.exec, i));
    }
    for (uint32_t i = 0; i < now->partition_count; i++) {
        ignore_partition_statistics(fil_exec_partition(world.exec, i));
    }
    ignore_alarm_statistics(fil_exec_alarm(world.exec));
    start_kernel(now);
}

static void set_up(void *context)
{
    static const char *const names[CALLERS_MAX] = {"caller-0", "caller-1", "caller-2"};
    const struct kernel_case *now = context;
    memset(&world, 0, sizeof(world));
    world.now = now;
    fil_explorer_track(&world, sizeof(world));
    make_ops(now);
    make_kernel(now);
    for (uint32_t i = 0; i < CALLERS_MAX && now->scripts[i][0].kind != NO_ACTION; i++) {
        int error = fil_turn_init(&world.turns[i], world.exec, names[i], NULL);
        fil_assert(error == FIL_OK);
        fil_explorer_ignore(&world.turns[i].in_place_ns, sizeof(world.turns[i].in_place_ns));
        world.caller_count++;
        (void)fil_explorer_add(names[i], run_script, &world.turns[i]);
    }
    for (uint32_t i = 0; i < CALLERS_MAX; i++) {
        ignore_statistics(&world.turns[i].runner);
    }
    (void)fil_explorer_add("stopper", stop, NULL);
}

static void check_partition(const struct fil_partition *partition)
{
    bool is_idle = partition->state == 0 && partition->chores == 0 && partition->runner == NULL;
    bool is_empty = partition->mail.top == NULL && partition->priority_mail.top == NULL &&
                    partition->line.first == NULL && partition->woken_line.first == NULL &&
                    partition->priority_line.first == NULL;
    if (!is_idle || !is_empty) {
        fil_explorer_fail("everybody sleeps, and partition %u is not idle and empty",
                          partition->id);
    }
    const struct fil_alarm *alarm = fil_exec_alarm(world.exec);
    if (partition->is_told && partition->parked_until_ns < alarm->sleeps_until_ns) {
        fil_explorer_fail("the alarm sleeps over a deadline of partition %u", partition->id);
    }
}

/** Everybody sleeps: all must be done, and nothing may be left for those who sleep. */
static bool rest(void *context)
{
    (void)context;
    if (world.completed_count < world.op_count || world.has_rested) {
        return false;
    }
    for (uint32_t i = 0; i < world.now->partition_count; i++) {
        check_partition(fil_exec_partition(world.exec, i));
    }
    for (uint32_t i = 0; i < world.now->thread_count; i++) {
        const struct fil_partition_stage *stage = fil_exec_stage(world.exec, i);
        if (stage->tickets.words[0] != 0 || stage->urgent_tickets.words[0] != 0) {
            fil_explorer_fail("partition thread %u sleeps and has work", i);
        }
    }
    world.has_rested = true;
    return true;
}

static void check(void *context)
{
    (void)context;
    if (world.completed_count != world.op_count) {
        fil_explorer_fail("%u of %u operations have completed", world.completed_count,
                          world.op_count);
    }
    fil_exec_free(world.exec); // asserts that every partition is idle and empty
}

#include "tests/interleave/kernel_cases.def"

static struct fil_explorer_result explore(const struct kernel_case *now)
{
    struct kernel_case copy = *now;
    return fil_explorer_run(&(struct fil_explorer_case){
        .name = now->name,
        .set_up = set_up,
        .rest = rest,
        .check = check,
        .context = &copy,
        .has_store_buffers = now->has_store_buffers,
        .interruptions_max = now->interruptions_max,
    });
}

const char fil_suite_name[] = "kernel";

uint32_t fil_suite_case_count(void)
{
    return FIL_COUNT_OF(cases);
}

const char *fil_suite_case_name(uint32_t index)
{
    return cases[index].name;
}

struct fil_explorer_result fil_suite_case_run(uint32_t index)
{
    return explore(&cases[index]);
}
