// SPDX-License-Identifier: Apache-2.0
#include "node/executors.h"

#include <stdio.h>
#include <string.h>

#include "core/exec/invocation.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "node/node_internal.h"

#define STAGE_TEXT_MAX 64U

static const struct fil_metric_family running_family = {
    .name = "filbert_executor_running",
    .help = "Jobs that run right now.",
    .type = FIL_METRIC_GAUGE,
};

struct counted {
    struct fil_metric_family family;
    size_t offset; // in struct fil_executor
};

#define COUNTER(metric_name, metric_help, field)                                \
    {                                                                           \
        {.name = metric_name, .help = metric_help, .type = FIL_METRIC_COUNTER}, \
            offsetof(struct fil_executor, field)                                \
    }

static const struct counted counters[] = {
    COUNTER("filbert_executor_submitted_total", "Jobs and tasks taken.", submitted_count),
    COUNTER("filbert_executor_run_total", "Jobs and tasks run.", run_count),
    COUNTER("filbert_executor_cancelled_total", "Jobs cancelled before they ran.", cancelled_count),
    COUNTER("filbert_executor_expired_total", "Jobs whose deadline passed before they ran.",
            expired_count),
    COUNTER("filbert_executor_rejected_total", "Jobs refused because the queue was full.",
            rejected_count),
    COUNTER("filbert_executor_waits_total", "Times a submitter waited for a full queue.",
            waited_count),
};

static double read_length(void *context)
{
    return (double)fil_executor_queue_length(context);
}

static double read_running(void *context)
{
    struct fil_executor_stats *stats = fil_alloc(sizeof(*stats));
    if (stats == NULL) {
        return 0;
    }
    fil_executor_read(context, stats);
    double running = (double)stats->running_count;
    fil_free(stats);
    return running;
}

static int register_metrics(struct fil_metrics *metrics, struct fil_executor *executor)
{
    char stage[STAGE_TEXT_MAX];
    (void)snprintf(stage, sizeof(stage), "executor/%s", fil_executor_name(executor));
    struct fil_metric_labels labels = FIL_METRIC_LABELS({"executor", fil_executor_name(executor)});
    int error = fil_node__register_crew(metrics, stage, &executor->crew,
                                        executor->crew.options.member_count);
    if (error == FIL_OK) {
        error = fil_node__register_queue(metrics, stage, "jobs", NULL, read_length, executor);
    }
    if (error == FIL_OK) {
        error = fil_metrics_add_function(metrics, &running_family, labels, read_running, executor,
                                         NULL);
    }
    for (size_t i = 0; i < FIL_COUNT_OF(counters) && error == FIL_OK; i++) {
        const void *counter = (const char *)executor + counters[i].offset;
        error = fil_metrics_add_counter(metrics, &counters[i].family, labels, counter, NULL);
    }
    return error;
}

/** Under the mutex; NULL: none of that name. */
static struct fil_executor *find(struct fil_executors *executors, const char *name)
{
    for (uint32_t i = 0; i < executors->count; i++) {
        if (strcmp(fil_executor_name(executors->list[i]), name) == 0) {
            return executors->list[i];
        }
    }
    return NULL;
}

struct fil_executor *fil_executors_find(struct fil_executors *executors, const char *name)
{
    fil_mutex_lock(&executors->mutex);
    struct fil_executor *executor = find(executors, name);
    fil_mutex_unlock(&executors->mutex);
    return executor;
}

/** Not, or not any more, initialised. */
static void free_executor(struct fil_executor *executor, struct fil_worker_kits *kits)
{
    fil_worker_kits_fini(kits);
    fil_free(executor);
}

/** Under the mutex: its threads' kits are in the place that it gets in the list. */
static int new_executor(struct fil_executors *executors, const struct fil_executor_wish *wish,
                        struct fil_executor **out_executor)
{
    struct fil_worker_kits *kits = &executors->kits[executors->count];
    struct fil_executor *executor = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(*executor));
    int error = executor == NULL
                    ? FIL_E_NOMEM
                    : fil_worker_kits_init(kits, executors->exec, wish->name, wish->thread_count);
    if (error != FIL_OK) {
        free_executor(executor, kits);
        return error;
    }
    error = fil_executor_init(executor, &(struct fil_executor_options){
                                            .env = executors->env,
                                            .name = wish->name,
                                            .thread_count = wish->thread_count,
                                            .capacity = wish->capacity,
                                            .policy = wish->policy,
                                            .wait_timeout_ns = executors->wait_timeout_ns,
                                            .in_flight_max = executors->in_flight_max,
                                            .place_timeout_ns = executors->place_timeout_ns,
                                            .outside_max = executors->in_flight_max,
                                            .idle = FIL_IDLE_KIND_BLOCK,
                                            .cpus = executors->cpus,
                                            .hooks = executors->hooks,
                                            .runners = kits->runners,
                                        });
    if (error != FIL_OK) {
        free_executor(executor, kits);
        return error;
    }
    *out_executor = executor;
    return FIL_OK;
}

