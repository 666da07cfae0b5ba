// SPDX-License-Identifier: Apache-2.0
/**
 * The cell between a promise and its future, and the steps that its parties make on it.
 *
 * Parties: the producer, the consumer, and a canceller, who comes up the chain from a consumer
 * further down. Each makes its steps on one word; whoever makes the last one does what follows.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/promise.h"
#include "lib/base/assert.h"

// The word of a cell. A bit is set by the party named here, and what that party wrote before is
// seen by those who see the bit. All but SOURCE and WAITING are set once and never cleared.
#define FIL_CELL_RESULT       0x01U // producer: the result is written
#define FIL_CELL_CONTINUATION 0x02U // consumer: run, target and next are written
#define FIL_CELL_DROPPED      0x04U // consumer: will not come any more
#define FIL_CELL_CANCELLED    0x08U // canceller: came before the result
#define FIL_CELL_CANCEL_DONE  0x10U // canceller: has left
#define FIL_CELL_HOOK         0x20U // producer: the link points to its hook
#define FIL_CELL_SOURCE       0x40U // producer: the link points to the cell that this one continues
#define FIL_CELL_WAITING      0x80U // consumer: sleeps on the word

/**
 * Laid out for one cache line. While the result is not there, its place is used by the continuation
 * that will make it: fn and context of a then stand in the cell they produce. And while the cell is
 * not queued, its link points upstream: to the cell this one continues, or to the producer's hook.
 */
struct fil_cell {
    struct fil_task task; // run is what the continuation does, by its kind

    // Shared.
    _Atomic uint32_t state;

    // The producer's own until the result is there.
    int32_t code;
    union {
        uint64_t number;
        void *pointer;
        void *context;
    };
    union {
        fil_destroy_fn destroy;
        fil_then_fn then;
        fil_ensure_fn ensure;
    };

    // The consumer's own until the continuation is there.
    struct fil_target *target; // where it runs; home as long as none is named
    struct fil_cell *next;     // what it completes

    // Set by new, then read-only.
    struct fil_pool *pool; // NULL: the heap
#ifdef FIL_DEBUG
    uint32_t generation; // 0: not in use
#endif
};

/** Runs on the producer's target when the consumer cancels. */
struct fil_hook {
    struct fil_task task;
    struct fil_cell *cell;
    struct fil_target *target;
    fil_cancel_fn fn;
    fil_cancel_fn release; // called once when the hook is over, whether it ran or not; may be NULL
    void *context;
    struct fil_pool *pool;
};

/** A block of FIL_PROMISE_BLOCK_BYTES, and the pool it must be freed to; NULL without memory. */
void *fil_cell__block_new(struct fil_pool **out_pool) FIL_NODISCARD;
void fil_cell__block_free(struct fil_pool *pool, void *block);

/** A cell that nobody knows yet; home as in fil_promise_new. NULL without memory. */
struct fil_cell *fil_cell__new(struct fil_target *home) FIL_NODISCARD;
void fil_cell__free(struct fil_cell *cell);

/** The word as it is, with all that was written before its bits were set. */
static inline uint32_t fil_cell__state(struct fil_cell *cell)
{
    // A1 pairs with R1 and R2 in cell.c.
    return atomic_load_explicit(&cell->state, memory_order_acquire);
}

/** The result is there. Field by field, here and below: a copy of the whole is slower to read. */
static inline struct fil_result fil_cell__result(const struct fil_cell *cell)
{
    return (struct fil_result){
        .code = cell->code, .number = cell->number, .destroy = cell->destroy};
}

/** Producer's last step; the result is written. Returns whether somebody may still want it. */
bool fil_cell__publish(struct fil_cell *cell);

/** Producer's last step: takes the result and publishes it. */
static inline bool fil_cell__complete(struct fil_cell *cell, struct fil_result result)
{
    cell->code = result.code;
    cell->number = result.number;
    cell->destroy = result.destroy;
    return fil_cell__publish(cell);
}

/** Producer's last step when the result is to be that of `inner`, whose consumer it is. */
bool fil_cell__adopt(struct fil_cell *cell, struct fil_cell *inner);

/** Producer. Takes ownership of the hook, in which all but run and cell are filled in. */
void fil_cell__hook(struct fil_cell *cell, struct fil_hook *hook);

/**
 * Consumer's last step: when the result is there, run is sent to the target (NULL: home). It must
 * complete `next`, of which nobody knows yet; that also frees the cell.
 */
void fil_cell__chain(struct fil_cell *cell, struct fil_cell *next, struct fil_target *target,
                     fil_task_fn run);

/** Consumer's last step: the result is destroyed when it comes. */
void fil_cell__forget(struct fil_cell *cell);

/** Consumer's last step: as forget, and the producers up the chain are told. */
void fil_cell__cancel(struct fil_cell *cell);

/** Consumer. Sleeps until the result is there, the time is over, or for no reason. */
void fil_cell__sleep(struct fil_cell *cell, int64_t timeout_ns);

/** The handle of the cell's consumer. */
static inline struct fil_future fil_cell__future(struct fil_cell *cell)
{
    struct fil_future future = {.cell = cell};
#ifdef FIL_DEBUG
    future.generation = cell->generation;
#endif
    return future;
}

/** Checks a handle and ends it: the caller is the cell's consumer now. */
static inline struct fil_cell *fil_cell__of_future(struct fil_future future)
{
    fil_assert(future.cell != NULL);
#ifdef FIL_DEBUG
    fil_assert(future.cell->generation == future.generation); // else it was used up before
    // Relaxed: only the consumer sets these bits.
    uint32_t state = atomic_load_explicit(&future.cell->state, memory_order_relaxed);
    fil_assert((state & (FIL_CELL_CONTINUATION | FIL_CELL_DROPPED)) == 0);
#endif
    return future.cell;
}

/** The same for its producer. */
static inline struct fil_cell *fil_cell__of_promise(struct fil_promise promise)
{
    fil_assert(promise.cell != NULL);
#ifdef FIL_DEBUG
    fil_assert(promise.cell->generation == promise.generation); // else it was used up before
    // Relaxed: only the producer sets this bit.
    uint32_t state = atomic_load_explicit(&promise.cell->state, memory_order_relaxed);
    fil_assert((state & FIL_CELL_RESULT) == 0);
#endif
    return promise.cell;
}

/**
 * Ends the future with a continuation that runs on any outcome, cancelled or not, wherever the
 * result comes in. It completes `next`, of which nobody but the caller, its consumer, knows.
 */
void fil_cell__always(struct fil_future future, struct fil_cell *next, fil_then_fn fn,
                      void *context);
