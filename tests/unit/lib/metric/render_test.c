// SPDX-License-Identifier: Apache-2.0
/**
 * The Prometheus text: exactly so for each type and unit, in one order whatever the order of
 * registration, escaped, with histograms whose parts agree; in pieces without losing or doubling a
 * series when others come and go in between; and bounded.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/attr.h"
#include "lib/metric/metrics.h"
#include "tests/unit/harness.h"

static const struct fil_metric_family accepted = {
    .name = "filbert_accepted_total", .help = "Back\\slash.", .type = FIL_METRIC_COUNTER};
static const struct fil_metric_family busy = {.name = "filbert_busy_seconds_total",
                                              .help = "Busy.",
                                              .type = FIL_METRIC_COUNTER,
                                              .unit = FIL_METRIC_NS};
static const struct fil_metric_family level = {
    .name = "filbert_level", .help = "Level.", .type = FIL_METRIC_GAUGE};
static const struct fil_metric_family lag = {
    .name = "filbert_lag_seconds", .help = "Lag.", .type = FIL_METRIC_GAUGE, .unit = FIL_METRIC_NS};
static const struct fil_metric_family latency = {.name = "filbert_request_seconds",
                                                 .help = "Latency.",
                                                 .type = FIL_METRIC_HISTOGRAM,
                                                 .unit = FIL_METRIC_NS};
static const struct fil_metric_family batch = {
    .name = "filbert_batch_items", .help = "Batch.", .type = FIL_METRIC_HISTOGRAM};

static struct fil_metrics *metrics;
static struct fil_counter counter;
static struct fil_histogram histogram;
static char *text;

static int set_up(void **state)
{
    (void)state;
    counter = (struct fil_counter){0};
    fil_histogram_init(&histogram);
    text = NULL;
    metrics = fil_metrics_new();
    return metrics == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    fil_free(text);
    fil_metrics_free(metrics);
    return 0;
}

static const char *render(void)
{
    fil_free(text);
    size_t size = 0;
    assert_int_equal(fil_metrics_render_text(metrics, 64 << 20, &text, &size), FIL_OK);
    assert_int_equal(strlen(text), size);
    return text;
}

static void add_counter(const struct fil_metric_family *family, struct fil_metric_labels labels)
{
    assert_int_equal(fil_metrics_add_counter(metrics, family, labels, &counter, NULL), FIL_OK);
}

static void test_empty_registry_gives_an_empty_text(void **state)
{
    (void)state;
    assert_string_equal(render(), "");
}

static void test_order_is_by_name_then_labels(void **state)
{
    (void)state;
    add_counter(&level, FIL_METRIC_NO_LABELS);
    add_counter(&accepted, FIL_METRIC_LABELS({"map", "b"}));
    add_counter(&accepted, FIL_METRIC_LABELS({"map", "a\n\"\\"}, {"kind", "z"}));
    add_counter(&accepted, FIL_METRIC_NO_LABELS);
    fil_counter_add(&counter, 7);
    assert_string_equal(render(), "# HELP filbert_accepted_total Back\\\\slash.\n"
                                  "# TYPE filbert_accepted_total counter\n"
                                  "filbert_accepted_total 7\n"
                                  "filbert_accepted_total{kind=\"z\",map=\"a\\n\\\"\\\\\"} 7\n"
                                  "filbert_accepted_total{map=\"b\"} 7\n"
                                  "# HELP filbert_level Level.\n"
                                  "# TYPE filbert_level gauge\n"
                                  "filbert_level 7\n");
}

static void assert_counter_line(uint64_t value, const char *line)
{
    fil_counter_add(&counter, value - fil_counter_read(&counter));
    assert_non_null(strstr(render(), line));
}

static void test_integers_and_nanoseconds_are_exact(void **state)
{
    (void)state;
    add_counter(&accepted, FIL_METRIC_NO_LABELS);
    add_counter(&busy, FIL_METRIC_NO_LABELS);
    add_counter(&level, FIL_METRIC_NO_LABELS);
    add_counter(&lag, FIL_METRIC_NO_LABELS);
    assert_counter_line(0, "\nfilbert_busy_seconds_total 0\n");
    assert_counter_line(1, "\nfilbert_busy_seconds_total 0.000000001\n");
    assert_counter_line(1500000000, "\nfilbert_busy_seconds_total 1.5\n");
    assert_counter_line(10050000000, "\nfilbert_busy_seconds_total 10.05\n");
    assert_counter_line(UINT64_MAX, "\nfilbert_busy_seconds_total 18446744073.709551615\n");
    assert_counter_line(UINT64_MAX, "\nfilbert_accepted_total 18446744073709551615\n");
    assert_counter_line(UINT64_MAX, "\nfilbert_level -1\n");
    assert_counter_line((uint64_t)-2500000000, "\nfilbert_lag_seconds -2.5\n");
    assert_counter_line(UINT64_C(1) << 63, "\nfilbert_level -9223372036854775808\n");
}

static double shown;

static double read_shown(void *context)
{
    (void)context;
    return shown;
}

static void test_doubles_read_back(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *line;
    } cases[] = {
        {0, "\nfilbert_level 0\n"},
        {0.1, "\nfilbert_level 0.1\n"},
        {-2.5, "\nfilbert_level -2.5\n"},
        {1e21, "\nfilbert_level 1e+21\n"},
        {1.0 / 3, "\nfilbert_level 0.33333333333333331\n"},
        {9007199254740993.0, "\nfilbert_level 9007199254740992\n"},
        {(double)NAN, "\nfilbert_level NaN\n"},
        {(double)INFINITY, "\nfilbert_level +Inf\n"},
        {-(double)INFINITY, "\nfilbert_level -Inf\n"},
    };
    assert_int_equal(
        fil_metrics_add_function(metrics, &level, FIL_METRIC_NO_LABELS, read_shown, NULL, NULL),
        FIL_OK);
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        shown = cases[i].value;
        assert_non_null(strstr(render(), cases[i].line));
    }
}

static void test_durations_fill_their_bounds(void **state)
{
    (void)state;
    assert_int_equal(fil_metrics_add_histogram(metrics, &latency, FIL_METRIC_LABELS({"op", "get"}),
                                               &histogram, NULL),
                     FIL_OK);
    fil_histogram_record(&histogram, 900);             // up to 1 us
    fil_histogram_record(&histogram, 30000);           // up to 50 us
    fil_histogram_record_many(&histogram, 2000000, 3); // up to 2.5 ms
    fil_histogram_record(&histogram, 60000000000);     // beyond all
    assert_string_equal(render(), "# HELP filbert_request_seconds Latency.\n"
                                  "# TYPE filbert_request_seconds histogram\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"1e-06\"} 1\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"2.5e-06\"} 1\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"5e-06\"} 1\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"1e-05\"} 1\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"2.5e-05\"} 1\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"5e-05\"} 2\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"0.0001\"} 2\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"0.00025\"} 2\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"0.0005\"} 2\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"0.001\"} 2\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"0.0025\"} 5\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"0.005\"} 5\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"0.01\"} 5\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"0.025\"} 5\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"0.05\"} 5\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"0.1\"} 5\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"0.25\"} 5\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"0.5\"} 5\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"1\"} 5\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"2.5\"} 5\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"5\"} 5\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"10\"} 5\n"
                                  "filbert_request_seconds_bucket{op=\"get\",le=\"+Inf\"} 6\n"
                                  "filbert_request_seconds_sum{op=\"get\"} 60.0060309\n"
                                  "filbert_request_seconds_count{op=\"get\"} 6\n");
}

static void test_counts_fill_powers_of_four(void **state)
{
    (void)state;
    assert_int_equal(
        fil_metrics_add_histogram(metrics, &batch, FIL_METRIC_NO_LABELS, &histogram, NULL), FIL_OK);
    for (uint64_t value = 0; value <= 64; value++) {
        fil_histogram_record(&histogram, value); // exact up to 63
    }
    const char *rendered = render();
    assert_non_null(strstr(rendered, "\nfilbert_batch_items_bucket{le=\"1\"} 2\n"));
    assert_non_null(strstr(rendered, "\nfilbert_batch_items_bucket{le=\"4\"} 5\n"));
    assert_non_null(strstr(rendered, "\nfilbert_batch_items_bucket{le=\"16\"} 17\n"));
    // 64 shares a bucket with 65, which is beyond the bound: it shows at the next one.
    assert_non_null(strstr(rendered, "\nfilbert_batch_items_bucket{le=\"64\"} 64\n"));
    assert_non_null(strstr(rendered, "\nfilbert_batch_items_bucket{le=\"256\"} 65\n"));
    assert_non_null(strstr(rendered, "\nfilbert_batch_items_bucket{le=\"+Inf\"} 65\n"));
    assert_non_null(strstr(rendered, "\nfilbert_batch_items_sum 2080\n"));
    assert_non_null(strstr(rendered, "\nfilbert_batch_items_count 65\n"));
}

/** Adds the series "map" with the number. */
static struct fil_metric_series *add_numbered(uint32_t number)
{
    char value[16];
    (void)snprintf(value, sizeof(value), "%07u", number);
    struct fil_metric_series *series = NULL;
    assert_int_equal(fil_metrics_add_counter(metrics, &accepted, FIL_METRIC_LABELS({"map", value}),
                                             &counter, &series),
                     FIL_OK);
    return series;
}

