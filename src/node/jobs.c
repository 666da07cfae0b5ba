// SPDX-License-Identifier: Apache-2.0
#include "node/jobs.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "node/job_load.h"

#define NS_A_MS        UINT64_C(1000000)
#define SAMPLE_AGE_NS  UINT64_C(1000000000) // of what rates are told by, at least
#define CANCEL_WAIT_NS UINT64_C(1000000000)
#define SLICE_MS       50 // of a wait

/** On the keeper's thread: tells people, and counts. */
static void note_state(void *context, const struct fil_stream_job *job)
{
    struct fil_jobs *jobs = context;
    enum fil_stream_state state = fil_stream_job_state(job);
    struct fil_counter *counters[] = {[FIL_STREAM_SUSPENDED] = &jobs->stats.suspended,
                                      [FIL_STREAM_COMPLETED] = &jobs->stats.completed,
                                      [FIL_STREAM_FAILED] = &jobs->stats.failed,
                                      [FIL_STREAM_CANCELLED] = &jobs->stats.cancelled,
                                      [FIL_STREAM_STARTING] = &jobs->stats.restarted};
    if (state == FIL_STREAM_RUNNING) {
        return;
    }
    fil_counter_add(counters[state], 1);
    enum fil_log_level level = state == FIL_STREAM_FAILED ? FIL_LOG_ERROR : FIL_LOG_INFO;
    fil_log_event(jobs->options.log, level, "job_state",
                  FIL_F_TEXT("job", fil_stream_job_name(job)),
                  FIL_F_TEXT("state", fil_stream_state_name(state)),
                  FIL_F_TEXT("cause", fil_stream_job_text(job)));
}

/** A record that a job logs; on a stream worker. */
static void log_record(void *context, const char *job, const char *line)
{
    struct fil_jobs *jobs = context;
    fil_log_event(jobs->options.log, FIL_LOG_INFO, "job_record", FIL_F_TEXT("job", job),
                  FIL_F_TEXT("record", line));
}

void fil_jobs_init(struct fil_jobs *jobs, const struct fil_jobs_options *options)
{
    *jobs = (struct fil_jobs){.options = *options};
    jobs->options.engine.on_state = note_state;
    jobs->options.engine.context = jobs;
    jobs->options.engine.log = log_record;
    jobs->options.engine.log_context = jobs;
    fil_mutex_init(&jobs->mutex);
    fil_mutex_lock(&jobs->mutex);
    fil_list_init(&jobs->items);
    jobs->is_closed = true; // until start
    fil_mutex_unlock(&jobs->mutex);
}

void fil_jobs_fini(struct fil_jobs *jobs)
{
    fil_mutex_fini(&jobs->mutex);
}

int fil_jobs_start(struct fil_jobs *jobs)
{
    fil_assert(jobs->stream == NULL);
    int error = fil_engine_start(&jobs->stream, &jobs->options.engine);
    fil_mutex_lock(&jobs->mutex);
    jobs->is_closed = error != FIL_OK;
    fil_mutex_unlock(&jobs->mutex);
    return error;
}

static bool is_over(const struct fil_jobs_item *item)
{
    enum fil_stream_state state = fil_stream_job_state(item->job);
    return state == FIL_STREAM_COMPLETED || state == FIL_STREAM_FAILED ||
           state == FIL_STREAM_CANCELLED;
}

static void free_item(struct fil_jobs_item *item)
{
    fil_list_remove(&item->link);
    fil_stream_job_release(item->job); // nothing runs any more: does not wait
    fil_job_file_fini(&item->file);
    fil_job_output_fini(&item->output);
    fil_free(item);
}

static void drop(struct fil_jobs *jobs, struct fil_jobs_item *item)
    FIL_TSA(requires_capability(jobs->mutex))
{
    fil_assert(jobs->item_count > 0);
    jobs->item_count--;
    free_item(item);
}

