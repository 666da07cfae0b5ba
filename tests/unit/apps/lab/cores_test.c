// SPDX-License-Identifier: Apache-2.0
/**
 * Who runs where: the load gets the last core and the server the others; with one core they share
 * it; a place that is the same as the usual one is known to be.
 */
#include "apps/filbert/lab/cores.h"

#include "filbert/error.h"
#include "tests/unit/harness.h"

static struct lab_cores cores;

static void divide(const char *usable)
{
    struct fil_cpu_set set;
    assert_int_equal(fil_cpu_set_parse(fil_bytes_of(usable), &set), FIL_OK);
    lab_cores_init(&cores, &set);
}

static void expect(const struct fil_cpu_set *set, const char *expected)
{
    char text[64];
    assert_string_equal(fil_cpu_set_format(set, text, sizeof(text)), expected);
}

static void test_load_gets_the_last_core(void **state)
{
    (void)state;
    divide("1,3,5-6");
    expect(lab_cores_server(&cores, LAB_PLACE_APART), "1,3,5");
    expect(lab_cores_load(&cores, LAB_PLACE_APART), "6");
    expect(lab_cores_server(&cores, LAB_PLACE_ONE), "1");
    expect(lab_cores_load(&cores, LAB_PLACE_ONE), "6");
    expect(lab_cores_server(&cores, LAB_PLACE_ALL), "1,3,5-6");
    expect(lab_cores_load(&cores, LAB_PLACE_ALL), "1,3,5-6");
    assert_int_equal(lab_cores_ends(&cores).first, 1);
    assert_int_equal(lab_cores_ends(&cores).last, 6);
    assert_true(lab_cores_differs(&cores, LAB_PLACE_ONE));
    assert_true(lab_cores_differs(&cores, LAB_PLACE_ALL));
    assert_false(lab_cores_differs(&cores, LAB_PLACE_APART));
}

static void test_two_cores_are_one_each(void **state)
{
    (void)state;
    char text[LAB_CORES_TEXT_MAX];
    divide("0-1");
    assert_false(lab_cores_differs(&cores, LAB_PLACE_ONE));
    assert_true(lab_cores_differs(&cores, LAB_PLACE_ALL));
    assert_string_equal(lab_cores_describe(&cores, text), "server on cpu 0, load on cpu 1");
}

static void test_single_core_is_shared(void **state)
{
    (void)state;
    char text[LAB_CORES_TEXT_MAX];
    divide("4");
    expect(lab_cores_server(&cores, LAB_PLACE_APART), "4");
    expect(lab_cores_load(&cores, LAB_PLACE_APART), "4");
    assert_false(lab_cores_differs(&cores, LAB_PLACE_ALL));
    assert_string_equal(lab_cores_describe(&cores, text), "server and load share cpu 4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load_gets_the_last_core),
        cmocka_unit_test(test_two_cores_are_one_each),
        cmocka_unit_test(test_single_core_is_shared),
    };
    return cmocka_run_group_tests_name("cores", tests, NULL, NULL);
}
