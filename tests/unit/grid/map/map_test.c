// SPDX-License-Identifier: Apache-2.0
/**
 * The map, one test a promise: set, get and remove agree; size and bytes are the sum of all
 * partitions; keys spread evenly over partitions; a map of one partition works; a set without
 * memory or budget is refused and changes nothing; a map that is full takes no new keys; no memory
 * for the map itself is an error; threads that enter the partitions of shared keys see whole values
 * only, and none is lost.
 */
#include "grid/map/map.h"

#include <stdio.h>
#include <string.h>

#include "core/exec/exec.h"
#include "filbert/error.h"
#include "grid/map/shelf.h"
#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

static struct fil_budget budget;
static struct fil_map *map;
static uint64_t own_bytes; // of an empty map

static void open_map(uint32_t partition_count, uint64_t limit_bytes)
{
    fil_budget_init(&budget, limit_bytes);
    struct fil_map_setup setup = {
        .budget = &budget, .partition_count = partition_count, .seed = 42};
    assert_int_equal(fil_map_new(&map, &setup), FIL_OK);
    own_bytes = fil_budget_drawn(&budget);
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_map_free(map);
    map = NULL;
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

static int put(const struct fil_map_key *place, struct fil_bytes value)
{
    static const struct fil_store_write plainly = {0};
    return fil_map_put_here(map, place, value, &plainly, NULL);
}

static int set_bytes(struct fil_bytes key, struct fil_bytes value)
{
    struct fil_map_key place = fil_map_place(map, key);
    fil_map_prefetch_here(map, &place);
    fil_map_prefetch_record_here(map, &place);
    return put(&place, value);
}

static int set(const char *key, const char *value)
{
    return set_bytes(fil_bytes_of(key), fil_bytes_of(value));
}

static bool remove_key(const char *key)
{
    struct fil_map_key place = fil_map_place(map, fil_bytes_of(key));
    return fil_map_remove_here(map, &place, 0, NULL);
}

static void assert_value(const char *key, const char *value)
{
    struct fil_bytes found;
    struct fil_map_key place = fil_map_place(map, fil_bytes_of(key));
    assert_true(fil_map_get_here(map, &place, 0, &found));
    assert_true(fil_bytes_equal_text(found, value));
}

static void assert_missing(const char *key)
{
    struct fil_bytes found = {0};
    struct fil_map_key place = fil_map_place(map, fil_bytes_of(key));
    assert_false(fil_map_get_here(map, &place, 0, &found));
    assert_null(found.data);
}

static void test_operations_agree(void **state)
{
    (void)state;
    open_map(271, UINT64_C(1) << 30);
    assert_missing("a");
    assert_int_equal(set("a", "1"), FIL_OK);
    assert_int_equal(set("b", ""), FIL_OK);
    assert_value("a", "1");
    assert_value("b", "");
    assert_int_equal(fil_map_size(map), 2);
    assert_int_equal(set("a", "another"), FIL_OK);
    assert_value("a", "another");
    assert_int_equal(fil_map_size(map), 2);
    assert_true(remove_key("a"));
    assert_false(remove_key("a"));
    assert_missing("a");
    assert_int_equal(fil_map_size(map), 1);
}

static void fill(uint32_t count)
{
    char key[16];
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(key, sizeof(key), "key:%u", i);
        assert_int_equal(set(key, key), FIL_OK);
    }
}

static void check_filled(uint32_t count)
{
    char key[16];
    assert_int_equal(fil_map_size(map), count);
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(key, sizeof(key), "key:%u", i);
        assert_value(key, key);
    }
}

static void test_every_partition_count_works(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 7, 271, 1000};
    for (size_t i = 0; i < FIL_COUNT_OF(counts); i++) {
        open_map(counts[i], UINT64_C(1) << 30);
        fill(5000);
        check_filled(5000);
        assert_true(fil_map_bytes(map) > 5000 * 16);
        (void)tear_down(state);
    }
    open_map(1, 100000); // for tear_down
}

