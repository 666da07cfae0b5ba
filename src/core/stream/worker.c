// SPDX-License-Identifier: Apache-2.0
#include "core/stream/worker.h"

#include <stddef.h>
#include <stdio.h>

#include "core/stream/handover.h"
#include "core/stream/workers.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define STEPS_PER_CYCLE 16U
#define SPIN_COUNT      64U
#define TIMER_SLACK_NS  1000U // a source's records are due at a time, not some 50 us behind it
#define SHAKE_ONE_OF    4U    // steps of a shaken worker

int fil_worker_init(struct fil_worker *worker, struct fil_workers *workers, uint32_t index)
{
    const struct fil_workers_options *options = &workers->options;
    *worker = (struct fil_worker){
        .workers = workers, .env = options->env, .index = index, .budget_ns = options->budget_ns};
    (void)snprintf(worker->name, sizeof(worker->name), "stream/%u", index); // cut when too long
    fil_stack_init(&worker->arrivals);
    fil_parker_init(&worker->parker);
    fil_list_init(&worker->active);
    fil_list_init(&worker->sleepers);
    fil_list_init(&worker->tasklets);
    fil_batch_pools_init(&worker->pools, options->budget);
    fil_prng_init(&worker->prng, options->shake_seed + index);
    worker->now_ns = fil_env_now_ns(worker->env);
    worker->interval_began_ns = worker->now_ns;
    worker->shares = fil_alloc_zero(options->jobs_max, sizeof(*worker->shares));
    if (worker->shares == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < options->jobs_max; i++) {
        fil_list_init(&worker->shares[i].active);
        fil_list_init(&worker->shares[i].ready);
    }
    return FIL_OK;
}

void fil_worker_fini(struct fil_worker *worker)
{
    if (worker->workers == NULL) {
        return;
    }
    fil_assert(fil_list_is_empty(&worker->tasklets));
    fil_assert(fil_stack_is_empty(&worker->arrivals));
    fil_batch_pools_adopt(&worker->pools);
    fil_batch_pools_fini(&worker->pools);
    fil_free(worker->shares);
    worker->shares = NULL;
}

/** The tasklet is new here, from its job or from another worker. */
static void welcome(struct fil_worker *worker, struct fil_tasklet *tasklet)
{
    fil_list_push_back(&worker->tasklets, &tasklet->at_home);
    if (tasklet->since_ns == 0) {
        tasklet->since_ns = worker->now_ns;
    }
}

void fil_worker_enqueue(struct fil_worker *worker, struct fil_tasklet *tasklet,
                        struct fil_worker *by)
{
    fil_assert(worker != NULL);
    if (worker == by) {
        if (FIL_UNLIKELY(!fil_list_is_linked(&tasklet->at_home))) {
            welcome(worker, tasklet);
        }
        fil_list_push_back(&worker->shares[tasklet->job_slot].ready, &tasklet->ready);
        if (!fil_list_is_linked(&worker->shares[tasklet->job_slot].active)) {
            fil_worker__activate(worker, tasklet->job_slot);
        }
        return;
    }
    (void)fil_stack_push(&worker->arrivals, &tasklet->arrival);
    (void)fil_parker_wake(&worker->parker);
}

void fil_worker__activate(struct fil_worker *worker, uint32_t slot)
{
    struct fil_worker_share *share = &worker->shares[slot];
    uint32_t weight = fil_workers_weight(worker->workers, slot);
    share->weight = weight == 0 ? 1 : weight;
    // A share that was away does not save up time it did not use.
    if (share->pass < worker->pass) {
        share->pass = worker->pass;
    }
    fil_list_push_back(&worker->active, &share->active);
}

static void adopt_arrivals(struct fil_worker *worker)
{
    if (fil_stack_is_empty(&worker->arrivals)) {
        return;
    }
    struct fil_link *link = fil_stack_take_all(&worker->arrivals);
    while (link != NULL) {
        struct fil_tasklet *tasklet = FIL_CONTAINER_OF(link, struct fil_tasklet, arrival);
        link = link->next;
        fil_worker_enqueue(worker, tasklet, worker);
    }
}

