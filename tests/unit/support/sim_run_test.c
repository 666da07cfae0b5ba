// SPDX-License-Identifier: Apache-2.0
/**
 * The driver, one test a promise: it stops when the condition holds; it moves the clock when
 * nobody has work and not before; it tells a busy loop from a lost wake-up; every stage gets its
 * turn, in an order that follows the seed.
 */
#include <string.h>

#include "tests/unit/support/sim_pair.h"

#define STAGES 4U

struct stage {
    struct fil_sim *sim;
    uint32_t number;
    uint32_t work; // turns that move something
    uint32_t turns;
    uint64_t last_ns;
};

static uint64_t order_seen; // the stages' numbers, digit by digit

static uint32_t stage_cycle(void *context)
{
    struct stage *stage = context;
    stage->turns++;
    stage->last_ns = stage->sim->now_ns;
    order_seen = order_seen * 10 + stage->number;
    if (stage->work == 0) {
        return 0;
    }
    stage->work--;
    return 1;
}

static bool has_no_work(void *context)
{
    const struct stage *stage = context;
    return stage->work == 0;
}

static bool is_never_met(void *context)
{
    (void)context;
    return false;
}

/** Waits in a poller for 100 ns at a time, and counts how often that time was over. */
struct sleeper {
    struct fil_sim *sim;
    struct fil_poller *poller;
    uint64_t next_ns;
    uint32_t ticks;
};

static uint32_t sleeper_cycle(void *context)
{
    struct sleeper *sleeper = context;
    struct fil_env *env = &sleeper->sim->env;
    uint64_t now_ns = fil_env_now_ns(env);
    uint32_t moved = 0;
    if (now_ns >= sleeper->next_ns) {
        sleeper->next_ns = now_ns + 100;
        sleeper->ticks++;
        moved = 1;
    }
    struct fil_poll_event event;
    int count = env->ops->poller_wait(env, sleeper->poller, &event, 1,
                                      (int64_t)(sleeper->next_ns - now_ns));
    assert_int_equal(count, 0);
    return moved;
}

static bool has_ticked_ten_times(void *context)
{
    const struct sleeper *sleeper = context;
    return sleeper->ticks >= 10;
}

static void open_sleeper(struct sleeper *sleeper, struct fil_sim *sim)
{
    *sleeper = (struct sleeper){.sim = sim, .next_ns = sim->now_ns + 100};
    assert_int_equal(sim->env.ops->poller_new(&sim->env, &sleeper->poller), FIL_OK);
}

static void close_sleeper(struct sleeper *sleeper)
{
    sleeper->sim->env.ops->poller_free(&sleeper->sim->env, sleeper->poller);
}

static void test_runs_until_the_condition_holds(void **state)
{
    (void)state;
    struct fil_sim sim;
    assert_int_equal(fil_sim_init(&sim, 1, NULL), FIL_OK);
    struct stage stage = {.sim = &sim, .work = 5};
    struct fil_sim_cycle cycle = {.cycle = stage_cycle, .context = &stage};
    struct fil_sim_until until = {.is_met = has_no_work, .context = &stage};
    assert_int_equal(fil_sim_run(&sim, &cycle, 1, &until), FIL_OK);
    assert_int_equal(stage.turns, 5);
    assert_int_equal(sim.step_count, 5);
    assert_int_equal(sim.now_ns, FIL_SIM_START_NS);
    // What holds already needs no turn.
    assert_int_equal(fil_sim_run(&sim, &cycle, 1, &until), FIL_OK);
    assert_int_equal(stage.turns, 5);
    fil_sim_fini(&sim);
}

static void test_clock_moves_to_the_next_timeout_when_all_are_idle(void **state)
{
    (void)state;
    struct fil_sim sim;
    assert_int_equal(fil_sim_init(&sim, 1, NULL), FIL_OK);
    struct sleeper sleeper;
    open_sleeper(&sleeper, &sim);
    struct stage busy = {.sim = &sim, .work = 50};
    struct fil_sim_cycle cycles[] = {{.cycle = sleeper_cycle, .context = &sleeper},
                                     {.cycle = stage_cycle, .context = &busy}};
    struct fil_sim_until until = {.is_met = has_ticked_ten_times, .context = &sleeper};
    assert_int_equal(fil_sim_run(&sim, cycles, 2, &until), FIL_OK);
    assert_int_equal(sim.now_ns, FIL_SIM_START_NS + 1000);
    assert_int_equal(busy.work, 0);
    close_sleeper(&sleeper);
    fil_sim_fini(&sim);
}

