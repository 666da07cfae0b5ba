// SPDX-License-Identifier: Apache-2.0
#include "core/exec/share.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>

#include "core/exec/cell_internal.h"
#include "lib/base/assert.h"

struct listener {
    struct fil_link link;
    struct fil_promise promise;
    struct fil_pool *pool;
};

struct fil_share {
    // Set by new, then read-only.
    struct fil_pool *pool;

    // Shared.
    _Atomic(struct fil_link *) listeners; // newest first; &closed once the result is there
    _Atomic uint32_t hold_count;

    // The source's continuation's own until it closes the list, then read-only.
    struct fil_result result;
};

static_assert(sizeof(struct listener) <= FIL_PROMISE_BLOCK_BYTES, "fits its block");
static_assert(sizeof(struct fil_share) <= FIL_PROMISE_BLOCK_BYTES, "fits its block");

static struct fil_link closed;

void fil_share_ref(struct fil_share *share)
{
    // Relaxed: the caller has a hold, so the share cannot go meanwhile.
    atomic_fetch_add_explicit(&share->hold_count, 1, memory_order_relaxed);
}

void fil_share_unref(struct fil_share *share)
{
    if (share == NULL) {
        return;
    }
    // R1 pairs with A1, both here: all that the others did is over when the last one frees.
    uint32_t before = atomic_fetch_sub_explicit(&share->hold_count, 1, memory_order_acq_rel);
    fil_assert(before > 0);
    if (before == 1) {
        fil_result_destroy(share->result);
        fil_cell__block_free(share->pool, share);
    }
}

static void unref(void *share)
{
    fil_share_unref(share);
}

const struct fil_result *fil_share_result(const struct fil_share *share)
{
    return &share->result;
}

/** The caller has a hold. */
static void deliver(struct fil_share *share, struct fil_promise promise)
{
    struct fil_result result = fil_result_fail(share->result.code);
    if (result.code == FIL_OK) {
        fil_share_ref(share);
        result = fil_result_pointer(share, unref);
    }
    (void)fil_promise_complete(promise, result);
}

static struct fil_link *reverse(struct fil_link *newest)
{
    struct fil_link *oldest = NULL;
    while (newest != NULL) {
        struct fil_link *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    return oldest;
}

/** What it leaves in the result's place is for nobody. */
static void on_result(void *context, struct fil_result *result)
{
    struct fil_share *share = context;
    share->result = *result;
    *result = fil_result_number(0);
    // R2 pairs with A2: who finds the list closed sees the result. Acquire, because the listeners
    // were written by other threads (R3).
    struct fil_link *link =
        reverse(atomic_exchange_explicit(&share->listeners, &closed, memory_order_acq_rel));
    while (link != NULL) {
        struct listener *listener = FIL_CONTAINER_OF(link, struct listener, link);
        link = link->next;
        deliver(share, listener->promise);
        fil_cell__block_free(listener->pool, listener);
    }
    fil_share_unref(share);
}

int fil_share_new(struct fil_future future, struct fil_share **out_share)
{
    struct fil_pool *pool = NULL;
    struct fil_share *share = fil_cell__block_new(&pool);
    struct fil_cell *next = share != NULL ? fil_cell__new(NULL) : NULL;
    if (next == NULL) {
        if (share != NULL) {
            fil_cell__block_free(pool, share);
        }
        return FIL_E_NOMEM;
    }
    *share = (struct fil_share){.pool = pool};
    atomic_init(&share->listeners, NULL);
    atomic_init(&share->hold_count, 2); // the caller, the source's continuation
    *out_share = share;
    struct fil_future ignored = fil_cell__future(next);
    fil_cell__always(future, next, on_result, share);
    fil_future_forget(ignored);
    return FIL_OK;
}

/** False when the result is there already: then nobody will look at the list any more. */
static bool push(struct fil_share *share, struct listener *listener)
{
    // A2 pairs with R2, when the list is closed.
    struct fil_link *newest = atomic_load_explicit(&share->listeners, memory_order_acquire);
    // Lock-free: when this thread goes round again, another one has listened, or closed.
    do {
        if (newest == &closed) {
            return false;
        }
        listener->link.next = newest;
        // R3 pairs with the exchange of on_result; A2 as above when it fails.
    } while (!atomic_compare_exchange_weak_explicit(&share->listeners, &newest, &listener->link,
                                                    memory_order_release, memory_order_acquire));
    return true;
}

int fil_share_listen(struct fil_share *share, struct fil_target *home,
                     struct fil_future *out_future)
{
    struct fil_pool *pool = NULL;
    struct listener *listener = fil_cell__block_new(&pool);
    if (listener == NULL) {
        return FIL_E_NOMEM;
    }
    struct fil_promise promise;
    int error = fil_promise_new(home, &promise, out_future);
    if (error != FIL_OK) {
        fil_cell__block_free(pool, listener);
        return error;
    }
    *listener = (struct listener){.promise = promise, .pool = pool};
    if (!push(share, listener)) {
        fil_cell__block_free(pool, listener);
        deliver(share, promise);
    }
    return FIL_OK;
}
