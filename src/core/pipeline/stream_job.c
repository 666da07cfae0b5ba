// SPDX-License-Identifier: Apache-2.0
// The jobs of an engine: how they come, what they can be asked, how they go.
#include <string.h>

#include "core/pipeline/engine_internal.h"
#include "core/pipeline/pipeline_internal.h"
#include "core/pipeline/planner.h"
#include "core/stream/dag_text.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/futex.h"

#define NS_A_MS  UINT64_C(1000000)
#define STUCK_NS UINT64_C(1000000000)

static int init_steward(struct fil_stream_job *job, struct fil_dag *dag,
                        const struct fil_stream_job_options *options)
{
    struct fil_stream *stream = job->stream;
    const struct fil_steward_options steward = {.name = job->pipeline->name,
                                                .workers = &stream->workers,
                                                .store = stream->store,
                                                .guarantee = options->guarantee,
                                                .interval_ns = options->interval_ms * NS_A_MS,
                                                .restart_max = options->restart_max,
                                                .start_from = options->start_from,
                                                .is_new = options->is_new,
                                                .weight = options->weight,
                                                .budget = &stream->budget,
                                                .on_change = fil_engine__ring,
                                                .context = stream};
    char text[FIL_STEWARD_TEXT_MAX];
    int error = fil_steward_init(&job->steward, dag, &steward, text);
    if (error != FIL_OK) {
        fil_pipeline__blame(job->pipeline, NULL, error, "%s", text);
    }
    return error;
}

/** Structures need a member. */
static int check_grid(struct fil_stream_job *job)
{
    struct fil_pipeline *pipeline = job->pipeline;
    for (uint32_t i = 0; job->stream->connector == NULL && i < pipeline->stage_count; i++) {
        const struct fil_stage *stage = pipeline->stages[i];
        if (stage->connection != NULL) {
            fil_pipeline__blame(pipeline, stage, FIL_E_UNSUPPORTED,
                                "'%s' is a structure of a member: submit the job to one",
                                stage->connection->name);
        }
    }
    return pipeline->error;
}

/** Sinks that log use the engine's log, if it has one. */
static int give_log(struct fil_stream_job *job)
{
    struct fil_pipeline *pipeline = job->pipeline;
    for (uint32_t i = 0; i < pipeline->stage_count; i++) {
        struct fil_stage *stage = pipeline->stages[i];
        if (stage->kind == FIL_STAGE_LOG && job->stream->log == NULL) {
            fil_pipeline__blame(pipeline, stage, FIL_E_UNSUPPORTED,
                                "this engine has no log: see struct fil_stream_options");
        } else if (stage->kind == FIL_STAGE_LOG) {
            stage->function.log = job->stream->log;
            stage->context = job->stream->log_context;
        }
    }
    return pipeline->error;
}

static int plan_job(struct fil_stream_job *job, const struct fil_stream_job_options *options)
{
    struct fil_dag dag;
    fil_dag_init(&dag);
    uint32_t parallelism =
        options->parallelism == 0 ? job->stream->workers.count : options->parallelism;
    int error = check_grid(job);
    error = error == FIL_OK ? give_log(job) : error;
    if (error == FIL_OK && options->weight > FIL_STREAM_WEIGHT_MAX) {
        error = FIL_E_INVALID;
        fil_pipeline__blame(job->pipeline, NULL, error, "a weight of %u: it is one from 1 to %d",
                            options->weight, FIL_STREAM_WEIGHT_MAX);
    }
    if (error == FIL_OK) {
        error = fil_planner_plan(job->pipeline, parallelism, job->stream->connector, &dag);
    }
    if (error == FIL_OK) {
        error = init_steward(job, &dag, options);
    }
    fil_dag_fini(&dag);
    return error;
}

/** Takes the name; false when another job has it. */
static bool claim_name(struct fil_stream_job *job)
{
    struct fil_stream *stream = job->stream;
    bool is_free = true;
    fil_mutex_lock(&stream->mutex);
    fil_list_foreach(item, &stream->named) {
        const struct fil_stream_job *other = FIL_CONTAINER_OF(item, struct fil_stream_job, named);
        is_free = is_free && strcmp(other->pipeline->name, job->pipeline->name) != 0;
    }
    if (is_free) {
        fil_list_push_back(&stream->named, &job->named);
    }
    fil_mutex_unlock(&stream->mutex);
    return is_free;
}

