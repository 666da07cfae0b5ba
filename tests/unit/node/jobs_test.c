// SPDX-License-Identifier: Apache-2.0
/**
 * The jobs of a member, one test a promise: a job runs to its end, and what it printed and counted
 * stays; a fault is told with its place; a name belongs to one job at a time, and is free when that
 * is over; there are no more jobs than allowed; requests that do not fit the state are refused; a
 * light job is forgotten; history is bounded; a job that needs too much memory fails alone; stop
 * ends everything, and what has a guarantee goes on from there; memory that is out harms nobody.
 */
#include "node/jobs.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/os/folder.h"

#define MEMORY_BYTES (UINT64_C(64) << 20)
#define JOBS_MAX     3U

static struct fil_budget budget;
static struct fil_jobs jobs;
static char name[FIL_ENGINE_NAME_MAX];
static char reason[FIL_JOBS_REASON_MAX];

static const char short_job[] = "job: short\n"
                                "pipeline:\n"
                                "  - read: {generate: 5, fields: {v: n * n}}\n"
                                "  - write: stdout\n";

static const char endless_job[] = "job: %s\n"
                                  "guarantee: %s\n"
                                  "pipeline:\n"
                                  "  - read: {generate: 0, rate: 100, fields: {v: n}}\n"
                                  "  - write: nothing\n";

static void start(const char *folder, uint64_t memory_bytes)
{
    fil_budget_init(&budget, MEMORY_BYTES);
    const struct fil_jobs_options options = {.engine = {.env = fil_env_real(),
                                                        .budget = &budget,
                                                        .memory_bytes = memory_bytes,
                                                        .worker_count = 2,
                                                        .jobs_max = JOBS_MAX,
                                                        .folder = folder},
                                             .bounds = {.files = folder},
                                             .stop_timeout_ns = UINT64_C(60000000000)};
    fil_jobs_init(&jobs, &options);
    assert_int_equal(fil_jobs_start(&jobs), FIL_OK);
}