static void add_many(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        (void)add_numbered(i);
    }
}

#define FIRST_NUMBER 1000U
#define EVEN_COUNT   20000U

struct collector {
    uint32_t piece_count;
    uint32_t line_count;
    uint32_t last;                                // the number of the series seen last
    struct fil_metric_series *series[EVEN_COUNT]; // those with an even number
};

/** Counts the series of a piece, whose numbers must rise. */
static void count_lines(struct collector *collector, struct fil_bytes piece)
{
    while (piece.size > 0) {
        char line[128];
        size_t size = fil_bytes_find(piece, '\n') + 1;
        assert_true(size <= piece.size && size < sizeof(line));
        memcpy(line, piece.data, size);
        line[size] = '\0';
        unsigned number = 0;
        if (sscanf(line, "filbert_accepted_total{map=\"%u\"}", &number) == 1) {
            assert_true(number > collector->last);
            collector->last = number;
            collector->line_count++;
        }
        piece = fil_bytes_make(piece.data + size, piece.size - size);
    }
}

/** Changes the registry between two pieces, right where the walk stands and far before it. */
static int collect(void *context, struct fil_bytes piece)
{
    struct collector *collector = context;
    collector->piece_count++;
    count_lines(collector, piece);
    assert_int_equal(collector->last % 2, 0);
    fil_metrics_remove(metrics, collector->series[(collector->last - FIRST_NUMBER) / 2]);
    (void)add_numbered(collector->last + 1);
    (void)add_numbered(collector->piece_count);
    return FIL_OK;
}

