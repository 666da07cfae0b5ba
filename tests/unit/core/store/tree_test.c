// SPDX-License-Identifier: Apache-2.0
/**
 * The tree, one test a promise: over random adds and removals it holds what an array holds, in
 * order; seeking finds the first that is not below; an entry can be redirected; an add without
 * memory changes nothing.
 */
#include "core/store/tree.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define NUMBERS 5000U

static struct fil_budget budget;
static struct fil_account account;
static struct fil_tree tree;
static uint8_t model[NUMBERS];

static int compare(const void *context, const struct fil_tree_entry *left,
                   const struct fil_tree_entry *right)
{
    (void)context;
    return (left->prefix > right->prefix) - (left->prefix < right->prefix);
}

static const struct fil_tree_order order = {.compare = compare};

static int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 30);
    fil_account_init(&account, &budget);
    fil_tree_init(&tree);
    memset(model, 0, sizeof(model));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_tree_fini(&tree, &account);
    fil_account_fini(&account);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

static struct fil_tree_entry entry_of(uint32_t number)
{
    return (struct fil_tree_entry){.prefix = number, .reference = number + 1};
}

static void toggle(uint32_t number)
{
    struct fil_tree_entry entry = entry_of(number);
    if (model[number] != 0) {
        assert_true(fil_tree_remove(&tree, &account, &order, &entry));
    } else {
        assert_int_equal(fil_tree_add(&tree, &account, &order, &entry), FIL_OK);
    }
    model[number] ^= 1;
}

static bool is_below(const void *context, const struct fil_tree_entry *entry)
{
    const uint64_t *wanted = context;
    return entry->prefix < *wanted;
}

static void check(void)
{
    uint64_t from = 0;
    struct fil_tree_place place = fil_tree_seek(&tree, is_below, &from);
    for (uint32_t i = 0; i < NUMBERS; i++) {
        if (model[i] != 0) {
            assert_non_null(fil_tree_at(&place));
            assert_int_equal(fil_tree_at(&place)->prefix, i);
            fil_tree_advance(&place);
        }
    }
    assert_null(fil_tree_at(&place));
    fil_tree_check(&tree, &order);
}

static void test_tree_holds_what_an_array_holds(void **state)
{
    (void)state;
    struct fil_prng prng;
    fil_prng_init(&prng, 11);
    for (uint32_t i = 0; i < 60000; i++) {
        uint32_t number = (uint32_t)fil_prng_below(&prng, NUMBERS);
        // Phases that fill and phases that empty, down to nothing.
        bool is_filling = i / 15000 % 2 == 0;
        if ((model[number] == 0) == is_filling || fil_prng_below(&prng, 8) == 0) {
            toggle(number);
        }
        if (i % 5000 == 0) {
            check();
        }
    }
    check();
    for (uint32_t i = 0; i < NUMBERS; i++) {
        if (model[i] != 0) {
            toggle(i);
        }
    }
    assert_int_equal(tree.count, 0);
    assert_int_equal(fil_account_used(&account), 0);
}

static void test_orderly_fill_and_drain_work(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < NUMBERS; i++) {
        toggle(i);
    }
    check();
    for (uint32_t i = NUMBERS; i > 0; i--) {
        toggle(i - 1);
        if (i % 500 == 0) {
            check();
        }
    }
    assert_null(tree.root);
}

static void test_seek_finds_the_first_not_below(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        toggle(i * 3);
    }
    for (uint64_t wanted = 0; wanted < 2998; wanted++) {
        struct fil_tree_place place = fil_tree_seek(&tree, is_below, &wanted);
        assert_int_equal(fil_tree_at(&place)->prefix, (wanted + 2) / 3 * 3);
    }
    uint64_t beyond = 3000;
    struct fil_tree_place place = fil_tree_seek(&tree, is_below, &beyond);
    assert_null(fil_tree_at(&place));
}

static void test_entries_are_redirected(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        toggle(i);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        struct fil_tree_entry entry = entry_of(i);
        assert_true(fil_tree_redirect(&tree, &order, &entry, i + 100000));
        uint64_t wanted = i;
        struct fil_tree_place place = fil_tree_seek(&tree, is_below, &wanted);
        assert_int_equal(fil_tree_at(&place)->reference, i + 100000);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        struct fil_tree_entry entry = {.prefix = i, .reference = i + 100000};
        assert_true(fil_tree_remove(&tree, &account, &order, &entry));
    }
    assert_int_equal(tree.count, 0);
}

static void test_every_failed_allocation_changes_nothing(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3000; i++) {
        struct fil_tree_entry entry = entry_of(i * 7 % NUMBERS);
        int error = FIL_E_NOMEM;
        for (int64_t position = 0; error != FIL_OK; position++) {
            fil_alloc_fail_after(position);
            error = fil_tree_add(&tree, &account, &order, &entry);
            fil_alloc_fail_after(-1);
            assert_int_equal(tree.count, i + (error == FIL_OK));
            assert_true(position < 6);
        }
        model[i * 7 % NUMBERS] = 1;
        if (i % 300 == 0) {
            check();
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(tree_holds_what_an_array_holds),          TEST(orderly_fill_and_drain_work),
        TEST(seek_finds_the_first_not_below),          TEST(entries_are_redirected),
        TEST(every_failed_allocation_changes_nothing),
    };
#undef TEST
    return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
