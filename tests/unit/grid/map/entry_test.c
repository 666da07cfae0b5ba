// SPDX-License-Identifier: Apache-2.0
/**
 * Single entries in Hazelcast's words, one test a promise: put and its conditional kinds write when
 * they should and give the old value; removals likewise; times of -1 are the map's and 0 is without
 * end; evict spares locked keys; set ttl leaves the idle time; views show what is known; many
 * entries of a partition are read and written together; without memory nothing changes.
 */
#include "grid/map/entry.h"

#include "grid/map/lock.h"
#include "tests/unit/grid/map/map_fixture.h"

static int set_up(void **state)
{
    (void)state;
    open_map_with(&(struct fil_map_config){.ttl_ms = 10000, .has_statistics = true});
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_map();
    return 0;
}

static struct fil_map_key key;
static struct fil_partition *inside;

static void enter(const char *name)
{
    key = place(name);
    inside = go_in(&key);
}

static void leave(void)
{
    fil_partition_leave(inside);
}

static struct fil_map_times times_of(int64_t ttl_ms, int64_t max_idle_ms)
{
    return (struct fil_map_times){now_ms(), ttl_ms, max_idle_ms};
}

static void assert_bytes(struct fil_bytes bytes, const char *expected)
{
    if (expected == NULL) {
        assert_null(bytes.data);
    } else {
        assert_true(fil_bytes_equal_text(bytes, expected));
    }
}

static void test_put_gives_the_old_value(void **state)
{
    (void)state;
    struct fil_map_times times = fil_map_times_default(now_ms());
    struct fil_bytes old;
    enter("a");
    assert_int_equal(fil_map_replace_value_here(map, &key, text("1"), &times, &old), FIL_OK);
    assert_bytes(old, NULL);
    assert_int_equal(fil_map_replace_value_here(map, &key, text("2"), &times, &old), FIL_OK);
    assert_bytes(old, "1");
    assert_int_equal(fil_map_set_here(map, &key, text("3"), &times), FIL_OK);
    leave();
    assert_value("a", "3");
}

static void test_put_if_absent_writes_once(void **state)
{
    (void)state;
    struct fil_map_times times = fil_map_times_default(now_ms());
    struct fil_bytes old;
    enter("a");
    assert_int_equal(fil_map_put_if_absent_here(map, &key, text("1"), &times, &old), FIL_OK);
    assert_bytes(old, NULL);
    assert_int_equal(fil_map_put_if_absent_here(map, &key, text("2"), &times, &old), FIL_OK);
    assert_bytes(old, "1");
    leave();
    assert_value("a", "1");
}

static void test_replace_writes_what_is_there(void **state)
{
    (void)state;
    struct fil_bytes old;
    enter("a");
    assert_int_equal(fil_map_replace_here(map, &key, text("1"), now_ms(), &old), FIL_OK);
    assert_bytes(old, NULL);
    leave();
    assert_value("a", NULL);
    put("a", "1");
    enter("a");
    assert_int_equal(fil_map_replace_here(map, &key, text("2"), now_ms(), &old), FIL_OK);
    assert_bytes(old, "1");
    leave();
    assert_value("a", "2");
}

static void test_replace_if_same_compares(void **state)
{
    (void)state;
    bool is_replaced = true;
    enter("a");
    assert_int_equal(
        fil_map_replace_if_same_here(map, &key, text("1"), text("2"), now_ms(), &is_replaced),
        FIL_OK);
    assert_false(is_replaced);
    leave();
    put("a", "1");
    enter("a");
    assert_int_equal(
        fil_map_replace_if_same_here(map, &key, text("x"), text("2"), now_ms(), &is_replaced),
        FIL_OK);
    assert_false(is_replaced);
    assert_int_equal(
        fil_map_replace_if_same_here(map, &key, text("1"), text("2"), now_ms(), &is_replaced),
        FIL_OK);
    assert_true(is_replaced);
    leave();
    assert_value("a", "2");
}

