// SPDX-License-Identifier: Apache-2.0
/**
 * Losses by name: a name has one place, whoever loses; a long name is cut; the names beyond the
 * table's size are counted together; nothing is lost or counted twice.
 */
#include "core/exec/drops.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/harness.h"

static struct fil_drops drops;

static int set_up(void **state)
{
    (void)state;
    memset(&drops, 0, sizeof(drops));
    return 0;
}

static void test_same_name_shares_a_place(void **state)
{
    (void)state;
    _Atomic(struct fil_counter *) first = NULL;
    _Atomic(struct fil_counter *) second = NULL;
    assert_null(fil_drops_place(&drops, 0));
    fil_drops_count(&drops, "news", &first, 1);
    fil_drops_count(&drops, "news", &second, 1);
    fil_drops_count(&drops, "news", &first, 1);
    const struct fil_drops_place *place = fil_drops_place(&drops, 0);
    assert_non_null(place);
    assert_string_equal(place->name, "news");
    assert_int_equal(fil_counter_read(&place->count), 3);
    assert_null(fil_drops_place(&drops, 1));
}

static void test_long_name_is_cut_and_found_again(void **state)
{
    (void)state;
    const char *name = "a name that is longer than any place has room for";
    _Atomic(struct fil_counter *) first = NULL;
    _Atomic(struct fil_counter *) second = NULL;
    fil_drops_count(&drops, name, &first, 1);
    fil_drops_count(&drops, name, &second, 1);
    assert_int_equal(strlen(fil_drops_place(&drops, 0)->name), FIL_DROPS_NAME_MAX - 1);
    assert_int_equal(fil_counter_read(&fil_drops_place(&drops, 0)->count), 2);
}

static void test_names_beyond_the_table_are_counted_together(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FIL_DROPS_NAMES_MAX + 5; i++) {
        char name[FIL_DROPS_NAME_MAX];
        _Atomic(struct fil_counter *) cache = NULL;
        (void)snprintf(name, sizeof(name), "listener %u", i);
        fil_drops_count(&drops, name, &cache, 1);
        fil_drops_count(&drops, name, &cache, 1);
    }
    assert_int_equal(fil_counter_read(&drops.others), 10);
    for (uint32_t i = 0; i < FIL_DROPS_NAMES_MAX; i++) {
        assert_int_equal(fil_counter_read(&fil_drops_place(&drops, i)->count), 2);
    }
}

static void test_name_that_is_being_written_is_not_waited_for(void **state)
{
    (void)state;
    _Atomic(struct fil_counter *) cache = NULL;
    atomic_store_explicit(&drops.places[0].state, FIL_DROPS_CLAIMED, memory_order_relaxed);
    fil_drops_count(&drops, "late", &cache, 1);
    assert_int_equal(fil_counter_read(&drops.others), 1);
    (void)snprintf(drops.places[0].name, sizeof(drops.places[0].name), "early");
    atomic_store_explicit(&drops.places[0].state, FIL_DROPS_TAKEN, memory_order_relaxed);
    fil_drops_count(&drops, "late", &cache, 1);
    assert_int_equal(fil_counter_read(&drops.others), 1);
    assert_string_equal(fil_drops_place(&drops, 1)->name, "late");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_same_name_shares_a_place, set_up),
        cmocka_unit_test_setup(test_long_name_is_cut_and_found_again, set_up),
        cmocka_unit_test_setup(test_names_beyond_the_table_are_counted_together, set_up),
        cmocka_unit_test_setup(test_name_that_is_being_written_is_not_waited_for, set_up),
    };
    return cmocka_run_group_tests_name("drops", tests, NULL, NULL);
}
