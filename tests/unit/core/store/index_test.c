// SPDX-License-Identifier: Apache-2.0
/**
 * Secondary indexes, one test a promise: entries are found by attribute after puts, edits,
 * removals, expiry, eviction and clear; ranges come in order with their ends in or out; equals
 * beyond counting cost no more; attributes that differ late are told apart; an index that comes
 * later is filled in slices; without memory a write changes nothing.
 */
#include "tests/unit/core/store/store_world.h"

#define LATE          (FIL_INDEX_ATTRIBUTE_MAX - 2)
#define ATTRIBUTE_MAX FIL_INDEX_ATTRIBUTE_MAX

/** The attribute is the value's part before a colon. */
static bool extract(void *context, struct fil_bytes key, struct fil_bytes value,
                    struct fil_index_attribute *out_attribute)
{
    (void)context;
    (void)key;
    size_t size = fil_bytes_find(value, ':');
    fil_index_attribute_set(out_attribute, fil_bytes_make(value.data, size));
    return size < value.size;
}

static const struct fil_index_definition definitions[] = {
    {.kind = FIL_INDEX_HASH, .extract = extract},
    {.kind = FIL_INDEX_SORTED, .extract = extract},
};

static int set_up(void **state)
{
    (void)world_set_up(state);
    world_open(UINT64_C(1) << 30);
    for (uint32_t i = 0; i < FIL_COUNT_OF(definitions); i++) {
        int error = fil_store_index_open(&world.store, &definitions[i]);
        assert_int_equal(error, FIL_OK);
    }
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
        fil_store_find_by(&world.store, &definitions[i], fil_bytes_of(attribute), world.now_ms,
                          count_match, &counts[i]);
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
    fil_store_find_range(&world.store, &definitions[1], range, world.now_ms, append_match, &result);
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
        uint32_t place = i % 2 == 0 ? 100 : LATE;
        (void)snprintf(value + ATTRIBUTE_MAX, 8, ":%u", i);
        value[place] = (char)('a' + i % 20);
        assert_int_equal(world_put(world_name(i), value), FIL_OK);
    }
    memset(attribute, 'x', ATTRIBUTE_MAX);
    attribute[ATTRIBUTE_MAX] = '\0';
    attribute[LATE] = 'b';
    assert_int_equal(count_of(attribute), 15);
    attribute[LATE] = 'x';
    attribute[100] = 'c';
    assert_int_equal(count_of(attribute), 15);
    fil_store_check(&world.store);
}

static void test_long_attributes_are_found_by_how_they_begin(void **state)
{
    (void)state;
    char value[ATTRIBUTE_MAX + 32];
    memset(value, 'x', sizeof(value));
    memcpy(value + ATTRIBUTE_MAX + 10, ":", 2);
    assert_int_equal(world_put("long", value), FIL_OK);
    value[ATTRIBUTE_MAX + 10] = '\0';
    assert_int_equal(count_of(value), 1);
    value[ATTRIBUTE_MAX + 5] = 'y';
    assert_int_equal(count_of(value), 1); // who asks looks at the rest
    value[LATE] = 'y';
    assert_int_equal(count_of(value), 0);
}

static const struct fil_index_definition later[] = {
    {.kind = FIL_INDEX_HASH, .extract = extract},
    {.kind = FIL_INDEX_SORTED, .extract = extract},
};

static uint32_t count_later(uint32_t number, const char *attribute)
{
    uint32_t count = 0;
    fil_store_find_by(&world.store, &later[number], fil_bytes_of(attribute), world.now_ms,
                      count_match, &count);
    return count;
}

/** Changes in the midst of a filling: new entries, other attributes, removals. */
static void disturb(uint32_t round)
{
    char value[32];
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t number = (round * 37 + i * 101) % 3000;
        (void)snprintf(value, sizeof(value), "%u:%u", (number + round) % 7, round);
        assert_int_equal(world_put(world_name(number), value), FIL_OK);
        (void)world_remove(world_name((number + 1500) % 3000));
    }
}

