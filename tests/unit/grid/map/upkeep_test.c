// SPDX-License-Identifier: Apache-2.0
/**
 * What a map does by itself, one test a promise: entries expire without anybody asking, in slices;
 * a partition with nothing to do asks for nothing; an earlier end is noticed earlier; max idle is
 * put off by reads; what removals leave is tidied later, once; leases end.
 */
#include "grid/map/lock.h"
#include "tests/unit/grid/map/map_fixture.h"

static int set_up(void **state)
{
    (void)state;
    open_map_with(&(struct fil_map_config){0});
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_map();
    return 0;
}

static uint64_t next_ns(void) FIL_BEFORE_SHARING
{
    fil_role_assert_partition();
    return fil_alarm_next_ns(fil_exec_alarm(kernel.exec));
}

/** Lets time pass in small steps, as a thread that sleeps until the next deadline would. */
static uint32_t live_ms(uint64_t ms) FIL_BEFORE_SHARING
{
    uint32_t moved = 0;
    for (uint64_t i = 0; i < ms; i++) {
        pass_ms(1);
        moved += settle();
    }
    return moved;
}

static void test_idle_map_asks_for_nothing(void **state)
{
    (void)state;
    put("a", "1");
    put("b", "2");
    assert_int_equal(live_ms(20), 0);
    assert_int_equal(next_ns(), FIL_WHEEL_NEVER);
}

static void test_entries_expire_by_themselves(void **state)
{
    (void)state;
    char key[16];
    for (uint32_t i = 0; i < 3000; i++) {
        (void)snprintf(key, sizeof(key), "k%u", i);
        put_for(key, "v", 100);
    }
    put("stays", "1");
    assert_int_equal(live_ms(90), 0);
    assert_int_equal(fil_map_size(map), 3001);
    (void)live_ms(100);
    assert_int_equal(fil_map_size(map), 1);
    struct fil_map_stats stats;
    fil_map_read_stats(map, &stats);
    assert_int_equal(stats.expired, 3000);
    assert_value("stays", "1");
}

static void test_nothing_is_asked_for_after_the_last_one(void **state)
{
    (void)state;
    put_for("a", "v", 50);
    (void)live_ms(100);
    assert_int_equal(fil_map_size(map), 0);
    (void)live_ms(5000); // the tidying, if any
    assert_int_equal(live_ms(100), 0);
    assert_int_equal(next_ns(), FIL_WHEEL_NEVER);
}

static void test_one_slice_is_bounded(void **state)
{
    (void)state;
    char key[16];
    for (uint32_t i = 0; i < 4000; i++) {
        (void)snprintf(key, sizeof(key), "k%u", i);
        put_for(key, "v", 100);
    }
    pass_ms(200);
    (void)settle();
    uint64_t left = fil_map_size(map);
    assert_true(left > 4000 - PARTITIONS * 200);
    assert_true(left < 4000);
}

static void test_earlier_end_is_noticed(void **state)
{
    (void)state;
    put_for("a", "late", 60000);
    (void)settle();
    put_for("a", "early", 50);
    (void)live_ms(120);
    assert_int_equal(fil_map_size(map), 0);
}

static void test_reads_put_off_the_idle_end(void **state)
{
    (void)state;
    struct fil_store_write how = {.max_idle_ms = 100};
    struct fil_bytes value;
    assert_int_equal(put_with("a", "1", how), FIL_OK);
    for (uint32_t i = 0; i < 5; i++) {
        (void)live_ms(60);
        struct fil_map_key key = place("a");
        struct fil_partition *partition = go_in(&key);
        assert_true(fil_map_get_here(map, &key, now_ms(), &value));
        fil_partition_leave(partition);
    }
    (void)live_ms(150);
    assert_int_equal(fil_map_size(map), 0);
}

static void test_removals_are_tidied_once(void **state)
{
    (void)state;
    char key[16];
    for (uint32_t i = 0; i < 20000; i++) {
        (void)snprintf(key, sizeof(key), "k%u", i);
        put(key, "0123456789012345678901234567890123456789");
    }
    for (uint32_t i = 0; i < 20000; i++) {
        (void)snprintf(key, sizeof(key), "k%u", i);
        assert_true(remove_key(key));
    }
    assert_true(live_ms(3000) > 0);
    (void)live_ms(3000);
    assert_int_equal(live_ms(100), 0);
    assert_int_equal(next_ns(), FIL_WHEEL_NEVER);
}

static void test_leases_end_by_themselves(void **state)
{
    (void)state;
    uint64_t wait_key = 0;
    struct fil_map_key key = place("a");
    struct fil_partition *partition = go_in(&key);
    struct fil_map_lock_wish wish = {.owner = {1, 1}, .lease_ms = 100, .now_ms = now_ms()};
    assert_int_equal(fil_map_lock_here(map, &key, &wish, &wait_key), FIL_OK);
    assert_true(fil_map_has_locks_here(map, key.partition_id));
    fil_partition_leave(partition);
    (void)live_ms(90);
    assert_true(fil_map_has_locks_here(map, key.partition_id));
    (void)live_ms(80);
    assert_false(fil_map_has_locks_here(map, key.partition_id));
}

int main(void)
{
    fil_role_enter(&fil_role_partition);
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(idle_map_asks_for_nothing),
        TEST(entries_expire_by_themselves),
        TEST(nothing_is_asked_for_after_the_last_one),
        TEST(one_slice_is_bounded),
        TEST(earlier_end_is_noticed),
        TEST(reads_put_off_the_idle_end),
        TEST(removals_are_tidied_once),
        TEST(leases_end_by_themselves),
    };
#undef TEST
    return cmocka_run_group_tests_name("upkeep", tests, NULL, NULL);
}
