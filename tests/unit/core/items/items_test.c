// SPDX-License-Identifier: Apache-2.0
/**
 * A sequence's contract, one test a promise: an empty one owns nothing; both ends work; a steady
 * queue allocates nothing; a large item stands by itself; small sequences are small; items go into
 * the middle and out of it; a sorted one takes an item behind its equals; refused is refused.
 */
#include "core/items/items.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

static struct fil_budget budget;
static struct fil_account account;
static struct fil_items items;

static int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 24);
    fil_account_init(&account, &budget);
    fil_items_init(&items, &account);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_items_fini(&items);
    fil_account_fini(&account);
    return 0;
}

static void push(const char *text)
{
    assert_int_equal(fil_items_push_back(&items, fil_bytes_of(text)), FIL_OK);
}

/** Compares all items, joined by commas. */
static void assert_items(const char *expected)
{
    char text[512] = "";
    size_t size = 0;
    struct fil_bytes item;
    for (struct fil_item_cursor cursor = fil_items_first(&items); fil_items_read(&cursor, &item);
         fil_items_next(&items, &cursor)) {
        assert_true(size + item.size + 2 < sizeof(text));
        text[size] = ',';
        memcpy(text + size + 1, item.data, item.size);
        size += item.size + 1;
        text[size] = 0;
    }
    assert_string_equal(size == 0 ? text : text + 1, expected);
    fil_items_check(&items);
}

static void test_empty_one_owns_nothing(void **state)
{
    (void)state;
    struct fil_bytes item;
    assert_int_equal(items.bytes, 0);
    assert_false(fil_items_front(&items, &item));
    assert_false(fil_items_back(&items, &item));
    assert_null(fil_items_at(&items, 0).block);
}

static void test_both_ends_work(void **state)
{
    (void)state;
    push("b");
    push("c");
    assert_int_equal(fil_items_push_front(&items, fil_bytes_of("a")), FIL_OK);
    assert_items("a,b,c");
    fil_items_drop_back(&items);
    fil_items_drop_front(&items);
    assert_items("b");
    struct fil_bytes item;
    assert_true(fil_items_back(&items, &item));
    assert_true(fil_bytes_equal_text(item, "b"));
}

static void test_steady_queue_allocates_nothing(void **state)
{
    (void)state;
    push("0123456789");
    push("0123456789");
    uint64_t before = 0;
    for (int i = 0; i < 1000; i++) {
        if (i == 10) {
            before = fil_alloc_count();
        }
        push("0123456789");
        fil_items_drop_front(&items);
    }
    assert_int_equal(fil_alloc_count(), before);
    assert_int_equal(items.count, 2);
}

static void test_large_item_stands_by_itself(void **state)
{
    (void)state;
    static char large[100000];
    memset(large, 'x', sizeof(large));
    push("a");
    assert_int_equal(fil_items_push_back(&items, fil_bytes_make(large, sizeof(large))), FIL_OK);
    push("b");
    struct fil_item_cursor cursor = fil_items_at(&items, 1);
    struct fil_bytes item;
    assert_true(fil_items_read(&cursor, &item));
    assert_int_equal(item.size, sizeof(large));
    fil_items_remove(&items, &cursor);
    assert_items("a,b");
    assert_true(items.bytes < 9000);
}

static void test_small_ones_are_small(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        push("0123456789");
    }
    assert_true(items.bytes <= 180);
    for (int i = 0; i < 9990; i++) {
        push("0123456789");
    }
    assert_true(items.bytes <= 125000);
}

static void test_items_go_into_the_middle_and_out(void **state)
{
    (void)state;
    push("a");
    push("d");
    struct fil_item_cursor cursor = fil_items_at(&items, 1);
    assert_int_equal(fil_items_insert(&items, &cursor, fil_bytes_of("c")), FIL_OK);
    assert_int_equal(fil_items_insert(&items, &cursor, fil_bytes_of("b")), FIL_OK);
    assert_items("a,b,c,d");
    assert_int_equal(fil_items_replace(&items, &cursor, fil_bytes_of("longer")), FIL_OK);
    assert_items("a,longer,c,d");
    fil_items_remove(&items, &cursor);
    assert_items("a,c,d");
    assert_int_equal(fil_items_find(&items, fil_bytes_of("d")).index, 2);
    assert_null(fil_items_find(&items, fil_bytes_of("x")).block);
}

static int compare_first(void *context, struct fil_bytes a, struct fil_bytes b)
{
    (void)context;
    return (int)a.data[0] - (int)b.data[0];
}

static void test_sorted_one_takes_items_behind_their_equals(void **state)
{
    (void)state;
    const char *words[] = {"m", "c", "x", "c2", "a", "m2", "z"};
    for (size_t i = 0; i < 7; i++) {
        struct fil_bytes word = fil_bytes_of(words[i]);
        struct fil_item_cursor place = fil_items_find_place(&items, word, compare_first, NULL);
        assert_int_equal(fil_items_insert(&items, &place, word), FIL_OK);
    }
    assert_items("a,c,c2,m,m2,x,z");
}

static void test_refused_is_refused(void **state)
{
    (void)state;
    push("a");
    fil_alloc_fail_after(0);
    static char large[5000];
    assert_int_equal(fil_items_push_back(&items, fil_bytes_make(large, sizeof(large))),
                     FIL_E_NOMEM);
    fil_alloc_fail_after(0);
    assert_int_equal(fil_items_push_front(&items, fil_bytes_make(large, sizeof(large))),
                     FIL_E_NOMEM);
    struct fil_bytes huge = fil_bytes_make(large, (size_t)FIL_ITEM_BYTES_MAX + 1);
    assert_int_equal(fil_items_push_back(&items, huge), FIL_E_LIMIT);
    fil_alloc_fail_after(-1);
    assert_items("a");
    assert_int_equal(fil_account_used(&account), items.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_empty_one_owns_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_both_ends_work, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_steady_queue_allocates_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_large_item_stands_by_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_small_ones_are_small, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_items_go_into_the_middle_and_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sorted_one_takes_items_behind_their_equals, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_refused_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("items", tests, NULL, NULL);
}
