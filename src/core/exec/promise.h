// SPDX-License-Identifier: Apache-2.0
/**
 * A result that comes later, and its two ends: the promise produces it, the future consumes it.
 *
 * Both ends share one small cell with one atomic word. The producer writes the result and sets a
 * bit, the consumer writes what shall happen then (the continuation) and sets another; whoever
 * comes second sends the continuation to the target it was given. What a continuation makes of the
 * result is the result of the next future, so futures form chains.
 *
 *     promise --complete--> [cell] --then(fn)--> [cell] --then(fn)--> [cell] --> await, forget
 *                <--hook--   <------------- cancel, cell by cell -----------------
 *
 * Rules:
 *   - Each end is used up once. What ends a handle takes it by value; then, recover and ensure put
 *     the next future in the place of the one they used up. In debug builds a handle that is used
 *     twice runs into an assertion.
 *   - There is exactly one completion. A promise that is dropped completes with FIL_E_BROKEN.
 *   - A result owns its value. It goes from hand to hand, and where nobody takes it, it is
 *     destroyed, once.
 *   - Continuations run on the home of their future unless told otherwise: on the target's thread,
 *     and if that is the calling one, by its trampoline, without recursion.
 *   - Cancelling is a request: the future is used up, every producer up the chain that has not
 *     completed is told once, on its own target, and must complete all the same. Nobody gets what
 *     it completes with; continuations that have not begun are left out, but ensure is not.
 *
 * Progress: complete and then are wait-free, one atomic step each; cancelling, and a result that is
 *           another future's, are lock-free.
 * Memory:   cells come from the pool of the calling thread (fil_promise_enter) and return there
 *           from wherever they end; without a pool they come from the heap.
 * Threads:  each end may be used on any thread, by one at a time. Destructors run on the thread on
 *           which nobody wanted the value.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/exec/task.h"
#include "core/exec/trampoline.h"
#include "filbert/error.h"
#include "lib/base/attr.h"
#include "lib/conc/role.h"
#include "lib/mem/pool.h"

struct fil_cell;

/** The producing end. */
struct fil_promise {
    struct fil_cell *cell;
#ifdef FIL_DEBUG
    uint32_t generation;
#endif
};

/** The consuming end. */
struct fil_future {
    struct fil_cell *cell;
#ifdef FIL_DEBUG
    uint32_t generation;
#endif
};

typedef void (*fil_destroy_fn)(void *value);

struct fil_result {
    int code; // FIL_OK, or why it failed
    union {
        void *pointer;
        uint64_t number;
    };
    fil_destroy_fn destroy; // of pointer; NULL when there is nothing to destroy
};

/** Takes the result, and leaves the one of the next future in its place; or passes it on as it is.
 */
typedef void (*fil_then_fn)(void *context, struct fil_result *result);

/** Sees how it ended; FIL_E_CANCELLED when nobody waits any more. */
typedef void (*fil_ensure_fn)(void *context, int code);

typedef void (*fil_cancel_fn)(void *context);

// Results.

static inline struct fil_result fil_result_number(uint64_t number)
{
    return (struct fil_result){.code = FIL_OK, .number = number, .destroy = NULL};
}

/** The result owns the value if there is a destructor; it borrows it if there is none. */
static inline struct fil_result fil_result_pointer(void *value, fil_destroy_fn destroy)
{
    return (struct fil_result){.code = FIL_OK, .pointer = value, .destroy = destroy};
}

static inline struct fil_result fil_result_fail(int code)
{
    return (struct fil_result){.code = code, .number = 0, .destroy = NULL};
}

/** "What this future will bring": as the result of a continuation, or for complete. */
FIL_ANY_THREAD struct fil_result fil_result_wait(struct fil_future future) FIL_NODISCARD;

/** For who has a result and does not want it. */
static inline void fil_result_destroy(struct fil_result result)
{
    if (result.destroy != NULL) {
        result.destroy(result.pointer);
    }
}

// Where cells come from.

/** The block size of a pool for fil_promise_enter: a cache line, more in debug builds. */
#ifdef FIL_DEBUG
#define FIL_PROMISE_BLOCK_BYTES 128U
#else
#define FIL_PROMISE_BLOCK_BYTES 64U
#endif

/** The calling thread, which owns the pool, takes its cells there from now on. */
FIL_ANY_THREAD void fil_promise_enter(struct fil_pool *pool);

/** The calling thread takes its cells from the heap again. */
FIL_ANY_THREAD void fil_promise_leave(void);

// Producing.

/**
 * Makes both ends. Home is where continuations run unless told otherwise; NULL is fine for a
 * future that is awaited, or whose continuations all name their target. FIL_E_NOMEM.
 */
FIL_ANY_THREAD int fil_promise_new(struct fil_target *home, struct fil_promise *out_promise,
                                   struct fil_future *out_future) FIL_NODISCARD;

/** Takes ownership of the result if it returns FIL_OK: a future that has it already. */
FIL_ANY_THREAD int fil_future_ready(struct fil_target *home, struct fil_result result,
                                    struct fil_future *out_future) FIL_NODISCARD;

