// SPDX-License-Identifier: Apache-2.0
/** What /metrics shows of the member: its loops, its acceptor, its memory, its data and its log. */
#include <stdio.h>

#include "filbert/error.h"
#include "lib/metric/table.h"
#include "lib/net/load.h"
#include "node/node_internal.h"

static const struct fil_metric_field loop_counters[] = {
    {FIL_METRIC_COUNTER_FAMILY("filbert_io_turns_total",
                               "Turns of an I/O loop that moved something."),
     offsetof(struct fil_loop_stats, turns)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_io_receives_total", "System calls to receive."),
     offsetof(struct fil_loop_stats, receives)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_io_sends_total", "System calls to send."),
     offsetof(struct fil_loop_stats, sends)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_io_received_bytes_total", "Bytes received."),
     offsetof(struct fil_loop_stats, bytes_received)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_io_sent_bytes_total", "Bytes sent."),
     offsetof(struct fil_loop_stats, bytes_sent)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_requests_total", "Requests of all protocols."),
     offsetof(struct fil_loop_stats, requests)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_connections_opened_total",
                               "Connections an I/O loop has begun to serve."),
     offsetof(struct fil_loop_stats, connections_opened)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_output_pauses_total",
                               "Times a connection's requests waited because its reader was slow."),
     offsetof(struct fil_loop_stats, output_pauses)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_io_rests_total",
                               "Times an I/O loop rested so that more requests came at once."),
     offsetof(struct fil_loop_stats, rests)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_connection_moves_total",
                               "Connections that came from a more loaded I/O loop to this one."),
     offsetof(struct fil_loop_stats, moves)},
};

static const struct fil_metric_family closed_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_connections_closed_total", "Connections that ended, by the reason.");
static const struct fil_metric_family connections_family =
    FIL_METRIC_GAUGE_FAMILY("filbert_connections", "Open connections.");
static const struct fil_metric_family wakeups_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_io_wakeups_total", "Times a parked I/O loop was woken by another thread.");
static const struct fil_metric_family load_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_io_load_points_total", "What an I/O loop had to do, by which the balancer "
                                    "goes: bytes, 1024 a request, 4096 a system call, "
                                    "2 a nanosecond.");
static const struct fil_metric_family busy_family = FIL_METRIC_TIME_FAMILY(
    "filbert_io_busy_seconds_total", "Time an I/O loop had something to do.");
static const struct fil_metric_family imbalances_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_io_imbalances_total",
    "Times the I/O loops' loads differed by more than net.balance_ratio.");
static const struct fil_metric_family accepted_family =
    FIL_METRIC_COUNTER_FAMILY("filbert_connections_accepted_total", "Connections accepted.");
static const struct fil_metric_family refused_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_connections_refused_total", "Connections closed at once, by the reason.");
static const struct fil_metric_family limit_family =
    FIL_METRIC_GAUGE_FAMILY("filbert_memory_limit_bytes", "The memory the member may use.");
static const struct fil_metric_family drawn_family =
    FIL_METRIC_GAUGE_FAMILY("filbert_memory_used_bytes", "The memory drawn from the limit.");
static const struct fil_metric_family refusals_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_memory_refused_total", "Times the memory limit refused something.");

static const struct fil_metric_family log_lines_family =
    FIL_METRIC_COUNTER_FAMILY("filbert_log_lines_total", "Lines the log has written.");
static const struct fil_metric_family log_dropped_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_log_dropped_total", "Events that found the log's memory of their thread full.");
static const struct fil_metric_family log_lost_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_log_lost_total", "Lines of the log that could not be written.");
static const struct fil_metric_family log_repeated_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_log_repeated_total", "Warnings and errors that the log only counted as repeated.");

