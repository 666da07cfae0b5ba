// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <stddef.h>

#include "core/exec/cell_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/futex.h"

#define RESULT       FIL_CELL_RESULT
#define CONTINUATION FIL_CELL_CONTINUATION
#define DROPPED      FIL_CELL_DROPPED
#define CANCELLED    FIL_CELL_CANCELLED
#define CANCEL_DONE  FIL_CELL_CANCEL_DONE
#define HOOK         FIL_CELL_HOOK
#define SOURCE       FIL_CELL_SOURCE
#define WAITING      FIL_CELL_WAITING

/**
 * What a canceller has to do at a cell lies upstream, and as long as it stands there, the cell and
 * what is upstream must stay. So a producer that completes meanwhile leaves what follows to the
 * canceller: the last of the two releases upstream and settles the cell.
 */
#define UPSTREAM (HOOK | SOURCE)

#ifndef FIL_DEBUG
static_assert(sizeof(struct fil_cell) == FIL_CACHE_LINE, "one line a cell");
#endif
static_assert(sizeof(struct fil_cell) <= FIL_PROMISE_BLOCK_BYTES, "fits its block");
static_assert(sizeof(struct fil_hook) <= FIL_PROMISE_BLOCK_BYTES, "fits its block");

static _Thread_local struct fil_pool *thread_pool;

// Blocks and cells.

void fil_promise_enter(struct fil_pool *pool)
{
    fil_assert(pool != NULL);
    fil_assert(pool->block_size >= FIL_PROMISE_BLOCK_BYTES);
    thread_pool = pool;
}

void fil_promise_leave(void)
{
    thread_pool = NULL;
}

void *fil_cell__block_new(struct fil_pool **out_pool)
{
    struct fil_pool *pool = thread_pool;
    *out_pool = pool;
    return pool != NULL ? fil_pool_take(pool) : fil_alloc(FIL_PROMISE_BLOCK_BYTES);
}

void fil_cell__block_free(struct fil_pool *pool, void *block)
{
    if (pool != NULL) {
        fil_pool_give(pool, block);
    } else {
        fil_free(block);
    }
}

/** In debug builds a handle knows of which use of the block it is. */
static void begin_generation(struct fil_cell *cell)
{
#ifdef FIL_DEBUG
    static _Atomic uint32_t generations;
    // Relaxed: numbers that differ, nothing more. Zero is left out: it means "not in use".
    uint32_t number = atomic_fetch_add_explicit(&generations, 1, memory_order_relaxed);
    cell->generation = number == UINT32_MAX ? 1 : number + 1;
#else
    (void)cell;
#endif
}

struct fil_cell *fil_cell__new(struct fil_target *home)
{
    struct fil_pool *pool = NULL;
    struct fil_cell *cell = fil_cell__block_new(&pool);
    if (FIL_UNLIKELY(cell == NULL)) {
        return NULL;
    }
    cell->task.link.next = NULL;
    atomic_init(&cell->state, 0);
    cell->target = home;
    cell->pool = pool;
    begin_generation(cell);
    return cell;
}

void fil_cell__free(struct fil_cell *cell)
{
#ifdef FIL_DEBUG
    cell->generation = 0;
#endif
    fil_cell__block_free(cell->pool, cell);
}

static struct fil_cell *cell_at(struct fil_link *link)
{
    return FIL_CONTAINER_OF(link, struct fil_cell, task.link);
}

// Steps on the word.

/** Sets a bit that is not set; returns the word with it. */
static uint32_t set(struct fil_cell *cell, uint32_t bit)
{
    // R1 pairs with A1 (fil_cell__state), and with the acquire of these very steps: each party sees
    // what those before it wrote. Adding is setting here, and one instruction where or'ing is a
    // loop.
    uint32_t before = atomic_fetch_add_explicit(&cell->state, bit, memory_order_acq_rel);
    fil_assert((before & bit) == 0); // else an end was used twice
    return before | bit;
}

/**
 * Replaces `remove` by `add` unless a bit of `unless` is set. Returns the word as it was before.
 * Lock-free: when this thread goes round again, another party has made its step.
 */
static uint32_t change(struct fil_cell *cell, uint32_t unless, uint32_t remove, uint32_t add)
{
    uint32_t state = fil_cell__state(cell);
    while ((state & unless) == 0) {
        // R2 pairs with A1 and the acquire of the other steps. A failure shows another party's
        // bit and is an acquire for what is behind it.
        if (atomic_compare_exchange_weak_explicit(&cell->state, &state, (state & ~remove) | add,
                                                  memory_order_acq_rel, memory_order_acquire)) {
            break;
        }
    }
    return state;
}

