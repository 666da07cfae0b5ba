// SPDX-License-Identifier: Apache-2.0
/**
 * What is measured: name, kind, unit and one sentence about it. Its series differ by labels.
 *
 * A family is static data of the module that measures:
 *
 *   static const struct fil_metric_family accepted = {
 *       .name = "filbert_connections_accepted_total",
 *       .help = "Connections accepted since the start.",
 *       .type = FIL_METRIC_COUNTER,
 *   };
 *
 * Names follow Prometheus' rules and are checked when the first series is registered: the prefix
 * filbert_ (or process_ for the standard ones), small letters, base units written out (_seconds,
 * _bytes), _total for counters and for nothing else.
 */
#pragma once

#include <stdbool.h>

#define FIL_METRIC_NAME_MAX 96U
#define FIL_METRIC_HELP_MAX 256U

enum fil_metric_type {
    FIL_METRIC_COUNTER,   // only grows
    FIL_METRIC_GAUGE,     // goes up and down
    FIL_METRIC_HISTOGRAM, // how values are spread
};

enum fil_metric_unit {
    FIL_METRIC_PLAIN, // shown as it is recorded
    FIL_METRIC_NS,    // recorded in nanoseconds, shown in seconds
};

struct fil_metric_family {
    const char *name;
    const char *help;
    enum fil_metric_type type;
    enum fil_metric_unit unit;
};

/** NULL when the family follows the rules, else one sentence that says which one it breaks. */
const char *fil_metric_family_problem(const struct fil_metric_family *family);

/** Whether two descriptions of the same name say the same. */
bool fil_metric_family_is_same(const struct fil_metric_family *a,
                               const struct fil_metric_family *b);
