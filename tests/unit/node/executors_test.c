// SPDX-License-Identifier: Apache-2.0
/**
 * The named executors, one test a promise: the configuration's text is read with its defaults, and
 * what is wrong with it is said; each name is there once; those made while the member runs work at
 * once; their figures have their names; failing memory leaves nothing behind.
 */
#include "node/executors.h"

#include <string.h>

#include "core/exec/exec.h"
#include "lib/base/alloc.h"
#include "lib/conf/conf.h"
#include "tests/unit/harness.h"

static struct fil_conf conf;
static struct fil_options options;
static struct fil_metrics *metrics;
static struct fil_executors executors;
static struct fil_budget budget;
static struct fil_exec *executive;
static struct fil_executor_wish wishes[FIL_EXECUTORS_MAX];
static char problem[FIL_OPTION_REASON_MAX + 1];

static int set_up(void **state)
{
    (void)state;
    memset(&executors, 0, sizeof(executors));
    metrics = fil_metrics_new();
    fil_budget_init(&budget, UINT64_C(1) << 30);
    return metrics == NULL || fil_conf_init(&conf, &fil_options_table, &options) != FIL_OK ||
           fil_exec_new(&executive, &(struct fil_exec_options){.env = fil_env_real(),
                                                               .budget = &budget,
                                                               .partition_count = 1,
                                                               .thread_count = 1}) != FIL_OK;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_metrics_free(metrics);
    fil_executors_fini(&executors);
    fil_exec_free(executive);
    fil_conf_fini(&conf);
    return 0;
}

static int parse(const char *text)
{
    (void)strncpy(options.executor.named, text, sizeof(options.executor.named) - 1);
    problem[0] = '\0';
    return fil_executors_parse(&options, wishes, problem);
}

static int init(void)
{
    return fil_executors_init(&executors, executive, &options, metrics, NULL);
}

static void test_text_is_read_with_its_defaults(void **state)
{
    (void)state;
    assert_int_equal(parse("none"), 0);
    assert_int_equal(parse("reports threads=4 capacity=1000 policy=wait; mail ;"), 2);
    assert_string_equal(wishes[0].name, "reports");
    assert_int_equal(wishes[0].thread_count, 4);
    assert_int_equal(wishes[0].capacity, 1000);
    assert_int_equal(wishes[0].policy, FIL_EXECUTOR_WAIT);
    assert_string_equal(wishes[1].name, "mail");
    assert_int_equal(wishes[1].thread_count, options.executor.threads);
    assert_int_equal(wishes[1].capacity, options.executor.capacity);
    assert_int_equal(wishes[1].policy, FIL_EXECUTOR_REJECT);
}

static void test_what_is_wrong_is_said(void **state)
{
    (void)state;
    const struct {
        const char *text;
        const char *said;
    } cases[] = {
        {"a threads=0", "'executor.threads' "},
        {"a capacity=x", "'executor.capacity' takes a whole number"},
        {"a policy=drop", "'executor.policy' takes reject or wait, not 'drop'"},
        {"a size=1", "'size' is no setting of an item: there are "},
        {"a; b; a", "'a' is there twice"},
        {"a\tb", "a name has 1 to 255 bytes"},
        {"a/b", "an executor's name has 1 to 31 letters"},
        {"; a", "there is nothing between two semicolons"},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        assert_int_equal(parse(cases[i].text), FIL_E_CONFIG);
        assert_non_null(strstr(problem, cases[i].said));
    }
}

static void test_each_name_is_there_once(void **state)
{
    (void)state;
    (void)parse("one; two");
    assert_int_equal(init(), FIL_OK);
    struct fil_executor *executor = NULL;
    struct fil_executor_wish wish = {.name = "two", .thread_count = 1, .capacity = 8};
    assert_int_equal(fil_executors_open(&executors, &wish, &executor), FIL_E_EXISTS);
    assert_non_null(fil_executors_find(&executors, "one"));
    assert_null(fil_executors_find(&executors, "three"));
    wish.name[0] = '\0';
    assert_int_equal(fil_executors_open(&executors, &wish, &executor), FIL_E_INVALID);
}

static _Atomic uint32_t run_count;

static void run_job(struct fil_job *job)
{
    (void)job;
    atomic_fetch_add(&run_count, 1);
}

static void test_one_that_is_made_later_works_at_once(void **state)
{
    (void)state;
    static const struct fil_job_ops ops = {.run = run_job, .cancel = run_job};
    struct fil_executor *executor = NULL;
    struct fil_executor_wish wish = {.name = "late", .thread_count = 2, .capacity = 8};
    struct fil_job job;
    double value = 0;
    assert_int_equal(init(), FIL_OK);
    assert_int_equal(fil_executors_start(&executors), FIL_OK);
    assert_int_equal(fil_executors_open(&executors, &wish, &executor), FIL_OK);
    fil_job_init(&job, &ops);
    assert_int_equal(fil_executor_submit(executor, &job), FIL_OK);
    assert_int_equal(fil_executor_drain_wait(executor, UINT64_C(60000000000)), FIL_OK);
    assert_int_equal(atomic_load(&run_count), 1);
    assert_int_equal(fil_metrics_value(metrics, "filbert_executor_run_total",
                                       FIL_METRIC_LABELS({"executor", "late"}), &value),
                     FIL_OK);
    assert_int_equal((int)value, 1);
    fil_executors_stop(&executors);
}

static void test_there_is_a_limit(void **state)
{
    (void)state;
    struct fil_executor *executor = NULL;
    struct fil_executor_wish wish = {.thread_count = 1, .capacity = 2};
    assert_int_equal(init(), FIL_OK);
    for (uint32_t i = 0; i < FIL_EXECUTORS_MAX; i++) {
        wish.name[0] = (char)('a' + i / 8);
        wish.name[1] = (char)('a' + i % 8);
        assert_int_equal(fil_executors_open(&executors, &wish, &executor), FIL_OK);
    }
    wish.name[0] = 'z';
    assert_int_equal(fil_executors_open(&executors, &wish, &executor), FIL_E_LIMIT);
}

static void test_failing_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    (void)parse("one; two");
    int error = FIL_E_NOMEM;
    uint32_t failures = 0;
    for (int position = 0; error != FIL_OK; position++) {
        fil_alloc_fail_after(position);
        error = init();
        fil_alloc_fail_after(-1);
        failures += error == FIL_E_NOMEM;
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
    }
    assert_true(failures > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_text_is_read_with_its_defaults),
        TEST(test_what_is_wrong_is_said),
        TEST(test_each_name_is_there_once),
        TEST(test_one_that_is_made_later_works_at_once),
        TEST(test_there_is_a_limit),
        TEST(test_failing_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests_name("executors", tests, NULL, NULL);
}
