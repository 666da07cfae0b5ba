// SPDX-License-Identifier: Apache-2.0
/**
 * The set's promises: the kernel's lists are read and written in their shortest form, anything else
 * is refused and changes nothing, text that does not fit is cut but terminated, and the walk meets
 * each cpu once.
 */
#include "lib/os/cpu_set.h"

#include <string.h>

#include "filbert/error.h"
#include "tests/unit/harness.h"

static void test_lists_are_read_and_written_shortest(void **state)
{
    (void)state;
    const char *const pairs[][2] = {
        {"", ""},
        {"0", "0"},
        {"0-3,8", "0-3,8"},
        {"3,2,1,0", "0-3"},
        {"5-5", "5"},
        {"1,3,5", "1,3,5"},
        {"0-63,64-127", "0-127"},
        {"1023", "1023"},
        {"62-65,1020-1023", "62-65,1020-1023"},
        {"0-1023", "0-1023"},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(pairs); i++) {
        struct fil_cpu_set set;
        char text[FIL_CPU_SET_TEXT_MAX];
        memset(&set, 0xff, sizeof(set));
        assert_int_equal(fil_cpu_set_parse(fil_bytes_of(pairs[i][0]), &set), FIL_OK);
        assert_string_equal(fil_cpu_set_format(&set, text, sizeof(text)), pairs[i][1]);
    }
}

static void test_anything_else_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    const char *const bad[] = {",",  "0,",    ",0",  "0,,1",  "-",
                               "1-", "-1",    "3-1", "a",     "0 ",
                               " 0", "0-1-2", "0x1", "0-3;8", "18446744073709551616",
                               "0\n"};
    const struct fil_cpu_set before = {.words = {0xa5}};
    for (size_t i = 0; i < FIL_COUNT_OF(bad); i++) {
        struct fil_cpu_set set = before;
        assert_int_equal(fil_cpu_set_parse(fil_bytes_of(bad[i]), &set), FIL_E_MALFORMED);
        assert_memory_equal(&set, &before, sizeof(set));
    }
    struct fil_cpu_set set = before;
    assert_int_equal(fil_cpu_set_parse(fil_bytes_of("1024"), &set), FIL_E_LIMIT);
    assert_int_equal(fil_cpu_set_parse(fil_bytes_of("0-1024"), &set), FIL_E_LIMIT);
    assert_memory_equal(&set, &before, sizeof(set));
}

static void test_the_worst_set_fits_its_text(void **state)
{
    (void)state;
    struct fil_cpu_set set = {0};
    struct fil_cpu_set again = {0};
    char text[FIL_CPU_SET_TEXT_MAX];
    for (uint32_t cpu = 1; cpu < FIL_CPU_MAX; cpu += 2) {
        fil_cpu_set_add(&set, cpu);
    }
    (void)fil_cpu_set_format(&set, text, sizeof(text));
    assert_int_equal(fil_cpu_set_parse(fil_bytes_of(text), &again), FIL_OK);
    assert_memory_equal(&set, &again, sizeof(set));
}

static void test_text_that_does_not_fit_is_cut_and_terminated(void **state)
{
    (void)state;
    struct fil_cpu_set set = {0};
    char whole[64];
    assert_int_equal(fil_cpu_set_parse(fil_bytes_of("0-3,100,200-300"), &set), FIL_OK);
    (void)fil_cpu_set_format(&set, whole, sizeof(whole));
    for (size_t capacity = 1; capacity < strlen(whole) + 1; capacity++) {
        char text[64];
        memset(text, 'x', sizeof(text));
        (void)fil_cpu_set_format(&set, text, capacity);
        assert_int_equal(strlen(text), capacity - 1);
        assert_memory_equal(text, whole, capacity - 1);
        assert_int_equal(text[capacity], 'x');
    }
}

static void test_walk_meets_each_cpu_once(void **state)
{
    (void)state;
    const uint32_t expected[] = {0, 63, 64, 1023};
    struct fil_cpu_set set = {0};
    for (size_t i = 0; i < FIL_COUNT_OF(expected); i++) {
        fil_cpu_set_add(&set, expected[i]);
    }
    size_t met = 0;
    for (uint32_t cpu = fil_cpu_set_next(&set, 0); cpu < FIL_CPU_MAX;
         cpu = fil_cpu_set_next(&set, cpu + 1)) {
        assert_true(met < FIL_COUNT_OF(expected));
        assert_int_equal(cpu, expected[met]);
        met++;
    }
    assert_int_equal(met, FIL_COUNT_OF(expected));
    assert_int_equal(fil_cpu_set_count(&set), met);
    assert_false(fil_cpu_set_has(&set, FIL_CPU_MAX));
}

static void test_intersection_is_what_both_have(void **state)
{
    (void)state;
    struct fil_cpu_set a = {0};
    struct fil_cpu_set b = {0};
    char text[64];
    assert_int_equal(fil_cpu_set_parse(fil_bytes_of("0-7,64"), &a), FIL_OK);
    assert_int_equal(fil_cpu_set_parse(fil_bytes_of("4-9,64-65"), &b), FIL_OK);
    struct fil_cpu_set both = fil_cpu_set_intersect(&a, &b);
    assert_string_equal(fil_cpu_set_format(&both, text, sizeof(text)), "4-7,64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_are_read_and_written_shortest),
        cmocka_unit_test(test_anything_else_is_refused_and_changes_nothing),
        cmocka_unit_test(test_the_worst_set_fits_its_text),
        cmocka_unit_test(test_text_that_does_not_fit_is_cut_and_terminated),
        cmocka_unit_test(test_walk_meets_each_cpu_once),
        cmocka_unit_test(test_intersection_is_what_both_have),
    };
    return cmocka_run_group_tests_name("cpu_set", tests, NULL, NULL);
}
