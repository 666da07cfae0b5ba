// SPDX-License-Identifier: Apache-2.0
#include "lib/metric/process.h"

#include "filbert/error.h"
#include "lib/base/assert.h"

#define NS_PER_S 1e9

/** Readings within so short a time share one measurement. */
#define MEASURE_INTERVAL_NS UINT64_C(100000000)

static const struct fil_metric_family build_info = {
    .name = "filbert_build_info",
    .help = "Always 1; the labels tell what is running.",
    .type = FIL_METRIC_GAUGE,
};
static const struct fil_metric_family uptime = {
    .name = "filbert_uptime_seconds",
    .help = "Time since the process began to serve.",
    .type = FIL_METRIC_GAUGE,
};
static const struct fil_metric_family series_registered = {
    .name = "filbert_metric_series",
    .help = "Series this page is made of.",
    .type = FIL_METRIC_GAUGE,
};
static const struct fil_metric_family series_refused = {
    .name = "filbert_metric_series_refused_total",
    .help = "Series that could not be registered: too many, malformed or twice the same.",
    .type = FIL_METRIC_COUNTER,
};
static const struct fil_metric_family cpu = {
    .name = "process_cpu_seconds_total",
    .help = "Processor time of all threads, in user and system mode.",
    .type = FIL_METRIC_COUNTER,
};
static const struct fil_metric_family resident = {
    .name = "process_resident_memory_bytes",
    .help = "Memory of the process that is in RAM.",
    .type = FIL_METRIC_GAUGE,
};
static const struct fil_metric_family descriptors = {
    .name = "process_open_fds",
    .help = "Open files and sockets.",
    .type = FIL_METRIC_GAUGE,
};
static const struct fil_metric_family start_time = {
    .name = "process_start_time_seconds",
    .help = "When the process began to serve, in seconds since 1970.",
    .type = FIL_METRIC_GAUGE,
};

static const struct fil_process_usage *measure(struct fil_metric_process *process)
{
    uint64_t now_ns = fil_env_now_ns(process->env);
    bool is_fresh =
        process->measured_ns != 0 && now_ns - process->measured_ns < MEASURE_INTERVAL_NS;
    if (!is_fresh) {
        fil_process_measure(&process->usage);
        process->measured_ns = now_ns;
    }
    return &process->usage;
}

static double read_one(void *context)
{
    (void)context;
    return 1;
}

static double read_uptime(void *context)
{
    const struct fil_metric_process *process = context;
    return (double)(fil_env_now_ns(process->env) - process->start_ns) / NS_PER_S;
}

static double read_start_time(void *context)
{
    const struct fil_metric_process *process = context;
    return (double)process->start_wall_ns / NS_PER_S;
}

static double read_cpu(void *context)
{
    const struct fil_process_usage *usage = measure(context);
    return (double)(usage->user_ns + usage->system_ns) / NS_PER_S;
}

static double read_resident(void *context)
{
    return (double)measure(context)->resident_bytes;
}

static double read_descriptors(void *context)
{
    return (double)measure(context)->descriptor_count;
}

/** Registers a function, once all before it went well. */
static void add_function(struct fil_metric_process *process, int *result,
                         const struct fil_metric_family *family, struct fil_metric_labels labels,
                         fil_metric_read_fn read)
{
    if (*result == FIL_OK) {
        *result = fil_metrics_add_function(process->metrics, family, labels, read, process,
                                           &process->series[process->series_count]);
        process->series_count += *result == FIL_OK;
    }
}

/** As above for a counter. */
static void add_counter(struct fil_metric_process *process, int *result,
                        const struct fil_metric_family *family, const struct fil_counter *counter)
{
    if (*result == FIL_OK) {
        *result = fil_metrics_add_counter(process->metrics, family, FIL_METRIC_NO_LABELS, counter,
                                          &process->series[process->series_count]);
        process->series_count += *result == FIL_OK;
    }
}

int fil_metric_process_init(struct fil_metric_process *process, struct fil_metrics *metrics,
                            struct fil_env *env, const char *version)
{
    *process = (struct fil_metric_process){
        .metrics = metrics,
        .env = env,
        .start_ns = fil_env_now_ns(env),
        .start_wall_ns = fil_env_wall_ns(env),
    };
    const struct fil_metric_labels none = FIL_METRIC_NO_LABELS;
    int result = FIL_OK;
    add_function(process, &result, &build_info, FIL_METRIC_LABELS({"version", version}), read_one);
    add_function(process, &result, &uptime, none, read_uptime);
    add_function(process, &result, &start_time, none, read_start_time);
    add_function(process, &result, &cpu, none, read_cpu);
    add_function(process, &result, &resident, none, read_resident);
    add_function(process, &result, &descriptors, none, read_descriptors);
    add_counter(process, &result, &series_registered, fil_metrics_series_count(metrics));
    add_counter(process, &result, &series_refused, fil_metrics_refused_count(metrics));
    if (result != FIL_OK) {
        fil_metric_process_fini(process);
    } else {
        fil_assert(process->series_count == FIL_METRIC_PROCESS_SERIES);
    }
    return result;
}

void fil_metric_process_fini(struct fil_metric_process *process)
{
    while (process->series_count > 0) {
        process->series_count--;
        fil_metrics_remove(process->metrics, process->series[process->series_count]);
    }
}