/** Under the mutex: makes it, and starts it if the others run. */
static int open_executor(struct fil_executors *executors, const struct fil_executor_wish *wish,
                         struct fil_executor **out_executor)
{
    if (find(executors, wish->name) != NULL) {
        return FIL_E_EXISTS;
    }
    if (executors->count == FIL_EXECUTORS_MAX) {
        return FIL_E_LIMIT;
    }
    struct fil_executor *executor = NULL;
    int error = new_executor(executors, wish, &executor);
    if (error != FIL_OK) {
        return error;
    }
    error = executors->is_running ? fil_executor_start(executor) : FIL_OK;
    if (error != FIL_OK) {
        fil_executor_fini(executor);
        free_executor(executor, &executors->kits[executors->count]);
        return error;
    }
    executors->list[executors->count] = executor;
    executors->count++;
    *out_executor = executor;
    // Its figures are worth less than it is: without room for them it works all the same.
    error = register_metrics(executors->metrics, executor);
    return error == FIL_E_NOMEM || error == FIL_E_LIMIT ? FIL_OK : error;
}

int fil_executors_open(struct fil_executors *executors, const struct fil_executor_wish *wish,
                       struct fil_executor **out_executor)
{
    if (wish->name[0] == '\0') {
        return FIL_E_INVALID;
    }
    fil_mutex_lock(&executors->mutex);
    int error = open_executor(executors, wish, out_executor);
    fil_mutex_unlock(&executors->mutex);
    return error;
}

/** What each one may have under way: as many as invocations in all, but of its own. */
static uint32_t in_flight_max(const struct fil_exec *exec, const struct fil_options *options)
{
    uint32_t set = (uint32_t)options->invocation.in_flight_max;
    return set != 0 ? set : fil_exec_partition_count(exec) * FIL_INVOCATIONS_PER_PARTITION;
}

int fil_executors_init(struct fil_executors *executors, struct fil_exec *exec,
                       const struct fil_options *options, struct fil_metrics *metrics,
                       const struct fil_stage_hooks *hooks)
{
    struct fil_executor_wish wishes[FIL_EXECUTORS_MAX];
    char problem[FIL_OPTION_REASON_MAX + 1];
    *executors = (struct fil_executors){
        .env = fil_exec_options(exec)->env,
        .exec = exec,
        .metrics = metrics,
        .hooks = hooks,
        .wait_timeout_ns = options->executor.wait_timeout_ns,
        .in_flight_max = in_flight_max(exec, options),
        .place_timeout_ns = options->invocation.wait_timeout_ns,
    };
    fil_mutex_init(&executors->mutex);
    executors->cpus = fil_options_read_cpus(options->executor.cpus, &executors->cpu_set);
    // The options were checked when they were loaded.
    int count = fil_executors_parse(options, wishes, problem);
    int error = count < 0 ? count : FIL_OK;
    for (int i = 0; error == FIL_OK && i < count; i++) {
        struct fil_executor *executor = NULL;
        error = fil_executors_open(executors, &wishes[i], &executor);
    }
    if (error != FIL_OK) {
        fil_executors_fini(executors);
    }
    return error;
}

void fil_executors_fini(struct fil_executors *executors)
{
    if (executors->env == NULL) {
        return;
    }
    for (uint32_t i = 0; i < executors->count; i++) {
        fil_executor_fini(executors->list[i]);
        free_executor(executors->list[i], &executors->kits[i]);
    }
    executors->count = 0;
    fil_mutex_fini(&executors->mutex);
    executors->env = NULL;
}

/** Under the mutex: stops the first so many. */
static void stop_first(struct fil_executors *executors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fil_executor_stop(executors->list[i]);
    }
}

int fil_executors_start(struct fil_executors *executors)
{
    int error = FIL_OK;
    uint32_t started = 0;
    fil_mutex_lock(&executors->mutex);
    while (error == FIL_OK && started < executors->count) {
        error = fil_executor_start(executors->list[started]);
        started += error == FIL_OK;
    }
    if (error != FIL_OK) {
        stop_first(executors, started);
    }
    executors->is_running = error == FIL_OK;
    fil_mutex_unlock(&executors->mutex);
    return error;
}

void fil_executors_stop(struct fil_executors *executors)
{
    fil_mutex_lock(&executors->mutex);
    executors->is_running = false;
    uint32_t count = executors->count;
    fil_mutex_unlock(&executors->mutex);
    // Without the mutex: jobs that still run may look for others.
    stop_first(executors, count);
}

uint32_t fil_executors_cycle(struct fil_executors *executors)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < executors->count; i++) {
        struct fil_executor *executor = executors->list[i];
        for (uint32_t j = 0; j < executor->crew.options.member_count; j++) {
            moved += fil_executor_cycle(executor, j);
        }
    }
    return moved;
}
