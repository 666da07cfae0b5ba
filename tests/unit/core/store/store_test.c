// SPDX-License-Identifier: Apache-2.0
/**
 * The store, one test a promise: an empty one is small and owns nothing; odd keys and values are
 * told apart; conditions hold; old values are lent; an overwrite of equal size allocates nothing;
 * so does one of a value that was found, unless more depends on it; values are edited in place,
 * also across sizes and into the large; many are found at once; a guess is good until something
 * goes; views tell what the structure keeps; memory comes back when entries go; a write that finds
 * no budget or no memory changes nothing.
 */
#include "tests/unit/core/store/store_world.h"

static void test_empty_store_is_small_and_owns_nothing(void **state)
{
    (void)state;
    assert_true(sizeof(struct fil_store) <= 208);
    assert_int_equal(fil_store_bytes(&world.store), 0);
    assert_int_equal(fil_budget_drawn(&world.budget), 0);
    assert_false(world_has("a"));
    assert_false(world_remove("a"));
    assert_int_equal(fil_store_expire(&world.store, world.now_ms, 10), 0);
    assert_int_equal(fil_budget_drawn(&world.budget), 0);
    assert_int_equal(world_put("a", "b"), FIL_OK);
    assert_true(fil_store_bytes(&world.store) < 2048);
}

static void test_odd_keys_and_values_are_told_apart(void **state)
{
    (void)state;
    static char large[60001];
    memset(large, 'x', sizeof(large) - 1);
    assert_int_equal(world_put("", "empty key"), FIL_OK);
    assert_int_equal(world_put("a", ""), FIL_OK);
    assert_int_equal(world_put("aa", large), FIL_OK);
    assert_int_equal(world_put(large, "large key"), FIL_OK);
    assert_string_equal(world_get(""), "empty key");
    assert_string_equal(world_get("a"), "");
    assert_string_equal(world_get("aa"), large);
    assert_string_equal(world_get(large), "large key");
    assert_int_equal(fil_store_count(&world.store), 4);
    struct fil_bytes none = fil_bytes_make(NULL, 0);
    struct fil_store_write how = {.now_ms = world.now_ms};
    assert_int_equal(fil_store_put(&world.store, world_hash(""), none, none, &how, NULL), FIL_OK);
    assert_string_equal(world_get(""), "");
    assert_true(world_remove(large));
    assert_false(world_remove(large));
}

static void test_conditions_hold(void **state)
{
    (void)state;
    struct fil_store_outcome outcome;
    struct fil_store_write how = {.now_ms = world.now_ms, .condition = FIL_STORE_IF_PRESENT};
    struct fil_bytes key = fil_bytes_of("k");
    uint64_t hash = world_hash("k");
    assert_int_equal(fil_store_put(&world.store, hash, key, fil_bytes_of("1"), &how, &outcome),
                     FIL_OK);
    assert_false(outcome.is_written);
    assert_false(outcome.was_there);
    how.condition = FIL_STORE_IF_ABSENT;
    assert_int_equal(fil_store_put(&world.store, hash, key, fil_bytes_of("2"), &how, &outcome),
                     FIL_OK);
    assert_true(outcome.is_written);
    assert_int_equal(fil_store_put(&world.store, hash, key, fil_bytes_of("3"), &how, &outcome),
                     FIL_OK);
    assert_false(outcome.is_written);
    assert_true(fil_bytes_equal_text(outcome.old_value, "2"));
    assert_string_equal(world_get("k"), "2");
}

static void test_old_values_are_lent(void **state)
{
    (void)state;
    struct fil_store_outcome outcome;
    struct fil_store_write how = {.now_ms = world.now_ms, .wants_old = true};
    struct fil_bytes key = fil_bytes_of("k");
    uint64_t hash = world_hash("k");
    assert_int_equal(world_put("k", "first"), FIL_OK);
    assert_int_equal(fil_store_put(&world.store, hash, key, fil_bytes_of("other"), &how, &outcome),
                     FIL_OK);
    assert_true(fil_bytes_equal_text(outcome.old_value, "first"));
    struct fil_bytes old = {0};
    assert_true(fil_store_remove(&world.store, hash, key, world.now_ms, &old));
    assert_true(fil_bytes_equal_text(old, "other"));
    assert_false(world_has("k"));
}

