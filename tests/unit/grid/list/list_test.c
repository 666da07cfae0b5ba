// SPDX-License-Identifier: Apache-2.0
/**
 * A list's contract, one test a promise: items have their index; they go in anywhere, all or none,
 * and not beyond the end or the bound; they are replaced, removed, found from both ends; many can
 * be named; a part can be visited; listeners hear of removals and additions; clearing gives the
 * memory back.
 */
#include "grid/list/list.h"

#include "core/container/listen.h"
#include "tests/unit/core/container/container_fixture.h"

#define TEXT_SIZE 128U

static struct fil_list_container *list;

static int set_up(void **state)
{
    (void)state;
    list = fil_list_of(open_inside(&fil_list_type, NULL));
    return 0;
}

static int set_up_bounded(void **state)
{
    static const struct fil_list_config config = {.size_max = 3};
    (void)state;
    list = fil_list_of(open_inside(&fil_list_type, &config));
    return 0;
}

static int add_at(uint64_t index, const char *word)
{
    struct fil_bytes item = text(word);
    return fil_list_add_here(list, index, &item, 1, now_ms());
}

static void add(const char *word)
{
    assert_int_equal(add_at(FIL_LIST_END, word), FIL_OK);
}

static bool append(void *context, struct fil_bytes item)
{
    char *words = context;
    size_t size = strlen(words);
    (void)snprintf(words + size, TEXT_SIZE - size, "%.*s,", (int)item.size,
                   (const char *)item.data);
    return true;
}

static void assert_part(uint64_t from, uint64_t limit, const char *expected)
{
    char words[TEXT_SIZE] = "";
    fil_list_visit_here(list, from, limit, append, words);
    assert_string_equal(words, expected);
}

static void assert_list(const char *expected)
{
    assert_part(0, UINT64_MAX, expected);
}

static void test_items_have_their_index(void **state)
{
    (void)state;
    struct fil_bytes item;
    add("a");
    add("b");
    assert_true(fil_list_get_here(list, 1, now_ms(), &item));
    assert_true(fil_bytes_equal_text(item, "b"));
    assert_false(fil_list_get_here(list, 2, now_ms(), &item));
    assert_int_equal(fil_list_size_here(list), 2);
}

static void test_items_go_in_anywhere(void **state)
{
    (void)state;
    add("a");
    add("d");
    struct fil_bytes more[] = {text("b"), text("c")};
    assert_int_equal(fil_list_add_here(list, 1, more, 2, now_ms()), FIL_OK);
    assert_list("a,b,c,d,");
    assert_int_equal(add_at(5, "x"), FIL_E_INVALID);
    assert_int_equal(add_at(4, "e"), FIL_OK);
    assert_list("a,b,c,d,e,");
}

static void test_all_or_none_within_the_bound(void **state)
{
    (void)state;
    struct fil_bytes more[] = {text("b"), text("c"), text("d")};
    add("a");
    assert_int_equal(fil_list_add_here(list, 1, more, 3, now_ms()), FIL_E_FULL);
    assert_list("a,");
    static char large[5000];
    more[1] = fil_bytes_make(large, sizeof(large));
    int error = FIL_E_NOMEM;
    for (int64_t i = 0; error == FIL_E_NOMEM; i++) {
        fil_alloc_fail_after(i);
        error = fil_list_add_here(list, 0, more, 2, now_ms());
        fil_alloc_fail_after(-1);
        assert_int_equal(fil_list_size_here(list), error == FIL_OK ? 3 : 1);
    }
    assert_int_equal(error, FIL_OK);
    assert_int_equal(fil_list_find_here(list, text("a"), now_ms()), 2);
}

static void test_items_are_replaced_and_removed(void **state)
{
    (void)state;
    add("a");
    add("b");
    add("c");
    assert_int_equal(fil_list_set_here(list, 1, text("bee"), now_ms()), FIL_OK);
    assert_list("a,bee,c,");
    assert_int_equal(fil_list_set_here(list, 3, text("x"), now_ms()), FIL_E_INVALID);
    assert_true(fil_list_remove_at_here(list, 0, now_ms()));
    assert_false(fil_list_remove_at_here(list, 2, now_ms()));
    assert_true(fil_list_remove_here(list, text("c"), now_ms()));
    assert_false(fil_list_remove_here(list, text("c"), now_ms()));
    assert_list("bee,");
}