static bool has_canceller(uint32_t state)
{
    return (state & CANCELLED) != 0 && (state & UPSTREAM) != 0 && (state & CANCEL_DONE) == 0;
}

// The rendezvous.

/** Frees a cell with its result: there is nobody to take it. */
static void discard(struct fil_cell *cell)
{
    fil_result_destroy(fil_cell__result(cell));
    fil_cell__free(cell);
}

/** The result is there and no canceller is: does what the consumer wanted, if it came already. */
static void settle(struct fil_cell *cell, uint32_t state)
{
    fil_debug_assert((state & RESULT) != 0);
    if ((state & CONTINUATION) != 0) {
        fil_trampoline_send(cell->target, &cell->task);
    } else if ((state & DROPPED) != 0) {
        discard(cell);
    } else if ((state & WAITING) != 0) {
        // The consumer may be awake and the cell gone: the address is only a name here.
        fil_futex_wake(&cell->state, 1);
    }
}

static void release_hook(struct fil_hook *hook)
{
    fil_cancel_fn release = hook->release;
    void *context = hook->context;
    fil_cell__block_free(hook->pool, hook);
    if (release != NULL) {
        release(context);
    }
}

/** Nobody will go upstream from this cell any more. */
static void release_upstream(uint32_t state, struct fil_link *upstream)
{
    if ((state & SOURCE) != 0) {
        fil_cell__free(cell_at(upstream));
    } else if ((state & HOOK) != 0) {
        release_hook(FIL_CONTAINER_OF(upstream, struct fil_hook, task.link));
    }
}

bool fil_cell__publish(struct fil_cell *cell)
{
    struct fil_link *upstream = cell->task.link.next; // after the step the cell may be gone
    uint32_t state = set(cell, RESULT);
    if (FIL_LIKELY(!has_canceller(state))) {
        release_upstream(state, upstream);
        settle(cell, state);
    }
    return (state & (DROPPED | CANCELLED)) == 0;
}

/** The consumer's step; run, target and next are written. */
static void attach(struct fil_cell *cell)
{
    uint32_t state = fil_cell__state(cell);
    if ((state & RESULT) != 0 && !has_canceller(state)) {
        // Everybody else has made the last step: no atomic one is needed to come after them.
        settle(cell, state | CONTINUATION);
        return;
    }
    state = set(cell, CONTINUATION);
    if ((state & RESULT) != 0 && !has_canceller(state)) {
        settle(cell, state);
    }
}

void fil_cell__chain(struct fil_cell *cell, struct fil_cell *next, struct fil_target *target,
                     fil_task_fn run)
{
    next->task.link.next = &cell->task.link;
    // Relaxed: attach publishes it.
    atomic_store_explicit(&next->state, SOURCE, memory_order_relaxed);
    if (target != NULL) {
        cell->target = target;
    }
    fil_assert(cell->target != NULL); // a future without a home must be told where
    cell->task.run = run;
    cell->next = next;
    attach(cell);
}

void fil_cell__forget(struct fil_cell *cell)
{
    // As in attach; and there is no canceller, for those come by way of the consumer only.
    bool is_last = (fil_cell__state(cell) & RESULT) != 0 || (set(cell, DROPPED) & RESULT) != 0;
    if (is_last) {
        discard(cell);
    }
}

void fil_cell__sleep(struct fil_cell *cell, int64_t timeout_ns)
{
    uint32_t state = set(cell, WAITING);
    if ((state & RESULT) == 0) {
        // All answers mean the same here: look again.
        int result = fil_futex_wait(&cell->state, state, timeout_ns);
        fil_assert(result == FIL_OK || result == FIL_E_AGAIN || result == FIL_E_TIMEOUT);
    }
    // Relaxed: takes back what only this thread has set; whoever sees it late wakes nobody.
    atomic_fetch_sub_explicit(&cell->state, WAITING, memory_order_relaxed);
}

// Cancelling: up the chain, cell by cell. Who stands at a cell keeps what is upstream of it.

/** The canceller's last step at a cell. */
static void leave(struct fil_cell *cell)
{
    struct fil_link *upstream = cell->task.link.next;
    uint32_t state = set(cell, CANCEL_DONE);
    if ((state & RESULT) != 0) {
        release_upstream(state, upstream);
        settle(cell, state);
    }
}

