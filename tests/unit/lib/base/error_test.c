// SPDX-License-Identifier: Apache-2.0
/**
 * Error codes, one test a promise: every code has its own number, name and text with a cure; what
 * can be tried again is not the caller's fault; numbers that are no code are told as such.
 */
#include "filbert/error.h"

#include <string.h>

#include "lib/base/attr.h"
#include "tests/unit/harness.h"

static const int codes[] = {
#define CODE(name, number, is_retryable, who, text) FIL_E_##name,
    FIL_ERRORS(CODE)
#undef CODE
};

static void test_every_code_is_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(codes); i++) {
        assert_true(codes[i] < 0);
        assert_string_not_equal(fil_error_name(codes[i]), "UNKNOWN");
        assert_true(fil_error_fault(codes[i]) != FIL_FAULT_NONE);
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(codes[i], codes[j]);
            assert_string_not_equal(fil_error_name(codes[i]), fil_error_name(codes[j]));
            assert_string_not_equal(fil_error_text(codes[i]), fil_error_text(codes[j]));
        }
    }
}

static void test_what_can_be_retried_is_not_the_callers_fault(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(codes); i++) {
        assert_int_equal(fil_error_is_retryable(codes[i]),
                         fil_error_fault(codes[i]) != FIL_FAULT_CALLER);
    }
    assert_false(fil_error_is_retryable(FIL_OK));
    assert_int_equal(fil_error_fault(FIL_OK), FIL_FAULT_NONE);
    assert_string_equal(fil_error_name(FIL_OK), "OK");
}

static void test_unknown_code_is_told_as_such(void **state)
{
    (void)state;
    assert_string_equal(fil_error_name(-9999), "UNKNOWN");
    assert_non_null(strstr(fil_error_text(1), "unknown"));
    assert_false(fil_error_is_retryable(-9999));
    assert_int_equal(fil_error_fault(-9999), FIL_FAULT_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_is_its_own),
        cmocka_unit_test(test_what_can_be_retried_is_not_the_callers_fault),
        cmocka_unit_test(test_unknown_code_is_told_as_such),
    };
    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