static void stop(void)
{
    assert_true(fil_jobs_stop(&jobs));
    fil_jobs_fini(&jobs);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static int set_up(void **state)
{
    (void)state;
    start(NULL, MEMORY_BYTES);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    stop();
    return 0;
}

static int submit(const char *text, const struct fil_jobs_submission *how)
{
    static const struct fil_jobs_submission plain = {0};
    return fil_jobs_submit(&jobs, fil_bytes_of(text), how == NULL ? &plain : how, name, reason);
}

static int submit_endless(const char *job, const char *guarantee)
{
    char text[300];
    (void)snprintf(text, sizeof(text), endless_job, job, guarantee);
    return submit(text, NULL);
}

static struct fil_jobs_item *find(const char *job)
{
    fil_mutex_lock(&jobs.mutex);
    struct fil_jobs_item *item = fil_jobs_find(&jobs, job);
    fil_mutex_unlock(&jobs.mutex);
    return item;
}

static enum fil_stream_state wait_for(const char *job)
{
    struct fil_jobs_item *item = find(job);
    assert_non_null(item);
    assert_int_equal(fil_stream_job_wait(item->job, -1), FIL_OK);
    return fil_stream_job_state(item->job);
}

static void test_job_runs_to_its_end(void **state)
{
    (void)state;
    char text[64] = "";
    uint64_t place = 0;
    assert_int_equal(submit(short_job, NULL), FIL_OK);
    assert_string_equal(name, "short");
    assert_int_equal(wait_for("short"), FIL_STREAM_COMPLETED);
    struct fil_jobs_item *item = find("short");
    assert_int_equal(fil_job_output_read(&item->output, &place, text, sizeof(text)), 11);
    struct fil_stream_vertex vertex;
    uint64_t sent = 0;
    for (uint32_t i = 0; i < fil_stream_job_vertex_count(item->job); i++) {
        fil_stream_job_read_vertex(item->job, i, &vertex);
        sent += vertex.sent_count;
    }
    assert_int_equal(sent, 5);
    assert_int_equal(vertex.received_count, 5);
    struct fil_jobs_rate rate = fil_jobs_rate(item, 1, &vertex, item->submitted_ns + 1000000000);
    assert_true(rate.received > 4.9 && rate.received < 5.1);
    assert_int_equal(fil_counter_read(&jobs.stats.submitted), 1);
}

static void test_fault_is_told_with_its_place(void **state)
{
    (void)state;
    assert_int_equal(submit("job: x\npipeline:\n  - read: {generate: 1, fields: {v: m}}\n", NULL),
                     FIL_E_MALFORMED);
    assert_string_equal(reason, "3:37: there is no field 'm'");
    assert_null(find("x"));
    assert_int_equal(fil_counter_read(&jobs.stats.refused), 1);
}

static void test_name_belongs_to_one_job_at_a_time(void **state)
{
    (void)state;
    assert_int_equal(submit_endless("a", "none"), FIL_OK);
    assert_int_equal(submit_endless("a", "none"), FIL_E_EXISTS);
    assert_non_null(strstr(reason, "there is a job 'a'"));
    assert_int_equal(fil_jobs_forget(&jobs, "a"), FIL_E_EXISTS);
    assert_int_equal(fil_jobs_ask(&jobs, "a", FIL_JOBS_CANCEL), FIL_OK);
    assert_int_equal(wait_for("a"), FIL_STREAM_CANCELLED);
    assert_int_equal(submit_endless("a", "none"), FIL_OK);
    assert_int_equal(jobs.item_count, 1);
}

static void test_there_are_no_more_jobs_than_allowed(void **state)
{
    (void)state;
    assert_int_equal(submit_endless("a", "none"), FIL_OK);
    assert_int_equal(submit_endless("b", "none"), FIL_OK);
    assert_int_equal(submit_endless("c", "none"), FIL_OK);
    assert_int_equal(submit_endless("d", "none"), FIL_E_FULL);
    assert_int_equal(fil_jobs_live_count(&jobs), JOBS_MAX);
    assert_int_equal(fil_jobs_ask(&jobs, "b", FIL_JOBS_CANCEL), FIL_OK);
    assert_int_equal(wait_for("b"), FIL_STREAM_CANCELLED);
    assert_int_equal(submit_endless("d", "none"), FIL_OK);
}

static void test_requests_fit_the_state(void **state)
{
    (void)state;
    assert_int_equal(fil_jobs_ask(&jobs, "a", FIL_JOBS_CANCEL), FIL_E_NOT_FOUND);
    assert_int_equal(fil_jobs_export(&jobs, "a", "s"), FIL_E_NOT_FOUND);
    assert_int_equal(fil_jobs_forget(&jobs, "a"), FIL_E_NOT_FOUND);
    assert_int_equal(submit_endless("a", "exactly-once"), FIL_OK);
    assert_int_equal(fil_jobs_ask(&jobs, "a", FIL_JOBS_RESUME), FIL_E_INVALID);
    assert_int_equal(fil_jobs_ask(&jobs, "a", FIL_JOBS_SUSPEND), FIL_OK);
    assert_int_equal(wait_for("a"), FIL_STREAM_SUSPENDED);
    assert_int_equal(fil_jobs_ask(&jobs, "a", FIL_JOBS_SUSPEND), FIL_E_INVALID);
    assert_int_equal(fil_jobs_forget(&jobs, "a"), FIL_E_EXISTS);
    assert_int_equal(fil_jobs_ask(&jobs, "a", FIL_JOBS_CANCEL), FIL_OK);
    while (fil_stream_job_state(find("a")->job) == FIL_STREAM_SUSPENDED) {
        // The keeper is about to do it.
    }
    assert_int_equal(fil_jobs_ask(&jobs, "a", FIL_JOBS_CANCEL), FIL_E_INVALID);
    assert_int_equal(fil_jobs_export(&jobs, "a", "s"), FIL_E_INVALID);
    assert_int_equal(fil_jobs_forget(&jobs, "a"), FIL_OK);
    assert_null(find("a"));
}

static void test_light_job_is_forgotten(void **state)
{
    (void)state;
    const struct fil_jobs_submission light = {.is_light = true};
    assert_int_equal(submit(short_job, &light), FIL_OK);
    assert_int_equal(wait_for("short"), FIL_STREAM_COMPLETED);
    assert_int_equal(submit_endless("a", "none"), FIL_OK);
    assert_null(find("short"));
}

static void test_history_is_bounded(void **state)
{
    (void)state;
    char text[300];
    for (uint32_t i = 0; i < FIL_JOBS_HISTORY_MAX + 5; i++) {
        (void)snprintf(text, sizeof(text),
                       "job: j%u\npipeline:\n  - read: {generate: 1, fields: {v: n}}\n"
                       "  - write: nothing\n",
                       i);
        assert_int_equal(submit(text, NULL), FIL_OK);
        (void)snprintf(text, sizeof(text), "j%u", i);
        assert_int_equal(wait_for(text), FIL_STREAM_COMPLETED);
    }
    assert_int_equal(jobs.item_count, FIL_JOBS_HISTORY_MAX + 1);
    assert_null(find("j0"));
    assert_non_null(find("j104"));
}

static void test_job_that_needs_too_much_memory_fails_alone(void **state)
{
    (void)state;
    start(NULL, UINT64_C(8) << 20);
    assert_int_equal(submit_endless("a", "none"), FIL_OK);
    assert_int_equal(submit("job: large\n"
                            "pipeline:\n"
                            "  - read: {generate: 1000000, fields: {v: n}}\n"
                            "  - aggregate: {by: v, c: count}\n"
                            "  - write: nothing\n",
                            NULL),
                     FIL_OK);
    assert_int_equal(wait_for("large"), FIL_STREAM_FAILED);
    const char *text = fil_stream_job_text(find("large")->job);
    // Whoever asks next when the memory is used up: the keys, or the source for a batch.
    bool is_of_keys = strstr(text, "job 'large' failed in vertex 'aggregate-2'") != NULL;
    bool is_of_source = strstr(text, "job 'large' failed in vertex 'generator-1'") != NULL;
    assert_true(is_of_keys || is_of_source);
    assert_non_null(strstr(text, "out of memory: state and batches need more than"));
    assert_non_null(strstr(text, "stream.memory"));
    assert_int_equal(fil_stream_job_error(find("large")->job), FIL_E_NOMEM);
    assert_int_equal(fil_jobs_live_count(&jobs), 1);
    stop();
}

static void test_stopped_job_goes_on_from_its_snapshot(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    start(folder.path, MEMORY_BYTES);
    assert_int_equal(submit_endless("kept", "exactly-once"), FIL_OK);
    assert_int_equal(submit_endless("lost", "none"), FIL_OK);
    while (fil_stream_job_state(find("kept")->job) != FIL_STREAM_RUNNING) {
        // One that has not begun has nothing to save.
    }
    stop();
    start(folder.path, MEMORY_BYTES);
    assert_int_equal(submit_endless("other", "exactly-once"), FIL_OK);
    // Its own snapshot does not fit a job that has changed: so it is there.
    assert_int_equal(submit("job: kept\nguarantee: exactly-once\npipeline:\n"
                            "  - read: {csv: numbers.csv, type: {v: i64}}\n"
                            "  - write: nothing\n",
                            NULL),
                     FIL_OK);
    assert_int_equal(wait_for("kept"), FIL_STREAM_FAILED);
    assert_non_null(strstr(fil_stream_job_text(find("kept")->job), "cannot start"));
    stop();
    folder_remove(&folder);
}

static void test_memory_that_is_out_harms_nobody(void **state)
{
    (void)state;
    int error = FIL_E_NOMEM;
    uint32_t failures = 0;
    for (int64_t after = 0; error != FIL_OK && after < 10000; after++) {
        fil_alloc_fail_after(after);
        error = submit(short_job, NULL);
        fil_alloc_fail_after(-1);
        failures += error != FIL_OK;
    }
    assert_int_equal(error, FIL_OK);
    assert_true(failures > 0);
    (void)wait_for("short"); // the keeper may have met the failure, too: any end is good
    assert_int_equal(submit(short_job, NULL), FIL_OK);
    assert_int_equal(wait_for("short"), FIL_STREAM_COMPLETED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_job_runs_to_its_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fault_is_told_with_its_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_name_belongs_to_one_job_at_a_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_there_are_no_more_jobs_than_allowed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_requests_fit_the_state, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_light_job_is_forgotten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_history_is_bounded, set_up, tear_down),
        cmocka_unit_test(test_job_that_needs_too_much_memory_fails_alone),
        cmocka_unit_test(test_stopped_job_goes_on_from_its_snapshot),
        cmocka_unit_test_setup_teardown(test_memory_that_is_out_harms_nobody, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("jobs", tests, NULL, NULL);
}
