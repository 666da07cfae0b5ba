// SPDX-License-Identifier: Apache-2.0
/** Medians and spreads: of odd and even counts, of one sample, of none; in any order. */
#include "apps/filbert/lab/figures.h"

#include "tests/unit/harness.h"

static void expect(double *values, uint32_t count, double median, double low, double high)
{
    struct lab_summary summary = lab_summarize(values, count);
    assert_true(summary.median == median);
    assert_true(summary.low == low);
    assert_true(summary.high == high);
}

static void test_median_of_odd_and_even_counts(void **state)
{
    (void)state;
    expect((double[]){3, 1, 2}, 3, 2, 1, 3);
    expect((double[]){4, 1, 3, 2}, 4, 2.5, 1, 4);
    expect((double[]){7}, 1, 7, 7, 7);
    expect((double[]){5, 5, 5, 1, 9}, 5, 5, 1, 9);
}

static void test_nothing_is_zero(void **state)
{
    (void)state;
    struct lab_series series = {.count = 0};
    struct lab_summary summary = lab_series_summary(&series, LAB_FIGURE_P99);
    assert_true(summary.median == 0 && summary.low == 0 && summary.high == 0);
}

static void test_series_keeps_figures_apart_and_samples_in_place(void **state)
{
    (void)state;
    struct lab_series series = {.count = 0};
    for (int i = 0; i < 3; i++) {
        struct lab_sample sample = {.values = {[LAB_FIGURE_CPU] = 10 - i, [LAB_FIGURE_P99] = i}};
        lab_series_add(&series, &sample);
    }
    assert_true(lab_series_summary(&series, LAB_FIGURE_CPU).median == 9);
    assert_true(lab_series_summary(&series, LAB_FIGURE_P99).high == 2);
    assert_true(series.samples[0].values[LAB_FIGURE_CPU] == 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median_of_odd_and_even_counts),
        cmocka_unit_test(test_nothing_is_zero),
        cmocka_unit_test(test_series_keeps_figures_apart_and_samples_in_place),
    };
    return cmocka_run_group_tests_name("figures", tests, NULL, NULL);
}
