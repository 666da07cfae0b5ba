// SPDX-License-Identifier: Apache-2.0
/**
 * The table, one test a promise: over a million random operations it holds exactly what a plain
 * array holds, with good hashes and with hashes that nearly all collide; empty keys and values,
 * binary ones and ones that differ in length alone are told apart; an entry costs a fixed overhead
 * besides its bytes, an overwrite of equal size costs nothing and allocates nothing; a put that
 * finds no budget or no memory changes nothing; in the end every byte is given back.
 */
#include "core/store/table.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/hash.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define KEYS       3000U
#define OPERATIONS 500000U
#define VALUE_MAX  100U

static struct fil_budget budget;
static struct fil_table table;

static int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 30);
    fil_table_init(&table, &budget);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_table_fini(&table);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

static uint64_t hash_of(struct fil_bytes key)
{
    return fil_hash(key, 17);
}

static int put(const char *key, const char *value)
{
    struct fil_bytes bytes = fil_bytes_of(key);
    return fil_table_put(&table, hash_of(bytes), bytes, fil_bytes_of(value));
}

static void assert_value(const char *key, const char *value)
{
    struct fil_bytes bytes = fil_bytes_of(key);
    struct fil_bytes found = {0};
    assert_true(fil_table_get(&table, hash_of(bytes), bytes, &found));
    assert_true(fil_bytes_equal_text(found, value));
}

static bool has(const char *key)
{
    struct fil_bytes bytes = fil_bytes_of(key);
    struct fil_bytes found = {0};
    return fil_table_get(&table, hash_of(bytes), bytes, &found);
}

static bool remove_key(const char *key)
{
    struct fil_bytes bytes = fil_bytes_of(key);
    return fil_table_remove(&table, hash_of(bytes), bytes);
}

// A model: what each of a fixed set of keys should hold.

struct entry {
    bool is_there;
    size_t size;
    uint8_t first; // of the value's bytes, which count up from it
};

static struct entry model[KEYS];
static uint32_t model_count;
static uint64_t hash_mask;

struct key {
    char text[16];
    struct fil_bytes bytes;
    uint64_t hash;
};

static void make_key(uint32_t index, struct key *out_key)
{
    int size = snprintf(out_key->text, sizeof(out_key->text), "key:%u", index);
    out_key->bytes = fil_bytes_make(out_key->text, (size_t)size);
    out_key->hash = hash_of(out_key->bytes) & hash_mask;
}

static void fill_value(uint8_t value[VALUE_MAX], const struct entry *entry)
{
    for (size_t i = 0; i < entry->size; i++) {
        value[i] = (uint8_t)(entry->first + i);
    }
}

static void put_random(struct fil_prng *prng, uint32_t index)
{
    struct key key;
    make_key(index, &key);
    struct entry entry = {
        .is_there = true,
        .size = fil_prng_below(prng, 4) == 0 ? model[index].size : fil_prng_below(prng, VALUE_MAX),
        .first = (uint8_t)fil_prng_next(prng),
    };
    uint8_t value[VALUE_MAX];
    fill_value(value, &entry);
    assert_int_equal(fil_table_put(&table, key.hash, key.bytes, fil_bytes_make(value, entry.size)),
                     FIL_OK);
    model_count += !model[index].is_there;
    model[index] = entry;
}

static void remove_random(uint32_t index)
{
    struct key key;
    make_key(index, &key);
    assert_int_equal(fil_table_remove(&table, key.hash, key.bytes), model[index].is_there);
    model_count -= model[index].is_there;
    model[index].is_there = false;
}

static void check_key(uint32_t index)
{
    struct key key;
    make_key(index, &key);
    struct fil_bytes found = {0};
    assert_int_equal(fil_table_get(&table, key.hash, key.bytes, &found), model[index].is_there);
    if (model[index].is_there) {
        uint8_t value[VALUE_MAX];
        fill_value(value, &model[index]);
        assert_true(fil_bytes_equal(found, fil_bytes_make(value, model[index].size)));
    }
}

