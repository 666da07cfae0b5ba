// SPDX-License-Identifier: Apache-2.0
/**
 * Levels: each has a name that reads back, nothing else reads as one, and they are in order.
 */
#include "lib/log/level.h"
#include "tests/unit/harness.h"

static void test_every_name_reads_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FIL_LOG_LEVEL_COUNT; i++) {
        enum fil_log_level level = FIL_LOG_DEBUG;
        const char *name = fil_log_level_name((enum fil_log_level)i);
        assert_true(fil_log_level_parse(fil_bytes_of(name), &level));
        assert_int_equal(level, i);
    }
    assert_string_equal(fil_log_level_name(FIL_LOG_WARN), "warn");
}

static void test_other_texts_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "Info", "warning", "err", "info ", "trace", "0"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        enum fil_log_level level = FIL_LOG_ERROR;
        assert_false(fil_log_level_parse(fil_bytes_of(wrong[i]), &level));
        assert_int_equal(level, FIL_LOG_ERROR);
    }
}

static void test_worse_is_higher(void **state)
{
    (void)state;
    assert_true(FIL_LOG_DEBUG < FIL_LOG_INFO);
    assert_true(FIL_LOG_INFO < FIL_LOG_WARN);
    assert_true(FIL_LOG_WARN < FIL_LOG_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_name_reads_back),
        cmocka_unit_test(test_other_texts_are_refused),
        cmocka_unit_test(test_worse_is_higher),
    };
    return cmocka_run_group_tests_name("log level", tests, NULL, NULL);
}
