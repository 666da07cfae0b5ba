// SPDX-License-Identifier: Apache-2.0
/**
 * Secondary indexes, one test a promise: entries are found by attribute after puts, edits,
 * removals, expiry, eviction and clear; ranges come in order with their ends in or out; equals
 * beyond counting cost no more; attributes that differ late are told apart; without memory a write
 * changes nothing.
 */
#include "tests/unit/core/store/store_world.h"

#define ATTRIBUTE_MAX 400U

/** The attribute is the value's part before a colon. */
static bool extract(void *context, struct fil_bytes key, struct fil_bytes value,
                    struct fil_bytes *out_attribute)
{
    (void)context;
    (void)key;
    size_t size = fil_bytes_find(value, ':');
    *out_attribute = fil_bytes_make(value.data, size);
    return size < value.size;
}

static const struct fil_index_definition definitions[] = {
    {.kind = FIL_INDEX_HASH, .extract = extract},
    {.kind = FIL_INDEX_SORTED, .extract = extract},
};

static int set_up(void **state)
{
    (void)world_set_up(state);
    world.options.indexes = definitions;
    world.options.index_count = FIL_COUNT_OF(definitions);
    world_open(UINT64_C(1) << 30);
    return 0;
}

static bool count_match(void *context, const struct fil_store_view *view)
{
    (void)view;
    uint32_t *count = context;
    (*count)++;
    return true;
}

/** How many entries have the attribute; both indexes agree. */
static uint32_t count_of(const char *attribute)
{
    uint32_t counts[2] = {0};
    for (uint32_t i = 0; i < 2; i++) {
        fil_store_find_by(&world.store, i, fil_bytes_of(attribute), world.now_ms, count_match,
                          &counts[i]);
    }
    assert_int_equal(counts[0], counts[1]);
    return counts[0];
}

static void test_indexes_follow_every_change(void **state)
{
    (void)state;
    assert_int_equal(count_of("red"), 0);
    assert_int_equal(world_put("a", "red:1"), FIL_OK);
    assert_int_equal(world_put("b", "red:2"), FIL_OK);
    assert_int_equal(world_put("c", "no attribute"), FIL_OK);
    assert_int_equal(count_of("red"), 2);
    assert_int_equal(world_put("a", "blue:1"), FIL_OK);
    assert_int_equal(world_put("b", "red:3"), FIL_OK);
    assert_int_equal(world_put("c", "red:4"), FIL_OK);
    assert_int_equal(count_of("red"), 2);
    assert_int_equal(count_of("blue"), 1);
    struct fil_store_edit edit;
    assert_int_equal(
        fil_store_edit(&world.store, world_hash("a"), fil_bytes_of("a"), 7, world.now_ms, &edit),
        FIL_OK);
    memcpy(edit.value, "green:1", 7);
    assert_int_equal(count_of("blue"), 1); // until it is committed
    assert_int_equal(fil_store_commit(&world.store, &edit), FIL_OK);
    assert_int_equal(count_of("blue"), 0);
    assert_int_equal(count_of("green"), 1);
    assert_true(world_remove("b"));
    assert_int_equal(count_of("red"), 1);
    assert_int_equal(
        world_put_how("c", "red:5", (struct fil_store_write){.expires_ms = world.now_ms + 5}),
        FIL_OK);
    world.now_ms += 100;
    assert_int_equal(count_of("red"), 0);
    assert_int_equal(fil_store_expire(&world.store, world.now_ms, 10), 1);
    fil_store_check(&world.store);
    for (uint64_t cursor = 0; cursor < FIL_STORE_SCAN_END;) {
        cursor = fil_store_clear(&world.store, cursor, 100);
    }
    assert_int_equal(count_of("green"), 0);
}

static void test_equals_beyond_counting_work(void **state)
{
    (void)state;
    char value[32];
    for (uint32_t i = 0; i < 20000; i++) {
        (void)snprintf(value, sizeof(value), "%s:%u", i % 2 == 0 ? "even" : "an odd one", i);
        assert_int_equal(world_put(world_name(i), value), FIL_OK);
    }
    assert_int_equal(count_of("even"), 10000);
    assert_int_equal(count_of("an odd one"), 10000);
    fil_store_check(&world.store);
    for (uint32_t i = 0; i < 20000; i++) {
        if (i % 4 != 0) {
            assert_true(world_remove(world_name(i)));
        }
    }
    while (fil_store_maintain(&world.store, world.now_ms, 1000)) {
    }
    fil_store_check(&world.store);
    assert_int_equal(count_of("even"), 5000);
    assert_int_equal(count_of("an odd one"), 0);
}

