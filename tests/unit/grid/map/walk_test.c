// SPDX-License-Identifier: Apache-2.0
/**
 * Work on all entries, one test a promise: clear and evict-all empty the map in slices, sparing
 * locked keys, and empty does not; a value is found wherever it is; every entry is visited once;
 * other operations run between two slices; one that has found what it looks for goes no further; a
 * walk that is stopped ends as cancelled; without memory evict-all says so.
 */
#include "grid/map/walk.h"

#include "grid/map/lock.h"
#include "tests/unit/grid/map/map_fixture.h"

static struct fil_map_walk walk;
static uint32_t finished_count;

static int set_up(void **state)
{
    (void)state;
    open_map_with(&(struct fil_map_config){0});
    finished_count = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_map();
    return 0;
}

static void finish(struct fil_map_walk *finished, struct fil_runner *runner)
{
    assert_non_null(runner);
    assert_ptr_equal(finished, &walk);
    assert_ptr_equal(finished->context, &finished_count);
    finished_count++;
}

static void start(void)
{
    fil_map_walk_start(&walk, finish, &finished_count, &kernel.runner);
}

static void run(void) FIL_BEFORE_SHARING
{
    start();
    (void)settle();
    assert_int_equal(finished_count, 1);
}

static void fill(uint32_t count)
{
    char key[16];
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(key, sizeof(key), "k%u", i);
        put(key, key);
    }
}

static void test_clear_empties_the_map(void **state)
{
    (void)state;
    fill(5000);
    fil_map_walk_clear(&walk, map);
    run();
    assert_int_equal(walk.error, FIL_OK);
    assert_int_equal(walk.count, 5000);
    assert_int_equal(fil_map_size(map), 0);
}

static void test_walk_of_an_empty_map_ends(void **state)
{
    (void)state;
    fil_map_walk_clear(&walk, map);
    run();
    assert_int_equal(walk.count, 0);
}

static void test_others_run_between_slices(void **state)
{
    (void)state;
    struct probe probe;
    fil_role_assert_partition();
    fill(8000);
    fil_map_walk_clear(&walk, map);
    start();
    (void)kernel_cycle(0);
    assert_int_equal(finished_count, 0);
    (void)probe_init(&probe, 'p', 0);
    kernel_deliver(&probe);
    (void)kernel_cycle(0);
    assert_int_equal(probe.complete_count, 1);
    assert_int_equal(finished_count, 0);
    assert_true(fil_map_size(map) > 0);
    (void)settle();
    assert_int_equal(finished_count, 1);
    assert_int_equal(fil_map_size(map), 0);
}

static void lock_some(uint32_t count)
{
    uint64_t wait_key = 0;
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "k%u", i);
        struct fil_map_key key = place(name);
        struct fil_map_lock_wish wish = {.owner = {1, 1}, .now_ms = now_ms()};
        assert_int_equal(fil_map_lock_here(map, &key, &wish, &wait_key), FIL_OK);
    }
}

static void test_clear_spares_locked_keys_and_empty_does_not(void **state)
{
    (void)state;
    struct fil_map_stats stats;
    fill(1000);
    lock_some(10);
    fil_map_walk_clear(&walk, map);
    run();
    assert_int_equal(walk.error, FIL_OK);
    assert_int_equal(walk.count, 990);
    assert_int_equal(fil_map_size(map), 10);
    assert_value("k9", "k9");
    fil_map_read_stats(map, &stats);
    assert_int_equal(stats.evicted, 0);
    fil_map_walk_empty(&walk, map);
    finished_count = 0;
    run();
    assert_int_equal(walk.count, 10);
    assert_int_equal(fil_map_size(map), 0);
}

