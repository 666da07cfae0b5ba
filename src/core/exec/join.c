// SPDX-License-Identifier: Apache-2.0
#include "core/exec/join.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>

#include "core/exec/cell_internal.h"
#include "lib/base/assert.h"

// What has happened to a join so far.
#define BUILT      1U // every member has its continuation
#define DECIDED    2U // the joint promise is completed, or is being
#define CANCELLING 4U // somebody cancels the members

enum join_kind {
    JOIN_ALL,
    JOIN_ANY,
    JOIN_SETTLE
};

/** A member's place. Its own until it has arrived. */
struct member {
    struct fil_results *join;
    struct member *next;
    struct fil_future arrival; // what the member's continuation completes: a handle to cancel it by
    struct fil_result result;
    struct fil_pool *pool;
};

/** Held by each member until it has arrived, the builder, the hook, and the joint value. */
struct fil_results {
    // Set by the builder, then read-only.
    struct fil_pool *pool;
    struct fil_promise promise;
    struct fil_hook *hook;
    struct member *members;
    uint32_t count;
    enum join_kind kind;

    // Shared.
    _Atomic uint32_t flags;
    _Atomic uint32_t missing_count; // members that have not arrived
    _Atomic uint32_t hold_count;

    // The consumer's own, once it has the joint value.
    struct member *cursor;
};

static_assert(sizeof(struct member) <= FIL_PROMISE_BLOCK_BYTES, "fits its block");
static_assert(sizeof(struct fil_results) <= FIL_PROMISE_BLOCK_BYTES, "fits its block");

static uint32_t set_flag(struct fil_results *join, uint32_t flag)
{
    // R1 pairs with A1, both here: who cancels sees the members as built, and who finds somebody
    // before it leaves the rest to that one.
    return atomic_fetch_or_explicit(&join->flags, flag, memory_order_acq_rel);
}

// Life.

/** Frees the blocks; the futures in them are nobody's, or used up. */
static void free_blocks(struct fil_results *join)
{
    while (join->members != NULL) {
        struct member *member = join->members;
        join->members = member->next;
        fil_cell__block_free(member->pool, member);
    }
    fil_cell__block_free(join->pool, join);
}

static void unhold(struct fil_results *join)
{
    // R2 pairs with A2, both here: all that the others did is over when the last one frees.
    if (atomic_fetch_sub_explicit(&join->hold_count, 1, memory_order_acq_rel) > 1) {
        return;
    }
    // Relaxed: there is nobody else any more.
    uint32_t flags = atomic_load_explicit(&join->flags, memory_order_relaxed);
    for (struct member *member = join->members; member != NULL; member = member->next) {
        fil_result_destroy(member->result);
        if ((flags & CANCELLING) == 0) {
            fil_future_forget(member->arrival);
        }
    }
    free_blocks(join);
}

/** Once, by the first who asks; if the join is not built yet, by its builder. */
static void cancel_members(struct fil_results *join)
{
    uint32_t flags = set_flag(join, CANCELLING);
    if ((flags & CANCELLING) != 0 || (flags & BUILT) == 0) {
        return;
    }
    for (struct member *member = join->members; member != NULL; member = member->next) {
        fil_future_cancel(member->arrival);
    }
}

static void on_cancelled(void *context)
{
    cancel_members(context);
}

static void on_hook_over(void *context)
{
    unhold(context);
}

// Arrival.

static void destroy_results(void *results)
{
    fil_results_free(results);
}

/** Completes the joint promise unless that is done; takes the result. */
static void decide(struct fil_results *join, struct fil_result result)
{
    if ((set_flag(join, DECIDED) & DECIDED) != 0) {
        fil_result_destroy(result);
        return;
    }
    (void)fil_promise_complete(join->promise, result);
}

/** Every member has arrived. */
static void conclude(struct fil_results *join, int last_code)
{
    if (join->kind == JOIN_ANY) {
        decide(join, fil_result_fail(last_code));
        return;
    }
    // Relaxed: the caller holds the join.
    atomic_fetch_add_explicit(&join->hold_count, 1, memory_order_relaxed);
    decide(join, fil_result_pointer(join, destroy_results));
}

static bool is_decisive(const struct fil_results *join, int code)
{
    return (join->kind == JOIN_ALL && code != FIL_OK) || (join->kind == JOIN_ANY && code == FIL_OK);
}

/** What it leaves in the result's place is for nobody. */
static void on_arrival(void *context, struct fil_result *result)
{
    struct member *member = context;
    struct fil_results *join = member->join;
    int code = result->code;
    if (is_decisive(join, code)) {
        decide(join, *result);
        cancel_members(join);
    } else {
        member->result = *result;
    }
    *result = fil_result_number(0);
    // R3 pairs with A3, both here: the last to arrive sees the results of all.
    if (atomic_fetch_sub_explicit(&join->missing_count, 1, memory_order_acq_rel) == 1) {
        conclude(join, code);
    }
    unhold(join);
}

