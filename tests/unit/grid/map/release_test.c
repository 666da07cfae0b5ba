// SPDX-License-Identifier: Apache-2.0
/**
 * A client that is gone, one test a promise: all its locks in all maps are let go and nobody
 * else's; without maps, or without locks, it is over at once.
 */
#include "grid/map/release.h"

#include "grid/map/lock.h"
#include "tests/unit/core/exec/kernel_fixture.h"

static struct fil_budget budget;
static struct fil_maps *maps;
static struct fil_map_release release;
static uint32_t released_count;

static int set_up(void **state)
{
    (void)state;
    kernel_init(&(struct fil_exec_options){
        .partition_count = 3, .thread_count = 1, .has_caller_runs = true});
    fil_budget_init(&budget, UINT64_C(1) << 28);
    struct fil_maps_options options = {
        .exec = kernel.exec, .budget = &budget, .seed = 3, .count_max = 10};
    assert_int_equal(fil_maps_new(&maps, &options), FIL_OK);
    released_count = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_maps_free(maps);
    kernel_fini();
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

static void note_released(struct fil_map_release *done, struct fil_runner *runner)
{
    (void)runner;
    assert_ptr_equal(done, &release);
    released_count++;
}

static struct fil_map *get(const char *name)
{
    struct fil_map *map = NULL;
    assert_int_equal(fil_maps_get(maps, fil_bytes_of(name), &map), FIL_OK);
    return map;
}

static void lock_some(struct fil_map *map, uint64_t member, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        uint64_t wait_key = 0;
        (void)snprintf(name, sizeof(name), "%u:%u", (unsigned)member, i);
        struct fil_map_key key = fil_map_place(map, fil_bytes_of(name));
        struct fil_map_lock_wish wish = {.owner = {member, i}, .now_ms = 1};
        assert_int_equal(fil_map_lock_here(map, &key, &wish, &wait_key), FIL_OK);
    }
}

static uint64_t lock_count(struct fil_map *map)
{
    struct fil_map_stats stats;
    fil_map_read_stats(map, &stats);
    return stats.locks;
}

static void run(uint64_t member) FIL_BEFORE_SHARING
{
    fil_map_release_start(&release, maps, member, note_released, &kernel.runner);
    while (kernel_cycle(0) > 0) {
    }
    assert_int_equal(released_count, 1);
}

static void test_locks_of_all_maps_are_let_go(void **state)
{
    (void)state;
    struct fil_map *a = get("a");
    struct fil_map *b = get("b");
    struct fil_map *c = get("c");
    lock_some(a, 7, 100);
    lock_some(c, 7, 300);
    lock_some(c, 8, 5);
    run(7);
    assert_int_equal(lock_count(a), 0);
    assert_int_equal(lock_count(b), 0);
    assert_int_equal(lock_count(c), 5);
}

static void test_nothing_to_do_is_over_at_once(void **state)
{
    (void)state;
    fil_map_release_start(&release, maps, 7, note_released, &kernel.runner);
    assert_int_equal(released_count, 1);
    (void)get("a");
    fil_map_release_start(&release, maps, 7, note_released, &kernel.runner);
    assert_int_equal(released_count, 2);
}

int main(void)
{
    fil_role_enter(&fil_role_partition);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_locks_of_all_maps_are_let_go, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_to_do_is_over_at_once, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("release", tests, NULL, NULL);
}
