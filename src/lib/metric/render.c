// SPDX-License-Identifier: Apache-2.0
// The registry as Prometheus text. The mutex is held for one piece at a time; in between, series
// may come and go, and the walk goes on behind the last one written.
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"
#include "lib/metric/metrics_internal.h"

#define NS_PER_S UINT64_C(1000000000)

/** Text that is written under one hold of the mutex. */
#define PIECE_BYTES 65536U
/** And the longest a single series may need of it: a histogram with its head. */
#define SERIES_BYTES_MAX 40960U

#define FIRST_TEXT_BYTES 16384U

struct bound {
    uint64_t limit; // values up to it are counted
    const char *text;
};

/** For durations, in nanoseconds: 1, 2.5 and 5 of each power of ten from 1 us to 10 s. */
static const struct bound second_bounds[] = {
    {UINT64_C(1000), "1e-06"},     {UINT64_C(2500), "2.5e-06"},   {UINT64_C(5000), "5e-06"},
    {UINT64_C(10000), "1e-05"},    {UINT64_C(25000), "2.5e-05"},  {UINT64_C(50000), "5e-05"},
    {UINT64_C(100000), "0.0001"},  {UINT64_C(250000), "0.00025"}, {UINT64_C(500000), "0.0005"},
    {UINT64_C(1000000), "0.001"},  {UINT64_C(2500000), "0.0025"}, {UINT64_C(5000000), "0.005"},
    {UINT64_C(10000000), "0.01"},  {UINT64_C(25000000), "0.025"}, {UINT64_C(50000000), "0.05"},
    {UINT64_C(100000000), "0.1"},  {UINT64_C(250000000), "0.25"}, {UINT64_C(500000000), "0.5"},
    {UINT64_C(1000000000), "1"},   {UINT64_C(2500000000), "2.5"}, {UINT64_C(5000000000), "5"},
    {UINT64_C(10000000000), "10"},
};

/** For sizes and counts: powers of four. */
static const struct bound plain_bounds[] = {
    {1, "1"},
    {4, "4"},
    {16, "16"},
    {64, "64"},
    {256, "256"},
    {1024, "1024"},
    {4096, "4096"},
    {16384, "16384"},
    {65536, "65536"},
    {262144, "262144"},
    {1048576, "1048576"},
    {4194304, "4194304"},
    {16777216, "16777216"},
    {67108864, "67108864"},
    {268435456, "268435456"},
    {1073741824, "1073741824"},
};

#define BOUNDS_MAX FIL_COUNT_OF(second_bounds)

static_assert(FIL_COUNT_OF(plain_bounds) <= BOUNDS_MAX, "the counts of one histogram fit");
// Name, suffix, labels, bound and value of each line, and the head of the family.
static_assert((BOUNDS_MAX + 3) * (FIL_METRIC_NAME_MAX + FIL_METRIC_LABELS_TEXT_MAX + 96) +
                      2 * FIL_METRIC_NAME_MAX + 2 * FIL_METRIC_HELP_MAX + 64 <=
                  SERIES_BYTES_MAX,
              "every series fits");
static_assert(SERIES_BYTES_MAX <= PIECE_BYTES, "a piece holds at least one series");

/** Where the walk stands: behind the series that was written last. */
struct walk {
    struct fil_writer writer;
    const struct fil_metric_family *family; // NULL before the first
    uint32_t labels_size;
    uint8_t labels[FIL_METRIC_LABELS_TEXT_MAX];
};

static void write_head(struct fil_writer *writer, const struct fil_metric_family *family)
{
    static const char *const types[] = {
        [FIL_METRIC_COUNTER] = "counter",
        [FIL_METRIC_GAUGE] = "gauge",
        [FIL_METRIC_HISTOGRAM] = "histogram",
    };
    fil_writer_format(writer, "# HELP %s ", family->name);
    for (const char *help = family->help; *help != '\0'; help++) {
        fil_writer_text(writer, *help == '\\' ? "\\" : "");
        fil_writer_u8(writer, (uint8_t)*help);
    }
    fil_writer_format(writer, "\n# TYPE %s %s\n", family->name, types[family->type]);
}