/** As complete below, with the result in parts: compilers pass a struct of three words slowly. */
FIL_ANY_THREAD bool fil_promise_complete_with(struct fil_promise promise, int code, uint64_t number,
                                              fil_destroy_fn destroy);

/**
 * Takes ownership of the result and ends the promise. Returns whether somebody may still want the
 * result; where nobody does, it is destroyed. Continuations of the calling thread run in here.
 */
FIL_ANY_THREAD static inline bool fil_promise_complete(struct fil_promise promise,
                                                       struct fil_result result)
{
    return fil_promise_complete_with(promise, result.code, result.number, result.destroy);
}

FIL_ANY_THREAD static inline bool fil_promise_fail(struct fil_promise promise, int code)
{
    return fil_promise_complete(promise, fil_result_fail(code));
}

/** Ends the promise without a result of its own: the future gets FIL_E_BROKEN. */
FIL_ANY_THREAD void fil_promise_drop(struct fil_promise promise);

/** Whether the consumer has asked to stop; the promise must be completed all the same. */
FIL_ANY_THREAD bool fil_promise_is_cancelled(struct fil_promise promise);

/**
 * Lets fn run once on the target when the consumer cancels, also if it has done so already; not
 * when the promise is completed by then. At most one hook a promise. FIL_E_NOMEM.
 * If the target is one thread and the promise is completed there, fn never meets a context that
 * went away with the completion.
 */
FIL_ANY_THREAD int fil_promise_on_cancel(struct fil_promise promise, struct fil_target *target,
                                         fil_cancel_fn fn, void *context) FIL_NODISCARD;

// Consuming.

enum fil_when {
    FIL_WHEN_VALUE,   // results with FIL_OK; failures pass by
    FIL_WHEN_FAILURE, // the others; values pass by
    FIL_WHEN_EITHER,
};

struct fil_continuation {
    enum fil_when when;
    struct fil_target *target; // NULL: the future's home
    fil_then_fn fn;
    void *context; // lives until fn has run, or was left out
};

/**
 * The future becomes the one of what fn makes of the result. FIL_E_NOMEM leaves it as it was, here
 * and below.
 */
FIL_ANY_THREAD int fil_future_continue(struct fil_future *future,
                                       const struct fil_continuation *continuation) FIL_NODISCARD;

/** Values only, on the future's home. */
FIL_ANY_THREAD FIL_NODISCARD static inline int fil_future_then(struct fil_future *future,
                                                               fil_then_fn fn, void *context)
{
    struct fil_continuation continuation = {
        .when = FIL_WHEN_VALUE, .target = NULL, .fn = fn, .context = context};
    return fil_future_continue(future, &continuation);
}

/** Values only, on the given target; fil_target_inline() is "wherever it is completed". */
FIL_ANY_THREAD FIL_NODISCARD static inline int fil_future_then_on(struct fil_future *future,
                                                                  struct fil_target *target,
                                                                  fil_then_fn fn, void *context)
{
    struct fil_continuation continuation = {
        .when = FIL_WHEN_VALUE, .target = target, .fn = fn, .context = context};
    return fil_future_continue(future, &continuation);
}

/** Failures only, on the future's home. */
FIL_ANY_THREAD FIL_NODISCARD static inline int fil_future_recover(struct fil_future *future,
                                                                  fil_then_fn fn, void *context)
{
    struct fil_continuation continuation = {
        .when = FIL_WHEN_FAILURE, .target = NULL, .fn = fn, .context = context};
    return fil_future_continue(future, &continuation);
}

/** Always runs fn, on the target (NULL: home), and passes the result on as it is. */
FIL_ANY_THREAD int fil_future_ensure(struct fil_future *future, struct fil_target *target,
                                     fil_ensure_fn fn, void *context) FIL_NODISCARD;

/** Asks whoever produces the result to stop; the future is used up. */
FIL_ANY_THREAD void fil_future_cancel(struct fil_future future);

/** Lets it run and does not want the result. */
FIL_ANY_THREAD void fil_future_forget(struct fil_future future);

/** Whether the result is there. */
FIL_ANY_THREAD bool fil_future_is_ready(struct fil_future future);

/** The result if it is there, and the future is used up; else FIL_E_AGAIN, and it is not. */
FIL_ANY_THREAD int fil_future_take(struct fil_future future, struct fil_result *out_result)
    FIL_NODISCARD;

/**
 * Sleeps until the result is there. FIL_OK: it is in out_result (its code is another matter) and
 * the future is used up. FIL_E_TIMEOUT, and on threads that must not block (io, partition,
 * acceptor, event) FIL_E_WOULD_BLOCK at once: the future is as before. FIL_WAIT_FOREVER waits
 * without end.
 */
FIL_ANY_THREAD int fil_future_await(struct fil_future future, int64_t timeout_ns,
                                    struct fil_result *out_result) FIL_NODISCARD;