static void test_evict_all_spares_locked_keys(void **state)
{
    (void)state;
    struct fil_map_stats stats;
    fill(1000);
    lock_some(10);
    fil_map_walk_evict_all(&walk, map);
    run();
    assert_int_equal(walk.error, FIL_OK);
    assert_int_equal(walk.count, 990);
    assert_int_equal(fil_map_size(map), 10);
    assert_value("k9", "k9");
    fil_map_read_stats(map, &stats);
    assert_int_equal(stats.evicted, 990);
}

static void test_evict_all_says_when_memory_is_out(void **state)
{
    (void)state;
    fil_role_assert_partition();
    fill(100);
    fil_map_walk_evict_all(&walk, map);
    start();
    fil_alloc_fail_after(0);
    (void)settle();
    fil_alloc_fail_after(-1);
    assert_int_equal(finished_count, 1);
    assert_int_equal(walk.error, FIL_E_NOMEM);
    finished_count = 0;
    fil_map_walk_evict_all(&walk, map);
    run();
    assert_int_equal(walk.error, FIL_OK);
    assert_int_equal(fil_map_size(map), 0);
}

static void test_value_is_found_wherever_it_is(void **state)
{
    (void)state;
    fill(3000);
    fil_map_walk_contains_value(&walk, map, text("k2999"));
    run();
    assert_int_equal(walk.count, 1);
    finished_count = 0;
    fil_map_walk_contains_value(&walk, map, text("nowhere"));
    run();
    assert_int_equal(walk.count, 0);
    finished_count = 0;
    fil_map_walk_contains_value(&walk, map, text("k7"));
    run();
    assert_int_equal(walk.count, 1);
}

static void count_visit(void *context, const struct fil_store_view *view)
{
    uint8_t *seen = context;
    uint64_t number = 0;
    assert_true(fil_bytes_to_u64(fil_bytes_make(view->key.data + 1, view->key.size - 1), &number));
    seen[number]++;
}

static void test_every_entry_is_visited_once(void **state)
{
    (void)state;
    static uint8_t seen[3000];
    memset(seen, 0, sizeof(seen));
    fill(3000);
    fil_map_walk_visit(&walk, map, count_visit, seen);
    run();
    for (uint32_t i = 0; i < 3000; i++) {
        assert_int_equal(seen[i], 1);
    }
}

static void visit_and_end(void *context, const struct fil_store_view *view)
{
    uint32_t *seen = context;
    assert_true(view->key.size > 0);
    (*seen)++;
    walk.is_over = true;
}

static void test_walk_that_is_over_goes_no_further(void **state)
{
    (void)state;
    uint32_t seen = 0;
    fill(4000);
    fil_map_walk_visit(&walk, map, visit_and_end, &seen);
    run();
    assert_int_equal(walk.error, FIL_OK);
    assert_int_equal(walk.op.partition_id, 0);
    assert_true(seen > 0);
    assert_true(seen < 500);
}

static void test_stopped_walk_ends_as_cancelled(void **state)
{
    (void)state;
    fil_role_assert_partition();
    fill(8000);
    fil_map_walk_clear(&walk, map);
    start();
    (void)kernel_cycle(0);
    fil_map_walk_stop(&walk);
    (void)settle();
    assert_int_equal(finished_count, 1);
    assert_int_equal(walk.error, FIL_E_CANCELLED);
    assert_true(fil_map_size(map) > 0);
}

int main(void)
{
    fil_role_enter(&fil_role_partition);
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(clear_empties_the_map),
        TEST(walk_of_an_empty_map_ends),
        TEST(others_run_between_slices),
        TEST(clear_spares_locked_keys_and_empty_does_not),
        TEST(evict_all_spares_locked_keys),
        TEST(evict_all_says_when_memory_is_out),
        TEST(value_is_found_wherever_it_is),
        TEST(every_entry_is_visited_once),
        TEST(walk_that_is_over_goes_no_further),
        TEST(stopped_walk_ends_as_cancelled),
    };
#undef TEST
    return cmocka_run_group_tests_name("walk", tests, NULL, NULL);
}
