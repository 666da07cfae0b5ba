// SPDX-License-Identifier: Apache-2.0
// The job's side of snapshots: who has saved, committed and ended.
#include <stddef.h>

#include "core/stream/job.h"
#include "lib/base/assert.h"

static void wake_all(struct fil_job *job)
{
    for (uint32_t i = 0; i < job->driver_count; i++) {
        fil_tasklet_wake(&job->drivers[i].tasklet, NULL);
    }
}

static void tell_change(const struct fil_job *job)
{
    // The job is not over while the calling instance is in a step.
    if (job->options.on_change != NULL) {
        job->options.on_change(job->options.context);
    }
}

int64_t fil_job_barrier(const struct fil_job *job)
{
    // A3 pairs with R3: the count of those that have saved starts from 0 before.
    return atomic_load_explicit(&job->barrier_id, memory_order_acquire);
}

bool fil_job_is_terminal(const struct fil_job *job, int64_t barrier)
{
    // Relaxed: it is written before the barrier's number, which the caller has read (A3).
    return atomic_load_explicit(&job->terminal_id, memory_order_relaxed) == barrier;
}

bool fil_job_can_save(const struct fil_job *job)
{
    // A5 pairs with R5: those that had to end first are gone from the edges' way.
    return atomic_load_explicit(&job->prior_count, memory_order_acquire) == 0;
}

int64_t fil_job_request_barrier(struct fil_job *job, bool is_terminal)
{
    fil_assert(fil_job_can_save(job));
    int64_t id = fil_job_barrier(job) + 1;
    // Relaxed, both: R3 publishes them.
    atomic_store_explicit(&job->saved_count, 0, memory_order_relaxed);
    if (is_terminal) {
        atomic_store_explicit(&job->terminal_id, id, memory_order_relaxed);
    }
    // R3 pairs with A3.
    atomic_store_explicit(&job->barrier_id, id, memory_order_release);
    wake_all(job);
    return id;
}

void fil_job_told_saved(struct fil_job *job)
{
    // R4 pairs with A4: what was saved is seen by who is told that all is.
    uint32_t before = atomic_fetch_add_explicit(&job->saved_count, 1, memory_order_acq_rel);
    fil_assert(before < job->driver_count);
    if (before + 1 == job->driver_count) {
        tell_change(job);
    }
}

bool fil_job_is_saved(const struct fil_job *job)
{
    // A4 pairs with R4.
    return atomic_load_explicit(&job->saved_count, memory_order_acquire) == job->driver_count;
}

int64_t fil_job_committed(const struct fil_job *job)
{
    // A6 pairs with R6: the count of those that were told starts from 0 before.
    return atomic_load_explicit(&job->committed_id, memory_order_acquire);
}

void fil_job_commit(struct fil_job *job)
{
    fil_assert(fil_job_is_saved(job));
    // Relaxed: R6 publishes it.
    atomic_store_explicit(&job->committed_count, 0, memory_order_relaxed);
    // R6 pairs with A6.
    atomic_store_explicit(&job->committed_id, fil_job_barrier(job), memory_order_release);
    for (uint32_t i = 0; i < job->driver_count; i++) {
        if (job->drivers[i].ops->commit != NULL) {
            fil_tasklet_wake(&job->drivers[i].tasklet, NULL);
        }
    }
}

void fil_job_told_committed(struct fil_job *job)
{
    // R7 pairs with A7: what was made visible is seen by who is told that all is.
    uint32_t before = atomic_fetch_add_explicit(&job->committed_count, 1, memory_order_acq_rel);
    fil_assert(before < job->committer_count);
    if (before + 1 == job->committer_count) {
        tell_change(job);
    }
}

bool fil_job_is_committed(const struct fil_job *job)
{
    // A7 pairs with R7.
    return atomic_load_explicit(&job->committed_count, memory_order_acquire) ==
           job->committer_count;
}

void fil_job_told_ended(struct fil_job *job, const struct fil_driver *driver)
{
    if (driver->is_prior) {
        // R5 pairs with A5.
        uint32_t left = atomic_fetch_sub_explicit(&job->prior_count, 1, memory_order_acq_rel);
        fil_assert(left > 0);
    }
    // R8 pairs with A8: whoever sees that all have ended sees all they did.
    uint32_t before = atomic_fetch_add_explicit(&job->ended_count, 1, memory_order_acq_rel);
    fil_assert(before < job->driver_count);
    if (before + 1 == job->driver_count || driver->is_prior) {
        tell_change(job);
    }
}

bool fil_job_is_ended(const struct fil_job *job)
{
    // A8 pairs with R8.
    return atomic_load_explicit(&job->ended_count, memory_order_acquire) == job->driver_count;
}

bool fil_job_is_finishing(const struct fil_job *job)
{
    // Relaxed: it only says that there is nothing left to do.
    return atomic_load_explicit(&job->is_finishing, memory_order_relaxed);
}

void fil_job_finish(struct fil_job *job)
{
    fil_assert(fil_job_is_ended(job));
    atomic_store_explicit(&job->is_finishing, true, memory_order_relaxed);
    wake_all(job);
}

static bool put_state(struct fil_state_writer *base, const struct fil_state_entry *entry)
{
    struct fil_job_instance_writer *writer =
        FIL_CONTAINER_OF(base, struct fil_job_instance_writer, base);
    if (writer->quota == 0) {
        return false;
    }
    writer->quota--;
    return writer->snapshots->put(writer->snapshots, writer->driver, writer->driver->barrier_id,
                                  entry);
}

struct fil_job_instance_writer fil_job_state_writer(struct fil_job *job,
                                                    const struct fil_driver *driver, uint32_t quota)
{
    return (struct fil_job_instance_writer){.base = {.put = put_state},
                                            .snapshots = job->options.snapshots,
                                            .driver = driver,
                                            .quota = quota};
}
