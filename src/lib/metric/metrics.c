// SPDX-License-Identifier: Apache-2.0
#include "lib/metric/metrics.h"

#include <stdbool.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"
#include "lib/metric/metrics_internal.h"

#define FIRST_CAPACITY 64U
#define NS_PER_S       1e9

struct fil_metrics *fil_metrics_new(void)
{
    struct fil_metrics *metrics = fil_alloc_zero(1, sizeof(*metrics));
    if (metrics != NULL) {
        fil_mutex_init(&metrics->mutex);
    }
    return metrics;
}

void fil_metrics_free(struct fil_metrics *metrics)
{
    if (metrics == NULL) {
        return;
    }
    for (uint32_t i = 0; i < metrics->count; i++) {
        fil_free(metrics->series[i]);
    }
    fil_free(metrics->series);
    fil_mutex_fini(&metrics->mutex);
    fil_free(metrics);
}

const struct fil_counter *fil_metrics_series_count(const struct fil_metrics *metrics)
{
    return &metrics->series_count;
}

const struct fil_counter *fil_metrics_refused_count(const struct fil_metrics *metrics)
{
    return &metrics->refused_count;
}

struct fil_metric_key fil_metrics__key(const struct fil_metric_series *series)
{
    return (struct fil_metric_key){.family_name = series->family->name,
                                   .labels = fil_bytes_make(series->labels, series->labels_size)};
}

int fil_metrics__compare(struct fil_metric_key a, struct fil_metric_key b)
{
    int order = strcmp(a.family_name, b.family_name);
    if (order == 0) {
        size_t common = fil_min_size(a.labels.size, b.labels.size);
        order = common == 0 ? 0 : memcmp(a.labels.data, b.labels.data, common);
    }
    if (order == 0) {
        order = (a.labels.size > b.labels.size) - (a.labels.size < b.labels.size);
    }
    return order;
}

