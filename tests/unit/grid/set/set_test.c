// SPDX-License-Identifier: Apache-2.0
/**
 * A set's contract, one test a promise: an item is in it once; the bound is for new items; many are
 * added all or none, at each allocation; many can be named; everything is visited once; listeners
 * hear; it works the same when it has grown.
 */
#include "grid/set/set.h"

#include "core/container/listen.h"
#include "tests/unit/core/container/container_fixture.h"

static struct fil_set *set;

static int set_up(void **state)
{
    (void)state;
    set = fil_set_of(open_inside(&fil_set_type, NULL));
    return 0;
}

static int set_up_bounded(void **state)
{
    static const struct fil_set_config config = {.size_max = 2};
    (void)state;
    set = fil_set_of(open_inside(&fil_set_type, &config));
    return 0;
}

/** Whether it was new; below 0: why not. */
static int add(const char *word)
{
    bool is_new = false;
    int error = fil_set_add_here(set, text(word), now_ms(), &is_new);
    return error == FIL_OK ? is_new : error;
}

static bool contains(const char *word)
{
    return fil_set_contains_here(set, text(word), now_ms());
}

static void test_item_is_in_it_once(void **state)
{
    (void)state;
    assert_int_equal(add("a"), true);
    assert_int_equal(add("a"), false);
    assert_int_equal(fil_set_size_here(set), 1);
    assert_true(fil_set_remove_here(set, text("a"), now_ms()));
    assert_false(fil_set_remove_here(set, text("a"), now_ms()));
    assert_false(contains("a"));
}

static void test_bound_is_for_new_items(void **state)
{
    (void)state;
    assert_int_equal(add("a"), true);
    assert_int_equal(add("b"), true);
    assert_int_equal(add("c"), FIL_E_FULL);
    assert_int_equal(add("a"), false);
    assert_int_equal(fil_counter_read(&set->container.counters.refused), 1);
}

static void test_many_are_added_all_or_none(void **state)
{
    (void)state;
    static char large[3000];
    struct fil_bytes more[] = {text("b"), text("a"), fil_bytes_make(large, sizeof(large))};
    bool has_changed = false;
    assert_int_equal(add("a"), true);
    int error = FIL_E_NOMEM;
    for (int64_t i = 0; error == FIL_E_NOMEM; i++) {
        fil_alloc_fail_after(i);
        error = fil_set_add_all_here(set, more, 3, now_ms(), &has_changed);
        fil_alloc_fail_after(-1);
        assert_int_equal(fil_set_size_here(set), error == FIL_OK ? 3 : 1);
        assert_true(contains("a"));
    }
    assert_int_equal(error, FIL_OK);
    assert_true(has_changed);
    assert_int_equal(fil_set_add_all_here(set, more, 3, now_ms(), &has_changed), FIL_OK);
    assert_false(has_changed);
}

static void test_many_can_be_named(void **state)
{
    (void)state;
    struct fil_bytes named[] = {text("a"), text("x")};
    bool has_changed = false;
    assert_int_equal(add("a"), true);
    assert_int_equal(add("b"), true);
    assert_int_equal(add("c"), true);
    assert_int_equal(
        fil_set_sift_here(set, FIL_SIFT_RETAIN_NAMED, named, 2, now_ms(), &has_changed), FIL_OK);
    assert_true(has_changed);
    assert_int_equal(fil_set_size_here(set), 1);
    assert_int_equal(
        fil_set_sift_here(set, FIL_SIFT_REMOVE_NAMED, named, 2, now_ms(), &has_changed), FIL_OK);
    assert_int_equal(fil_set_size_here(set), 0);
    assert_int_equal(
        fil_set_sift_here(set, FIL_SIFT_REMOVE_NAMED, named, 2, now_ms(), &has_changed), FIL_OK);
    assert_false(has_changed);
}

static void count(void *context, struct fil_bytes item)
{
    assert_true(item.size > 0);
    (*(uint32_t *)context)++;
}

static void test_grown_set_works_the_same(void **state)
{
    (void)state;
    char word[16];
    uint32_t visited = 0;
    for (uint32_t i = 0; i < 500; i++) {
        (void)snprintf(word, sizeof(word), "w%u", i);
        assert_int_equal(add(word), true);
    }
    assert_int_equal(add("w250"), false);
    assert_true(fil_set_remove_here(set, text("w250"), now_ms()));
    fil_set_visit_here(set, count, &visited);
    assert_int_equal(visited, 499);
    fil_set_type.clear(&set->container, now_ms());
    assert_int_equal(fil_counter_read(&set->container.counters.bytes), 0);
    assert_false(contains("w1"));
}

static uint32_t heard;

static void hear(void *context, const struct fil_container_event *event)
{
    (void)context;
    heard = heard * 10 + (uint32_t)event->kind;
}

static void test_listeners_hear(void **state)
{
    (void)state;
    struct fil_container_listener *listener = NULL;
    struct fil_container_listener_options options = {.kinds = 3, .deliver = hear};
    assert_int_equal(fil_container_listen_here(&set->container, &options, &listener), FIL_OK);
    assert_int_equal(add("a"), true);
    assert_int_equal(add("a"), false);
    assert_int_equal(add("b"), true);
    assert_true(fil_set_remove_here(set, text("a"), now_ms()));
    fil_set_type.clear(&set->container, now_ms());
    heard = 0;
    deliver_events();
    assert_int_equal(heard, 1122);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_item_is_in_it_once, set_up, leave_world),
        cmocka_unit_test_setup_teardown(test_bound_is_for_new_items, set_up_bounded, leave_world),
        cmocka_unit_test_setup_teardown(test_many_are_added_all_or_none, set_up, leave_world),
        cmocka_unit_test_setup_teardown(test_many_can_be_named, set_up, leave_world),
        cmocka_unit_test_setup_teardown(test_grown_set_works_the_same, set_up, leave_world),
        cmocka_unit_test_setup_teardown(test_listeners_hear, set_up, leave_world),
    };
    return cmocka_run_group_tests_name("set", tests, NULL, NULL);
}
