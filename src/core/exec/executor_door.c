// SPDX-License-Identifier: Apache-2.0
/** How jobs come into an executor: at once, after a wait on a thread, or after one outside. */
#include "core/exec/executor_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

#define STOPPING FIL_EXECUTOR_STOPPING
#define DRAINING FIL_EXECUTOR_DRAINING

static uint64_t word_of(struct fil_executor *executor)
{
    // W1 pairs with W2: sequentially consistent, for those that wait.
    return atomic_load_explicit(&executor->word, memory_order_seq_cst);
}

static bool is_closed(uint64_t word)
{
    return (word & (STOPPING | DRAINING)) != 0;
}

static bool is_queue_full(const struct fil_executor *executor, uint64_t word)
{
    return fil_executor__queued_of(word) >= executor->options.capacity;
}

static bool has_no_place(const struct fil_executor *executor, uint64_t word)
{
    uint64_t in_flight = (uint64_t)fil_executor__queued_of(word) + fil_executor__running_of(word);
    return executor->options.in_flight_max > 0 && in_flight >= executor->options.in_flight_max;
}

/** Reserves a place in the queue: FIL_OK, FIL_E_FULL or FIL_E_STOPPING. */
static int reserve(void *context)
{
    struct fil_executor *executor = context;
    uint64_t word = word_of(executor);
    // Lock-free: when this thread goes round again, the word has been changed by another.
    do {
        if (is_closed(word)) {
            return FIL_E_STOPPING;
        }
        if (is_queue_full(executor, word) || has_no_place(executor, word)) {
            return FIL_E_FULL;
        }
    } while (!atomic_compare_exchange_weak_explicit(&executor->word, &word, word + 1,
                                                    memory_order_seq_cst, memory_order_seq_cst));
    return FIL_OK;
}

static int reserve_or_wait(struct fil_executor *executor)
{
    int error = reserve(executor);
    if (error != FIL_E_FULL || executor->options.policy == FIL_EXECUTOR_REJECT) {
        return error;
    }
    // Its own threads must not wait either: all of them might, and nobody would make room.
    if (!fil_room_may_wait() || fil_crew_is_current(&executor->crew)) {
        return FIL_E_WOULD_BLOCK;
    }
    fil_counter_add_shared(&executor->waited_count, 1);
    return fil_room_await(&executor->room, executor->options.env, executor->options.wait_timeout_ns,
                          reserve, executor);
}

/** Who would have to wait is not counted: it gives up in its own way. */
static int refuse(struct fil_executor *executor, int error)
{
    if (error == FIL_E_STOPPING) {
        fil_counter_add_shared(&executor->refused_count, 1);
    } else if (error == FIL_E_FULL) {
        fil_counter_add_shared(&executor->rejected_count, 1);
    }
    return error;
}

static void check_job(struct fil_job *job)
{
    fil_assert(fil_job_of(&job->task) == job);
    fil_assert(job->deadline_ns == FIL_JOB_NO_DEADLINE || job->ops->expire != NULL);
}

/** Who looks for the job here finds an executor that is ready for that. */
static void own(struct fil_executor *executor, struct fil_job *job)
{
    // J1 pairs with J2.
    atomic_store_explicit(&job->executor, executor, memory_order_release);
}

int fil_executor_submit(struct fil_executor *executor, struct fil_job *job)
{
    check_job(job);
    int error = reserve_or_wait(executor);
    if (error != FIL_OK) {
        return refuse(executor, error);
    }
    own(executor, job);
    fil_executor__push(executor, &job->task);
    return FIL_OK;
}

// Outside.

/** It has its place. */
static void come_in(struct fil_guest *guest)
{
    struct fil_job *job = FIL_CONTAINER_OF(guest, struct fil_job, guest);
    // Relaxed: the lobby's mutex has passed it on.
    fil_executor__push(atomic_load_explicit(&job->executor, memory_order_relaxed), &job->task);
}

static bool take_place(void *context)
{
    return reserve(context) == FIL_OK;
}

/** Beyond the limits: nobody comes after these. */
static bool force_place(void *context)
{
    struct fil_executor *executor = context;
    atomic_fetch_add_explicit(&executor->word, 1, memory_order_seq_cst);
    return true;
}

void fil_executor__made_room(struct fil_executor *executor)
{
    fil_room_made(&executor->room);
    fil_lobby_admit(&executor->lobby, take_place, executor);
}

/** How long one may wait that finds the word so; 0: not at all. */
static uint64_t patience_of(const struct fil_executor *executor, uint64_t word)
{
    const struct fil_executor_options *options = &executor->options;
    uint64_t queue_ns = options->policy == FIL_EXECUTOR_WAIT ? options->wait_timeout_ns : 0;
    if (is_queue_full(executor, word)) {
        return queue_ns;
    }
    // There is no place, or others wait for what is free now.
    return queue_ns > options->place_timeout_ns ? queue_ns : options->place_timeout_ns;
}

/** Waits behind those who came before; the caller has looked for how long. */
static int wait_outside(struct fil_executor *executor, struct fil_job *job)
{
    // Relaxed: a few more, by those who look at the same time, do not matter.
    if (atomic_load_explicit(&executor->lobby.count, memory_order_relaxed) >=
        executor->options.outside_max) {
        return refuse(executor, FIL_E_FULL);
    }
    fil_counter_add_shared(&executor->waited_count, 1);
    own(executor, job);
    fil_lobby_enter(&executor->lobby, &job->guest, come_in);
    fil_lobby_admit(&executor->lobby, take_place, executor);
    // Who drains may have looked for guests before.
    if (is_closed(word_of(executor)) && fil_lobby_leave(&executor->lobby, &job->guest)) {
        return refuse(executor, FIL_E_STOPPING);
    }
    return FIL_OK;
}

int fil_executor_bring(struct fil_executor *executor, struct fil_job *job, uint64_t *out_wait_ns)
{
    check_job(job);
    *out_wait_ns = 0;
    int error = fil_lobby_is_empty(&executor->lobby) ? reserve(executor) : FIL_E_FULL;
    if (error == FIL_OK) {
        own(executor, job);
        fil_executor__push(executor, &job->task);
        return FIL_OK;
    }
    *out_wait_ns = patience_of(executor, word_of(executor));
    return error == FIL_E_FULL && *out_wait_ns > 0 ? wait_outside(executor, job)
                                                   : refuse(executor, error);
}

bool fil_executor_withdraw(struct fil_job *job)
{
    // J2 pairs with J1.
    struct fil_executor *executor = atomic_load_explicit(&job->executor, memory_order_acquire);
    if (executor == NULL || !fil_lobby_leave(&executor->lobby, &job->guest)) {
        return false;
    }
    fil_counter_add_shared(&executor->rejected_count, 1);
    return true;
}

void fil_executor_drain(struct fil_executor *executor)
{
    atomic_fetch_or_explicit(&executor->word, DRAINING, memory_order_seq_cst);
    // Who waits for room on a thread waits in vain; who is outside comes in, and is the last.
    fil_room_made(&executor->room);
    fil_lobby_admit(&executor->lobby, force_place, executor);
}
