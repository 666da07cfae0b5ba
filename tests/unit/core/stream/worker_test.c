// SPDX-License-Identifier: Apache-2.0
/**
 * Workers, on a clock in the test's hand: only ready tasklets run; a wake during a step is not
 * lost; jobs get time by their weights; a step over the budget is counted; the times of a tasklet
 * add up; a tasklet with a wake time runs then and not before; a worker that asks gets a fitting
 * tasklet, unless hand-over is off; pinned ones and the only one of a worker stay.
 */
#include "core/stream/handover.h"
#include "core/stream/workers.h"
#include "lib/base/assert.h"
#include "tests/unit/harness.h"

#define TASKLETS 6U

static uint64_t hand_ns = 1000;

static uint64_t hand_now(struct fil_env *env)
{
    (void)env;
    return hand_ns;
}

static const struct fil_env_ops hand_ops = {.now_ns = hand_now};
static struct fil_env hand_env = {.ops = &hand_ops};

/** A tasklet whose steps do what the test says. */
struct toy {
    struct fil_tasklet tasklet;
    enum fil_step result;
    uint64_t takes_ns;
    uint64_t sleeps_ns;
    uint32_t step_count;
    bool wakes_itself;
    bool is_done;
};

static enum fil_step toy_step(struct fil_tasklet *tasklet)
{
    struct toy *toy = FIL_CONTAINER_OF(tasklet, struct toy, tasklet);
    toy->step_count++;
    hand_ns += toy->takes_ns;
    if (toy->wakes_itself) {
        toy->wakes_itself = false;
        fil_tasklet_wake(tasklet, atomic_load(&tasklet->home));
    }
    if (toy->sleeps_ns != 0) {
        tasklet->wake_at_ns = hand_ns + toy->sleeps_ns;
    }
    return toy->result;
}

static void toy_done(struct fil_tasklet *tasklet)
{
    FIL_CONTAINER_OF(tasklet, struct toy, tasklet)->is_done = true;
}

static const struct fil_tasklet_ops toy_ops = {.step = toy_step, .done = toy_done};

static struct fil_budget budget;
static struct fil_workers workers;
static struct toy toys[TASKLETS];

static void open_workers(uint32_t count, bool has_no_hand_over)
{
    fil_budget_init(&budget, UINT64_C(1) << 26);
    const struct fil_workers_options options = {.env = &hand_env,
                                                .budget = &budget,
                                                .worker_count = count,
                                                .jobs_max = 4,
                                                .has_no_hand_over = has_no_hand_over};
    assert_int_equal(fil_workers_init(&workers, &options), FIL_OK);
}

static void open_toy(uint32_t index, uint32_t slot, enum fil_step result, uint64_t takes_ns)
{
    toys[index] = (struct toy){.result = result, .takes_ns = takes_ns};
    fil_tasklet_init(&toys[index].tasklet, &toy_ops, "toy", slot);
    atomic_store(&toys[index].tasklet.home, &workers.items[0]);
    fil_tasklet_wake(&toys[index].tasklet, NULL);
}

/** Lets the first of the toys end, then closes. */
static void close_workers(uint32_t toy_count)
{
    for (uint32_t i = 0; i < toy_count; i++) {
        toys[i].result = FIL_STEP_DONE;
        toys[i].tasklet.is_pinned = true;
        fil_tasklet_wake(&toys[i].tasklet, NULL);
    }
    for (uint32_t i = 0; i < 10; i++) {
        (void)fil_workers_cycle(&workers);
    }
    for (uint32_t i = 0; i < toy_count; i++) {
        assert_true(toys[i].is_done);
    }
    fil_workers_fini(&workers);
}

static void test_only_ready_tasklets_run(void **state)
{
    (void)state;
    open_workers(1, false);
    open_toy(0, 0, FIL_STEP_IDLE, 10);
    open_toy(1, 0, FIL_STEP_BLOCKED, 10);
    assert_int_equal(fil_workers_cycle(&workers), 2);
    assert_int_equal(fil_workers_cycle(&workers), 0);
    fil_tasklet_wake(&toys[1].tasklet, NULL);
    fil_tasklet_wake(&toys[1].tasklet, &workers.items[0]);
    assert_int_equal(fil_workers_cycle(&workers), 1);
    assert_int_equal(toys[0].step_count, 1);
    assert_int_equal(toys[1].step_count, 2);
    close_workers(2);
}

static void test_wake_during_a_step_is_not_lost(void **state)
{
    (void)state;
    open_workers(1, false);
    open_toy(0, 0, FIL_STEP_IDLE, 10);
    toys[0].wakes_itself = true;
    assert_int_equal(fil_workers_cycle(&workers), 2);
    assert_int_equal(fil_workers_cycle(&workers), 0);
    close_workers(1);
}

static void test_jobs_get_time_by_their_weights(void **state)
{
    (void)state;
    open_workers(1, true);
    uint32_t light = 0;
    uint32_t heavy = 0;
    assert_int_equal(fil_workers_claim(&workers, 1, &light), FIL_OK);
    assert_int_equal(fil_workers_claim(&workers, 3, &heavy), FIL_OK);
    open_toy(0, light, FIL_STEP_PROGRESS, 1000);
    open_toy(1, light, FIL_STEP_PROGRESS, 1000);
    open_toy(2, heavy, FIL_STEP_PROGRESS, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        (void)fil_workers_cycle(&workers);
    }
    uint32_t light_count = toys[0].step_count + toys[1].step_count;
    assert_in_range(toys[2].step_count * 100 / light_count, 290, 310);
    close_workers(3);
}

