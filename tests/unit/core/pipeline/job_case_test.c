// SPDX-License-Identifier: Apache-2.0
/**
 * Tests that job files bring: records that come in and go out at the side, in the end and late, are
 * compared, whatever the parallelism; lookups find what the test has; what differs is told; broken
 * tests are told with line, column and reason; refused memory is an error.
 */
#include "core/pipeline/job_test.h"

#include <stdio.h>

#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

static char printed[4096];

static int print(void *context, struct fil_bytes line)
{
    (void)context;
    size_t used = strlen(printed);
    assert_true(used + line.size < sizeof(printed));
    memcpy(printed + used, line.data, line.size);
    printed[used + line.size] = '\0';
    return FIL_OK;
}

static void expect_report(const char *text, const char *report)
{
    struct fil_job_file file;
    struct fil_job_test test;
    printed[0] = '\0';
    int error = fil_job_test_run(&test, &file, fil_bytes_of(text), print, NULL);
    assert_string_equal(file.reason, "");
    assert_int_equal(error, FIL_OK);
    assert_string_equal(printed, report);
    fil_job_file_fini(&file);
}

#define SUMS                                                                         \
    "job: sums\npipeline:\n"                                                         \
    "  - read: {csv: none.csv, type: {time: time, key: text(4), v: i64}, lag: 1s}\n" \
    "  - filter: v > 0\n"                                                            \
    "  - window: {size: 10s, by: key, sum: sum(v), late: {csv: none/late}}\n"        \
    "  - write: {map: sums, key: key}\ntests:\n"

static void test_records_and_late_ones_are_compared(void **state)
{
    (void)state;
    expect_report(SUMS "  - name: sums by key\n"
                       "    input:\n"
                       "      - [1000, a, 1]\n"
                       "      - {time: 2000, key: b, v: 2}\n"
                       "      - [3000, a, 3]\n"
                       "      - [4000, a, 0]\n"
                       "      - [11500, b, 5]\n" // one second is allowed: the watermark is 10500
                       "      - [9000, a, 7]\n"
                       "    output:\n"
                       "      - [10000, 20000, b, 5]\n"
                       "      - [0, 10000, a, 4]\n"
                       "      - {start: 0, end: 10000, key: b, sum: 2}\n"
                       "    late: [[9000, a, 7]]\n"
                       "  - {input: [], output: []}\n",
                  "ok     sums by key\n"
                  "ok     test 2\n");
}

static void test_what_differs_is_told(void **state)
{
    (void)state;
    expect_report(SUMS "  - name: wrong sums\n"
                       "    input: [[1000, a, 1], [2000, a, 2], [30000, a, 3], [1, b, 4]]\n"
                       "    output: [[0, 10000, a, 4], [30000, 40000, a, 3]]\n",
                  "FAILED wrong sums, parallelism 1\n"
                  "  + 0,10000,a,3\n"
                  "  - 0,10000,a,4\n"
                  "  + late 1,b,4\n");
}

static void test_lookups_find_what_the_test_has(void **state)
{
    (void)state;
    const char *text =
        "job: lookups\npipeline:\n"
        "  - read: {journal: orders, type: {id: i64, who: text(8)}}\n"
        "  - lookup: {map: people, by: who, type: {age: i64, town: text(8)}, keep: found}\n"
        "  - write: {queue: found}\n"
        "tests:\n"
        "  - input: [[1, ann], [2, bob], [3, eve]]\n"
        "    maps: {people: [[ann, 30, Ulm], [eve, 40, 'Bad A, B']]}\n"
        "    output: [[1, ann, 30, Ulm], [3, eve, 40, 'Bad A, B']]\n";
    expect_report(text, "ok     test 1\n");
}

static void test_generator_may_give_its_own_records(void **state)
{
    (void)state;
    expect_report("job: own\npipeline:\n"
                  "  - read: {generate: 5, fields: {key: n % 2, half: f64(n) / 2.0}}\n"
                  "  - aggregate: {by: key, sum: sum(half)}\n"
                  "  - write: stdout\n"
                  "tests:\n"
                  "  - output: [[0, 3], [1, 2]]\n"
                  "  - {input: [[7, 0.5]], output: [[7, 0.5]]}\n",
                  "ok     test 1\nok     test 2\n");
}

static void test_all_aggregates_can_be_used(void **state)
{
    (void)state;
    // By key and of everything, which is done in two halves.
    const char *groups[] = {"aggregate: {", "window: {size: 10s, ", "aggregate: {by: one, "};
    const char *heads[] = {"", "0, 10000, ", "1, "};
    for (uint32_t i = 0; i < FIL_COUNT_OF(groups); i++) {
        char text[1024];
        (void)snprintf(text, sizeof(text),
                       "job: all\npipeline:\n"
                       "  - read: {csv: x, type: {time: time, name: text(4), v: i64, r: f64}}\n"
                       "  - map: {time: time, name: name, v: v, r: r, one: 1}\n"
                       "  - %sleast: min(r), most: max(r), first: 'min_by(v, time)', last: "
                       "'max_by(v, r)', slope: 'trend(r, time)', kinds: distinct(name), half: "
                       "'percentile(v, 50)', n: count}\n"
                       "  - write: stdout\n"
                       "tests:\n"
                       "  - input: [[1, a, 3, 0.5], [2, b, 5, 1.5], [3, a, 9, 2.5]]\n"
                       "    output: [[%s0.5, 2.5, 3, 9, 1, 2, 5, 3]]\n",
                       groups[i], heads[i]);
        expect_report(text, "ok     test 1\n");
    }
}

