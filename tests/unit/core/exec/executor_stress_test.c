// SPDX-License-Identifier: Apache-2.0
/**
 * An executor under load, with real threads: every job that was taken ends exactly once, by
 * running, by its cancellation or by its deadline, whoever races; a cancel that was granted is what
 * happens; the figures agree; and submitters that race with drain and stop lose nothing.
 */
#include <pthread.h>

#include "core/exec/executor.h"
#include "filbert/error.h"
#include "lib/base/prng.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define SUBMITTERS         3U
#define JOBS_PER_SUBMITTER 6000U
#define JOB_COUNT          (SUBMITTERS * JOBS_PER_SUBMITTER)

struct racing_job {
    struct fil_job job;
    uint32_t run_count; // plain: two ends at the same time would be a race
    uint32_t cancel_count;
    uint32_t expire_count;
    _Atomic uint32_t granted_count; // cancels that returned true
    _Atomic bool is_submitted;
};

static struct fil_executor executor;
static struct racing_job jobs[JOB_COUNT];
static _Atomic uint64_t ended_count;
static _Atomic uint64_t taken_count;
static _Atomic bool is_over;

static void end(uint32_t *count)
{
    (*count)++;
    atomic_fetch_add_explicit(&ended_count, 1, memory_order_release);
}

static void run(struct fil_job *job)
{
    end(&FIL_CONTAINER_OF(job, struct racing_job, job)->run_count);
}

static void cancel(struct fil_job *job)
{
    end(&FIL_CONTAINER_OF(job, struct racing_job, job)->cancel_count);
}

static void expire(struct fil_job *job)
{
    end(&FIL_CONTAINER_OF(job, struct racing_job, job)->expire_count);
}

static const struct fil_job_ops ops = {.run = run, .cancel = cancel, .expire = expire};

static void set_up_round(enum fil_executor_policy policy)
{
    memset(jobs, 0, sizeof(jobs));
    for (uint32_t i = 0; i < JOB_COUNT; i++) {
        fil_job_init(&jobs[i].job, &ops);
    }
    atomic_store_explicit(&ended_count, 0, memory_order_relaxed);
    atomic_store_explicit(&taken_count, 0, memory_order_relaxed);
    atomic_store_explicit(&is_over, false, memory_order_relaxed);
    struct fil_executor_options options = {.env = fil_env_real(),
                                           .name = "stress",
                                           .thread_count = 3,
                                           .capacity = 50,
                                           .policy = policy,
                                           .wait_timeout_ns = 100000,
                                           .idle = FIL_IDLE_KIND_BLOCK};
    assert_int_equal(fil_executor_init(&executor, &options), FIL_OK);
    assert_int_equal(fil_executor_start(&executor), FIL_OK);
}

/** Submits all; stops at the first that is refused for good. */
static void *submit_jobs(void *context)
{
    struct racing_job *mine = context;
    struct fil_prng prng;
    fil_prng_init(&prng, (uint64_t)(mine - jobs));
    for (uint32_t i = 0; i < JOBS_PER_SUBMITTER; i++) {
        struct racing_job *racing = &mine[i];
        if (fil_prng_below(&prng, 4) == 0) {
            uint64_t now_ns = fil_env_now_ns(fil_env_real());
            racing->job.deadline_ns = now_ns + fil_prng_below(&prng, 50000);
        }
        int error = FIL_E_FULL;
        while (error == FIL_E_FULL) {
            error = fil_executor_submit(&executor, &racing->job);
        }
        if (error == FIL_E_STOPPING) {
            break;
        }
        fil_assert(error == FIL_OK);
        atomic_fetch_add_explicit(&taken_count, 1, memory_order_relaxed);
        atomic_store_explicit(&racing->is_submitted, true, memory_order_release);
    }
    return NULL;
}

static void *cancel_jobs(void *context)
{
    (void)context;
    struct fil_prng prng;
    fil_prng_init(&prng, 1234);
    while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
        struct racing_job *racing = &jobs[fil_prng_below(&prng, JOB_COUNT)];
        if (atomic_load_explicit(&racing->is_submitted, memory_order_acquire) &&
            fil_executor_cancel(&racing->job)) {
            atomic_fetch_add_explicit(&racing->granted_count, 1, memory_order_relaxed);
        }
    }
    return NULL;
}