static void test_timeouts_are_kept_although_cycles_take_time(void **state)
{
    (void)state;
    struct fil_sim_options options = {.cycle_ns = {.min = 30, .max = 300}};
    struct fil_sim sim;
    assert_int_equal(fil_sim_init(&sim, 1, &options), FIL_OK);
    struct sleeper sleepers[2];
    open_sleeper(&sleepers[0], &sim);
    open_sleeper(&sleepers[1], &sim);
    struct fil_sim_cycle cycles[] = {{.cycle = sleeper_cycle, .context = &sleepers[0]},
                                     {.cycle = sleeper_cycle, .context = &sleepers[1]}};
    struct fil_sim_until until = {.is_met = has_ticked_ten_times, .context = &sleepers[0]};
    assert_int_equal(fil_sim_run(&sim, cycles, 2, &until), FIL_OK);
    assert_true(sleepers[1].ticks >= 5);
    close_sleeper(&sleepers[0]);
    close_sleeper(&sleepers[1]);
    fil_sim_fini(&sim);
}

static void test_busy_loop_hits_the_step_limit(void **state)
{
    (void)state;
    struct fil_sim sim;
    assert_int_equal(fil_sim_init(&sim, 1, NULL), FIL_OK);
    struct stage stage = {.sim = &sim, .work = UINT32_MAX};
    struct fil_sim_cycle cycle = {.cycle = stage_cycle, .context = &stage};
    struct fil_sim_until until = {.is_met = has_no_work, .context = &stage, .step_count_max = 1000};
    assert_int_equal(fil_sim_run(&sim, &cycle, 1, &until), FIL_E_LIMIT);
    assert_int_equal(stage.turns, 1000);
    fil_sim_fini(&sim);
}

static void test_waiting_for_nothing_is_told_at_once(void **state)
{
    (void)state;
    struct fil_sim sim;
    assert_int_equal(fil_sim_init(&sim, 1, NULL), FIL_OK);
    struct stage stage = {.sim = &sim, .work = 3};
    struct fil_sim_cycle cycle = {.cycle = stage_cycle, .context = &stage};
    struct fil_sim_until until = {.is_met = is_never_met};
    assert_int_equal(fil_sim_run(&sim, &cycle, 1, &until), FIL_E_TIMEOUT);
    assert_int_equal(stage.turns, 4);
    // Without a condition the same is the wanted end.
    assert_int_equal(fil_sim_run(&sim, &cycle, 1, &(struct fil_sim_until){0}), FIL_OK);
    fil_sim_fini(&sim);
}

static void test_time_limit_ends_the_run_at_its_time(void **state)
{
    (void)state;
    struct fil_sim sim;
    assert_int_equal(fil_sim_init(&sim, 1, NULL), FIL_OK);
    struct sleeper sleeper;
    open_sleeper(&sleeper, &sim);
    struct fil_sim_cycle cycle = {.cycle = sleeper_cycle, .context = &sleeper};
    struct fil_sim_until until = {.time_max_ns = 550};
    assert_int_equal(fil_sim_run(&sim, &cycle, 1, &until), FIL_OK);
    assert_int_equal(sim.now_ns, FIL_SIM_START_NS + 550);
    assert_int_equal(sleeper.ticks, 5);
    until.is_met = is_never_met;
    assert_int_equal(fil_sim_run(&sim, &cycle, 1, &until), FIL_E_TIMEOUT);
    assert_int_equal(sim.now_ns, FIL_SIM_START_NS + 1100);
    close_sleeper(&sleeper);
    fil_sim_fini(&sim);
}

static void test_time_limit_ends_a_busy_run_too(void **state)
{
    (void)state;
    struct fil_sim_options options = {.cycle_ns = {.min = 10, .max = 10}};
    struct fil_sim sim;
    assert_int_equal(fil_sim_init(&sim, 1, &options), FIL_OK);
    struct stage stage = {.sim = &sim, .work = UINT32_MAX};
    struct fil_sim_cycle cycle = {.cycle = stage_cycle, .context = &stage};
    struct fil_sim_until until = {.is_met = is_never_met, .time_max_ns = 100};
    assert_int_equal(fil_sim_run(&sim, &cycle, 1, &until), FIL_E_TIMEOUT);
    assert_int_equal(stage.turns, 10);
    fil_sim_fini(&sim);
}

