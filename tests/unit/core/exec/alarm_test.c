// SPDX-License-Identifier: Apache-2.0
/**
 * The alarm's contract, one test a promise: what is due in a partition is seen to although the
 * partition's home does nothing; a deadline that is sooner than the sleep wakes it, a later one
 * does not; what nobody has seen to after a while it does itself, but runs no operation; and with
 * real threads, an operation that holds the home does not hold the deadlines of the home's other
 * partitions, nor do operations that hold all threads.
 */
#include "core/exec/alarm.h"

#include "lib/os/futex.h"
#include "tests/unit/core/exec/kernel_fixture.h"

static struct probe waiter;

static void begin(uint32_t partition_count, bool has_caller_runs)
{
    kernel_init(&(struct fil_exec_options){.partition_count = partition_count,
                                           .thread_count = 2,
                                           .has_caller_runs = has_caller_runs,
                                           .has_stealing = true});
    probe_init(&waiter, 'w', 2);
    waiter.kind = PROBE_WAITER;
}

static uint32_t cycle_alarm(void) FIL_BEFORE_SHARING
{
    fil_role_enter(&fil_role_partition);
    return fil_alarm_cycle(fil_exec_alarm(kernel.exec));
}

static uint32_t cycle_stage(uint32_t index) FIL_BEFORE_SHARING
{
    fil_role_enter(&fil_role_partition);
    return fil_partition_stage_cycle(fil_exec_stage(kernel.exec, index));
}

static void test_neighbour_expires_what_waits_at_a_home_that_does_nothing(void **state)
{
    (void)state;
    begin(4, true);
    waiter.op.deadline_ns = kernel.clock.now_ns + 3 * TICK_NS;
    fil_exec_submit(kernel.exec, &waiter.op, &kernel.runner);
    assert_int_equal(cycle_alarm(), 0);
    kernel.clock.now_ns = waiter.op.deadline_ns + TICK_NS;
    assert_int_equal(cycle_alarm(), 1);
    assert_int_equal(cycle_stage(1), 1); // partition 2 is at home with thread 0
    assert_noted("ww:TIMEOUT ");
    kernel_fini();
}

static void test_only_a_sooner_deadline_wakes_it(void **state)
{
    (void)state;
    begin(4, true);
    struct fil_alarm *alarm = fil_exec_alarm(kernel.exec);
    uint64_t now_ns = kernel.clock.now_ns;
    // As it is while the thread sleeps.
    atomic_store_explicit(&alarm->sleeps_until_ns, now_ns + 5 * TICK_NS, memory_order_relaxed);
    fil_parker_prepare(&alarm->parker);

    struct probe later;
    probe_init(&later, 'l', 2)->kind = PROBE_WAITER;
    later.op.deadline_ns = now_ns + 9 * TICK_NS;
    fil_exec_submit(kernel.exec, &later.op, &kernel.runner);
    assert_int_equal(atomic_load(&alarm->parker.wake_count), 0);
    waiter.op.deadline_ns = now_ns + 3 * TICK_NS;
    fil_exec_submit(kernel.exec, &waiter.op, &kernel.runner);
    assert_int_equal(atomic_load(&alarm->parker.wake_count), 1);

    kernel.clock.now_ns = now_ns + 4 * TICK_NS;
    (void)kernel_cycle(0);
    assert_noted("lww:TIMEOUT ");
    kernel.clock.now_ns = now_ns + 20 * TICK_NS;
    (void)kernel_cycle(0);
    (void)kernel_cycle(0);
    assert_noted("l:TIMEOUT ");
    kernel_fini();
}

/** Parks the waiter and lets its time come. */
static struct fil_alarm *ring_for_waiter(void) FIL_BEFORE_SHARING
{
    begin(4, true);
    waiter.op.deadline_ns = kernel.clock.now_ns + 3 * TICK_NS;
    fil_exec_submit(kernel.exec, &waiter.op, &kernel.runner);
    assert_int_equal(cycle_alarm(), 0);
    kernel.clock.now_ns = waiter.op.deadline_ns + TICK_NS;
    assert_int_equal(cycle_alarm(), 1);
    assert_noted("w"); // it is left to the partition threads
    return fil_exec_alarm(kernel.exec);
}