static void test_pieces_neither_lose_nor_double_a_series(void **state)
{
    (void)state;
    static struct collector collector;
    memset(&collector, 0, sizeof(collector));
    for (uint32_t i = 0; i < EVEN_COUNT; i++) {
        collector.series[i] = add_numbered(FIRST_NUMBER + 2 * i);
    }
    assert_int_equal(fil_metrics_render(metrics, collect, &collector), FIL_OK);
    assert_true(collector.piece_count > 10);
    // What came right behind the place was seen, but for the last, when the walk was over; what
    // came far before it was not; what went away had been seen.
    assert_int_equal(collector.line_count, EVEN_COUNT + collector.piece_count - 1);
    assert_int_equal(collector.last, FIRST_NUMBER + 2 * (EVEN_COUNT - 1));
}

static int refuse(void *context, struct fil_bytes piece)
{
    (void)piece;
    uint32_t *calls = context;
    (*calls)++;
    return *calls == 3 ? FIL_E_CLOSED : FIL_OK;
}

static void test_sink_may_end_the_rendering(void **state)
{
    (void)state;
    add_many(20000);
    uint32_t calls = 0;
    assert_int_equal(fil_metrics_render(metrics, refuse, &calls), FIL_E_CLOSED);
    assert_int_equal(calls, 3);
}