static void test_event_left_for_the_next_turn_keeps_the_run_alive(void **state)
{
    (void)state;
    struct sim_pair pair;
    sim_pair_open(&pair, 1, NULL);
    struct fil_env *env = &pair.sim.env;
    struct fil_poller *poller = NULL;
    assert_int_equal(env->ops->poller_new(env, &poller), FIL_OK);
    assert_int_equal(env->ops->poller_add(env, poller, pair.server, FIL_POLL_READ, NULL), FIL_OK);
    assert_int_equal(sim_pair_send(&pair, pair.client, "x", 1), 1);
    struct stage stage = {.sim = &pair.sim};
    struct fil_sim_cycle cycle = {.cycle = stage_cycle, .context = &stage};
    struct fil_sim_until until = {.is_met = is_never_met, .step_count_max = 10};
    // Nobody ever reads: that is a busy loop, not a lost wake-up.
    assert_int_equal(fil_sim_run(&pair.sim, &cycle, 1, &until), FIL_E_LIMIT);
    env->ops->poller_remove(env, poller, pair.server);
    assert_int_equal(fil_sim_run(&pair.sim, &cycle, 1, &until), FIL_E_TIMEOUT);
    env->ops->poller_wake(env, poller);
    assert_int_equal(fil_sim_run(&pair.sim, &cycle, 1, &until), FIL_E_LIMIT);
    env->ops->poller_free(env, poller);
    sim_pair_close(&pair);
}

static uint64_t order_of_stages(uint64_t seed, const struct fil_sim_options *options,
                                struct stage stages[STAGES])
{
    struct fil_sim sim;
    assert_int_equal(fil_sim_init(&sim, seed, options), FIL_OK);
    struct fil_sim_cycle cycles[STAGES];
    for (uint32_t i = 0; i < STAGES; i++) {
        stages[i] = (struct stage){.sim = &sim, .number = i, .work = 4};
        cycles[i] = (struct fil_sim_cycle){.cycle = stage_cycle, .context = &stages[i]};
    }
    order_seen = 0;
    assert_int_equal(fil_sim_run(&sim, cycles, STAGES, &(struct fil_sim_until){0}), FIL_OK);
    fil_sim_fini(&sim);
    return order_seen;
}

static void test_order_of_turns_follows_the_seed(void **state)
{
    (void)state;
    struct stage stages[STAGES];
    uint32_t differing = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint64_t order = order_of_stages(seed, NULL, stages);
        for (uint32_t i = 0; i < STAGES; i++) {
            assert_int_equal(stages[i].turns, 5);
        }
        assert_true(order == order_of_stages(seed, NULL, stages));
        differing += order != order_of_stages(seed + 1, NULL, stages);
    }
    assert_int_equal(differing, 20);
}

static void test_skipped_turns_come_later(void **state)
{
    (void)state;
    struct fil_sim_options options = {.chance = {[FIL_SIM_FAULT_CYCLE_SKIPPED] = 0.5}};
    struct stage stages[STAGES];
    uint32_t uneven = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        (void)order_of_stages(seed, &options, stages);
        for (uint32_t i = 0; i < STAGES; i++) {
            assert_int_equal(stages[i].work, 0);
            uneven += stages[i].turns != stages[0].turns;
        }
    }
    assert_true(uneven > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_until_the_condition_holds),
        cmocka_unit_test(test_clock_moves_to_the_next_timeout_when_all_are_idle),
        cmocka_unit_test(test_timeouts_are_kept_although_cycles_take_time),
        cmocka_unit_test(test_busy_loop_hits_the_step_limit),
        cmocka_unit_test(test_waiting_for_nothing_is_told_at_once),
        cmocka_unit_test(test_time_limit_ends_the_run_at_its_time),
        cmocka_unit_test(test_time_limit_ends_a_busy_run_too),
        cmocka_unit_test(test_event_left_for_the_next_turn_keeps_the_run_alive),
        cmocka_unit_test(test_order_of_turns_follows_the_seed),
        cmocka_unit_test(test_skipped_turns_come_later),
    };
    return cmocka_run_group_tests_name("sim_run", tests, NULL, NULL);
}
