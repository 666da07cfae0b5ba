// SPDX-License-Identifier: Apache-2.0
/**
 * Calls that answer later: under all schedules of the kit each record is asked for once and its
 * answer comes once, in order or not, and never are more under way than may be; no answer and a
 * failure are told from an answer; in a job an answer leaves when it is there, although no further
 * record, watermark or time follows.
 */
#include "core/stream/async.h"

#include "core/stream/sinks.h"
#include "lib/base/prng.h"
#include "tests/unit/core/stream/job_fixture.h"
#include "tests/unit/core/stream/processor_kit.h"
#include "tests/unit/harness.h"

#define RECORDS     100U
#define CONCURRENCY 7U

/** Calls that have begun. */
static struct {
    struct fil_async *calls[CONCURRENCY + 1];
    int64_t values[CONCURRENCY + 1];
    int64_t *answers[CONCURRENCY + 1];
    uint32_t count;
    uint32_t count_max;
    struct fil_prng prng;
} under_way;

static int64_t numbers[RECORDS];

static int set_up(void **state)
{
    (void)state;
    memset(&under_way, 0, sizeof(under_way));
    fil_prng_init(&under_way.prng, 1);
    for (uint32_t i = 0; i < RECORDS; i++) {
        numbers[i] = i;
    }
    return 0;
}

static void begin(void *context, struct fil_async *call, const void *record, void *out_record)
{
    (void)context;
    uint32_t place = under_way.count;
    assert_true(place < CONCURRENCY);
    under_way.calls[place] = call;
    memcpy(&under_way.values[place], record, sizeof(int64_t));
    under_way.answers[place] = out_record;
    under_way.count++;
    under_way.count_max =
        under_way.count > under_way.count_max ? under_way.count : under_way.count_max;
}

/** One of them ends, whichever; each fifth has no answer. */
static void end_one(void)
{
    if (under_way.count == 0) {
        return;
    }
    uint32_t place = (uint32_t)fil_prng_below(&under_way.prng, under_way.count);
    struct fil_async *call = under_way.calls[place];
    int64_t value = under_way.values[place];
    *under_way.answers[place] = value * 2;
    under_way.count--;
    under_way.calls[place] = under_way.calls[under_way.count];
    under_way.values[place] = under_way.values[under_way.count];
    under_way.answers[place] = under_way.answers[under_way.count];
    fil_async_end(call, value % 5 == 0 ? FIL_E_NOT_FOUND : FIL_OK);
}

static struct kit_case case_of(const struct fil_async_config *config)
{
    return (struct kit_case){.ops = &fil_async_ops,
                             .config = config,
                             .in_stride = sizeof(int64_t),
                             .out_stride = sizeof(int64_t),
                             .records = numbers,
                             .count = RECORDS,
                             .is_unordered = config->is_unordered,
                             .between = end_one};
}

static void check(bool is_unordered)
{
    const struct fil_async_config config = {.begin = begin,
                                            .record_size = sizeof(int64_t),
                                            .concurrency = CONCURRENCY,
                                            .is_unordered = is_unordered};
    const struct kit_case each = case_of(&config);
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, RECORDS - RECORDS / 5);
    assert_int_equal(under_way.count, 0);
    assert_int_equal(under_way.count_max, CONCURRENCY);
    uint32_t found = 0;
    for (int64_t value = 0; value < (int64_t)RECORDS; value++) {
        if (value % 5 != 0) {
            int64_t answer;
            uint32_t place = found;
            do {
                assert_true(place < output.count);
                memcpy(&answer, output.records + place * sizeof(answer), sizeof(answer));
                place++;
            } while (is_unordered && answer != value * 2);
            assert_int_equal(answer, value * 2);
            found += !is_unordered;
        }
    }
    kit_output_fini(&output);
}

static void test_answers_come_in_order(void **state)
{
    (void)state;
    check(false);
}