/** Forgets light jobs that are over, and of the others those that are too many. */
static void sweep(struct fil_jobs *jobs) FIL_TSA(requires_capability(jobs->mutex))
{
    uint32_t over_count = 0;
    fil_list_foreach_safe(link, next, &jobs->items) {
        struct fil_jobs_item *item = FIL_CONTAINER_OF(link, struct fil_jobs_item, link);
        if (is_over(item)) {
            over_count++;
            if (item->is_light || over_count > FIL_JOBS_HISTORY_MAX) {
                drop(jobs, item);
            }
        }
    }
}

static uint32_t count_live(const struct fil_jobs *jobs) FIL_TSA(requires_capability(jobs->mutex))
{
    uint32_t count = 0;
    fil_list_foreach(link, &jobs->items) {
        count += !is_over(FIL_CONTAINER_OF(link, struct fil_jobs_item, link));
    }
    return count;
}

uint32_t fil_jobs_live_count(struct fil_jobs *jobs)
{
    fil_mutex_lock(&jobs->mutex);
    uint32_t count = count_live(jobs);
    fil_mutex_unlock(&jobs->mutex);
    return count;
}

struct fil_jobs_item *fil_jobs_find(struct fil_jobs *jobs, const char *name)
{
    fil_list_foreach(link, &jobs->items) {
        struct fil_jobs_item *item = FIL_CONTAINER_OF(link, struct fil_jobs_item, link);
        if (strcmp(item->name, name) == 0) {
            return item;
        }
    }
    return NULL;
}

/** Reads the file, or the package; nothing is shared yet. */
static int prepare(struct fil_jobs *jobs, struct fil_bytes text,
                   const struct fil_jobs_submission *how, struct fil_jobs_item **out_item,
                   char *out_reason)
{
    struct fil_jobs_item *item = fil_alloc_zero(1, sizeof(*item));
    if (item == NULL) {
        (void)snprintf(out_reason, FIL_JOBS_REASON_MAX, "%s", fil_error_text(FIL_E_NOMEM));
        return FIL_E_NOMEM;
    }
    fil_list_init(&item->link);
    fil_job_output_init(&item->output, fil_engine_budget(jobs->stream));
    const struct fil_job_load from = {.text = text,
                                      .package = how->package,
                                      .folder = jobs->options.packages,
                                      .bounds = jobs->options.bounds,
                                      .print = fil_job_output_print,
                                      .context = &item->output};
    int error = fil_job_load(&item->file, &from, out_reason, FIL_JOBS_REASON_MAX);
    if (error != FIL_OK) {
        free_item(item);
        return error;
    }
    *out_item = item;
    return FIL_OK;
}

/** Makes room for the name; FIL_E_EXISTS, FIL_E_FULL. */
static int claim(struct fil_jobs *jobs, const char *name, char *out_reason)
    FIL_TSA(requires_capability(jobs->mutex))
{
    uint32_t limit = jobs->options.engine.jobs_max;
    struct fil_jobs_item *other = fil_jobs_find(jobs, name);
    if (jobs->is_closed) {
        (void)snprintf(out_reason, FIL_JOBS_REASON_MAX, "the member is starting or stopping");
        return FIL_E_STOPPING;
    }
    if (other != NULL && !is_over(other)) {
        (void)snprintf(out_reason, FIL_JOBS_REASON_MAX, "there is a job '%s', and it is %s", name,
                       fil_stream_state_name(fil_stream_job_state(other->job)));
        return FIL_E_EXISTS;
    }
    if (count_live(jobs) >= limit) {
        (void)snprintf(out_reason, FIL_JOBS_REASON_MAX,
                       "there are %u jobs, as many as stream.jobs_max allows", limit);
        return FIL_E_FULL;
    }
    if (other != NULL) {
        drop(jobs, other);
    }
    return FIL_OK;
}

