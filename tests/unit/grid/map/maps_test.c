// SPDX-License-Identifier: Apache-2.0
/**
 * The named maps, one test a promise: a map is made on first use and is the same ever after; rules
 * and defaults configure it; the limit of maps and of names holds; without memory nothing is made
 * and the next try succeeds; threads that want the same names get the same maps; all are visited;
 * a map that is destroyed does not count and comes back when somebody asks for it; one that is kept
 * stays; places of destroyed maps are bounded.
 */
#include "grid/map/maps.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

static struct fil_budget budget;
static struct fil_maps *maps;
static uint32_t made_count;
static uint32_t destroyed_count;

static void count_made(void *context, struct fil_map *map)
{
    assert_ptr_equal(context, &made_count);
    assert_non_null(map);
    made_count++;
}

static void count_destroyed(void *context, struct fil_map *map)
{
    assert_ptr_equal(context, &made_count);
    assert_true(fil_map_is_destroyed(map));
    destroyed_count++;
}

static struct fil_maps_options sample_options(uint32_t count_max)
{
    static const struct fil_map_config defaults = {.ttl_ms = 1000};
    static const struct fil_map_rule rules[] = {
        {.name = "orders*", .config = {.ttl_ms = 60000}},
        {.name = "orders.eu", .config = {.ttl_ms = 1000, .eviction = FIL_EVICTION_LRU}},
    };
    return (struct fil_maps_options){.budget = &budget,
                                     .partition_count = 3,
                                     .seed = 9,
                                     .count_max = count_max,
                                     .defaults = defaults,
                                     .rules = rules,
                                     .rule_count = 2,
                                     .made = count_made,
                                     .destroyed = count_destroyed,
                                     .context = &made_count};
}