/** Name, labels and the blank before the value; a bound is the label le. */
static void write_name(struct fil_writer *writer, const struct fil_metric_series *series,
                       const char *suffix, const char *bound)
{
    fil_writer_text(writer, series->family->name);
    fil_writer_text(writer, suffix);
    if (series->labels_size > 0 || bound != NULL) {
        fil_writer_u8(writer, '{');
        fil_writer_bytes(writer, fil_bytes_make(series->labels, series->labels_size));
        if (bound != NULL) {
            fil_writer_format(writer, "%sle=\"%s\"", series->labels_size > 0 ? "," : "", bound);
        }
        fil_writer_u8(writer, '}');
    }
    fil_writer_u8(writer, ' ');
}

/** Exact, without trailing zeros. */
static void write_seconds(struct fil_writer *writer, uint64_t ns)
{
    fil_writer_decimal_u64(writer, ns / NS_PER_S);
    uint64_t rest = ns % NS_PER_S;
    int digits = 9;
    while (rest > 0 && rest % 10 == 0) {
        rest /= 10;
        digits--;
    }
    if (rest > 0) {
        fil_writer_format(writer, ".%0*" PRIu64, digits, rest);
    }
}

static void write_integer(struct fil_writer *writer, const struct fil_metric_family *family,
                          uint64_t value)
{
    // A gauge may go below zero; its counter then wraps around.
    bool is_negative = family->type == FIL_METRIC_GAUGE && value > (uint64_t)INT64_MAX;
    if (is_negative) {
        fil_writer_u8(writer, '-');
        value = UINT64_C(0) - value;
    }
    if (family->unit == FIL_METRIC_NS) {
        write_seconds(writer, value);
    } else {
        fil_writer_decimal_u64(writer, value);
    }
}

