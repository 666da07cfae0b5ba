// SPDX-License-Identifier: Apache-2.0
#include "core/service/service_pool.h"

#include <stdio.h>

#include "core/exec/activity.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/mem/chunk.h"

#define CHUNKS_KEPT     4U
#define JOBS_PER_CYCLE  16U
#define FLUSH_AFTER_NS  UINT64_C(50000) // replies wait at most so long for others to go with
#define GROWTH_HEADROOM 1U              // idle threads that an elastic pool wants

static _Thread_local struct fil_runner *my_runner;

struct fil_runner *fil_service_pool_runner(void)
{
    return my_runner;
}

static bool is_valid(const struct fil_service_pool_options *options)
{
    return options->name != NULL && options->name[0] != '\0' && options->thread_count >= 1 &&
           options->thread_max >= options->thread_count &&
           options->thread_max <= FIL_CREW_MEMBERS_MAX;
}

static uint32_t cycle(void *context, uint32_t index)
{
    fil_role_assert_executor();
    return fil_service_pool_cycle(context, index);
}

static bool has_work(void *context, uint32_t index)
{
    (void)index;
    struct fil_service_pool *pool = context;
    return !fil_task_queue_is_empty(&pool->queue);
}

static const struct fil_crew_ops crew_ops = {.cycle = cycle, .has_work = has_work};

static int init_workers(struct fil_service_pool *pool)
{
    uint32_t count = pool->options.thread_max;
    struct fil_budget *budget = pool->options.budget != NULL
                                    ? pool->options.budget
                                    : fil_exec_options(pool->options.exec)->budget;
    pool->workers = fil_alloc_aligned(FIL_CACHE_LINE, count * sizeof(*pool->workers));
    pool->runners = fil_alloc_zero(count, sizeof(struct fil_runner *));
    if (pool->workers == NULL || pool->runners == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct fil_service_worker *worker = &pool->workers[i];
        (void)snprintf(worker->name, sizeof(worker->name), "%s/%u", pool->name, i);
        fil_runner_init(&worker->runner, pool->options.exec, worker->name);
        fil_chunk_pool_init(&worker->chunks, budget, CHUNKS_KEPT);
        worker->runner.chunks = &worker->chunks;
        pool->runners[i] = &worker->runner;
    }
    return FIL_OK;
}

static void fini_workers(struct fil_service_pool *pool)
{
    for (uint32_t i = 0; pool->runners != NULL && i < pool->options.thread_max; i++) {
        if (pool->runners[i] != NULL) {
            fil_pool_adopt(&pool->workers[i].chunks);
            fil_pool_fini(&pool->workers[i].chunks);
        }
    }
    fil_free(pool->runners);
    fil_free(pool->workers);
    pool->runners = NULL;
    pool->workers = NULL;
}

static int init_queue(struct fil_service_pool *pool)
{
    struct fil_admission_options options = pool->options.admission;
    options.worker_max = pool->options.thread_max;
    int error = fil_admission_init(&pool->admission, &options);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_task_queue_init(&pool->queue, pool->env, pool->admission.options.cap);
    if (error != FIL_OK) {
        fil_admission_fini(&pool->admission);
    }
    return error;
}

static int init_crew(struct fil_service_pool *pool)
{
    return fil_crew_init(&pool->crew, &(struct fil_crew_options){
                                          .name = pool->name,
                                          .role = &fil_role_executor,
                                          .ops = &crew_ops,
                                          .context = pool,
                                          .member_count = pool->options.thread_max,
                                          .idle = FIL_IDLE_KIND_BLOCK,
                                          .hooks = pool->options.hooks,
                                          .runners = pool->runners,
                                      });
}

int fil_service_pool_init(struct fil_service_pool *pool,
                          const struct fil_service_pool_options *options)
{
    if (!is_valid(options)) {
        return FIL_E_INVALID;
    }
    *pool = (struct fil_service_pool){.options = *options};
    pool->env = fil_exec_options(options->exec)->env;
    (void)snprintf(pool->name, sizeof(pool->name), "%s", options->name); // may cut
    pool->options.name = pool->name;
    int error = init_workers(pool);
    if (error != FIL_OK) {
        goto fail_workers;
    }
    error = init_queue(pool);
    if (error != FIL_OK) {
        goto fail_workers;
    }
    error = init_crew(pool);
    if (error != FIL_OK) {
        goto fail_queue;
    }
    return FIL_OK;

fail_queue:
    fil_task_queue_fini(&pool->queue);
    fil_admission_fini(&pool->admission);
fail_workers:
    fini_workers(pool);
    return error;
}

