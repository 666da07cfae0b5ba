// SPDX-License-Identifier: Apache-2.0
/**
 * The kernel's promises: an idle partition's operation runs where it is submitted, any other is
 * handed to its home; nobody overtakes the mailbox; operations that submit operations do not pile
 * up on the stack; a turn ends when its operations take long, and each is held against the time at
 * which it begins; an idle thread takes what waits at another; a stop leaves nothing behind; and
 * none of it allocates once it runs.
 */
#include "core/exec/exec.h"

#include "core/exec/room.h"
#include "lib/base/alloc.h"
#include "tests/unit/core/exec/kernel_fixture.h"

static struct probe a;
static struct probe b;

static void begin(const struct fil_exec_options *options)
{
    kernel_init(options);
    (void)probe_init(&a, 'a', 0);
    (void)probe_init(&b, 'b', 0);
}

static uint64_t caller_runs(void)
{
    return fil_counter_read(&kernel.runner.stats.caller_runs);
}

static uint64_t handed_over(void)
{
    return fil_counter_read(&kernel.runner.stats.handed_over);
}

static void test_counts_out_of_range_are_refused(void **state)
{
    (void)state;
    struct fil_exec *exec = NULL;
    struct hand_clock clock;
    hand_clock_init(&clock);
    const uint32_t wrong[][2] = {
        {0, 1}, {1, 0}, {FIL_PARTITIONS_MAX + 1, 1}, {1, FIL_RUNNER_STAGES_MAX + 1}};
    for (size_t i = 0; i < FIL_COUNT_OF(wrong); i++) {
        struct fil_exec_options options = {
            .env = &clock.env, .partition_count = wrong[i][0], .thread_count = wrong[i][1]};
        assert_int_equal(fil_exec_new(&exec, &options), FIL_E_INVALID);
    }
    assert_null(exec);
}

static void test_each_failed_allocation_is_survived(void **state)
{
    (void)state;
    struct hand_clock clock;
    hand_clock_init(&clock);
    struct fil_budget budget;
    fil_budget_init(&budget, UINT64_MAX);
    struct fil_exec_options options = {
        .env = &clock.env, .budget = &budget, .partition_count = 4, .thread_count = 2};
    struct fil_exec *exec = NULL;
    int error = FIL_E_NOMEM;
    int64_t after = 0;
    for (; error != FIL_OK; after++) {
        fil_alloc_fail_after(after);
        error = fil_exec_new(&exec, &options);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
    }
    fil_alloc_fail_after(-1);
    assert_true(after > 5); // kernel, partitions, stages, two queues a stage
    fil_exec_free(exec);
    fil_exec_free(NULL);
}

static void test_partitions_are_dealt_to_threads(void **state)
{
    (void)state;
    begin(&(struct fil_exec_options){.partition_count = 7, .thread_count = 3});
    assert_int_equal(fil_exec_partition_count(kernel.exec), 7);
    assert_int_equal(fil_exec_stage_count(kernel.exec), 3);
    for (uint32_t i = 0; i < 7; i++) {
        const struct fil_partition *partition = kernel_partition(i);
        assert_int_equal(partition->id, i);
        assert_int_equal(partition->home, i % 3);
        struct fil_partition_stage *home = fil_exec_stage(kernel.exec, i % 3);
        uint32_t ticket = fil_exec__ticket_of(kernel.exec, i);
        assert_ptr_equal(fil_exec__resident(home, ticket), partition);
    }
    kernel_fini();
}

static void test_idle_partition_is_run_by_the_caller(void **state)
{
    (void)state;
    begin(&(struct fil_exec_options){
        .partition_count = 1, .thread_count = 1, .has_caller_runs = true});
    fil_exec_submit(kernel.exec, &a.op, &kernel.runner);
    assert_noted("aa.");
    assert_int_equal(caller_runs(), 1);
    assert_int_equal(handed_over(), 0);
    assert_int_equal(kernel_cycle(0), 0);
    kernel_fini();
}

