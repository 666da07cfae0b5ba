// SPDX-License-Identifier: Apache-2.0
/**
 * A multimap's contract, one test a promise: a key has each value once, or all in order; a limit
 * holds for each key; values go one by one and all together, and a key without values is not there;
 * every allocation may fail and leaves everything as it was; values are found under any key;
 * clearing spares locked keys, emptying does not; sizes are told at any time.
 */
#include "grid/map/multi.h"

#include "grid/map/lock.h"
#include "grid/map/shelf.h"
#include "tests/unit/grid/map/map_fixture.h"

#define TEXT_SIZE 128U

static struct fil_map_walk walk;
static uint32_t finished_count;

static int set_up(void **state)
{
    (void)state;
    open_map_with(&(struct fil_map_config){.values = FIL_MAP_VALUES_SET});
    finished_count = 0;
    return 0;
}

static int set_up_list(void **state)
{
    (void)state;
    open_map_with(&(struct fil_map_config){.values = FIL_MAP_VALUES_LIST, .value_count_max = 3});
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_map();
    return 0;
}

/** Whether it was new; below 0: why not. */
static int add(const char *key, const char *value)
{
    struct fil_map_key where = place(key);
    struct fil_partition *partition = go_in(&where);
    bool is_new = false;
    int error = fil_multimap_put_here(map, &where, text(value), now_ms(), &is_new);
    fil_partition_leave(partition);
    return error == FIL_OK ? is_new : error;
}

static bool remove_value(const char *key, const char *value)
{
    struct fil_map_key where = place(key);
    struct fil_partition *partition = go_in(&where);
    bool was_there = fil_multimap_remove_value_here(map, &where, text(value), now_ms());
    fil_partition_leave(partition);
    return was_there;
}

static uint64_t remove_all(const char *key)
{
    struct fil_map_key where = place(key);
    struct fil_partition *partition = go_in(&where);
    uint64_t count = fil_multimap_remove_here(map, &where, now_ms());
    fil_partition_leave(partition);
    return count;
}

static uint64_t count_of(const char *key)
{
    struct fil_map_key where = place(key);
    return fil_multimap_count_here(map, &where, now_ms());
}

static bool append(void *context, struct fil_bytes value)
{
    char *words = context;
    size_t size = strlen(words);
    (void)snprintf(words + size, TEXT_SIZE - size, "%.*s,", (int)value.size,
                   (const char *)value.data);
    return true;
}

static void assert_values(const char *key, const char *expected)
{
    struct fil_map_key where = place(key);
    char words[TEXT_SIZE] = "";
    fil_multimap_visit_here(map, &where, now_ms(), append, words);
    assert_string_equal(words, expected);
}

static void finish(struct fil_map_walk *finished, struct fil_runner *runner)
{
    assert_ptr_equal(finished, &walk);
    assert_non_null(runner);
    finished_count++;
}

static void run_walk(void) FIL_BEFORE_SHARING
{
    uint32_t before = finished_count;
    fil_map_walk_start(&walk, finish, NULL, &kernel.runner);
    (void)settle();
    assert_int_equal(finished_count, before + 1);
    assert_int_equal(walk.error, FIL_OK);
}

static void test_set_has_each_value_once(void **state)
{
    (void)state;
    assert_int_equal(add("k", "a"), true);
    assert_int_equal(add("k", "a"), false);
    assert_int_equal(add("k", "b"), true);
    assert_int_equal(add("l", "a"), true);
    assert_values("k", "a,b,");
    assert_values("none", "");
    assert_int_equal(count_of("k"), 2);
    assert_int_equal(fil_multimap_size(map), 3);
}

static void test_list_keeps_all_in_order_up_to_its_limit(void **state)
{
    (void)state;
    assert_int_equal(add("k", "a"), true);
    assert_int_equal(add("k", "b"), true);
    assert_int_equal(add("k", "a"), true);
    assert_int_equal(add("k", "c"), FIL_E_FULL);
    assert_int_equal(add("l", "c"), true);
    assert_values("k", "a,b,a,");
    assert_true(remove_value("k", "a"));
    assert_values("k", "b,a,");
}

static void test_values_go_and_the_key_with_the_last(void **state)
{
    (void)state;
    assert_int_equal(add("k", "a"), true);
    assert_int_equal(add("k", "b"), true);
    assert_true(remove_value("k", "a"));
    assert_false(remove_value("k", "a"));
    assert_false(remove_value("none", "a"));
    assert_true(remove_value("k", "b"));
    assert_int_equal(fil_map_collection_count(map), 0);
    assert_int_equal(add("k", "c"), true);
    assert_int_equal(add("k", "d"), true);
    assert_int_equal(remove_all("k"), 2);
    assert_int_equal(remove_all("k"), 0);
    assert_int_equal(fil_multimap_size(map), 0);
}

static void test_allocation_failures_change_nothing(void **state)
{
    (void)state;
    int error = FIL_E_NOMEM;
    int64_t failures = 0;
    for (; error == FIL_E_NOMEM; failures++) {
        fil_alloc_fail_after(failures);
        error = add("k", "a");
        fil_alloc_fail_after(-1);
        assert_int_equal(count_of("k"), error == true ? 1 : 0);
        assert_int_equal(fil_multimap_size(map), error == true ? 1 : 0);
    }
    assert_int_equal(error, true);
    assert_true(failures > 1);
}

static void test_value_is_found_under_any_key(void **state)
{
    (void)state;
    char key[16];
    for (uint32_t i = 0; i < 500; i++) {
        (void)snprintf(key, sizeof(key), "k%u", i);
        assert_int_equal(add(key, key), true);
    }
    fil_multimap_walk_contains_value(&walk, map, text("k333"));
    run_walk();
    assert_int_equal(walk.count, 1);
    fil_multimap_walk_contains_value(&walk, map, text("none"));
    run_walk();
    assert_int_equal(walk.count, 0);
    struct fil_map_key where = place("k7");
    assert_true(fil_multimap_contains_here(map, &where, text("k7"), now_ms()));
    assert_false(fil_multimap_contains_here(map, &where, text("k8"), now_ms()));
}

static void lock_key(const char *key)
{
    struct fil_map_key where = place(key);
    struct fil_partition *partition = go_in(&where);
    uint64_t wait_key = 0;
    struct fil_map_lock_wish wish = {.owner = {.member = 1}, .now_ms = now_ms()};
    assert_int_equal(fil_map_lock_here(map, &where, &wish, &wait_key), FIL_OK);
    fil_partition_leave(partition);
}

static void test_clear_spares_locked_keys(void **state)
{
    (void)state;
    char key[16];
    for (uint32_t i = 0; i < 500; i++) {
        (void)snprintf(key, sizeof(key), "k%u", i);
        assert_int_equal(add(key, "a"), true);
        assert_int_equal(add(key, "b"), true);
    }
    lock_key("k3");
    fil_multimap_walk_clear(&walk, map);
    run_walk();
    assert_int_equal(walk.count, 499);
    assert_values("k3", "a,b,");
    assert_int_equal(fil_multimap_size(map), 2);
    fil_multimap_walk_empty(&walk, map);
    run_walk();
    assert_int_equal(fil_multimap_size(map), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_set_has_each_value_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_list_keeps_all_in_order_up_to_its_limit, set_up_list,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_values_go_and_the_key_with_the_last, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_allocation_failures_change_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_value_is_found_under_any_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_clear_spares_locked_keys, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("multimap", tests, NULL, NULL);
}
