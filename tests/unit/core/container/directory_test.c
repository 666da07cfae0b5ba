// SPDX-License-Identifier: Apache-2.0
/**
 * The directory's contract, one test a promise: a container is made once and found again; names
 * and counts have limits; a type it does not know is refused; without memory nothing is left
 * behind, at each allocation; all are met in a walk; settings come from the owner; upkeep runs when
 * it is due, and not when nothing is.
 */
#include "tests/unit/core/container/probe_type.h"

static int set_up(void **state)
{
    (void)state;
    open_world(&pool_type, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_world();
    return 0;
}

static void test_container_is_made_once_and_found(void **state)
{
    (void)state;
    assert_null(fil_directory_find(directory, &pool_type, text("a")));
    struct fil_container *first = get_container(&pool_type, "a");
    assert_ptr_equal(get_container(&pool_type, "a"), first);
    assert_ptr_not_equal(get_container(&pool_type, "b"), first);
    assert_ptr_equal(fil_directory_find(directory, &pool_type, text("a")), first);
    assert_string_equal(first->name, "a");
    assert_int_equal(fil_directory_count(directory, &pool_type), 2);
    assert_true(first->partition_id < PARTITIONS);
}

static void test_names_and_counts_have_limits(void **state)
{
    (void)state;
    char name[FIL_CONTAINER_NAME_MAX + 1];
    struct fil_container *container = NULL;
    memset(name, 'x', sizeof(name));
    assert_int_equal(
        fil_directory_get(directory, &pool_type, fil_bytes_make(name, sizeof(name)), &container),
        FIL_E_LIMIT);
    for (int i = 0; i < 4; i++) {
        (void)get_container(&pool_type, (char[]){(char)('a' + i), 0});
    }
    assert_int_equal(fil_directory_get(directory, &pool_type, text("e"), &container), FIL_E_LIMIT);
    assert_int_equal(fil_directory_get(directory, &pool_type, text("d"), &container), FIL_OK);
}

static void test_unknown_type_is_refused(void **state)
{
    (void)state;
    struct fil_container_type other = pool_type;
    struct fil_container *container = NULL;
    assert_int_equal(fil_directory_get(directory, &other, text("a"), &container),
                     FIL_E_UNSUPPORTED);
    assert_null(fil_directory_find(directory, &other, text("a")));
    assert_ptr_equal(fil_directory_type(directory, text("pool")), &pool_type);
    assert_null(fil_directory_type(directory, text("other")));
}

static void test_without_memory_nothing_is_left(void **state)
{
    (void)state;
    struct fil_container *container = NULL;
    fil_alloc_fail_after(0);
    assert_int_equal(fil_directory_get(directory, &pool_type, text("a"), &container), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    assert_int_equal(fil_directory_count(directory, &pool_type), 0);
    assert_int_equal(fil_budget_drawn(&world_budget), 0);
    const struct fil_directory_options *options = fil_directory_options(directory);
    struct fil_directory *other = NULL;
    int error = FIL_E_NOMEM;
    for (int64_t i = 0; error == FIL_E_NOMEM; i++) {
        fil_alloc_fail_after(i);
        error = fil_directory_new(&other, options);
        fil_alloc_fail_after(-1);
    }
    assert_int_equal(error, FIL_OK);
    fil_directory_free(other);
}

static void test_walk_meets_all(void **state)
{
    (void)state;
    struct fil_directory_cursor cursor = {0};
    assert_null(fil_directory_next(directory, &cursor));
    (void)get_container(&pool_type, "a");
    (void)get_container(&pool_type, "b");
    cursor = (struct fil_directory_cursor){0};
    struct fil_container *first = fil_directory_next(directory, &cursor);
    struct fil_container *second = fil_directory_next(directory, &cursor);
    assert_non_null(first);
    assert_non_null(second);
    assert_ptr_not_equal(first, second);
    assert_null(fil_directory_next(directory, &cursor));
}

static void test_settings_come_from_the_owner(void **state)
{
    (void)state;
    assert_int_equal(pool_of(get_container(&pool_type, "a"))->tokens, 0);
    uint64_t seven = 7;
    world_config = &seven;
    assert_int_equal(pool_of(get_container(&pool_type, "b"))->tokens, 7);
}

static void test_upkeep_runs_when_due(void **state)
{
    (void)state;
    struct pool *pool = pool_of(get_container(&pool_type, "a"));
    struct fil_partition *partition = go_in(&pool->container);
    fil_container_ask_upkeep_here(&pool->container, now_ms() + 50);
    fil_partition_leave(partition);
    settle();
    assert_int_equal(pool->upkeep_count, 0);
    pass_ms(60);
    settle();
    assert_int_equal(pool->upkeep_count, 1);
    pass_ms(60);
    settle();
    pass_ms(60);
    settle();
    assert_int_equal(pool->upkeep_count, 2);
}

static void test_counts_out_of_range_are_refused(void **state)
{
    (void)state;
    struct fil_directory_options options = *fil_directory_options(directory);
    struct fil_directory *other = NULL;
    options.count_max = 0;
    assert_int_equal(fil_directory_new(&other, &options), FIL_E_INVALID);
    options.count_max = FIL_DIRECTORY_COUNT_MAX + 1;
    assert_int_equal(fil_directory_new(&other, &options), FIL_E_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_container_is_made_once_and_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_names_and_counts_have_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unknown_type_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_memory_nothing_is_left, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_walk_meets_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_settings_come_from_the_owner, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_upkeep_runs_when_due, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_counts_out_of_range_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("directory", tests, NULL, NULL);
}
