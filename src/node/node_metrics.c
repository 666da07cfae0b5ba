// SPDX-License-Identifier: Apache-2.0
/** What /metrics shows of the member: its loops, its acceptor, its memory and its data. */
#include <stdio.h>

#include "filbert/error.h"
#include "lib/net/load.h"
#include "node/node_internal.h"

#define COUNTER(metric_name, metric_help)                                    \
    {                                                                        \
        .name = metric_name, .help = metric_help, .type = FIL_METRIC_COUNTER \
    }
#define GAUGE(metric_name, metric_help)                                    \
    {                                                                      \
        .name = metric_name, .help = metric_help, .type = FIL_METRIC_GAUGE \
    }

struct loop_counter {
    struct fil_metric_family family;
    size_t offset; // in struct fil_loop_stats
};

static const struct loop_counter loop_counters[] = {
    {COUNTER("filbert_io_turns_total", "Turns of an I/O loop that moved something."),
     offsetof(struct fil_loop_stats, turns)},
    {COUNTER("filbert_io_receives_total", "System calls to receive."),
     offsetof(struct fil_loop_stats, receives)},
    {COUNTER("filbert_io_sends_total", "System calls to send."),
     offsetof(struct fil_loop_stats, sends)},
    {COUNTER("filbert_io_received_bytes_total", "Bytes received."),
     offsetof(struct fil_loop_stats, bytes_received)},
    {COUNTER("filbert_io_sent_bytes_total", "Bytes sent."),
     offsetof(struct fil_loop_stats, bytes_sent)},
    {COUNTER("filbert_requests_total", "Requests of all protocols."),
     offsetof(struct fil_loop_stats, requests)},
    {COUNTER("filbert_connections_opened_total", "Connections an I/O loop has begun to serve."),
     offsetof(struct fil_loop_stats, connections_opened)},
    {COUNTER("filbert_output_pauses_total",
             "Times a connection's requests waited because its reader was slow."),
     offsetof(struct fil_loop_stats, output_pauses)},
    {COUNTER("filbert_connection_moves_total",
             "Connections that came from a more loaded I/O loop to this one."),
     offsetof(struct fil_loop_stats, moves)},
};

static const struct fil_metric_family closed_family =
    COUNTER("filbert_connections_closed_total", "Connections that ended, by the reason.");
static const struct fil_metric_family connections_family =
    GAUGE("filbert_connections", "Open connections.");
static const struct fil_metric_family wakeups_family =
    COUNTER("filbert_io_wakeups_total", "Times a parked I/O loop was woken by another thread.");
static const struct fil_metric_family load_family =
    COUNTER("filbert_io_load_points_total", "What an I/O loop had to do, by which the balancer "
                                            "goes: bytes, 1024 a request, 4096 a system call.");
static const struct fil_metric_family busy_family =
    COUNTER("filbert_io_busy_seconds_total", "Time an I/O loop had something to do.");
static const struct fil_metric_family imbalances_family =
    COUNTER("filbert_io_imbalances_total",
            "Times the I/O loops' loads differed by more than net.balance_ratio.");
static const struct fil_metric_family accepted_family =
    COUNTER("filbert_connections_accepted_total", "Connections accepted.");
static const struct fil_metric_family refused_family =
    COUNTER("filbert_connections_refused_total", "Connections closed at once, by the reason.");
static const struct fil_metric_family limit_family =
    GAUGE("filbert_memory_limit_bytes", "The memory the member may use.");
static const struct fil_metric_family drawn_family =
    GAUGE("filbert_memory_used_bytes", "The memory drawn from the limit.");
static const struct fil_metric_family refusals_family =
    COUNTER("filbert_memory_refused_total", "Times the memory limit refused something.");

static double read_connections(void *context)
{
    return fil_loop_connection_count(context);
}

static double read_wakeups(void *context)
{
    struct fil_loop *loop = context;
    return (double)atomic_load_explicit(&loop->parker.wake_count, memory_order_relaxed);
}

static double read_load(void *context)
{
    struct fil_loop *loop = context;
    return (double)fil_load_of_loop(&loop->stats);
}

static double read_busy(void *context)
{
    struct fil_loop *loop = context;
    return (double)fil_counter_read(&loop->stats.busy_ns) / 1e9;
}

static double read_limit(void *context)
{
    struct fil_budget *budget = context;
    return (double)budget->limit_bytes;
}

static double read_drawn(void *context)
{
    return (double)fil_budget_drawn(context);
}