static void check_jobs(bool is_stopped)
{
    static struct fil_executor_stats stats;
    uint64_t run_count = 0;
    uint64_t cancel_count = 0;
    uint64_t expire_count = 0;
    for (uint32_t i = 0; i < JOB_COUNT; i++) {
        struct racing_job *racing = &jobs[i];
        assert_int_equal(racing->run_count + racing->cancel_count + racing->expire_count,
                         racing->is_submitted);
        assert_true(racing->granted_count <= racing->cancel_count);
        assert_true(is_stopped || racing->granted_count == racing->cancel_count);
        run_count += racing->run_count;
        cancel_count += racing->cancel_count;
        expire_count += racing->expire_count;
    }
    fil_executor_read(&executor, &stats);
    assert_int_equal(stats.run_count, run_count);
    assert_int_equal(stats.cancelled_count, cancel_count);
    assert_int_equal(stats.expired_count, expire_count);
    assert_int_equal(stats.submitted_count, run_count + cancel_count + expire_count);
    assert_int_equal(stats.queue_length, 0);
    assert_int_equal(stats.running_count, 0);
}

static void start_submitters(pthread_t *submitters)
{
    for (uint32_t i = 0; i < SUBMITTERS; i++) {
        assert_int_equal(
            pthread_create(&submitters[i], NULL, submit_jobs, &jobs[i * JOBS_PER_SUBMITTER]), 0);
    }
}

static void join_submitters(const pthread_t *submitters)
{
    for (uint32_t i = 0; i < SUBMITTERS; i++) {
        assert_int_equal(pthread_join(submitters[i], NULL), 0);
    }
}

static void check_run_to_the_end(enum fil_executor_policy policy)
{
    pthread_t submitters[SUBMITTERS];
    pthread_t canceller;
    set_up_round(policy);
    assert_int_equal(pthread_create(&canceller, NULL, cancel_jobs, NULL), 0);
    start_submitters(submitters);
    join_submitters(submitters);
    // A wake-up that was lost would leave jobs behind.
    while (atomic_load_explicit(&ended_count, memory_order_acquire) < JOB_COUNT) {
        fil_thread_yield();
    }
    atomic_store_explicit(&is_over, true, memory_order_relaxed);
    assert_int_equal(pthread_join(canceller, NULL), 0);
    fil_executor_stop(&executor);
    check_jobs(false);
    fil_executor_fini(&executor);
}

static void test_every_job_ends_once_when_full_queues_refuse(void **state)
{
    (void)state;
    check_run_to_the_end(FIL_EXECUTOR_REJECT);
}

static void test_every_job_ends_once_when_submitters_wait(void **state)
{
    (void)state;
    check_run_to_the_end(FIL_EXECUTOR_WAIT);
}

static void check_stop_in_the_middle(bool drains_first)
{
    pthread_t submitters[SUBMITTERS];
    set_up_round(FIL_EXECUTOR_WAIT);
    start_submitters(submitters);
    while (atomic_load_explicit(&taken_count, memory_order_relaxed) < JOB_COUNT / 3) {
        fil_thread_yield();
    }
    if (drains_first) {
        assert_int_equal(fil_executor_drain_wait(&executor, UINT64_C(3600000000000)), FIL_OK);
        assert_true(fil_executor_is_idle(&executor));
    }
    fil_executor_stop(&executor);
    join_submitters(submitters);
    assert_int_equal(atomic_load_explicit(&ended_count, memory_order_acquire),
                     atomic_load_explicit(&taken_count, memory_order_relaxed));
    check_jobs(!drains_first);
    fil_executor_fini(&executor);
}

static void test_submitters_that_race_with_drain_lose_nothing(void **state)
{
    (void)state;
    check_stop_in_the_middle(true);
}

static void test_submitters_that_race_with_stop_lose_nothing(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 5; round++) {
        check_stop_in_the_middle(false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_job_ends_once_when_full_queues_refuse),
        cmocka_unit_test(test_every_job_ends_once_when_submitters_wait),
        cmocka_unit_test(test_submitters_that_race_with_drain_lose_nothing),
        cmocka_unit_test(test_submitters_that_race_with_stop_lose_nothing),
    };
    return cmocka_run_group_tests_name("executor_stress", tests, NULL, NULL);
}
