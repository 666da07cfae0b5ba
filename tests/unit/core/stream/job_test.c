// SPDX-License-Identifier: Apache-2.0
/**
 * A job's promises: every record arrives exactly once whatever the edge's kind, the parallelism and
 * the size of the rings; order is kept where the edge promises it; a failing processor fails the
 * job and is named; a cancelled job ends; an endless source with a slow sink keeps memory flat;
 * blocking processors get their own worker; barriers save every instance; memory that is refused at
 * any place leaves nothing behind; a steady flow allocates nothing.
 */
#include "core/stream/sinks.h"
#include "core/stream/sources.h"
#include "core/stream/transforms.h"
#include "lib/base/alloc.h"
#include "tests/unit/core/stream/job_fixture.h"
#include "tests/unit/harness.h"

#define RECORDS 5000U

static int64_t generate_number(void *context, uint64_t sequence, void *out_record)
{
    (void)context;
    memcpy(out_record, &sequence, sizeof(sequence));
    return (int64_t)sequence;
}

static void add_one(void *context, const void *record, void *out_record)
{
    (void)context;
    uint64_t number;
    memcpy(&number, record, sizeof(number));
    number++;
    memcpy(out_record, &number, sizeof(number));
}

/** Sums up what arrives. */
struct sums {
    _Atomic uint64_t count;
    _Atomic uint64_t sum;
    uint64_t last;
    bool is_ordered;
    int result;
};

static int take_number(void *context, const void *record, uint32_t size, int64_t time)
{
    struct sums *sums = context;
    (void)time;
    uint64_t number;
    assert_int_equal(size, sizeof(number));
    memcpy(&number, record, sizeof(number));
    atomic_fetch_add_explicit(&sums->count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&sums->sum, number, memory_order_relaxed);
    return sums->result;
}

static int take_in_order(void *context, const void *record, uint32_t size, int64_t time)
{
    struct sums *sums = context;
    uint64_t number;
    memcpy(&number, record, sizeof(number));
    sums->is_ordered &= number >= sums->last;
    sums->last = number;
    return take_number(context, record, size, time);
}

static const struct fil_edge numbers = {.layout = {.stride = 8, .record_count = 16}};

static struct fil_edge edge_of(enum fil_edge_kind kind, uint32_t batch_count)
{
    struct fil_edge edge = numbers;
    edge.kind = kind;
    edge.batch_count = batch_count;
    edge.key = (struct fil_key){.size = 8};
    return edge;
}

struct run {
    enum fil_edge_kind kind;
    uint32_t sources;
    uint32_t maps;
    uint32_t sinks;
    uint32_t batches;
    uint32_t workers;
    uint64_t shake_seed;
};

static void run_and_expect(const struct run *run, uint64_t copies)
{
    struct job_fixture fixture;
    job_fixture_init(&fixture, run->workers, run->shake_seed);
    struct sums sums = {0};
    const struct fil_generator_config generator = {.generate = generate_number, .count = RECORDS};
    const struct fil_map_config map = {.map = add_one};
    const struct fil_callback_sink_config sink = {.accept = take_number, .context = &sums};
    struct fil_edge first = edge_of(run->kind, run->batches);
    struct fil_edge second = edge_of(FIL_EDGE_UNICAST, run->batches);
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "source", &fil_generator_ops, &generator, run->sources);
    fil_dag_add_vertex(&dag, "map", &fil_map_ops, &map, run->maps);
    fil_dag_add_vertex(&dag, "sink", &fil_callback_sink_ops, &sink, run->sinks);
    fil_dag_add_edge(&dag, "source", "map", &first);
    fil_dag_add_edge(&dag, "map", "sink", &second);
    struct fil_job *job = NULL;
    assert_int_equal(
        fil_job_submit(&fixture.workers, &dag, &(struct fil_job_options){.name = "run"}, &job),
        FIL_OK);
    fil_dag_fini(&dag);
    assert_true(job_fixture_run(&fixture, job));
    assert_int_equal(fil_job_state(job), FIL_JOB_COMPLETED);
    struct fil_job_vertex_stats stats;
    fil_job_vertex_stats(job, 1, &stats);
    assert_int_equal(stats.record_count, RECORDS * copies);
    fil_job_free(job);
    job_fixture_fini(&fixture);
    assert_int_equal(sums.count, RECORDS * copies);
    uint64_t sum = (uint64_t)RECORDS * (RECORDS + 1) / 2;
    assert_int_equal(sums.sum, sum * copies);
}