/** The shortest of the usual precisions that reads back as the same number. */
static void write_double(struct fil_writer *writer, double value)
{
    if (!isfinite(value)) {
        fil_writer_text(writer, isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
        return;
    }
    char text[40];
    (void)snprintf(text, sizeof(text), "%.15g", value);
    if (strtod(text, NULL) != value) {
        (void)snprintf(text, sizeof(text), "%.17g", value);
    }
    fil_writer_text(writer, text);
}

/**
 * Counts the values of each bound. A bucket of the fine histogram that reaches beyond a bound is
 * counted at the next one: at most the values within 3.1 % below a bound are shown late.
 */
static void sort_into(const struct fil_histogram *histogram, const struct bound *bounds,
                      uint32_t bound_count, uint64_t counts[BOUNDS_MAX + 1])
{
    uint32_t at = 0;
    uint32_t cursor = 0;
    struct fil_histogram_bucket bucket;
    while (fil_histogram_next(histogram, &cursor, &bucket)) {
        while (at < bound_count && bucket.upper > bounds[at].limit) {
            at++;
        }
        counts[at] += bucket.count; // behind the last bound: +Inf
    }
}

static void write_histogram(struct fil_writer *writer, const struct fil_metric_series *series)
{
    bool is_seconds = series->family->unit == FIL_METRIC_NS;
    const struct bound *bounds = is_seconds ? second_bounds : plain_bounds;
    uint32_t bound_count =
        (uint32_t)(is_seconds ? FIL_COUNT_OF(second_bounds) : FIL_COUNT_OF(plain_bounds));
    uint64_t counts[BOUNDS_MAX + 1] = {0};
    sort_into(series->histogram, bounds, bound_count, counts);

    uint64_t count = 0;
    for (uint32_t i = 0; i <= bound_count; i++) {
        count += counts[i];
        write_name(writer, series, "_bucket", i < bound_count ? bounds[i].text : "+Inf");
        fil_writer_format(writer, "%" PRIu64 "\n", count);
    }
    write_name(writer, series, "_sum", NULL);
    write_integer(writer, series->family, fil_histogram_sum(series->histogram));
    fil_writer_u8(writer, '\n');
    // Counted from the same reading, so that it always agrees with the last bucket.
    write_name(writer, series, "_count", NULL);
    fil_writer_format(writer, "%" PRIu64 "\n", count);
}

static void write_series(struct fil_writer *writer, const struct fil_metric_series *series)
{
    if (series->source == FIL_METRIC_FROM_HISTOGRAM) {
        write_histogram(writer, series);
        return;
    }
    write_name(writer, series, "", NULL);
    if (series->source == FIL_METRIC_FROM_COUNTER) {
        write_integer(writer, series->family, fil_counter_read(series->counter));
    } else {
        write_double(writer, series->read(series->context));
    }
    fil_writer_u8(writer, '\n');
}

static uint32_t resume(const struct fil_metrics *metrics, const struct walk *walk)
    FIL_TSA(requires_capability(metrics->mutex))
{
    if (walk->family == NULL) {
        return 0;
    }
    struct fil_metric_key last = {.family_name = walk->family->name,
                                  .labels = fil_bytes_make(walk->labels, walk->labels_size)};
    uint32_t index = fil_metrics__find(metrics, last);
    bool is_there = index < metrics->count &&
                    fil_metrics__compare(fil_metrics__key(metrics->series[index]), last) == 0;
    return is_there ? index + 1 : index;
}

static void write_next(struct walk *walk, const struct fil_metric_series *series)
{
    bool is_new = walk->family == NULL || strcmp(walk->family->name, series->family->name) != 0;
    if (is_new) {
        write_head(&walk->writer, series->family);
    }
    write_series(&walk->writer, series);
    walk->family = series->family;
    walk->labels_size = series->labels_size;
    fil_assert(series->labels_size <= sizeof(walk->labels));
    memcpy(walk->labels, series->labels, series->labels_size);
}

/** Fills one piece; returns whether there is more. */
static bool write_piece(struct fil_metrics *metrics, struct walk *walk)
{
    fil_mutex_lock(&metrics->mutex);
    uint32_t index = resume(metrics, walk);
    while (index < metrics->count && fil_writer_room(&walk->writer) >= SERIES_BYTES_MAX) {
        write_next(walk, metrics->series[index]);
        index++;
    }
    bool has_more = index < metrics->count;
    fil_mutex_unlock(&metrics->mutex);
    fil_assert(!walk->writer.is_full);
    return has_more;
}

int fil_metrics_render(struct fil_metrics *metrics, fil_metric_sink_fn sink, void *context)
{
    uint8_t *memory = fil_alloc(PIECE_BYTES);
    if (memory == NULL) {
        return FIL_E_NOMEM;
    }
    struct walk walk = {.family = NULL};
    int result = FIL_OK;
    bool has_more = true;
    while (has_more && result == FIL_OK) {
        fil_writer_init(&walk.writer, memory, PIECE_BYTES);
        has_more = write_piece(metrics, &walk);
        if (walk.writer.size > 0) {
            result = sink(context, fil_writer_written(&walk.writer));
        }
    }
    fil_free(memory);
    return result;
}

struct text {
    char *data;
    size_t size;
    size_t capacity;
    size_t size_max;
};

/** Room for so many bytes and the end. */
static int grow_text(struct text *text, size_t size)
{
    if (size > text->size_max) {
        return FIL_E_LIMIT;
    }
    size_t capacity = fil_max_size(text->capacity, FIRST_TEXT_BYTES);
    while (capacity <= size) {
        capacity *= 2;
    }
    if (capacity == text->capacity) {
        return FIL_OK;
    }
    char *larger = fil_realloc(text->data, capacity);
    if (larger == NULL) {
        return FIL_E_NOMEM;
    }
    text->data = larger;
    text->capacity = capacity;
    return FIL_OK;
}

static int append_text(void *context, struct fil_bytes piece)
{
    struct text *text = context;
    int result = grow_text(text, text->size + piece.size);
    if (result == FIL_OK && piece.size > 0) {
        memcpy(text->data + text->size, piece.data, piece.size);
        text->size += piece.size;
    }
    return result;
}

int fil_metrics_render_text(struct fil_metrics *metrics, size_t size_max, char **out_text,
                            size_t *out_size)
{
    struct text text = {.size_max = size_max};
    int result = grow_text(&text, 0); // a text without series is a text too
    if (result == FIL_OK) {
        result = fil_metrics_render(metrics, append_text, &text);
    }
    if (result != FIL_OK) {
        fil_free(text.data);
        return result;
    }
    text.data[text.size] = '\0';
    *out_text = text.data;
    *out_size = text.size;
    return FIL_OK;
}
