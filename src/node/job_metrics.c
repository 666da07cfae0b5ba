// SPDX-License-Identifier: Apache-2.0
/** What /metrics shows of stream jobs and of the workers that run them. */
#include "filbert/error.h"
#include "lib/base/attr.h"
#include "node/node_internal.h"

#define NS_PER_SECOND 1e9

static double read_live(void *context)
{
    return fil_jobs_live_count(context);
}

static struct fil_engine_stats read_engine(void *context)
{
    struct fil_jobs *jobs = context;
    struct fil_engine_stats stats = {0};
    if (jobs->stream != NULL) {
        fil_engine_read_stats(jobs->stream, &stats);
    }
    return stats;
}

static double read_memory(void *context)
{
    return (double)read_engine(context).memory_bytes;
}

static double read_steps(void *context)
{
    return (double)read_engine(context).step_count;
}

static double read_busy(void *context)
{
    return (double)read_engine(context).busy_ns / NS_PER_SECOND;
}

static double read_overruns(void *context)
{
    return (double)read_engine(context).overrun_count;
}

static double read_moves(void *context)
{
    return (double)read_engine(context).move_count;
}

static double read_parks(void *context)
{
    return (double)read_engine(context).park_count;
}

static const struct {
    struct fil_metric_family family;
    fil_metric_read_fn read;
} functions[] = {
    {{.name = "filbert_jobs",
      .help = "Stream jobs that are not over, suspended ones included.",
      .type = FIL_METRIC_GAUGE},
     read_live},
    {{.name = "filbert_stream_memory_bytes",
      .help = "Memory of all jobs: batches, state, snapshots in memory.",
      .type = FIL_METRIC_GAUGE},
     read_memory},
    {{.name = "filbert_stream_steps_total",
      .help = "Steps that the stream workers have run.",
      .type = FIL_METRIC_COUNTER},
     read_steps},
    {{.name = "filbert_stream_busy_seconds_total",
      .help = "Time that the stream workers have spent in steps.",
      .type = FIL_METRIC_COUNTER},
     read_busy},
    {{.name = "filbert_stream_overruns_total",
      .help = "Steps that took longer than their budget.",
      .type = FIL_METRIC_COUNTER},
     read_overruns},
    {{.name = "filbert_stream_moves_total",
      .help = "Tasklets that a worker has handed over to another.",
      .type = FIL_METRIC_COUNTER},
     read_moves},
    {{.name = "filbert_stream_parks_total",
      .help = "How often a stream worker went to sleep.",
      .type = FIL_METRIC_COUNTER},
     read_parks},
};

static const struct fil_metric_family events_family = {
    .name = "filbert_job_events_total",
    .help = "What became of stream jobs.",
    .type = FIL_METRIC_COUNTER,
};

int fil_node__register_job_metrics(struct fil_node *node)
{
    struct fil_jobs *jobs = &node->jobs;
    const struct {
        const char *name;
        const struct fil_counter *counter;
    } events[] = {{"submitted", &jobs->stats.submitted}, {"refused", &jobs->stats.refused},
                  {"completed", &jobs->stats.completed}, {"failed", &jobs->stats.failed},
                  {"cancelled", &jobs->stats.cancelled}, {"suspended", &jobs->stats.suspended},
                  {"restarted", &jobs->stats.restarted}};
    int error = FIL_OK;
    for (size_t i = 0; i < FIL_COUNT_OF(functions) && error == FIL_OK; i++) {
        error = fil_metrics_add_function(node->metrics, &functions[i].family, FIL_METRIC_NO_LABELS,
                                         functions[i].read, jobs, NULL);
    }
    for (size_t i = 0; i < FIL_COUNT_OF(events) && error == FIL_OK; i++) {
        error = fil_metrics_add_counter(node->metrics, &events_family,
                                        FIL_METRIC_LABELS({"event", events[i].name}),
                                        events[i].counter, NULL);
    }
    return error;
}
