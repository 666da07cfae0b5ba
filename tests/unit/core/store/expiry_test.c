// SPDX-License-Identifier: Apache-2.0
/**
 * Expiry, one test a promise: an entry is gone at its time to the millisecond, removed or not;
 * slices remove what is due, and no more than their budget; reads put max idle off and time to live
 * not; defaults of the structure apply where a write names none; expiry can be changed and taken
 * away.
 */
#include "tests/unit/core/store/store_world.h"

static struct fil_store_write ttl(uint64_t ms)
{
    return (struct fil_store_write){.expires_ms = world.now_ms + ms};
}

static void test_gone_to_the_millisecond(void **state)
{
    (void)state;
    static const uint64_t waits[] = {1,      63,       64,         65,         5000,
                                     300000, 20000000, 2000000000, 50000000000};
    for (uint32_t i = 0; i < FIL_COUNT_OF(waits); i++) {
        assert_int_equal(world_put_how("k", "v", ttl(waits[i])), FIL_OK);
        world.now_ms += waits[i] - 1;
        assert_int_equal(fil_store_expire(&world.store, world.now_ms, 1000), 0);
        assert_true(world_has("k"));
        world.now_ms++;
        assert_false(world_has("k"));
        assert_null(world_get("k"));
        // The wheel's ticks are 64 ms: it removes at the next one.
        world.now_ms += 64;
        assert_true(fil_store_next_expiry_ms(&world.store) <= world.now_ms);
        assert_int_equal(fil_store_expire(&world.store, world.now_ms, 1000), 1);
        assert_int_equal(fil_store_count(&world.store), 0);
        assert_int_equal(fil_store_next_expiry_ms(&world.store), FIL_STORE_NEVER);
    }
    assert_int_equal(world.expired_count, FIL_COUNT_OF(waits));
}

static void test_expired_is_absent_for_writes(void **state)
{
    (void)state;
    assert_int_equal(world_put_how("k", "old", ttl(10)), FIL_OK);
    world.now_ms += 10;
    assert_false(world_remove("k"));
    assert_int_equal(world.expired_count, 1);
    assert_int_equal(world_put_how("k", "old", ttl(10)), FIL_OK);
    world.now_ms += 10;
    struct fil_store_outcome outcome;
    struct fil_store_write how = {.now_ms = world.now_ms, .condition = FIL_STORE_IF_ABSENT};
    assert_int_equal(fil_store_put(&world.store, world_hash("k"), fil_bytes_of("k"),
                                   fil_bytes_of("new"), &how, &outcome),
                     FIL_OK);
    assert_true(outcome.is_written);
    assert_false(outcome.was_there);
    assert_int_equal(world.expired_count, 2);
    assert_string_equal(world_get("k"), "new");
}

static void test_slices_keep_to_their_budget(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(world_put_how(world_name(i), "v", ttl(100 + i % 7)), FIL_OK);
    }
    world.now_ms += 1000;
    uint32_t removed = 0;
    while (fil_store_count(&world.store) > 0) {
        uint32_t slice = fil_store_expire(&world.store, world.now_ms, 16);
        assert_true(slice <= 16);
        removed += slice;
    }
    assert_int_equal(removed, 1000);
    assert_int_equal(world.expired_count, 1000);
}

static void test_reads_put_idle_off_and_ttl_not(void **state)
{
    (void)state;
    struct fil_store_write how = {.expires_ms = world.now_ms + 1000, .max_idle_ms = 300};
    assert_int_equal(world_put_how("k", "v", how), FIL_OK);
    for (uint32_t i = 0; i < 4; i++) {
        world.now_ms += 200;
        assert_non_null(world_get("k"));
        assert_int_equal(fil_store_expire(&world.store, world.now_ms, 100), 0);
    }
    world.now_ms += 199;
    assert_non_null(world_get("k"));
    world.now_ms += 1;
    assert_null(world_get("k"));
    assert_int_equal(world_put_how("k", "v", (struct fil_store_write){.max_idle_ms = 300}), FIL_OK);
    world.now_ms += 200;
    assert_true(world_has("k")); // a peek is no use
    world.now_ms += 100;
    assert_false(world_has("k"));
}

static void test_defaults_apply(void **state)
{
    (void)state;
    world.options.ttl_ms = 500;
    world_open(UINT64_C(1) << 30);
    assert_int_equal(world_put("a", "v"), FIL_OK);
    assert_int_equal(
        world_put_how("b", "v", (struct fil_store_write){.expires_ms = FIL_STORE_NEVER}), FIL_OK);
    assert_int_equal(world_put_how("c", "v", ttl(100)), FIL_OK);
    world.now_ms += 400;
    assert_int_equal(world_put_how("a", "w", (struct fil_store_write){.keeps_expiry = true}),
                     FIL_OK);
    assert_true(world_has("a"));
    assert_false(world_has("c"));
    world.now_ms += 100;
    assert_false(world_has("a"));
    assert_true(world_has("b"));
}

static void test_expiry_can_be_changed(void **state)
{
    (void)state;
    struct fil_store_write how = {.now_ms = world.now_ms, .expires_ms = world.now_ms + 100};
    uint64_t hash = world_hash("k");
    struct fil_bytes key = fil_bytes_of("k");
    assert_int_equal(fil_store_set_expiry(&world.store, hash, key, &how), FIL_E_NOT_FOUND);
    assert_int_equal(world_put("k", "value"), FIL_OK);
    assert_int_equal(fil_store_set_expiry(&world.store, hash, key, &how), FIL_OK);
    how.expires_ms = world.now_ms + 50;
    assert_int_equal(fil_store_set_expiry(&world.store, hash, key, &how), FIL_OK);
    world.now_ms += 49;
    assert_string_equal(world_get("k"), "value");
    how.expires_ms = FIL_STORE_NEVER;
    assert_int_equal(fil_store_set_expiry(&world.store, hash, key, &how), FIL_OK);
    world.now_ms += 1000000;
    assert_int_equal(fil_store_expire(&world.store, world.now_ms, 100), 0);
    assert_string_equal(world_get("k"), "value");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, world_set_up, world_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(gone_to_the_millisecond),
        TEST(expired_is_absent_for_writes),
        TEST(slices_keep_to_their_budget),
        TEST(reads_put_idle_off_and_ttl_not),
        TEST(defaults_apply),
        TEST(expiry_can_be_changed),
    };
#undef TEST
    return cmocka_run_group_tests_name("expiry", tests, NULL, NULL);
}
