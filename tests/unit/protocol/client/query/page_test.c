// SPDX-License-Identifier: Apache-2.0
/**
 * Pages of entries, one test a promise: the pages together are all entries in order, whatever order
 * they came in; an anchor lets what is before it be passed over; values order by themselves, then
 * by keys; more than can be kept is refused; an allocation that fails loses nothing.
 */
#include "protocol/client/query/page.h"

#include <stdio.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

#define ENTRIES 100U

/** The entries in an order of their own; the value of key i is 7 * i mod 10. */
static int fill(struct fil_query_page *page)
{
    int error = fil_query_page_start(page);
    for (uint32_t i = 0; error == FIL_OK && i < ENTRIES; i++) {
        char key[16];
        char value[16];
        uint32_t number = i * 37 % ENTRIES;
        (void)snprintf(key, sizeof(key), "k%02u", number);
        (void)snprintf(value, sizeof(value), "v%u", number * 7 % 10);
        error = fil_query_page_add(page, number % 3, fil_bytes_of(key), fil_bytes_of(value));
    }
    if (error == FIL_OK) {
        fil_query_page_sort(page);
    }
    return error;
}

static bool has_key(const struct fil_query_page *page, uint32_t index, const char *key)
{
    return index < page->count && fil_bytes_equal_text(fil_query_kept_key(page->kept[index]), key);
}

static void test_entries_come_in_order(void **state)
{
    (void)state;
    struct fil_query_page page = {.page_size = 10, .page = 2};
    assert_int_equal(fill(&page), FIL_OK);
    assert_int_equal(page.count, 30);
    for (uint32_t i = 0; i < page.count; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "k%02u", i);
        assert_true(has_key(&page, i, key));
        assert_int_equal(page.kept[i]->partition_id, i % 3);
    }
    fil_query_page_fini(&page);
}

static void test_an_anchor_passes_over_what_is_before(void **state)
{
    (void)state;
    struct fil_query_page page = {.page_size = 10,
                                  .page = 9,
                                  .first_page = 9,
                                  .has_anchor = true,
                                  .anchor_key = fil_bytes_of("k89"),
                                  .anchor_value = fil_bytes_of("v3")};
    assert_int_equal(fill(&page), FIL_OK);
    assert_int_equal(page.count, 10);
    assert_true(has_key(&page, 0, "k90"));
    assert_true(has_key(&page, 9, "k99"));
    fil_query_page_fini(&page);
}

static void test_values_order_by_themselves_then_by_keys(void **state)
{
    (void)state;
    struct fil_query_page page = {.page_size = 12, .is_by_value = true};
    assert_int_equal(fill(&page), FIL_OK);
    assert_true(has_key(&page, 0, "k00"));
    assert_true(has_key(&page, 1, "k10"));
    assert_true(has_key(&page, 9, "k90"));
    assert_true(has_key(&page, 10, "k03")); // 3 * 7 mod 10 is 1
    fil_query_page_fini(&page);
}

static void test_too_much_is_refused(void **state)
{
    (void)state;
    struct fil_query_page page = {.page_size = FIL_QUERY_PAGE_ENTRIES_MAX, .page = 1};
    assert_int_equal(fil_query_page_start(&page), FIL_E_LIMIT);
    page = (struct fil_query_page){.page_size = 10, .page = INT32_MAX};
    assert_int_equal(fil_query_page_start(&page), FIL_E_LIMIT);
    page = (struct fil_query_page){.page_size = INT32_MAX};
    assert_int_equal(fil_query_page_start(&page), FIL_E_LIMIT);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    int error = FIL_E_NOMEM;
    for (int64_t i = 0; error != FIL_OK; i++) {
        struct fil_query_page page = {.page_size = 5};
        assert_true(i < 1000);
        fil_alloc_fail_after(i);
        error = fill(&page);
        fil_alloc_fail_after(-1);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
        fil_query_page_fini(&page);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries_come_in_order),
        cmocka_unit_test(test_an_anchor_passes_over_what_is_before),
        cmocka_unit_test(test_values_order_by_themselves_then_by_keys),
        cmocka_unit_test(test_too_much_is_refused),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
