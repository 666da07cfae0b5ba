// SPDX-License-Identifier: Apache-2.0
/**
 * The wheel's promises: a timer never fires early, at most a tick late, exactly once; it can be
 * moved and disarmed at any time; the next look is never later than the next timer; and all of
 * that holds for random times against a plain model.
 */
#include "lib/base/wheel.h"

#include <string.h>

#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define TICK_NS (UINT64_C(1) << FIL_WHEEL_TICK_SHIFT)
#define HOUR_NS (UINT64_C(3600) * 1000000000)

static struct fil_wheel wheel;

static void test_timer_fires_once_not_early_and_at_most_a_tick_late(void **state)
{
    (void)state;
    const uint64_t delays[] = {0,
                               1,
                               TICK_NS,
                               TICK_NS * 63,
                               TICK_NS * 64,
                               TICK_NS * 65 + 7,
                               TICK_NS * 4096,
                               TICK_NS * 300000 + 1,
                               3 * HOUR_NS,
                               30 * HOUR_NS};
    for (size_t i = 0; i < FIL_COUNT_OF(delays); i++) {
        uint64_t start_ns = 12345678901;
        uint64_t deadline_ns = start_ns + delays[i];
        struct fil_timer timer;
        fil_wheel_init(&wheel, start_ns);
        fil_timer_init(&timer);
        fil_wheel_arm(&wheel, &timer, deadline_ns);
        if (delays[i] > 0) {
            assert_null(fil_wheel_take(&wheel, deadline_ns - 1));
        }
        assert_ptr_equal(fil_wheel_take(&wheel, deadline_ns + TICK_NS), &timer);
        assert_null(fil_wheel_take(&wheel, deadline_ns + 40 * HOUR_NS));
        assert_false(fil_timer_is_armed(&timer));
    }
}

static void test_disarmed_timer_never_fires(void **state)
{
    (void)state;
    struct fil_timer timer;
    fil_wheel_init(&wheel, 0);
    fil_timer_init(&timer);
    fil_wheel_arm(&wheel, &timer, 100 * TICK_NS);
    fil_wheel_disarm(&wheel, &timer);
    fil_wheel_disarm(&wheel, &timer);
    assert_null(fil_wheel_take(&wheel, HOUR_NS));
    assert_int_equal(fil_wheel_next_ns(&wheel), FIL_WHEEL_NEVER);
}

static void test_timer_can_be_armed_again_from_its_own_firing(void **state)
{
    (void)state;
    struct fil_timer timer;
    fil_wheel_init(&wheel, 0);
    fil_timer_init(&timer);
    fil_wheel_arm(&wheel, &timer, TICK_NS);
    for (uint64_t round = 1; round < 1000; round++) {
        uint64_t now_ns = round * TICK_NS;
        assert_ptr_equal(fil_wheel_take(&wheel, now_ns), &timer);
        fil_wheel_arm(&wheel, &timer, now_ns + TICK_NS);
        assert_null(fil_wheel_take(&wheel, now_ns));
    }
}

#define MODEL_TIMERS 200U
#define MODEL_STEPS  20000U

struct model {
    struct fil_timer timers[MODEL_TIMERS];
    uint64_t deadlines[MODEL_TIMERS]; // 0: not armed
};

static uint64_t model_next(const struct model *model)
{
    uint64_t next = FIL_WHEEL_NEVER;
    for (size_t i = 0; i < MODEL_TIMERS; i++) {
        if (model->deadlines[i] != 0 && model->deadlines[i] < next) {
            next = model->deadlines[i];
        }
    }
    return next;
}

static void model_change(struct model *model, struct fil_prng *prng, uint64_t now_ns)
{
    size_t index = fil_prng_below(prng, MODEL_TIMERS);
    if (fil_prng_below(prng, 4) == 0) {
        fil_wheel_disarm(&wheel, &model->timers[index]);
        model->deadlines[index] = 0;
        return;
    }
    uint64_t span = UINT64_C(1) << (10 + fil_prng_below(prng, 36));
    model->deadlines[index] = now_ns + 1 + fil_prng_below(prng, span);
    fil_wheel_arm(&wheel, &model->timers[index], model->deadlines[index]);
}

static void model_expire(struct model *model, uint64_t now_ns)
{
    for (struct fil_timer *timer = fil_wheel_take(&wheel, now_ns); timer != NULL;
         timer = fil_wheel_take(&wheel, now_ns)) {
        size_t index = (size_t)(timer - model->timers);
        assert_true(model->deadlines[index] != 0);
        assert_true(model->deadlines[index] <= now_ns);
        model->deadlines[index] = 0;
    }
    for (size_t i = 0; i < MODEL_TIMERS; i++) {
        if (model->deadlines[i] != 0) {
            assert_true(model->deadlines[i] + TICK_NS > now_ns);
        }
    }
}

static void test_random_timers_agree_with_a_model(void **state)
{
    (void)state;
    static struct model model;
    struct fil_prng prng;
    fil_prng_init(&prng, 20261116);
    uint64_t now_ns = 5 * HOUR_NS + 17;
    fil_wheel_init(&wheel, now_ns);
    memset(&model, 0, sizeof(model));
    for (size_t i = 0; i < MODEL_TIMERS; i++) {
        fil_timer_init(&model.timers[i]);
    }
    for (uint32_t round = 0; round < MODEL_STEPS; round++) {
        model_change(&model, &prng, now_ns);
        uint64_t next_ns = fil_wheel_next_ns(&wheel);
        uint64_t expected_ns = model_next(&model);
        assert_true(expected_ns == FIL_WHEEL_NEVER ? next_ns == FIL_WHEEL_NEVER
                                                   : next_ns < expected_ns + TICK_NS);
        now_ns += fil_prng_below(&prng, UINT64_C(1) << fil_prng_below(&prng, 40));
        model_expire(&model, now_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_timer_fires_once_not_early_and_at_most_a_tick_late),
        cmocka_unit_test(test_disarmed_timer_never_fires),
        cmocka_unit_test(test_timer_can_be_armed_again_from_its_own_firing),
        cmocka_unit_test(test_random_timers_agree_with_a_model),
    };
    return cmocka_run_group_tests_name("wheel", tests, NULL, NULL);
}
