// SPDX-License-Identifier: Apache-2.0
/**
 * The stream engine under load, for the thread sanitizer: jobs of every edge kind on real threads,
 * with tasklets that change their worker at random, tiny rings and blocking sinks. No record is
 * lost or doubled, no job hangs, a job that is cancelled in the middle leaves nothing behind, sums
 * by key come out right, and hand-overs did take place.
 */
#include "core/stream/batch_aggregate.h"
#include "core/stream/sinks.h"
#include "core/stream/sources.h"
#include "core/stream/transforms.h"
#include "core/stream/window.h"
#include "tests/unit/core/stream/job_fixture.h"
#include "tests/unit/harness.h"

#define ROUNDS      12U
#define RECORDS     40000U
#define KEYS        97U
#define JOBS        3U
#define PATIENCE_NS INT64_C(50000000000)

struct sums {
    _Atomic uint64_t count;
    _Atomic uint64_t sum;
};

static int64_t generate(void *context, uint64_t sequence, void *out_record)
{
    (void)context;
    uint64_t record[2] = {sequence % KEYS, sequence};
    memcpy(out_record, record, sizeof(record));
    return (int64_t)sequence;
}

static void copy_record(void *context, const void *record, void *out_record)
{
    (void)context;
    memcpy(out_record, record, 16);
}

static int take_last_number(void *context, const void *record, uint32_t size, int64_t time)
{
    struct sums *sums = context;
    (void)time;
    uint64_t number;
    memcpy(&number, (const uint8_t *)record + size - sizeof(number), sizeof(number));
    atomic_fetch_add_explicit(&sums->count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&sums->sum, number, memory_order_relaxed);
    return FIL_OK;
}

static struct fil_edge edge_of(enum fil_edge_kind kind, uint32_t stride, uint32_t batch_count)
{
    return (struct fil_edge){.kind = kind,
                             .layout = {.stride = stride, .record_count = 32, .has_times = true},
                             .key = {.size = 8},
                             .batch_count = batch_count};
}

static struct fil_processor_ops blocking_sink_ops;

/** source -> map -> sum by key -> sink, over the given kind of edge. */
struct sum_job {
    struct sums sums;
    struct fil_generator_config generator;
    struct fil_map_config map;
    struct fil_group_config group;
    struct fil_callback_sink_config sink;
    struct fil_job *job;
};

static void submit(struct sum_job *each, struct fil_workers *workers, uint32_t round,
                   uint64_t count)
{
    const enum fil_edge_kind kinds[] = {FIL_EDGE_UNICAST, FIL_EDGE_ISOLATED, FIL_EDGE_PARTITIONED,
                                        FIL_EDGE_FAN_OUT};
    *each = (struct sum_job){
        .generator = {.generate = generate, .count = count, .time = {.lag = 0, .frame = 1000}},
        .map = {.map = copy_record},
        .group = {.key = {.size = 8}, .aggregate = fil_aggregate_sum(8)}};
    each->sink =
        (struct fil_callback_sink_config){.accept = take_last_number, .context = &each->sums};
    struct fil_edge first = edge_of(kinds[round % 4], 16, 1U << (round % 3));
    struct fil_edge second = edge_of(FIL_EDGE_PARTITIONED, 16, 2);
    struct fil_edge third = edge_of(FIL_EDGE_UNICAST, 16, 1);
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "source", &fil_generator_ops, &each->generator, 1 + round % 2);
    fil_dag_add_vertex(&dag, "map", &fil_map_ops, &each->map, 2);
    fil_dag_add_vertex(&dag, "sum", &fil_batch_aggregate_ops, &each->group, 2);
    fil_dag_add_vertex(&dag, "sink", round % 3 == 0 ? &blocking_sink_ops : &fil_callback_sink_ops,
                       &each->sink, 1);
    fil_dag_add_edge(&dag, "source", "map", &first);
    fil_dag_add_edge(&dag, "map", "sum", &second);
    fil_dag_add_edge(&dag, "sum", "sink", &third);
    const struct fil_job_options options = {.weight = 1 + round % 3};
    assert_int_equal(fil_job_submit(workers, &dag, &options, &each->job), FIL_OK);
    fil_dag_fini(&dag);
}

static uint64_t finish(struct sum_job *each)
{
    assert_int_equal(fil_job_wait(each->job, PATIENCE_NS), FIL_OK);
    assert_int_equal(fil_job_state(each->job), FIL_JOB_COMPLETED);
    uint64_t moves = 0;
    for (uint32_t i = 0; i < each->job->dag.vertex_count; i++) {
        struct fil_job_vertex_stats stats;
        fil_job_vertex_stats(each->job, i, &stats);
        moves += stats.move_count;
    }
    fil_job_free(each->job);
    assert_int_equal(each->sums.count, KEYS);
    assert_int_equal(each->sums.sum, (uint64_t)RECORDS * (RECORDS - 1) / 2);
    return moves;
}