static double read_connections(void *context)
{
    return fil_loop_open_count(context);
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

static struct fil_log_stats log_stats(void *context)
{
    struct fil_log_stats stats;
    fil_log_read_stats(context, &stats);
    return stats;
}

static double read_log_lines(void *context)
{
    return (double)log_stats(context).line_count;
}

static double read_log_dropped(void *context)
{
    return (double)log_stats(context).dropped_count;
}

static double read_log_lost(void *context)
{
    return (double)log_stats(context).lost_count;
}

static double read_log_repeated(void *context)
{
    return (double)log_stats(context).repeat_count;
}

/** How the loop's connections ended, a series a reason. */
static int register_ends(struct fil_metrics *metrics, const struct fil_loop *loop, const char *name)
{
    int error = FIL_OK;
    for (int reason = 0; reason < FIL_CLOSE_REASON_COUNT && error == FIL_OK; reason++) {
        const char *text = fil_close_reason_text((enum fil_close_reason)reason);
        error = fil_metrics_add_counter(metrics, &closed_family,
                                        FIL_METRIC_LABELS({"loop", name}, {"reason", text}),
                                        &loop->stats.closed[reason], NULL);
    }
    return error;
}

static int register_loop(struct fil_metrics *metrics, struct fil_loop *loop)
{
    char name[16];
    (void)snprintf(name, sizeof(name), "%u", loop->index);
    struct fil_metric_labels labels = FIL_METRIC_LABELS({"loop", name});
    const struct fil_metric_row rows[] = {
        {.family = &connections_family, .read = read_connections, .context = loop},
        {.family = &wakeups_family, .read = read_wakeups, .context = loop},
        {.family = &load_family, .read = read_load, .context = loop},
        {.family = &busy_family, .counter = &loop->stats.busy_ns},
    };
    int error = fil_metrics_add_fields(metrics, labels, loop_counters, FIL_COUNT_OF(loop_counters),
                                       &loop->stats);
    if (error == FIL_OK) {
        error = fil_metrics_add_rows(metrics, labels, rows, FIL_COUNT_OF(rows));
    }
    return error == FIL_OK ? register_ends(metrics, loop, name) : error;
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
    struct fil_budget *budget = &node->budget;
    const struct fil_metric_row rows[] = {
        {.family = &limit_family, .read = read_limit, .context = budget},
        {.family = &drawn_family, .read = read_drawn, .context = budget},
        {.family = &refusals_family, .read = read_refusals, .context = budget},
        {.family = &imbalances_family, .counter = &node->balancer.imbalances},
    };
    return fil_metrics_add_rows(node->metrics, FIL_METRIC_NO_LABELS, rows, FIL_COUNT_OF(rows));
}

/** What the log itself cannot always say. */
static int register_log(struct fil_metrics *metrics, struct fil_log *log)
{
    const struct fil_metric_row rows[] = {
        {.family = &log_lines_family, .read = read_log_lines, .context = log},
        {.family = &log_dropped_family, .read = read_log_dropped, .context = log},
        {.family = &log_lost_family, .read = read_log_lost, .context = log},
        {.family = &log_repeated_family, .read = read_log_repeated, .context = log},
    };
    return log == NULL
               ? FIL_OK
               : fil_metrics_add_rows(metrics, FIL_METRIC_NO_LABELS, rows, FIL_COUNT_OF(rows));
}

int fil_node__register_metrics(struct fil_node *node)
{
    int error = fil_metric_process_init(&node->process, node->metrics, node->env, FIL_VERSION);
    node->has_process = error == FIL_OK;
    if (error == FIL_OK) {
        error = register_acceptor(node->metrics, &node->acceptor);
    }
    for (uint32_t i = 0; i < node->loop_count && error == FIL_OK; i++) {
        error = register_loop(node->metrics, &node->loops[i]);
    }
    if (error == FIL_OK) {
        error = register_data(node);
    }
    if (error == FIL_OK) {
        error = register_log(node->metrics, node->log);
    }
    if (error == FIL_OK) {
        error = fil_node__register_exec_metrics(node);
    }
    if (error == FIL_OK) {
        error = fil_node__register_service_metrics(node);
    }
    if (error == FIL_OK) {
        error = fil_node__register_filter_metrics(node);
    }
    if (error == FIL_OK) {
        error = fil_node__register_http2_metrics(node);
    }
    if (error == FIL_OK) {
        error = fil_node__register_job_metrics(node);
    }
    return error == FIL_OK ? fil_node__register_stage_metrics(node) : error;
}
