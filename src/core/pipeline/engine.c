// SPDX-License-Identifier: Apache-2.0
// The engine of a program: workers, a place for snapshots, and a thread that looks after the jobs.
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/pipeline/pipeline_internal.h"
#include "core/pipeline/planner.h"
#include "core/stream/steward.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/conc/parker.h"
#include "lib/conc/stack.h"
#include "lib/os/cpu.h"
#include "lib/os/file.h"
#include "lib/os/futex.h"
#include "lib/os/mutex.h"
#include "lib/os/thread.h"

#define MEMORY_DEFAULT  (UINT64_C(1) << 30)
#define NS_A_MS         UINT64_C(1000000)
#define FOLDER_PATH_MAX 512U

struct fil_stream_job {
    // Set by submit, then read-only.
    struct fil_stream *stream;
    struct fil_pipeline *pipeline;
    struct fil_steward steward;

    // Shared.
    struct fil_link arrival;
    _Atomic bool is_released;

    struct fil_list named; // guarded by the stream's mutex

    // The keeper's own.
    struct fil_list kept;
};

struct fil_stream {
    // Set by start, then read-only.
    struct fil_env *env;
    struct fil_budget budget;
    struct fil_workers workers;
    struct fil_snapshot_memory memory;
    struct fil_snapshot_folder folder;
    struct fil_snapshot_store *store;
    char path[FOLDER_PATH_MAX];
    struct fil_thread keeper;

    // Shared.
    struct fil_stack arrivals;
    struct fil_parker parker;
    _Atomic bool is_rung;
    _Atomic bool is_stopping;
    struct fil_mutex mutex;
    struct fil_list named; // guarded by the mutex

    // The keeper's own.
    struct fil_list kept;
};

static void ring(void *context)
{
    struct fil_stream *stream = context;
    // Sequentially consistent, as the look before the sleep.
    atomic_store_explicit(&stream->is_rung, true, memory_order_seq_cst);
    (void)fil_parker_wake(&stream->parker);
}

static void forget(struct fil_stream_job *job)
{
    fil_mutex_lock(&job->stream->mutex);
    fil_list_remove(&job->named);
    fil_mutex_unlock(&job->stream->mutex);
    fil_steward_fini(&job->steward);
    fil_pipeline_free(job->pipeline);
    fil_free(job);
}

/** One job's turn; returns when it wants the next one. */
static uint64_t keep_job(struct fil_stream_job *job, uint64_t now_ns)
{
    enum fil_steward_state before = fil_steward_state(&job->steward);
    uint64_t next = fil_steward_cycle(&job->steward, now_ns);
    if (fil_steward_state(&job->steward) != before) {
        fil_futex_wake(&job->steward.state, UINT32_MAX);
    }
    // A1 pairs with R1: whoever released it has done with it.
    if (atomic_load_explicit(&job->is_released, memory_order_acquire) &&
        fil_steward_is_over(&job->steward)) {
        fil_list_remove(&job->kept);
        forget(job);
    }
    return next;
}

static uint64_t keep_all(struct fil_stream *stream)
{
    struct fil_link *link = fil_stack_take_all(&stream->arrivals);
    while (link != NULL) {
        struct fil_stream_job *job = FIL_CONTAINER_OF(link, struct fil_stream_job, arrival);
        link = link->next;
        fil_list_push_back(&stream->kept, &job->kept);
    }
    uint64_t now_ns = fil_env_now_ns(stream->env);
    uint64_t next = FIL_TASKLET_NEVER;
    fil_list_foreach_safe(item, after, &stream->kept) {
        uint64_t wanted = keep_job(FIL_CONTAINER_OF(item, struct fil_stream_job, kept), now_ns);
        next = wanted < next ? wanted : next;
    }
    return next;
}

static void sleep_until(struct fil_stream *stream, uint64_t next_ns)
{
    int64_t timeout = FIL_WAIT_FOREVER;
    if (next_ns != FIL_TASKLET_NEVER) {
        uint64_t now_ns = fil_env_now_ns(stream->env);
        timeout = next_ns <= now_ns ? 0 : (int64_t)(next_ns - now_ns);
    }
    fil_parker_prepare(&stream->parker);
    // Sequentially consistent, as the bell: either it is seen here or the parker is woken.
    bool is_rung = atomic_exchange_explicit(&stream->is_rung, false, memory_order_seq_cst);
    if (is_rung || timeout == 0) {
        fil_parker_cancel(&stream->parker);
    } else {
        fil_parker_park(&stream->parker, timeout);
    }
}