/** An empty partition draws nothing, so the budget tells how many are in use. */
static void test_keys_spread_over_partitions(void **state)
{
    (void)state;
    open_map(64, UINT64_C(1) << 30);
    fill(2000);
    assert_int_equal(fil_budget_drawn(&budget), own_bytes + 64 * FIL_ACCOUNT_STEP_BYTES);
    uint64_t bytes = fil_map_bytes(map);
    assert_true(bytes <= fil_budget_drawn(&budget));
    // None has more than three times its share.
    assert_true(bytes / 64 * 3 < FIL_ACCOUNT_STEP_BYTES);
}

static void test_bytes_return_to_zero_but_for_the_slots(void **state)
{
    (void)state;
    char key[16];
    open_map(3, UINT64_C(1) << 30);
    assert_int_equal(fil_map_bytes(map), 0);
    fill(1000);
    uint64_t full = fil_map_bytes(map);
    for (uint32_t i = 0; i < 1000; i++) {
        (void)snprintf(key, sizeof(key), "key:%u", i);
        assert_true(remove_key(key));
    }
    assert_int_equal(fil_map_size(map), 0);
    assert_true(fil_map_bytes(map) < full / 2);
    uint64_t empty = fil_map_bytes(map);
    fill(1000);
    assert_true(fil_map_bytes(map) <= full);
    assert_true(fil_map_bytes(map) > empty);
}

static void test_refused_set_changes_nothing(void **state)
{
    (void)state;
    static char large[100000];
    memset(large, 'x', sizeof(large) - 1);
    open_map(1, 90000);
    fill(100);
    assert_int_equal(set("key:5", large), FIL_E_NOMEM);
    assert_int_equal(set("new", large), FIL_E_NOMEM);
    check_filled(100);
    large[5000] = '\0'; // a size that no other has, so it needs memory of its own
    fil_alloc_fail_after(0);
    assert_int_equal(set("new", large), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    check_filled(100);
    assert_int_equal(set("new", "value"), FIL_OK);
}

static void test_full_map_takes_no_new_keys(void **state)
{
    (void)state;
    static const struct fil_map_config configs[] = {
        {.entry_count_max = 5}, {.byte_count_max = 1}, {.memory_percent_max = 1}};
    static const int errors[] = {FIL_E_ENTRIES_MAX, FIL_E_BYTES_MAX, FIL_E_NOMEM};
    for (size_t i = 0; i < FIL_COUNT_OF(configs); i++) {
        fil_budget_init(&budget, 1 << 20);
        struct fil_map_setup setup = {
            .budget = &budget, .partition_count = 1, .seed = 42, .config = configs[i]};
        assert_int_equal(fil_map_new(&map, &setup), FIL_OK);
        uint32_t count = 0;
        char key[16] = "key:0";
        while (set(key, "v") == FIL_OK) {
            count++;
            (void)snprintf(key, sizeof(key), "key:%u", count);
        }
        assert_int_equal(set(key, "v"), errors[i]);
        assert_int_equal(count, i == 0 ? 5 : 1);
        assert_value("key:0", "v");
        assert_int_equal(set("key:0", "w"), FIL_OK);
        // One that is there may grow only where bytes have no limit.
        assert_int_equal(set("key:0", "longer"), i == 0 ? FIL_OK : errors[i]);
        struct fil_map_key place = fil_map_place(map, fil_bytes_of("key:0"));
        struct fil_store_edit edit;
        int error = fil_map_edit_here(map, &place, 100, 0, &edit);
        assert_int_equal(error, i == 0 ? FIL_OK : errors[i]);
        if (error == FIL_OK) {
            assert_int_equal(fil_map_commit_here(map, &place, &edit), FIL_OK);
        }
        assert_true(remove_key("key:0"));
        assert_int_equal(set("key:0", "x"), i == 0 ? FIL_OK : errors[i]);
        (void)tear_down(state);
    }
    open_map(1, 100000); // for tear_down
}

static void test_limit_of_entries_is_exact(void **state)
{
    (void)state;
    fil_budget_init(&budget, 16 << 20);
    struct fil_map_setup setup = {
        .budget = &budget, .partition_count = 271, .seed = 42, .config = {.entry_count_max = 100}};
    assert_int_equal(fil_map_new(&map, &setup), FIL_OK);
    char key[16];
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 200; i++) {
            (void)snprintf(key, sizeof(key), "key:%u", i);
            assert_int_equal(set(key, "v"), i < 100 ? FIL_OK : FIL_E_ENTRIES_MAX);
            assert_int_equal(set(key, "w"), i < 100 ? FIL_OK : FIL_E_ENTRIES_MAX);
        }
        assert_int_equal(fil_map_size(map), 100);
        for (uint32_t i = 0; i < 50; i++) {
            (void)snprintf(key, sizeof(key), "key:%u", i);
            assert_true(remove_key(key));
        }
        for (uint32_t id = 0; round == 1 && id < 271; id++) {
            uint64_t end = fil_map_clear_here(map, (fil_partition_id)id, 0, 1000, 0);
            assert_int_equal(end, FIL_STORE_SCAN_END);
        }
        for (uint32_t i = 0; round == 1 && i < 50; i++) {
            (void)snprintf(key, sizeof(key), "key:%u", 50 + i);
            assert_int_equal(set(key, "v"), FIL_OK);
        }
    }
}

