// SPDX-License-Identifier: Apache-2.0
/**
 * A replicated map's contract, one test a promise: it gives back what was put, and the old value;
 * entries expire by themselves; values can be looked for; listeners hear of every kind of change; a
 * refused put changes nothing; cleared it is empty.
 */
#include "grid/replicated/replicated.h"

#include "core/container/listen.h"
#include "tests/unit/core/container/container_fixture.h"

static struct fil_replicated *map;

static int set_up(void **state)
{
    (void)state;
    open_world(&fil_replicated_type, NULL);
    map = fil_replicated_of(get_container(&fil_replicated_type, "settings"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_world();
    return 0;
}

static void put(const char *key, const char *value, uint64_t ttl_ms, const char *old)
{
    struct fil_bytes before = {0};
    struct fil_partition *partition = go_in(&map->container);
    assert_int_equal(
        fil_replicated_put_here(map, text(key), text(value), ttl_ms, now_ms(), &before), FIL_OK);
    assert_int_equal(before.data != NULL, old != NULL);
    assert_true(old == NULL || fil_bytes_equal_text(before, old));
    fil_partition_leave(partition);
}

static bool has(const char *key, const char *value)
{
    struct fil_bytes found = {0};
    return fil_replicated_get_here(map, text(key), now_ms(), &found) &&
           fil_bytes_equal_text(found, value);
}

static void test_gives_back_what_was_put(void **state)
{
    (void)state;
    struct fil_bytes old = {0};
    put("a", "1", 0, NULL);
    put("a", "2", 0, "1");
    assert_true(has("a", "2"));
    assert_true(fil_replicated_remove_here(map, text("a"), now_ms(), &old));
    assert_true(fil_bytes_equal_text(old, "2"));
    assert_false(fil_replicated_remove_here(map, text("a"), now_ms(), &old));
    assert_int_equal(fil_replicated_size_here(map), 0);
}

static uint32_t heard;

static void hear(void *context, const struct fil_container_event *event)
{
    (void)context;
    heard = heard * 100 + (uint32_t)event->kind;
}

static void listen(void)
{
    struct fil_container_listener *listener = NULL;
    struct fil_container_listener_options options = {
        .kinds = UINT32_MAX, .has_items = true, .deliver = hear};
    struct fil_partition *partition = go_in(&map->container);
    assert_int_equal(fil_container_listen_here(&map->container, &options, &listener), FIL_OK);
    fil_partition_leave(partition);
    heard = 0;
}

static void test_entries_expire_by_themselves(void **state)
{
    (void)state;
    listen();
    put("a", "1", 100, NULL);
    put("b", "2", 0, NULL);
    pass_ms(101);
    assert_false(has("a", "1"));
    pass_ms(200);
    settle();
    assert_int_equal(fil_counter_read(&map->container.counters.items), 1);
    assert_int_equal(fil_counter_read(&map->container.counters.expired), 1);
    assert_true(has("b", "2"));
    deliver_events();
    assert_int_equal(heard, 10108);
}

static void test_listeners_hear_of_every_change(void **state)
{
    (void)state;
    struct fil_bytes old = {0};
    listen();
    put("a", "1", 0, NULL);
    put("a", "2", 0, "1");
    struct fil_partition *partition = go_in(&map->container);
    assert_true(fil_replicated_remove_here(map, text("a"), now_ms(), &old));
    fil_replicated_type.clear(&map->container, now_ms());
    fil_partition_leave(partition);
    deliver_events();
    assert_int_equal(heard, 1040264);
}

static void test_values_can_be_looked_for(void **state)
{
    (void)state;
    put("a", "1", 0, NULL);
    put("b", "2", 0, NULL);
    assert_true(fil_replicated_contains_value_here(map, text("2"), now_ms()));
    assert_false(fil_replicated_contains_value_here(map, text("3"), now_ms()));
}

static void test_refused_put_changes_nothing(void **state)
{
    (void)state;
    struct fil_bytes old = {0};
    fil_alloc_fail_after(0);
    assert_int_equal(fil_replicated_put_here(map, text("a"), text("1"), 0, now_ms(), &old),
                     FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    assert_int_equal(fil_replicated_size_here(map), 0);
    assert_int_equal(fil_counter_read(&map->container.counters.refused), 1);
}

static void test_cleared_it_is_empty(void **state)
{
    (void)state;
    put("a", "1", 0, NULL);
    put("b", "2", 0, NULL);
    fil_replicated_type.clear(&map->container, now_ms());
    assert_int_equal(fil_replicated_size_here(map), 0);
    assert_false(has("a", "1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_gives_back_what_was_put, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_entries_expire_by_themselves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_listeners_hear_of_every_change, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_values_can_be_looked_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused_put_changes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cleared_it_is_empty, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("replicated", tests, NULL, NULL);
}
