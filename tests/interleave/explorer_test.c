// SPDX-License-Identifier: Apache-2.0
/**
 * The explorer's promises: it plays every order and tells how many there are; it does not stop at
 * memory that nobody shares; it finds lost updates, deadlocks, endless loops and failed assertions,
 * and in worlds with store buffers whatever x86 allows and no more; time passes when all sleep; a
 * case that bounds its interruptions gets all orders with so many and no others.
 */
#include "tests/interleave/explorer.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/futex.h"
#include "tests/interleave/explored_atomic.h"
#include "tests/unit/harness.h"

static struct world {
    _Atomic uint32_t x;
    _Atomic uint32_t y;
    uint32_t seen[2];
    uint64_t woken_ns;
    bool may_go_on;
} world;

// What is seen over all schedules, outside of the world.
static bool has_seen[2][2];

struct actors {
    fil_explorer_fn first;
    fil_explorer_fn second; // NULL: only one
};

static void set_up(void *context)
{
    const struct actors *actors = context;
    memset(&world, 0, sizeof(world));
    fil_explorer_track(&world, sizeof(world));
    (void)fil_explorer_add("first", actors->first, NULL);
    if (actors->second != NULL) {
        (void)fil_explorer_add("second", actors->second, NULL);
    }
}

static void check_nothing(void *context)
{
    (void)context;
}

static struct fil_explorer_result explore(struct fil_explorer_case explored, fil_explorer_fn first,
                                          fil_explorer_fn second)
{
    struct actors actors = {.first = first, .second = second};
    explored.name = "explorer_test";
    explored.set_up = set_up;
    explored.context = &actors;
    explored.is_quiet = true;
    if (explored.check == NULL) {
        explored.check = check_nothing;
    }
    return fil_explorer_run(&explored);
}

static void store_twice(void *context)
{
    (void)context;
    fil_explored_store(&world.x, 1, memory_order_seq_cst);
    fil_explored_store(&world.x, 2, memory_order_seq_cst);
}

static void store_thrice(void *context)
{
    (void)context;
    store_twice(context);
    fil_explored_store(&world.x, 3, memory_order_seq_cst);
}

static void test_all_orders_are_counted(void **state)
{
    (void)state;
    struct fil_explorer_result result =
        explore((struct fil_explorer_case){0}, store_twice, store_thrice);
    assert_false(result.has_failed);
    // Five steps, of which two are the first actor's: 5 over 2.
    assert_int_equal((int)result.schedule_count, 10);
    assert_int_equal(result.shared_count, 1);
}

static void test_interruptions_are_bounded(void **state)
{
    (void)state;
    // Of the orders above two interrupt nobody; three need one, four need two, one needs three.
    static const int expected[] = {5, 9, 10, 10};
    for (uint32_t i = 0; i < FIL_COUNT_OF(expected); i++) {
        struct fil_explorer_result result = explore(
            (struct fil_explorer_case){.interruptions_max = i + 1}, store_twice, store_thrice);
        assert_false(result.has_failed);
        assert_int_equal((int)result.schedule_count, expected[i]);
    }
}

static void use_x(void *context)
{
    store_twice(context);
}

static void use_y(void *context)
{
    (void)context;
    fil_explored_store(&world.y, 1, memory_order_seq_cst);
    fil_explored_store(&world.y, 2, memory_order_seq_cst);
}

static void test_private_memory_makes_no_choices(void **state)
{
    (void)state;
    struct fil_explorer_result result = explore((struct fil_explorer_case){0}, use_x, use_y);
    assert_false(result.has_failed);
    assert_int_equal(result.state_count, 0);
    assert_int_equal(result.shared_count, 0);
    assert_int_equal(result.end_count, 1);
}

static void increment_in_two_steps(void *context)
{
    (void)context;
    uint32_t before = fil_explored_load(&world.x, memory_order_seq_cst);
    fil_explored_store(&world.x, before + 1, memory_order_seq_cst);
}

static void increment(void *context)
{
    (void)context;
    (void)fil_explored_fetch_add(&world.x, 1, memory_order_seq_cst);
}

static void check_two(void *context)
{
    (void)context;
    if (world.x != 2) {
        fil_explorer_fail("x is %u", world.x);
    }
}

