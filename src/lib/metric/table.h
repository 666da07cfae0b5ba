// SPDX-License-Identifier: Apache-2.0
/**
 * Registers many series with the same labels at once: a table in place of a loop for each kind.
 *
 *   const struct fil_metric_row rows[] = {
 *       {.family = &parks, .counter = &member->park_count},
 *       {.family = &wait, .histogram = &member->wait_ns},
 *       {.family = &length, .read = read_length, .context = queue},
 *   };
 *   return fil_metrics_add_rows(metrics, labels, rows, FIL_COUNT_OF(rows));
 *
 * Where all counters stand in one struct, the table is static and says where in it: see
 * fil_metric_field.
 */
#pragma once

#include <stddef.h>

#include "lib/base/attr.h"
#include "lib/metric/metrics.h"

/** Initialisers of a family. */
#define FIL_METRIC_COUNTER_FAMILY(metric_name, metric_help)                  \
    {                                                                        \
        .name = metric_name, .help = metric_help, .type = FIL_METRIC_COUNTER \
    }
#define FIL_METRIC_GAUGE_FAMILY(metric_name, metric_help)                  \
    {                                                                      \
        .name = metric_name, .help = metric_help, .type = FIL_METRIC_GAUGE \
    }
/** Recorded in nanoseconds, shown in seconds. */
#define FIL_METRIC_TIMES_FAMILY(metric_name, metric_help)                       \
    {                                                                           \
        .name = metric_name, .help = metric_help, .type = FIL_METRIC_HISTOGRAM, \
        .unit = FIL_METRIC_NS                                                   \
    }
#define FIL_METRIC_TIME_FAMILY(metric_name, metric_help)                      \
    {                                                                         \
        .name = metric_name, .help = metric_help, .type = FIL_METRIC_COUNTER, \
        .unit = FIL_METRIC_NS                                                 \
    }

/** One series: of counter, histogram and read exactly one is set. */
struct fil_metric_row {
    const struct fil_metric_family *family;
    const struct fil_counter *counter;
    const struct fil_histogram *histogram;
    fil_metric_read_fn read;
    void *context; // read's
};

/** Registers them all, up to the first failure, which it returns; for series that stay. */
FIL_ANY_THREAD int fil_metrics_add_rows(struct fil_metrics *metrics,
                                        struct fil_metric_labels labels,
                                        const struct fil_metric_row *rows, size_t count)
    FIL_NODISCARD;

/** A counter by its place in a struct. */
struct fil_metric_field {
    struct fil_metric_family family;
    size_t offset; // of a struct fil_counter
};

/** As add_rows, with the counters of the struct at base. */
FIL_ANY_THREAD int fil_metrics_add_fields(struct fil_metrics *metrics,
                                          struct fil_metric_labels labels,
                                          const struct fil_metric_field *fields, size_t count,
                                          const void *base) FIL_NODISCARD;