static void test_sums_are_right_while_tasklets_move(void **state)
{
    (void)state;
    blocking_sink_ops = fil_callback_sink_ops;
    blocking_sink_ops.is_blocking = true;
    struct job_fixture fixture;
    job_fixture_init(&fixture, 3, 42);
    assert_int_equal(fil_workers_start(&fixture.workers), FIL_OK);
    uint64_t moves = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct sum_job jobs[JOBS];
        for (uint32_t i = 0; i < JOBS; i++) {
            submit(&jobs[i], &fixture.workers, round + i, RECORDS);
        }
        for (uint32_t i = 0; i < JOBS; i++) {
            moves += finish(&jobs[i]);
        }
    }
    assert_true(moves > 100);
    job_fixture_fini(&fixture);
}

static void test_cancel_in_the_middle_leaves_nothing_behind(void **state)
{
    (void)state;
    struct job_fixture fixture;
    job_fixture_init(&fixture, 2, 7);
    assert_int_equal(fil_workers_start(&fixture.workers), FIL_OK);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct sum_job each;
        submit(&each, &fixture.workers, round, 0); // without end
        struct fil_job_vertex_stats stats = {0};
        while (stats.record_count < 1000) {
            fil_job_vertex_stats(each.job, 1, &stats);
            fil_thread_yield();
        }
        (void)fil_job_request_barrier(each.job, false);
        fil_job_cancel(each.job);
        assert_int_equal(fil_job_wait(each.job, PATIENCE_NS), FIL_OK);
        assert_int_equal(fil_job_state(each.job), FIL_JOB_CANCELLED);
        fil_job_free(each.job);
    }
    job_fixture_fini(&fixture);
}

static void test_windows_count_every_record_once(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 4; round++) {
        struct job_fixture fixture;
        job_fixture_init(&fixture, 2, round + 1);
        assert_int_equal(fil_workers_start(&fixture.workers), FIL_OK);
        struct sums sums = {0};
        struct fil_window_stats window_stats = {0};
        const struct fil_generator_config generator = {
            .generate = generate, .count = RECORDS, .time = {.lag = 0, .frame = 500}};
        const struct fil_window_config window = {
            .group = {.key = {.size = 8}, .aggregate = fil_aggregate_count()},
            .size = 5000,
            .slide = 500,
            .stats = &window_stats};
        const struct fil_callback_sink_config sink = {.accept = take_last_number, .context = &sums};
        struct fil_edge first = edge_of(FIL_EDGE_PARTITIONED, 16, 2);
        struct fil_edge second = edge_of(FIL_EDGE_ALL_TO_ONE, fil_window_result_bytes(&window), 2);
        struct fil_dag dag;
        fil_dag_init(&dag);
        fil_dag_add_vertex(&dag, "source", &fil_generator_ops, &generator, 2);
        fil_dag_add_vertex(&dag, "window", &fil_window_ops, &window, 2);
        fil_dag_add_vertex(&dag, "sink", &fil_callback_sink_ops, &sink, 2);
        fil_dag_add_edge(&dag, "source", "window", &first);
        fil_dag_add_edge(&dag, "window", "sink", &second);
        struct fil_job *job = NULL;
        assert_int_equal(fil_job_submit(&fixture.workers, &dag, &(struct fil_job_options){0}, &job),
                         FIL_OK);
        fil_dag_fini(&dag);
        assert_int_equal(fil_job_wait(job, PATIENCE_NS), FIL_OK);
        assert_int_equal(fil_job_state(job), FIL_JOB_COMPLETED);
        fil_job_free(job);
        job_fixture_fini(&fixture);
        // Watermarks of the two sources are coalesced, so nothing is late, and each record is in
        // ten windows.
        assert_int_equal(window_stats.late_count, 0);
        assert_int_equal(sums.sum, (uint64_t)RECORDS * 10);
    }
}

static void test_partitioned_flow_never_stalls(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 8; round++) {
        struct job_fixture fixture;
        job_fixture_init(&fixture, 2, 0);
        assert_int_equal(fil_workers_start(&fixture.workers), FIL_OK);
        struct fil_counter_sink counter = {0};
        const struct fil_generator_config generator = {
            .generate = generate, .count = RECORDS * 10, .time = {.frame = 100000}};
        const struct fil_counter_sink_config sink = {.sink = &counter};
        struct fil_edge edge = edge_of(FIL_EDGE_PARTITIONED, 16, 1U << (round % 4));
        struct fil_dag dag;
        fil_dag_init(&dag);
        fil_dag_add_vertex(&dag, "source", &fil_generator_ops, &generator, 2);
        fil_dag_add_vertex(&dag, "sink", &fil_counter_sink_ops, &sink, 2);
        fil_dag_add_edge(&dag, "source", "sink", &edge);
        struct fil_job *job = NULL;
        assert_int_equal(fil_job_submit(&fixture.workers, &dag, &(struct fil_job_options){0}, &job),
                         FIL_OK);
        fil_dag_fini(&dag);
        assert_int_equal(fil_job_wait(job, PATIENCE_NS), FIL_OK);
        fil_job_free(job);
        job_fixture_fini(&fixture);
        assert_int_equal(counter.record_count, RECORDS * 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_are_right_while_tasklets_move),
        cmocka_unit_test(test_cancel_in_the_middle_leaves_nothing_behind),
        cmocka_unit_test(test_windows_count_every_record_once),
        cmocka_unit_test(test_partitioned_flow_never_stalls),
    };
    return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
