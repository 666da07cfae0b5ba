// SPDX-License-Identifier: Apache-2.0
/**
 * The registry of what can be measured, and its Prometheus text.
 *
 * Whoever counts owns the counter and writes it without knowing of the registry; the registry
 * borrows it and reads. So nothing here is ever on a hot path: registering and removing take a
 * mutex, reading takes it too (for a few series at a time), writing never does.
 *
 * Order:   families by name, series by their labels: the same registry gives the same text.
 * Memory:  values and families are borrowed until the series is removed; labels are copied.
 * Threads: any. Functions that give a value are called under the mutex: they must be short and
 *          must not call the registry.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/histogram.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"
#include "lib/metric/family.h"
#include "lib/metric/labels.h"

#define FIL_METRIC_SERIES_MAX 65536U

struct fil_metrics;
struct fil_metric_series;

void fil_metrics_free(struct fil_metrics *metrics);

/** NULL when memory is out. */
struct fil_metrics *fil_metrics_new(void) FIL_GIVES(fil_metrics_free);

/**
 * Register a series. Returns
 *   FIL_E_INVALID  when family or labels break a rule: their _problem functions say which, or when
 *                  the family's type does not fit what is registered;
 *   FIL_E_EXISTS   when the series is there already, or its family with another description;
 *   FIL_E_LIMIT    when there are FIL_METRIC_SERIES_MAX, or the labels are too long together;
 *   FIL_E_NOMEM.
 * out_series is for remove; NULL for a series that stays.
 */
FIL_ANY_THREAD int fil_metrics_add_counter(struct fil_metrics *metrics,
                                           const struct fil_metric_family *family,
                                           struct fil_metric_labels labels,
                                           const struct fil_counter *counter,
                                           struct fil_metric_series **out_series) FIL_NODISCARD;

typedef double (*fil_metric_read_fn)(void *context);

/** For a counter or a gauge whose value is asked for; it comes as it is shown, in base units. */
FIL_ANY_THREAD int fil_metrics_add_function(struct fil_metrics *metrics,
                                            const struct fil_metric_family *family,
                                            struct fil_metric_labels labels,
                                            fil_metric_read_fn read, void *context,
                                            struct fil_metric_series **out_series) FIL_NODISCARD;

FIL_ANY_THREAD int fil_metrics_add_histogram(struct fil_metrics *metrics,
                                             const struct fil_metric_family *family,
                                             struct fil_metric_labels labels,
                                             const struct fil_histogram *histogram,
                                             struct fil_metric_series **out_series) FIL_NODISCARD;

/** Afterwards nobody reads the value any more. NULL is fine. */
FIL_ANY_THREAD void fil_metrics_remove(struct fil_metrics *metrics,
                                       struct fil_metric_series *series);

/**
 * The present value, as it is shown (seconds, not nanoseconds). A histogram has a value for its
 * name with _count and with _sum. FIL_E_NOT_FOUND when there is no such series.
 */
FIL_ANY_THREAD int fil_metrics_value(struct fil_metrics *metrics, const char *name,
                                     struct fil_metric_labels labels, double *out_value)
    FIL_NODISCARD;

/** Gets the text piece by piece; anything but FIL_OK ends the rendering with that result. */
typedef int (*fil_metric_sink_fn)(void *context, struct fil_bytes piece);

/**
 * Writes all series in the text format 0.0.4 (content type FIL_METRIC_CONTENT_TYPE). The sink is
 * called without the mutex. FIL_E_NOMEM, or what the sink returned.
 */
FIL_ANY_THREAD int fil_metrics_render(struct fil_metrics *metrics, fil_metric_sink_fn sink,
                                      void *context) FIL_NODISCARD;

#define FIL_METRIC_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/** The same as one text (fil_free), with an end that is not counted; FIL_E_LIMIT beyond size_max.
 */
FIL_ANY_THREAD int fil_metrics_render_text(struct fil_metrics *metrics, size_t size_max,
                                           char **out_text, size_t *out_size) FIL_NODISCARD;

/** How many series there are, and how many were refused; for the registry's own metrics. */
FIL_ANY_THREAD const struct fil_counter *
fil_metrics_series_count(const struct fil_metrics *metrics);
FIL_ANY_THREAD const struct fil_counter *
fil_metrics_refused_count(const struct fil_metrics *metrics);