static int launch(struct fil_jobs *jobs, struct fil_jobs_item *item,
                  const struct fil_jobs_submission *how, char *out_reason)
    FIL_TSA(requires_capability(jobs->mutex))
{
    struct fil_stream_job_options options = item->file.options;
    options.parallelism = how->parallelism == 0 ? options.parallelism : how->parallelism;
    options.weight = how->weight == 0 ? options.weight : how->weight;
    options.start_from = how->start_from;
    options.is_new = how->is_new;
    if (how->is_light) {
        options.guarantee = FIL_GUARANTEE_NONE;
    }
    int error = fil_stream_submit(jobs->stream, item->file.pipeline, &options, &item->job);
    if (error != FIL_OK) {
        const char *text = fil_pipeline_text(item->file.pipeline);
        (void)snprintf(out_reason, FIL_JOBS_REASON_MAX, "%s",
                       text[0] == '\0' ? fil_error_text(error) : text);
        return error;
    }
    item->is_light = how->is_light;
    item->submitted_ns = fil_env_now_ns(jobs->options.engine.env);
    item->submitted_ms = fil_env_wall_ns(jobs->options.engine.env) / NS_A_MS;
    item->samples[0].time_ns = item->submitted_ns;
    item->samples[1].time_ns = item->submitted_ns;
    fil_list_push_front(&jobs->items, &item->link);
    jobs->item_count++;
    return FIL_OK;
}

static int enter(struct fil_jobs *jobs, struct fil_jobs_item *item,
                 const struct fil_jobs_submission *how, char *out_reason)
    FIL_TSA(requires_capability(jobs->mutex))
{
    sweep(jobs);
    item->name = fil_pipeline_name(item->file.pipeline);
    int error = claim(jobs, item->name, out_reason);
    return error == FIL_OK ? launch(jobs, item, how, out_reason) : error;
}

int fil_jobs_submit(struct fil_jobs *jobs, struct fil_bytes text,
                    const struct fil_jobs_submission *how, char out_name[FIL_ENGINE_NAME_MAX],
                    char out_reason[FIL_JOBS_REASON_MAX])
{
    struct fil_jobs_item *item = NULL;
    out_reason[0] = '\0';
    if (jobs->stream == NULL) {
        (void)snprintf(out_reason, FIL_JOBS_REASON_MAX, "this member runs no jobs");
        return FIL_E_STOPPING;
    }
    int error = prepare(jobs, text, how, &item, out_reason);
    fil_mutex_lock(&jobs->mutex);
    if (error == FIL_OK) {
        (void)snprintf(out_name, FIL_ENGINE_NAME_MAX, "%s", fil_pipeline_name(item->file.pipeline));
        error = enter(jobs, item, how, out_reason);
        if (error != FIL_OK) {
            free_item(item);
        }
    }
    fil_counter_add(error == FIL_OK ? &jobs->stats.submitted : &jobs->stats.refused, 1);
    fil_mutex_unlock(&jobs->mutex);
    return error;
}

static bool can_do(enum fil_stream_state state, enum fil_jobs_request request)
{
    bool is_suspended = state == FIL_STREAM_SUSPENDED;
    bool is_running = state == FIL_STREAM_RUNNING || state == FIL_STREAM_STARTING;
    if (request == FIL_JOBS_RESUME) {
        return is_suspended;
    }
    return is_running || (is_suspended && request == FIL_JOBS_CANCEL);
}

static void ask(struct fil_stream_job *job, enum fil_jobs_request request)
{
    if (request == FIL_JOBS_CANCEL) {
        fil_stream_job_cancel(job);
    } else if (request == FIL_JOBS_SUSPEND) {
        fil_stream_job_suspend(job);
    } else if (request == FIL_JOBS_RESUME) {
        fil_stream_job_resume(job);
    } else {
        fil_assert(request == FIL_JOBS_RESTART);
        fil_stream_job_restart(job);
    }
}

