// SPDX-License-Identifier: Apache-2.0
/**
 * Snapshots, one test a promise: a snapshot shows every entry of its cut once, with the cut's
 * value, whatever is written, removed, expired or cleared meanwhile, and nothing else; what it
 * keeps is what changes; one at a time; ended early it is wound up by later changes; a write wins
 * over it when memory is out.
 */
#include "tests/unit/core/store/store_world.h"

#define ENTRIES 2000U

static uint8_t seen[2 * ENTRIES];
static bool is_wrong;

/** Every value of the cut is the key itself. */
static void visit(void *context, const struct fil_store_view *view)
{
    (void)context;
    uint64_t number = 0;
    assert_true(fil_bytes_to_u64(fil_bytes_make(view->key.data + 4, view->key.size - 4), &number));
    is_wrong = is_wrong || !fil_bytes_equal(view->key, view->value) || number >= ENTRIES;
    seen[number]++;
}

static void begin(void)
{
    memset(seen, 0, sizeof(seen));
    is_wrong = false;
    world_fill(0, ENTRIES);
    assert_int_equal(fil_store_snapshot_begin(&world.store, world.now_ms), FIL_OK);
}

static bool go_on(uint32_t budget)
{
    bool is_done = false;
    assert_int_equal(fil_store_snapshot_next(&world.store, budget, visit, NULL, &is_done), FIL_OK);
    return is_done;
}

static void assert_whole(void)
{
    assert_false(is_wrong);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        assert_int_equal(seen[i], 1);
    }
}

static void test_quiet_store_is_shown_whole(void **state)
{
    (void)state;
    begin();
    while (!go_on(50)) {
    }
    fil_store_snapshot_end(&world.store);
    assert_whole();
    assert_null(world.store.snapshot);
}

static void test_changes_do_not_show(void **state)
{
    (void)state;
    begin();
    bool is_done = false;
    for (uint32_t turn = 0; !is_done; turn++) {
        for (uint32_t i = 0; i < 20; i++) {
            uint32_t number = (turn * 20 + i) * 7 % ENTRIES;
            assert_int_equal(world_put(world_name(number), "changed"), FIL_OK);
            (void)world_remove(world_name((number + 3) % ENTRIES));
            assert_int_equal(world_put(world_name(ENTRIES + number), "new"), FIL_OK);
            assert_int_equal(world_put(world_name((number + 3) % ENTRIES), "again"), FIL_OK);
        }
        is_done = go_on(30);
    }
    fil_store_snapshot_end(&world.store);
    assert_whole();
    fil_store_check(&world.store);
    assert_string_equal(world_get(world_name(ENTRIES)), "new");
}

static void test_clear_does_not_show(void **state)
{
    (void)state;
    begin();
    (void)go_on(500);
    for (uint64_t cursor = 0; cursor < FIL_STORE_SCAN_END;) {
        cursor = fil_store_clear(&world.store, cursor, 100);
    }
    assert_int_equal(fil_store_count(&world.store), 0);
    while (!go_on(50)) {
    }
    fil_store_snapshot_end(&world.store);
    assert_whole();
    while (fil_store_maintain(&world.store, world.now_ms, 100)) {
    }
    assert_true(fil_store_bytes(&world.store) < 8192);
}

static void test_expiry_after_the_cut_does_not_show(void **state)
{
    (void)state;
    struct fil_store_write soon = {.expires_ms = world.now_ms + 100};
    world_fill(0, ENTRIES);
    for (uint32_t i = 0; i < ENTRIES; i += 2) {
        assert_int_equal(world_put_how(world_name(i), world_name(i), soon), FIL_OK);
    }
    memset(seen, 0, sizeof(seen));
    is_wrong = false;
    assert_int_equal(fil_store_snapshot_begin(&world.store, world.now_ms), FIL_OK);
    world.now_ms += 1000;
    while (fil_store_expire(&world.store, world.now_ms, 100) > 0) {
    }
    assert_int_equal(fil_store_count(&world.store), ENTRIES / 2);
    while (!go_on(50)) {
    }
    fil_store_snapshot_end(&world.store);
    assert_whole();
}

static void test_keeps_what_changes_only(void **state)
{
    (void)state;
    begin();
    uint64_t before = fil_store_bytes(&world.store);
    world_fill(0, 10); // the same values again: ten records are kept
    assert_true(fil_store_bytes(&world.store) < before + 4096);
    while (!go_on(50)) {
    }
    fil_store_snapshot_end(&world.store);
    assert_whole();
}

static void test_one_at_a_time(void **state)
{
    (void)state;
    begin();
    assert_int_equal(fil_store_snapshot_begin(&world.store, world.now_ms), FIL_E_AGAIN);
    (void)go_on(10);
    world_fill(0, 200);
    fil_store_snapshot_end(&world.store);
    assert_int_equal(fil_store_snapshot_begin(&world.store, world.now_ms), FIL_E_AGAIN);
    // Changes wind the first one up.
    while (fil_store_maintain(&world.store, world.now_ms, 100)) {
    }
    begin();
    while (!go_on(100)) {
    }
    fil_store_snapshot_end(&world.store);
    assert_whole();
}

static void test_write_wins_when_memory_is_out(void **state)
{
    (void)state;
    begin();
    fil_alloc_fail_after(0);
    assert_true(world_remove("key:0"));
    fil_alloc_fail_after(-1);
    bool is_done = false;
    assert_int_equal(fil_store_snapshot_next(&world.store, 10, visit, NULL, &is_done), FIL_E_NOMEM);
    fil_store_snapshot_end(&world.store);
    assert_false(world_has("key:0"));
    fil_alloc_fail_after(0);
    while (fil_store_maintain(&world.store, world.now_ms, 100)) {
    }
    assert_int_equal(fil_store_snapshot_begin(&world.store, world.now_ms), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
}

static void test_store_with_a_snapshot_can_be_freed(void **state)
{
    (void)state;
    begin();
    (void)go_on(10);
    world_fill(0, 300);
    world_open(UINT64_C(1) << 20);
    assert_int_equal(fil_store_count(&world.store), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, world_set_up, world_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(quiet_store_is_shown_whole),    TEST(changes_do_not_show),
        TEST(clear_does_not_show),           TEST(expiry_after_the_cut_does_not_show),
        TEST(keeps_what_changes_only),       TEST(one_at_a_time),
        TEST(write_wins_when_memory_is_out), TEST(store_with_a_snapshot_can_be_freed),
    };
#undef TEST
    return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