/** Puts the key, for so long. */
static int put_for(const char *name, uint64_t now_ms, uint64_t ttl_ms)
{
    struct fil_map_key place = fil_map_place(map, fil_bytes_of(name));
    struct fil_store_write how = {.now_ms = now_ms, .expires_ms = now_ms + ttl_ms};
    return fil_map_put_here(map, &place, fil_bytes_of("v"), &how, NULL);
}

static void fill_byte(void *context, uint8_t *bytes, size_t size)
{
    (void)context;
    memset(bytes, 'v', size);
}

static void test_what_has_expired_makes_room_at_once(void **state)
{
    (void)state;
    static const struct fil_store_new_value value = {.size = 1, .fill = fill_byte};
    fil_budget_init(&budget, 1 << 20);
    struct fil_map_setup setup = {
        .budget = &budget, .partition_count = 1, .seed = 42, .config = {.entry_count_max = 3}};
    assert_int_equal(fil_map_new(&map, &setup), FIL_OK);
    // Whatever the place of the end within a tick of the wheel, and however far that has gone.
    uint64_t now_ms = 1000000;
    for (uint32_t round = 0; round < 1000; round++) {
        uint64_t ttl_ms = 1 + round * 37 % 9000;
        assert_int_equal(put_for("a", now_ms, ttl_ms), FIL_OK);
        assert_int_equal(put_for("b", now_ms, ttl_ms), FIL_OK);
        assert_int_equal(put_for("c", now_ms, ttl_ms + 1), FIL_OK);
        assert_int_equal(put_for("d", now_ms + ttl_ms - 1, 1), FIL_E_ENTRIES_MAX);
        now_ms += ttl_ms;
        assert_int_equal(put_for("d", now_ms, 1), FIL_OK);
        struct fil_map_key place = fil_map_place(map, fil_bytes_of("e"));
        assert_int_equal(fil_map_insert_here(map, &place, &value, now_ms), FIL_OK);
        assert_int_equal(put_for("f", now_ms, 1), FIL_E_ENTRIES_MAX);
        assert_int_equal(fil_map_admit_here(map, &place, true, now_ms), FIL_E_ENTRIES_MAX);
        now_ms++;
        assert_int_equal(fil_map_admit_here(map, &place, true, now_ms), FIL_OK);
        assert_int_equal(fil_map_size(map), 1);
        assert_true(fil_map_remove_here(map, &place, now_ms, NULL));
    }
}

