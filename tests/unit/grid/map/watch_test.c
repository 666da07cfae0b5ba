// SPDX-License-Identifier: Apache-2.0
/**
 * Watches, one test a promise: every kind of change of the key touches its watches, changes of
 * other keys and reads do not; a change after unwatch does not; clear touches the watches of keys
 * that are there; unwatching one that does not watch is harmless. A key that expires is changed for
 * who saw it, though it is not removed yet; for who did not see it, it was gone before.
 */
#include "grid/map/watch.h"

#include "grid/map/entry.h"
#include "tests/unit/grid/map/map_fixture.h"

static struct fil_map_watch watch;

static int set_up(void **state)
{
    (void)state;
    open_map_with(&(struct fil_map_config){0});
    put("a", "1");
    watch = (struct fil_map_watch){.key = place("a")};
    fil_map_watch_here(map, &watch, now_ms());
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_map_unwatch_here(map, &watch);
    close_map();
    return 0;
}

static bool is_touched(void)
{
    return atomic_load(&watch.is_touched);
}

static void test_put_touches(void **state)
{
    (void)state;
    assert_false(is_touched());
    put("a", "2");
    assert_true(is_touched());
}

static void test_reads_and_other_keys_do_not_touch(void **state)
{
    (void)state;
    struct fil_map_key key = place("a");
    struct fil_bytes value;
    char name[8];
    for (uint32_t i = 0; i < 100; i++) {
        (void)snprintf(name, sizeof(name), "k%u", i);
        put(name, "x");
        assert_true(remove_key(name));
    }
    assert_true(fil_map_get_here(map, &key, now_ms(), &value));
    assert_false(remove_key("missing"));
    assert_false(is_touched());
}

static void test_write_that_is_not_done_does_not_touch(void **state)
{
    (void)state;
    struct fil_store_write how = {.condition = FIL_STORE_IF_ABSENT};
    assert_int_equal(put_with("a", "2", how), FIL_OK);
    assert_false(is_touched());
}

static void test_remove_touches(void **state)
{
    (void)state;
    assert_true(remove_key("a"));
    assert_true(is_touched());
}

static void test_edit_touches(void **state)
{
    (void)state;
    struct fil_map_key key = place("a");
    struct fil_store_edit edit;
    assert_int_equal(fil_map_edit_here(map, &key, 1, now_ms(), &edit), FIL_OK);
    edit.value[0] = '9';
    assert_int_equal(fil_map_commit_here(map, &key, &edit), FIL_OK);
    assert_true(is_touched());
    assert_value("a", "9");
}

static void test_another_expiry_touches(void **state)
{
    (void)state;
    struct fil_map_key key = place("a");
    struct fil_partition *partition = go_in(&key);
    assert_int_equal(fil_map_set_ttl_here(map, &key, 5000, now_ms()), FIL_OK);
    fil_partition_leave(partition);
    assert_true(is_touched());
}

static void test_expiring_touches(void **state)
{
    (void)state;
    fil_role_assert_partition();
    put_for("a", "2", 50);
    atomic_store(&watch.is_touched, false);
    pass_ms(100);
    (void)settle();
    pass_ms(5);
    (void)settle();
    assert_value("a", NULL);
    assert_true(is_touched());
}

static void test_key_that_has_expired_is_changed_before_it_is_removed(void **state)
{
    (void)state;
    put_for("a", "2", 50);
    atomic_store(&watch.is_touched, false);
    assert_false(fil_map_is_touched_here(map, &watch, now_ms()));
    pass_ms(100);
    assert_false(is_touched());
    assert_true(fil_map_is_touched_here(map, &watch, now_ms()));
}

static void test_key_that_had_expired_before_is_not_changed_when_it_is_removed(void **state)
{
    (void)state;
    put_for("b", "1", 50);
    pass_ms(100);
    struct fil_map_watch late = {.key = place("b")};
    fil_map_watch_here(map, &late, now_ms());
    (void)settle();
    pass_ms(5);
    (void)settle();
    assert_false(fil_map_is_touched_here(map, &late, now_ms()));
    put("b", "2");
    assert_true(fil_map_is_touched_here(map, &late, now_ms()));
    fil_map_unwatch_here(map, &late);
}

static void test_evicting_touches(void **state)
{
    (void)state;
    struct fil_map_key key = place("a");
    struct fil_partition *partition = go_in(&key);
    assert_true(fil_map_evict_here(map, &key, now_ms()));
    fil_partition_leave(partition);
    assert_true(is_touched());
}

static void test_clear_touches_what_is_there(void **state)
{
    (void)state;
    struct fil_map_watch absent = {.key = place("not there")};
    fil_map_watch_here(map, &absent, now_ms());
    for (fil_partition_id id = 0; id < PARTITIONS; id++) {
        struct fil_partition *partition = kernel_partition(id);
        assert_true(fil_partition_enter(partition, &kernel.runner));
        assert_int_equal(fil_map_clear_here(map, id, 0, 1000, now_ms()), FIL_STORE_SCAN_END);
        fil_partition_leave(partition);
    }
    assert_true(is_touched());
    assert_false(atomic_load(&absent.is_touched));
    fil_map_unwatch_here(map, &absent);
}

static void test_nothing_is_told_after_unwatch(void **state)
{
    (void)state;
    fil_map_unwatch_here(map, &watch);
    put("a", "2");
    assert_false(is_touched());
    fil_map_unwatch_here(map, &watch);
    struct fil_map_watch never = {.key = place("a")};
    fil_map_unwatch_here(map, &never);
    put("a", "3");
    assert_false(is_touched());
}

static void test_all_watches_of_a_key_are_told(void **state)
{
    (void)state;
    struct fil_map_watch second = {.key = place("a")};
    fil_map_watch_here(map, &second, now_ms());
    put("a", "2");
    assert_true(is_touched());
    assert_true(atomic_load(&second.is_touched));
    fil_map_unwatch_here(map, &second);
    // The one that is left is still told.
    atomic_store(&watch.is_touched, false);
    put("a", "3");
    assert_true(is_touched());
}

int main(void)
{
    fil_role_enter(&fil_role_partition);
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(put_touches),
        TEST(reads_and_other_keys_do_not_touch),
        TEST(write_that_is_not_done_does_not_touch),
        TEST(remove_touches),
        TEST(edit_touches),
        TEST(another_expiry_touches),
        TEST(expiring_touches),
        TEST(key_that_has_expired_is_changed_before_it_is_removed),
        TEST(key_that_had_expired_before_is_not_changed_when_it_is_removed),
        TEST(evicting_touches),
        TEST(clear_touches_what_is_there),
        TEST(nothing_is_told_after_unwatch),
        TEST(all_watches_of_a_key_are_told),
    };
#undef TEST
    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
