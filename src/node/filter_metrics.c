// SPDX-License-Identifier: Apache-2.0
/** What /metrics shows of filters that have figures: metrics and retry. */
#include "filbert/error.h"
#include "lib/base/attr.h"
#include "node/node_internal.h"

static const struct fil_metric_family answers_family = {
    .name = "filbert_filter_answers_total",
    .help = "Answers that have passed a filter metrics=NAME, by the first digit of their status.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family in_flight_family = {
    .name = "filbert_filter_in_flight",
    .help = "Requests that have entered a filter metrics=NAME and not left it.",
    .type = FIL_METRIC_GAUGE,
};

static const struct fil_metric_family took_family = {
    .name = "filbert_filter_seconds",
    .help = "Time from entering a filter metrics=NAME to leaving it, of every request.",
    .type = FIL_METRIC_HISTOGRAM,
    .unit = FIL_METRIC_NS,
};

static const struct fil_metric_family retries_family = {
    .name = "filbert_filter_retries_total",
    .help = "Handlers that were run again by a filter retry, after they had failed.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family unpaid_family = {
    .name = "filbert_filter_retries_refused_total",
    .help = "Those that were not, because there was no budget.",
    .type = FIL_METRIC_COUNTER,
};

static double read_in_flight(void *context)
{
    struct fil_filter_meter *meter = context;
    return (double)atomic_load_explicit(&meter->in_flight, memory_order_relaxed);
}

static const char *route_of(const struct fil_filter_link *link)
{
    return link->pattern[0] == '\0' ? "*" : link->pattern;
}

static int register_meter(struct fil_metrics *metrics, const struct fil_filter_link *link)
{
    static const char *const classes[] = {NULL, NULL, "2xx", "3xx", "4xx", "5xx"};
    struct fil_metric_labels labels =
        FIL_METRIC_LABELS({"filter", link->name}, {"route", route_of(link)});
    int error = fil_metrics_add_function(metrics, &in_flight_family, labels, read_in_flight,
                                         link->meter, NULL);
    if (error == FIL_OK) {
        error =
            fil_metrics_add_histogram(metrics, &took_family, labels, &link->meter->took_ns, NULL);
    }
    for (uint32_t i = 2; i < FIL_COUNT_OF(classes) && error == FIL_OK; i++) {
        labels = FIL_METRIC_LABELS({"filter", link->name}, {"route", route_of(link)},
                                   {"status", classes[i]});
        error = fil_metrics_add_counter(metrics, &answers_family, labels, &link->meter->classes[i],
                                        NULL);
    }
    return error;
}

static int register_retries(struct fil_metrics *metrics, const struct fil_filter_link *link)
{
    struct fil_metric_labels labels = FIL_METRIC_LABELS({"route", route_of(link)});
    int error =
        fil_metrics_add_counter(metrics, &retries_family, labels, &link->retries->granted, NULL);
    return error == FIL_OK ? fil_metrics_add_counter(metrics, &unpaid_family, labels,
                                                     &link->retries->refused, NULL)
                           : error;
}

int fil_node__register_filter_metrics(struct fil_node *node)
{
    const struct fil_service *service = &node->service;
    int error = FIL_OK;
    for (uint32_t i = 0; i < service->filter_count && error == FIL_OK; i++) {
        const struct fil_filter_link *link = service->filters[i];
        if (link->meter != NULL) {
            error = register_meter(node->metrics, link);
        } else if (link->retries != NULL) {
            error = register_retries(node->metrics, link);
        }
    }
    return error;
}
