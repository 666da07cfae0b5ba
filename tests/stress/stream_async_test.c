// SPDX-License-Identifier: Apache-2.0
/**
 * Calls of a stream job that other threads answer, for the thread sanitizer: while the tasklets
 * that asked change their worker at random, each call is answered once and each answer leaves once,
 * in order or not; a job that is cancelled in the middle waits for the calls that are under way,
 * and nothing of it is touched afterwards.
 */
#include "core/stream/async.h"

#include "core/stream/sinks.h"
#include "core/stream/sources.h"
#include "lib/base/alloc.h"
#include "lib/conc/stack.h"
#include "lib/os/thread.h"
#include "tests/unit/core/stream/job_fixture.h"
#include "tests/unit/harness.h"

#define ROUNDS      8U
#define RECORDS     20000U
#define ANSWERERS   2U
#define CONCURRENCY 16U
#define EMPTY_EVERY 7U // numbers that have no answer
#define PATIENCE_NS INT64_C(50000000000)

struct question {
    struct fil_link link;
    struct fil_async *call;
    uint64_t number;
    uint64_t *answer;
};

/** A thread that answers, and what it has been asked. */
struct answerer {
    struct fil_thread thread;
    struct fil_stack questions;
    _Atomic bool is_closed;
};

/** Where a job's calls go, and what came out of it. */
struct desk {
    struct answerer answerers[ANSWERERS];
    _Atomic uint64_t asked;
    _Atomic uint64_t count;
    _Atomic uint64_t sum;
};

static int64_t generate(void *context, uint64_t sequence, void *out_record)
{
    (void)context;
    memcpy(out_record, &sequence, sizeof(sequence));
    return (int64_t)sequence;
}

static void ask(void *context, struct fil_async *call, const void *record, void *out_record)
{
    struct desk *desk = context;
    struct question *question = fil_alloc_zero(1, sizeof(*question));
    assert_non_null(question);
    question->call = call;
    question->answer = out_record;
    memcpy(&question->number, record, sizeof(question->number));
    uint64_t turn = atomic_fetch_add_explicit(&desk->asked, 1, memory_order_relaxed);
    (void)fil_stack_push(&desk->answerers[turn % ANSWERERS].questions, &question->link);
}

static void answer(struct question *question)
{
    struct fil_async *call = question->call;
    bool is_empty = question->number % EMPTY_EVERY == 0;
    *question->answer = question->number * 2;
    fil_free(question);
    fil_async_end(call, is_empty ? FIL_E_NOT_FOUND : FIL_OK);
}

static void answer_all(void *context)
{
    struct answerer *self = context;
    while (!atomic_load_explicit(&self->is_closed, memory_order_acquire)) {
        struct fil_link *next = NULL;
        for (struct fil_link *link = fil_stack_take_all(&self->questions); link != NULL;
             link = next) {
            next = link->next;
            answer(FIL_CONTAINER_OF(link, struct question, link));
        }
        fil_thread_yield();
    }
}

static void open_desk(struct desk *desk)
{
    *desk = (struct desk){0};
    for (uint32_t i = 0; i < ANSWERERS; i++) {
        fil_stack_init(&desk->answerers[i].questions);
        assert_int_equal(fil_thread_start(&desk->answerers[i].thread, "answerer", answer_all,
                                          &desk->answerers[i]),
                         FIL_OK);
    }
}

/** Behind the end of the job: then nobody asks any more. */
static void close_desk(struct desk *desk)
{
    for (uint32_t i = 0; i < ANSWERERS; i++) {
        atomic_store_explicit(&desk->answerers[i].is_closed, true, memory_order_release);
        fil_thread_join(&desk->answerers[i].thread);
        assert_true(fil_stack_is_empty(&desk->answerers[i].questions));
    }
}

static int take_answer(void *context, const void *record, uint32_t size, int64_t time)
{
    struct desk *desk = context;
    uint64_t number;
    assert_int_equal(size, sizeof(number));
    memcpy(&number, record, sizeof(number));
    assert_int_equal(number, 2 * (uint64_t)time);
    atomic_fetch_add_explicit(&desk->count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&desk->sum, number, memory_order_relaxed);
    return FIL_OK;
}

