// SPDX-License-Identifier: Apache-2.0
/**
 * What a vertex does: the contract between the engine and a processor.
 *
 * The engine calls a processor's functions one at a time, never on two threads at once, on
 * changing threads. A function does a bounded piece of work and never waits: when its output has
 * no room it returns FIL_E_FULL, keeps what it has not emitted at its cursor, and is called again
 * with the same arguments when there is room. Results:
 *
 *   FIL_OK         all that was asked is done (process: it may also leave records in the inbox)
 *   FIL_E_FULL     a reserve was refused; call again when there is room
 *   FIL_E_AGAIN    nothing to do until context->wake_at_ns, or until the tasklet is woken
 *   anything else  fails the job, which tells the error and the vertex
 *
 * Order of the calls: init; restore for each saved entry; process, process_watermark,
 * complete_input and save as the input comes; complete until it says FIL_OK; close. A source has
 * no input: its complete is where it works. Only process or complete must be there. A processor
 * that does something by the clock has a tick, which comes between two of the others when
 * context->tick_at_ns is over; one that gets answers from outside has a resume.
 *
 * Snapshots: save may come between any two of these calls, also after the last complete; what was
 * emitted before it is part of the snapshot, nothing else is. What goes to the outside (files) is
 * made ready by save and made visible by commit, which follows when the snapshot is safe; a restore
 * makes visible what its snapshot had made ready. A source that ended is asked to save, too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/stream/batch.h"
#include "core/stream/outlet.h"
#include "core/stream/state.h"
#include "core/stream/tasklet.h"
#include "filbert/error.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/counter.h"
#include "lib/mem/budget.h"
#include "lib/os/env.h"

/** Batches that a step may open before it gives way to others. */
#define FIL_OUTBOX_QUOTA 8U

/** Sizes, with the end, of a processor's name and of what it says of its state. */
#define FIL_PROCESSOR_NAME_MAX   32U
#define FIL_PROCESSOR_FORMAT_MAX 96U

/** Size, with the end, of why a processor has failed. */
#define FIL_PROCESSOR_REASON_MAX 240U

/** Records to be processed, and how far that has come. */
struct fil_inbox {
    struct fil_batch *batch;
    uint32_t position; // the processor moves it on
    uint32_t limit;    // one behind the last record to process
    uint32_t input;    // number of the edge
};

/** Where a processor's records go. */
struct fil_outbox {
    struct fil_outlet *outlets;
    uint32_t count;
    struct fil_batch_pools *pools;
    uint32_t quota; // batches that may still be opened in this step
    int error;      // FIL_E_NOMEM, FIL_E_LIMIT: why room was refused for good
};

struct fil_processor_context {
    // Set before init, then read-only.
    const char *vertex;
    uint32_t index;              // of this instance
    uint32_t count;              // of instances
    struct fil_budget *budget;   // for state
    struct fil_env *env;         // clock and network
    bool has_snapshots;          // commit follows each; without, when the job has ended
    struct fil_tasklet *tasklet; // to wake it from outside; NULL in tests

    // Set by init, where they are not 0.
    int64_t delay; // event time by which watermarks are held back, for it and those behind

    // With tick: set by init, changed by any call; FIL_TASKLET_NEVER: not now.
    uint64_t tick_at_ns;

    // Written by the processor, read by anyone.
    struct fil_counter late_count; // records that came too late for it

    // For the call.
    int64_t epoch; // number of the snapshot that will hold what is done now
    uint64_t now_ns;
    uint64_t wake_at_ns; // set it with FIL_E_AGAIN; FIL_TASKLET_NEVER: until woken
    struct fil_outbox outbox;
    char reason[FIL_PROCESSOR_REASON_MAX]; // of a failure: see fil_processor_blame
};

struct fil_processor_ops {
    const char *name;
    size_t size;      // of an instance; the engine allocates it, zeroed
    bool is_blocking; // may wait: gets a thread of its own

    int (*init)(void *self, struct fil_processor_context *context, const void *config);
    int (*process)(void *self, struct fil_processor_context *context, struct fil_inbox *inbox);
    /** Afterwards the engine passes the watermark on. */
    int (*process_watermark)(void *self, struct fil_processor_context *context, int64_t time);
    /** All inputs are idle and hold nobody back: what waits for a watermark goes on. */
    int (*process_idle)(void *self, struct fil_processor_context *context);
    /**
     * What was under way elsewhere may be back: it is emitted. Called whenever new input could be
     * taken, so also when a tasklet is woken that has none. FIL_OK, FIL_E_FULL or a failure.
     */
    int (*resume)(void *self, struct fil_processor_context *context);
    /** FIL_E_FULL: it is called again before anything else; it sets tick_at_ns for the next. */
    int (*tick)(void *self, struct fil_processor_context *context);
    int (*complete_input)(void *self, struct fil_processor_context *context, uint32_t input);
    int (*complete)(void *self, struct fil_processor_context *context);
    int (*save)(void *self, struct fil_processor_context *context, struct fil_state_writer *writer);
    int (*restore)(void *self, struct fil_processor_context *context, struct fil_bytes key,
                   struct fil_bytes value);
    /** The snapshot of this number is safe: all that was ready by then becomes visible. */
    int (*commit)(void *self, struct fil_processor_context *context, int64_t id);
    /** What its state depends on, as one line: a snapshot fits when the lines are equal. */
    void (*describe)(const void *config, char out_text[FIL_PROCESSOR_FORMAT_MAX]);
    /**
     * The job ends before its time: FIL_OK when nothing of the processor is used from outside any
     * more; FIL_E_AGAIN: ask again at wake_at_ns, or when woken. NULL: nothing ever is.
     */
    int (*stop)(void *self, struct fil_processor_context *context);
    /** Also after a failed init. */
    void (*close)(void *self);
};