static void open_maps(uint32_t count_max)
{
    fil_budget_init(&budget, UINT64_C(1) << 28);
    made_count = 0;
    destroyed_count = 0;
    struct fil_maps_options options = sample_options(count_max);
    assert_int_equal(fil_maps_new(&maps, &options), FIL_OK);
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_maps_free(maps);
    maps = NULL;
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

static struct fil_map *get(const char *name)
{
    struct fil_map *map = NULL;
    assert_int_equal(fil_maps_get(maps, fil_bytes_of(name), &map), FIL_OK);
    return map;
}

static void test_map_is_made_once(void **state)
{
    (void)state;
    open_maps(10);
    assert_null(fil_maps_find(maps, fil_bytes_of("a")));
    struct fil_map *a = get("a");
    assert_ptr_equal(get("a"), a);
    assert_ptr_equal(fil_maps_find(maps, fil_bytes_of("a")), a);
    assert_ptr_not_equal(get("b"), a);
    assert_true(fil_bytes_equal_text(fil_map_name(a), "a"));
    assert_true(get("") != NULL);
    assert_int_equal(fil_maps_count(maps), 3);
    assert_int_equal(made_count, 3);
}

static void test_rules_configure(void **state)
{
    (void)state;
    open_maps(10);
    assert_int_equal(get("orders.us")->config.ttl_ms, 60000);
    assert_int_equal(get("orders.eu")->config.eviction, FIL_EVICTION_LRU);
    assert_int_equal(get("orders.eu")->config.ttl_ms, 1000);
    assert_int_equal(get("others")->config.ttl_ms, 1000);
    assert_int_equal(get("others")->config.eviction, FIL_EVICTION_NONE);
}

static void test_limits_hold(void **state)
{
    (void)state;
    static char long_name[FIL_MAP_NAME_MAX + 2];
    struct fil_map *map = NULL;
    open_maps(2);
    memset(long_name, 'x', FIL_MAP_NAME_MAX + 1);
    assert_int_equal(fil_maps_get(maps, fil_bytes_of(long_name), &map), FIL_E_LIMIT);
    long_name[FIL_MAP_NAME_MAX] = '\0';
    (void)get(long_name);
    (void)get("b");
    assert_int_equal(fil_maps_get(maps, fil_bytes_of("c"), &map), FIL_E_COUNT_MAX);
    assert_null(map);
    (void)get("b");
}

static void test_destroyed_map_does_not_count_and_comes_back(void **state)
{
    (void)state;
    struct fil_map *map = NULL;
    open_maps(2);
    struct fil_map *a = get("a");
    (void)get("b");
    assert_int_equal(fil_maps_get(maps, fil_bytes_of("c"), &map), FIL_E_COUNT_MAX);
    fil_maps_destroy(maps, a);
    fil_maps_destroy(maps, a); // once is enough
    assert_int_equal(destroyed_count, 1);
    assert_true(fil_map_is_destroyed(a));
    assert_null(fil_maps_find(maps, fil_bytes_of("a")));
    assert_int_equal(fil_maps_count(maps), 1);
    // Its place in the count is another's now, until that one goes.
    struct fil_map *c = get("c");
    assert_int_equal(fil_maps_count(maps), 2);
    assert_int_equal(fil_maps_get(maps, fil_bytes_of("a"), &map), FIL_E_COUNT_MAX);
    fil_maps_destroy(maps, c);
    assert_ptr_equal(get("a"), a);
    assert_false(fil_map_is_destroyed(a));
    assert_int_equal(made_count, 4);
    assert_ptr_equal(fil_maps_find(maps, fil_bytes_of("a")), a);
}

static void test_kept_map_stays(void **state)
{
    (void)state;
    open_maps(2);
    struct fil_map *a = get("a");
    struct fil_map *b = get("b");
    fil_maps_keep(maps, a);
    fil_maps_destroy(maps, a);
    assert_ptr_equal(fil_maps_find(maps, fil_bytes_of("a")), a);
    assert_int_equal(destroyed_count, 0);
    fil_maps_destroy(maps, b);
    fil_maps_keep(maps, b);
    assert_ptr_equal(fil_maps_find(maps, fil_bytes_of("b")), b);
    assert_int_equal(fil_maps_count(maps), 2);
}

static void test_places_of_destroyed_maps_are_bounded(void **state)
{
    (void)state;
    struct fil_map *map = NULL;
    open_maps(2);
    for (uint32_t i = 0; i < 2 * FIL_MAPS_PLACES_PART; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "m%u", i);
        fil_maps_destroy(maps, get(name));
    }
    assert_int_equal(fil_maps_count(maps), 0);
    assert_int_equal(fil_maps_get(maps, fil_bytes_of("more"), &map), FIL_E_COUNT_MAX);
    (void)get("m3"); // whose place is there
}

static void test_wrong_counts_are_refused(void **state)
{
    (void)state;
    struct fil_maps *none = NULL;
    open_maps(2);
    struct fil_maps_options options = sample_options(0);
    assert_int_equal(fil_maps_new(&none, &options), FIL_E_INVALID);
    options.count_max = FIL_MAPS_MAX + 1;
    assert_int_equal(fil_maps_new(&none, &options), FIL_E_INVALID);
    options.count_max = 1;
    options.rule_count = FIL_MAP_RULES_MAX + 1;
    assert_int_equal(fil_maps_new(&none, &options), FIL_E_INVALID);
    assert_null(none);
}

static void test_without_memory_nothing_is_made(void **state)
{
    (void)state;
    struct fil_map *map = NULL;
    open_maps(10);
    int error = FIL_E_NOMEM;
    int64_t position = 0;
    for (; error != FIL_OK; position++) {
        assert_int_equal(error, FIL_E_NOMEM);
        assert_null(fil_maps_find(maps, fil_bytes_of("a")));
        fil_alloc_fail_after(position);
        error = fil_maps_get(maps, fil_bytes_of("a"), &map);
        fil_alloc_fail_after(-1);
    }
    assert_true(position > 1);
    assert_int_equal(fil_maps_count(maps), 1);

    struct fil_maps *none = NULL;
    struct fil_maps_options options = sample_options(5);
    for (position = 0; position < 3; position++) {
        fil_alloc_fail_after(position);
        assert_int_equal(fil_maps_new(&none, &options), FIL_E_NOMEM);
        fil_alloc_fail_after(-1);
    }
    assert_null(none);
    fil_maps_free(NULL);
}