static void run_keeper(void *context)
{
    struct fil_stream *stream = context;
    for (;;) {
        uint64_t next = keep_all(stream);
        // A2 pairs with R2.
        if (atomic_load_explicit(&stream->is_stopping, memory_order_acquire) &&
            fil_list_is_empty(&stream->kept)) {
            break;
        }
        sleep_until(stream, next);
    }
}

static int open_store(struct fil_stream *stream, const char *folder)
{
    fil_snapshot_memory_init(&stream->memory);
    stream->store = &stream->memory.base;
    if (folder == NULL) {
        return FIL_OK;
    }
    int size = snprintf(stream->path, sizeof(stream->path), "%s", folder);
    if (size <= 0 || (uint32_t)size >= sizeof(stream->path)) {
        return FIL_E_LIMIT;
    }
    fil_snapshot_folder_init(&stream->folder, stream->env, stream->path);
    stream->store = &stream->folder.base;
    return fil_folder_make(stream->path);
}

static int start_workers(struct fil_stream *stream, uint32_t worker_count)
{
    const struct fil_workers_options options = {
        .env = stream->env, .budget = &stream->budget, .worker_count = worker_count};
    int error = fil_workers_init(&stream->workers, &options);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_workers_start(&stream->workers);
    if (error == FIL_OK) {
        error = fil_thread_start(&stream->keeper, "stream/keeper", run_keeper, stream);
    }
    if (error != FIL_OK) {
        fil_workers_stop(&stream->workers);
        fil_workers_fini(&stream->workers);
    }
    return error;
}

static uint32_t choose_worker_count(uint32_t wanted)
{
    uint32_t count = wanted;
    if (count == 0) {
        struct fil_machine machine;
        fil_machine_read(&machine, "/");
        count = machine.cpu_count;
    }
    return count > FIL_WORKERS_MAX ? FIL_WORKERS_MAX : count;
}

int fil_stream_start(struct fil_stream **out_stream, const struct fil_stream_options *options)
{
    const struct fil_stream_options chosen =
        options == NULL ? (struct fil_stream_options){0} : *options;
    struct fil_stream *stream = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(*stream));
    if (stream == NULL) {
        return FIL_E_NOMEM;
    }
    stream->env = fil_env_real();
    fil_budget_init(&stream->budget,
                    chosen.memory_bytes == 0 ? MEMORY_DEFAULT : chosen.memory_bytes);
    fil_stack_init(&stream->arrivals);
    fil_parker_init(&stream->parker);
    fil_mutex_init(&stream->mutex);
    fil_mutex_lock(&stream->mutex);
    fil_list_init(&stream->named);
    fil_mutex_unlock(&stream->mutex);
    fil_list_init(&stream->kept);
    int error = open_store(stream, chosen.folder);
    if (error == FIL_OK) {
        error = start_workers(stream, choose_worker_count(chosen.worker_count));
    }
    if (error != FIL_OK) {
        fil_snapshot_memory_fini(&stream->memory);
        fil_mutex_fini(&stream->mutex);
        fil_free(stream);
        return error;
    }
    *out_stream = stream;
    return FIL_OK;
}

void fil_stream_stop(struct fil_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    // R2 pairs with A2.
    atomic_store_explicit(&stream->is_stopping, true, memory_order_release);
    ring(stream);
    fil_thread_join(&stream->keeper);
    fil_workers_stop(&stream->workers);
    fil_workers_fini(&stream->workers);
    fil_snapshot_memory_fini(&stream->memory);
    fil_mutex_fini(&stream->mutex);
    fil_free(stream);
}

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
                                                .budget = &stream->budget,
                                                .on_change = ring,
                                                .context = stream};
    char text[FIL_STEWARD_TEXT_MAX];
    int error = fil_steward_init(&job->steward, dag, &steward, text);
    if (error != FIL_OK) {
        fil_pipeline__blame(job->pipeline, NULL, error, "%s", text);
    }
    return error;
}

static int plan_job(struct fil_stream_job *job, const struct fil_stream_job_options *options)
{
    struct fil_dag dag;
    fil_dag_init(&dag);
    uint32_t parallelism =
        options->parallelism == 0 ? job->stream->workers.count : options->parallelism;
    int error = fil_planner_plan(job->pipeline, parallelism, &dag);
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
    job->stream = stream;
    job->pipeline = pipeline;
    fil_pipeline_ref(pipeline);
    int error = plan_job(job, &chosen);
    if (error == FIL_OK && !claim_name(job)) {
        error = FIL_E_EXISTS;
    }
    if (error != FIL_OK) {
        forget(job);
        return error;
    }
    *out_job = job;
    (void)fil_stack_push(&stream->arrivals, &job->arrival);
    ring(stream);
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
    // R1 pairs with A1: from here on the keeper frees it.
    atomic_store_explicit(&job->is_released, true, memory_order_release);
    ring(stream);
}