static void test_rolling_and_distinct_keep_state_by_key(void **state)
{
    (void)state;
    expect_report("job: rolling\npipeline:\n"
                  "  - read: {csv: x, type: {time: time, key: text(4), v: i64}}\n"
                  "  - rolling: {by: key, sum: sum(v), n: count}\n"
                  "  - distinct: sum\n"
                  "  - window: {size: 10s, by: key, most: max(sum)}\n"
                  "  - write: stdout\n"
                  "tests:\n"
                  "  - input: [[1, a, 1], [2, b, 5], [3, a, 2], [4, a, 2], [5, b, 0]]\n"
                  "    output: [[0, 10000, a, 3], [0, 10000, b, 5]]\n",
                  "ok     test 1\n");
    expect_report("job: rolling\npipeline:\n"
                  "  - read: {csv: x, type: {key: text(4), v: i64}}\n"
                  "  - distinct: v\n"
                  "  - rolling: {sum: sum(v)}\n"
                  "  - write: stdout\n"
                  "tests:\n"
                  "  - {input: [[a, 1], [b, 1], [b, 7], [a, 3]], output: [[1], [8], [11]]}\n",
                  "ok     test 1\n");
}

static void test_failing_job_is_a_failed_test(void **state)
{
    (void)state;
    expect_report(
        SUMS "  - {input: [[9223372036854775807, a, 1]], output: []}\n",
        "FAILED test 1, parallelism 1: job 'sums' failed in vertex 'window-3': an event "
        "time of 9223372036854775807 is too near the end of the range for a window: check "
        "the time field and its unit\n");
}

static const struct {
    const char *text;
    size_t line;
    size_t column;
    const char *reason;
} broken[] = {
    {"job: a\ntests: 3\npipeline: []\n", 2, 8, "the tests must be a list"},
    {SUMS "  - 3\n", 8, 5, "names and values are expected here"},
    {SUMS "  - {output: [], colour: x}\n", 8, 26,
     "a test has no 'colour': it has name, input, streams, output, late and maps"},
    {SUMS "  - {input: []}\n", 8, 5, "a test needs 'output', which may be empty: []"},
    {SUMS "  - {output: []}\n", 8, 5, "a test of this source needs 'input'"},
    {SUMS "  - {input: 3, output: []}\n", 8, 13, "a list of records is expected here"},
    {SUMS "  - {input: [3], output: []}\n", 8, 14, "names and values are expected here"},
    {SUMS "  - {input: [[1, a]], output: []}\n", 8, 14, "2 values for a record of 3 fields"},
    {SUMS "  - {input: [[1, a, x]], output: []}\n", 8, 21,
     "'x' does not fit field 'v', which is i64"},
    {SUMS "  - {input: [[1, a, [2]]], output: []}\n", 8, 21, "field 'v' needs a value"},
    {SUMS "  - {input: [[1, longer, 2]], output: []}\n", 8, 18,
     "'longer' does not fit field 'key', which is text of limited length"},
    {SUMS "  - {input: [{colour: 1}], output: []}\n", 8, 23, "there is no field 'colour'"},
    {SUMS "  - {input: [], output: [[1, 2, a]]}\n", 8, 26, "3 values for a record of 4 fields"},
    {SUMS "  - {input: [], output: [], late: [[1, a]]}\n", 8, 36,
     "2 values for a record of 3 fields"},
    {SUMS "  - {input: [], input: [], output: []}\n", 8, 24, "'input' is there twice"},
    {"job: a\npipeline:\n  - read: {map: m, type: {k: i64}}\n"
     "  - lookup: {map: p, by: k, type: {v: i64}}\n  - write: stdout\n"
     "tests:\n  - {input: [], output: []}\n",
     7, 5, "the test has no map 'p' in 'maps'"},
    {"job: a\npipeline:\n  - read: {generate: 0, fields: {v: n}}\n  - write: stdout\n"
     "tests:\n  - {output: []}\n",
     6, 5, "a test of this source needs 'input'"},
};

static void test_broken_tests_are_told_with_line_and_column(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FIL_COUNT_OF(broken); i++) {
        struct fil_job_file file;
        struct fil_job_test test;
        int error = fil_job_test_run(&test, &file, fil_bytes_of(broken[i].text), print, NULL);
        assert_string_equal(file.reason, broken[i].reason);
        assert_int_equal(error, FIL_E_MALFORMED);
        assert_int_equal(file.line, broken[i].line);
        assert_int_equal(file.column, broken[i].column);
        fil_job_file_fini(&file);
    }
}

static void test_refused_memory_is_an_error(void **state)
{
    (void)state;
    const char *text = SUMS "  - {input: [[1, a, 2]], output: [[0, 10000, a, 2]], late: []}\n";
    bool has_passed = false;
    for (int64_t after = 0; !has_passed && after < 500; after++) {
        struct fil_job_file file;
        struct fil_job_case each;
        fil_alloc_fail_after(after);
        has_passed = fil_job_case_init(&each, &file, fil_bytes_of(text), 0) == FIL_OK;
        fil_alloc_fail_after(-1);
        fil_job_case_fini(&each);
        fil_job_file_fini(&file);
    }
    assert_true(has_passed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_and_late_ones_are_compared),
        cmocka_unit_test(test_what_differs_is_told),
        cmocka_unit_test(test_lookups_find_what_the_test_has),
        cmocka_unit_test(test_generator_may_give_its_own_records),
        cmocka_unit_test(test_all_aggregates_can_be_used),
        cmocka_unit_test(test_rolling_and_distinct_keep_state_by_key),
        cmocka_unit_test(test_failing_job_is_a_failed_test),
        cmocka_unit_test(test_broken_tests_are_told_with_line_and_column),
        cmocka_unit_test(test_refused_memory_is_an_error),
    };
    return cmocka_run_group_tests_name("job case", tests, NULL, NULL);
}