/** What the job borrows. */
struct calls {
    struct desk desk;
    struct fil_generator_config generator;
    struct fil_async_config async;
    struct fil_callback_sink_config sink;
    struct fil_job *job;
};

static void submit(struct calls *calls, struct fil_workers *workers, uint32_t round, uint64_t count)
{
    calls->generator =
        (struct fil_generator_config){.generate = generate, .count = count, .time = {.frame = 500}};
    calls->async = (struct fil_async_config){.begin = ask,
                                             .context = &calls->desk,
                                             .record_size = sizeof(uint64_t),
                                             .concurrency = CONCURRENCY,
                                             .is_unordered = round % 2 == 1};
    calls->sink = (struct fil_callback_sink_config){.accept = take_answer, .context = &calls->desk};
    const struct fil_edge edge = {
        .kind = FIL_EDGE_UNICAST,
        .layout = {.stride = sizeof(uint64_t), .record_count = 32, .has_times = true},
        .batch_count = 1U << (round % 3)};
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "source", &fil_generator_ops, &calls->generator, 1);
    fil_dag_add_vertex(&dag, "async", &fil_async_ops, &calls->async, 2);
    fil_dag_add_vertex(&dag, "sink", &fil_callback_sink_ops, &calls->sink, 1);
    fil_dag_add_edge(&dag, "source", "async", &edge);
    fil_dag_add_edge(&dag, "async", "sink", &edge);
    assert_int_equal(fil_job_submit(workers, &dag, &(struct fil_job_options){0}, &calls->job),
                     FIL_OK);
    fil_dag_fini(&dag);
}

static uint64_t finish(struct calls *calls, enum fil_job_state wanted)
{
    struct fil_job_vertex_stats stats;
    assert_int_equal(fil_job_wait(calls->job, PATIENCE_NS), FIL_OK);
    assert_int_equal(fil_job_state(calls->job), wanted);
    fil_job_vertex_stats(calls->job, 1, &stats);
    fil_job_free(calls->job);
    close_desk(&calls->desk);
    return stats.move_count;
}

static void test_each_answer_leaves_once_while_tasklets_move(void **state)
{
    (void)state;
    struct job_fixture fixture;
    job_fixture_init(&fixture, 3, 42);
    assert_int_equal(fil_workers_start(&fixture.workers), FIL_OK);
    uint64_t sum = 0;
    uint64_t count = 0;
    for (uint64_t number = 0; number < RECORDS; number++) {
        sum += number % EMPTY_EVERY == 0 ? 0 : 2 * number;
        count += number % EMPTY_EVERY != 0;
    }
    uint64_t moves = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct calls calls;
        open_desk(&calls.desk);
        submit(&calls, &fixture.workers, round, RECORDS);
        moves += finish(&calls, FIL_JOB_COMPLETED);
        assert_int_equal(calls.desk.asked, RECORDS);
        assert_int_equal(calls.desk.count, count);
        assert_int_equal(calls.desk.sum, sum);
    }
    assert_true(moves > 0);
    job_fixture_fini(&fixture);
}

static void test_cancelled_job_waits_for_calls_under_way(void **state)
{
    (void)state;
    struct job_fixture fixture;
    job_fixture_init(&fixture, 2, 7);
    assert_int_equal(fil_workers_start(&fixture.workers), FIL_OK);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct calls calls;
        open_desk(&calls.desk);
        submit(&calls, &fixture.workers, round, 0); // without end
        while (atomic_load_explicit(&calls.desk.asked, memory_order_relaxed) < 1000) {
            fil_thread_yield();
        }
        fil_job_cancel(calls.job);
        (void)finish(&calls, FIL_JOB_CANCELLED);
    }
    job_fixture_fini(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_answer_leaves_once_while_tasklets_move),
        cmocka_unit_test(test_cancelled_job_waits_for_calls_under_way),
    };
    return cmocka_run_group_tests_name("stream async", tests, NULL, NULL);
}