static void test_removals_remove(void **state)
{
    (void)state;
    put("a", "1");
    enter("a");
    assert_false(fil_map_remove_if_same_here(map, &key, text("x"), now_ms()));
    assert_true(fil_map_contains_key_here(map, &key, now_ms()));
    assert_true(fil_map_remove_if_same_here(map, &key, text("1"), now_ms()));
    assert_false(fil_map_remove_if_same_here(map, &key, text("1"), now_ms()));
    assert_false(fil_map_contains_key_here(map, &key, now_ms()));
    assert_false(fil_map_delete_here(map, &key, now_ms()));
    leave();
    put("a", "1");
    enter("a");
    assert_true(fil_map_delete_here(map, &key, now_ms()));
    leave();
    assert_true(fil_map_is_empty(map));
}

static void test_times_are_the_maps_or_the_entrys(void **state)
{
    (void)state;
    struct fil_map_times times[] = {times_of(-1, -1), times_of(0, -1), times_of(500, -1),
                                    times_of(INT64_MAX, INT64_MAX), times_of(0, 700)};
    const char *names[] = {"map", "endless", "short", "max", "idle"};
    for (size_t i = 0; i < FIL_COUNT_OF(names); i++) {
        enter(names[i]);
        assert_int_equal(fil_map_set_here(map, &key, text("v"), &times[i]), FIL_OK);
        leave();
    }
    pass_ms(600);
    assert_value("short", NULL);
    assert_value("idle", "v");
    pass_ms(200);
    assert_value("idle", NULL);
    assert_value("map", "v");
    pass_ms(9300);
    assert_value("map", NULL);
    pass_ms(UINT64_C(1000) * 86400 * 365);
    assert_value("endless", "v");
    assert_value("max", "v");
}

static void test_evict_spares_locked_keys(void **state)
{
    (void)state;
    uint64_t wait_key = 0;
    struct fil_map_stats stats;
    put("a", "1");
    enter("a");
    struct fil_map_lock_wish wish = {.owner = {1, 1}, .now_ms = now_ms()};
    assert_int_equal(fil_map_lock_here(map, &key, &wish, &wait_key), FIL_OK);
    assert_false(fil_map_evict_here(map, &key, now_ms()));
    assert_int_equal(fil_map_unlock_here(map, &key, &wish), FIL_OK);
    assert_true(fil_map_evict_here(map, &key, now_ms()));
    assert_false(fil_map_evict_here(map, &key, now_ms()));
    leave();
    fil_map_read_stats(map, &stats);
    assert_int_equal(stats.evicted, 1);
    assert_int_equal(stats.removes, 0);
}

static void test_set_ttl_leaves_the_idle_time(void **state)
{
    (void)state;
    struct fil_map_times times = times_of(0, 5000);
    struct fil_store_view view;
    enter("a");
    assert_int_equal(fil_map_set_ttl_here(map, &key, 100, now_ms()), FIL_E_NOT_FOUND);
    assert_int_equal(fil_map_set_here(map, &key, text("v"), &times), FIL_OK);
    assert_int_equal(fil_map_set_ttl_here(map, &key, 2000, now_ms()), FIL_OK);
    assert_true(fil_map_inspect_here(map, &key, now_ms(), &view));
    assert_int_equal(view.expires_ms, now_ms() + 2000);
    assert_int_equal(view.max_idle_ms, 5000);
    assert_int_equal(fil_map_set_ttl_here(map, &key, 0, now_ms()), FIL_OK);
    assert_true(fil_map_inspect_here(map, &key, now_ms(), &view));
    assert_true(view.expires_ms == FIL_STORE_NEVER);
    leave();
}