static void test_items_are_found_from_both_ends(void **state)
{
    (void)state;
    add("a");
    add("b");
    add("a");
    assert_int_equal(fil_list_find_here(list, text("a"), now_ms()), 0);
    assert_int_equal(fil_list_find_last_here(list, text("a"), now_ms()), 2);
    assert_true(fil_list_find_here(list, text("x"), now_ms()) == FIL_LIST_END);
}

static void test_many_can_be_named(void **state)
{
    (void)state;
    struct fil_bytes named[] = {text("a"), text("c")};
    bool answer = false;
    add("a");
    add("b");
    add("c");
    add("a");
    assert_int_equal(fil_list_contains_all_here(list, named, 2, &answer), FIL_OK);
    assert_true(answer);
    assert_int_equal(fil_list_sift_here(list, FIL_SIFT_RETAIN_NAMED, named, 2, now_ms(), &answer),
                     FIL_OK);
    assert_true(answer);
    assert_list("a,c,a,");
    assert_int_equal(fil_list_sift_here(list, FIL_SIFT_REMOVE_NAMED, named, 1, now_ms(), &answer),
                     FIL_OK);
    assert_list("c,");
    assert_int_equal(fil_list_sift_here(list, FIL_SIFT_REMOVE_NAMED, named, 1, now_ms(), &answer),
                     FIL_OK);
    assert_false(answer);
    assert_int_equal(fil_list_contains_all_here(list, named, 2, &answer), FIL_OK);
    assert_false(answer);
}

static void test_part_is_visited(void **state)
{
    (void)state;
    add("a");
    add("b");
    add("c");
    add("d");
    assert_part(1, 2, "b,c,");
    assert_part(3, 9, "d,");
    assert_part(4, 9, "");
}

static uint32_t heard;

static void hear(void *context, const struct fil_container_event *event)
{
    (void)context;
    heard = heard * 10 + (uint32_t)event->kind;
}

static void test_listeners_hear(void **state)
{
    (void)state;
    struct fil_container_listener *listener = NULL;
    struct fil_container_listener_options options = {.kinds = 3, .deliver = hear};
    assert_int_equal(fil_container_listen_here(&list->container, &options, &listener), FIL_OK);
    add("a");
    assert_int_equal(fil_list_set_here(list, 0, text("b"), now_ms()), FIL_OK);
    fil_list_type.clear(&list->container, now_ms());
    heard = 0;
    deliver_events();
    assert_int_equal(heard, 1212);
}

static void test_clearing_gives_the_memory_back(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        add("0123456789");
    }
    assert_true(fil_counter_read(&list->container.counters.bytes) > 10000);
    fil_list_type.clear(&list->container, now_ms());
    assert_int_equal(fil_list_size_here(list), 0);
    assert_int_equal(fil_counter_read(&list->container.counters.bytes), 0);
    assert_int_equal(fil_counter_read(&list->container.counters.removes), 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_items_have_their_index, set_up, leave_world),
        cmocka_unit_test_setup_teardown(test_items_go_in_anywhere, set_up, leave_world),
        cmocka_unit_test_setup_teardown(test_all_or_none_within_the_bound, set_up_bounded,
                                        leave_world),
        cmocka_unit_test_setup_teardown(test_items_are_replaced_and_removed, set_up, leave_world),
        cmocka_unit_test_setup_teardown(test_items_are_found_from_both_ends, set_up, leave_world),
        cmocka_unit_test_setup_teardown(test_many_can_be_named, set_up, leave_world),
        cmocka_unit_test_setup_teardown(test_part_is_visited, set_up, leave_world),
        cmocka_unit_test_setup_teardown(test_listeners_hear, set_up, leave_world),
        cmocka_unit_test_setup_teardown(test_clearing_gives_the_memory_back, set_up, leave_world),
    };
    return cmocka_run_group_tests_name("list", tests, NULL, NULL);
}
