// SPDX-License-Identifier: Apache-2.0
/**
 * The key table, against a plain array: a key keeps its slot through growth and the removal of
 * others, removed keys are gone, their slots are used again; keys of 8 bytes and of any size; a key
 * that is too long and refused memory are errors; a budget that is used up is one, too; keys whose
 * tags are equal, or whose line is full, are told apart; a line is compared as plain code does it.
 */
#include "core/stream/key_table.h"

#include "core/stream/key.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define KEYS  5000U
#define STEPS 60000U

static struct fil_budget budget;
static struct fil_key_table table;
static uint32_t slots[KEYS]; // plus 1; 0: not there

static void find(const struct fil_bytes *key, uint32_t *out_slot)
{
    uint64_t hash = fil_key_hash_bytes(*key);
    assert_int_equal(fil_key_table_find(&table, 1, key, &hash, out_slot), FIL_OK);
    if (table.is_fixed) {
        uint64_t words[2] = {0};
        uint32_t slot = 0;
        fil_assert(key->size <= sizeof(words));
        memcpy(words, key->data, key->size);
        assert_int_equal(fil_key_table_find_words(&table, 1, words, &hash, &slot), FIL_OK);
        assert_int_equal(slot, *out_slot);
    }
}

/** Random keys come and go; what the array says is what the table says. */
static void check_slots(uint32_t key_bytes, bool is_fixed)
{
    struct fil_prng prng;
    fil_prng_init(&prng, 11);
    memset(slots, 0, sizeof(slots));
    fil_budget_init(&budget, UINT64_C(1) << 26);
    assert_int_equal(fil_key_table_init(&table, &budget, key_bytes, is_fixed, 0), FIL_OK);
    uint32_t count = 0;
    for (uint32_t i = 0; i < STEPS; i++) {
        uint64_t number = fil_prng_below(&prng, KEYS);
        uint64_t bytes[2] = {key_bytes == 16 ? number / 3 : number, number};
        size_t size = is_fixed ? key_bytes : 9 + number % 8;
        struct fil_bytes key = fil_bytes_make(bytes, size);
        if (slots[number] != 0 && fil_prng_below(&prng, 3) == 0) {
            fil_key_table_remove(&table, slots[number] - 1);
            assert_false(fil_key_table_has(&table, slots[number] - 1));
            slots[number] = 0;
            count--;
            continue;
        }
        uint32_t slot = 0;
        find(&key, &slot);
        if (slots[number] != 0) {
            assert_int_equal(slot + 1, slots[number]);
        }
        count += slots[number] == 0;
        slots[number] = slot + 1;
        assert_true(fil_key_table_has(&table, slot));
        struct fil_bytes stored = fil_key_table_key(&table, slot);
        assert_int_equal(stored.size, size);
        assert_memory_equal(stored.data, bytes, size);
        assert_true(fil_key_table_hash(&table, slot) == fil_key_hash_bytes(key));
        assert_int_equal(table.count, count);
    }
    fil_key_table_check(&table);
    assert_true(table.slot_limit <= KEYS);
    fil_key_table_fini(&table);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_keys_of_eight_bytes_keep_their_slots(void **state)
{
    (void)state;
    check_slots(8, true);
}

static void test_keys_of_sixteen_bytes_keep_their_slots(void **state)
{
    (void)state;
    check_slots(16, true);
}

static void test_keys_of_any_size_keep_their_slots(void **state)
{
    (void)state;
    check_slots(16, false);
}

/** Keys of other hashes than their own: more of one tag than a line has places, at the index's end.
 */
static void test_equal_tags_and_full_lines_are_told_apart(void **state)
{
    (void)state;
    static const uint64_t same[] = {0, UINT32_MAX, UINT32_MAX - 7};
    fil_budget_init(&budget, UINT64_C(1) << 26);
    assert_int_equal(fil_key_table_init(&table, &budget, 8, true, 0), FIL_OK);
    uint32_t found[60];
    for (uint32_t round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < FIL_COUNT_OF(found); i++) {
            uint32_t slot = 0;
            assert_int_equal(fil_key_table_find_words(&table, 1, &i, &same[i % 3], &slot), FIL_OK);
            assert_true(round == 0 || slot == found[i]);
            found[i] = slot;
        }
    }
    assert_int_equal(table.count, FIL_COUNT_OF(found));
    fil_key_table_fini(&table);
}

