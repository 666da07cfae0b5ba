// SPDX-License-Identifier: Apache-2.0
/**
 * The process's own metrics: all are there, with figures that can be true; what is shown together
 * is measured once; fini takes all away, and a failure half-way leaves nothing behind.
 */
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/attr.h"
#include "lib/metric/process.h"
#include "tests/unit/harness.h"

struct still_env {
    struct fil_env env;
    uint64_t now_ns;
};

static uint64_t still_now_ns(struct fil_env *env)
{
    return FIL_CONTAINER_OF(env, struct still_env, env)->now_ns;
}

static uint64_t still_wall_ns(struct fil_env *env)
{
    (void)env;
    return UINT64_C(1935664201500000000);
}

static const struct fil_env_ops still_ops = {.now_ns = still_now_ns, .wall_ns = still_wall_ns};

static struct still_env still;
static struct fil_metrics *metrics;
static struct fil_metric_process process;

static int set_up(void **state)
{
    (void)state;
    still = (struct still_env){.env = {.ops = &still_ops}, .now_ns = 5000000000};
    metrics = fil_metrics_new();
    return metrics == NULL || fil_metric_process_init(&process, metrics, &still.env, "1.2.3");
}

static int tear_down(void **state)
{
    (void)state;
    fil_metric_process_fini(&process);
    assert_int_equal(fil_counter_read(fil_metrics_series_count(metrics)), 0);
    fil_metrics_free(metrics);
    return 0;
}

static double value_of(const char *name, struct fil_metric_labels labels)
{
    double value = -1;
    assert_int_equal(fil_metrics_value(metrics, name, labels, &value), FIL_OK);
    return value;
}

static void test_all_are_there_and_can_be_true(void **state)
{
    (void)state;
    const struct fil_metric_labels none = FIL_METRIC_NO_LABELS;
    still.now_ns += 2500000000;
    assert_true(value_of("filbert_build_info", FIL_METRIC_LABELS({"version", "1.2.3"})) == 1);
    assert_true(value_of("filbert_uptime_seconds", none) == 2.5);
    assert_true(value_of("process_start_time_seconds", none) == 1935664201.5);
    assert_true(value_of("process_cpu_seconds_total", none) >= 0);
    assert_true(value_of("process_resident_memory_bytes", none) > 65536);
    assert_true(value_of("process_open_fds", none) >= 1);
    assert_true(value_of("filbert_metric_series", none) == FIL_METRIC_PROCESS_SERIES);
    assert_true(value_of("filbert_metric_series_refused_total", none) == 0);
}

static void test_one_measurement_serves_what_is_shown_together(void **state)
{
    (void)state;
    const struct fil_metric_labels none = FIL_METRIC_NO_LABELS;
    (void)value_of("process_open_fds", none);
    process.usage.descriptor_count = 12345; // stands until the next measurement
    still.now_ns += 99999999;
    assert_true(value_of("process_open_fds", none) == 12345);
    still.now_ns += 1;
    assert_true(value_of("process_open_fds", none) != 12345);
}

static void test_failure_leaves_nothing_behind(void **state)
{
    (void)state;
    struct fil_metrics *others = fil_metrics_new();
    assert_non_null(others);
    struct fil_metric_process other;
    int result = FIL_E_NOMEM;
    int64_t failing = 0;
    for (; result == FIL_E_NOMEM; failing++) {
        assert_int_equal(fil_counter_read(fil_metrics_series_count(others)), 0);
        fil_alloc_fail_after(failing);
        result = fil_metric_process_init(&other, others, &still.env, "1");
    }
    fil_alloc_fail_after(-1);
    assert_int_equal(result, FIL_OK);
    assert_true(failing > (int64_t)FIL_METRIC_PROCESS_SERIES);
    fil_metric_process_fini(&other);
    fil_metric_process_fini(&other);
    fil_metrics_free(others);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_all_are_there_and_can_be_true),
        TEST(test_one_measurement_serves_what_is_shown_together),
        TEST(test_failure_leaves_nothing_behind),
    };
    return cmocka_run_group_tests_name("metric process", tests, NULL, NULL);
}