static void test_overwrite_of_equal_size_allocates_nothing(void **state)
{
    (void)state;
    world_fill(0, 1000);
    uint64_t allocations = fil_alloc_count();
    uint64_t bytes = fil_store_bytes(&world.store);
    for (uint32_t i = 0; i < 1000; i++) {
        char value[16];
        memset(value, 'x', sizeof(value));
        value[strlen(world_name(i))] = '\0';
        assert_int_equal(world_put(world_name(i), value), FIL_OK);
        assert_string_equal(world_get(world_name(i)), value);
    }
    assert_int_equal(fil_alloc_count(), allocations);
    assert_int_equal(fil_store_bytes(&world.store), bytes);
}

static void edit_to(size_t size, uint8_t mark)
{
    struct fil_store_edit edit;
    assert_int_equal(
        fil_store_edit(&world.store, world_hash("k"), fil_bytes_of("k"), size, world.now_ms, &edit),
        FIL_OK);
    assert_int_equal(edit.size, size);
    if (size > edit.old_size) {
        assert_int_equal(edit.value[size - 1], 0);
    }
    if (size > 0) {
        edit.value[size - 1] = mark;
    }
    assert_int_equal(fil_store_commit(&world.store, &edit), FIL_OK);
}

static void test_what_was_found_is_edited(void **state)
{
    (void)state;
    struct fil_store_spot spot;
    struct fil_store_edit edit;
    struct fil_bytes key = fil_bytes_of("k");
    assert_false(fil_store_find(&world.store, world_hash("k"), key, world.now_ms, &spot));
    assert_int_equal(
        world_put_how("k", "41", (struct fil_store_write){.expires_ms = world.now_ms + 9}), FIL_OK);
    assert_false(fil_store_find(&world.store, world_hash("k"), key, world.now_ms + 9, &spot));
    assert_true(fil_store_find(&world.store, world_hash("k"), key, world.now_ms, &spot));
    assert_int_equal(spot.value.size, 2);
    uint64_t bytes = fil_store_bytes(&world.store);
    assert_int_equal(fil_store_edit_found(&world.store, &spot, 2, &edit), FIL_OK);
    assert_ptr_equal(edit.value, spot.value.data); // an equal size stays where it is
    edit.value[1] = '2';
    assert_int_equal(fil_store_commit(&world.store, &edit), FIL_OK);
    assert_string_equal(world_get("k"), "42");
    assert_int_equal(fil_store_bytes(&world.store), bytes);
    assert_true(fil_store_find(&world.store, world_hash("k"), key, world.now_ms, &spot));
    assert_int_equal(fil_store_edit_found(&world.store, &spot, SIZE_MAX, &edit), FIL_E_LIMIT);
    assert_string_equal(world_get("k"), "42");
    fil_store_check(&world.store);
}

/** Finds the key and tries to write another value over it. */
static bool rewrite(const char *key, const char *value)
{
    struct fil_store_spot spot;
    return fil_store_find(&world.store, world_hash(key), fil_bytes_of(key), world.now_ms, &spot) &&
           fil_store_rewrite(&world.store, &spot, fil_bytes_of(value));
}

static void test_a_plain_value_is_written_over(void **state)
{
    (void)state;
    assert_int_equal(world_put_how("k", "41", (struct fil_store_write){0}), FIL_OK);
    uint64_t bytes = fil_store_bytes(&world.store);
    assert_true(rewrite("k", "42"));
    assert_string_equal(world_get("k"), "42");
    assert_false(rewrite("k", "100")); // another size
    assert_string_equal(world_get("k"), "42");
    assert_int_equal(world_put_how("k", "43", (struct fil_store_write){0}), FIL_OK);
    assert_string_equal(world_get("k"), "43");
    assert_int_equal(fil_store_bytes(&world.store), bytes);
    fil_store_check(&world.store);
}

