// SPDX-License-Identifier: Apache-2.0
#include "core/stream/job.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/stream/plan.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/futex.h"

enum {
    STOP_NOT = 0,
    STOP_CANCEL,
    STOP_FAIL
};

static void start_tasklets(struct fil_job *job)
{
    for (uint32_t i = 0; i < job->driver_count; i++) {
        fil_tasklet_wake(&job->drivers[i].tasklet, NULL);
    }
}

/** Threads for the blocking instances, where the workers have theirs. */
static int start_dedicated(struct fil_job *job)
{
    for (uint32_t i = 0; job->workers->is_started && i < job->dedicated_count; i++) {
        int error = fil_worker_start(&job->dedicated[i]);
        if (error != FIL_OK) {
            return error;
        }
    }
    return FIL_OK;
}

static void destroy(struct fil_job *job)
{
    for (uint32_t i = 0; i < job->dedicated_count; i++) {
        fil_worker_stop(&job->dedicated[i]);
    }
    fil_plan_fini(job);
    fil_workers_release(job->workers, job->slot);
    fil_dag_fini(&job->dag);
    fil_free(job);
}

static void take_options(struct fil_job *job, const struct fil_job_options *options)
{
    job->options = *options;
    const char *name = options->name == NULL ? "job" : options->name;
    size_t length = strnlen(name, sizeof(job->name) - 1);
    memcpy(job->name, name, length);
    if (job->options.weight == 0) {
        job->options.weight = 1;
    }
    if (job->options.budget == NULL) {
        job->options.budget = job->workers->options.budget;
    }
}

int fil_job_submit(struct fil_workers *workers, struct fil_dag *dag,
                   const struct fil_job_options *options, struct fil_job **out_job)
{
    int error = fil_dag_check(dag);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_job *job = fil_alloc_zero(1, sizeof(*job));
    if (job == NULL) {
        return FIL_E_NOMEM;
    }
    job->workers = workers;
    take_options(job, options);
    int64_t id = options->restore == NULL ? 0 : options->restore->id;
    atomic_init(&job->barrier_id, id);
    atomic_init(&job->committed_id, id);
    error = fil_dag_clone(&job->dag, dag);
    if (error == FIL_OK) {
        error = fil_workers_claim(workers, job->options.weight, &job->slot);
    }
    if (error != FIL_OK) {
        fil_dag_fini(&job->dag);
        fil_free(job);
        return error;
    }
    error = fil_plan_init(job);
    if (error == FIL_OK) {
        error = start_dedicated(job);
    }
    if (error != FIL_OK) {
        destroy(job);
        return error;
    }
    atomic_init(&job->live_count, job->driver_count);
    *out_job = job;
    start_tasklets(job);
    return FIL_OK;
}

void fil_job_free(struct fil_job *job)
{
    if (job != NULL) {
        fil_assert(fil_job_state(job) != FIL_JOB_RUNNING);
        destroy(job);
    }
}

enum fil_job_state fil_job_state(const struct fil_job *job)
{
    // A2 pairs with R2: all that the job did is seen when it is over.
    return (enum fil_job_state)atomic_load_explicit(&job->state, memory_order_acquire);
}

const char *fil_job_state_name(enum fil_job_state state)
{
    static const char *const names[] = {[FIL_JOB_RUNNING] = "running",
                                        [FIL_JOB_COMPLETED] = "completed",
                                        [FIL_JOB_FAILED] = "failed",
                                        [FIL_JOB_CANCELLED] = "cancelled"};
    fil_assert(state < FIL_COUNT_OF(names));
    return names[state];
}

/** The first reason counts. */
static bool stop(struct fil_job *job, uint32_t reason)
{
    uint32_t expected = STOP_NOT;
    // R1 pairs with A1: what made it stop is written before.
    return atomic_compare_exchange_strong_explicit(&job->stop_reason, &expected, reason,
                                                   memory_order_acq_rel, memory_order_acquire);
}

void fil_job_cancel(struct fil_job *job)
{
    if (stop(job, STOP_CANCEL)) {
        start_tasklets(job);
    }
}

void fil_job_fail(struct fil_job *job, int error, uint32_t vertex, const char *reason)
{
    fil_assert(error != FIL_OK);
    if (stop(job, STOP_FAIL)) {
        job->error = error;
        job->failed_vertex = vertex;
        (void)snprintf(job->reason, sizeof(job->reason), "%s", reason);
        start_tasklets(job);
    }
}

static uint32_t final_state(const struct fil_job *job)
{
    // A1 pairs with R1.
    uint32_t reason = atomic_load_explicit(&job->stop_reason, memory_order_acquire);
    if (reason == STOP_NOT) {
        return FIL_JOB_COMPLETED;
    }
    return reason == STOP_FAIL ? FIL_JOB_FAILED : FIL_JOB_CANCELLED;
}

