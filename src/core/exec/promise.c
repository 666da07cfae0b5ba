// SPDX-License-Identifier: Apache-2.0
#include "core/exec/promise.h"

#include <stddef.h>

#include "core/exec/cell_internal.h"
#include "core/exec/room.h"
#include "lib/base/assert.h"
#include "lib/os/env.h"

// Continuations.

/** As a result, a future that is awaited: its destructor cancels it, and marks it. */
static void cancel_awaited(void *cell)
{
    fil_cell__cancel(cell);
}

struct fil_result fil_result_wait(struct fil_future future)
{
    return fil_result_pointer(fil_cell__of_future(future), cancel_awaited);
}

static bool finish(struct fil_cell *cell, struct fil_result result)
{
    if (FIL_UNLIKELY(result.destroy == cancel_awaited)) {
        return fil_cell__adopt(cell, result.pointer);
    }
    return fil_cell__complete(cell, result);
}

static struct fil_cell *cell_of(struct fil_task *task)
{
    return FIL_CONTAINER_OF(task, struct fil_cell, task);
}

static bool is_cancelled(struct fil_cell *cell)
{
    return (fil_cell__state(cell) & FIL_CELL_CANCELLED) != 0;
}

/** Completes the next cell, and with that frees this one. */
static void continue_from(struct fil_cell *cell, bool is_wanted)
{
    struct fil_cell *next = cell->next;
    struct fil_result result = fil_cell__result(cell);
    if (is_cancelled(next)) {
        fil_result_destroy(result);
        (void)fil_cell__complete(next, fil_result_fail(FIL_E_CANCELLED));
    } else if (is_wanted) {
        next->then(next->context, &result);
        (void)finish(next, result);
    } else {
        (void)fil_cell__complete(next, result);
    }
}

static void run_on_value(struct fil_task *task)
{
    struct fil_cell *cell = cell_of(task);
    continue_from(cell, cell->code == FIL_OK);
}

static void run_on_failure(struct fil_task *task)
{
    struct fil_cell *cell = cell_of(task);
    continue_from(cell, cell->code != FIL_OK);
}

static void run_on_either(struct fil_task *task)
{
    continue_from(cell_of(task), true);
}

static void run_always(struct fil_task *task)
{
    struct fil_cell *cell = cell_of(task);
    struct fil_cell *next = cell->next;
    struct fil_result result = fil_cell__result(cell);
    next->then(next->context, &result);
    (void)finish(next, result);
}

static void run_ensure(struct fil_task *task)
{
    struct fil_cell *cell = cell_of(task);
    struct fil_cell *next = cell->next;
    struct fil_result result = fil_cell__result(cell);
    if (is_cancelled(next)) {
        fil_result_destroy(result);
        result = fil_result_fail(FIL_E_CANCELLED);
    }
    next->ensure(next->context, result.code);
    (void)fil_cell__complete(next, result);
}

void fil_cell__always(struct fil_future future, struct fil_cell *next, fil_then_fn fn,
                      void *context)
{
    next->then = fn;
    next->context = context;
    fil_cell__chain(fil_cell__of_future(future), next, fil_target_inline(), run_always);
}

int fil_future_continue(struct fil_future *future, const struct fil_continuation *continuation)
{
    static const fil_task_fn runs[] = {
        [FIL_WHEN_VALUE] = run_on_value,
        [FIL_WHEN_FAILURE] = run_on_failure,
        [FIL_WHEN_EITHER] = run_on_either,
    };
    fil_assert(continuation->fn != NULL);
    fil_assert((uint32_t)continuation->when < FIL_COUNT_OF(runs));
    struct fil_cell *cell = fil_cell__of_future(*future);
    struct fil_cell *next = fil_cell__new(cell->target);
    if (FIL_UNLIKELY(next == NULL)) {
        return FIL_E_NOMEM;
    }
    next->then = continuation->fn;
    next->context = continuation->context;
    *future = fil_cell__future(next);
    fil_cell__chain(cell, next, continuation->target, runs[continuation->when]);
    return FIL_OK;
}

int fil_future_ensure(struct fil_future *future, struct fil_target *target, fil_ensure_fn fn,
                      void *context)
{
    fil_assert(fn != NULL);
    struct fil_cell *cell = fil_cell__of_future(*future);
    struct fil_cell *next = fil_cell__new(cell->target);
    if (FIL_UNLIKELY(next == NULL)) {
        return FIL_E_NOMEM;
    }
    next->ensure = fn;
    next->context = context;
    *future = fil_cell__future(next);
    fil_cell__chain(cell, next, target, run_ensure);
    return FIL_OK;
}

