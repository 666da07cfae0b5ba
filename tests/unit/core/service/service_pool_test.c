// SPDX-License-Identifier: Apache-2.0
/**
 * A pool with real threads, one test a promise: every admitted job is run once, on a thread of the
 * pool; an elastic pool starts threads while all of its own block, up to the limit; what nobody
 * wants any more is refused; a stop refuses what is queued and loses nothing; options out of range
 * and failing memory are told.
 */
#include "core/service/service_pool.h"

#include "core/exec/exec.h"
#include "lib/base/alloc.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define JOBS 200U

static struct fil_budget budget;
static struct fil_exec *exec;
static struct fil_service_pool pool;
static _Atomic uint32_t run_count;
static _Atomic uint32_t refused_count;
static _Atomic uint32_t blocked_count;
static _Atomic bool is_gate_open;
static _Atomic bool is_unwanted;

static void run(struct fil_service_job *job)
{
    (void)job;
    assert_non_null(fil_service_pool_runner());
    atomic_fetch_add(&blocked_count, 1);
    while (!atomic_load(&is_gate_open)) {
        fil_thread_yield();
    }
    atomic_fetch_add(&run_count, 1);
}

static void refuse(struct fil_service_job *job, enum fil_admission_verdict verdict)
{
    (void)job;
    (void)verdict;
    atomic_fetch_add(&refused_count, 1);
}

static bool is_cancelled(struct fil_service_job *job)
{
    (void)job;
    return atomic_load(&is_unwanted);
}

static const char *name(struct fil_service_job *job)
{
    (void)job;
    return "test";
}

static const struct fil_service_job_ops ops = {
    .run = run, .refuse = refuse, .is_cancelled = is_cancelled, .name = name};

static int set_up(void **state)
{
    (void)state;
    atomic_store(&run_count, 0);
    atomic_store(&refused_count, 0);
    atomic_store(&blocked_count, 0);
    atomic_store(&is_gate_open, true);
    atomic_store(&is_unwanted, false);
    fil_budget_init(&budget, UINT64_C(1) << 30);
    struct fil_exec_options options = {
        .env = fil_env_real(), .budget = &budget, .partition_count = 1, .thread_count = 1};
    return fil_exec_new(&exec, &options);
}

static int tear_down(void **state)
{
    (void)state;
    fil_service_pool_fini(&pool);
    fil_exec_free(exec);
    return 0;
}

static struct fil_service_pool_options options_for(uint32_t thread_count, uint32_t thread_max)
{
    return (struct fil_service_pool_options){
        .exec = exec,
        .name = "test",
        .thread_count = thread_count,
        .thread_max = thread_max,
        .admission = {.mode = FIL_ADMISSION_NONE, .cap = JOBS},
    };
}

static void start(uint32_t thread_count, uint32_t thread_max)
{
    struct fil_service_pool_options options = options_for(thread_count, thread_max);
    assert_int_equal(fil_service_pool_init(&pool, &options), FIL_OK);
    assert_int_equal(fil_service_pool_start(&pool), FIL_OK);
}

static bool submit(struct fil_service_job *job)
{
    *job = (struct fil_service_job){.ops = &ops, .bid.deadline_ns = FIL_ADMISSION_NO_DEADLINE};
    uint64_t now_ns = fil_env_now_ns(fil_env_real());
    if (fil_service_pool_admit(&pool, job, now_ns) != FIL_ADMISSION_ADMITTED) {
        return false;
    }
    fil_service_pool_push(&pool, job, NULL);
    return true;
}

static void await(_Atomic uint32_t *count, uint32_t wanted)
{
    while (atomic_load(count) < wanted) {
        fil_thread_yield();
    }
}

static void test_every_job_is_run_once(void **state)
{
    (void)state;
    static struct fil_service_job jobs[JOBS];
    start(2, 2);
    for (uint32_t i = 0; i < JOBS; i++) {
        assert_true(submit(&jobs[i]));
    }
    await(&run_count, JOBS);
    fil_service_pool_stop(&pool);
    assert_int_equal(atomic_load(&run_count), JOBS);
    assert_int_equal(fil_counter_read(&pool.run_count), JOBS);
    assert_int_equal(fil_admission_length(&pool.admission), 0);
}

static void test_elastic_pool_grows_while_all_block(void **state)
{
    (void)state;
    static struct fil_service_job jobs[5];
    atomic_store(&is_gate_open, false);
    start(1, 4);
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(submit(&jobs[i]));
    }
    await(&blocked_count, 4);
    assert_int_equal(fil_service_pool_thread_count(&pool), 4);
    atomic_store(&is_gate_open, true);
    await(&run_count, 5);
    fil_service_pool_stop(&pool);
    assert_int_equal(fil_service_pool_thread_count(&pool), 4);
}

static void test_unwanted_job_is_not_run(void **state)
{
    (void)state;
    static struct fil_service_job job;
    atomic_store(&is_unwanted, true);
    start(1, 1);
    assert_true(submit(&job));
    await(&refused_count, 1);
    fil_service_pool_stop(&pool);
    assert_int_equal(atomic_load(&run_count), 0);
    assert_int_equal(fil_counter_read(&pool.skipped_count), 1);
}

static void test_stop_loses_nothing(void **state)
{
    (void)state;
    static struct fil_service_job jobs[JOBS];
    start(1, 1);
    uint32_t admitted = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        admitted += submit(&jobs[i]);
    }
    fil_service_pool_stop(&pool);
    assert_int_equal(atomic_load(&run_count) + atomic_load(&refused_count), admitted);
    struct fil_service_job late;
    assert_false(submit(&late));
}

static void test_wrong_options_and_failing_memory_are_told(void **state)
{
    (void)state;
    struct fil_service_pool_options options = options_for(2, 1);
    assert_int_equal(fil_service_pool_init(&pool, &options), FIL_E_INVALID);
    options = options_for(0, 1);
    assert_int_equal(fil_service_pool_init(&pool, &options), FIL_E_INVALID);
    options = options_for(1, 2);
    int error = FIL_E_NOMEM;
    for (int position = 0; error != FIL_OK; position++) {
        assert_int_equal(error, FIL_E_NOMEM);
        assert_true(position < 20);
        fil_alloc_fail_after(position);
        error = fil_service_pool_init(&pool, &options);
        fil_alloc_fail_after(-1);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(every_job_is_run_once),
        TEST(elastic_pool_grows_while_all_block),
        TEST(unwanted_job_is_not_run),
        TEST(stop_loses_nothing),
        TEST(wrong_options_and_failing_memory_are_told),
    };
#undef TEST
    return cmocka_run_group_tests_name("service_pool", tests, NULL, NULL);
}