uint32_t fil_metrics__find(const struct fil_metrics *metrics, struct fil_metric_key key)
{
    uint32_t low = 0;
    uint32_t high = metrics->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (fil_metrics__compare(fil_metrics__key(metrics->series[middle]), key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/** The series with exactly this key, or NULL. */
static struct fil_metric_series *get(const struct fil_metrics *metrics, struct fil_metric_key key)
    FIL_TSA(requires_capability(metrics->mutex))
{
    uint32_t index = fil_metrics__find(metrics, key);
    bool is_found = index < metrics->count &&
                    fil_metrics__compare(fil_metrics__key(metrics->series[index]), key) == 0;
    return is_found ? metrics->series[index] : NULL;
}

/** A family has one description: it is enough to look at one of its series, next to the place. */
static bool fits_family(const struct fil_metrics *metrics, uint32_t index,
                        const struct fil_metric_family *family)
    FIL_TSA(requires_capability(metrics->mutex))
{
    uint32_t first = index > 0 ? index - 1 : 0;
    for (uint32_t i = first; i <= index && i < metrics->count; i++) {
        const struct fil_metric_family *other = metrics->series[i]->family;
        if (strcmp(other->name, family->name) == 0 && !fil_metric_family_is_same(other, family)) {
            return false;
        }
    }
    return true;
}

static int make_room(struct fil_metrics *metrics) FIL_TSA(requires_capability(metrics->mutex))
{
    if (metrics->count < metrics->capacity) {
        return FIL_OK;
    }
    if (metrics->count == FIL_METRIC_SERIES_MAX) {
        return FIL_E_LIMIT;
    }
    uint32_t capacity = metrics->capacity == 0 ? FIRST_CAPACITY : 2 * metrics->capacity;
    struct fil_metric_series **larger =
        fil_realloc(metrics->series, capacity * sizeof(struct fil_metric_series *));
    if (larger == NULL) {
        return FIL_E_NOMEM;
    }
    metrics->series = larger;
    metrics->capacity = capacity;
    return FIL_OK;
}

static int insert(struct fil_metrics *metrics, struct fil_metric_series *series)
    FIL_TSA(requires_capability(metrics->mutex))
{
    struct fil_metric_key key = fil_metrics__key(series);
    uint32_t index = fil_metrics__find(metrics, key);
    if (get(metrics, key) != NULL || !fits_family(metrics, index, series->family)) {
        return FIL_E_EXISTS;
    }
    int result = make_room(metrics);
    if (result != FIL_OK) {
        return result;
    }
    memmove(&metrics->series[index + 1], &metrics->series[index],
            (metrics->count - index) * sizeof(struct fil_metric_series *));
    metrics->series[index] = series;
    metrics->count++;
    fil_counter_add(&metrics->series_count, 1);
    return FIL_OK;
}

/** A copy of the template with its labels; NULL when memory is out. */
static struct fil_metric_series *build(const struct fil_metric_series *template,
                                       struct fil_bytes labels)
{
    struct fil_metric_series *series = fil_alloc(sizeof(*series) + labels.size);
    if (series != NULL) {
        memcpy(series, template, sizeof(*series));
        series->labels_size = (uint32_t)labels.size;
        if (labels.size > 0) {
            memcpy(series->labels, labels.data, labels.size);
        }
    }
    return series;
}

static int add_checked(struct fil_metrics *metrics, const struct fil_metric_series *template,
                       struct fil_metric_labels labels, struct fil_metric_series **out_series)
{
    uint8_t text[FIL_METRIC_LABELS_TEXT_MAX];
    struct fil_writer writer;
    fil_writer_init(&writer, text, sizeof(text));
    fil_metric_labels_format(&writer, labels);
    if (writer.is_full) {
        return FIL_E_LIMIT;
    }
    struct fil_metric_series *series = build(template, fil_writer_written(&writer));
    if (series == NULL) {
        return FIL_E_NOMEM;
    }
    fil_mutex_lock(&metrics->mutex);
    int result = insert(metrics, series);
    fil_mutex_unlock(&metrics->mutex);
    if (result != FIL_OK) {
        fil_free(series);
    } else if (out_series != NULL) {
        *out_series = series;
    }
    return result;
}

static int add(struct fil_metrics *metrics, const struct fil_metric_series *template,
               struct fil_metric_labels labels, struct fil_metric_series **out_series)
{
    bool is_valid = fil_metric_family_problem(template->family) == NULL &&
                    fil_metric_labels_problem(labels) == NULL;
    bool is_histogram = template->family->type == FIL_METRIC_HISTOGRAM;
    bool fits_type = is_histogram == (template->source == FIL_METRIC_FROM_HISTOGRAM);
    int result =
        is_valid && fits_type ? add_checked(metrics, template, labels, out_series) : FIL_E_INVALID;
    if (result != FIL_OK) {
        fil_counter_add_shared(&metrics->refused_count, 1);
    }
    return result;
}

int fil_metrics_add_counter(struct fil_metrics *metrics, const struct fil_metric_family *family,
                            struct fil_metric_labels labels, const struct fil_counter *counter,
                            struct fil_metric_series **out_series)
{
    fil_assert(counter != NULL);
    const struct fil_metric_series template = {
        .family = family, .source = FIL_METRIC_FROM_COUNTER, .counter = counter};
    return add(metrics, &template, labels, out_series);
}

int fil_metrics_add_function(struct fil_metrics *metrics, const struct fil_metric_family *family,
                             struct fil_metric_labels labels, fil_metric_read_fn read,
                             void *context, struct fil_metric_series **out_series)
{
    fil_assert(read != NULL);
    const struct fil_metric_series template = {
        .family = family, .source = FIL_METRIC_FROM_FUNCTION, .read = read, .context = context};
    return add(metrics, &template, labels, out_series);
}

int fil_metrics_add_histogram(struct fil_metrics *metrics, const struct fil_metric_family *family,
                              struct fil_metric_labels labels,
                              const struct fil_histogram *histogram,
                              struct fil_metric_series **out_series)
{
    fil_assert(histogram != NULL);
    const struct fil_metric_series template = {
        .family = family, .source = FIL_METRIC_FROM_HISTOGRAM, .histogram = histogram};
    return add(metrics, &template, labels, out_series);
}

void fil_metrics_remove(struct fil_metrics *metrics, struct fil_metric_series *series)
{
    if (series == NULL) {
        return;
    }
    fil_mutex_lock(&metrics->mutex);
    uint32_t index = fil_metrics__find(metrics, fil_metrics__key(series));
    fil_assert(index < metrics->count);
    fil_assert(metrics->series[index] == series);
    metrics->count--;
    memmove(&metrics->series[index], &metrics->series[index + 1],
            (metrics->count - index) * sizeof(struct fil_metric_series *));
    fil_counter_add(&metrics->series_count, UINT64_MAX); // one less
    fil_mutex_unlock(&metrics->mutex);
    fil_free(series);
}

static double read_counter(const struct fil_metric_series *series)
{
    uint64_t value = fil_counter_read(series->counter);
    double shown =
        series->family->type == FIL_METRIC_GAUGE ? (double)(int64_t)value : (double)value;
    return series->family->unit == FIL_METRIC_NS ? shown / NS_PER_S : shown;
}

static double read_sum(const struct fil_metric_series *series)
{
    double sum = (double)fil_histogram_sum(series->histogram);
    return series->family->unit == FIL_METRIC_NS ? sum / NS_PER_S : sum;
}

/** The key without the suffix of a histogram's part, in a buffer; false when it has another end. */
static bool strip(const char *name, const char *suffix, char stripped[FIL_METRIC_NAME_MAX + 1])
{
    size_t size = strnlen(name, FIL_METRIC_NAME_MAX + 1);
    size_t suffix_size = strlen(suffix);
    if (size > FIL_METRIC_NAME_MAX || size < suffix_size ||
        strcmp(name + size - suffix_size, suffix) != 0) {
        return false;
    }
    memcpy(stripped, name, size - suffix_size);
    stripped[size - suffix_size] = '\0';
    return true;
}

static int read_part(const struct fil_metrics *metrics, struct fil_metric_key key,
                     const char *suffix, double *out_value)
    FIL_TSA(requires_capability(metrics->mutex))
{
    char stripped[FIL_METRIC_NAME_MAX + 1];
    if (!strip(key.family_name, suffix, stripped)) {
        return FIL_E_NOT_FOUND;
    }
    key.family_name = stripped;
    const struct fil_metric_series *series = get(metrics, key);
    if (series == NULL || series->source != FIL_METRIC_FROM_HISTOGRAM) {
        return FIL_E_NOT_FOUND;
    }
    bool is_sum = strcmp(suffix, "_sum") == 0;
    *out_value = is_sum ? read_sum(series) : (double)fil_histogram_count(series->histogram);
    return FIL_OK;
}

static int read_value(const struct fil_metrics *metrics, struct fil_metric_key key,
                      double *out_value) FIL_TSA(requires_capability(metrics->mutex))
{
    const struct fil_metric_series *series = get(metrics, key);
    if (series != NULL && series->source == FIL_METRIC_FROM_COUNTER) {
        *out_value = read_counter(series);
        return FIL_OK;
    }
    if (series != NULL && series->source == FIL_METRIC_FROM_FUNCTION) {
        *out_value = series->read(series->context);
        return FIL_OK;
    }
    int result = read_part(metrics, key, "_count", out_value);
    return result == FIL_OK ? FIL_OK : read_part(metrics, key, "_sum", out_value);
}

int fil_metrics_value(struct fil_metrics *metrics, const char *name,
                      struct fil_metric_labels labels, double *out_value)
{
    uint8_t text[FIL_METRIC_LABELS_TEXT_MAX];
    struct fil_writer writer;
    fil_writer_init(&writer, text, sizeof(text));
    if (fil_metric_labels_problem(labels) != NULL) {
        return FIL_E_NOT_FOUND;
    }
    fil_metric_labels_format(&writer, labels);
    if (writer.is_full) {
        return FIL_E_NOT_FOUND;
    }
    struct fil_metric_key key = {.family_name = name, .labels = fil_writer_written(&writer)};
    fil_mutex_lock(&metrics->mutex);
    int result = read_value(metrics, key, out_value);
    fil_mutex_unlock(&metrics->mutex);
    return result;
}