// The producer.

int fil_promise_new(struct fil_target *home, struct fil_promise *out_promise,
                    struct fil_future *out_future)
{
    struct fil_cell *cell = fil_cell__new(home);
    if (FIL_UNLIKELY(cell == NULL)) {
        return FIL_E_NOMEM;
    }
    *out_future = fil_cell__future(cell);
    out_promise->cell = cell;
#ifdef FIL_DEBUG
    out_promise->generation = cell->generation;
#endif
    return FIL_OK;
}

int fil_future_ready(struct fil_target *home, struct fil_result result,
                     struct fil_future *out_future)
{
    struct fil_cell *cell = fil_cell__new(home);
    if (FIL_UNLIKELY(cell == NULL)) {
        return FIL_E_NOMEM;
    }
    *out_future = fil_cell__future(cell);
    (void)finish(cell, result);
    return FIL_OK;
}

bool fil_promise_complete_with(struct fil_promise promise, int code, uint64_t number,
                               fil_destroy_fn destroy)
{
    struct fil_result result = {.code = code, .number = number, .destroy = destroy};
    return finish(fil_cell__of_promise(promise), result);
}

void fil_promise_drop(struct fil_promise promise)
{
    (void)fil_cell__complete(fil_cell__of_promise(promise), fil_result_fail(FIL_E_BROKEN));
}

bool fil_promise_is_cancelled(struct fil_promise promise)
{
    return is_cancelled(fil_cell__of_promise(promise));
}

int fil_promise_on_cancel(struct fil_promise promise, struct fil_target *target, fil_cancel_fn fn,
                          void *context)
{
    fil_assert(target != NULL);
    fil_assert(fn != NULL);
    struct fil_cell *cell = fil_cell__of_promise(promise);
    struct fil_pool *pool = NULL;
    struct fil_hook *hook = fil_cell__block_new(&pool);
    if (FIL_UNLIKELY(hook == NULL)) {
        return FIL_E_NOMEM;
    }
    *hook = (struct fil_hook){.target = target, .fn = fn, .context = context, .pool = pool};
    fil_cell__hook(cell, hook);
    return FIL_OK;
}

// The consumer.

void fil_future_cancel(struct fil_future future)
{
    fil_cell__cancel(fil_cell__of_future(future));
}

void fil_future_forget(struct fil_future future)
{
    fil_cell__forget(fil_cell__of_future(future));
}

static bool is_ready(struct fil_cell *cell)
{
    return (fil_cell__state(cell) & FIL_CELL_RESULT) != 0;
}

bool fil_future_is_ready(struct fil_future future)
{
    return is_ready(fil_cell__of_future(future));
}

/** The producer has made its last step: no other is needed to come after it. */
static void take(struct fil_cell *cell, struct fil_result *out_result)
{
    *out_result = fil_cell__result(cell);
    fil_cell__free(cell);
}

int fil_future_take(struct fil_future future, struct fil_result *out_result)
{
    struct fil_cell *cell = fil_cell__of_future(future);
    if (!is_ready(cell)) {
        return FIL_E_AGAIN;
    }
    take(cell, out_result);
    return FIL_OK;
}

/** Sleeps until the cell has its result; false when the time is over first. */
static bool sleep_until_ready(struct fil_cell *cell, int64_t timeout_ns)
{
    struct fil_env *env = fil_env_real(); // a thread that sleeps is a real one
    bool is_endless = timeout_ns < 0;
    uint64_t start_ns = is_endless ? 0 : fil_env_now_ns(env);
    int64_t left_ns = is_endless ? FIL_WAIT_FOREVER : timeout_ns;
    while (left_ns != 0) {
        fil_cell__sleep(cell, left_ns);
        if (is_ready(cell)) {
            return true;
        }
        if (!is_endless) {
            uint64_t passed_ns = fil_env_now_ns(env) - start_ns;
            left_ns = passed_ns < (uint64_t)timeout_ns ? timeout_ns - (int64_t)passed_ns : 0;
        }
    }
    return false;
}

int fil_future_await(struct fil_future future, int64_t timeout_ns, struct fil_result *out_result)
{
    struct fil_cell *cell = fil_cell__of_future(future);
    if (!fil_room_may_wait()) {
        return FIL_E_WOULD_BLOCK;
    }
    // What waits on this thread may be what the result is waiting for.
    fil_trampoline_flush();
    if (!is_ready(cell) && !sleep_until_ready(cell, timeout_ns)) {
        return FIL_E_TIMEOUT;
    }
    take(cell, out_result);
    return FIL_OK;
}