static void test_budget_refuses_maps(void **state)
{
    (void)state;
    struct fil_map *map = NULL;
    open_maps(10);
    fil_budget_init(&budget, 100);
    assert_int_equal(fil_maps_get(maps, fil_bytes_of("a"), &map), FIL_E_NOMEM);
    fil_budget_init(&budget, UINT64_C(1) << 28);
}

static int refuse_first(void *context, struct fil_map *map)
{
    (void)context;
    return fil_bytes_equal_text(fil_map_name(map), "first") ? FIL_E_NOMEM : FIL_OK;
}

static void test_what_cannot_be_prepared_is_not_made(void **state)
{
    (void)state;
    struct fil_map *map = NULL;
    fil_budget_init(&budget, UINT64_C(1) << 28);
    made_count = 0;
    struct fil_maps_options options = sample_options(10);
    options.prepare = refuse_first;
    assert_int_equal(fil_maps_new(&maps, &options), FIL_OK);
    assert_int_equal(fil_maps_get(maps, fil_bytes_of("first"), &map), FIL_E_NOMEM);
    assert_null(fil_maps_find(maps, fil_bytes_of("first")));
    assert_int_equal(made_count, 0);
    assert_non_null(get("second"));
    assert_int_equal(made_count, 1);
}

static void test_all_are_visited(void **state)
{
    (void)state;
    uint32_t seen = 0;
    open_maps(10);
    (void)get("a");
    (void)get("b");
    (void)get("c");
    uint32_t position = 0;
    for (struct fil_map *map = fil_maps_next(maps, &position); map != NULL;
         map = fil_maps_next(maps, &position)) {
        assert_false(seen & 1U << (map->name[0] - 'a'));
        seen |= 1U << (map->name[0] - 'a');
    }
    assert_int_equal(seen, 7);
}

#define THREADS 3U
#define NAMES   40U

struct user {
    struct fil_thread thread;
    struct fil_map *found[NAMES];
    int error;
};

static void use_names(void *context)
{
    struct user *user = context;
    for (uint32_t i = 0; i < NAMES; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "map%u", i);
        int error = fil_maps_get(maps, fil_bytes_of(name), &user->found[i]);
        user->error = user->error == FIL_OK ? error : user->error;
    }
}

static void test_threads_get_the_same_maps(void **state)
{
    (void)state;
    static struct user users[THREADS];
    open_maps(NAMES);
    for (uint32_t i = 0; i < THREADS; i++) {
        users[i] = (struct user){0};
        assert_int_equal(fil_thread_start(&users[i].thread, "user", use_names, &users[i]), FIL_OK);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        fil_thread_join(&users[i].thread);
        assert_int_equal(users[i].error, FIL_OK);
        assert_memory_equal(users[i].found, users[0].found, sizeof(users[0].found));
    }
    assert_int_equal(fil_maps_count(maps), NAMES);
    assert_int_equal(made_count, NAMES);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(test_##name, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(map_is_made_once),
        TEST(rules_configure),
        TEST(limits_hold),
        TEST(destroyed_map_does_not_count_and_comes_back),
        TEST(kept_map_stays),
        TEST(places_of_destroyed_maps_are_bounded),
        TEST(wrong_counts_are_refused),
        TEST(without_memory_nothing_is_made),
        TEST(budget_refuses_maps),
        TEST(what_cannot_be_prepared_is_not_made),
        TEST(all_are_visited),
        TEST(threads_get_the_same_maps),
    };
#undef TEST
    return cmocka_run_group_tests_name("maps", tests, NULL, NULL);
}