static void test_slow_operations_are_handed_over(void **state)
{
    (void)state;
    begin(&(struct fil_exec_options){
        .partition_count = 1, .thread_count = 1, .has_caller_runs = true});
    a.op.type = &slow_probe_type;
    fil_exec_submit(kernel.exec, &a.op, &kernel.runner);
    assert_noted("");
    assert_int_equal(handed_over(), 1);
    assert_int_equal(kernel_cycle(0), 1);
    assert_noted("aa.");
    kernel_fini();
}

static void test_without_the_switch_all_is_handed_over(void **state)
{
    (void)state;
    begin(&(struct fil_exec_options){.partition_count = 1, .thread_count = 1});
    fil_exec_submit(kernel.exec, &a.op, &kernel.runner);
    b.op.is_priority = true;
    fil_exec_submit(kernel.exec, &b.op, &kernel.runner);
    assert_noted("");
    assert_int_equal(kernel_cycle(0), 2);
    assert_noted("bb.aa.");
    assert_int_equal(handed_over(), 2);
    kernel_fini();
}

static void test_caller_does_not_overtake_the_mailbox(void **state)
{
    (void)state;
    begin(&(struct fil_exec_options){
        .partition_count = 1, .thread_count = 1, .has_caller_runs = true});
    a.op.type = &slow_probe_type;
    fil_exec_submit(kernel.exec, &a.op, &kernel.runner);
    fil_exec_submit(kernel.exec, &b.op, &kernel.runner);
    assert_noted("");
    assert_int_equal(kernel_cycle(0), 2);
    assert_noted("aa.bb.");
    kernel_fini();
}

static void test_in_place_slice_goes_on_at_home(void **state)
{
    (void)state;
    begin(&(struct fil_exec_options){
        .partition_count = 1, .thread_count = 1, .has_caller_runs = true});
    a.kind = PROBE_SLICED;
    a.slices = 1;
    fil_exec_submit(kernel.exec, &a.op, &kernel.runner);
    assert_noted("a");
    assert_int_equal(kernel_cycle(0), 1);
    assert_noted("aa.");
    kernel_fini();
}

static void test_cancel_and_abandon_reach_what_is_parked(void **state)
{
    (void)state;
    begin(&(struct fil_exec_options){
        .partition_count = 1, .thread_count = 1, .has_caller_runs = true});
    a.kind = PROBE_WAITER;
    b.kind = PROBE_WAITER;
    fil_exec_submit(kernel.exec, &a.op, &kernel.runner);
    fil_exec_submit(kernel.exec, &b.op, &kernel.runner);
    fil_exec_cancel(kernel.exec, &a.op, &kernel.runner);
    fil_exec_abandon(kernel.exec, &b.op, &kernel.runner);
    assert_int_equal(kernel_cycle(0), 2);
    assert_noted("aba:CANCELLED b:CANCELLED ");
    kernel_fini();
}

static void test_next_deadline_is_told(void **state)
{
    (void)state;
    begin(&(struct fil_exec_options){
        .partition_count = 1, .thread_count = 1, .has_caller_runs = true});
    const struct fil_alarm *alarm = fil_exec_alarm(kernel.exec);
    assert_int_equal(fil_alarm_next_ns(alarm), FIL_WHEEL_NEVER);
    a.kind = PROBE_WAITER;
    a.op.deadline_ns = kernel.clock.now_ns + 3 * TICK_NS;
    fil_exec_submit(kernel.exec, &a.op, &kernel.runner);
    (void)kernel_cycle(0);
    uint64_t next_ns = fil_alarm_next_ns(alarm);
    assert_in_range(next_ns, kernel.clock.now_ns, a.op.deadline_ns + TICK_NS);
    kernel.clock.now_ns = a.op.deadline_ns + TICK_NS;
    assert_int_equal(kernel_cycle(0), 1);
    assert_noted("aa:TIMEOUT ");
    kernel_fini();
}

// Operations that submit operations.

#define CHAIN_LENGTH 20000U

static struct probe chain[CHAIN_LENGTH];
static uint32_t depth_max;

