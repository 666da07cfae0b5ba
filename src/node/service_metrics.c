// SPDX-License-Identifier: Apache-2.0
/** What /metrics shows of routes and of the pools that run them. */
#include <inttypes.h>
#include <stdio.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "node/node_internal.h"

#define STAGE_TEXT_MAX 64U
#define NS_PER_SECOND  1e9

static const struct fil_metric_family requests_family = {
    .name = "filbert_service_answers_total",
    .help = "Answers of a route by the first digit of their status.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family refused_family = {
    .name = "filbert_service_refused_total",
    .help = "Requests of a route that were not admitted to its pool.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family verdict_family = {
    .name = "filbert_admission_total",
    .help = "What a pool decided about those that asked, by its reason.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family skipped_family = {
    .name = "filbert_admission_skipped_total",
    .help = "Admitted requests that nobody wanted any more when their turn had come.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family streams_family = {
    .name = "filbert_service_streams_total",
    .help = "Answers in pieces that were begun.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family sockets_family = {
    .name = "filbert_service_websockets_total",
    .help = "WebSockets that were accepted.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family missed_family = {
    .name = "filbert_service_events_missed_total",
    .help = "Events for which the reader of an answer was too slow, or memory was out.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family foreign_family = {
    .name = "filbert_http_foreign_total",
    .help = "Requests refused for their Host or Origin: a page of another site, or a name that "
            "http.hosts lacks.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family retries_family = {
    .name = "filbert_upstream_retries_total",
    .help = "Tries beside the first one of a route that other servers answer.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family unpaid_family = {
    .name = "filbert_upstream_retries_refused_total",
    .help = "Retries for which there was no budget.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family tries_family = {
    .name = "filbert_upstream_tries_total",
    .help = "How often a server was asked.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family failed_family = {
    .name = "filbert_upstream_failed_total",
    .help = "How often a server did not answer, or with a failure of its own.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family ejected_family = {
    .name = "filbert_upstream_ejected_total",
    .help = "How often a server was left out for a while.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family hedges_family = {
    .name = "filbert_upstream_hedges_total",
    .help = "Requests that were asked of a second server, because the first one took longer than "
            "usual.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family won_family = {
    .name = "filbert_upstream_hedges_won_total",
    .help = "Those of them that the second server has answered.",
    .type = FIL_METRIC_COUNTER,
};

static const struct fil_metric_family probes_family = {
    .name = "filbert_upstream_probes_total",
    .help = "Copies of requests that looked whether a server that was left out is back.",
    .type = FIL_METRIC_COUNTER,
};

static double read_length(void *context)
{
    struct fil_service_pool *pool = context;
    return (double)fil_admission_length(&pool->admission);
}

static double read_estimate(void *context)
{
    struct fil_service_pool *pool = context;
    return (double)fil_admission_estimate_ns(&pool->admission) / NS_PER_SECOND;
}

static double read_age(void *context)
{
    struct fil_service_pool *pool = context;
    return (double)fil_admission_age_ns(&pool->admission, fil_env_now_ns(pool->env)) /
           NS_PER_SECOND;
}

static double read_hot(void *context)
{
    struct fil_service_pool *pool = context;
    return atomic_load_explicit(&pool->admission.is_hot, memory_order_relaxed) ? 1 : 0;
}

static double read_threads(void *context)
{
    return fil_service_pool_thread_count(context);
}

struct gauge {
    struct fil_metric_family family;
    fil_metric_read_fn read;
};

static const struct gauge gauges[] = {
    {{.name = "filbert_pool_estimated_wait_seconds",
      .help = "How long a request that comes now would wait for the pool.",
      .type = FIL_METRIC_GAUGE},
     read_estimate},
    {{.name = "filbert_pool_oldest_wait_seconds",
      .help = "How long the oldest request in the pool's queue has waited.",
      .type = FIL_METRIC_GAUGE},
     read_age},
    {{.name = "filbert_pool_hot",
      .help = "Whether the pool has a standing queue and admits strictly.",
      .type = FIL_METRIC_GAUGE},
     read_hot},
    {{.name = "filbert_pool_threads",
      .help = "Threads of the pool that have been started.",
      .type = FIL_METRIC_GAUGE},
     read_threads},
};

static int register_verdicts(struct fil_metrics *metrics, const struct fil_service_pool *pool)
{
    int error = FIL_OK;
    for (uint32_t i = 0; i < FIL_ADMISSION_VERDICTS && error == FIL_OK; i++) {
        const char *name = fil_admission_verdict_name((enum fil_admission_verdict)i);
        struct fil_metric_labels labels = FIL_METRIC_LABELS({"pool", pool->name}, {"reason", name});
        error = fil_metrics_add_counter(metrics, &verdict_family, labels,
                                        &pool->admission.verdicts[i], NULL);
    }
    return error;
}