static void test_text_is_bounded_exactly(void **state)
{
    (void)state;
    add_many(10000);
    size_t size = strlen(render());
    char *again = NULL;
    size_t again_size = 0;
    assert_int_equal(fil_metrics_render_text(metrics, size, &again, &again_size), FIL_OK);
    assert_int_equal(again_size, size);
    assert_string_equal(again, text);
    fil_free(again);
    again = NULL;
    assert_int_equal(fil_metrics_render_text(metrics, size - 1, &again, &again_size), FIL_E_LIMIT);
    assert_null(again);
}

static void test_the_longest_series_fit_a_piece(void **state)
{
    (void)state;
    char name[FIL_METRIC_NAME_MAX + 1];
    memset(name, 'a', sizeof(name));
    memcpy(name, "filbert_", 8);
    memcpy(name + FIL_METRIC_NAME_MAX - 8, "_seconds", 9);
    char help[FIL_METRIC_HELP_MAX + 1];
    memset(help, '\\', sizeof(help));
    help[FIL_METRIC_HELP_MAX] = '\0';
    const struct fil_metric_family longest = {
        .name = name, .help = help, .type = FIL_METRIC_HISTOGRAM, .unit = FIL_METRIC_NS};
    char value[FIL_METRIC_LABEL_VALUE_MAX + 1];
    memset(value, 'v', sizeof(value));
    value[FIL_METRIC_LABEL_VALUE_MAX] = '\0';
    char rest[FIL_METRIC_LABEL_VALUE_MAX + 1];
    memset(rest, 'v', sizeof(rest));
    // Three labels a="..." of 260 bytes with their commas, and one that fills what is left.
    rest[FIL_METRIC_LABELS_TEXT_MAX - 3 * (FIL_METRIC_LABEL_VALUE_MAX + 5) - 4] = '\0';
    for (int i = 0; i < 4; i++) {
        value[0] = (char)('w' + i);
        assert_int_equal(fil_metrics_add_histogram(metrics, &longest,
                                                   FIL_METRIC_LABELS({"a", value}, {"b", value},
                                                                     {"c", value}, {"d", rest}),
                                                   &histogram, NULL),
                         FIL_OK);
    }
    fil_histogram_record_many(&histogram, UINT64_MAX, UINT64_MAX);
    assert_true(strlen(render()) > 4 * 25 * FIL_METRIC_LABELS_TEXT_MAX);
}

static void test_memory_may_be_out_at_every_step(void **state)
{
    (void)state;
    add_many(10000);
    int result = FIL_E_NOMEM;
    int64_t failing = 0;
    char *found = NULL;
    size_t size = 0;
    for (; result == FIL_E_NOMEM; failing++) {
        fil_alloc_fail_after(failing);
        result = fil_metrics_render_text(metrics, 64 << 20, &found, &size);
        assert_int_equal(found != NULL, result == FIL_OK);
    }
    fil_alloc_fail_after(-1);
    assert_int_equal(result, FIL_OK);
    assert_true(failing > 3);
    fil_free(found);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_empty_registry_gives_an_empty_text),
        TEST(test_order_is_by_name_then_labels),
        TEST(test_integers_and_nanoseconds_are_exact),
        TEST(test_doubles_read_back),
        TEST(test_durations_fill_their_bounds),
        TEST(test_counts_fill_powers_of_four),
        TEST(test_pieces_neither_lose_nor_double_a_series),
        TEST(test_sink_may_end_the_rendering),
        TEST(test_text_is_bounded_exactly),
        TEST(test_the_longest_series_fit_a_piece),
        TEST(test_memory_may_be_out_at_every_step),
    };
    return cmocka_run_group_tests_name("metric render", tests, NULL, NULL);
}
