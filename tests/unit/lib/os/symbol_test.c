// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of symbols: functions of the program are named also when they are not exported,
 * functions of a library come with its name, and an address of nobody stays a number.
 */
#include "lib/os/symbol.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/harness.h"

static __attribute__((noinline)) int hidden_from_the_linker(int number)
{
    return number * 3 + 1;
}

static void test_a_static_function_is_named(void **state)
{
    (void)state;
    assert_int_equal(hidden_from_the_linker(2), 7);
    char text[FIL_SYMBOL_TEXT_MAX];
    uintptr_t address = (uintptr_t)hidden_from_the_linker;
    assert_string_equal(fil_symbol_describe(address, text), "hidden_from_the_linker+0x0");
    assert_string_equal(fil_symbol_describe(address + 2, text), "hidden_from_the_linker+0x2");
}

static void test_a_library_function_comes_with_its_library(void **state)
{
    (void)state;
    char text[FIL_SYMBOL_TEXT_MAX];
    fil_symbol_describe((uintptr_t)cmocka_set_message_output, text);
    assert_non_null(strstr(text, "cmocka_set_message_output"));
    assert_non_null(strstr(text, "(libcmocka"));
}

static void test_data_is_given_as_an_offset(void **state)
{
    (void)state;
    static int datum;
    char text[FIL_SYMBOL_TEXT_MAX];
    fil_symbol_describe((uintptr_t)&datum, text);
    assert_non_null(strstr(text, "symbol+0x"));
}

static void test_an_address_of_nobody_stays_a_number(void **state)
{
    (void)state;
    char text[FIL_SYMBOL_TEXT_MAX];
    assert_string_equal(fil_symbol_describe(0x123, text), "0x123");
    assert_string_equal(fil_symbol_describe(0, text), "0x0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_static_function_is_named),
        cmocka_unit_test(test_a_library_function_comes_with_its_library),
        cmocka_unit_test(test_data_is_given_as_an_offset),
        cmocka_unit_test(test_an_address_of_nobody_stays_a_number),
    };
    return cmocka_run_group_tests_name("symbol", tests, NULL, NULL);
}
