// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of a loop's backlog: nothing waits for a loop that waits for events; what the
 * last wait brought is as old as the turn; what came during the turn is seen in the poller and as
 * old as the first look at it; asking takes nothing away.
 */
#include <unistd.h>

#include "filbert/error.h"
#include "lib/mem/budget.h"
#include "lib/net/loop.h"
#include "tests/unit/harness.h"

#define MS UINT64_C(1000000)

static struct fil_budget budget;
static struct fil_loop loop;
static int ends[2];
static int context;

static int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 24);
    struct fil_env *env = fil_env_real();
    return fil_loop_init(&loop, &(struct fil_loop_options){.env = env, .budget = &budget}) !=
               FIL_OK ||
           pipe(ends) != 0 ||
           env->ops->poller_add(env, loop.poller, ends[0], FIL_POLL_READ, &context) != FIL_OK;
}

static int tear_down(void **state)
{
    (void)state;
    loop.env->ops->poller_remove(loop.env, loop.poller, ends[0]);
    (void)close(ends[0]);
    (void)close(ends[1]);
    fil_pool_adopt(&loop.chunks);
    fil_loop_fini(&loop);
    return 0;
}

static void make_ready(void)
{
    assert_int_equal(write(ends[1], "x", 1), 1);
}

static void test_nothing_waits_for_a_loop_that_waits(void **state)
{
    (void)state;
    make_ready();
    struct fil_loop_backlog backlog = fil_loop_read_backlog(&loop, 100 * MS);
    assert_int_equal(backlog.turn_ns, 0);
    assert_int_equal(backlog.events, 0);
    assert_false(fil_loop_is_held(&loop, 100 * MS));
}

static void test_what_the_last_wait_brought_is_as_old_as_the_turn(void **state)
{
    (void)state;
    atomic_store(&loop.turn_ns, 100 * MS);
    atomic_store(&loop.pending_count, 7);
    struct fil_loop_backlog backlog = fil_loop_read_backlog(&loop, 150 * MS);
    assert_int_equal(backlog.turn_ns, 50 * MS);
    assert_int_equal(backlog.events, 7);
    assert_int_equal(backlog.oldest_ns, 50 * MS);
    assert_true(fil_loop_is_held(&loop, 150 * MS));
    assert_false(fil_loop_is_held(&loop, 105 * MS));
}

static void test_what_came_during_the_turn_is_as_old_as_the_first_look(void **state)
{
    (void)state;
    atomic_store(&loop.turn_ns, 100 * MS);
    assert_int_equal(fil_loop_read_backlog(&loop, 110 * MS).events, 0);
    make_ready();
    assert_int_equal(fil_loop_read_backlog(&loop, 120 * MS).events, 1);
    struct fil_loop_backlog backlog = fil_loop_read_backlog(&loop, 150 * MS);
    assert_int_equal(backlog.events, 1);
    assert_int_equal(backlog.oldest_ns, 30 * MS);
    // A new turn, a new account.
    atomic_store(&loop.turn_ns, 200 * MS);
    assert_int_equal(fil_loop_read_backlog(&loop, 210 * MS).oldest_ns, 0);
}

static void test_asking_takes_nothing_away(void **state)
{
    (void)state;
    atomic_store(&loop.turn_ns, 100 * MS);
    make_ready();
    for (uint64_t i = 0; i < 10; i++) {
        assert_int_equal(fil_loop_read_backlog(&loop, (120 + i) * MS).events, 1);
    }
    struct fil_poll_event events[4];
    assert_int_equal(loop.env->ops->poller_wait(loop.env, loop.poller, events, 4, 0), 1);
    assert_ptr_equal(events[0].context, &context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nothing_waits_for_a_loop_that_waits, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_the_last_wait_brought_is_as_old_as_the_turn,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_came_during_the_turn_is_as_old_as_the_first_look,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_asking_takes_nothing_away, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("backlog", tests, NULL, NULL);
}