static enum fil_op_outcome link_run(struct fil_op *op, struct fil_partition *partition)
{
    (void)op;
    uint32_t depth = partition->runner->depth;
    depth_max = depth > depth_max ? depth : depth_max;
    return FIL_OP_DONE;
}

static void link_complete(struct fil_op *op, struct fil_runner *runner)
{
    struct probe *probe = FIL_CONTAINER_OF(op, struct probe, op);
    probe->complete_count++;
    if (probe->next_submit != NULL) {
        fil_exec_submit(kernel.exec, &probe->next_submit->op, runner);
    }
}

static const struct fil_op_type link_type = {
    .name = "link", .run = link_run, .complete = link_complete};

static void test_long_chains_do_not_pile_up_on_the_stack(void **state)
{
    (void)state;
    begin(&(struct fil_exec_options){
        .partition_count = 16, .thread_count = 1, .has_caller_runs = true});
    depth_max = 0;
    for (uint32_t i = 0; i < CHAIN_LENGTH; i++) {
        (void)probe_init(&chain[i], 'l', i % 16);
        chain[i].op.type = &link_type;
        chain[i].next_submit = i + 1 < CHAIN_LENGTH ? &chain[i + 1] : NULL;
    }
    fil_exec_submit(kernel.exec, &chain[0].op, &kernel.runner);
    while (kernel_cycle(0) > 0) {
    }
    for (uint32_t i = 0; i < CHAIN_LENGTH; i++) {
        assert_int_equal(chain[i].complete_count, 1);
    }
    assert_in_range(depth_max, 2, FIL_RUNNER_DEPTH_MAX);
    assert_int_equal(kernel.runner.depth, 0);
    kernel_fini();
}

static enum fil_op_outcome outer_run(struct fil_op *op, struct fil_partition *partition)
{
    (void)op;
    struct fil_runner *runner = partition->runner;
    assert_string_equal(atomic_load(&runner->current_name), "outer");
    fil_exec_submit(kernel.exec, &b.op, runner);
    assert_string_equal(atomic_load(&runner->current_name), "outer");
    return FIL_OP_DONE;
}

static void test_running_operation_is_published(void **state)
{
    (void)state;
    static const struct fil_op_type type = {
        .name = "outer", .run = outer_run, .complete = probe_complete};
    begin(&(struct fil_exec_options){
        .partition_count = 2, .thread_count = 1, .has_caller_runs = true});
    a.op.type = &type;
    b.op.partition_id = 1;
    assert_null(atomic_load(&kernel.runner.current_name));
    fil_exec_submit(kernel.exec, &a.op, &kernel.runner);
    assert_noted("bb.a.");
    assert_null(atomic_load(&kernel.runner.current_name));
    assert_int_equal(atomic_load(&kernel.runner.current_count), 2);
    kernel_fini();
}

static void test_long_operations_have_turns_of_their_own(void **state)
{
    (void)state;
    begin(&(struct fil_exec_options){.partition_count = 2, .thread_count = 1});
    a.burn_ns = 50000000;
    b.burn_ns = 50000000;
    struct probe c;
    (void)probe_init(&c, 'c', 1);
    kernel_deliver(&a);
    kernel_deliver(&b);
    kernel_deliver(&c);
    assert_int_equal(kernel_cycle(0), 1);
    assert_noted("aa.");
    assert_int_equal(kernel_cycle(0), 2);
    assert_noted("cc.bb."); // first the partition that has not had its turn
    assert_int_equal(kernel_cycle(0), 0);
    kernel_fini();
}

static void test_each_operation_is_held_against_the_time_it_begins(void **state)
{
    (void)state;
    begin(&(struct fil_exec_options){.partition_count = 1, .thread_count = 1});
    a.burn_ns = 50000;
    struct probe c;
    (void)probe_init(&c, 'c', 0);
    b.op.deadline_ns = kernel.clock.now_ns + 20000;
    fil_exec_submit(kernel.exec, &a.op, &kernel.runner);
    fil_exec_submit(kernel.exec, &b.op, &kernel.runner);
    fil_exec_submit(kernel.exec, &c.op, &kernel.runner);
    assert_int_equal(kernel_cycle(0), 3);
    assert_noted("aa.b:TIMEOUT cc.");
    const struct fil_runner_stats *stats = &fil_exec_stage(kernel.exec, 0)->runner.stats;
    assert_int_equal(fil_histogram_max(&stats->wait_ns), 50000);
    assert_int_equal(fil_histogram_max(&stats->service_ns), 50000);
    assert_int_equal(fil_histogram_count(&stats->service_ns), 2);
    kernel_fini();
}