/** Says why the processor fails, for whoever reads it; returns the error, which it then returns. */
int fil_processor_blame(struct fil_processor_context *context, int error, const char *format, ...)
    FIL_PRINTF(3, 4);

/** The same of a time that no window can hold: none, or one near the ends of the range. */
int fil_processor_blame_time(struct fil_processor_context *context, int64_t time);

/** Slow path of reserve. */
void *fil_outbox_open(struct fil_outbox *outbox, uint32_t output, uint32_t size);

/**
 * Room for a record of up to size bytes, to be written and committed before the next call; NULL
 * when there is none: return FIL_E_FULL.
 */
static inline void *fil_outbox_reserve(struct fil_outbox *outbox, uint32_t output, uint32_t size)
{
    fil_debug_assert(output < outbox->count);
    struct fil_batch *fill = outbox->outlets[output].fill;
    void *room = FIL_LIKELY(fill != NULL) ? fil_batch_room(fill, size) : NULL;
    return FIL_LIKELY(room != NULL) ? room : fil_outbox_open(outbox, output, size);
}

/** The reserved record is written: size bytes, its event time, the hash of its key. */
static inline void fil_outbox_commit(struct fil_outbox *outbox, uint32_t output, uint32_t size,
                                     int64_t time, uint64_t hash)
{
    fil_batch_commit(outbox->outlets[output].fill, size, time, hash);
}

/**
 * For records of one size: where up to *out_count of them can be written one behind the other; NULL
 * when there is no room.
 */
static inline void *fil_outbox_reserve_many(struct fil_outbox *outbox, uint32_t output,
                                            uint32_t *out_count)
{
    struct fil_outlet *outlet = &outbox->outlets[output];
    fil_debug_assert(outlet->edge->layout.stride != 0);
    void *room = fil_outbox_reserve(outbox, output, outlet->edge->layout.stride);
    *out_count = room == NULL ? 0 : outlet->fill->capacity - outlet->fill->count;
    return room;
}

/** Whether the edge carries the hashes of its records' keys. */
static inline bool fil_outbox_wants_hashes(const struct fil_outbox *outbox, uint32_t output)
{
    return outbox->outlets[output].edge->layout.has_hashes;
}

/** Where the times of the reserved records go; NULL when the edge has none. */
static inline int64_t *fil_outbox_times(struct fil_outbox *outbox, uint32_t output)
{
    struct fil_batch *fill = outbox->outlets[output].fill;
    return fill->times_at == 0 ? NULL : fil_batch_times(fill) + fill->count;
}

/**
 * The first of the reserved records are written; their times and hashes where the edge has some.
 * Times that were written where they go are left alone.
 */
static inline void fil_outbox_commit_many(struct fil_outbox *outbox, uint32_t output,
                                          uint32_t count, const int64_t *times,
                                          const uint64_t *hashes)
{
    struct fil_batch *fill = outbox->outlets[output].fill;
    fil_debug_assert(count <= fill->capacity - fill->count);
    int64_t *to = fil_outbox_times(outbox, output);
    if (to != NULL && times != NULL && times != to) {
        memcpy(to, times, count * sizeof(*to));
    }
    for (uint32_t i = 0; to != NULL && times == NULL && i < count; i++) {
        to[i] = FIL_TIME_NONE;
    }
    for (uint32_t i = 0; fill->hashes_at != 0 && i < count; i++) {
        fil_batch_hashes(fill)[fill->count + i] = hashes == NULL ? 0 : hashes[i];
    }
    fill->count += count;
}

/** The same record to all outputs, or to none: false. */
bool fil_outbox_emit(struct fil_outbox *outbox, struct fil_bytes record, int64_t time,
                     uint64_t hash) FIL_NODISCARD;

/**
 * Whether a batch is all the caller's, looks like those of the output, is at least half full, and
 * can be forwarded now: then it may be changed before. False: copy its records.
 */
bool fil_outbox_can_pass(struct fil_outbox *outbox, uint32_t output, const struct fil_inbox *inbox)
    FIL_NODISCARD;

/** Passes a batch on as it is; false when there is no room. */
bool fil_outbox_forward(struct fil_outbox *outbox, uint32_t output, struct fil_batch *batch)
    FIL_NODISCARD;

/** A mark to all outputs, behind all that was emitted before; false when there is no room. */
bool fil_outbox_mark(struct fil_outbox *outbox, enum fil_batch_kind kind, int64_t value)
    FIL_NODISCARD;

/** Sends on what can be sent. FIL_E_FULL when something is left, FIL_E_NOMEM. */
int fil_outbox_flush(struct fil_outbox *outbox) FIL_NODISCARD;

/** Whether a ring refused a batch since this was last asked. */
bool fil_outbox_take_refusal(struct fil_outbox *outbox);
