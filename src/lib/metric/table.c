// SPDX-License-Identifier: Apache-2.0
#include "lib/metric/table.h"

#include "filbert/error.h"
#include "lib/base/assert.h"

static int add_row(struct fil_metrics *metrics, struct fil_metric_labels labels,
                   const struct fil_metric_row *row)
{
    int sources = (row->counter != NULL) + (row->histogram != NULL) + (row->read != NULL);
    fil_assert(sources == 1);
    if (row->counter != NULL) {
        return fil_metrics_add_counter(metrics, row->family, labels, row->counter, NULL);
    }
    if (row->histogram != NULL) {
        return fil_metrics_add_histogram(metrics, row->family, labels, row->histogram, NULL);
    }
    return fil_metrics_add_function(metrics, row->family, labels, row->read, row->context, NULL);
}

int fil_metrics_add_rows(struct fil_metrics *metrics, struct fil_metric_labels labels,
                         const struct fil_metric_row *rows, size_t count)
{
    int error = FIL_OK;
    for (size_t i = 0; i < count && error == FIL_OK; i++) {
        error = add_row(metrics, labels, &rows[i]);
    }
    return error;
}

int fil_metrics_add_fields(struct fil_metrics *metrics, struct fil_metric_labels labels,
                           const struct fil_metric_field *fields, size_t count, const void *base)
{
    fil_assert(base != NULL);
    int error = FIL_OK;
    for (size_t i = 0; i < count && error == FIL_OK; i++) {
        const void *counter = (const char *)base + fields[i].offset;
        error = fil_metrics_add_counter(metrics, &fields[i].family, labels, counter, NULL);
    }
    return error;
}