static enum fil_op_outcome awaiting_run(struct fil_op *op, struct fil_partition *partition)
{
    (void)partition;
    op->error = fil_room_may_wait() ? FIL_OK : FIL_E_WOULD_BLOCK;
    return FIL_OP_DONE;
}

static void test_nobody_waits_inside_an_operation(void **state)
{
    (void)state;
    static const struct fil_op_type type = {
        .name = "awaiting", .run = awaiting_run, .complete = probe_complete};
    begin(&(struct fil_exec_options){
        .partition_count = 1, .thread_count = 1, .has_caller_runs = true});
    fil_role_leave_all();
    a.op.type = &type;
    assert_true(fil_room_may_wait());
    fil_exec_submit(kernel.exec, &a.op, &kernel.runner);
    assert_noted("a:WOULD_BLOCK ");
    assert_true(fil_room_may_wait());
    kernel_fini();
}

static void test_idle_thread_takes_what_waits_at_another(void **state)
{
    (void)state;
    begin(
        &(struct fil_exec_options){.partition_count = 2, .thread_count = 2, .has_stealing = true});
    fil_exec_submit(kernel.exec, &a.op, &kernel.runner);
    assert_int_equal(kernel_cycle(1), 1);
    assert_noted("aa.");
    assert_int_equal(fil_counter_read(&fil_exec_stage(kernel.exec, 1)->steals), 1);
    assert_int_equal(kernel_cycle(0), 0);
    kernel_fini();

    begin(&(struct fil_exec_options){.partition_count = 2, .thread_count = 2});
    fil_exec_submit(kernel.exec, &a.op, &kernel.runner);
    assert_int_equal(kernel_cycle(1), 0);
    assert_int_equal(kernel_cycle(0), 1);
    assert_noted("aa.");
    kernel_fini();
}

// With the threads running.

#define OP_COUNT 1000U

static struct counted {
    struct fil_op op;
    uint32_t complete_count;
} counted[OP_COUNT];

static enum fil_op_outcome counted_run(struct fil_op *op, struct fil_partition *partition)
{
    bool is_waiter = op->call_id != 0;
    if (is_waiter) {
        assert_int_equal(fil_partition_park(partition, op, op->call_id), FIL_OK);
    }
    return is_waiter ? FIL_OP_PARKED : FIL_OP_DONE;
}

static void counted_complete(struct fil_op *op, struct fil_runner *runner)
{
    (void)runner;
    FIL_CONTAINER_OF(op, struct counted, op)->complete_count++;
}

static const struct fil_op_type counted_type = {
    .name = "counted", .run = counted_run, .complete = counted_complete};

static void submit_counted(uint32_t index, uint64_t wait_key)
{
    struct counted *each = &counted[index];
    *each = (struct counted){.complete_count = 0};
    fil_op_init(&each->op, &counted_type, index % fil_exec_partition_count(kernel.exec));
    each->op.call_id = wait_key;
    fil_exec_submit(kernel.exec, &each->op, &kernel.runner);
}

static void test_stop_leaves_nothing_behind(void **state)
{
    (void)state;
    begin(&(struct fil_exec_options){.partition_count = 10,
                                     .thread_count = 3,
                                     .idle = FIL_IDLE_KIND_BLOCK,
                                     .has_stealing = true});
    assert_int_equal(fil_exec_start(kernel.exec), FIL_OK);
    for (uint32_t i = 0; i < OP_COUNT; i++) {
        submit_counted(i, i % 5 == 0 ? i + 1 : 0);
    }
    fil_exec_stop(kernel.exec);
    for (uint32_t i = 0; i < OP_COUNT; i++) {
        assert_int_equal(counted[i].complete_count, 1);
        assert_int_equal(counted[i].op.error, i % 5 == 0 ? FIL_E_STOPPING : FIL_OK);
    }
    kernel_fini();
}

