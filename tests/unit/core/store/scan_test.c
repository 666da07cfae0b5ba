// SPDX-License-Identifier: Apache-2.0
/**
 * Cursors, one test a promise: a scan sees what stays exactly once through growth and through
 * shrinking; slices are bounded; clear empties in slices; a random pick is an entry, and every
 * entry is picked some day.
 */
#include "tests/unit/core/store/store_world.h"

#define KEPT 500U

static uint8_t seen[100000];
static uint32_t slice;

static void visit(void *context, const struct fil_store_view *view)
{
    (void)context;
    uint64_t number = 0;
    assert_true(fil_bytes_to_u64(fil_bytes_make(view->key.data + 4, view->key.size - 4), &number));
    seen[number]++;
    slice++;
}

static uint64_t scan(uint64_t cursor, uint32_t budget)
{
    slice = 0;
    return fil_store_scan(&world.store, cursor, world.now_ms, budget, visit, NULL);
}

static void assert_kept_seen_once(void)
{
    for (uint32_t i = 0; i < KEPT; i++) {
        assert_int_equal(seen[i], 1);
    }
}

static void test_growth_hides_nothing_and_repeats_nothing(void **state)
{
    (void)state;
    memset(seen, 0, sizeof(seen));
    world_fill(0, KEPT);
    uint32_t end = KEPT;
    for (uint64_t cursor = 0; cursor < FIL_STORE_SCAN_END;) {
        cursor = scan(cursor, 10);
        assert_true(slice < 10 + 40);
        world_fill(end, end + 300);
        end = end < 90000 ? end + 300 : end;
    }
    assert_kept_seen_once();
}

static void test_shrinking_hides_nothing_and_repeats_nothing(void **state)
{
    (void)state;
    memset(seen, 0, sizeof(seen));
    uint32_t end = 20000;
    world_fill(0, end);
    for (uint64_t cursor = 0; cursor < FIL_STORE_SCAN_END;) {
        cursor = scan(cursor, 10);
        for (uint32_t i = 0; i < 100 && end > KEPT; i++) {
            end--;
            assert_true(world_remove(world_name(end)));
        }
    }
    assert_kept_seen_once();
}

static void test_expired_entries_are_passed_over(void **state)
{
    (void)state;
    memset(seen, 0, sizeof(seen));
    world_fill(0, 10);
    assert_int_equal(
        world_put_how("key:3", "v", (struct fil_store_write){.expires_ms = world.now_ms + 5}),
        FIL_OK);
    world.now_ms += 5;
    assert_int_equal(scan(0, 1000), FIL_STORE_SCAN_END);
    assert_int_equal(slice, 9);
    assert_int_equal(seen[3], 0);
}

static void test_empty_scan_ends(void **state)
{
    (void)state;
    assert_int_equal(scan(0, 10), FIL_STORE_SCAN_END);
    assert_int_equal(scan(FIL_STORE_SCAN_END, 10), FIL_STORE_SCAN_END);
}

static void test_clear_goes_in_slices(void **state)
{
    (void)state;
    world_fill(0, 5000);
    uint32_t slices = 0;
    for (uint64_t cursor = 0; cursor < FIL_STORE_SCAN_END; slices++) {
        uint32_t before = fil_store_count(&world.store);
        cursor = fil_store_clear(&world.store, cursor, 100);
        assert_true(before - fil_store_count(&world.store) < 200);
    }
    assert_true(slices >= 25);
    assert_int_equal(fil_store_count(&world.store), 0);
    assert_true(fil_store_bytes(&world.store) < 8192);
    world_fill(0, 100);
    world_check_filled(0, 100);
}

static void test_picks_are_random_entries(void **state)
{
    (void)state;
    struct fil_store_view view;
    assert_false(fil_store_pick(&world.store, world.now_ms, &view));
    memset(seen, 0, sizeof(seen));
    world_fill(0, 40);
    for (uint32_t i = 0; i < 4000; i++) {
        assert_true(fil_store_pick(&world.store, world.now_ms, &view));
        visit(NULL, &view);
        seen[0] = seen[0] > 100 ? 100 : seen[0];
    }
    for (uint32_t i = 0; i < 40; i++) {
        assert_int_not_equal(seen[i], 0);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, world_set_up, world_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(growth_hides_nothing_and_repeats_nothing),
        TEST(shrinking_hides_nothing_and_repeats_nothing),
        TEST(expired_entries_are_passed_over),
        TEST(empty_scan_ends),
        TEST(clear_goes_in_slices),
        TEST(picks_are_random_entries),
    };
#undef TEST
    return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