static void test_a_line_is_compared_as_plain_code_does(void **state)
{
    (void)state;
    struct fil_prng prng;
    fil_prng_init(&prng, 5);
    for (uint32_t i = 0; i < 10000; i++) {
        static const uint32_t some[] = {0, 1, UINT32_MAX, 0x8000, 0x7fffffff, 0x80000000};
        struct fil_key_line line;
        for (uint32_t at = 0; at < FIL_KEY_LINE_PLACES; at++) {
            line.tags[at] = some[fil_prng_below(&prng, FIL_COUNT_OF(some))];
        }
        uint32_t wanted = some[i % FIL_COUNT_OF(some)];
        assert_int_equal(fil_key_line_match(line.tags, wanted),
                         fil_key_line_match_plain(line.tags, wanted));
    }
}

static void test_long_key_is_refused(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 26);
    assert_int_equal(fil_key_table_init(&table, &budget, 4, false, 0), FIL_OK);
    struct fil_bytes key = fil_bytes_of("seven..");
    uint64_t hash = fil_key_hash_bytes(key);
    uint32_t slot = 0;
    assert_int_equal(fil_key_table_find(&table, 1, &key, &hash, &slot), FIL_E_LIMIT);
    assert_int_equal(table.count, 0);
    fil_key_table_fini(&table);
}

static void test_used_up_budget_is_an_error(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 18);
    assert_int_equal(fil_key_table_init(&table, &budget, 8, true, 0), FIL_OK);
    int error = FIL_OK;
    for (uint64_t i = 0; error == FIL_OK && i < 1000000; i++) {
        struct fil_bytes key = fil_bytes_make(&i, sizeof(i));
        uint64_t hash = fil_key_hash_bytes(key);
        uint32_t slot = 0;
        error = fil_key_table_find(&table, 1, &key, &hash, &slot);
    }
    assert_int_equal(error, FIL_E_NOMEM);
    fil_key_table_check(&table);
    fil_key_table_fini(&table);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_refused_memory_leaves_a_good_table(void **state)
{
    (void)state;
    for (int64_t after = 0; after < 8; after++) {
        fil_budget_init(&budget, UINT64_C(1) << 26);
        fil_alloc_fail_after(after);
        int error = fil_key_table_init(&table, &budget, 8, true, 0);
        for (uint64_t i = 0; error == FIL_OK && i < 3000; i++) {
            struct fil_bytes key = fil_bytes_make(&i, sizeof(i));
            uint64_t hash = fil_key_hash_bytes(key);
            uint32_t slot = 0;
            error = fil_key_table_find(&table, 1, &key, &hash, &slot);
        }
        fil_alloc_fail_after(-1);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
        if (table.index.lines != NULL) {
            fil_key_table_check(&table);
        }
        fil_key_table_fini(&table);
        assert_int_equal(fil_budget_drawn(&budget), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_of_eight_bytes_keep_their_slots),
        cmocka_unit_test(test_keys_of_sixteen_bytes_keep_their_slots),
        cmocka_unit_test(test_keys_of_any_size_keep_their_slots),
        cmocka_unit_test(test_equal_tags_and_full_lines_are_told_apart),
        cmocka_unit_test(test_a_line_is_compared_as_plain_code_does),
        cmocka_unit_test(test_long_key_is_refused),
        cmocka_unit_test(test_used_up_budget_is_an_error),
        cmocka_unit_test(test_refused_memory_leaves_a_good_table),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