static void test_no_memory_for_the_map_is_an_error(void **state)
{
    (void)state;
    struct fil_map *none = NULL;
    struct fil_map_setup setup = {.budget = &budget, .partition_count = 271, .seed = 1};
    open_map(1, 100000);
    fil_alloc_fail_after(0);
    assert_int_equal(fil_map_new(&none, &setup), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    assert_null(none);
    fil_map_free(NULL);
}

// Several threads, each inside a partition while it uses it.

#define THREADS     3U
#define TURNS       5000U
#define SHARED_KEYS 20U

struct worker {
    struct fil_thread thread;
    struct fil_runner runner;
    uint32_t number;
    const char *problem;
};

static struct fil_exec *exec;

static struct fil_partition *enter(struct worker *worker, const struct fil_map_key *key)
{
    struct fil_partition *partition = fil_exec_partition(exec, key->partition_id);
    while (!fil_partition_enter(partition, &worker->runner)) {
        fil_thread_yield();
    }
    return partition;
}

/** A whole value is one byte again and again, as often as the byte says. */
static void check_whole(struct worker *worker, const struct fil_map_key *key)
{
    struct fil_bytes value;
    if (!fil_map_get_here(map, key, 0, &value)) {
        return;
    }
    bool is_whole = value.size > 0 && value.size == value.data[0];
    for (size_t i = 1; i < value.size; i++) {
        is_whole = is_whole && value.data[i] == value.data[0];
    }
    if (!is_whole) {
        worker->problem = "a value is torn";
    }
}

static void use_shared_key(struct worker *worker, struct fil_prng *prng)
{
    char name[24];
    uint8_t value[200];
    size_t size = 1 + fil_prng_below(prng, sizeof(value));
    memset(value, (int)size, size);
    (void)snprintf(name, sizeof(name), "shared:%u", (unsigned)fil_prng_below(prng, SHARED_KEYS));
    struct fil_map_key key = fil_map_place(map, fil_bytes_of(name));
    struct fil_partition *partition = enter(worker, &key);
    switch (fil_prng_below(prng, 3)) {
    case 0:
        (void)fil_map_remove_here(map, &key, 0, NULL);
        break;
    case 1:
        if (put(&key, fil_bytes_make(value, size)) != FIL_OK) {
            worker->problem = "a set was refused";
        }
        break;
    default:
        check_whole(worker, &key);
        break;
    }
    fil_partition_leave(partition);
}

static void use_own_key(struct worker *worker, uint32_t turn)
{
    char name[24];
    (void)snprintf(name, sizeof(name), "%u:%u", worker->number, turn);
    struct fil_map_key key = fil_map_place(map, fil_bytes_of(name));
    struct fil_partition *partition = enter(worker, &key);
    if (put(&key, fil_bytes_of(name)) != FIL_OK) {
        worker->problem = "a set was refused";
    }
    fil_partition_leave(partition);
}

static void use_map(void *context)
{
    struct worker *worker = context;
    struct fil_prng prng;
    fil_prng_init(&prng, worker->number);
    for (uint32_t i = 0; i < TURNS; i++) {
        use_shared_key(worker, &prng);
        use_own_key(worker, i);
        if (i % 100 == 0) {
            (void)fil_map_size(map);
            (void)fil_map_bytes(map);
        }
    }
}

static void test_threads_share_the_map(void **state)
{
    (void)state;
    static struct worker workers[THREADS];
    char key[24];
    open_map(5, UINT64_C(1) << 30);
    struct fil_exec_options options = {.env = fil_env_real(),
                                       .budget = &budget,
                                       .partition_count = 5,
                                       .thread_count = 1,
                                       .has_caller_runs = true,
                                       .has_batching = true,
                                       .has_wake_suppression = true};
    assert_int_equal(fil_exec_new(&exec, &options), FIL_OK);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.number = i};
        fil_runner_init(&workers[i].runner, exec, "worker");
        assert_int_equal(fil_thread_start(&workers[i].thread, "worker", use_map, &workers[i]),
                         FIL_OK);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        fil_thread_join(&workers[i].thread);
        if (workers[i].problem != NULL) {
            fail_msg("worker %u: %s", i, workers[i].problem);
        }
    }
    for (uint32_t i = 0; i < THREADS * TURNS; i++) {
        (void)snprintf(key, sizeof(key), "%u:%u", i / TURNS, i % TURNS);
        assert_value(key, key);
    }
    assert_true(fil_map_size(map) <= THREADS * TURNS + SHARED_KEYS);
    fil_exec_free(exec);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(test_##name, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(operations_agree),
        TEST(every_partition_count_works),
        TEST(keys_spread_over_partitions),
        TEST(bytes_return_to_zero_but_for_the_slots),
        TEST(refused_set_changes_nothing),
        TEST(full_map_takes_no_new_keys),
        TEST(limit_of_entries_is_exact),
        TEST(what_has_expired_makes_room_at_once),
        TEST(no_memory_for_the_map_is_an_error),
        TEST(threads_share_the_map),
    };
#undef TEST
    return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
