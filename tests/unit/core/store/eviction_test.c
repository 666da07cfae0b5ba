// SPDX-License-Identifier: Apache-2.0
/**
 * Eviction, one test a promise: every policy keeps to a limit of entries, of bytes and of memory;
 * LRU keeps what was used lately, LFU what was used often, SIEVE what was used at all, be it read,
 * put or edited; what must not go stays; entries that grow count as those that come, and neither
 * are refused for their size; what has expired goes first; without a policy a full store refuses
 * and stays readable.
 */
#include "tests/unit/core/store/store_world.h"

static const enum fil_eviction policies[] = {FIL_EVICTION_LRU, FIL_EVICTION_LFU,
                                             FIL_EVICTION_RANDOM, FIL_EVICTION_SIEVE};

static void test_limits_of_entries_hold(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FIL_COUNT_OF(policies); i++) {
        world.options.eviction = policies[i];
        world.options.entry_count_max = 100;
        world_open(UINT64_C(1) << 30);
        world.evicted_count = 0;
        for (uint32_t k = 0; k < 1000; k++) {
            world_fill(k, k + 1);
            assert_true(fil_store_count(&world.store) <= 100);
            assert_true(world_has(world_name(k)));
        }
        assert_int_equal(world.evicted_count, 900);
        fil_store_check(&world.store);
    }
}

static void test_limits_of_bytes_hold(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FIL_COUNT_OF(policies); i++) {
        world.options.eviction = policies[i];
        world.options.byte_count_max = 40000;
        world_open(UINT64_C(1) << 30);
        world_fill(0, 5000);
        // Full but not over-full: a victim for each that comes.
        assert_in_range(fil_store_count(&world.store), 700, 2000);
        assert_true(fil_store_bytes(&world.store) < 60000);
        assert_true(world_has("key:4999"));
    }
}

/** Gives the key a value of so many bytes by a put or by an edit. */
static int grow(uint32_t number, size_t size, bool edits)
{
    static char value[20001];
    memset(value, 'v', sizeof(value));
    const char *key = world_name(number);
    if (!edits || !world_has(key)) {
        value[size] = '\0';
        return world_put(key, value);
    }
    struct fil_store_edit edit;
    int error =
        fil_store_edit(&world.store, world_hash(key), fil_bytes_of(key), size, world.now_ms, &edit);
    if (error != FIL_OK) {
        return error;
    }
    memset(edit.value, 'v', edit.size);
    return fil_store_commit(&world.store, &edit);
}

static void test_limits_of_bytes_hold_for_entries_that_grow(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * FIL_COUNT_OF(policies); i++) {
        world.options.eviction = policies[i / 2];
        world.options.byte_count_max = 200000;
        world_open(UINT64_C(1) << 30);
        world_fill(0, 500);
        for (uint32_t k = 0; k < 500; k++) {
            assert_int_equal(grow(k, 100 + k * 30, i % 2 == 1), FIL_OK);
            assert_true(world_has(world_name(k))); // is itself no victim
            assert_true(world.store.slab.used_bytes < 220000);
        }
        assert_true(fil_store_count(&world.store) > 5);
        fil_store_check(&world.store);
    }
}

static void test_random_takes_what_has_expired_first(void **state)
{
    (void)state;
    world.options.eviction = FIL_EVICTION_RANDOM;
    world_open(UINT64_C(1) << 30);
    // Few enough for one bucket, so that every sample sees the one.
    for (uint32_t round = 0; round < 50; round++) {
        world_fill(0, 6);
        struct fil_store_write how = {.expires_ms = world.now_ms + 10};
        assert_int_equal(world_put_how("short", "v", how), FIL_OK);
        world.now_ms += 20;
        assert_int_equal(fil_store_evict(&world.store, world.now_ms, 1), 1);
        assert_int_equal(fil_store_count(&world.store), 6);
        world_check_filled(0, 6);
    }
}

/** Sizes of one phase after the other. */
static size_t size_in(uint32_t phase, uint32_t number)
{
    static const size_t mixed[] = {10, 100, 1000, 5000, 18000};
    return phase == 0 ? 1000 : phase == 1 ? mixed[number * 7 % FIL_COUNT_OF(mixed)] : 20000;
}

static void test_phases_of_sizes_are_never_refused(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FIL_COUNT_OF(policies); i++) {
        world.options.eviction = policies[i];
        world_open(4 << 20);
        for (uint32_t phase = 0; phase < 3; phase++) {
            for (uint32_t k = 0, bytes = 0; bytes < 12U << 20; k++) {
                size_t size = size_in(phase, k);
                bytes += (uint32_t)size;
                assert_int_equal(grow(phase * 1000000 + k, size, false), FIL_OK);
                assert_true(world_has(world_name(phase * 1000000 + k)));
            }
            // It is used, too.
            assert_true(world.store.slab.used_bytes > (4U << 20) / 2);
        }
        fil_store_check(&world.store);
    }
}

