// SPDX-License-Identifier: Apache-2.0
/**
 * A dict's contract, one test a promise: a small one is a sequence; it grows into a store with the
 * 129th entry or the first long one; without memory it is as it was, at each allocation; clearing
 * gives everything back; a set keeps keys only; picking finds what is there. And a choice knows
 * what was named.
 */
#include "core/items/dict.h"

#include <stdio.h>
#include <string.h>

#include "core/items/choice.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

static const struct fil_store_options options = {.hash_seed = 5};
static struct fil_budget budget;
static struct fil_account account;
static struct fil_dict dict;

static int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 26);
    fil_account_init(&account, &budget);
    fil_dict_init(&dict, &account, &options, true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_dict_fini(&dict);
    assert_int_equal(fil_account_used(&account), 0);
    fil_account_fini(&account);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

static int put(const char *key, const char *value)
{
    bool is_new = false;
    return fil_dict_put(&dict, fil_bytes_of(key), fil_bytes_of(value), &is_new);
}

static void put_many(uint32_t count)
{
    char key[16];
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(key, sizeof(key), "k%u", i);
        assert_int_equal(put(key, "v"), FIL_OK);
    }
}

static void assert_value(const char *key, const char *expected)
{
    struct fil_bytes value = {0};
    assert_true(fil_dict_find(&dict, fil_bytes_of(key), &value));
    assert_true(fil_bytes_equal_text(value, expected));
}

static void test_small_one_is_a_sequence(void **state)
{
    (void)state;
    put_many(10);
    assert_int_equal(put("k3", "other"), FIL_OK);
    assert_null(dict.large);
    assert_int_equal(fil_dict_count(&dict), 10);
    assert_value("k3", "other");
    assert_true(fil_dict_remove(&dict, fil_bytes_of("k0")));
    assert_false(fil_dict_remove(&dict, fil_bytes_of("k0")));
    assert_true(fil_dict_bytes(&dict) < 150);
}

static void test_grows_into_a_store(void **state)
{
    (void)state;
    put_many(FIL_DICT_SMALL_ENTRIES);
    assert_null(dict.large);
    assert_int_equal(put("one more", "x"), FIL_OK);
    assert_non_null(dict.large);
    assert_value("k7", "v");
    assert_int_equal(fil_dict_count(&dict), FIL_DICT_SMALL_ENTRIES + 1);
    fil_dict_clear(&dict);
    char longer[FIL_DICT_SMALL_BYTES + 2];
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = 0;
    assert_int_equal(put("key", longer), FIL_OK);
    assert_non_null(dict.large);
}

static void test_without_memory_it_is_as_it_was(void **state)
{
    (void)state;
    put_many(FIL_DICT_SMALL_ENTRIES);
    int error = FIL_E_NOMEM;
    for (int64_t i = 0; error == FIL_E_NOMEM; i++) {
        fil_alloc_fail_after(i);
        error = put("one more", "x");
        fil_alloc_fail_after(-1);
        assert_int_equal(fil_dict_count(&dict), FIL_DICT_SMALL_ENTRIES + (error == FIL_OK));
        assert_value("k100", "v");
    }
    assert_int_equal(error, FIL_OK);
}

static void test_clearing_gives_everything_back(void **state)
{
    (void)state;
    put_many(1000);
    assert_true(fil_dict_bytes(&dict) > 0);
    fil_dict_clear(&dict);
    assert_int_equal(fil_dict_bytes(&dict), 0);
    assert_int_equal(fil_account_used(&account), 0);
}

static void test_set_keeps_keys_only(void **state)
{
    (void)state;
    bool is_new = false;
    fil_dict_init(&dict, &account, &options, false);
    assert_int_equal(fil_dict_put(&dict, fil_bytes_of("a"), (struct fil_bytes){0}, &is_new),
                     FIL_OK);
    assert_true(is_new);
    assert_int_equal(fil_dict_put(&dict, fil_bytes_of("a"), (struct fil_bytes){0}, &is_new),
                     FIL_OK);
    assert_false(is_new);
    assert_int_equal(dict.small.count, 1);
    struct fil_bytes key;
    struct fil_bytes value;
    assert_true(fil_dict_pick(&dict, 12345, &key, &value));
    assert_true(fil_bytes_equal_text(key, "a"));
}

static void test_choice_knows_what_was_named(void **state)
{
    (void)state;
    struct fil_bytes named[] = {fil_bytes_of("a"), fil_bytes_of("b"), fil_bytes_of("a")};
    struct fil_choice choice;
    assert_int_equal(fil_choice_init(&choice, named, 3, 1), FIL_OK);
    assert_true(fil_choice_has(&choice, fil_bytes_of("b")));
    assert_false(fil_choice_has(&choice, fil_bytes_of("c")));
    assert_int_equal(choice.distinct, 2);
    assert_int_equal(put("a", "b"), FIL_OK); // as a sequence: "a", "b"
    assert_true(fil_choice_is_covered(&choice, &dict.small, 0));
    fil_choice_fini(&choice);
    assert_int_equal(fil_choice_init(&choice, named, 3, 1), FIL_OK);
    assert_false(fil_choice_is_covered(&choice, &dict.small, 1));
    fil_choice_fini(&choice);
    fil_alloc_fail_after(0);
    assert_int_equal(fil_choice_init(&choice, named, 3, 1), FIL_E_NOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_small_one_is_a_sequence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_grows_into_a_store, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_memory_it_is_as_it_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_clearing_gives_everything_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_set_keeps_keys_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_choice_knows_what_was_named, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("dict", tests, NULL, NULL);
}