static void test_lost_update_is_found(void **state)
{
    (void)state;
    struct fil_explorer_case explored = {.check = check_two};
    struct fil_explorer_result result =
        explore(explored, increment_in_two_steps, increment_in_two_steps);
    assert_true(result.has_failed);
    assert_string_equal(result.failure, "x is 1");
    assert_false(explore(explored, increment, increment).has_failed);
}

static void sleep_on_x(void *context)
{
    (void)context;
    while (fil_explored_load(&world.x, memory_order_seq_cst) == 0) {
        (void)!fil_futex_wait(&world.x, 0, FIL_WAIT_FOREVER);
    }
}

static void set_x_and_wake(void *context)
{
    (void)context;
    fil_explored_store(&world.x, 1, memory_order_seq_cst);
    fil_futex_wake(&world.x, 1);
}

static void wake_and_set_x(void *context)
{
    (void)context;
    fil_futex_wake(&world.x, 1);
    fil_explored_store(&world.x, 1, memory_order_seq_cst);
}

static void test_lost_wake_up_is_a_deadlock(void **state)
{
    (void)state;
    struct fil_explorer_result result =
        explore((struct fil_explorer_case){0}, sleep_on_x, wake_and_set_x);
    assert_true(result.has_failed);
    assert_string_equal(result.failure, "deadlock: first (asleep)");
    assert_false(explore((struct fil_explorer_case){0}, sleep_on_x, set_x_and_wake).has_failed);
}

static bool is_allowed(void *context)
{
    (void)context;
    return world.may_go_on;
}

static void wait_for_leave(void *context)
{
    (void)context;
    fil_explorer_wait_until(is_allowed, NULL);
}

static bool allow(void *context)
{
    (void)context;
    bool is_first = !world.may_go_on;
    world.may_go_on = true;
    return is_first;
}

static void test_rest_may_go_on(void **state)
{
    (void)state;
    struct fil_explorer_case explored = {.rest = allow};
    assert_false(explore(explored, wait_for_leave, NULL).has_failed);
    assert_true(explore((struct fil_explorer_case){0}, wait_for_leave, NULL).has_failed);
}

static void spin_on_x(void *context)
{
    (void)context;
    while (fil_explored_load(&world.x, memory_order_seq_cst) == 0) {
    }
}

static void test_spinning_ends_when_somebody_ends_it(void **state)
{
    (void)state;
    struct fil_explorer_result result =
        explore((struct fil_explorer_case){0}, spin_on_x, increment);
    assert_false(result.has_failed);
    assert_true(result.state_count < 10);
}

static void set_y(void *context)
{
    (void)context;
    (void)fil_explored_load(&world.x, memory_order_seq_cst);
    fil_explored_store(&world.x, 0, memory_order_seq_cst);
}

static void test_spinning_for_ever_is_found(void **state)
{
    (void)state;
    struct fil_explorer_result result = explore((struct fil_explorer_case){0}, spin_on_x, set_y);
    assert_true(result.has_failed);
    assert_string_equal(result.failure, "no end can be reached, first goes round in circles");
}

static void assert_x_is_zero(void *context)
{
    (void)context;
    fil_assert(fil_explored_load(&world.x, memory_order_seq_cst) == 0);
}

static void test_failed_assertion_is_found(void **state)
{
    (void)state;
    struct fil_explorer_result result =
        explore((struct fil_explorer_case){0}, assert_x_is_zero, increment);
    assert_true(result.has_failed);
    assert_memory_equal(result.failure, "assertion failed: ", 18);
}

// Store buffers: each writes one place and reads the other.

static void write_x_read_y(void *context)
{
    (void)context;
    fil_explored_store(&world.x, 1, memory_order_release);
    world.seen[0] = fil_explored_load(&world.y, memory_order_seq_cst);
}

static void write_y_read_x(void *context)
{
    (void)context;
    fil_explored_store(&world.y, 1, memory_order_release);
    world.seen[1] = fil_explored_load(&world.x, memory_order_seq_cst);
}

static void write_x_read_y_ordered(void *context)
{
    (void)context;
    fil_explored_store(&world.x, 1, memory_order_seq_cst);
    world.seen[0] = fil_explored_load(&world.y, memory_order_seq_cst);
}