static void test_steady_state_allocates_nothing(void **state)
{
    (void)state;
    for (int has_caller_runs = 0; has_caller_runs <= 1; has_caller_runs++) {
        begin(&(struct fil_exec_options){
            .partition_count = 7, .thread_count = 1, .has_caller_runs = has_caller_runs != 0});
        // Once round, so that the partitions have their parking.
        for (uint32_t i = 0; i < OP_COUNT; i++) {
            submit_counted(i, 1);
        }
        (void)kernel_cycle(0);
        for (uint32_t i = 0; i < OP_COUNT; i++) {
            fil_exec_cancel(kernel.exec, &counted[i].op, &kernel.runner);
        }
        while (kernel_cycle(0) > 0) {
        }
        uint64_t before = fil_alloc_count();
        for (uint32_t round = 0; round < 100; round++) {
            for (uint32_t i = 0; i < OP_COUNT; i++) {
                submit_counted(i, i % 10 == 0 ? 1 : 0);
            }
            for (uint32_t i = 0; i < OP_COUNT; i += 10) {
                fil_exec_cancel(kernel.exec, &counted[i].op, &kernel.runner);
            }
            while (kernel_cycle(0) > 0) {
            }
        }
        assert_int_equal(fil_alloc_count(), before);
        uint64_t sent = (has_caller_runs != 0 ? caller_runs() : 0) + handed_over();
        assert_int_equal(sent, 101 * OP_COUNT);
        kernel_fini();
    }
}

static void test_threads_allocate_nothing(void **state)
{
    (void)state;
    begin(&(struct fil_exec_options){.partition_count = 271,
                                     .thread_count = 2,
                                     .idle = FIL_IDLE_KIND_BACKOFF,
                                     .has_stealing = true});
    assert_int_equal(fil_exec_start(kernel.exec), FIL_OK);
    uint64_t before = fil_alloc_count();
    for (uint32_t i = 0; i < OP_COUNT; i++) {
        submit_counted(i, 0);
    }
    fil_exec_stop(kernel.exec);
    assert_int_equal(fil_alloc_count(), before);
    for (uint32_t i = 0; i < OP_COUNT; i++) {
        assert_int_equal(counted[i].complete_count, 1);
    }
    kernel_fini();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_out_of_range_are_refused),
        cmocka_unit_test(test_each_failed_allocation_is_survived),
        cmocka_unit_test(test_partitions_are_dealt_to_threads),
        cmocka_unit_test(test_idle_partition_is_run_by_the_caller),
        cmocka_unit_test(test_slow_operations_are_handed_over),
        cmocka_unit_test(test_without_the_switch_all_is_handed_over),
        cmocka_unit_test(test_caller_does_not_overtake_the_mailbox),
        cmocka_unit_test(test_in_place_slice_goes_on_at_home),
        cmocka_unit_test(test_cancel_and_abandon_reach_what_is_parked),
        cmocka_unit_test(test_next_deadline_is_told),
        cmocka_unit_test(test_long_chains_do_not_pile_up_on_the_stack),
        cmocka_unit_test(test_running_operation_is_published),
        cmocka_unit_test(test_long_operations_have_turns_of_their_own),
        cmocka_unit_test(test_each_operation_is_held_against_the_time_it_begins),
        cmocka_unit_test(test_nobody_waits_inside_an_operation),
        cmocka_unit_test(test_idle_thread_takes_what_waits_at_another),
        cmocka_unit_test(test_stop_leaves_nothing_behind),
        cmocka_unit_test(test_steady_state_allocates_nothing),
        cmocka_unit_test(test_threads_allocate_nothing),
    };
    return cmocka_run_group_tests_name("exec", tests, NULL, NULL);
}
