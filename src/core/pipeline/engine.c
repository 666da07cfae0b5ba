// SPDX-License-Identifier: Apache-2.0
// The engine of a program: workers, a place for snapshots, and a thread that looks after the jobs.
#include <stdio.h>

#include "core/pipeline/engine_internal.h"
#include "core/pipeline/planner.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/cpu.h"
#include "lib/os/file.h"
#include "lib/os/futex.h"

#define MEMORY_DEFAULT (UINT64_C(1) << 30)

void fil_engine__ring(void *context)
{
    struct fil_stream *stream = context;
    // Sequentially consistent, as the look before the sleep.
    atomic_store_explicit(&stream->is_rung, true, memory_order_seq_cst);
    (void)fil_parker_wake(&stream->parker);
}

void fil_engine__give_up_name(struct fil_stream_job *job)
{
    fil_mutex_lock(&job->stream->mutex);
    fil_list_remove(&job->named);
    fil_list_init(&job->named);
    fil_mutex_unlock(&job->stream->mutex);
}

void fil_engine__forget(struct fil_stream_job *job)
{
    fil_engine__give_up_name(job);
    fil_steward_fini(&job->steward);
    fil_pipeline_free(job->pipeline);
    fil_mutex_fini(&job->mutex);
    fil_free(job);
}

/** Nobody holds the job: it goes, or ends when a resume that came before the release woke it. */
static void drop_job(struct fil_stream_job *job)
{
    if (!fil_steward_is_over(&job->steward)) {
        fil_steward_ask(&job->steward, FIL_STEWARD_CANCEL);
        return;
    }
    fil_list_remove(&job->kept);
    fil_engine__forget(job);
}

/** One job's turn; returns when it wants the next one. */
static uint64_t keep_job(struct fil_stream_job *job, uint64_t now_ns)
{
    enum fil_steward_state before = fil_steward_state(&job->steward);
    fil_mutex_lock(&job->mutex);
    uint64_t next = fil_steward_cycle(&job->steward, now_ns);
    fil_mutex_unlock(&job->mutex);
    if (fil_steward_state(&job->steward) != before) {
        fil_futex_wake(&job->steward.state, UINT32_MAX);
        if (job->stream->on_state != NULL) {
            job->stream->on_state(job->stream->context, job);
        }
    }
    // A1 pairs with R1: whoever released it has done with it.
    if (atomic_load_explicit(&job->is_released, memory_order_acquire)) {
        drop_job(job);
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
    fil_engine__run_errands(stream);
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

static int open_store(struct fil_stream *stream, const struct fil_engine_options *options)
{
    const char *folder = options->folder;
    fil_snapshot_memory_init(&stream->memory);
    stream->store = options->store != NULL ? options->store : &stream->memory.base;
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

static int start_workers(struct fil_stream *stream, const struct fil_engine_options *from)
{
    const struct fil_workers_options options = {.env = stream->env,
                                                .budget = &stream->budget,
                                                .worker_count =
                                                    choose_worker_count(from->worker_count),
                                                .jobs_max = from->jobs_max};
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

static void init_parts(struct fil_stream *stream, const struct fil_engine_options *options)
{
    uint64_t limit = options->memory_bytes == 0 ? MEMORY_DEFAULT : options->memory_bytes;
    if (options->budget == NULL) {
        fil_budget_init(&stream->budget, limit);
    } else {
        fil_budget_init_part(&stream->budget, options->budget, limit);
    }
    fil_stack_init(&stream->arrivals);
    fil_stack_init(&stream->errands);
    fil_parker_init(&stream->parker);
    fil_mutex_init(&stream->mutex);
    fil_mutex_lock(&stream->mutex);
    fil_list_init(&stream->named);
    fil_mutex_unlock(&stream->mutex);
    fil_list_init(&stream->kept);
}

int fil_engine_start(struct fil_stream **out_stream, const struct fil_engine_options *options)
{
    struct fil_stream *stream = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(*stream));
    if (stream == NULL) {
        return FIL_E_NOMEM;
    }
    stream->env = options->env;
    stream->connector = options->connector;
    stream->on_state = options->on_state;
    stream->context = options->context;
    stream->log = options->log;
    stream->log_context = options->log_context;
    init_parts(stream, options);
    int error = open_store(stream, options);
    if (error == FIL_OK) {
        error = start_workers(stream, options);
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

int fil_stream_start(struct fil_stream **out_stream, const struct fil_stream_options *options)
{
    struct fil_engine_options chosen = {.env = fil_env_real()};
    if (options != NULL) {
        chosen.worker_count = options->worker_count;
        chosen.memory_bytes = options->memory_bytes;
        chosen.folder = options->folder;
        chosen.log = options->log;
        chosen.log_context = options->log_context;
    }
    return fil_engine_start(out_stream, &chosen);
}

void fil_stream_stop(struct fil_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    // R2 pairs with A2.
    atomic_store_explicit(&stream->is_stopping, true, memory_order_release);
    fil_engine__ring(stream);
    fil_thread_join(&stream->keeper);
    fil_workers_stop(&stream->workers);
    fil_workers_fini(&stream->workers);
    fil_snapshot_memory_fini(&stream->memory);
    fil_mutex_fini(&stream->mutex);
    fil_free(stream);
}

void fil_engine_read_stats(struct fil_stream *stream, struct fil_engine_stats *out_stats)
{
    *out_stats = (struct fil_engine_stats){.memory_bytes = fil_budget_drawn(&stream->budget)};
    for (uint32_t i = 0; i < stream->workers.count; i++) {
        const struct fil_worker_stats *stats = &stream->workers.items[i].stats;
        out_stats->step_count += fil_counter_read(&stats->step_count);
        out_stats->busy_ns += fil_counter_read(&stats->busy_ns);
        out_stats->overrun_count += fil_counter_read(&stats->overrun_count);
        out_stats->move_count += fil_counter_read(&stats->given_count);
        out_stats->park_count += fil_counter_read(&stats->park_count);
    }
}

struct fil_budget *fil_engine_budget(struct fil_stream *stream)
{
    return &stream->budget;
}