void fil_service_pool_fini(struct fil_service_pool *pool)
{
    if (pool->workers == NULL) {
        return;
    }
    fil_crew_fini(&pool->crew);
    fil_task_queue_fini(&pool->queue);
    fil_admission_fini(&pool->admission);
    fini_workers(pool);
}

int fil_service_pool_start(struct fil_service_pool *pool)
{
    int error = fil_crew_start(&pool->crew, pool->options.thread_count);
    if (error == FIL_OK) {
        atomic_store_explicit(&pool->started_count, pool->options.thread_count,
                              memory_order_relaxed);
    }
    return error;
}

void fil_service_pool_stop(struct fil_service_pool *pool)
{
    // R1 pairs with A1: threads that see it start no others.
    atomic_store_explicit(&pool->is_stopping, true, memory_order_seq_cst);
    // Whoever was about to start a thread has done so, or has seen the stop.
    while (atomic_exchange_explicit(&pool->is_growing, true, memory_order_acquire)) {
        fil_thread_yield();
    }
    fil_crew_stop(&pool->crew);
}

uint32_t fil_service_pool_thread_count(struct fil_service_pool *pool)
{
    return atomic_load_explicit(&pool->started_count, memory_order_relaxed);
}

enum fil_admission_verdict fil_service_pool_admit(struct fil_service_pool *pool,
                                                  struct fil_service_job *job, uint64_t now_ns)
{
    // A1 pairs with R1.
    if (atomic_load_explicit(&pool->is_stopping, memory_order_seq_cst)) {
        return FIL_ADMISSION_EXPIRED;
    }
    job->arrived_ns = now_ns;
    return fil_admission_arrive(&pool->admission, &job->bid, now_ns);
}

/** Stands for "this task is a job": jobs are not run through their task. */
static void run_as_job(struct fil_task *task)
{
    fil_assert(task == NULL); // never called
}

void fil_service_pool_push(struct fil_service_pool *pool, struct fil_service_job *job,
                           struct fil_runner *runner)
{
    fil_assert(job->ops != NULL);
    job->task = (struct fil_task){.run = run_as_job};
    fil_task_queue_push(&pool->queue, &job->task);
    if (runner != NULL) {
        fil_runner_owe_crew(runner, &pool->crew);
    } else {
        (void)fil_crew_wake_any(&pool->crew, 0, pool->options.thread_max);
    }
}

void fil_service_pool_forget(struct fil_service_pool *pool, struct fil_service_job *job)
{
    fil_admission_forget(&pool->admission, &job->bid);
}

static bool wants_a_thread(struct fil_service_pool *pool) FIL_RUNS_ON(executor)
{
    uint32_t started = atomic_load_explicit(&pool->started_count, memory_order_relaxed);
    uint32_t busy = atomic_load_explicit(&pool->busy_count, memory_order_relaxed);
    // None has been started: a simulation calls the cycles itself.
    return started != 0 && started < pool->options.thread_max && busy + GROWTH_HEADROOM > started;
}

/** Returns whether there is one more thread now. */
static bool start_one(struct fil_service_pool *pool) FIL_RUNS_ON(executor)
{
    uint32_t started = atomic_load_explicit(&pool->started_count, memory_order_relaxed);
    bool is_stopping = atomic_load_explicit(&pool->is_stopping, memory_order_seq_cst);
    if (is_stopping || started >= pool->options.thread_max ||
        fil_crew_start_member(&pool->crew, started) != FIL_OK) {
        return false;
    }
    atomic_store_explicit(&pool->started_count, started + 1, memory_order_relaxed);
    return true;
}

/**
 * An elastic pool whose threads are all at work gets one more, before this one is lost to it.
 * Whoever comes while another thread is at it leaves it to that one, which therefore looks again:
 * each exchange sees what was done before the one it follows.
 */
static void grow_if_all_are_busy(struct fil_service_pool *pool) FIL_RUNS_ON(executor)
{
    bool has_grown = true;
    while (FIL_UNLIKELY(has_grown && wants_a_thread(pool))) {
        if (atomic_exchange_explicit(&pool->is_growing, true, memory_order_acq_rel)) {
            return;
        }
        has_grown = start_one(pool);
        (void)atomic_exchange_explicit(&pool->is_growing, false, memory_order_acq_rel);
    }
}