static void test_every_edge_kind_delivers_each_record_once(void **state)
{
    (void)state;
    const enum fil_edge_kind kinds[] = {FIL_EDGE_UNICAST, FIL_EDGE_ISOLATED, FIL_EDGE_PARTITIONED,
                                        FIL_EDGE_FAN_OUT, FIL_EDGE_ALL_TO_ONE};
    for (uint32_t i = 0; i < FIL_COUNT_OF(kinds); i++) {
        for (uint32_t shape = 0; shape < 9; shape++) {
            const struct run run = {.kind = kinds[i],
                                    .sources = 1 + shape % 3,
                                    .maps = 1 + shape / 3,
                                    .sinks = 2,
                                    .batches = 1U << (shape % 4),
                                    .workers = 1 + shape % 3,
                                    .shake_seed = shape};
            run_and_expect(&run, 1);
        }
    }
}

static void test_broadcast_delivers_to_every_instance(void **state)
{
    (void)state;
    const struct run run = {.kind = FIL_EDGE_BROADCAST,
                            .sources = 2,
                            .maps = 3,
                            .sinks = 1,
                            .batches = 2,
                            .workers = 2};
    run_and_expect(&run, 3);
}

/** source -> sink with one edge; runs it to its end. */
static enum fil_job_state run_pair(const struct fil_generator_config *generator,
                                   const struct fil_processor_ops *sink_ops, const void *sink,
                                   const struct fil_edge *edge, struct fil_job **out_job,
                                   struct job_fixture *fixture, uint32_t sources)
{
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "numbers", &fil_generator_ops, generator, sources);
    fil_dag_add_vertex(&dag, "end", sink_ops, sink, 1);
    fil_dag_add_edge(&dag, "numbers", "end", edge);
    assert_int_equal(fil_job_submit(&fixture->workers, &dag, &(struct fil_job_options){0}, out_job),
                     FIL_OK);
    fil_dag_fini(&dag);
    assert_true(job_fixture_run(fixture, *out_job));
    return fil_job_state(*out_job);
}

static void test_merge_keeps_the_order_of_sorted_inputs(void **state)
{
    (void)state;
    struct job_fixture fixture;
    job_fixture_init(&fixture, 2, 3);
    struct sums sums = {.is_ordered = true};
    const struct fil_generator_config generator = {.generate = generate_number, .count = RECORDS};
    const struct fil_callback_sink_config sink = {.accept = take_in_order, .context = &sums};
    struct fil_edge edge = edge_of(FIL_EDGE_UNICAST, 2);
    struct fil_job *job = NULL;
    (void)run_pair(&generator, &fil_callback_sink_ops, &sink, &edge, &job, &fixture, 3);
    fil_job_free(job);
    assert_false(sums.is_ordered); // without a merge the inputs mix as they come

    sums = (struct sums){.is_ordered = true};
    edge.merge = fil_compare_u64;
    (void)run_pair(&generator, &fil_callback_sink_ops, &sink, &edge, &job, &fixture, 3);
    fil_job_free(job);
    assert_true(sums.is_ordered);
    assert_int_equal(sums.count, RECORDS);
    job_fixture_fini(&fixture);
}

static void test_failure_names_error_and_vertex(void **state)
{
    (void)state;
    struct job_fixture fixture;
    job_fixture_init(&fixture, 2, 0);
    struct sums sums = {.result = FIL_E_DENIED};
    const struct fil_generator_config generator = {.generate = generate_number};
    const struct fil_callback_sink_config sink = {.accept = take_number, .context = &sums};
    struct fil_job *job = NULL;
    assert_int_equal(
        run_pair(&generator, &fil_callback_sink_ops, &sink, &numbers, &job, &fixture, 1),
        FIL_JOB_FAILED);
    assert_int_equal(fil_job_error(job), FIL_E_DENIED);
    assert_string_equal(fil_job_failed_vertex(job), "end");
    fil_job_free(job);
    job_fixture_fini(&fixture);
}

static int refuse(void *context, const void *record, uint32_t size, int64_t time)
{
    (void)context;
    (void)record;
    (void)size;
    (void)time;
    return FIL_E_AGAIN;
}

