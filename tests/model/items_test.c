// SPDX-License-Identifier: Apache-2.0
/**
 * A sequence and a dict against plain arrays, over random scripts: whatever is pushed, inserted,
 * removed, replaced, dropped and looked for, small items and large, while memory fails now and
 * then, they hold the same, and all memory comes back.
 *
 * `model_items STEPS [SEED]` runs longer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/items/dict.h"
#include "core/items/items.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define MODEL_MAX 600U

static uint64_t step_count = 200000;
static uint64_t first_seed = 1;

/** An item is a number and a size; its bytes follow from both. */
struct mark {
    uint32_t number;
    uint32_t size;
};

static uint8_t paint[2][20000];

static struct fil_bytes bytes_of(struct mark mark, uint32_t which)
{
    memset(paint[which], (int)(mark.number & 0xFFU), mark.size);
    if (mark.size >= sizeof(mark.number)) {
        memcpy(paint[which], &mark.number, sizeof(mark.number));
    }
    return fil_bytes_make(paint[which], mark.size);
}

static struct mark random_mark(struct fil_prng *prng)
{
    uint32_t size = (uint32_t)fil_prng_below(prng, 40);
    uint64_t dice = fil_prng_below(prng, 100);
    if (dice < 5) {
        size = (uint32_t)fil_prng_below(prng, 300);
    } else if (dice == 99) {
        size = (uint32_t)fil_prng_below(prng, sizeof(paint[0]));
    }
    return (struct mark){.number = (uint32_t)fil_prng_below(prng, 500), .size = size};
}

static struct mark model[MODEL_MAX + 1];
static uint64_t model_count;

static void model_insert(uint64_t index, struct mark mark)
{
    memmove(&model[index + 1], &model[index], (model_count - index) * sizeof(model[0]));
    model[index] = mark;
    model_count++;
}

static void model_remove(uint64_t index)
{
    model_count--;
    memmove(&model[index], &model[index + 1], (model_count - index) * sizeof(model[0]));
}

static void assert_same(const struct fil_items *items)
{
    struct fil_item_cursor cursor = fil_items_first(items);
    struct fil_bytes item;
    fil_items_check(items);
    assert_int_equal(items->count, model_count);
    for (uint64_t i = 0; i < model_count; i++) {
        assert_true(fil_items_read(&cursor, &item));
        assert_int_equal(cursor.index, i);
        assert_true(fil_bytes_equal(item, bytes_of(model[i], 1)));
        fil_items_next(items, &cursor);
    }
    assert_null(cursor.block);
}

static void step_add(struct fil_items *items, struct fil_prng *prng)
{
    struct mark mark = random_mark(prng);
    struct fil_bytes item = bytes_of(mark, 0);
    uint64_t index = fil_prng_below(prng, model_count + 1);
    uint64_t where = fil_prng_below(prng, 3);
    index = where == 0 ? 0 : where == 1 ? model_count : index;
    struct fil_item_cursor cursor = fil_items_at(items, index);
    if (fil_prng_below(prng, 10) == 0) {
        fil_alloc_fail_after(0);
    }
    int error = where == 0   ? fil_items_push_front(items, item)
                : where == 1 ? fil_items_push_back(items, item)
                             : fil_items_insert(items, &cursor, item);
    fil_alloc_fail_after(-1);
    if (error == FIL_OK) {
        model_insert(index, mark);
    } else {
        assert_int_equal(error, FIL_E_NOMEM);
    }
}

static void step_take(struct fil_items *items, struct fil_prng *prng)
{
    uint64_t index = fil_prng_below(prng, model_count);
    uint64_t where = fil_prng_below(prng, 3);
    index = where == 0 ? 0 : where == 1 ? model_count - 1 : index;
    struct fil_item_cursor cursor = fil_items_at(items, index);
    struct fil_bytes item = {0};
    if (where == 0) {
        fil_items_drop_front(items);
    } else if (where == 1) {
        fil_items_drop_back(items);
    } else {
        fil_items_remove(items, &cursor);
        bool is_there = fil_items_read(&cursor, &item);
        assert_int_equal(is_there, index + 1 < model_count);
        assert_true(!is_there || fil_bytes_equal(item, bytes_of(model[index + 1], 1)));
    }
    model_remove(index);
}

static void step_replace(struct fil_items *items, struct fil_prng *prng)
{
    uint64_t index = fil_prng_below(prng, model_count);
    struct mark mark = random_mark(prng);
    struct fil_item_cursor cursor = fil_items_at(items, index);
    struct fil_bytes item;
    assert_int_equal(fil_items_replace(items, &cursor, bytes_of(mark, 0)), FIL_OK);
    model[index] = mark;
    assert_true(fil_items_read(&cursor, &item));
    assert_true(fil_bytes_equal(item, bytes_of(mark, 1)));
}

static void step_find(struct fil_items *items, struct fil_prng *prng)
{
    struct mark mark = random_mark(prng);
    struct fil_bytes wanted = bytes_of(mark, 0);
    uint64_t first = UINT64_MAX;
    uint64_t last = UINT64_MAX;
    for (uint64_t i = 0; i < model_count; i++) {
        if (fil_bytes_equal(bytes_of(model[i], 1), wanted)) {
            first = first == UINT64_MAX ? i : first;
            last = i;
        }
    }
    struct fil_item_cursor found = fil_items_find(items, wanted);
    assert_int_equal(found.block != NULL, first != UINT64_MAX);
    assert_true(found.block == NULL || found.index == first);
    found = fil_items_find_last(items, wanted);
    assert_true(found.block == NULL || found.index == last);
}