void fil_job_told_done(struct fil_job *job)
{
    // Release and acquire: the last one sees what all others did.
    uint32_t before = atomic_fetch_sub_explicit(&job->live_count, 1, memory_order_acq_rel);
    fil_assert(before > 0);
    if (before > 1) {
        return;
    }
    _Atomic uint32_t *state = &job->state;
    fil_job_change_fn on_change = job->options.on_change;
    void *context = job->options.context;
    // R2 pairs with A2. Whoever waits may free the job from here on; the wake-up only names the
    // word's address.
    atomic_store_explicit(state, final_state(job), memory_order_release);
    fil_futex_wake(state, UINT32_MAX);
    if (on_change != NULL) {
        on_change(context);
    }
}

int fil_job_wait(struct fil_job *job, int64_t timeout_ns)
{
    while (fil_job_state(job) == FIL_JOB_RUNNING) {
        int result = fil_futex_wait(&job->state, FIL_JOB_RUNNING, timeout_ns);
        if (result == FIL_E_TIMEOUT) {
            return result;
        }
    }
    return FIL_OK;
}

int fil_job_error(const struct fil_job *job)
{
    return fil_job_state(job) == FIL_JOB_FAILED ? job->error : FIL_OK;
}

const char *fil_job_reason(const struct fil_job *job)
{
    return job->reason[0] == '\0' ? fil_error_text(fil_job_error(job)) : job->reason;
}

const char *fil_job_failed_vertex(const struct fil_job *job)
{
    return fil_job_state(job) == FIL_JOB_FAILED ? job->dag.vertices[job->failed_vertex].name : "";
}

/** What the rings behind the vertex have taken. */
static uint64_t count_sent(const struct fil_job *job, uint32_t vertex)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < job->ring_count; i++) {
        const struct fil_ring *ring = &job->rings[i];
        const struct fil_driver *from =
            FIL_CONTAINER_OF(ring->producer, struct fil_driver, tasklet);
        count += from->vertex == vertex ? fil_counter_read(&ring->record_count) : 0;
    }
    return count;
}

void fil_job_vertex_stats(const struct fil_job *job, uint32_t vertex,
                          struct fil_job_vertex_stats *out_stats)
{
    fil_assert(vertex < job->dag.vertex_count);
    *out_stats = (struct fil_job_vertex_stats){.sent_count = count_sent(job, vertex)};
    for (uint32_t i = 0; i < job->dag.vertices[vertex].parallelism; i++) {
        const struct fil_driver *driver = &job->drivers[job->first_driver[vertex] + i];
        const struct fil_tasklet_stats *stats = &driver->tasklet.stats;
        uint64_t longest = fil_counter_read(&stats->longest_ns);
        out_stats->record_count += fil_counter_read(&driver->record_count);
        out_stats->late_count += fil_counter_read(&driver->context.late_count);
        out_stats->busy_ns += fil_counter_read(&stats->busy_ns);
        out_stats->idle_ns += fil_counter_read(&stats->idle_ns);
        out_stats->blocked_ns += fil_counter_read(&stats->blocked_ns);
        out_stats->ready_ns += fil_counter_read(&stats->ready_ns);
        out_stats->step_count += fil_counter_read(&stats->step_count);
        out_stats->overrun_count += fil_counter_read(&stats->overrun_count);
        out_stats->move_count += fil_counter_read(&stats->move_count);
        out_stats->longest_ns = longest > out_stats->longest_ns ? longest : out_stats->longest_ns;
    }
}

/** The vertex whose name it is; the name is not looked at, it may be that of a job that is gone. */
static bool is_ours(const struct fil_job *job, const char *name, uint32_t *out_vertex)
{
    for (uint32_t i = 0; name != NULL && i < job->dag.vertex_count; i++) {
        if (name == job->dag.vertices[i].name) {
            *out_vertex = i;
            return true;
        }
    }
    return false;
}

bool fil_job_find_stuck(const struct fil_job *job, uint64_t before_ns, uint32_t *out_vertex,
                        uint64_t *out_since_ns)
{
    for (uint32_t i = 0; i < job->workers->count; i++) {
        struct fil_worker *worker = &job->workers->items[i];
        // Relaxed: figures, which may belong to two steps; the next look is right.
        const char *name = atomic_load_explicit(&worker->current_name, memory_order_relaxed);
        uint64_t since = atomic_load_explicit(&worker->current_since_ns, memory_order_relaxed);
        if (is_ours(job, name, out_vertex) && since < before_ns) {
            *out_since_ns = since;
            return true;
        }
    }
    return false;
}

uint32_t fil_job_cycle(struct fil_job *job)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < job->dedicated_count; i++) {
        moved += fil_worker_cycle(&job->dedicated[i]);
    }
    return moved;
}