static void test_what_more_depends_on_is_not_written_over(void **state)
{
    (void)state;
    assert_int_equal(
        world_put_how("t", "1", (struct fil_store_write){.expires_ms = world.now_ms + 9}), FIL_OK);
    assert_false(rewrite("t", "2")); // it has times
    assert_string_equal(world_get("t"), "1");
    assert_int_equal(world_put_how("t", "2", (struct fil_store_write){0}), FIL_OK);
    world.now_ms += 9; // which a plain put takes away
    assert_string_equal(world_get("t"), "2");
    assert_int_equal(world_put_how("t", "3", (struct fil_store_write){.expires_ms = world.now_ms}),
                     FIL_OK);
    assert_null(world_get("t")); // and another one gives
    assert_int_equal(world_put_how("s", "1", (struct fil_store_write){0}), FIL_OK);
    assert_int_equal(fil_store_snapshot_begin(&world.store, world.now_ms), FIL_OK);
    assert_false(rewrite("s", "2")); // the snapshot has yet to see it
    assert_int_equal(world_put_how("s", "2", (struct fil_store_write){0}), FIL_OK);
    assert_true(rewrite("s", "3")); // this one it never will
    assert_string_equal(world_get("s"), "3");
    fil_store_snapshot_end(&world.store);
    fil_store_check(&world.store);
}

static void test_values_are_edited_at_any_size(void **state)
{
    (void)state;
    struct fil_store_edit edit;
    assert_int_equal(
        fil_store_edit(&world.store, world_hash("k"), fil_bytes_of("k"), 1, world.now_ms, &edit),
        FIL_E_NOT_FOUND);
    assert_int_equal(
        world_put_how("k", "v", (struct fil_store_write){.expires_ms = world.now_ms + 9}), FIL_OK);
    static const size_t sizes[] = {2, 3, 100, 9000, 20000, 70000, 200000, 500, 0, 1};
    for (uint32_t i = 0; i < FIL_COUNT_OF(sizes); i++) {
        edit_to(sizes[i], (uint8_t)i);
        struct fil_store_view view;
        assert_true(fil_store_inspect(&world.store, world_hash("k"), fil_bytes_of("k"),
                                      world.now_ms, &view));
        assert_int_equal(view.value.size, sizes[i]);
        assert_true(sizes[i] < 2 || view.value.data[0] == 'v');
        assert_int_equal(view.expires_ms, world.now_ms + 9);
    }
    fil_store_check(&world.store);
}

static void test_growing_by_bits_moves_rarely(void **state)
{
    (void)state;
    assert_int_equal(world_put("k", ""), FIL_OK);
    uint64_t allocations = fil_alloc_count();
    for (size_t size = 1; size < 100000; size++) {
        edit_to(size, 'x');
    }
    assert_true(fil_alloc_count() - allocations < 250);
}

static void test_many_are_found_at_once(void **state)
{
    (void)state;
    static char names[100][16];
    struct fil_store_lookup lookups[100];
    world_fill(0, 50);
    for (uint32_t i = 0; i < 100; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "key:%u", i);
        lookups[i] =
            (struct fil_store_lookup){.hash = world_hash(names[i]), .key = fil_bytes_of(names[i])};
    }
    assert_int_equal(fil_store_find_many(&world.store, lookups, 100, world.now_ms), 50);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(lookups[i].value.data != NULL, i < 50);
        assert_true(i >= 50 || fil_bytes_equal(lookups[i].value, lookups[i].key));
    }
}

static uint32_t guess(const char *key)
{
    return fil_store_guess(&world.store, world_hash(key));
}