static void test_an_index_is_filled_in_slices_while_all_changes(void **state)
{
    (void)state;
    char value[32];
    for (uint32_t i = 0; i < 3000; i += 2) {
        (void)snprintf(value, sizeof(value), "%u:", i % 7);
        assert_int_equal(world_put(world_name(i), value), FIL_OK);
    }
    uint32_t round = 0;
    for (uint32_t i = 0; i < FIL_COUNT_OF(later); i++) {
        assert_int_equal(fil_store_index_open(&world.store, &later[i]), FIL_OK);
        assert_int_equal(fil_store_index_open(&world.store, &later[i]), FIL_OK);
        for (uint64_t cursor = 0; cursor < FIL_STORE_SCAN_END; round++) {
            assert_int_equal(fil_store_index_fill(&world.store, &later[i], &cursor, 50), FIL_OK);
            disturb(round);
        }
    }
    for (uint32_t attribute = 0; attribute < 7; attribute++) {
        (void)snprintf(value, sizeof(value), "%u", attribute);
        assert_int_equal(count_later(0, value), count_of(value));
        assert_int_equal(count_later(1, value), count_of(value));
    }
    fil_store_check(&world.store);
}

static void test_a_filling_without_memory_goes_on_later(void **state)
{
    (void)state;
    char value[32];
    for (uint32_t i = 0; i < 500; i++) {
        (void)snprintf(value, sizeof(value), "%u:", i % 3);
        assert_int_equal(world_put(world_name(i), value), FIL_OK);
    }
    uint32_t failures = 0;
    fil_alloc_fail_after(0);
    assert_int_equal(fil_store_index_open(&world.store, &later[0]), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    assert_int_equal(fil_store_index_open(&world.store, &later[0]), FIL_OK);
    uint64_t cursor = 0;
    for (int64_t position = 0; cursor < FIL_STORE_SCAN_END; position++) {
        fil_alloc_fail_after(position % 3);
        failures += fil_store_index_fill(&world.store, &later[0], &cursor, 100) != FIL_OK;
        fil_alloc_fail_after(-1);
    }
    assert_true(failures > 0);
    assert_int_equal(count_later(0, "1"), 167);
    fil_store_check(&world.store);
}

static void visit_count(void *context, const struct fil_store_view *view)
{
    (void)count_match(context, view);
}

static void test_hashes_of_a_range_lead_to_its_entries(void **state)
{
    (void)state;
    char value[32];
    uint64_t room[100];
    for (uint32_t i = 0; i < 100; i++) {
        (void)snprintf(value, sizeof(value), "%02u:", i);
        assert_int_equal(world_put(world_name(i), value), FIL_OK);
    }
    struct fil_store_range range = {.low = fil_bytes_of("20"),
                                    .high = fil_bytes_of("40"),
                                    .has_low = true,
                                    .has_high = true,
                                    .is_high_excluded = true};
    struct fil_store_hashes hashes = {.items = room, .capacity = 19};
    assert_false(fil_store_collect(&world.store, &definitions[1], &range, &hashes));
    hashes = (struct fil_store_hashes){.items = room, .capacity = 100};
    assert_true(fil_store_collect(&world.store, &definitions[1], &range, &hashes));
    assert_int_equal(hashes.count, 20);
    assert_true(world_remove(world_name(25)));
    uint32_t count = 0;
    for (uint32_t i = 0; i < hashes.count; i++) {
        fil_store_visit_hash(&world.store, room[i], world.now_ms, visit_count, &count);
    }
    assert_int_equal(count, 19);
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
        TEST(long_attributes_are_found_by_how_they_begin),
        TEST(an_index_is_filled_in_slices_while_all_changes),
        TEST(a_filling_without_memory_goes_on_later),
        TEST(hashes_of_a_range_lead_to_its_entries),
        TEST(every_failed_allocation_changes_nothing),
    };
#undef TEST
    return cmocka_run_group_tests_name("index", tests, NULL, NULL);
}
