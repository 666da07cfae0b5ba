// SPDX-License-Identifier: Apache-2.0
/**
 * The stages beside the partitions, one test a promise: they start and stop in order, with work in
 * them; every thread is watched while it runs and has cells of its own; a simulation turns them in
 * one thread; failing memory leaves nothing behind.
 */
#include "node/stages.h"

#include <string.h>

#include "core/exec/promise.h"
#include "lib/base/alloc.h"
#include "lib/conf/conf.h"
#include "tests/unit/harness.h"

static struct fil_conf conf;
static struct fil_options options;
static struct fil_plan plan = {.generic_threads = 2, .event_threads = 2};
static struct fil_budget budget;
static struct fil_metrics *metrics;
static struct fil_threads threads;
static struct fil_exec *executive;
static struct fil_stages stages;

static int init_all(void)
{
    int error = fil_threads_init(&threads,
                                 &(struct fil_threads_options){
                                     .env = fil_env_real(),
                                     .budget = &budget,
                                     .slow_ns = UINT64_C(3600000000000),
                                     .thread_count = 1 + fil_stages_thread_count(&options, &plan)});
    if (error == FIL_OK) {
        error = fil_exec_new(&executive, &(struct fil_exec_options){.env = fil_env_real(),
                                                                    .budget = &budget,
                                                                    .partition_count = 1,
                                                                    .thread_count = 1,
                                                                    .has_batching = true,
                                                                    .hooks = &threads.hooks});
    }
    if (error == FIL_OK) {
        error = fil_stages_init(&stages, &(struct fil_stages_options){.exec = executive,
                                                                      .options = &options,
                                                                      .plan = &plan,
                                                                      .metrics = metrics,
                                                                      .hooks = &threads.hooks});
    }
    return error;
}

static void fini_all(void)
{
    fil_stages_fini(&stages);
    fil_exec_free(executive);
    executive = NULL;
    fil_threads_fini(&threads);
}

static int set_up(void **state)
{
    (void)state;
    memset(&threads, 0, sizeof(threads));
    memset(&stages, 0, sizeof(stages));
    fil_budget_init(&budget, UINT64_C(1) << 30);
    metrics = fil_metrics_new();
    return metrics == NULL || fil_conf_init(&conf, &fil_options_table, &options) != FIL_OK ||
           fil_conf_set(&conf, "executor.named=one threads=2; two", "--set") != FIL_OK;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_metrics_free(metrics);
    fini_all();
    fil_conf_fini(&conf);
    fil_role_leave_all();
    return (int)fil_budget_drawn(&budget);
}

static uint32_t count_watched(void)
{
    uint32_t count = 0;
    fil_mutex_lock(&threads.watchdog.mutex);
    for (uint32_t i = 0; i < threads.watchdog.watch_count; i++) {
        count += threads.watchdog.watches[i].runner != NULL;
    }
    fil_mutex_unlock(&threads.watchdog.mutex);
    return count;
}

static _Atomic uint32_t run_count;

static void make_promise(struct fil_task *task)
{
    (void)task;
    struct fil_promise promise;
    struct fil_future future;
    assert_int_equal(fil_promise_new(NULL, &promise, &future), FIL_OK);
    fil_promise_complete(promise, fil_result_number(1));
    fil_future_forget(future);
    assert_non_null(fil_generic_runner());
    atomic_fetch_add(&run_count, 1);
}

static void test_threads_are_watched_while_they_run(void **state)
{
    (void)state;
    assert_int_equal(init_all(), FIL_OK);
    assert_int_equal(fil_exec_start(executive), FIL_OK);
    assert_int_equal(fil_stages_start(&stages), FIL_OK);
    // The partition thread, three of the generic pool, two for events.
    while (count_watched() < 6) {
        fil_thread_yield();
    }
    fil_stages_stop(&stages);
    fil_exec_stop(executive);
    assert_int_equal(count_watched(), 0);
    assert_int_equal(fil_counter_read(&threads.watchdog.stats.refused_runners), 0);
}

static void test_stop_does_what_is_queued(void **state)
{
    (void)state;
    struct fil_task tasks[100];
    atomic_store(&run_count, 0);
    assert_int_equal(init_all(), FIL_OK);
    assert_int_equal(fil_exec_start(executive), FIL_OK);
    assert_int_equal(fil_stages_start(&stages), FIL_OK);
    for (uint32_t i = 0; i < FIL_COUNT_OF(tasks); i++) {
        tasks[i] = (struct fil_task){.run = make_promise};
        assert_int_equal(fil_generic_submit_try(&stages.generic, &tasks[i]), FIL_OK);
    }
    fil_stages_stop(&stages);
    fil_exec_stop(executive);
    assert_int_equal(atomic_load(&run_count), FIL_COUNT_OF(tasks));
}

static void test_simulation_turns_them_in_one_thread(void **state)
{
    (void)state;
    struct fil_task task = {.run = make_promise};
    atomic_store(&run_count, 0);
    assert_int_equal(init_all(), FIL_OK);
    fil_role_enter(&fil_role_generic);
    fil_role_enter(&fil_role_event);
    fil_role_enter(&fil_role_executor);
    fil_role_assert_generic();
    fil_role_assert_event();
    fil_role_assert_executor();
    assert_int_equal(fil_stages_cycle(&stages), 0);
    assert_int_equal(fil_generic_submit_try(&stages.generic, &task), FIL_OK);
    assert_int_equal(fil_stages_cycle(&stages), 1);
    assert_int_equal(atomic_load(&run_count), 1);
}

static void test_failing_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    int error = FIL_E_NOMEM;
    uint32_t failures = 0;
    for (int position = 0; error != FIL_OK; position++) {
        fil_alloc_fail_after(position);
        error = init_all();
        fil_alloc_fail_after(-1);
        if (error != FIL_OK) {
            assert_int_equal(error, FIL_E_NOMEM);
            failures++;
            fini_all();
            // What an executor had registered before is gone with it.
            fil_metrics_free(metrics);
            metrics = fil_metrics_new();
            assert_non_null(metrics);
        }
    }
    assert_true(failures > 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_threads_are_watched_while_they_run),
        TEST(test_stop_does_what_is_queued),
        TEST(test_simulation_turns_them_in_one_thread),
        TEST(test_failing_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests_name("stages", tests, NULL, NULL);
}