static void check_all(void)
{
    assert_int_equal(table.count, model_count);
    for (uint32_t i = 0; i < KEYS; i++) {
        check_key(i);
    }
}

/** Phases that mostly fill and phases that mostly empty, so that runs grow, wrap and close. */
static void run_model(uint64_t seed, uint64_t mask, uint32_t key_count, uint32_t operations)
{
    struct fil_prng prng;
    fil_prng_init(&prng, seed);
    memset(model, 0, sizeof(model));
    model_count = 0;
    hash_mask = mask;
    for (uint32_t i = 0; i < operations; i++) {
        uint32_t index = (uint32_t)fil_prng_below(&prng, key_count);
        uint64_t choice = fil_prng_below(&prng, 10);
        bool is_filling = i / 20000 % 2 == 0;
        if (choice < 3) {
            check_key(index);
        } else if (choice < (is_filling ? 8U : 5U)) {
            put_random(&prng, index);
        } else {
            remove_random(index);
        }
        if (i % 50000 == 0) {
            check_all();
        }
    }
    check_all();
}

static void test_table_holds_what_an_array_holds(void **state)
{
    (void)state;
    run_model(1, UINT64_MAX, KEYS, OPERATIONS);
}

static void test_colliding_keys_are_told_apart(void **state)
{
    (void)state;
    // Eight hashes for all keys: long runs, and every removal moves others back.
    run_model(2, 7, 60, OPERATIONS);
}

static void test_runs_wrap_around_the_end(void **state)
{
    (void)state;
    // All hashes lie at the end of the table, whatever its size.
    hash_mask = UINT64_MAX;
    for (uint32_t round = 0; round < 200; round++) {
        for (uint32_t i = 0; i < 10; i++) {
            struct key key;
            make_key(i, &key);
            assert_int_equal(fil_table_put(&table, UINT64_MAX - i % 2, key.bytes, key.bytes),
                             FIL_OK);
        }
        for (uint32_t n = 0; n < 10; n++) {
            uint32_t i = (n * 7 + round) % 10;
            struct key key;
            make_key(i, &key);
            assert_true(fil_table_remove(&table, UINT64_MAX - i % 2, key.bytes));
            assert_false(fil_table_remove(&table, UINT64_MAX - i % 2, key.bytes));
        }
        assert_int_equal(table.count, 0);
    }
}

static void test_odd_keys_and_values_are_told_apart(void **state)
{
    (void)state;
    struct fil_bytes found = {0};
    assert_false(has(""));
    assert_false(remove_key(""));
    assert_int_equal(put("", "empty key"), FIL_OK);
    assert_int_equal(put("a", ""), FIL_OK);
    assert_int_equal(put("aa", "two"), FIL_OK);
    assert_value("", "empty key");
    assert_value("a", "");
    assert_value("aa", "two");
    // An empty run of bytes may have no address at all.
    struct fil_bytes none = fil_bytes_make(NULL, 0);
    assert_true(fil_table_get(&table, hash_of(none), none, &found));
    assert_int_equal(fil_table_put(&table, hash_of(none), none, none), FIL_OK);
    assert_value("", "");
    struct fil_bytes zero = fil_bytes_make("a\0b", 3);
    assert_int_equal(fil_table_put(&table, hash_of(zero), zero, zero), FIL_OK);
    assert_value("a", "");
    assert_true(fil_table_get(&table, hash_of(zero), zero, &found));
    assert_true(fil_bytes_equal(found, zero));
    assert_int_equal(table.count, 4);
    assert_true(remove_key(""));
    assert_false(remove_key(""));
    assert_int_equal(table.count, 3);
}

