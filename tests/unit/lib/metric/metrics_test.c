// SPDX-License-Identifier: Apache-2.0
/**
 * The registry: what is registered can be read by name and labels in the unit it is shown in, wrong
 * or doubled registrations are refused with their own code and counted, removed series are gone,
 * limits hold exactly, and threads may write, register, remove and read at the same time.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/metric/metrics.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

static const struct fil_metric_family accepted = {
    .name = "filbert_accepted_total", .help = "Accepted.", .type = FIL_METRIC_COUNTER};
static const struct fil_metric_family busy = {.name = "filbert_busy_seconds_total",
                                              .help = "Busy.",
                                              .type = FIL_METRIC_COUNTER,
                                              .unit = FIL_METRIC_NS};
static const struct fil_metric_family connections = {
    .name = "filbert_connections", .help = "Connections.", .type = FIL_METRIC_GAUGE};
static const struct fil_metric_family latency = {.name = "filbert_request_seconds",
                                                 .help = "Latency.",
                                                 .type = FIL_METRIC_HISTOGRAM,
                                                 .unit = FIL_METRIC_NS};

static struct fil_metrics *metrics;
static struct fil_counter counter;
static struct fil_histogram histogram;

static int set_up(void **state)
{
    (void)state;
    counter = (struct fil_counter){0};
    fil_histogram_init(&histogram);
    metrics = fil_metrics_new();
    return metrics == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    fil_metrics_free(metrics);
    return 0;
}

static double value_of(const char *name, struct fil_metric_labels labels)
{
    double value = -1;
    assert_int_equal(fil_metrics_value(metrics, name, labels, &value), FIL_OK);
    return value;
}

static bool is_there(const char *name, struct fil_metric_labels labels)
{
    double value = -1;
    int result = fil_metrics_value(metrics, name, labels, &value);
    assert_true(result == FIL_OK || result == FIL_E_NOT_FOUND);
    return result == FIL_OK;
}

static double read_double(void *context)
{
    return *(const double *)context;
}

static void test_values_are_read_in_the_unit_shown(void **state)
{
    (void)state;
    double wanted = 2.5;
    const struct fil_metric_labels loop = FIL_METRIC_LABELS({"loop", "0"});
    assert_int_equal(fil_metrics_add_counter(metrics, &accepted, loop, &counter, NULL), FIL_OK);
    assert_int_equal(fil_metrics_add_counter(metrics, &busy, FIL_METRIC_NO_LABELS, &counter, NULL),
                     FIL_OK);
    assert_int_equal(fil_metrics_add_function(metrics, &connections, FIL_METRIC_NO_LABELS,
                                              read_double, &wanted, NULL),
                     FIL_OK);
    assert_int_equal(fil_metrics_add_histogram(metrics, &latency, loop, &histogram, NULL), FIL_OK);

    fil_counter_add(&counter, 1500000000);
    fil_histogram_record(&histogram, 250000000);
    fil_histogram_record(&histogram, 500000000);
    assert_true(value_of("filbert_accepted_total", loop) == 1.5e9);
    assert_true(value_of("filbert_busy_seconds_total", FIL_METRIC_NO_LABELS) == 1.5);
    assert_true(value_of("filbert_connections", FIL_METRIC_NO_LABELS) == 2.5);
    assert_true(value_of("filbert_request_seconds_count", loop) == 2);
    assert_true(value_of("filbert_request_seconds_sum", loop) == 0.75);
}

static void test_gauge_may_be_a_counter_that_goes_down(void **state)
{
    (void)state;
    assert_int_equal(
        fil_metrics_add_counter(metrics, &connections, FIL_METRIC_NO_LABELS, &counter, NULL),
        FIL_OK);
    fil_counter_add(&counter, (uint64_t)-3);
    assert_true(value_of("filbert_connections", FIL_METRIC_NO_LABELS) == -3);
}

static void test_unknown_series_are_not_found(void **state)
{
    (void)state;
    assert_int_equal(fil_metrics_add_counter(metrics, &accepted, FIL_METRIC_LABELS({"loop", "0"}),
                                             &counter, NULL),
                     FIL_OK);
    assert_int_equal(
        fil_metrics_add_histogram(metrics, &latency, FIL_METRIC_NO_LABELS, &histogram, NULL),
        FIL_OK);
    assert_true(is_there("filbert_accepted_total", FIL_METRIC_LABELS({"loop", "0"})));
    assert_false(is_there("filbert_accepted_total", FIL_METRIC_NO_LABELS));
    assert_false(is_there("filbert_accepted_total", FIL_METRIC_LABELS({"loop", "1"})));
    assert_false(is_there("filbert_accepted", FIL_METRIC_LABELS({"loop", "0"})));
    assert_false(is_there("filbert_accepted_total_count", FIL_METRIC_LABELS({"loop", "0"})));
    assert_false(is_there("filbert_request_seconds", FIL_METRIC_NO_LABELS));
    assert_false(is_there("_count", FIL_METRIC_NO_LABELS));
    assert_false(is_there("filbert_accepted_total", FIL_METRIC_LABELS({"LOOP", "0"})));
    char endless[4 * FIL_METRIC_NAME_MAX];
    memset(endless, 'a', sizeof(endless) - 1);
    endless[sizeof(endless) - 1] = '\0';
    assert_false(is_there(endless, FIL_METRIC_NO_LABELS));
}

static void test_order_of_labels_does_not_matter(void **state)
{
    (void)state;
    const struct fil_metric_labels one = FIL_METRIC_LABELS({"a", "1"}, {"b", "2"});
    const struct fil_metric_labels two = FIL_METRIC_LABELS({"b", "2"}, {"a", "1"});
    assert_int_equal(fil_metrics_add_counter(metrics, &accepted, one, &counter, NULL), FIL_OK);
    assert_int_equal(fil_metrics_add_counter(metrics, &accepted, two, &counter, NULL),
                     FIL_E_EXISTS);
    assert_true(is_there("filbert_accepted_total", two));
}

static void test_refusals_have_their_codes_and_are_counted(void **state)
{
    (void)state;
    const struct fil_metric_labels none = FIL_METRIC_NO_LABELS;
    const struct fil_metric_family nameless = {
        .name = "accepted", .help = "X.", .type = FIL_METRIC_COUNTER};
    struct fil_metric_family differing = accepted;
    differing.help = "Something else.";
    double wanted = 1;

    assert_int_equal(fil_metrics_add_counter(metrics, &nameless, none, &counter, NULL),
                     FIL_E_INVALID);
    assert_int_equal(
        fil_metrics_add_counter(metrics, &accepted, FIL_METRIC_LABELS({"LE", "x"}), &counter, NULL),
        FIL_E_INVALID);
    assert_int_equal(fil_metrics_add_counter(metrics, &latency, none, &counter, NULL),
                     FIL_E_INVALID);
    assert_int_equal(fil_metrics_add_function(metrics, &latency, none, read_double, &wanted, NULL),
                     FIL_E_INVALID);
    assert_int_equal(fil_metrics_add_histogram(metrics, &accepted, none, &histogram, NULL),
                     FIL_E_INVALID);
    assert_int_equal(
        fil_metrics_add_counter(metrics, &accepted, FIL_METRIC_LABELS({"b", "x"}), &counter, NULL),
        FIL_OK);
    assert_int_equal(
        fil_metrics_add_counter(metrics, &accepted, FIL_METRIC_LABELS({"b", "x"}), &counter, NULL),
        FIL_E_EXISTS);
    // Another description of the family, sorted before and behind what is there.
    assert_int_equal(
        fil_metrics_add_counter(metrics, &differing, FIL_METRIC_LABELS({"a", "x"}), &counter, NULL),
        FIL_E_EXISTS);
    assert_int_equal(
        fil_metrics_add_counter(metrics, &differing, FIL_METRIC_LABELS({"c", "x"}), &counter, NULL),
        FIL_E_EXISTS);
    assert_int_equal(fil_counter_read(fil_metrics_refused_count(metrics)), 8);
    assert_int_equal(fil_counter_read(fil_metrics_series_count(metrics)), 1);
}

static void test_labels_that_are_too_long_together_are_refused(void **state)
{
    (void)state;
    char value[FIL_METRIC_LABEL_VALUE_MAX + 1];
    memset(value, '"', sizeof(value)); // each of them takes two
    value[sizeof(value) - 1] = '\0';
    const struct fil_metric_labels labels = FIL_METRIC_LABELS({"a", value}, {"b", value});
    assert_null(fil_metric_labels_problem(labels));
    assert_int_equal(fil_metrics_add_counter(metrics, &accepted, labels, &counter, NULL),
                     FIL_E_LIMIT);
    assert_false(is_there("filbert_accepted_total", labels));
}

static void test_removed_series_are_gone_and_may_come_back(void **state)
{
    (void)state;
    struct fil_metric_series *series[3] = {NULL, NULL, NULL};
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fil_metrics_add_counter(metrics, &accepted,
                                                 FIL_METRIC_LABELS({"map", names[i]}), &counter,
                                                 &series[i]),
                         FIL_OK);
    }
    fil_metrics_remove(metrics, series[1]);
    fil_metrics_remove(metrics, NULL);
    assert_true(is_there("filbert_accepted_total", FIL_METRIC_LABELS({"map", "a"})));
    assert_false(is_there("filbert_accepted_total", FIL_METRIC_LABELS({"map", "b"})));
    assert_true(is_there("filbert_accepted_total", FIL_METRIC_LABELS({"map", "c"})));
    assert_int_equal(fil_counter_read(fil_metrics_series_count(metrics)), 2);
    assert_int_equal(fil_metrics_add_counter(metrics, &accepted, FIL_METRIC_LABELS({"map", "b"}),
                                             &counter, &series[1]),
                     FIL_OK);
    for (int i = 0; i < 3; i++) {
        fil_metrics_remove(metrics, series[i]);
    }
    // With its last series the family is gone, and may be described anew.
    struct fil_metric_family differing = accepted;
    differing.help = "Something else.";
    assert_int_equal(
        fil_metrics_add_counter(metrics, &differing, FIL_METRIC_NO_LABELS, &counter, &series[0]),
        FIL_OK);
    fil_metrics_remove(metrics, series[0]);
}

static int add_numbered(uint32_t number)
{
    char value[16];
    (void)snprintf(value, sizeof(value), "%08x", number);
    return fil_metrics_add_counter(metrics, &accepted, FIL_METRIC_LABELS({"map", value}), &counter,
                                   NULL);
}

static void test_any_order_of_registration_is_found_again(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(add_numbered(i * UINT32_C(2654435761)), FIL_OK);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(add_numbered(i * UINT32_C(2654435761)), FIL_E_EXISTS);
    }
}

static void test_series_are_limited_exactly(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FIL_METRIC_SERIES_MAX; i++) {
        assert_int_equal(add_numbered(i), FIL_OK);
    }
    assert_int_equal(add_numbered(FIL_METRIC_SERIES_MAX), FIL_E_LIMIT);
    assert_int_equal(fil_counter_read(fil_metrics_series_count(metrics)), FIL_METRIC_SERIES_MAX);
    assert_int_equal(fil_counter_read(fil_metrics_refused_count(metrics)), 1);
}

static void test_memory_may_be_out_at_every_step(void **state)
{
    (void)state;
    fil_alloc_fail_after(0);
    struct fil_metrics *none = fil_metrics_new();
    assert_null(none);
    int result = FIL_E_NOMEM;
    int64_t failing = 0;
    for (; result == FIL_E_NOMEM; failing++) {
        fil_alloc_fail_after(failing);
        result = fil_metrics_add_counter(metrics, &accepted, FIL_METRIC_NO_LABELS, &counter, NULL);
        assert_int_equal(is_there("filbert_accepted_total", FIL_METRIC_NO_LABELS),
                         result == FIL_OK);
    }
    fil_alloc_fail_after(-1);
    assert_int_equal(result, FIL_OK);
    assert_int_equal(failing, 3);
}

#define ROUNDS 2000U

static _Atomic bool is_over;

/** The owner of a counter and a histogram: never waits for anybody. */
static void write_values(void *context)
{
    (void)context;
    uint64_t value = 0;
    while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
        fil_counter_add(&counter, 1);
        fil_histogram_record(&histogram, value % 1000000000);
        value = value * 6364136223846793005U + 1;
    }
}