static void test_what_nobody_sees_to_it_does_itself(void **state)
{
    (void)state;
    struct fil_alarm *alarm = ring_for_waiter();
    struct probe behind;
    kernel_deliver(probe_init(&behind, 'b', 2));
    assert_int_equal(fil_alarm_next_ns(alarm), kernel.clock.now_ns + FIL_ALARM_PATIENCE_NS);
    kernel.clock.now_ns += FIL_ALARM_PATIENCE_NS - 1;
    assert_int_equal(cycle_alarm(), 0);
    kernel.clock.now_ns += 1;
    assert_int_equal(cycle_alarm(), 1);
    assert_noted("w:TIMEOUT "); // and nothing of the mailbox
    assert_int_equal(fil_counter_read(&alarm->reliefs), 1);
    assert_int_equal(fil_counter_read(&alarm->runner.stats.expiries), 1);
    assert_int_equal(cycle_alarm(), 0);
    assert_int_equal(fil_alarm_next_ns(alarm), FIL_WHEEL_NEVER);
    assert_int_equal(cycle_stage(0), 1);
    assert_noted("bb.");
    kernel_fini();
}

static void test_what_was_seen_to_it_forgets(void **state)
{
    (void)state;
    struct fil_alarm *alarm = ring_for_waiter();
    assert_int_equal(cycle_stage(0), 1);
    assert_noted("w:TIMEOUT ");
    kernel.clock.now_ns += FIL_ALARM_PATIENCE_NS;
    assert_int_equal(cycle_alarm(), 0);
    assert_int_equal(fil_counter_read(&alarm->reliefs), 0);
    assert_int_equal(fil_alarm_next_ns(alarm), FIL_WHEEL_NEVER);
    kernel_fini();
}

static void
test_partition_that_is_held_is_looked_at_ever_more_rarely(void **state) FIL_BEFORE_SHARING
{
    (void)state;
    struct fil_alarm *alarm = ring_for_waiter();
    // As a partition thread does, which then takes long.
    bool is_inside = fil_partition_claim(kernel_partition(2), &kernel.runner);
    assert_true(is_inside);
    uint64_t last_ns = 0;
    for (uint32_t i = 0; i < 10; i++) {
        uint64_t wait_ns = fil_alarm_next_ns(alarm) - kernel.clock.now_ns;
        assert_true(wait_ns >= last_ns);
        last_ns = wait_ns;
        kernel.clock.now_ns += wait_ns;
        assert_int_equal(cycle_alarm(), 0);
    }
    assert_true(last_ns > FIL_ALARM_PATIENCE_NS);
    fil_partition_leave(kernel_partition(2));
    kernel.clock.now_ns = fil_alarm_next_ns(alarm);
    assert_int_equal(cycle_alarm(), 1);
    assert_noted("w:TIMEOUT ");
    kernel_fini();
}

// Real threads.

#define WAITERS      8U
#define PATIENCE_NS  UINT64_C(60000000000) // then the test fails instead of hanging
#define STUCK_FOR_NS UINT64_C(20000000)

struct parked {
    struct fil_op op;
    int error;
};

static struct {
    struct fil_env *env;
    struct fil_budget budget;
    struct fil_exec *exec;
    struct parked parked[WAITERS];
    struct fil_op stuck[2];
    _Atomic uint32_t stuck_count;
    _Atomic uint32_t expired_count;
    _Atomic uint32_t over_count;
    _Atomic bool was_late;
} world;

static enum fil_op_outcome park_run(struct fil_op *op, struct fil_partition *partition)
{
    op->error = fil_partition_park(partition, op, 1);
    return op->error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
}

static void park_complete(struct fil_op *op, struct fil_runner *runner)
{
    (void)runner;
    FIL_CONTAINER_OF(op, struct parked, op)->error = op->error;
    atomic_fetch_add(&world.expired_count, 1);
}

/** Holds its thread until all the others have ended. */
static enum fil_op_outcome stuck_run(struct fil_op *op, struct fil_partition *partition)
{
    (void)op;
    (void)partition;
    uint64_t end_ns = fil_env_now_ns(world.env) + PATIENCE_NS;
    atomic_fetch_add(&world.stuck_count, 1);
    fil_futex_wake(&world.stuck_count, 1);
    while (atomic_load(&world.expired_count) < WAITERS && fil_env_now_ns(world.env) < end_ns) {
        fil_thread_yield();
    }
    if (atomic_load(&world.expired_count) < WAITERS) {
        atomic_store(&world.was_late, true);
    }
    return FIL_OP_DONE;
}

