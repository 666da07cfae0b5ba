// SPDX-License-Identifier: Apache-2.0
/**
 * What a job has printed, one test a promise: lines come back as they were printed, from any place
 * on; a full buffer drops whole lines, counts them and tells the reader where it begins; a line
 * that is too long and a budget that is out are refused.
 */
#include "node/job_output.h"

#include <string.h>

#include "filbert/error.h"
#include "tests/unit/harness.h"

static struct fil_budget budget;
static struct fil_job_output output;
static char bytes[FIL_JOB_OUTPUT_BYTES];

static int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, 2 * FIL_JOB_OUTPUT_BYTES);
    fil_job_output_init(&output, &budget);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_job_output_fini(&output);
    return fil_budget_drawn(&budget) == 0 ? 0 : -1;
}

static void test_lines_come_back_from_any_place(void **state)
{
    (void)state;
    uint64_t place = 0;
    assert_int_equal(fil_job_output_read(&output, &place, bytes, sizeof(bytes)), 0);
    assert_int_equal(fil_job_output_print(&output, fil_bytes_of("one\n")), FIL_OK);
    assert_int_equal(fil_job_output_print(&output, fil_bytes_of("two\n")), FIL_OK);
    assert_int_equal(fil_job_output_read(&output, &place, bytes, sizeof(bytes)), 8);
    assert_memory_equal(bytes, "one\ntwo\n", 8);
    place = 4;
    assert_int_equal(fil_job_output_read(&output, &place, bytes, 2), 2);
    assert_memory_equal(bytes, "tw", 2);
    place = 100; // beyond the end
    assert_int_equal(fil_job_output_read(&output, &place, bytes, sizeof(bytes)), 0);
    assert_int_equal(place, 8);
}

static void test_full_buffer_drops_whole_lines(void **state)
{
    (void)state;
    char line[101];
    memset(line, 'x', sizeof(line));
    line[100] = '\n';
    uint64_t count = FIL_JOB_OUTPUT_BYTES / sizeof(line) + 10;
    for (uint64_t i = 0; i < count; i++) {
        int error = fil_job_output_print(&output, fil_bytes_make(line, sizeof(line)));
        assert_int_equal(error, FIL_OK);
    }
    uint64_t lines = 0;
    uint64_t missed = 0;
    uint64_t place = 5;
    fil_job_output_count(&output, &lines, &missed);
    assert_int_equal(lines, count);
    assert_int_equal(missed, 10);
    size_t size = fil_job_output_read(&output, &place, bytes, sizeof(bytes));
    assert_int_equal(place, 10 * sizeof(line));
    assert_int_equal(size, (count - 10) * sizeof(line));
    assert_memory_equal(bytes, line, sizeof(line));
    assert_memory_equal(bytes + size - sizeof(line), line, sizeof(line));
}

static void test_what_has_no_room_is_refused(void **state)
{
    (void)state;
    static char line[FIL_JOB_OUTPUT_BYTES + 1];
    line[FIL_JOB_OUTPUT_BYTES] = '\n';
    assert_int_equal(fil_job_output_print(&output, fil_bytes_make(line, sizeof(line))),
                     FIL_E_LIMIT);
    assert_true(fil_budget_draw(&budget, FIL_JOB_OUTPUT_BYTES + 1));
    assert_int_equal(fil_job_output_print(&output, fil_bytes_of("one\n")), FIL_E_NOMEM);
    fil_budget_return(&budget, FIL_JOB_OUTPUT_BYTES + 1);
    assert_int_equal(fil_job_output_print(&output, fil_bytes_of("one\n")), FIL_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lines_come_back_from_any_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full_buffer_drops_whole_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_has_no_room_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("job_output", tests, NULL, NULL);
}