// Building.

static struct fil_hook *hook_new(struct fil_results *join)
{
    struct fil_pool *pool = NULL;
    struct fil_hook *hook = fil_cell__block_new(&pool);
    if (hook != NULL) {
        *hook = (struct fil_hook){.target = fil_target_inline(),
                                  .fn = on_cancelled,
                                  .release = on_hook_over,
                                  .context = join,
                                  .pool = pool};
    }
    return hook;
}

static struct member *member_new(struct fil_results *join)
{
    struct fil_pool *pool = NULL;
    struct member *member = fil_cell__block_new(&pool);
    if (member == NULL) {
        return NULL;
    }
    struct fil_cell *arrival = fil_cell__new(NULL);
    if (arrival == NULL) {
        fil_cell__block_free(pool, member);
        return NULL;
    }
    *member = (struct member){.join = join, .arrival = fil_cell__future(arrival), .pool = pool};
    return member;
}

/** In the order of the futures. False without memory. */
static bool add_members(struct fil_results *join, uint32_t count)
{
    struct member **end = &join->members;
    for (uint32_t i = 0; i < count; i++) {
        *end = member_new(join);
        if (*end == NULL) {
            return false;
        }
        end = &(*end)->next;
    }
    join->cursor = join->members;
    return true;
}

/** Takes a join apart of which nobody knows yet. */
static void dismantle(struct fil_results *join)
{
    for (struct member *member = join->members; member != NULL; member = member->next) {
        fil_cell__free(member->arrival.cell);
    }
    if (join->hook != NULL) {
        fil_cell__block_free(join->hook->pool, join->hook);
    }
    free_blocks(join);
}

/** All the memory that the join needs, or NULL. */
static struct fil_results *join_new(enum join_kind kind, uint32_t count)
{
    struct fil_pool *pool = NULL;
    struct fil_results *join = fil_cell__block_new(&pool);
    if (join == NULL) {
        return NULL;
    }
    *join = (struct fil_results){.pool = pool, .count = count, .kind = kind};
    atomic_init(&join->flags, 0);
    atomic_init(&join->missing_count, count);
    atomic_init(&join->hold_count, count + 2); // the members, the hook, the builder
    join->hook = hook_new(join);
    if (join->hook == NULL || !add_members(join, count)) {
        dismantle(join);
        return NULL;
    }
    return join;
}

static void build(struct fil_results *join, const struct fil_future *futures)
{
    fil_cell__hook(fil_cell__of_promise(join->promise), join->hook);
    uint32_t i = 0;
    for (struct member *member = join->members; member != NULL; member = member->next) {
        fil_cell__always(futures[i], member->arrival.cell, on_arrival, member);
        i++;
    }
    fil_assert(i == join->count);
    if ((set_flag(join, BUILT) & CANCELLING) != 0) {
        for (struct member *member = join->members; member != NULL; member = member->next) {
            fil_future_cancel(member->arrival);
        }
    }
    if (join->count == 0) {
        conclude(join, FIL_OK);
    }
    unhold(join);
}

static int join_futures(enum join_kind kind, struct fil_target *home,
                        const struct fil_future *futures, uint32_t count,
                        struct fil_future *out_future)
{
    fil_assert(count <= FIL_JOIN_MEMBERS_MAX);
    struct fil_results *join = join_new(kind, count);
    if (join == NULL) {
        return FIL_E_NOMEM;
    }
    int error = fil_promise_new(home, &join->promise, out_future);
    if (error != FIL_OK) {
        dismantle(join);
        return error;
    }
    build(join, futures);
    return FIL_OK;
}

int fil_join_all(struct fil_target *home, const struct fil_future *futures, uint32_t count,
                 struct fil_future *out_future)
{
    return join_futures(JOIN_ALL, home, futures, count, out_future);
}

int fil_join_any(struct fil_target *home, const struct fil_future *futures, uint32_t count,
                 struct fil_future *out_future)
{
    fil_assert(count > 0);
    return join_futures(JOIN_ANY, home, futures, count, out_future);
}

int fil_join_settle(struct fil_target *home, const struct fil_future *futures, uint32_t count,
                    struct fil_future *out_future)
{
    return join_futures(JOIN_SETTLE, home, futures, count, out_future);
}

// The joint value.

uint32_t fil_results_count(const struct fil_results *results)
{
    return results->count;
}

bool fil_results_take(struct fil_results *results, struct fil_result *out_result)
{
    struct member *member = results->cursor;
    if (member == NULL) {
        return false;
    }
    *out_result = member->result;
    member->result.destroy = NULL; // it is the caller's now
    results->cursor = member->next;
    return true;
}

void fil_results_free(struct fil_results *results)
{
    if (results != NULL) {
        unhold(results);
    }
}