static void test_view_shows_what_is_known(void **state)
{
    (void)state;
    struct fil_map_entry_view view;
    uint64_t begin_ms = now_ms();
    put("a", "1");
    pass_ms(1000);
    put("a", "22");
    enter("a");
    assert_true(fil_map_contains_key_here(map, &key, now_ms()));
    assert_true(fil_map_entry_view_here(map, &key, now_ms(), &view));
    leave();
    assert_bytes(view.key, "a");
    assert_bytes(view.value, "22");
    assert_int_equal(view.created_ms, begin_ms);
    assert_int_equal(view.updated_ms, begin_ms + 1000);
    assert_int_equal(view.version, 1);
    assert_int_equal(view.hits, 2);
    assert_int_equal(view.ttl_ms, 10000);
    assert_int_equal(view.expires_ms, begin_ms + 11000);
    assert_int_equal(view.max_idle_ms, INT64_MAX);
    assert_true(view.cost_bytes > 0);
    enter("missing");
    assert_false(fil_map_entry_view_here(map, &key, now_ms(), &view));
    leave();
}

static void test_many_of_a_partition_go_together(void **state)
{
    (void)state;
    struct fil_map_pair pairs[8];
    struct fil_store_lookup lookups[9];
    char names[9][8];
    uint32_t count = 0;
    uint32_t written = 0;
    enter("k0");
    for (uint32_t i = 0; count < 9; i++) {
        (void)snprintf(names[count], sizeof(names[0]), "k%u", i);
        struct fil_map_key where = place(names[count]);
        if (where.partition_id != key.partition_id) {
            continue;
        }
        lookups[count] = (struct fil_store_lookup){.hash = where.hash, .key = where.bytes};
        if (count < 8) {
            pairs[count] = (struct fil_map_pair){where.bytes, where.bytes};
        }
        count++;
    }
    struct fil_map_times times = fil_map_times_default(now_ms());
    assert_int_equal(fil_map_set_all_here(map, pairs, 8, &times, &written), FIL_OK);
    assert_int_equal(written, 8);
    assert_int_equal(fil_map_get_all_here(map, key.partition_id, lookups, 9, now_ms()), 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_bytes(lookups[i].value, names[i]);
    }
    assert_null(lookups[8].value.data);
    leave();
    struct fil_map_stats stats;
    fil_map_read_stats(map, &stats);
    assert_int_equal(stats.gets, 9);
    assert_int_equal(stats.hits, 8);
    assert_int_equal(stats.puts, 8);
}

static void test_without_memory_nothing_changes(void **state)
{
    (void)state;
    struct fil_map_times times = fil_map_times_default(now_ms());
    struct fil_bytes old;
    bool is_replaced = false;
    enter("a");
    fil_alloc_fail_after(0);
    int error = fil_map_replace_value_here(map, &key, text("1"), &times, &old);
    fil_alloc_fail_after(-1);
    leave();
    assert_int_equal(error, FIL_E_NOMEM);
    assert_bytes(old, NULL);
    assert_value("a", NULL);
    put("a", "1");
    static char large[1 << 20];
    memset(large, 'x', sizeof(large) - 1);
    enter("a");
    map_budget.limit_bytes = fil_budget_drawn(&map_budget);
    error = fil_map_replace_if_same_here(map, &key, text("1"), text(large), now_ms(), &is_replaced);
    leave();
    assert_int_equal(error, FIL_E_NOMEM);
    assert_false(is_replaced);
    assert_value("a", "1");
}

int main(void)
{
    fil_role_enter(&fil_role_partition);
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(put_gives_the_old_value),
        TEST(put_if_absent_writes_once),
        TEST(replace_writes_what_is_there),
        TEST(replace_if_same_compares),
        TEST(removals_remove),
        TEST(times_are_the_maps_or_the_entrys),
        TEST(evict_spares_locked_keys),
        TEST(set_ttl_leaves_the_idle_time),
        TEST(view_shows_what_is_known),
        TEST(many_of_a_partition_go_together),
        TEST(without_memory_nothing_changes),
    };
#undef TEST
    return cmocka_run_group_tests_name("entry", tests, NULL, NULL);
}
