// SPDX-License-Identifier: Apache-2.0
/** What /metrics shows of HTTP/2. Answers and times are those of the routes, as for HTTP/1.1. */
#include "filbert/error.h"
#include "node/node_internal.h"

static const struct fil_metric_family connections_family = {
    .name = "filbert_http2_connections_total",
    .help = "Connections that have begun to speak HTTP/2.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family requests_family = {
    .name = "filbert_http2_requests_total",
    .help = "Requests that have come over HTTP/2.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family cancelled_family = {
    .name = "filbert_http2_cancelled_total",
    .help = "Requests that their clients have taken back with RST_STREAM.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family refused_family = {
    .name = "filbert_http2_refused_total",
    .help = "Streams and connections of HTTP/2 that were ended because of a limit, by its name.",
    .type = FIL_METRIC_COUNTER,
};

int fil_node__register_http2_metrics(struct fil_node *node)
{
    const struct fil_http2_stats *stats = &node->http2.stats;
    const struct {
        const struct fil_metric_family *family;
        const struct fil_counter *counter;
    } counters[] = {{&connections_family, &stats->connections},
                    {&requests_family, &stats->requests},
                    {&cancelled_family, &stats->cancelled}};
    int error = FIL_OK;
    for (size_t i = 0; i < FIL_COUNT_OF(counters) && error == FIL_OK; i++) {
        error = fil_metrics_add_counter(node->metrics, counters[i].family, FIL_METRIC_NO_LABELS,
                                        counters[i].counter, NULL);
    }
    for (uint32_t i = 0; i < FIL_HTTP2_REFUSAL_COUNT && error == FIL_OK; i++) {
        const char *text = fil_http2_refusal_text((enum fil_http2_refusal)i);
        error =
            fil_metrics_add_counter(node->metrics, &refused_family,
                                    FIL_METRIC_LABELS({"reason", text}), &stats->refused[i], NULL);
    }
    return error;
}