struct range_result {
    char text[1000];
    uint32_t limit;
};

static bool append_match(void *context, const struct fil_store_view *view)
{
    struct range_result *result = context;
    size_t size = strlen(result->text);
    (void)snprintf(result->text + size, sizeof(result->text) - size, "%.*s ", (int)view->key.size,
                   (const char *)view->key.data);
    result->limit--;
    return result->limit > 0;
}

static const char *range_of(const struct fil_store_range *range, uint32_t limit)
{
    static struct range_result result;
    result = (struct range_result){.limit = limit};
    fil_store_find_range(&world.store, 1, range, world.now_ms, append_match, &result);
    return result.text;
}

static void test_ranges_come_in_order(void **state)
{
    (void)state;
    static const char *const words[] = {"delta", "alpha", "charlie", "bravo", "a", "", "alphabet"};
    char value[32];
    for (uint32_t i = 0; i < FIL_COUNT_OF(words); i++) {
        (void)snprintf(value, sizeof(value), "%s:", words[i]);
        assert_int_equal(world_put(words[i], value), FIL_OK);
    }
    struct fil_store_range all = {0};
    assert_string_equal(range_of(&all, 100), " a alpha alphabet bravo charlie delta ");
    assert_string_equal(range_of(&all, 3), " a alpha ");
    struct fil_store_range some = {.low = fil_bytes_of("alpha"),
                                   .high = fil_bytes_of("charlie"),
                                   .has_low = true,
                                   .has_high = true};
    assert_string_equal(range_of(&some, 100), "alpha alphabet bravo charlie ");
    some.is_low_excluded = true;
    some.is_high_excluded = true;
    assert_string_equal(range_of(&some, 100), "alphabet bravo ");
}

static void test_attributes_that_differ_late_are_told_apart(void **state)
{
    (void)state;
    char value[ATTRIBUTE_MAX + 8];
    char attribute[ATTRIBUTE_MAX + 1];
    for (uint32_t i = 0; i < 300; i++) {
        memset(value, 'x', ATTRIBUTE_MAX);
        // Some differ within the bytes that are ordered by, some behind them.
        uint32_t place = i % 2 == 0 ? 100 : 390;
        (void)snprintf(value + ATTRIBUTE_MAX, 8, ":%u", i);
        value[place] = (char)('a' + i % 20);
        assert_int_equal(world_put(world_name(i), value), FIL_OK);
    }
    memset(attribute, 'x', ATTRIBUTE_MAX);
    attribute[ATTRIBUTE_MAX] = '\0';
    attribute[390] = 'b';
    assert_int_equal(count_of(attribute), 15);
    attribute[390] = 'x';
    attribute[100] = 'c';
    assert_int_equal(count_of(attribute), 15);
    fil_store_check(&world.store);
}

static void test_every_failed_allocation_changes_nothing(void **state)
{
    (void)state;
    char value[32];
    for (uint32_t i = 0; i < 400; i++) {
        (void)snprintf(value, sizeof(value), "%u:%u", i % 60, i);
        int error = FIL_E_NOMEM;
        for (int64_t position = 0; error != FIL_OK; position++) {
            uint32_t before = count_of("7");
            fil_alloc_fail_after(position);
            error = world_put(world_name(i % 300), value);
            fil_alloc_fail_after(-1);
            assert_true(error == FIL_OK || count_of("7") == before);
            assert_true(position < 12);
        }
        fil_store_check(&world.store);
        assert_string_equal(world_get(world_name(i % 300)), value);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, world_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(indexes_follow_every_change),
        TEST(equals_beyond_counting_work),
        TEST(ranges_come_in_order),
        TEST(attributes_that_differ_late_are_told_apart),
        TEST(every_failed_allocation_changes_nothing),
    };
#undef TEST
    return cmocka_run_group_tests_name("index", tests, NULL, NULL);
}
