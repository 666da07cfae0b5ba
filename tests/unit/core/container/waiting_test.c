// SPDX-License-Identifier: Apache-2.0
/**
 * Waiting, one test a promise: those that wait are served in arrival order; who comes later does
 * not overtake one that was promised; a promise of one that goes away is passed on, and if nobody
 * waits it comes back; a deadline ends the wait and takes nothing; a call whose caller is gone
 * before it runs takes nothing.
 */
#include "tests/unit/core/container/probe_type.h"

#define TAKERS 100U

static struct pool *pool;

static int set_up(void **state)
{
    (void)state;
    open_world(&pool_type, NULL);
    pool = pool_of(get_container(&pool_type, "tokens"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_world();
    return 0;
}

static void test_served_in_arrival_order(void **state)
{
    (void)state;
    static struct errand takers[TAKERS];
    errands_done = 0;
    for (uint32_t i = 0; i < TAKERS; i++) {
        send_token(&takers[i], pool, 0);
        settle();
    }
    assert_int_equal(fil_counter_read(&pool->container.counters.waits), TAKERS);
    for (uint32_t i = 0; i < TAKERS; i++) {
        add_tokens(pool, 1 + i % 3);
        settle();
    }
    for (uint32_t i = 0; i < TAKERS; i++) {
        assert_true(takers[i].is_done);
        assert_int_equal(takers[i].error, FIL_OK);
        assert_int_equal(takers[i].done_order, i);
    }
}

static void test_later_one_does_not_overtake(void **state)
{
    (void)state;
    struct errand early = {.op.type = NULL};
    struct errand late = {.op.type = NULL};
    send_token(&early, pool, 0);
    settle();
    add_tokens(pool, 1); // early is woken and has not run
    late.work = token_work;
    late.target = pool;
    assert_int_equal(token_work(&late), FIL_E_AGAIN);
    settle();
    assert_true(early.is_done);
    assert_int_equal(pool->tokens, 0);
}

static void test_promise_is_passed_on(void **state)
{
    (void)state;
    struct errand first = {.op.type = NULL};
    struct errand second = {.op.type = NULL};
    send_token(&first, pool, 0);
    send_token(&second, pool, 0);
    settle();
    add_tokens(pool, 1);
    abandon_errand(&first);
    settle();
    assert_int_equal(first.error, FIL_E_CANCELLED);
    assert_true(second.is_done);
    assert_int_equal(second.error, FIL_OK);
    assert_int_equal(pool->tokens, 0);
}

static void test_promise_comes_back_when_nobody_waits(void **state)
{
    (void)state;
    struct errand only = {.op.type = NULL};
    send_token(&only, pool, 0);
    settle();
    add_tokens(pool, 1);
    abandon_errand(&only);
    settle();
    assert_int_equal(only.error, FIL_E_CANCELLED);
    assert_int_equal(pool->tokens, 1);
    assert_int_equal(pool->waiting.promised, 0);
}

static void test_deadline_ends_the_wait(void **state)
{
    (void)state;
    struct errand brief = {.op.type = NULL};
    struct errand patient = {.op.type = NULL};
    send_token(&brief, pool, 20);
    send_token(&patient, pool, 0);
    settle();
    pass_ms(30);
    settle();
    assert_true(brief.is_done);
    assert_int_equal(brief.error, FIL_E_TIMEOUT);
    assert_false(patient.is_done);
    add_tokens(pool, 1);
    settle();
    assert_int_equal(patient.error, FIL_OK);
    assert_int_equal(pool->tokens, 0);
}

static void test_deadline_after_the_promise_passes_it_on(void **state)
{
    (void)state;
    struct errand brief = {.op.type = NULL};
    struct errand patient = {.op.type = NULL};
    send_token(&brief, pool, 20);
    send_token(&patient, pool, 0);
    settle();
    add_tokens(pool, 1); // promised to the brief one, whose time is over before it runs
    pass_ms(30);
    settle();
    assert_int_equal(brief.error, FIL_E_TIMEOUT);
    assert_true(patient.is_done);
    assert_int_equal(patient.error, FIL_OK);
}

static void test_call_of_a_gone_caller_takes_nothing(void **state)
{
    (void)state;
    struct errand gone = {.op.type = NULL};
    add_tokens(pool, 1);
    send_token(&gone, pool, 0);
    abandon_errand(&gone);
    settle();
    assert_int_equal(gone.error, FIL_E_CANCELLED);
    assert_int_equal(pool->tokens, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_served_in_arrival_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_later_one_does_not_overtake, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_promise_is_passed_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_promise_comes_back_when_nobody_waits, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_deadline_ends_the_wait, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_deadline_after_the_promise_passes_it_on, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_call_of_a_gone_caller_takes_nothing, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("waiting", tests, NULL, NULL);
}
