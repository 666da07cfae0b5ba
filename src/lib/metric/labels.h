// SPDX-License-Identifier: Apache-2.0
/**
 * What tells the series of a family apart: pairs of name and value.
 *
 * Names are small letters, digits and underscores; le and quantile are Prometheus' own. Values are
 * any UTF-8 text but the empty one, for instance the name a user gave to a map. Their order does
 * not matter.
 */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/writer.h"

#define FIL_METRIC_LABELS_MAX      8U
#define FIL_METRIC_LABEL_NAME_MAX  32U
#define FIL_METRIC_LABEL_VALUE_MAX 256U
/** All labels of a series as they are written, without the braces. */
#define FIL_METRIC_LABELS_TEXT_MAX 1024U

struct fil_metric_label {
    const char *name;
    const char *value;
};

struct fil_metric_labels {
    const struct fil_metric_label *items;
    uint32_t count;
};

/** FIL_METRIC_LABELS({"loop", "0"}, {"protocol", "resp"}), alive until the end of the block. */
#define FIL_METRIC_LABELS(...)                                                           \
    ((struct fil_metric_labels){.items = (const struct fil_metric_label[]){__VA_ARGS__}, \
                                .count =                                                 \
                                    FIL_COUNT_OF(((struct fil_metric_label[]){__VA_ARGS__}))})

#define FIL_METRIC_NO_LABELS ((struct fil_metric_labels){.items = NULL, .count = 0})

/** NULL when the labels follow the rules, else one sentence that says which one they break. */
const char *fil_metric_labels_problem(struct fil_metric_labels labels);

/**
 * Writes them as Prometheus shows them, escaped and sorted by name: loop="0",protocol="resp".
 * The labels follow the rules; a writer that is full says that the text would be too long.
 */
void fil_metric_labels_format(struct fil_writer *writer, struct fil_metric_labels labels);
