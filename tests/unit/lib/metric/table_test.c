// SPDX-License-Identifier: Apache-2.0
/**
 * Tables of series: every row is there with its value, whatever it comes from; fields are found by
 * their place in a struct; a failure is told, and every allocation may fail.
 */
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/metric/table.h"
#include "tests/unit/harness.h"

static const struct fil_metric_family sent =
    FIL_METRIC_COUNTER_FAMILY("filbert_test_sent_total", "Things sent.");
static const struct fil_metric_family busy =
    FIL_METRIC_TIME_FAMILY("filbert_test_busy_seconds_total", "Time spent.");
static const struct fil_metric_family length =
    FIL_METRIC_GAUGE_FAMILY("filbert_test_length", "Things that wait.");
static const struct fil_metric_family wait =
    FIL_METRIC_TIMES_FAMILY("filbert_test_wait_seconds", "How long things wait.");

static struct fil_metrics *metrics;

static int set_up(void **state)
{
    (void)state;
    metrics = fil_metrics_new();
    return metrics == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    fil_metrics_free(metrics);
    return 0;
}

static double value_of(const char *name)
{
    double value = -1;
    assert_int_equal(fil_metrics_value(metrics, name, FIL_METRIC_LABELS({"loop", "3"}), &value),
                     FIL_OK);
    return value;
}

static double read_length(void *context)
{
    return *(const uint32_t *)context;
}

static void test_rows_show_counters_functions_and_histograms(void **state)
{
    (void)state;
    struct fil_counter count = {0};
    struct fil_counter busy_ns = {0};
    struct fil_histogram wait_ns;
    uint32_t waiting = 7;
    fil_counter_add(&count, 5);
    fil_counter_add(&busy_ns, 1500000000);
    fil_histogram_init(&wait_ns);
    fil_histogram_record(&wait_ns, 1000);
    const struct fil_metric_row rows[] = {
        {.family = &sent, .counter = &count},
        {.family = &busy, .counter = &busy_ns},
        {.family = &length, .read = read_length, .context = &waiting},
        {.family = &wait, .histogram = &wait_ns},
    };
    assert_int_equal(
        fil_metrics_add_rows(metrics, FIL_METRIC_LABELS({"loop", "3"}), rows, FIL_COUNT_OF(rows)),
        FIL_OK);
    assert_true(value_of("filbert_test_sent_total") == 5);
    assert_true(value_of("filbert_test_busy_seconds_total") == 1.5);
    assert_true(value_of("filbert_test_length") == 7);
    assert_true(value_of("filbert_test_wait_seconds_count") == 1);
}

struct stats {
    uint32_t other;
    struct fil_counter first;
    struct fil_counter second;
};

static const struct fil_metric_field fields[] = {
    {FIL_METRIC_COUNTER_FAMILY("filbert_test_first_total", "The first."),
     offsetof(struct stats, first)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_test_second_total", "The second."),
     offsetof(struct stats, second)},
};

static void test_fields_are_found_in_their_struct(void **state)
{
    (void)state;
    struct stats stats = {.other = 9};
    fil_counter_add(&stats.first, 1);
    fil_counter_add(&stats.second, 2);
    assert_int_equal(fil_metrics_add_fields(metrics, FIL_METRIC_LABELS({"loop", "3"}), fields,
                                            FIL_COUNT_OF(fields), &stats),
                     FIL_OK);
    assert_true(value_of("filbert_test_first_total") == 1);
    assert_true(value_of("filbert_test_second_total") == 2);
}

static void test_the_first_failure_is_told(void **state)
{
    (void)state;
    struct fil_counter count = {0};
    const struct fil_metric_row rows[] = {
        {.family = &sent, .counter = &count},
        {.family = &sent, .counter = &count},
        {.family = &busy, .counter = &count},
    };
    assert_int_equal(fil_metrics_add_rows(metrics, FIL_METRIC_NO_LABELS, rows, FIL_COUNT_OF(rows)),
                     FIL_E_EXISTS);
    assert_int_equal(fil_counter_read(fil_metrics_series_count(metrics)), 1);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    struct stats stats = {0};
    int error = FIL_E_NOMEM;
    int64_t position = 0;
    while (error != FIL_OK) {
        fil_metrics_free(metrics);
        metrics = fil_metrics_new();
        assert_non_null(metrics);
        fil_alloc_fail_after(position);
        error = fil_metrics_add_fields(metrics, FIL_METRIC_NO_LABELS, fields, FIL_COUNT_OF(fields),
                                       &stats);
        fil_alloc_fail_after(-1);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
        position++;
    }
    assert_true(position > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows_show_counters_functions_and_histograms, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_fields_are_found_in_their_struct, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_first_failure_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
