// SPDX-License-Identifier: Apache-2.0
// A driver's part in snapshots: aligning barriers, saving, committing, restoring.
#include <string.h>

#include "core/stream/driver_internal.h"
#include "core/stream/job.h"
#include "core/stream/snapshot.h"
#include "lib/base/assert.h"

// Entries that a turn of saving or restoring moves.
#define ENTRIES_PER_TURN 512U

/** Whether every input has delivered the barrier, or ended. */
static bool is_aligned(const struct fil_driver *driver)
{
    for (uint32_t i = 0; i < driver->inlet_count; i++) {
        const struct fil_inlet *inlet = &driver->inlets[i];
        for (uint32_t j = 0; j < inlet->source_count; j++) {
            if (!inlet->sources[j].is_ended && !inlet->sources[j].has_barrier) {
                return false;
            }
        }
    }
    return true;
}

void fil_driver__begin_save(struct fil_driver *driver, enum fil_driver_state after)
{
    driver->state_after_save = after;
    driver->state = FIL_DRIVER_SAVING;
}

void fil_driver__check_barrier(struct fil_driver *driver)
{
    if (driver->has_barrier && driver->state == FIL_DRIVER_RUNNING && is_aligned(driver)) {
        fil_driver__begin_save(driver, FIL_DRIVER_RUNNING);
    }
}

/** FIL_E_FULL also when it was enough for one turn. */
static int save_state(struct fil_driver *driver)
{
    struct fil_job_instance_writer writer =
        fil_job_state_writer(driver->job, driver, ENTRIES_PER_TURN);
    if (driver->ops->save == NULL || writer.snapshots == NULL || driver->is_saved) {
        return FIL_OK;
    }
    return fil_driver__explain(driver,
                               driver->ops->save(driver->self, &driver->context, &writer.base));
}

int fil_driver__save(struct fil_driver *driver)
{
    int result = save_state(driver);
    if (result != FIL_OK) {
        return result;
    }
    driver->is_saved = true;
    bool is_ended = driver->state_after_save == FIL_DRIVER_ENDED;
    result = is_ended ? FIL_OK : fil_driver__mark(driver, FIL_BATCH_BARRIER, driver->barrier_id);
    if (result != FIL_OK) {
        return result;
    }
    driver->context.epoch = driver->barrier_id + 1;
    driver->is_saved = false;
    driver->has_barrier = false;
    bool is_halted = !is_ended && fil_job_is_terminal(driver->job, driver->barrier_id);
    driver->state = is_halted ? FIL_DRIVER_HALTED : driver->state_after_save;
    for (uint32_t i = 0; i < driver->inlet_count; i++) {
        fil_inlet_release(&driver->inlets[i]);
    }
    fil_job_told_saved(driver->job);
    return FIL_OK;
}

void fil_driver__take_barrier(struct fil_driver *driver, struct fil_inlet_source *source,
                              int64_t id)
{
    source->has_barrier = true;
    // Nothing may be done behind the last barrier: its records would count twice when the job goes
    // on, and an end among them would let watermarks pass that are not part of the snapshot.
    source->is_held =
        !driver->job->options.is_at_least_once || fil_job_is_terminal(driver->job, id);
    driver->has_barrier = true;
    driver->barrier_id = id;
    fil_driver__check_barrier(driver);
}

/** Whether a barrier was asked for that nobody else will deliver. */
bool fil_driver__take_asked(struct fil_driver *driver)
{
    int64_t barrier = fil_job_barrier(driver->job);
    if (barrier <= driver->barrier_id) {
        return false;
    }
    driver->barrier_id = barrier;
    return true;
}

/** The instance has ended, but is part of the snapshots until all have. */
int fil_driver__linger(struct fil_driver *driver)
{
    if (fil_job_is_finishing(driver->job)) {
        fil_driver__close(driver);
        return FIL_OK;
    }
    if (fil_driver__take_asked(driver)) {
        fil_driver__begin_save(driver, FIL_DRIVER_ENDED);
        return FIL_OK;
    }
    return FIL_E_AGAIN;
}

/** A snapshot that holds what the processor made ready is safe. */
int fil_driver__commit(struct fil_driver *driver, int64_t id)
{
    int result = driver->ops->commit(driver->self, &driver->context, id);
    if (result == FIL_OK) {
        driver->committed_id = id;
        fil_job_told_committed(driver->job);
    }
    return result;
}

/** The next part of the snapshot that is of this vertex; part_count: none. */
static uint32_t find_part(const struct fil_driver *driver, const struct fil_snapshot *snapshot)
{
    uint32_t part = driver->restored_part;
    while (part < snapshot->part_count &&
           strcmp(snapshot->vertices[snapshot->parts[part].vertex].name, driver->context.vertex) !=
               0) {
        part++;
    }
    return part;
}

static int restore_part(struct fil_driver *driver, const struct fil_snapshot_part *part)
{
    struct fil_snapshot_cursor cursor = {.part = part, .position = driver->restored_bytes};
    struct fil_state_entry entry;
    int result = FIL_OK;
    for (uint32_t i = 0; i < ENTRIES_PER_TURN && result == FIL_OK; i++) {
        if (!fil_snapshot_next(&cursor, &entry)) {
            driver->restored_part++;
            driver->restored_bytes = 0;
            return FIL_OK;
        }
        if (fil_state_belongs(&entry, driver->context.index, driver->context.count)) {
            result = driver->ops->restore(driver->self, &driver->context, entry.key, entry.value);
        }
    }
    driver->restored_bytes = cursor.position;
    return fil_driver__explain(driver, result);
}

int fil_driver__restore(struct fil_driver *driver)
{
    const struct fil_snapshot *snapshot = driver->job->options.restore;
    if (snapshot != NULL && driver->ops->restore != NULL) {
        driver->restored_part = find_part(driver, snapshot);
        if (driver->restored_part < snapshot->part_count) {
            return restore_part(driver, &snapshot->parts[driver->restored_part]);
        }
    }
    driver->state = driver->state_after_restore;
    return FIL_OK;
}