static struct fil_tasklet *first_sleeper(const struct fil_worker *worker)
{
    return fil_list_is_empty(&worker->sleepers)
               ? NULL
               : FIL_CONTAINER_OF(worker->sleepers.next, struct fil_tasklet, sleeping);
}

uint64_t fil_worker_next_ns(const struct fil_worker *worker)
{
    const struct fil_tasklet *first = first_sleeper(worker);
    return first == NULL ? FIL_TASKLET_NEVER : first->wake_at_ns;
}

static void wake_sleepers(struct fil_worker *worker)
{
    struct fil_tasklet *first = first_sleeper(worker);
    while (first != NULL && first->wake_at_ns <= worker->now_ns) {
        fil_list_remove(&first->sleeping);
        fil_tasklet_wake(first, worker);
        first = first_sleeper(worker);
    }
}

/** Keeps the sleepers in the order of their times; most come in at the end. */
static void put_to_sleep(struct fil_worker *worker, struct fil_tasklet *tasklet)
{
    struct fil_list *place = worker->sleepers.previous;
    while (place != &worker->sleepers &&
           FIL_CONTAINER_OF(place, struct fil_tasklet, sleeping)->wake_at_ns >
               tasklet->wake_at_ns) {
        place = place->previous;
    }
    fil_list_push_front(place, &tasklet->sleeping);
}

static struct fil_worker_share *next_share(struct fil_worker *worker)
{
    struct fil_worker_share *next = NULL;
    fil_list_foreach(item, &worker->active) {
        struct fil_worker_share *share = FIL_CONTAINER_OF(item, struct fil_worker_share, active);
        if (next == NULL || share->pass < next->pass) {
            next = share;
        }
    }
    return next;
}

/** The next tasklet to run, out of its queue; NULL when none is ready. */
static struct fil_tasklet *pick(struct fil_worker *worker)
{
    struct fil_worker_share *share = next_share(worker);
    if (share == NULL) {
        return NULL;
    }
    worker->pass = share->pass;
    struct fil_list *item = fil_list_take_front(&share->ready);
    fil_assert(item != NULL);
    if (fil_list_is_empty(&share->ready)) {
        fil_list_remove(&share->active);
    }
    return FIL_CONTAINER_OF(item, struct fil_tasklet, ready);
}

void fil_worker_hand_over(struct fil_worker *worker, struct fil_tasklet *tasklet,
                          struct fil_worker *to)
{
    fil_assert(to != worker && !tasklet->is_pinned);
    fil_assert(!fil_list_is_linked(&tasklet->ready));
    fil_list_remove(&tasklet->at_home);
    tasklet->move_to = NULL;
    fil_counter_add(&tasklet->stats.move_count, 1);
    fil_counter_add(&worker->stats.given_count, 1);
    // Relaxed: the state is QUEUED, so nobody but its new home, which gets it through the stack,
    // looks at this before it has been PARKED there.
    atomic_store_explicit(&tasklet->home, to, memory_order_relaxed);
    fil_worker_enqueue(to, tasklet, worker);
}

static void account_wait(struct fil_worker *worker, struct fil_tasklet *tasklet)
{
    uint64_t waited = worker->now_ns - tasklet->since_ns;
    struct fil_tasklet_stats *stats = &tasklet->stats;
    if (tasklet->last_step == FIL_STEP_IDLE) {
        fil_counter_add(&stats->idle_ns, waited);
    } else if (tasklet->last_step == FIL_STEP_BLOCKED) {
        fil_counter_add(&stats->blocked_ns, waited);
    } else {
        fil_counter_add(&stats->ready_ns, waited);
    }
}