int fil_jobs_ask(struct fil_jobs *jobs, const char *name, enum fil_jobs_request request)
{
    fil_mutex_lock(&jobs->mutex);
    struct fil_jobs_item *item = fil_jobs_find(jobs, name);
    int error = item == NULL ? FIL_E_NOT_FOUND : FIL_OK;
    if (item != NULL && !can_do(fil_stream_job_state(item->job), request)) {
        error = FIL_E_INVALID;
    }
    if (error == FIL_OK) {
        ask(item->job, request);
    }
    fil_mutex_unlock(&jobs->mutex);
    return error;
}

int fil_jobs_export(struct fil_jobs *jobs, const char *name, const char *snapshot)
{
    fil_mutex_lock(&jobs->mutex);
    struct fil_jobs_item *item = fil_jobs_find(jobs, name);
    int error = FIL_E_NOT_FOUND;
    if (item != NULL) {
        error = is_over(item) ? FIL_E_INVALID : fil_stream_job_export(item->job, snapshot);
    }
    fil_mutex_unlock(&jobs->mutex);
    return error;
}

int fil_jobs_list_snapshots(struct fil_jobs *jobs, fil_stream_name_fn each, void *context)
{
    // Under the mutex, so that the engine does not end meanwhile.
    fil_mutex_lock(&jobs->mutex);
    int error =
        jobs->is_closed ? FIL_E_STOPPING : fil_stream_list_snapshots(jobs->stream, each, context);
    fil_mutex_unlock(&jobs->mutex);
    return error;
}

int fil_jobs_remove_snapshot(struct fil_jobs *jobs, const char *snapshot)
{
    fil_mutex_lock(&jobs->mutex);
    int error =
        jobs->is_closed ? FIL_E_STOPPING : fil_stream_remove_snapshot(jobs->stream, snapshot);
    fil_mutex_unlock(&jobs->mutex);
    return error;
}

int fil_jobs_forget(struct fil_jobs *jobs, const char *name)
{
    fil_mutex_lock(&jobs->mutex);
    struct fil_jobs_item *item = fil_jobs_find(jobs, name);
    int error = item == NULL ? FIL_E_NOT_FOUND : FIL_OK;
    if (item != NULL && !is_over(item)) {
        error = FIL_E_EXISTS;
    }
    if (error == FIL_OK) {
        drop(jobs, item);
    }
    fil_mutex_unlock(&jobs->mutex);
    return error;
}

void fil_jobs_sample(struct fil_jobs_item *item, uint64_t now_ns)
{
    struct fil_jobs_sample *newer = &item->samples[1];
    if (now_ns - newer->time_ns < SAMPLE_AGE_NS) {
        return;
    }
    item->samples[0] = *newer;
    newer->time_ns = now_ns;
    for (uint32_t i = 0; i < fil_stream_job_vertex_count(item->job); i++) {
        struct fil_stream_vertex vertex;
        fil_stream_job_read_vertex(item->job, i, &vertex);
        newer->received[i] = vertex.received_count;
        newer->sent[i] = vertex.sent_count;
    }
}

struct fil_jobs_rate fil_jobs_rate(const struct fil_jobs_item *item, uint32_t vertex,
                                   const struct fil_stream_vertex *figures, uint64_t now_ns)
{
    const struct fil_jobs_sample *from = &item->samples[0];
    double seconds = (double)(now_ns - from->time_ns) / 1e9;
    if (seconds <= 0) {
        return (struct fil_jobs_rate){0};
    }
    return (struct fil_jobs_rate){
        .received = (double)(figures->received_count - from->received[vertex]) / seconds,
        .sent = (double)(figures->sent_count - from->sent[vertex]) / seconds};
}