static int register_pool(struct fil_metrics *metrics, struct fil_service_pool *pool)
{
    char stage[STAGE_TEXT_MAX];
    (void)snprintf(stage, sizeof(stage), "pool/%s", pool->name);
    struct fil_metric_labels labels = FIL_METRIC_LABELS({"pool", pool->name});
    int error =
        fil_node__register_crew(metrics, stage, &pool->crew, pool->crew.options.member_count);
    if (error == FIL_OK) {
        error =
            fil_node__register_queue(metrics, stage, "requests", &pool->queue, read_length, pool);
    }
    for (size_t i = 0; i < FIL_COUNT_OF(gauges) && error == FIL_OK; i++) {
        error = fil_metrics_add_function(metrics, &gauges[i].family, labels, gauges[i].read, pool,
                                         NULL);
    }
    if (error == FIL_OK) {
        error =
            fil_metrics_add_counter(metrics, &skipped_family, labels, &pool->skipped_count, NULL);
    }
    bool is_watched = pool->options.thread_count == pool->options.thread_max;
    for (uint32_t i = 0; is_watched && i < pool->options.thread_max && error == FIL_OK; i++) {
        error = fil_node__register_stalls(metrics, pool->runners[i]);
    }
    return error == FIL_OK ? register_verdicts(metrics, pool) : error;
}

static int register_route(struct fil_metrics *metrics, const struct fil_route *route)
{
    static const char *const classes[] = {NULL, NULL, "2xx", "3xx", "4xx", "5xx"};
    struct fil_metric_labels labels = FIL_METRIC_LABELS({"route", route->pattern});
    int error =
        fil_metrics_add_counter(metrics, &refused_family, labels, &route->stats.refused, NULL);
    for (uint32_t i = 2; i < FIL_COUNT_OF(classes) && error == FIL_OK; i++) {
        labels = FIL_METRIC_LABELS({"route", route->pattern}, {"status", classes[i]});
        error = fil_metrics_add_counter(metrics, &requests_family, labels, &route->stats.classes[i],
                                        NULL);
    }
    return error;
}

struct figure {
    const struct fil_metric_family *family;
    const struct fil_counter *counter;
};

static int register_figures(struct fil_metrics *metrics, struct fil_metric_labels labels,
                            const struct figure *figures, size_t count)
{
    int error = FIL_OK;
    for (size_t i = 0; i < count && error == FIL_OK; i++) {
        error =
            fil_metrics_add_counter(metrics, figures[i].family, labels, figures[i].counter, NULL);
    }
    return error;
}

static int register_server(struct fil_metrics *metrics, const char *route,
                           const struct fil_upstream *upstream, uint32_t index)
{
    const struct fil_upstream_server *server = &upstream->servers[index];
    char text[FIL_ADDRESS_TEXT_MAX];
    struct fil_address address;
    (void)fil_upstream_address(upstream, index, &address);
    if (fil_upstream_is_present(upstream, index)) {
        (void)fil_address_format(&address, text);
    } else {
        // A place for an address of a name, which may change.
        (void)snprintf(text, sizeof(text), "place %" PRIu32, index);
    }
    const struct figure figures[] = {{&tries_family, &server->tries},
                                     {&failed_family, &server->failed},
                                     {&ejected_family, &server->ejected},
                                     {&probes_family, &server->probes}};
    return register_figures(metrics, FIL_METRIC_LABELS({"route", route}, {"server", text}), figures,
                            FIL_COUNT_OF(figures));
}

static int register_proxy(struct fil_metrics *metrics, const struct fil_proxy *proxy)
{
    const struct fil_upstream *upstream = &proxy->client.upstream;
    const struct figure figures[] = {{&retries_family, &upstream->retries.granted},
                                     {&unpaid_family, &upstream->retries.refused},
                                     {&hedges_family, &upstream->hedges.granted},
                                     {&won_family, &upstream->hedges_won}};
    int error = register_figures(metrics, FIL_METRIC_LABELS({"route", proxy->pattern}), figures,
                                 FIL_COUNT_OF(figures));
    for (uint32_t i = 0; i < upstream->server_count && error == FIL_OK; i++) {
        error = register_server(metrics, proxy->pattern, upstream, i);
    }
    return error;
}

static int register_guard(struct fil_metrics *metrics, const struct fil_http_guard *guard)
{
    int error =
        fil_metrics_add_counter(metrics, &foreign_family, FIL_METRIC_LABELS({"header", "host"}),
                                &guard->refused_hosts, NULL);
    return error == FIL_OK ? fil_metrics_add_counter(metrics, &foreign_family,
                                                     FIL_METRIC_LABELS({"header", "origin"}),
                                                     &guard->refused_origins, NULL)
                           : error;
}

int fil_node__register_service_metrics(struct fil_node *node)
{
    const struct fil_service *service = &node->service;
    int error = fil_metrics_add_counter(node->metrics, &streams_family, FIL_METRIC_NO_LABELS,
                                        &service->stats.streams, NULL);
    if (error == FIL_OK) {
        error = fil_metrics_add_counter(node->metrics, &sockets_family, FIL_METRIC_NO_LABELS,
                                        &service->stats.sockets, NULL);
    }
    if (error == FIL_OK) {
        error = fil_metrics_add_counter(node->metrics, &missed_family, FIL_METRIC_NO_LABELS,
                                        &service->stats.missed, NULL);
    }
    if (error == FIL_OK) {
        error = register_guard(node->metrics, &node->guard);
    }
    for (uint32_t i = 0; i < service->pool_count && error == FIL_OK; i++) {
        error = register_pool(node->metrics, service->pools[i]);
    }
    for (uint32_t i = 0; i < service->route_count && error == FIL_OK; i++) {
        error = register_route(node->metrics, service->routes[i]);
    }
    for (uint32_t i = 0; i < node->proxies.count && error == FIL_OK; i++) {
        error = register_proxy(node->metrics, node->proxies.items[i]);
    }
    return error;
}