static void step(struct fil_items *items, struct fil_prng *prng, uint64_t bias)
{
    uint64_t dice = fil_prng_below(prng, 100);
    if (dice < bias && model_count < MODEL_MAX) {
        step_add(items, prng);
    } else if (dice < 92 && model_count > 0) {
        step_take(items, prng);
    } else if (dice < 98 && model_count > 0) {
        step_replace(items, prng);
    } else if (dice == 98) {
        step_find(items, prng);
    } else if (fil_prng_below(prng, 400) == 0) {
        fil_items_clear(items);
        model_count = 0;
    }
}

static void test_sequence_holds_what_an_array_holds(void **state)
{
    (void)state;
    struct fil_budget budget;
    struct fil_account account;
    struct fil_items items;
    struct fil_prng prng;
    fil_prng_init(&prng, first_seed);
    fil_budget_init(&budget, UINT64_C(1) << 30);
    fil_account_init(&account, &budget);
    fil_items_init(&items, &account);
    for (uint64_t i = 0; i < step_count; i++) {
        step(&items, &prng, i / 5000 % 2 == 0 ? 60 : 32);
        if (i % 50 == 0) {
            assert_same(&items);
        }
    }
    assert_same(&items);
    fil_items_fini(&items);
    model_count = 0;
    assert_int_equal(fil_account_used(&account), 0);
    fil_account_fini(&account);
}

#define DICT_KEYS 400U

static uint64_t values[DICT_KEYS]; // 0: not there

static struct fil_bytes key_of(uint64_t number)
{
    static char text[100];
    int size = snprintf(text, sizeof(text), number % 50 == 49 ? "%080llu" : "key-%llu",
                        (unsigned long long)number);
    return fil_bytes_make(text, (size_t)size);
}

static void count_entry(void *context, struct fil_bytes key, struct fil_bytes value)
{
    uint64_t *count = context;
    assert_true(key.size > 0);
    assert_int_equal(value.size, sizeof(uint64_t));
    (*count)++;
}

static void assert_same_dict(const struct fil_dict *dict)
{
    uint64_t there = 0;
    for (uint64_t i = 0; i < DICT_KEYS; i++) {
        struct fil_bytes value = {0};
        bool is_there = fil_dict_find(dict, key_of(i), &value);
        assert_int_equal(is_there, values[i] != 0);
        assert_true(!is_there || memcmp(value.data, &values[i], sizeof(values[i])) == 0);
        there += is_there;
    }
    uint64_t visited = 0;
    for (uint64_t cursor = 0; cursor != FIL_STORE_SCAN_END;) {
        cursor = fil_dict_scan(dict, cursor, 10, count_entry, &visited);
    }
    assert_int_equal(fil_dict_count(dict), there);
    assert_int_equal(visited, there);
}

static void step_dict(struct fil_dict *dict, struct fil_prng *prng, uint64_t limit)
{
    uint64_t number = fil_prng_below(prng, limit);
    uint64_t value = fil_prng_next(prng) | 1U;
    bool is_new = false;
    if (fil_prng_below(prng, 3) > 0) {
        struct fil_bytes bytes = fil_bytes_make(&value, sizeof(value));
        assert_int_equal(fil_dict_put(dict, key_of(number), bytes, &is_new), FIL_OK);
        assert_int_equal(is_new, values[number] == 0);
        values[number] = value;
    } else {
        assert_int_equal(fil_dict_remove(dict, key_of(number)), values[number] != 0);
        values[number] = 0;
    }
}

static void test_dict_holds_what_an_array_holds(void **state)
{
    (void)state;
    static const struct fil_store_options options = {.hash_seed = 7};
    struct fil_budget budget;
    struct fil_account account;
    struct fil_dict dict;
    struct fil_prng prng;
    bool was_large = false;
    fil_prng_init(&prng, first_seed);
    fil_budget_init(&budget, UINT64_C(1) << 30);
    fil_account_init(&account, &budget);
    fil_dict_init(&dict, &account, &options, true);
    for (uint64_t i = 0; i < step_count; i++) {
        if (i % 4000 == 0) {
            fil_dict_clear(&dict);
            memset(values, 0, sizeof(values));
        }
        step_dict(&dict, &prng, i % 4000 < 2000 ? 45 : DICT_KEYS);
        was_large = was_large || dict.large != NULL;
        if (i % 200 == 0) {
            assert_same_dict(&dict);
        }
    }
    assert_true(was_large);
    fil_dict_fini(&dict);
    assert_int_equal(fil_account_used(&account), 0);
    fil_account_fini(&account);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequence_holds_what_an_array_holds),
        cmocka_unit_test(test_dict_holds_what_an_array_holds),
    };
    step_count = argc > 1 ? strtoull(argv[1], NULL, 10) : step_count;
    first_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : first_seed;
    return cmocka_run_group_tests_name("items", tests, NULL, NULL);
}
