// SPDX-License-Identifier: Apache-2.0
// A steward's snapshots: from the barrier's request to the commit.
#include "core/stream/steward_internal.h"
#include "lib/base/assert.h"

// Snapshots after which earlier failures are forgotten.
#define FORGIVING_COUNT 10U

static void set_counter(struct fil_counter *counter, uint64_t value)
{
    fil_counter_add(counter, value - fil_counter_read(counter));
}

void fil_steward__tell_export(struct fil_steward *steward)
{
    // Release: the next export may write the name.
    atomic_store_explicit(&steward->is_exporting, 0, memory_order_release);
}

void fil_steward__begin_snapshot(struct fil_steward *steward, uint64_t now_ns, bool is_terminal)
{
    fil_assert(steward->current == NULL);
    struct fil_budget *budget = steward->job->options.budget;
    int64_t id = fil_job_barrier(steward->job) + 1;
    steward->current = fil_snapshot_new(&steward->dag, steward->name, id, budget);
    if (steward->current == NULL) {
        fil_counter_add(&steward->stats.failed_snapshot_count, 1);
        steward->due_ns = now_ns + steward->options.interval_ns;
        return;
    }
    steward->began_ns = now_ns;
    steward->phase = FIL_STEWARD_SAVING;
    int64_t requested = fil_job_request_barrier(steward->job, is_terminal);
    fil_assert(requested == id);
}

/** What the snapshot was made for is done, well or not. */
void fil_steward__end_snapshot(struct fil_steward *steward, uint64_t now_ns, bool is_good)
{
    enum fil_steward_request done = steward->pending;
    steward->phase = FIL_STEWARD_IDLE;
    steward->due_ns = now_ns + steward->options.interval_ns;
    if (done == FIL_STEWARD_SUSPEND || done == FIL_STEWARD_RESTART) {
        // Without the new snapshot the job goes on from the one before: it only does more again.
        steward->phase = FIL_STEWARD_STOPPING;
        fil_job_cancel(steward->job);
        return;
    }
    if (done == FIL_STEWARD_EXPORT) {
        steward->pending = FIL_STEWARD_NOTHING;
        fil_steward__tell_export(steward);
    }
    if (steward->is_final && is_good) {
        steward->phase = FIL_STEWARD_STOPPING;
        fil_job_finish(steward->job);
    }
    steward->is_final = false;
}

static void forgive(struct fil_steward *steward)
{
    if (fil_counter_read(&steward->stats.snapshot_count) % FORGIVING_COUNT == 0) {
        steward->failure_count = 0;
    }
}

/** Everything is saved: from the moment the store has it, the snapshot counts. */
static int write_current(struct fil_steward *steward)
{
    struct fil_snapshot_store *store = steward->options.store;
    int error = fil_snapshot_error(steward->current);
    if (error == FIL_OK) {
        error = store->ops->write(store, steward->name, steward->current);
    }
    if (error == FIL_OK && steward->pending == FIL_STEWARD_EXPORT) {
        int exported = store->ops->write(store, steward->export_name, steward->current);
        fil_counter_add(&steward->stats.failed_snapshot_count, exported != FIL_OK);
    }
    return error;
}

void fil_steward__keep_current(struct fil_steward *steward, uint64_t now_ns)
{
    int error = write_current(steward);
    if (error != FIL_OK) {
        fil_snapshot_unref(steward->current);
        steward->current = NULL;
        fil_counter_add(&steward->stats.failed_snapshot_count, 1);
        fil_steward__end_snapshot(steward, now_ns, false);
        return;
    }
    fil_snapshot_unref(steward->last);
    steward->last = steward->current;
    steward->current = NULL;
    fil_counter_add(&steward->stats.snapshot_count, 1);
    set_counter(&steward->stats.last_snapshot_bytes, fil_snapshot_size(steward->last));
    forgive(steward);
    steward->phase = FIL_STEWARD_COMMITTING;
    fil_job_commit(steward->job);
}

void fil_steward__end_commit(struct fil_steward *steward, uint64_t now_ns)
{
    fil_assert(steward->phase == FIL_STEWARD_COMMITTING);
    set_counter(&steward->stats.last_snapshot_ns, now_ns - steward->began_ns);
    fil_steward__end_snapshot(steward, now_ns, true);
}