static void test_stuck_sink_stops_the_source_and_can_be_cancelled(void **state)
{
    (void)state;
    struct job_fixture fixture;
    job_fixture_init(&fixture, 2, 0);
    const struct fil_generator_config generator = {.generate = generate_number};
    const struct fil_callback_sink_config sink = {.accept = refuse};
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "numbers", &fil_generator_ops, &generator, 1);
    fil_dag_add_vertex(&dag, "end", &fil_callback_sink_ops, &sink, 1);
    fil_dag_add_edge(&dag, "numbers", "end", &numbers);
    struct fil_job *job = NULL;
    assert_int_equal(fil_job_submit(&fixture.workers, &dag, &(struct fil_job_options){0}, &job),
                     FIL_OK);
    fil_dag_fini(&dag);
    uint32_t cycles = 0;
    while (fil_workers_cycle(&fixture.workers) != 0) {
        cycles++;
        assert_true(cycles < 1000); // nobody spins on a full ring
    }
    uint64_t drawn = fil_budget_drawn(&fixture.budget);
    assert_true(drawn < (UINT64_C(4) << 20));
    assert_int_equal(fil_workers_cycle(&fixture.workers), 0);
    assert_int_equal(fil_job_state(job), FIL_JOB_RUNNING);
    fil_job_cancel(job);
    assert_true(job_fixture_run(&fixture, job));
    assert_int_equal(fil_job_state(job), FIL_JOB_CANCELLED);
    fil_job_free(job);
    job_fixture_fini(&fixture);
}

static int blocking_process(void *self, struct fil_processor_context *context,
                            struct fil_inbox *inbox)
{
    (void)self;
    (void)context;
    inbox->position = inbox->limit;
    return FIL_OK;
}

static const struct fil_processor_ops blocking_ops = {
    .name = "blocking", .is_blocking = true, .process = blocking_process};

static void test_blocking_instance_has_a_worker_of_its_own(void **state)
{
    (void)state;
    struct job_fixture fixture;
    job_fixture_init(&fixture, 1, 0);
    assert_int_equal(fil_workers_start(&fixture.workers), FIL_OK);
    const struct fil_generator_config generator = {.generate = generate_number, .count = RECORDS};
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "numbers", &fil_generator_ops, &generator, 1);
    fil_dag_add_vertex(&dag, "end", &blocking_ops, NULL, 2);
    fil_dag_add_edge(&dag, "numbers", "end", &numbers);
    struct fil_job *job = NULL;
    assert_int_equal(fil_job_submit(&fixture.workers, &dag, &(struct fil_job_options){0}, &job),
                     FIL_OK);
    fil_dag_fini(&dag);
    assert_int_equal(job->dedicated_count, 2);
    assert_int_equal(fil_job_wait(job, INT64_C(20000000000)), FIL_OK);
    assert_int_equal(fil_job_state(job), FIL_JOB_COMPLETED);
    uint64_t steps = fil_counter_read(&job->dedicated[0].stats.step_count) +
                     fil_counter_read(&job->dedicated[1].stats.step_count);
    assert_true(steps > 0);
    fil_job_free(job);
    job_fixture_fini(&fixture);
}

struct saves {
    struct fil_snapshots base;
    uint32_t put_count;
};

static bool count_put(struct fil_snapshots *snapshots, const struct fil_driver *driver, int64_t id,
                      const struct fil_state_entry *entry)
{
    (void)driver;
    assert_int_equal(id, 1);
    assert_int_equal(entry->value.size, entry->scope == FIL_STATE_ALL ? 8 : 40);
    ((struct saves *)(void *)snapshots)->put_count++;
    return true;
}

static void test_barrier_saves_every_instance(void **state)
{
    (void)state;
    struct job_fixture fixture;
    job_fixture_init(&fixture, 2, 0);
    struct sums sums = {0};
    struct saves saves = {.base = {.put = count_put}};
    const struct fil_generator_config generator = {.generate = generate_number};
    const struct fil_callback_sink_config sink = {.accept = take_number, .context = &sums};
    struct fil_edge edge = edge_of(FIL_EDGE_PARTITIONED, 2);
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "numbers", &fil_generator_ops, &generator, 2);
    fil_dag_add_vertex(&dag, "end", &fil_callback_sink_ops, &sink, 3);
    fil_dag_add_edge(&dag, "numbers", "end", &edge);
    struct fil_job *job = NULL;
    const struct fil_job_options options = {.snapshots = &saves.base};
    assert_int_equal(fil_job_submit(&fixture.workers, &dag, &options, &job), FIL_OK);
    fil_dag_fini(&dag);
    (void)fil_workers_cycle(&fixture.workers);
    assert_int_equal(fil_job_request_barrier(job, false), 1);
    for (uint32_t i = 0; i < 1000 && !fil_job_is_saved(job); i++) {
        (void)fil_workers_cycle(&fixture.workers);
    }
    assert_true(fil_job_is_saved(job));
    assert_int_equal(saves.put_count, 3); // two shards and their number
    fil_job_cancel(job);
    assert_true(job_fixture_run(&fixture, job));
    fil_job_free(job);
    job_fixture_fini(&fixture);
}

