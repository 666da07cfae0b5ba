// SPDX-License-Identifier: Apache-2.0
/** The inside of the registry, shared by metrics.c and render.c. */
#pragma once

#include "lib/metric/metrics.h"
#include "lib/os/mutex.h"

enum fil_metric_source {
    FIL_METRIC_FROM_COUNTER,
    FIL_METRIC_FROM_FUNCTION,
    FIL_METRIC_FROM_HISTOGRAM
};

/** What tells two series apart, and their order. */
struct fil_metric_key {
    const char *family_name;
    struct fil_bytes labels; // as formatted
};

struct fil_metric_series {
    const struct fil_metric_family *family;
    enum fil_metric_source source;
    const struct fil_counter *counter;
    const struct fil_histogram *histogram;
    fil_metric_read_fn read;
    void *context;
    uint32_t labels_size;
    char labels[]; // as formatted, not terminated
};

struct fil_metrics {
    // Under the mutex.
    struct fil_mutex mutex;
    struct fil_metric_series **series; // sorted
    uint32_t count;
    uint32_t capacity;

    // Shared.
    struct fil_counter series_count;
    struct fil_counter refused_count;
};

/** Index of the first series whose key is not below the given one. */
uint32_t fil_metrics__find(const struct fil_metrics *metrics, struct fil_metric_key key)
    FIL_TSA(requires_capability(metrics->mutex));

int fil_metrics__compare(struct fil_metric_key a, struct fil_metric_key b);

struct fil_metric_key fil_metrics__key(const struct fil_metric_series *series);