static void stuck_complete(struct fil_op *op, struct fil_runner *runner)
{
    (void)op;
    (void)runner;
    atomic_fetch_add(&world.over_count, 1);
    fil_futex_wake(&world.over_count, 1);
}

static const struct fil_op_type park_type = {
    .name = "park", .run = park_run, .complete = park_complete};
static const struct fil_op_type stuck_type = {
    .name = "stuck", .run = stuck_run, .complete = stuck_complete, .is_slow = true};

static void await(_Atomic uint32_t *word, uint32_t count)
{
    uint32_t now = atomic_load(word);
    while (now < count) {
        (void)!fil_futex_wait(word, now, FIL_WAIT_FOREVER);
        now = atomic_load(word);
    }
}

/** Holds so many partition threads. */
static void get_stuck(struct fil_runner *runner, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fil_op_init(&world.stuck[i], &stuck_type, i);
        fil_exec_submit(world.exec, &world.stuck[i], runner);
    }
}

static void park_beside_stuck_ones(bool is_before, uint32_t stuck_count)
{
    struct fil_runner runner;
    fil_runner_init(&runner, world.exec, "test");
    if (!is_before) {
        get_stuck(&runner, stuck_count);
        await(&world.stuck_count, stuck_count);
    }
    for (uint32_t i = 0; i < WAITERS; i++) {
        fil_op_init(&world.parked[i].op, &park_type, 2 + 2 * i); // at home with thread 0
        world.parked[i].op.deadline_ns = fil_env_now_ns(world.env) + STUCK_FOR_NS + i * TICK_NS;
        fil_exec_submit(world.exec, &world.parked[i].op, &runner);
    }
    if (is_before) {
        get_stuck(&runner, stuck_count);
    }
    await(&world.over_count, stuck_count);
}

/** How many of those that waited heard of their deadline. */
static uint32_t play_threads(bool is_before, bool has_caller_runs, uint32_t stuck_count)
{
    uint32_t expired = 0;
    memset(&world, 0, sizeof(world));
    world.env = fil_env_real();
    fil_budget_init(&world.budget, UINT64_MAX);
    struct fil_exec_options options = {.env = world.env,
                                       .budget = &world.budget,
                                       .partition_count = 2 + 2 * WAITERS,
                                       .thread_count = 2,
                                       .has_caller_runs = has_caller_runs,
                                       .has_stealing = true,
                                       .has_batching = true,
                                       .has_wake_suppression = true};
    assert_int_equal(fil_exec_new(&world.exec, &options), FIL_OK);
    assert_int_equal(fil_exec_start(world.exec), FIL_OK);
    park_beside_stuck_ones(is_before, stuck_count);
    fil_exec_stop(world.exec);
    fil_exec_free(world.exec);
    for (uint32_t i = 0; i < WAITERS; i++) {
        expired += world.parked[i].error == FIL_E_TIMEOUT;
    }
    return expired;
}

static void test_stuck_home_does_not_hold_deadlines_of_its_other_partitions(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(play_threads((i & 1) != 0, (i & 2) != 0, 1), WAITERS);
        assert_false(world.was_late); // while the home was stuck
    }
}

static void test_all_threads_stuck_do_not_hold_deadlines_of_other_partitions(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(play_threads(i != 0, true, 2), WAITERS);
        assert_false(world.was_late);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbour_expires_what_waits_at_a_home_that_does_nothing),
        cmocka_unit_test(test_only_a_sooner_deadline_wakes_it),
        cmocka_unit_test(test_what_nobody_sees_to_it_does_itself),
        cmocka_unit_test(test_what_was_seen_to_it_forgets),
        cmocka_unit_test(test_partition_that_is_held_is_looked_at_ever_more_rarely),
        cmocka_unit_test(test_stuck_home_does_not_hold_deadlines_of_its_other_partitions),
        cmocka_unit_test(test_all_threads_stuck_do_not_hold_deadlines_of_other_partitions),
    };
    return cmocka_run_group_tests_name("alarm", tests, NULL, NULL);
}