int fil_stream_submit(struct fil_stream *stream, struct fil_pipeline *pipeline,
                      const struct fil_stream_job_options *options, struct fil_stream_job **out_job)
{
    const struct fil_stream_job_options chosen =
        options == NULL ? (struct fil_stream_job_options){0} : *options;
    struct fil_stream_job *job = fil_alloc_zero(1, sizeof(*job));
    if (job == NULL) {
        return FIL_E_NOMEM;
    }
    fil_list_init(&job->named);
    fil_list_init(&job->kept);
    fil_mutex_init(&job->mutex);
    job->stream = stream;
    job->pipeline = pipeline;
    fil_pipeline_ref(pipeline);
    int error = plan_job(job, &chosen);
    if (error == FIL_OK && !claim_name(job)) {
        error = FIL_E_EXISTS;
    }
    if (error != FIL_OK) {
        fil_engine__forget(job);
        return error;
    }
    *out_job = job;
    (void)fil_stack_push(&stream->arrivals, &job->arrival);
    fil_engine__ring(stream);
    return FIL_OK;
}

int fil_stream_run(struct fil_stream *stream, struct fil_pipeline *pipeline,
                   const struct fil_stream_job_options *options)
{
    struct fil_stream_job *job = NULL;
    int error = fil_stream_submit(stream, pipeline, options, &job);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_stream_job_wait(job, -1);
    enum fil_stream_state state = fil_stream_job_state(job);
    if (error == FIL_OK && state != FIL_STREAM_COMPLETED) {
        error = state == FIL_STREAM_FAILED ? fil_stream_job_error(job) : FIL_E_CANCELLED;
    }
    fil_stream_job_release(job);
    return error;
}

enum fil_stream_state fil_stream_job_state(const struct fil_stream_job *job)
{
    _Static_assert((int)FIL_STREAM_CANCELLED == (int)FIL_STEWARD_CANCELLED, "the same states");
    return (enum fil_stream_state)fil_steward_state(&job->steward);
}

const char *fil_stream_state_name(enum fil_stream_state state)
{
    return fil_steward_state_name((enum fil_steward_state)state);
}

int fil_stream_job_error(const struct fil_stream_job *job)
{
    return fil_stream_job_state(job) == FIL_STREAM_FAILED ? job->steward.error : FIL_OK;
}

const char *fil_stream_job_text(const struct fil_stream_job *job)
{
    return fil_stream_job_state(job) == FIL_STREAM_FAILED ? job->steward.text : "";
}

int fil_stream_job_wait(struct fil_stream_job *job, int64_t timeout_ms)
{
    int64_t timeout_ns = timeout_ms < 0 ? FIL_WAIT_FOREVER : timeout_ms * (int64_t)NS_A_MS;
    while (!fil_steward_is_over(&job->steward)) {
        uint32_t state = (uint32_t)fil_steward_state(&job->steward);
        bool is_waiting = state == FIL_STEWARD_STARTING || state == FIL_STEWARD_RUNNING;
        if (is_waiting && fil_futex_wait(&job->steward.state, state, timeout_ns) == FIL_E_TIMEOUT) {
            return FIL_E_TIMEOUT;
        }
    }
    return FIL_OK;
}

void fil_stream_job_cancel(struct fil_stream_job *job)
{
    fil_steward_ask(&job->steward, FIL_STEWARD_CANCEL);
}

void fil_stream_job_suspend(struct fil_stream_job *job)
{
    fil_steward_ask(&job->steward, FIL_STEWARD_SUSPEND);
}

void fil_stream_job_resume(struct fil_stream_job *job)
{
    fil_steward_ask(&job->steward, FIL_STEWARD_RESUME);
}

void fil_stream_job_restart(struct fil_stream_job *job)
{
    fil_steward_ask(&job->steward, FIL_STEWARD_RESTART);
}