static void test_a_guess_is_good_until_something_goes(void **state)
{
    (void)state;
    assert_int_equal(guess("k"), FIL_SLAB_NONE);
    assert_int_equal(world_put("k", "1"), FIL_OK);
    assert_int_not_equal(guess("k"), FIL_SLAB_NONE);
    assert_string_equal(world_get("k"), "1");
    assert_int_equal(world_put("other", "2"), FIL_OK); // as before
    assert_string_equal(world_get("k"), "1");
    fil_store_check(&world.store);
    assert_int_equal(world_put("k", "a value that does not fit there"), FIL_OK); // it moves
    assert_string_equal(world_get("k"), "a value that does not fit there");
    assert_int_not_equal(guess("k"), FIL_SLAB_NONE);
    assert_true(world_remove("k"));
    assert_null(world_get("k"));
    assert_int_not_equal(guess("other"), FIL_SLAB_NONE);
    assert_true(world_remove("other"));
    assert_null(world_get("other"));
    assert_int_equal(world_put("other", "3"), FIL_OK); // in the same slot
    assert_string_equal(world_get("other"), "3");
    fil_store_check(&world.store);
}

static void test_views_tell_what_is_kept(void **state)
{
    (void)state;
    world.options.has_statistics = true;
    world_open(UINT64_C(1) << 30);
    struct fil_store_view view;
    uint64_t created_ms = world.now_ms;
    assert_int_equal(world_put("k", "1"), FIL_OK);
    world.now_ms += 1600;
    assert_int_equal(world_put("k", "22"), FIL_OK);
    world.now_ms += 1600;
    assert_string_equal(world_get("k"), "22");
    assert_string_equal(world_get("k"), "22");
    assert_true(
        fil_store_inspect(&world.store, world_hash("k"), fil_bytes_of("k"), world.now_ms, &view));
    assert_int_equal(view.created_ms, created_ms);
    assert_int_equal(view.updated_ms, created_ms + 1600);
    assert_int_equal(view.version, 1);
    assert_int_equal(view.hits, 3);
    assert_int_equal(view.expires_ms, FIL_STORE_NEVER);
    assert_int_equal(view.max_idle_ms, FIL_STORE_NEVER);
}

static void test_times_of_access_are_whole(void **state)
{
    (void)state;
    world.options.eviction = FIL_EVICTION_LRU;
    world_open(UINT64_C(1) << 30);
    world.now_ms = UINT64_C(1795000000000); // 2026: far beyond what 32 bits of ticks hold
    assert_int_equal(world_put("k", "1"), FIL_OK);
    uint64_t put_ms = world.now_ms;
    world.now_ms += UINT64_C(400) * 86400 * 1000; // not read for a year and more
    struct fil_store_view view;
    assert_true(
        fil_store_inspect(&world.store, world_hash("k"), fil_bytes_of("k"), world.now_ms, &view));
    assert_in_range(view.accessed_ms, put_ms - 15, put_ms);
    assert_string_equal(world_get("k"), "1");
    assert_true(
        fil_store_inspect(&world.store, world_hash("k"), fil_bytes_of("k"), world.now_ms, &view));
    assert_in_range(view.accessed_ms, world.now_ms - 15, world.now_ms);
    // A look at an earlier time, as a snapshot's, shows nothing from the future.
    assert_true(fil_store_inspect(&world.store, world_hash("k"), fil_bytes_of("k"), put_ms, &view));
    assert_true(view.accessed_ms <= put_ms);
}

static void test_entry_costs_little(void **state)
{
    (void)state;
    char value[101];
    memset(value, 'v', 100);
    value[100] = '\0';
    char key[17];
    for (uint32_t i = 0; i < 3690; i++) {
        (void)snprintf(key, sizeof(key), "key:%012u", i);
        assert_int_equal(world_put(key, value), FIL_OK);
    }
    assert_true(fil_store_bytes(&world.store) < 3690 * (116 + 26));
}