/** A structure that is created and destroyed over and over. */
static void come_and_go(void *context)
{
    const char *name = context;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct fil_counter *own = fil_alloc_zero(1, sizeof(*own));
        struct fil_metric_series *series = NULL;
        fil_assert(own != NULL);
        int result = fil_metrics_add_counter(metrics, &accepted, FIL_METRIC_LABELS({"map", name}),
                                             own, &series);
        fil_assert(result == FIL_OK);
        fil_counter_add(own, 1);
        fil_metrics_remove(metrics, series);
        fil_free(own); // nobody reads it any more, or a sanitizer will tell
    }
}

static void test_threads_do_all_of_it_at_once(void **state)
{
    (void)state;
    atomic_store(&is_over, false);
    assert_int_equal(fil_metrics_add_counter(metrics, &accepted, FIL_METRIC_LABELS({"map", "b"}),
                                             &counter, NULL),
                     FIL_OK);
    assert_int_equal(
        fil_metrics_add_histogram(metrics, &latency, FIL_METRIC_NO_LABELS, &histogram, NULL),
        FIL_OK);
    static char first[] = "a";
    static char last[] = "c";
    struct fil_thread writer;
    struct fil_thread owners[2];
    assert_int_equal(fil_thread_start(&writer, "writer", write_values, NULL), FIL_OK);
    assert_int_equal(fil_thread_start(&owners[0], "owner", come_and_go, first), FIL_OK);
    assert_int_equal(fil_thread_start(&owners[1], "owner", come_and_go, last), FIL_OK);

    double before = 0;
    for (uint32_t i = 0; i < 200; i++) {
        char *text = NULL;
        size_t size = 0;
        assert_int_equal(fil_metrics_render_text(metrics, 1 << 20, &text, &size), FIL_OK);
        assert_non_null(strstr(text, "\nfilbert_accepted_total{map=\"b\"} "));
        assert_null(strstr(strstr(text, "# TYPE filbert_accepted_total") + 1,
                           "# TYPE filbert_accepted_total"));
        fil_free(text);
        double now = value_of("filbert_accepted_total", FIL_METRIC_LABELS({"map", "b"}));
        assert_true(now >= before);
        before = now;
    }
    fil_thread_join(&owners[0]);
    fil_thread_join(&owners[1]);
    atomic_store(&is_over, true);
    fil_thread_join(&writer);
    assert_int_equal(fil_counter_read(fil_metrics_series_count(metrics)), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_values_are_read_in_the_unit_shown),
        TEST(test_gauge_may_be_a_counter_that_goes_down),
        TEST(test_unknown_series_are_not_found),
        TEST(test_order_of_labels_does_not_matter),
        TEST(test_refusals_have_their_codes_and_are_counted),
        TEST(test_labels_that_are_too_long_together_are_refused),
        TEST(test_removed_series_are_gone_and_may_come_back),
        TEST(test_any_order_of_registration_is_found_again),
        TEST(test_series_are_limited_exactly),
        TEST(test_memory_may_be_out_at_every_step),
        TEST(test_threads_do_all_of_it_at_once),
    };
    return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