static void test_full_memory_evicts(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FIL_COUNT_OF(policies); i++) {
        world.options.eviction = policies[i];
        world_open(100000);
        world_fill(10000, 20000); // names of one size: each leaves room for the next
        assert_true(fil_store_count(&world.store) > 500);
        assert_true(world_has("key:19999"));
        fil_store_check(&world.store);
    }
    world.options.memory_percent_max = 50;
    world_open(1000000);
    world_fill(0, 50000);
    assert_true(fil_budget_drawn(&world.budget) < 800000);
    assert_true(fil_store_count(&world.store) > 5000);
}

enum use {
    READ,
    PUT,
    EDIT,
    USES
};

/** Uses the key, if it is still there. */
static void use_key(uint32_t number, enum use use)
{
    if (use == READ) {
        (void)world_get(world_name(number));
    } else if (world_has(world_name(number))) {
        assert_int_equal(grow(number, 12, use == EDIT), FIL_OK);
    }
}

/** Uses the first `hot` keys while others come; returns how many of them are still there. */
static uint32_t keep_using(uint32_t hot, uint32_t times, enum use use)
{
    world_fill(0, hot);
    for (uint32_t k = hot; k < 3000; k++) {
        world.now_ms += 50;
        for (uint32_t i = 0; i < times; i++) {
            use_key((k * times + i) % hot, use);
        }
        world_fill(k, k + 1);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < hot; i++) {
        kept += world_has(world_name(i));
    }
    return kept;
}

static void test_what_is_used_stays(void **state)
{
    (void)state;
    static const enum fil_eviction attentive[] = {FIL_EVICTION_LRU, FIL_EVICTION_LFU,
                                                  FIL_EVICTION_SIEVE};
    for (uint32_t i = 0; i < USES * FIL_COUNT_OF(attentive); i++) {
        world.options.eviction = attentive[i / USES];
        world.options.entry_count_max = 200;
        world_open(UINT64_C(1) << 30);
        assert_true(keep_using(20, 2, (enum use)(i % USES)) >= 18);
    }
    world.options.eviction = FIL_EVICTION_RANDOM;
    world_open(UINT64_C(1) << 30);
    assert_true(keep_using(20, 2, READ) < 18);
}

static bool may_go(void *context, struct fil_store *store, struct fil_bytes key)
{
    (void)context;
    (void)store;
    return key.data[key.size - 1] != '7';
}

static void test_what_must_not_go_stays(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FIL_COUNT_OF(policies); i++) {
        world.options.eviction = policies[i];
        world.options.entry_count_max = 100;
        world.options.can_evict = may_go;
        world_open(UINT64_C(1) << 30);
        world_fill(0, 500);
        for (uint32_t k = 7; k < 500; k += 10) {
            assert_true(world_has(world_name(k)));
        }
    }
}

static void test_without_policy_full_is_refused(void **state)
{
    (void)state;
    world.options.entry_count_max = 10; // counts for eviction only
    world_open(60000);
    uint32_t count = 0;
    while (world_put(world_name(count), world_name(count)) == FIL_OK) {
        count++;
    }
    assert_true(count > 100);
    assert_int_equal(world.evicted_count, 0);
    world_check_filled(0, count);
}

static void test_evicting_by_hand(void **state)
{
    (void)state;
    assert_int_equal(fil_store_evict(&world.store, world.now_ms, 5), 0);
    world.options.eviction = FIL_EVICTION_SIEVE;
    world_open(UINT64_C(1) << 30);
    world_fill(0, 20);
    assert_int_equal(fil_store_evict(&world.store, world.now_ms, 5), 5);
    assert_false(world_has("key:0"));
    assert_true(world_has("key:19"));
    assert_int_equal(fil_store_evict(&world.store, world.now_ms, 50), 15);
    assert_int_equal(fil_store_count(&world.store), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, world_set_up, world_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(limits_of_entries_hold),
        TEST(limits_of_bytes_hold),
        TEST(limits_of_bytes_hold_for_entries_that_grow),
        TEST(random_takes_what_has_expired_first),
        TEST(phases_of_sizes_are_never_refused),
        TEST(full_memory_evicts),
        TEST(what_is_used_stays),
        TEST(what_must_not_go_stays),
        TEST(without_policy_full_is_refused),
        TEST(evicting_by_hand),
    };
#undef TEST
    return cmocka_run_group_tests_name("eviction", tests, NULL, NULL);
}