static void test_answers_come_as_they_are_there(void **state)
{
    (void)state;
    check(true);
}

static void fail_at_thirty(void *context, struct fil_async *call, const void *record,
                           void *out_record)
{
    (void)context;
    memcpy(out_record, record, sizeof(int64_t));
    fil_async_end(call, *(const int64_t *)record == 30 ? FIL_E_IO : FIL_OK);
}

static void test_failure_fails_the_job(void **state)
{
    (void)state;
    const struct fil_async_config config = {
        .begin = fail_at_thirty, .record_size = sizeof(int64_t), .concurrency = CONCURRENCY};
    const struct kit_case each = case_of(&config);
    const struct kit_schedule schedule = {.inbox_max = 16, .batch_records = 16};
    struct kit_output output;
    assert_int_equal(kit_run(&each, &schedule, &output), FIL_E_IO);
    kit_output_fini(&output);
}

/** Some numbers, then nothing for ever, not even an end. */
struct some {
    int64_t next;
};

static int some_complete(void *self, struct fil_processor_context *context)
{
    struct some *some = self;
    for (; some->next < (int64_t)CONCURRENCY - 2; some->next++) {
        void *room = fil_outbox_reserve(&context->outbox, 0, sizeof(int64_t));
        if (room == NULL) {
            return FIL_E_FULL;
        }
        memcpy(room, &some->next, sizeof(int64_t));
        fil_outbox_commit(&context->outbox, 0, sizeof(int64_t), 0, 0);
    }
    return FIL_E_AGAIN;
}

static const struct fil_processor_ops some_ops = {
    .name = "some", .size = sizeof(struct some), .complete = some_complete};

#define QUIET_CYCLES 1000

static void run_cycles(struct job_fixture *fixture)
{
    for (uint32_t i = 0; i < QUIET_CYCLES; i++) {
        (void)fil_workers_cycle(&fixture->workers);
    }
}

static void test_answer_leaves_when_it_is_there(void **state)
{
    (void)state;
    struct job_fixture fixture;
    job_fixture_init(&fixture, 1, 0);
    const struct fil_async_config config = {
        .begin = begin, .record_size = sizeof(int64_t), .concurrency = CONCURRENCY};
    struct fil_counter_sink counter = {0};
    const struct fil_counter_sink_config sink = {.sink = &counter};
    const struct fil_edge edge = {.kind = FIL_EDGE_ISOLATED, .layout = {.stride = 8}};
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "some", &some_ops, NULL, 1);
    fil_dag_add_vertex(&dag, "async", &fil_async_ops, &config, 1);
    fil_dag_add_vertex(&dag, "sink", &fil_counter_sink_ops, &sink, 1);
    fil_dag_add_edge(&dag, "some", "async", &edge);
    fil_dag_add_edge(&dag, "async", "sink", &edge);
    struct fil_job *job = NULL;
    assert_int_equal(fil_job_submit(&fixture.workers, &dag, &(struct fil_job_options){0}, &job),
                     FIL_OK);
    fil_dag_fini(&dag);
    run_cycles(&fixture);
    assert_int_equal(under_way.count, CONCURRENCY - 2);
    while (under_way.count > 1) {
        end_one();
    }
    // The first record has no answer, which the others may wait for: with it all are through.
    end_one();
    run_cycles(&fixture);
    assert_int_equal(counter.record_count, CONCURRENCY - 3);
    fil_job_cancel(job);
    assert_true(job_fixture_run(&fixture, job));
    fil_job_free(job);
    job_fixture_fini(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_answers_come_in_order, set_up),
        cmocka_unit_test_setup(test_answers_come_as_they_are_there, set_up),
        cmocka_unit_test_setup(test_failure_fails_the_job, set_up),
        cmocka_unit_test_setup(test_answer_leaves_when_it_is_there, set_up),
    };
    return cmocka_run_group_tests_name("async", tests, NULL, NULL);
}