/** Why the job must not run; ADMITTED when it may. */
static enum fil_admission_verdict judge(struct fil_service_pool *pool, struct fil_service_job *job,
                                        uint64_t now_ns) FIL_RUNS_ON(executor)
{
    enum fil_admission_verdict verdict =
        fil_admission_take(&pool->admission, &job->bid, job->arrived_ns, now_ns);
    if (atomic_load_explicit(&pool->is_stopping, memory_order_relaxed)) {
        return FIL_ADMISSION_EXPIRED;
    }
    if (job->ops->is_cancelled != NULL && job->ops->is_cancelled(job)) {
        fil_counter_add_shared(&pool->skipped_count, 1);
        return FIL_ADMISSION_EXPIRED;
    }
    return verdict;
}

/** An elastic pool is there to wait in: only threads of a fixed one are named when they do. */
static void run_watched(const struct fil_service_pool *pool, struct fil_service_job *job)
{
    if (pool->options.thread_max > pool->options.thread_count) {
        job->ops->run(job);
        return;
    }
    const char *outer = fil_activity_begin(my_runner, job->ops->name(job));
    job->ops->run(job);
    fil_activity_end(my_runner, outer);
}

/** Runs or refuses one job; returns when it was done. */
static uint64_t run_one(struct fil_service_pool *pool, struct fil_service_job *job,
                        struct fil_meter *meter, uint64_t now_ns) FIL_RUNS_ON(executor)
{
    uint64_t waited = now_ns > job->arrived_ns ? now_ns - job->arrived_ns : 0;
    fil_histogram_record(&meter->wait_ns, waited);
    enum fil_admission_verdict verdict = judge(pool, job, now_ns);
    if (verdict != FIL_ADMISSION_ADMITTED) {
        job->ops->refuse(job, verdict);
        return now_ns;
    }
    my_runner->now_ns = now_ns;
    run_watched(pool, job);
    fil_counter_add(&my_runner->stats.runs, 1);
    fil_counter_add_shared(&pool->run_count, 1);
    uint64_t end_ns = fil_env_now_ns(pool->env);
    my_runner->now_ns = end_ns;
    fil_admission_finish(&pool->admission, end_ns - now_ns);
    fil_histogram_record(&meter->service_ns, end_ns - now_ns);
    return end_ns;
}

/** Runs the job and those behind it; replies leave together unless one of them would wait. */
static uint32_t run_batch(struct fil_service_pool *pool, struct fil_task *task,
                          struct fil_meter *meter) FIL_RUNS_ON(executor)
{
    uint64_t start_ns = fil_env_now_ns(pool->env);
    uint64_t now_ns = start_ns;
    uint32_t moved = 0;
    do {
        struct fil_service_job *job = FIL_CONTAINER_OF(task, struct fil_service_job, task);
        now_ns = run_one(pool, job, meter, now_ns);
        moved++;
    } while (moved < JOBS_PER_CYCLE && now_ns - start_ns < FLUSH_AFTER_NS &&
             (task = fil_task_queue_take(&pool->queue)) != NULL);
    fil_meter_cycle(meter, moved, now_ns - start_ns);
    return moved;
}

uint32_t fil_service_pool_cycle(struct fil_service_pool *pool, uint32_t index)
{
    fil_assert(index < pool->options.thread_max);
    struct fil_task *task = fil_task_queue_take(&pool->queue);
    if (task == NULL) {
        return 0;
    }
    atomic_fetch_add_explicit(&pool->busy_count, 1, memory_order_relaxed);
    if (!fil_task_queue_is_empty(&pool->queue)) {
        (void)fil_crew_wake_any(&pool->crew, 0, pool->options.thread_max);
    }
    grow_if_all_are_busy(pool);
    const struct fil_crew *outer = fil_crew_enter(&pool->crew);
    struct fil_runner *outer_runner = my_runner;
    my_runner = pool->runners[index];
    uint32_t moved = run_batch(pool, task, fil_crew_meter(&pool->crew, index));
    fil_stage_hooks_settle(pool->options.hooks, my_runner);
    my_runner = outer_runner;
    fil_crew_leave(outer);
    atomic_fetch_sub_explicit(&pool->busy_count, 1, memory_order_relaxed);
    return moved;
}