int fil_stream_job_export(struct fil_stream_job *job, const char *name)
{
    return fil_steward_export(&job->steward, name);
}

void fil_stream_job_release(struct fil_stream_job *job)
{
    if (job == NULL) {
        return;
    }
    if (!fil_steward_is_over(&job->steward)) {
        fil_stream_job_cancel(job);
    }
    int error = fil_stream_job_wait(job, -1);
    fil_assert(error == FIL_OK);
    struct fil_stream *stream = job->stream;
    fil_engine__give_up_name(job);
    // R1 pairs with A1: from here on the keeper frees it.
    atomic_store_explicit(&job->is_released, true, memory_order_release);
    fil_engine__ring(stream);
}

void fil_stream_job_write_graph(const struct fil_stream_job *job, bool is_json,
                                struct fil_writer *writer)
{
    if (is_json) {
        fil_dag_write_json(&job->steward.dag, writer);
    } else {
        fil_dag_write_dot(&job->steward.dag, job->pipeline->name, writer);
    }
}

void fil_stream_job_read_figures(const struct fil_stream_job *job,
                                 struct fil_stream_job_figures *out_figures)
{
    const struct fil_steward_stats *stats = &job->steward.stats;
    *out_figures = (struct fil_stream_job_figures){
        .snapshot_count = fil_counter_read(&stats->snapshot_count),
        .failed_snapshot_count = fil_counter_read(&stats->failed_snapshot_count),
        .restart_count = fil_counter_read(&stats->restart_count),
        .last_snapshot_bytes = fil_counter_read(&stats->last_snapshot_bytes),
        .last_snapshot_ns = fil_counter_read(&stats->last_snapshot_ns)};
}

uint32_t fil_stream_job_vertex_count(const struct fil_stream_job *job)
{
    return job->steward.dag.vertex_count;
}

void fil_stream_job_read_vertex(struct fil_stream_job *job, uint32_t number,
                                struct fil_stream_vertex *out_vertex)
{
    _Static_assert(FIL_ENGINE_NAME_MAX == FIL_DAG_NAME_MAX, "the same names");
    _Static_assert(FIL_ENGINE_VERTICES_MAX == FIL_DAG_VERTICES_MAX, "the same graphs");
    fil_assert(number < job->steward.dag.vertex_count);
    const struct fil_dag_vertex *vertex = &job->steward.dag.vertices[number];
    struct fil_job_vertex_stats stats;
    fil_mutex_lock(&job->mutex);
    fil_steward_vertex_stats(&job->steward, number, &stats);
    fil_mutex_unlock(&job->mutex);
    *out_vertex = (struct fil_stream_vertex){.parallelism = vertex->parallelism,
                                             .received_count = stats.record_count,
                                             .sent_count = stats.sent_count,
                                             .late_count = stats.late_count,
                                             .busy_ns = stats.busy_ns,
                                             .idle_ns = stats.idle_ns,
                                             .blocked_ns = stats.blocked_ns,
                                             .overrun_count = stats.overrun_count,
                                             .longest_ns = stats.longest_ns,
                                             .move_count = stats.move_count};
    memcpy(out_vertex->name, vertex->name, sizeof(out_vertex->name));
}

const char *fil_stream_job_name(const struct fil_stream_job *job)
{
    return job->pipeline->name;
}

bool fil_stream_job_find_stuck(struct fil_stream_job *job, struct fil_stream_job_stuck *out_stuck)
{
    uint32_t vertex = 0;
    uint64_t now_ns = fil_env_now_ns(job->stream->env);
    fil_mutex_lock(&job->mutex);
    const struct fil_job *running = job->steward.job;
    bool is_stuck = running != NULL &&
                    fil_job_find_stuck(running, now_ns - STUCK_NS, &vertex, &out_stuck->since_ns);
    if (is_stuck) {
        out_stuck->since_ns = now_ns - out_stuck->since_ns;
        memcpy(out_stuck->vertex, running->dag.vertices[vertex].name, FIL_DAG_NAME_MAX);
    }
    fil_mutex_unlock(&job->mutex);
    return is_stuck;
}