static void account_step(struct fil_worker *worker, struct fil_tasklet *tasklet)
{
    uint64_t now = fil_env_now_ns(worker->env);
    uint64_t elapsed = now - worker->now_ns;
    struct fil_tasklet_stats *stats = &tasklet->stats;
    fil_counter_add(&stats->step_count, 1);
    fil_counter_add(&stats->busy_ns, elapsed);
    fil_counter_add(&worker->stats.step_count, 1);
    fil_counter_add(&worker->stats.busy_ns, elapsed);
    if (elapsed > fil_counter_read(&stats->longest_ns)) {
        fil_counter_add(&stats->longest_ns, elapsed - fil_counter_read(&stats->longest_ns));
    }
    if (FIL_UNLIKELY(elapsed > worker->budget_ns) && !worker->is_dedicated) {
        fil_counter_add(&stats->overrun_count, 1);
        fil_counter_add(&worker->stats.overrun_count, 1);
    }
    struct fil_worker_share *share = &worker->shares[tasklet->job_slot];
    share->pass += elapsed / (share->weight == 0 ? 1 : share->weight) + 1;
    worker->interval_busy_ns += elapsed;
    tasklet->recent_busy_ns += elapsed;
    tasklet->since_ns = now;
    worker->now_ns = now;
}

static void requeue(struct fil_worker *worker, struct fil_tasklet *tasklet)
{
    // Relaxed: only this worker moves a tasklet out of RUNNING, AGAIN and QUEUED.
    atomic_store_explicit(&tasklet->state, FIL_TASKLET_QUEUED, memory_order_relaxed);
    fil_worker_enqueue(worker, tasklet, worker);
}

static void park(struct fil_worker *worker, struct fil_tasklet *tasklet, enum fil_step step)
{
    if (step == FIL_STEP_IDLE && tasklet->wake_at_ns != FIL_TASKLET_NEVER) {
        put_to_sleep(worker, tasklet);
    }
    uint32_t expected = FIL_TASKLET_RUNNING;
    if (!atomic_compare_exchange_strong_explicit(&tasklet->state, &expected, FIL_TASKLET_PARKED,
                                                 memory_order_seq_cst, memory_order_seq_cst)) {
        fil_assert(expected == FIL_TASKLET_AGAIN);
        requeue(worker, tasklet);
    }
}

static void finish(struct fil_worker *worker, struct fil_tasklet *tasklet)
{
    (void)worker;
    fil_list_remove(&tasklet->at_home);
    atomic_store_explicit(&tasklet->state, FIL_TASKLET_DONE, memory_order_seq_cst);
    tasklet->ops->done(tasklet);
}

static void run(struct fil_worker *worker, struct fil_tasklet *tasklet)
{
    account_wait(worker, tasklet);
    fil_list_remove(&tasklet->sleeping);
    tasklet->wake_at_ns = FIL_TASKLET_NEVER;
    // W2 pairs with W1: the tasklet looks at its rings after this.
    uint32_t before =
        atomic_exchange_explicit(&tasklet->state, FIL_TASKLET_RUNNING, memory_order_seq_cst);
    fil_assert(before == FIL_TASKLET_QUEUED);
    // Relaxed, both: for whoever wants to know what takes so long.
    atomic_store_explicit(&worker->current_since_ns, worker->now_ns, memory_order_relaxed);
    atomic_store_explicit(&worker->current_name, tasklet->name, memory_order_relaxed);
    enum fil_step step = tasklet->ops->step(tasklet);
    atomic_store_explicit(&worker->current_name, NULL, memory_order_relaxed);
    account_step(worker, tasklet);
    tasklet->last_step = step;
    if (step == FIL_STEP_DONE) {
        finish(worker, tasklet);
    } else if (step == FIL_STEP_PROGRESS) {
        requeue(worker, tasklet);
    } else {
        park(worker, tasklet, step);
    }
}

/** Tests ask for hand-overs at random; NULL: not now. */
static struct fil_worker *shaken_to(struct fil_worker *worker)
{
    const struct fil_workers *workers = worker->workers;
    if (workers->options.shake_seed == 0 || workers->count < 2 ||
        fil_prng_below(&worker->prng, SHAKE_ONE_OF) != 0) {
        return NULL;
    }
    uint64_t step = fil_prng_range(&worker->prng, 1, workers->count - 1);
    return &workers->items[(worker->index + step) % workers->count];
}