static void write_y_read_x_ordered(void *context)
{
    (void)context;
    fil_explored_store(&world.y, 1, memory_order_seq_cst);
    world.seen[1] = fil_explored_load(&world.x, memory_order_seq_cst);
}

static void note_seen(void *context)
{
    (void)context;
    has_seen[world.seen[0]][world.seen[1]] = true;
}

static void test_buffered_stores_are_seen_late(void **state)
{
    (void)state;
    memset(has_seen, 0, sizeof(has_seen));
    struct fil_explorer_case explored = {.check = note_seen, .has_store_buffers = true};
    assert_false(explore(explored, write_x_read_y, write_y_read_x).has_failed);
    assert_true(has_seen[0][0] && has_seen[0][1] && has_seen[1][0] && has_seen[1][1]);
}

static void test_ordered_stores_are_not_buffered(void **state)
{
    (void)state;
    memset(has_seen, 0, sizeof(has_seen));
    struct fil_explorer_case explored = {.check = note_seen, .has_store_buffers = true};
    assert_false(explore(explored, write_x_read_y_ordered, write_y_read_x_ordered).has_failed);
    assert_true(!has_seen[0][0] && has_seen[0][1] && has_seen[1][0] && has_seen[1][1]);

    memset(has_seen, 0, sizeof(has_seen));
    explored.has_store_buffers = false;
    assert_false(explore(explored, write_x_read_y, write_y_read_x).has_failed);
    assert_true(!has_seen[0][0] && has_seen[0][1] && has_seen[1][0] && has_seen[1][1]);
}

static void write_x_then_y(void *context)
{
    (void)context;
    fil_explored_store(&world.x, 1, memory_order_release);
    fil_explored_store(&world.y, 1, memory_order_release);
    // Its own stores are visible to itself at once.
    fil_assert(fil_explored_load(&world.x, memory_order_relaxed) == 1);
}

static void read_y_then_x(void *context)
{
    (void)context;
    world.seen[0] = fil_explored_load(&world.y, memory_order_seq_cst);
    world.seen[1] = fil_explored_load(&world.x, memory_order_seq_cst);
}

static void test_buffered_stores_keep_their_order(void **state)
{
    (void)state;
    memset(has_seen, 0, sizeof(has_seen));
    struct fil_explorer_case explored = {.check = note_seen, .has_store_buffers = true};
    assert_false(explore(explored, write_x_then_y, read_y_then_x).has_failed);
    assert_true(has_seen[0][0] && has_seen[0][1] && !has_seen[1][0] && has_seen[1][1]);
}

// Time.

static void sleep_for_a_second(void *context)
{
    (void)context;
    int result = fil_futex_wait(&world.x, 0, 1000000000);
    fil_assert(result == FIL_E_TIMEOUT || result == FIL_OK);
    world.woken_ns = fil_explorer_now_ns();
}

static void check_a_second_has_passed(void *context)
{
    (void)context;
    if (world.woken_ns != FIL_EXPLORER_START_NS + 1000000000) {
        fil_explorer_fail("woken at %llu", (unsigned long long)world.woken_ns);
    }
}

static void test_time_passes_when_all_sleep(void **state)
{
    (void)state;
    struct fil_explorer_case explored = {.check = check_a_second_has_passed};
    assert_false(explore(explored, sleep_for_a_second, NULL).has_failed);
    assert_true(explore(explored, sleep_for_a_second, set_x_and_wake).has_failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_orders_are_counted),
        cmocka_unit_test(test_interruptions_are_bounded),
        cmocka_unit_test(test_private_memory_makes_no_choices),
        cmocka_unit_test(test_lost_update_is_found),
        cmocka_unit_test(test_lost_wake_up_is_a_deadlock),
        cmocka_unit_test(test_rest_may_go_on),
        cmocka_unit_test(test_spinning_ends_when_somebody_ends_it),
        cmocka_unit_test(test_spinning_for_ever_is_found),
        cmocka_unit_test(test_failed_assertion_is_found),
        cmocka_unit_test(test_buffered_stores_are_seen_late),
        cmocka_unit_test(test_ordered_stores_are_not_buffered),
        cmocka_unit_test(test_buffered_stores_keep_their_order),
        cmocka_unit_test(test_time_passes_when_all_sleep),
    };
    return cmocka_run_group_tests_name("explorer", tests, NULL, NULL);
}
