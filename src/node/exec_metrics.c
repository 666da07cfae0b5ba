// SPDX-License-Identifier: Apache-2.0
/** What /metrics shows of the threading kernel: every thread that runs operations. */
#include "filbert/error.h"
#include "node/node_internal.h"

#define COUNTER(metric_name, metric_help)                                    \
    {                                                                        \
        .name = metric_name, .help = metric_help, .type = FIL_METRIC_COUNTER \
    }

struct runner_counter {
    struct fil_metric_family family;
    size_t offset; // in struct fil_runner_stats
};

static const struct runner_counter runner_counters[] = {
    {COUNTER("filbert_operations_total", "Operations run, by the thread that ran them."),
     offsetof(struct fil_runner_stats, runs)},
    {COUNTER("filbert_operations_in_place_total",
             "Operations run by the thread that brought them, without a queue."),
     offsetof(struct fil_runner_stats, caller_runs)},
    {COUNTER("filbert_operations_handed_over_total", "Operations put into a partition's mailbox."),
     offsetof(struct fil_runner_stats, handed_over)},
    {COUNTER("filbert_operation_slices_total",
             "Times an operation gave way and went to the tail of its mailbox."),
     offsetof(struct fil_runner_stats, slices)},
    {COUNTER("filbert_operation_parks_total", "Operations that waited under a key."),
     offsetof(struct fil_runner_stats, parks)},
    {COUNTER("filbert_operation_expiries_total", "Operations whose deadline passed."),
     offsetof(struct fil_runner_stats, expiries)},
    {COUNTER("filbert_operation_cancels_total", "Operations that were cancelled."),
     offsetof(struct fil_runner_stats, cancels)},
    {COUNTER("filbert_thread_wakes_total", "Parked partition threads that this thread has woken."),
     offsetof(struct fil_runner_stats, wakes)},
};

static const struct fil_metric_family wait_family = {
    .name = "filbert_operation_wait_seconds",
    .help = "Time operations waited in a mailbox.",
    .type = FIL_METRIC_HISTOGRAM,
    .unit = FIL_METRIC_NS,
};
static const struct fil_metric_family service_family = {
    .name = "filbert_operation_service_seconds",
    .help = "Time operations took to run; one in 64 is timed.",
    .type = FIL_METRIC_HISTOGRAM,
    .unit = FIL_METRIC_NS,
};
static const struct fil_metric_family turn_family = {
    .name = "filbert_io_turn_seconds",
    .help = "Time an I/O loop's turns took; a connection that becomes ready waits for one at most.",
    .type = FIL_METRIC_HISTOGRAM,
    .unit = FIL_METRIC_NS,
};
static const struct fil_metric_family busy_family = {
    .name = "filbert_thread_busy_seconds_total",
    .help = "Time a partition thread spent in turns that moved something.",
    .type = FIL_METRIC_COUNTER,
    .unit = FIL_METRIC_NS,
};
static const struct fil_metric_family steals_family =
    COUNTER("filbert_partition_steals_total", "Partitions a thread took from another's queue.");
static const struct fil_metric_family parks_family =
    COUNTER("filbert_thread_parks_total", "Times a partition thread went to sleep.");
static const struct fil_metric_family queued_family = {
    .name = "filbert_partitions_queued",
    .help = "Partitions that wait for their home thread.",
    .type = FIL_METRIC_GAUGE,
};

static const struct fil_counter *counter_at(const struct fil_runner_stats *stats, size_t offset)
{
    return (const struct fil_counter *)(const void *)((const char *)stats + offset);
}

static double read_queued(void *context)
{
    struct fil_partition_stage *stage = context;
    return fil_tickets_count(&stage->tickets);
}

static int register_runner(struct fil_metrics *metrics, const struct fil_runner *runner)
{
    const struct fil_runner_stats *stats = &runner->stats;
    struct fil_metric_labels labels = FIL_METRIC_LABELS({"thread", runner->name});
    int error = FIL_OK;
    for (size_t i = 0; i < FIL_COUNT_OF(runner_counters) && error == FIL_OK; i++) {
        error = fil_metrics_add_counter(metrics, &runner_counters[i].family, labels,
                                        counter_at(stats, runner_counters[i].offset), NULL);
    }
    if (error == FIL_OK) {
        error =
            fil_metrics_add_histogram(metrics, &service_family, labels, &stats->service_ns, NULL);
    }
    return error;
}

static int register_io(struct fil_metrics *metrics, const struct fil_io_stage *stage)
{
    int error = register_runner(metrics, &stage->turn.runner);
    return error == FIL_OK ? fil_metrics_add_histogram(metrics, &turn_family,
                                                       FIL_METRIC_LABELS({"thread", stage->name}),
                                                       &stage->turn_ns, NULL)
                           : error;
}

static int register_stage(struct fil_metrics *metrics, struct fil_partition_stage *stage)
{
    struct fil_metric_labels labels = FIL_METRIC_LABELS({"thread", stage->name});
    const struct {
        const struct fil_metric_family *family;
        const struct fil_counter *counter;
    } counters[] = {
        {&steals_family, &stage->steals},
        {&parks_family, &stage->parks},
        {&busy_family, &stage->runner.stats.busy_ns},
    };
    int error = register_runner(metrics, &stage->runner);
    for (size_t i = 0; i < FIL_COUNT_OF(counters) && error == FIL_OK; i++) {
        error =
            fil_metrics_add_counter(metrics, counters[i].family, labels, counters[i].counter, NULL);
    }
    if (error == FIL_OK) {
        error = fil_metrics_add_histogram(metrics, &wait_family, labels,
                                          &stage->runner.stats.wait_ns, NULL);
    }
    if (error == FIL_OK) {
        error = fil_metrics_add_function(metrics, &queued_family, labels, read_queued, stage, NULL);
    }
    return error;
}

int fil_node__register_exec_metrics(struct fil_node *node)
{
    int error = FIL_OK;
    for (uint32_t i = 0; i < node->loop_count && error == FIL_OK; i++) {
        error = register_io(node->metrics, &node->stages[i]);
    }
    for (uint32_t i = 0; i < fil_exec_stage_count(node->exec) && error == FIL_OK; i++) {
        error = register_stage(node->metrics, fil_exec_stage(node->exec, i));
    }
    return error;
}