static void dispatch(struct fil_worker *worker, struct fil_tasklet *tasklet)
{
    struct fil_worker *to = tasklet->move_to;
    if (to == NULL && !tasklet->is_pinned) {
        to = shaken_to(worker);
    }
    if (FIL_UNLIKELY(to != NULL)) {
        fil_list_remove(&tasklet->sleeping);
        fil_worker_hand_over(worker, tasklet, to);
    } else {
        run(worker, tasklet);
    }
}

uint32_t fil_worker_cycle(struct fil_worker *worker)
{
    worker->now_ns = fil_env_now_ns(worker->env);
    uint32_t moved = 0;
    while (moved < STEPS_PER_CYCLE) {
        adopt_arrivals(worker);
        wake_sleepers(worker);
        struct fil_tasklet *tasklet = pick(worker);
        if (tasklet == NULL) {
            break;
        }
        dispatch(worker, tasklet);
        moved++;
    }
    if (worker->now_ns - worker->interval_began_ns >= FIL_WORKER_BALANCE_NS) {
        fil_handover_balance(worker);
    }
    return moved;
}

static bool must_look_again(struct fil_worker *worker)
{
    // A1 pairs with R1 in stop.
    return !fil_stack_is_empty(&worker->arrivals) || !fil_list_is_empty(&worker->active) ||
           atomic_load_explicit(&worker->is_stopping, memory_order_seq_cst);
}

static void sleep_until_woken(struct fil_worker *worker)
{
    uint64_t next = fil_worker_next_ns(worker);
    int64_t timeout = FIL_WAIT_FOREVER;
    if (next != FIL_TASKLET_NEVER) {
        uint64_t now = fil_env_now_ns(worker->env);
        timeout = next <= now ? 0 : (int64_t)(next - now);
    }
    // Relaxed: a hint for the balance of the others.
    atomic_store_explicit(&worker->is_asleep, true, memory_order_relaxed);
    fil_parker_prepare(&worker->parker);
    if (must_look_again(worker) || timeout == 0) {
        fil_parker_cancel(&worker->parker);
    } else {
        fil_counter_add(&worker->stats.park_count, 1);
        fil_parker_park(&worker->parker, timeout);
    }
    atomic_store_explicit(&worker->is_asleep, false, memory_order_relaxed);
}

/** Looks a moment for what others bring, without the clock, then sleeps. */
static void rest(struct fil_worker *worker, struct fil_idle *idle)
{
    while (fil_idle_next(idle) != FIL_IDLE_PARK) {
        fil_thread_pause();
        if (must_look_again(worker)) {
            return;
        }
    }
    fil_handover_ask(worker);
    sleep_until_woken(worker);
    fil_idle_reset(idle);
}

static void run_thread(void *context)
{
    struct fil_worker *worker = context;
    fil_batch_pools_adopt(&worker->pools);
    fil_thread_set_timer_slack(TIMER_SLACK_NS);
    struct fil_idle idle;
    fil_idle_init_counts(&idle, FIL_IDLE_KIND_BACKOFF, SPIN_COUNT, 0);
    // A1 pairs with R1 in stop.
    while (!atomic_load_explicit(&worker->is_stopping, memory_order_acquire)) {
        if (fil_worker_cycle(worker) != 0) {
            fil_idle_reset(&idle);
        } else {
            rest(worker, &idle);
        }
    }
}

int fil_worker_start(struct fil_worker *worker)
{
    return fil_thread_start(&worker->thread, worker->name, run_thread, worker);
}

void fil_worker_stop(struct fil_worker *worker)
{
    // R1 pairs with A1; sequentially consistent for the look before the sleep.
    atomic_store_explicit(&worker->is_stopping, true, memory_order_seq_cst);
    (void)fil_parker_wake(&worker->parker);
    if (worker->thread.is_started) {
        fil_thread_join(&worker->thread);
    }
}