/** Waits for the job until the time is over, or somebody hurries. */
static bool wait_for(struct fil_jobs *jobs, const struct fil_jobs_item *item, uint64_t end_ns)
{
    bool is_hurried = false;
    int64_t left_ms = 0;
    do {
        uint64_t now_ns = fil_env_now_ns(jobs->options.engine.env);
        left_ms = now_ns < end_ns ? (int64_t)((end_ns - now_ns) / NS_A_MS) : 0;
        if (fil_stream_job_wait(item->job, left_ms < SLICE_MS ? left_ms : SLICE_MS) == FIL_OK) {
            return true;
        }
        // Relaxed: the next look sees it.
        is_hurried = atomic_load_explicit(&jobs->is_hurried, memory_order_relaxed);
    } while (left_ms > 0 && !is_hurried);
    return false;
}

/** The same; what holds the job is told. */
static bool await(struct fil_jobs *jobs, const struct fil_jobs_item *item, uint64_t end_ns)
{
    if (wait_for(jobs, item, end_ns)) {
        return true;
    }
    struct fil_stream_job_stuck stuck;
    bool is_stuck = fil_stream_job_find_stuck(item->job, &stuck);
    fil_log_event(jobs->options.log, FIL_LOG_WARN, "job_does_not_end",
                  FIL_F_TEXT("job", item->name), FIL_F_TEXT("vertex", is_stuck ? stuck.vertex : ""),
                  FIL_F_NS("in_one_step_for", is_stuck ? stuck.since_ns : 0));
    return false;
}

static void ask_all(struct fil_jobs *jobs, bool is_hurried)
    FIL_TSA(requires_capability(jobs->mutex))
{
    fil_list_foreach(link, &jobs->items) {
        struct fil_jobs_item *item = FIL_CONTAINER_OF(link, struct fil_jobs_item, link);
        bool is_kept =
            item->file.options.guarantee != FIL_GUARANTEE_NONE && !is_hurried && !item->is_light;
        if (can_do(fil_stream_job_state(item->job), FIL_JOBS_SUSPEND)) {
            ask(item->job, is_kept ? FIL_JOBS_SUSPEND : FIL_JOBS_CANCEL);
        }
    }
}

/** Whether all have ended by then. */
static bool await_all(struct fil_jobs *jobs, uint64_t end_ns)
    FIL_TSA(requires_capability(jobs->mutex))
{
    bool is_over = true;
    fil_list_foreach(link, &jobs->items) {
        is_over &= await(jobs, FIL_CONTAINER_OF(link, struct fil_jobs_item, link), end_ns);
    }
    return is_over;
}

void fil_jobs_close(struct fil_jobs *jobs)
{
    struct fil_env *env = jobs->options.engine.env;
    fil_mutex_lock(&jobs->mutex);
    if (!jobs->is_closed) {
        jobs->is_closed = true;
        ask_all(jobs, false);
        bool is_good = await_all(jobs, fil_env_now_ns(env) + jobs->options.stop_timeout_ns);
        if (!is_good) {
            // Relaxed: whoever hurries comes too late for what follows.
            atomic_store_explicit(&jobs->is_hurried, false, memory_order_relaxed);
            ask_all(jobs, true);
            is_good = await_all(jobs, fil_env_now_ns(env) + CANCEL_WAIT_NS);
        }
        jobs->has_stuck = !is_good;
    }
    fil_mutex_unlock(&jobs->mutex);
}

void fil_jobs_hurry(struct fil_jobs *jobs)
{
    // Relaxed: see wait_for.
    atomic_store_explicit(&jobs->is_hurried, true, memory_order_relaxed);
}

bool fil_jobs_stop(struct fil_jobs *jobs)
{
    if (jobs->stream == NULL) {
        return true;
    }
    fil_jobs_close(jobs);
    fil_mutex_lock(&jobs->mutex);
    bool is_good = !jobs->has_stuck;
    while (is_good && !fil_list_is_empty(&jobs->items)) {
        drop(jobs, FIL_CONTAINER_OF(jobs->items.next, struct fil_jobs_item, link));
    }
    fil_mutex_unlock(&jobs->mutex);
    if (is_good) {
        fil_stream_stop(jobs->stream);
        jobs->stream = NULL;
    }
    return is_good;
}
