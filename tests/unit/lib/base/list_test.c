// SPDX-License-Identifier: Apache-2.0
/**
 * The intrusive list, one test a promise: items come out in the order of their ends; any item can
 * leave from anywhere and knows whether it is linked; appending moves everything and empties the
 * source; the safe walk survives removals.
 */
#include "lib/base/attr.h"
#include "lib/base/list.h"
#include "tests/unit/harness.h"

struct item {
    int number;
    struct fil_list link;
};

static struct fil_list list;
static struct item items[6];

static int set_up(void **state)
{
    (void)state;
    fil_list_init(&list);
    for (int i = 0; i < 6; i++) {
        items[i].number = i;
        fil_list_init(&items[i].link);
    }
    return 0;
}

/** The numbers in order as one decimal number, checked forwards and backwards. */
static int walk(struct fil_list *head)
{
    int forwards = 0;
    fil_list_foreach(link, head) {
        forwards = forwards * 10 + FIL_CONTAINER_OF(link, struct item, link)->number;
        assert_ptr_equal(link->next->previous, link);
        assert_ptr_equal(link->previous->next, link);
    }
    return forwards;
}

static void test_items_keep_the_order_of_their_ends(void **state)
{
    (void)state;
    assert_true(fil_list_is_empty(&list));
    fil_list_push_back(&list, &items[2].link);
    fil_list_push_back(&list, &items[3].link);
    fil_list_push_front(&list, &items[1].link);
    assert_false(fil_list_is_empty(&list));
    assert_int_equal(walk(&list), 123);
    assert_ptr_equal(fil_list_take_front(&list), &items[1].link);
    assert_ptr_equal(fil_list_take_front(&list), &items[2].link);
    assert_ptr_equal(fil_list_take_front(&list), &items[3].link);
    assert_null(fil_list_take_front(&list));
}

static void test_item_leaves_from_anywhere_and_knows_it(void **state)
{
    (void)state;
    for (int i = 1; i <= 3; i++) {
        fil_list_push_back(&list, &items[i].link);
    }
    assert_true(fil_list_is_linked(&items[2].link));
    fil_list_remove(&items[2].link);
    assert_false(fil_list_is_linked(&items[2].link));
    assert_int_equal(walk(&list), 13);
    fil_list_remove(&items[2].link); // harmless
    fil_list_remove(&items[1].link);
    fil_list_remove(&items[3].link);
    assert_true(fil_list_is_empty(&list));
}

static void test_append_moves_everything(void **state)
{
    (void)state;
    struct fil_list from;
    fil_list_init(&from);
    fil_list_append(&list, &from);
    assert_true(fil_list_is_empty(&list));
    fil_list_push_back(&list, &items[1].link);
    fil_list_push_back(&from, &items[2].link);
    fil_list_push_back(&from, &items[3].link);
    fil_list_append(&list, &from);
    assert_true(fil_list_is_empty(&from));
    assert_int_equal(walk(&list), 123);
}

static void test_safe_walk_survives_removals(void **state)
{
    (void)state;
    for (int i = 1; i <= 5; i++) {
        fil_list_push_back(&list, &items[i].link);
    }
    fil_list_foreach_safe(link, following, &list) {
        if (FIL_CONTAINER_OF(link, struct item, link)->number % 2 == 0) {
            fil_list_remove(link);
        }
    }
    assert_int_equal(walk(&list), 135);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_items_keep_the_order_of_their_ends, set_up),
        cmocka_unit_test_setup(test_item_leaves_from_anywhere_and_knows_it, set_up),
        cmocka_unit_test_setup(test_append_moves_everything, set_up),
        cmocka_unit_test_setup(test_safe_walk_survives_removals, set_up),
    };
    return cmocka_run_group_tests_name("list", tests, NULL, NULL);
}