/** On the producer's target: the hook has taken the canceller's place at the cell. */
static void run_hook(struct fil_task *task)
{
    struct fil_hook *hook = FIL_CONTAINER_OF(task, struct fil_hook, task);
    struct fil_cell *cell = hook->cell;
    if ((fil_cell__state(cell) & RESULT) == 0) {
        hook->fn(hook->context);
    }
    leave(cell);
}

static void send_hook(struct fil_cell *cell)
{
    struct fil_hook *hook = FIL_CONTAINER_OF(cell->task.link.next, struct fil_hook, task.link);
    fil_trampoline_send(hook->target, &hook->task);
}

void fil_cell__hook(struct fil_cell *cell, struct fil_hook *hook)
{
    // Relaxed: only the producer sets these bits.
    fil_assert((atomic_load_explicit(&cell->state, memory_order_relaxed) & UPSTREAM) == 0);
    hook->task.run = run_hook;
    hook->cell = cell;
    cell->task.link.next = &hook->task.link;
    if ((set(cell, HOOK) & CANCELLED) != 0) {
        // The canceller found nothing to do here and went: its place is ours.
        send_hook(cell);
    }
}

/** The caller stands at the cell as its canceller; state is the word with the bits upstream. */
static void cancel_upstream(struct fil_cell *cell, uint32_t state)
{
    while ((state & SOURCE) != 0) {
        struct fil_cell *source = cell_at(cell->task.link.next);
        state = change(source, RESULT, 0, CANCELLED);
        fil_assert((state & CANCELLED) == 0);
        // Standing at the source we keep it from being settled, and with that this cell from being
        // completed, which would free the source. With nothing to do there we do not look back.
        bool is_at_source = (state & RESULT) == 0 && (state & UPSTREAM) != 0;
        leave(cell);
        if (!is_at_source) {
            return;
        }
        cell = source;
    }
    send_hook(cell);
}

void fil_cell__cancel(struct fil_cell *cell)
{
    uint32_t state = change(cell, RESULT, 0, DROPPED | CANCELLED);
    if ((state & RESULT) != 0) {
        discard(cell);
    } else if ((state & UPSTREAM) != 0) {
        cancel_upstream(cell, state);
    }
}

// Adopting: the result of one cell is to be that of another.

static void run_forward(struct fil_task *task)
{
    struct fil_cell *cell = FIL_CONTAINER_OF(task, struct fil_cell, task);
    (void)fil_cell__complete(cell->next, fil_cell__result(cell));
}

/**
 * Who gets inner's result in the cell's place: the cell, or, if that has a continuation already,
 * what the continuation completes. In this case inner takes over the continuation, and the cell is
 * not needed any more: a loop of futures that wait for futures stays as long as one.
 */
static struct fil_cell *choose_heir(struct fil_cell *cell, uint32_t state, struct fil_cell *inner)
{
    if ((state & CONTINUATION) != 0) {
        struct fil_cell *next = cell->next;
        uint32_t next_state = change(next, CANCELLED, UPSTREAM, 0);
        if ((next_state & CANCELLED) == 0) {
            // Cancellers come to the cell by way of next, where they see no way any more.
            fil_assert((next_state & SOURCE) != 0);
            inner->task.run = cell->task.run;
            inner->target = cell->target;
            fil_cell__free(cell);
            return next;
        }
    }
    inner->task.run = run_forward;
    inner->target = fil_target_inline();
    return cell;
}

bool fil_cell__adopt(struct fil_cell *cell, struct fil_cell *inner)
{
    struct fil_link *upstream = cell->task.link.next;
    // Takes what is upstream out of cancellers' sight, unless one has come already.
    uint32_t state = change(cell, CANCELLED, UPSTREAM, 0);
    if ((state & CANCELLED) != 0) {
        fil_cell__cancel(inner);
        return fil_cell__complete(cell, fil_result_fail(FIL_E_CANCELLED));
    }
    release_upstream(state, upstream);

    struct fil_cell *heir = choose_heir(cell, state, inner);
    inner->next = heir;
    heir->task.link.next = &inner->task.link;
    uint32_t heir_state = set(heir, SOURCE);
    attach(inner);
    if ((heir_state & CANCELLED) != 0) {
        // A canceller came while it saw no way, and went: its place is ours. Both cells are still
        // there, for by the bits somebody stands at the heir.
        cancel_upstream(heir, heir_state);
    }
    return (state & DROPPED) == 0;
}