static void test_memory_comes_back(void **state)
{
    (void)state;
    world_fill(0, 30000);
    uint64_t full = fil_store_bytes(&world.store);
    for (uint32_t i = 0; i < 30000; i++) {
        if (i % 8 != 0) {
            assert_true(world_remove(world_name(i)));
        }
    }
    // Records have been moved out of sparse runs, a few with every change.
    while (fil_store_maintain(&world.store, world.now_ms, 1000)) {
    }
    assert_true(fil_store_bytes(&world.store) < full / 3);
    fil_store_check(&world.store);
    for (uint32_t i = 0; i < 30000; i += 8) {
        assert_string_equal(world_get(world_name(i)), world_name(i));
        assert_true(world_remove(world_name(i)));
    }
    assert_true(fil_store_bytes(&world.store) < 8192);
}

static void test_refused_put_changes_nothing(void **state)
{
    (void)state;
    static char large[60001];
    memset(large, 'x', sizeof(large) - 1);
    world_open(100000);
    uint32_t count = 0;
    while (world_put(world_name(count), world_name(count)) == FIL_OK) {
        count++;
    }
    assert_true(count > 1000);
    assert_int_equal(fil_store_count(&world.store), count);
    uint64_t bytes = fil_store_bytes(&world.store);
    assert_int_equal(world_put("key:0", large), FIL_E_NOMEM);
    assert_int_equal(world_put("new", large), FIL_E_NOMEM);
    assert_int_equal(fil_store_bytes(&world.store), bytes);
    world_check_filled(0, count);
    // Room that is made can be used.
    assert_true(world_remove("key:0"));
    assert_int_equal(world_put("key:0", "key:0"), FIL_OK);
    world_check_filled(0, count);
}

static void test_too_large_is_refused(void **state)
{
    (void)state;
    struct fil_store_write how = {.now_ms = world.now_ms};
    struct fil_bytes key = fil_bytes_of("k");
    struct fil_bytes value = fil_bytes_make("v", UINT64_C(1) << 32);
    assert_int_equal(fil_store_put(&world.store, world_hash("k"), key, value, &how, NULL),
                     FIL_E_LIMIT);
    assert_int_equal(fil_store_count(&world.store), 0);
}

/** Every kind of write, each failing at each of its allocations. */
static void test_every_failed_allocation_changes_nothing(void **state)
{
    (void)state;
    world.options.has_statistics = true;
    world_open(UINT64_C(1) << 30);
    for (uint32_t i = 0; i < 300; i++) {
        int error = FIL_E_NOMEM;
        char value[64];
        memset(value, 'v', sizeof(value));
        value[i % 60] = '\0';
        uint64_t expires_ms = i % 3 == 0 ? world.now_ms + 1000 : 0;
        for (int64_t position = 0; error != FIL_OK; position++) {
            uint32_t count = fil_store_count(&world.store);
            fil_alloc_fail_after(position);
            error = world_put_how(world_name(i % 200), value,
                                  (struct fil_store_write){.expires_ms = expires_ms});
            fil_alloc_fail_after(-1);
            assert_true(error == FIL_OK || error == FIL_E_NOMEM);
            assert_true(error == FIL_OK || fil_store_count(&world.store) == count);
            assert_true(position < 8);
            fil_store_check(&world.store);
        }
        assert_string_equal(world_get(world_name(i % 200)), value);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, world_set_up, world_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(empty_store_is_small_and_owns_nothing),
        TEST(odd_keys_and_values_are_told_apart),
        TEST(conditions_hold),
        TEST(old_values_are_lent),
        TEST(overwrite_of_equal_size_allocates_nothing),
        TEST(values_are_edited_at_any_size),
        TEST(what_was_found_is_edited),
        TEST(a_plain_value_is_written_over),
        TEST(what_more_depends_on_is_not_written_over),
        TEST(growing_by_bits_moves_rarely),
        TEST(many_are_found_at_once),
        TEST(a_guess_is_good_until_something_goes),
        TEST(views_tell_what_is_kept),
        TEST(times_of_access_are_whole),
        TEST(entry_costs_little),
        TEST(memory_comes_back),
        TEST(refused_put_changes_nothing),
        TEST(too_large_is_refused),
        TEST(every_failed_allocation_changes_nothing),
    };
#undef TEST
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