static void test_entry_costs_its_bytes_and_a_fixed_overhead(void **state)
{
    (void)state;
    assert_int_equal(put("a", "b"), FIL_OK);
    uint64_t before = fil_account_used(&table.account);
    assert_int_equal(put("k", "v"), FIL_OK);
    uint64_t overhead = fil_account_used(&table.account) - before - 2;
    assert_true(overhead <= 64);
    before = fil_account_used(&table.account);
    assert_int_equal(put("a longer key", "and a longer value"), FIL_OK);
    assert_int_equal(fil_account_used(&table.account) - before, overhead + 12 + 18);
    assert_true(remove_key("a longer key"));
    assert_int_equal(fil_account_used(&table.account), before);
    assert_int_equal(put("k", "longer"), FIL_OK);
    assert_int_equal(fil_account_used(&table.account), before + 5);
}

static void test_overwrite_of_equal_size_allocates_nothing(void **state)
{
    (void)state;
    char key[16];
    for (uint32_t count = 1; count < 100; count++) {
        (void)snprintf(key, sizeof(key), "key:%u", count);
        assert_int_equal(put(key, "one"), FIL_OK);
        // However full the table is at the moment.
        uint64_t allocations = fil_alloc_count();
        uint64_t used = fil_account_used(&table.account);
        assert_int_equal(put(key, "two"), FIL_OK);
        assert_value(key, "two");
        assert_int_equal(fil_alloc_count(), allocations);
        assert_int_equal(fil_account_used(&table.account), used);
    }
}

/** Puts until it is refused; returns how many are in. */
static uint32_t fill_up(const char *value)
{
    char key[16];
    uint32_t count = 0;
    int error = FIL_OK;
    while (error == FIL_OK) {
        (void)snprintf(key, sizeof(key), "key:%u", count);
        error = put(key, value);
        count += error == FIL_OK;
    }
    assert_int_equal(error, FIL_E_NOMEM);
    return count;
}

static void check_full(uint32_t count, const char *value)
{
    char key[16];
    assert_int_equal(table.count, count);
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(key, sizeof(key), "key:%u", i);
        assert_value(key, value);
    }
    (void)snprintf(key, sizeof(key), "key:%u", count);
    assert_false(has(key));
}

static void test_refused_put_changes_nothing(void **state)
{
    (void)state;
    static char large[100000];
    memset(large, 'x', sizeof(large) - 1);
    fil_budget_init(&budget, 100000);
    uint32_t count = fill_up("a value of some size");
    assert_true(count > 100);
    check_full(count, "a value of some size");
    uint64_t used = fil_account_used(&table.account);
    // Neither does one that would overwrite.
    assert_int_equal(put("key:0", large), FIL_E_NOMEM);
    assert_int_equal(put("key:1", large), FIL_E_NOMEM);
    check_full(count, "a value of some size");
    assert_int_equal(fil_account_used(&table.account), used);
    // Room that is made can be used.
    assert_true(remove_key("key:0"));
    assert_int_equal(put("key:0", "a value of some size"), FIL_OK);
    check_full(count, "a value of some size");
}

static void test_every_failed_allocation_changes_nothing(void **state)
{
    (void)state;
    char key[16];
    for (uint32_t i = 0; i < 200; i++) {
        (void)snprintf(key, sizeof(key), "key:%u", i);
        int error = FIL_E_NOMEM;
        for (int64_t position = 0; error != FIL_OK; position++) {
            fil_alloc_fail_after(position);
            error = put(key, "value");
            fil_alloc_fail_after(-1);
            assert_true(error == FIL_OK || error == FIL_E_NOMEM);
            assert_int_equal(table.count, i + (error == FIL_OK));
            assert_int_equal(has(key), error == FIL_OK);
            assert_true(position < 3);
        }
    }
    check_full(200, "value");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(table_holds_what_an_array_holds),
        TEST(colliding_keys_are_told_apart),
        TEST(runs_wrap_around_the_end),
        TEST(odd_keys_and_values_are_told_apart),
        TEST(entry_costs_its_bytes_and_a_fixed_overhead),
        TEST(overwrite_of_equal_size_allocates_nothing),
        TEST(refused_put_changes_nothing),
        TEST(every_failed_allocation_changes_nothing),
    };
#undef TEST
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