static void test_slots_run_out_and_come_back(void **state)
{
    (void)state;
    open_workers(1, true);
    uint32_t slot = 0;
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(fil_workers_claim(&workers, 1, &slot), FIL_OK);
    }
    assert_int_equal(fil_workers_claim(&workers, 1, &slot), FIL_E_FULL);
    fil_workers_release(&workers, 2);
    assert_int_equal(fil_workers_claim(&workers, 5, &slot), FIL_OK);
    assert_int_equal(slot, 2);
    close_workers(0);
}

static void test_times_add_up_and_overruns_are_counted(void **state)
{
    (void)state;
    open_workers(1, true);
    uint64_t began = hand_ns;
    open_toy(0, 0, FIL_STEP_IDLE, 700);
    open_toy(1, 0, FIL_STEP_PROGRESS, FIL_WORKER_BUDGET_NS + 1);
    (void)fil_workers_cycle(&workers);
    hand_ns += 5000;
    toys[0].result = FIL_STEP_BLOCKED;
    fil_tasklet_wake(&toys[0].tasklet, NULL);
    (void)fil_workers_cycle(&workers);
    hand_ns += 9000;
    toys[1].result = FIL_STEP_IDLE;
    fil_tasklet_wake(&toys[0].tasklet, NULL);
    (void)fil_workers_cycle(&workers);
    const struct fil_tasklet_stats *stats = &toys[0].tasklet.stats;
    assert_int_equal(fil_counter_read(&stats->busy_ns), 2100);
    assert_true(fil_counter_read(&stats->idle_ns) >= 5000);
    assert_true(fil_counter_read(&stats->blocked_ns) >= 9000);
    assert_int_equal(fil_counter_read(&stats->busy_ns) + fil_counter_read(&stats->idle_ns) +
                         fil_counter_read(&stats->blocked_ns) + fil_counter_read(&stats->ready_ns),
                     toys[0].tasklet.since_ns - began);
    assert_int_equal(fil_counter_read(&stats->overrun_count), 0);
    const struct fil_tasklet_stats *slow = &toys[1].tasklet.stats;
    assert_int_equal(fil_counter_read(&slow->overrun_count), toys[1].step_count);
    assert_int_equal(fil_counter_read(&slow->longest_ns), FIL_WORKER_BUDGET_NS + 1);
    close_workers(2);
}

static void test_sleeper_runs_at_its_time(void **state)
{
    (void)state;
    open_workers(1, true);
    open_toy(0, 0, FIL_STEP_IDLE, 10);
    open_toy(1, 0, FIL_STEP_IDLE, 10);
    toys[0].sleeps_ns = 50000;
    toys[1].sleeps_ns = 20000;
    assert_int_equal(fil_workers_cycle(&workers), 2);
    uint64_t next = fil_worker_next_ns(&workers.items[0]);
    assert_int_equal(next, toys[1].tasklet.wake_at_ns);
    hand_ns = next - 1;
    assert_int_equal(fil_workers_cycle(&workers), 0);
    hand_ns = next;
    toys[1].sleeps_ns = 0;
    assert_int_equal(fil_workers_cycle(&workers), 1);
    assert_int_equal(toys[1].step_count, 2);
    assert_int_equal(toys[0].step_count, 1);
    close_workers(2);
}

/** Four equal tasklets on the first worker; the second asks; returns how many have moved. */
static uint64_t run_unbalanced(bool has_no_hand_over, bool is_pinned)
{
    open_workers(2, has_no_hand_over);
    for (uint32_t i = 0; i < 4; i++) {
        open_toy(i, 0, FIL_STEP_PROGRESS, 100000);
        toys[i].tasklet.is_pinned = is_pinned;
    }
    for (uint32_t i = 0; i < 100; i++) {
        (void)fil_worker_cycle(&workers.items[0]);
        if (i < 20) {
            fil_handover_ask(&workers.items[1]);
        }
    }
    uint64_t moved = 0;
    for (uint32_t i = 0; i < 4; i++) {
        moved += fil_counter_read(&toys[i].tasklet.stats.move_count);
    }
    assert_int_equal(moved, fil_counter_read(&workers.items[0].stats.given_count));
    close_workers(4);
    return moved;
}

static void test_asking_worker_gets_a_tasklet(void **state)
{
    (void)state;
    assert_in_range(run_unbalanced(false, false), 1, 4);
}

static void test_nothing_moves_when_hand_over_is_off_or_pinned(void **state)
{
    (void)state;
    assert_int_equal(run_unbalanced(true, false), 0);
    assert_int_equal(run_unbalanced(false, true), 0);
}

static void test_only_tasklet_of_a_busy_worker_stays(void **state)
{
    (void)state;
    open_workers(2, false);
    open_toy(0, 0, FIL_STEP_PROGRESS, 100000);
    for (uint32_t i = 0; i < 100; i++) {
        (void)fil_worker_cycle(&workers.items[0]);
        fil_handover_ask(&workers.items[1]);
    }
    assert_int_equal(fil_counter_read(&toys[0].tasklet.stats.move_count), 0);
    close_workers(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_ready_tasklets_run),
        cmocka_unit_test(test_wake_during_a_step_is_not_lost),
        cmocka_unit_test(test_jobs_get_time_by_their_weights),
        cmocka_unit_test(test_slots_run_out_and_come_back),
        cmocka_unit_test(test_times_add_up_and_overruns_are_counted),
        cmocka_unit_test(test_sleeper_runs_at_its_time),
        cmocka_unit_test(test_asking_worker_gets_a_tasklet),
        cmocka_unit_test(test_nothing_moves_when_hand_over_is_off_or_pinned),
        cmocka_unit_test(test_only_tasklet_of_a_busy_worker_stays),
    };
    return cmocka_run_group_tests_name("worker", tests, NULL, NULL);
}
