// SPDX-License-Identifier: Apache-2.0
/**
 * Budget and account, one test a promise: a budget gives exactly its limit and counts what it
 * refuses; a draw that is refused disturbs nobody who still fits; an account draws in steps, near
 * the limit only what it needs, and gives surplus back; what it was refused changes nothing; the
 * step can be set; what is in use changes from one account to another even where nothing is left;
 * an account of data leaves what is spared, to the byte, and others may use it; large draws leave
 * room for small ones; what is left for the last resort only its part gets; what is used is exact
 * for every owner while others draw; a part draws from the whole as well, and either limit holds;
 * everything comes back in the end.
 */
#include "lib/mem/budget.h"

#include "lib/base/prng.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define STEP FIL_ACCOUNT_STEP_BYTES

static struct fil_budget budget;

static uint64_t refused(void)
{
    return atomic_load_explicit(&budget.refused_count, memory_order_relaxed);
}

static void test_budget_gives_exactly_its_limit(void **state)
{
    (void)state;
    fil_budget_init(&budget, 1000);
    assert_true(fil_budget_draw(&budget, 999));
    assert_false(fil_budget_draw(&budget, 2));
    assert_true(fil_budget_draw(&budget, 1));
    assert_int_equal(fil_budget_drawn(&budget), 1000);
    assert_true(fil_budget_draw(&budget, 0));
    assert_false(fil_budget_draw(&budget, 1));
    assert_int_equal(refused(), 2);
    fil_budget_return(&budget, 400);
    assert_false(fil_budget_draw(&budget, 401));
    assert_true(fil_budget_draw(&budget, 400));
    fil_budget_return(&budget, 1000);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_absurd_draws_are_refused(void **state)
{
    (void)state;
    fil_budget_init(&budget, 1000);
    assert_true(fil_budget_draw(&budget, 10));
    assert_false(fil_budget_draw(&budget, UINT64_MAX));
    assert_false(fil_budget_draw(&budget, UINT64_MAX - 5));
    assert_false(fil_budget_draw(&budget, 1001));
    assert_int_equal(fil_budget_drawn(&budget), 10);
    fil_budget_init(&budget, UINT64_MAX);
    assert_true(fil_budget_draw(&budget, UINT64_MAX));
    assert_false(fil_budget_draw(&budget, UINT64_MAX));
    fil_budget_return(&budget, UINT64_MAX);
}

static void test_part_draws_from_the_whole_as_well(void **state)
{
    (void)state;
    struct fil_budget part;
    fil_budget_init(&budget, 1000);
    fil_budget_init_part(&part, &budget, 600);
    assert_true(fil_budget_draw(&part, 500));
    assert_int_equal(fil_budget_drawn(&budget), 500);
    assert_false(fil_budget_draw(&part, 101)); // its own limit
    assert_true(fil_budget_draw(&budget, 450));
    assert_false(fil_budget_draw(&part, 60)); // that of the whole: nothing is taken of either
    assert_int_equal(fil_budget_drawn(&part), 500);
    assert_int_equal(fil_budget_drawn(&budget), 950);
    fil_budget_return(&part, 500);
    fil_budget_return(&budget, 450);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    struct fil_account account;
    fil_account_init(&account, &part);
    assert_true(fil_account_take(&account, 10));
    assert_int_equal(fil_budget_drawn(&budget), fil_budget_drawn(&part));
    fil_account_give(&account, 10);
    fil_account_fini(&account);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

#define DISTURBERS 2U
#define DRAWS      100000U

static _Atomic bool is_over;
static _Atomic uint32_t disturbers;
static _Atomic uint32_t wrongly_given;

/** Asks for more than there can be, again and again. */
static void disturb(void *context)
{
    (void)context;
    atomic_fetch_add_explicit(&disturbers, 1, memory_order_relaxed);
    while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
        if (fil_budget_draw(&budget, 900)) {
            atomic_fetch_add_explicit(&wrongly_given, 1, memory_order_relaxed);
        }
    }
}

static void test_refused_draw_disturbs_nobody_who_fits(void **state)
{
    (void)state;
    struct fil_thread threads[DISTURBERS];
    uint32_t wrongly_refused = 0;
    fil_budget_init(&budget, 1000);
    assert_true(fil_budget_draw(&budget, 200));
    atomic_store_explicit(&is_over, false, memory_order_relaxed);
    atomic_store_explicit(&wrongly_given, 0, memory_order_relaxed);
    for (uint32_t i = 0; i < DISTURBERS; i++) {
        assert_int_equal(fil_thread_start(&threads[i], "disturber", disturb, NULL), FIL_OK);
    }
    while (atomic_load_explicit(&disturbers, memory_order_relaxed) < DISTURBERS) {
        fil_thread_yield();
    }
    for (uint32_t i = 0; i < DRAWS; i++) {
        if (fil_budget_draw(&budget, 800)) {
            fil_budget_return(&budget, 800);
        } else {
            wrongly_refused++;
        }
    }
    atomic_store_explicit(&is_over, true, memory_order_relaxed);
    for (uint32_t i = 0; i < DISTURBERS; i++) {
        fil_thread_join(&threads[i]);
    }
    assert_int_equal(wrongly_refused, 0);
    assert_int_equal(atomic_load_explicit(&wrongly_given, memory_order_relaxed), 0);
    assert_int_equal(fil_budget_drawn(&budget), 200);
}

static void test_account_draws_in_steps(void **state)
{
    (void)state;
    struct fil_account account;
    fil_budget_init(&budget, 10 * STEP);
    fil_account_init(&account, &budget);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    assert_true(fil_account_take(&account, 1));
    assert_int_equal(fil_budget_drawn(&budget), STEP);
    assert_true(fil_account_take(&account, STEP - 1));
    assert_int_equal(fil_budget_drawn(&budget), STEP);
    assert_int_equal(fil_account_used(&account), STEP);
    assert_true(fil_account_take(&account, 3 * STEP));
    assert_int_equal(fil_budget_drawn(&budget), 4 * STEP);
    fil_account_give(&account, 4 * STEP);
    fil_account_fini(&account);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_account_near_the_limit_draws_what_it_needs(void **state)
{
    (void)state;
    struct fil_account account;
    fil_budget_init(&budget, STEP + 100);
    fil_account_init(&account, &budget);
    assert_true(fil_account_take(&account, STEP));
    assert_true(fil_account_take(&account, 40));
    assert_true(fil_account_take(&account, 60));
    // It got all it asked for: nobody was refused anything.
    assert_int_equal(refused(), 0);
    assert_int_equal(fil_budget_drawn(&budget), STEP + 100);
    assert_false(fil_account_take(&account, 1));
    assert_int_equal(refused(), 1);
    assert_int_equal(fil_account_used(&account), STEP + 100);
    assert_int_equal(fil_budget_drawn(&budget), STEP + 100);
    fil_account_give(&account, 10);
    assert_true(fil_account_take(&account, 10));
    assert_false(fil_account_take(&account, UINT64_MAX));
    fil_account_give(&account, STEP + 100);
    fil_account_fini(&account);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_surplus_goes_back_to_the_budget(void **state)
{
    (void)state;
    struct fil_account account;
    fil_budget_init(&budget, 100 * STEP);
    fil_account_init(&account, &budget);
    assert_true(fil_account_take(&account, 50 * STEP));
    for (uint32_t i = 0; i < 50; i++) {
        fil_account_give(&account, STEP);
        uint64_t drawn = fil_budget_drawn(&budget);
        assert_true(drawn >= fil_account_used(&account));
        assert_true(drawn <= fil_account_used(&account) + 2 * STEP);
    }
    fil_account_fini(&account);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_step_can_be_set(void **state)
{
    (void)state;
    struct fil_account account;
    fil_budget_init(&budget, 10000);
    fil_budget_divide(&budget, 100, 0);
    fil_account_init(&account, &budget);
    assert_true(fil_account_take(&account, 1));
    assert_int_equal(fil_budget_drawn(&budget), 100);
    assert_true(fil_account_take(&account, 5000));
    fil_account_give(&account, 5000);
    assert_true(fil_budget_drawn(&budget) <= 1 + 2 * 100);
    fil_account_give(&account, 1);
    fil_account_fini(&account);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_data_leaves_what_is_spared(void **state)
{
    (void)state;
    struct fil_account data;
    struct fil_account other;
    fil_budget_init(&budget, 10000);
    fil_budget_divide(&budget, 100, 1000);
    fil_account_init_data(&data, &budget);
    fil_account_init(&other, &budget);
    assert_true(fil_account_take(&data, 8999));
    assert_true(fil_account_take(&data, 1));
    assert_false(fil_account_take(&data, 1));
    assert_int_equal(refused(), 1);
    assert_true(fil_account_take(&other, 1000));
    assert_false(fil_account_take(&other, 1));
    // What the others use of the spared bytes, data still cannot have back from its own.
    assert_false(fil_account_take(&data, 1));
    fil_account_give(&other, 1000);
    fil_account_give(&data, 9000);
    fil_account_fini(&other);
    fil_account_fini(&data);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_large_draws_leave_room_for_small_ones(void **state)
{
    (void)state;
    const uint64_t spare = 2 * FIL_BUDGET_SMALL_PART * FIL_BUDGET_SMALL_BYTES;
    struct fil_account account;
    fil_budget_init(&budget, 100 * FIL_BUDGET_SMALL_BYTES);
    fil_budget_divide(&budget, 100, spare);
    fil_account_init(&account, &budget);
    assert_true(fil_budget_draw(&budget, budget.limit_bytes - 2 * FIL_BUDGET_SMALL_BYTES));
    assert_false(fil_budget_draw(&budget, FIL_BUDGET_SMALL_BYTES + 1));
    assert_false(fil_account_take(&account, FIL_BUDGET_SMALL_BYTES + 1));
    assert_true(fil_account_take(&account, FIL_BUDGET_SMALL_BYTES));
    assert_true(fil_budget_draw(&budget, FIL_BUDGET_SMALL_BYTES));
    fil_account_give(&account, FIL_BUDGET_SMALL_BYTES);
    fil_account_fini(&account);
    fil_budget_return(&budget, fil_budget_drawn(&budget));
}

static void test_last_resort_has_what_nobody_else_gets(void **state)
{
    (void)state;
    struct fil_budget last;
    struct fil_account account;
    fil_budget_init(&budget, 1000);
    fil_budget_divide(&budget, 10, 300);
    fil_budget_init_last(&last, &budget, 200);
    fil_budget_divide(&last, 50, 0);
    assert_true(fil_budget_draw(&budget, 800));
    assert_false(fil_budget_draw(&budget, 1));
    fil_account_init(&account, &last);
    assert_true(fil_account_take(&account, 120));
    assert_true(fil_budget_draw(&last, 80));
    assert_int_equal(fil_budget_drawn(&budget), 1000);
    assert_false(fil_budget_draw(&last, 1));
    assert_false(fil_account_take(&account, 1));
    // What the others return is theirs: the part has its limit.
    fil_budget_return(&budget, 100);
    assert_false(fil_budget_draw(&last, 1));
    // What the part has returned is still not the others'.
    fil_budget_return(&last, 80);
    assert_false(fil_budget_draw(&budget, 101));
    fil_account_give(&account, 120);
    fil_account_fini(&account);
    assert_int_equal(fil_budget_drawn(&last), 0);
    assert_true(fil_budget_draw(&budget, 100));
    assert_false(fil_budget_draw(&budget, 1));
    fil_budget_return(&budget, 800);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_loans_are_bounded_and_leave_others_their_share(void **state)
{
    (void)state;
    struct fil_account data;
    struct fil_account other;
    fil_budget_init(&budget, 10000);
    fil_budget_divide(&budget, 100, 1000);
    fil_budget_lend(&budget, 500);
    fil_account_init_data(&data, &budget);
    fil_account_init(&other, &budget);
    assert_true(fil_account_take(&data, 9000));
    assert_false(fil_account_take(&data, 1));
    data.may_borrow = true;
    assert_true(fil_account_take(&data, 500));
    data.may_borrow = false;
    assert_false(fil_account_take(&data, 1));
    // What is spared for the others is all there.
    assert_true(fil_account_take(&other, 1000));
    assert_false(fil_account_take(&other, 1));
    fil_account_give(&other, 1000);
    // Beyond the loan there is a half of it.
    data.may_borrow = true;
    assert_true(fil_account_take(&data, 500));
    assert_false(fil_account_take(&data, 1));
    data.may_borrow = false;
    assert_true(fil_account_take(&other, 500));
    assert_false(fil_account_take(&other, 1));
    fil_account_give(&other, 500);
    // Data has to come back below its own limit before it can grow again.
    fil_account_give(&data, 1000);
    fil_account_settle(&data);
    assert_false(fil_account_take(&data, 1));
    fil_account_give(&data, 9000);
    fil_account_fini(&other);
    fil_account_fini(&data);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

#define OWNERS 3U
#define TAKES  20000U

struct owner {
    struct fil_account account;
    uint64_t seed;
    uint64_t expected;
    uint64_t refused;
    bool is_wrong;
};

/** Takes and gives by chance and keeps count of its own. */
static void use_account(void *context)
{
    struct owner *owner = context;
    struct fil_prng prng;
    fil_prng_init(&prng, owner->seed);
    for (uint32_t i = 0; i < TAKES; i++) {
        uint64_t bytes = fil_prng_below(&prng, 2 * STEP);
        if (fil_prng_chance(&prng, 0.55)) {
            bool is_taken = fil_account_take(&owner->account, bytes);
            owner->expected += is_taken ? bytes : 0;
            owner->refused += !is_taken;
        } else if (bytes <= owner->expected) {
            fil_account_give(&owner->account, bytes);
            owner->expected -= bytes;
        }
        owner->is_wrong |= fil_account_used(&owner->account) != owner->expected;
        owner->is_wrong |= fil_budget_drawn(&budget) > budget.limit_bytes;
    }
}

static void test_use_changes_hands_where_nothing_is_left(void **state)
{
    (void)state;
    struct fil_account first;
    struct fil_account second;
    fil_budget_init(&budget, STEP);
    fil_account_init(&first, &budget);
    fil_account_init(&second, &budget);
    assert_true(fil_account_take(&first, STEP));
    fil_account_detach(&first, STEP - 10);
    assert_int_equal(fil_account_used(&first), 10);
    assert_int_equal(fil_budget_drawn(&budget), STEP);
    assert_false(fil_account_take(&second, 1));
    fil_account_attach(&second, STEP - 10);
    assert_int_equal(fil_account_used(&second), STEP - 10);
    assert_int_equal(fil_budget_drawn(&budget), STEP);
    fil_account_give(&first, 10);
    fil_account_give(&second, STEP - 10);
    fil_account_fini(&first);
    fil_account_fini(&second);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_accounts_are_exact_while_others_draw(void **state)
{
    (void)state;
    struct fil_thread threads[OWNERS];
    struct owner owners[OWNERS];
    uint64_t total_refused = 0;
    fil_budget_init(&budget, 60 * STEP);
    for (uint32_t i = 0; i < OWNERS; i++) {
        owners[i] = (struct owner){.seed = i};
        fil_account_init(&owners[i].account, &budget);
        assert_int_equal(fil_thread_start(&threads[i], "owner", use_account, &owners[i]), FIL_OK);
    }
    for (uint32_t i = 0; i < OWNERS; i++) {
        fil_thread_join(&threads[i]);
        assert_false(owners[i].is_wrong);
        total_refused += owners[i].refused;
    }
    assert_true(total_refused > 0);
    assert_int_equal(refused(), total_refused);
    for (uint32_t i = 0; i < OWNERS; i++) {
        fil_account_give(&owners[i].account, owners[i].expected);
        fil_account_fini(&owners[i].account);
    }
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budget_gives_exactly_its_limit),
        cmocka_unit_test(test_part_draws_from_the_whole_as_well),
        cmocka_unit_test(test_absurd_draws_are_refused),
        cmocka_unit_test(test_refused_draw_disturbs_nobody_who_fits),
        cmocka_unit_test(test_account_draws_in_steps),
        cmocka_unit_test(test_account_near_the_limit_draws_what_it_needs),
        cmocka_unit_test(test_surplus_goes_back_to_the_budget),
        cmocka_unit_test(test_step_can_be_set),
        cmocka_unit_test(test_data_leaves_what_is_spared),
        cmocka_unit_test(test_loans_are_bounded_and_leave_others_their_share),
        cmocka_unit_test(test_large_draws_leave_room_for_small_ones),
        cmocka_unit_test(test_last_resort_has_what_nobody_else_gets),
        cmocka_unit_test(test_use_changes_hands_where_nothing_is_left),
        cmocka_unit_test(test_accounts_are_exact_while_others_draw),
    };
    return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