static double read_refusals(void *context)
{
    struct fil_budget *budget = context;
    return (double)atomic_load_explicit(&budget->refused_count, memory_order_relaxed);
}

static const struct fil_counter *counter_at(const struct fil_loop_stats *stats, size_t offset)
{
    return (const struct fil_counter *)(const void *)((const char *)stats + offset);
}

static int register_loop_counters(struct fil_metrics *metrics, struct fil_loop *loop,
                                  const char *name)
{
    for (size_t i = 0; i < FIL_COUNT_OF(loop_counters); i++) {
        int error = fil_metrics_add_counter(
            metrics, &loop_counters[i].family, FIL_METRIC_LABELS({"loop", name}),
            counter_at(&loop->stats, loop_counters[i].offset), NULL);
        if (error != FIL_OK) {
            return error;
        }
    }
    for (int reason = 0; reason < FIL_CLOSE_REASON_COUNT; reason++) {
        const char *text = fil_close_reason_text((enum fil_close_reason)reason);
        int error = fil_metrics_add_counter(metrics, &closed_family,
                                            FIL_METRIC_LABELS({"loop", name}, {"reason", text}),
                                            &loop->stats.closed[reason], NULL);
        if (error != FIL_OK) {
            return error;
        }
    }
    return FIL_OK;
}

static int register_loop(struct fil_metrics *metrics, struct fil_loop *loop)
{
    char name[16];
    (void)snprintf(name, sizeof(name), "%u", loop->index);
    const struct {
        const struct fil_metric_family *family;
        fil_metric_read_fn read;
    } functions[] = {
        {&connections_family, read_connections},
        {&wakeups_family, read_wakeups},
        {&load_family, read_load},
        {&busy_family, read_busy},
    };
    int error = register_loop_counters(metrics, loop, name);
    for (size_t i = 0; i < FIL_COUNT_OF(functions) && error == FIL_OK; i++) {
        error = fil_metrics_add_function(metrics, functions[i].family,
                                         FIL_METRIC_LABELS({"loop", name}), functions[i].read, loop,
                                         NULL);
    }
    return error;
}

static int register_acceptor(struct fil_metrics *metrics, struct fil_acceptor *acceptor)
{
    int error = fil_metrics_add_counter(metrics, &accepted_family, FIL_METRIC_NO_LABELS,
                                        &acceptor->stats.accepted, NULL);
    const struct {
        const char *reason;
        const struct fil_counter *counter;
    } refusals[] = {
        {"limit", &acceptor->stats.refused_limit},
        {"memory", &acceptor->stats.refused_memory},
        {"descriptors", &acceptor->stats.failed},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(refusals) && error == FIL_OK; i++) {
        error = fil_metrics_add_counter(metrics, &refused_family,
                                        FIL_METRIC_LABELS({"reason", refusals[i].reason}),
                                        refusals[i].counter, NULL);
    }
    return error;
}

static int register_data(struct fil_node *node)
{
    const struct {
        const struct fil_metric_family *family;
        fil_metric_read_fn read;
        void *context;
    } functions[] = {
        {&limit_family, read_limit, &node->budget},
        {&drawn_family, read_drawn, &node->budget},
        {&refusals_family, read_refusals, &node->budget},
    };
    int error = FIL_OK;
    for (size_t i = 0; i < FIL_COUNT_OF(functions) && error == FIL_OK; i++) {
        error = fil_metrics_add_function(node->metrics, functions[i].family, FIL_METRIC_NO_LABELS,
                                         functions[i].read, functions[i].context, NULL);
    }
    return error;
}

int fil_node__register_metrics(struct fil_node *node)
{
    int error = fil_metric_process_init(&node->process, node->metrics, node->env, FIL_VERSION);
    node->has_process = error == FIL_OK;
    if (error == FIL_OK) {
        error = register_acceptor(node->metrics, &node->acceptor);
    }
    if (error == FIL_OK) {
        error = fil_metrics_add_counter(node->metrics, &imbalances_family, FIL_METRIC_NO_LABELS,
                                        &node->balancer.imbalances, NULL);
    }
    for (uint32_t i = 0; i < node->loop_count && error == FIL_OK; i++) {
        error = register_loop(node->metrics, &node->loops[i]);
    }
    if (error == FIL_OK) {
        error = register_data(node);
    }
    if (error == FIL_OK) {
        error = fil_node__register_exec_metrics(node);
    }
    if (error == FIL_OK) {
        error = fil_node__register_service_metrics(node);
    }
    return error == FIL_OK ? fil_node__register_stage_metrics(node) : error;
}