static void test_refused_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    bool has_passed = false;
    for (int64_t after = 0; !has_passed && after < 500; after++) {
        struct job_fixture fixture;
        job_fixture_init(&fixture, 1, 0);
        struct sums sums = {0};
        const struct fil_generator_config generator = {.generate = generate_number, .count = 100};
        const struct fil_callback_sink_config sink = {.accept = take_number, .context = &sums};
        struct fil_edge edge = edge_of(FIL_EDGE_PARTITIONED, 2);
        struct fil_dag dag;
        fil_dag_init(&dag);
        fil_alloc_fail_after(after);
        fil_dag_add_vertex(&dag, "numbers", &fil_generator_ops, &generator, 2);
        fil_dag_add_vertex(&dag, "end", &fil_callback_sink_ops, &sink, 2);
        fil_dag_add_edge(&dag, "numbers", "end", &edge);
        struct fil_job *job = NULL;
        int error = fil_job_submit(&fixture.workers, &dag, &(struct fil_job_options){0}, &job);
        if (error == FIL_OK) {
            assert_true(job_fixture_run(&fixture, job));
            has_passed = fil_job_state(job) == FIL_JOB_COMPLETED;
            assert_true(has_passed || fil_job_error(job) == FIL_E_NOMEM);
        } else {
            assert_int_equal(error, FIL_E_NOMEM);
        }
        fil_alloc_fail_after(-1);
        fil_job_free(job);
        fil_dag_fini(&dag);
        job_fixture_fini(&fixture);
    }
    assert_true(has_passed);
}

static void test_steady_flow_allocates_nothing(void **state)
{
    (void)state;
    struct job_fixture fixture;
    job_fixture_init(&fixture, 1, 0);
    struct fil_counter_sink counter = {0};
    const struct fil_generator_config generator = {.generate = generate_number};
    const struct fil_counter_sink_config sink = {.sink = &counter};
    struct fil_edge edge = edge_of(FIL_EDGE_PARTITIONED, 4);
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "numbers", &fil_generator_ops, &generator, 2);
    fil_dag_add_vertex(&dag, "end", &fil_counter_sink_ops, &sink, 2);
    fil_dag_add_edge(&dag, "numbers", "end", &edge);
    struct fil_job *job = NULL;
    assert_int_equal(fil_job_submit(&fixture.workers, &dag, &(struct fil_job_options){0}, &job),
                     FIL_OK);
    fil_dag_fini(&dag);
    for (uint32_t i = 0; i < 100; i++) {
        (void)fil_workers_cycle(&fixture.workers);
    }
    uint64_t allocations = fil_alloc_count();
    uint64_t records = counter.record_count;
    for (uint32_t i = 0; i < 1000; i++) {
        (void)fil_workers_cycle(&fixture.workers);
    }
    assert_true(counter.record_count > records + 10000);
    assert_int_equal(fil_alloc_count(), allocations);
    fil_job_cancel(job);
    assert_true(job_fixture_run(&fixture, job));
    fil_job_free(job);
    job_fixture_fini(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_edge_kind_delivers_each_record_once),
        cmocka_unit_test(test_broadcast_delivers_to_every_instance),
        cmocka_unit_test(test_merge_keeps_the_order_of_sorted_inputs),
        cmocka_unit_test(test_failure_names_error_and_vertex),
        cmocka_unit_test(test_stuck_sink_stops_the_source_and_can_be_cancelled),
        cmocka_unit_test(test_blocking_instance_has_a_worker_of_its_own),
        cmocka_unit_test(test_barrier_saves_every_instance),
        cmocka_unit_test(test_refused_memory_leaves_nothing_behind),
        cmocka_unit_test(test_steady_flow_allocates_nothing),
    };
    return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
