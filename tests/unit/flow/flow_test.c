// SPDX-License-Identifier: Apache-2.0
/**
 * Jobs that read and write structures, with all threads: what is put can be scanned; numbers are
 * added; the journal is followed, and gone on with after suspensions, with nothing missing and
 * nothing twice; a ring buffer likewise; a small queue holds the job back and loses nothing; lists
 * keep the order; lookups find what is there; a map sink is exact after a restart; a job that waits
 * for changes or for a locked key can be cancelled; an answer that comes late leaves although no
 * record follows; what is wrong is told.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/pipeline/engine.h"
#include "grid/map/entry.h"
#include "grid/map/lock.h"
#include "lib/base/alloc.h"
#include "lib/os/thread.h"
#include "tests/unit/flow/world.h"

#define COUNT  5000U
#define ROUNDS 2U

struct row {
    int64_t id;
    int64_t value; // twice the id, and the round in which it was written
};

static const struct fil_field fields[] = {FIL_I64(struct row, id), FIL_I64(struct row, value)};
static const struct fil_type type = FIL_TYPE(struct row, fields);
static struct world world;
static struct fil_stream *stream;

// Released by tear_down: an engine stops when it has no jobs.
static struct fil_stream_job *job;
static struct fil_stream_job *filler;

/** What a sink has seen, by round and id. */
static _Atomic uint32_t seen[ROUNDS][COUNT];
static _Atomic uint64_t seen_count;

static int64_t rounds[ROUNDS] = {0, 1};

static int set_up(void **state)
{
    (void)state;
    world_open(&world, true);
    const struct fil_engine_options options = {.env = fil_env_real(),
                                               .budget = &world.budget,
                                               .memory_bytes = UINT64_C(256) << 20,
                                               .worker_count = 2,
                                               .connector = &world.connector};
    memset(seen, 0, sizeof(seen));
    atomic_store(&seen_count, 0);
    job = NULL;
    filler = NULL;
    return fil_engine_start(&stream, &options);
}

static int tear_down(void **state)
{
    (void)state;
    fil_stream_job_release(job); // cancels it, in some tests while reads are parked
    fil_stream_job_release(filler);
    fil_stream_stop(stream);
    world_close(&world);
    return 0;
}

static void generate(void *context, uint64_t sequence, void *out_record)
{
    const int64_t *round = context;
    const struct row row = {.id = (int64_t)sequence, .value = (int64_t)sequence * 2 + *round};
    memcpy(out_record, &row, sizeof(row));
}

static int take(void *context, const void *record)
{
    (void)context;
    struct row row;
    memcpy(&row, record, sizeof(row));
    int64_t round = row.value - row.id * 2;
    if (row.id < 0 || row.id >= (int64_t)COUNT || round < 0 || round >= (int64_t)ROUNDS) {
        return FIL_E_INVALID;
    }
    atomic_fetch_add(&seen[round][row.id], 1);
    atomic_fetch_add(&seen_count, 1);
    return FIL_OK;
}

static bool each_was_seen_once(uint32_t round)
{
    bool is_good = true;
    for (uint32_t i = 0; i < COUNT; i++) {
        is_good &= atomic_load(&seen[round][i]) == 1;
    }
    return is_good;
}

static struct fil_stage *read_round(struct fil_pipeline *pipeline, uint32_t round, uint64_t count)
{
    const struct fil_read_options options = {.count = count};
    return fil_read_generator(pipeline, &type, generate, &rounds[round], &options);
}

static struct fil_stage *read_numbers(struct fil_pipeline *pipeline)
{
    return read_round(pipeline, 0, COUNT);
}

static void run(struct fil_pipeline *pipeline)
{
    assert_string_equal(fil_pipeline_text(pipeline), "");
    assert_int_equal(fil_stream_run(stream, pipeline, NULL), FIL_OK);
    fil_pipeline_free(pipeline);
}

/** Pipelines that write a round to a structure. */
static struct fil_pipeline *fill_map(const char *name, uint32_t round)
{
    struct fil_pipeline *pipeline = fil_pipeline_new("fill");
    fil_write_map(read_round(pipeline, round, COUNT), name, "id", FIL_MAP_WRITE_PUT);
    return pipeline;
}

static struct fil_pipeline *fill_ring(const char *name, uint32_t round)
{
    struct fil_pipeline *pipeline = fil_pipeline_new("fill");
    fil_write_ringbuffer(read_round(pipeline, round, COUNT), name);
    return pipeline;
}

static void test_what_is_put_can_be_scanned(void **state)
{
    (void)state;
    const struct fil_read_grid read = {.name = "numbers", .key = "id"};
    run(fill_map("numbers", 0));
    assert_int_equal(fil_map_size(world_map(&world, "numbers")), COUNT);
    struct fil_pipeline *pipeline = fil_pipeline_new("scan");
    fil_write_function(fil_read_map(pipeline, &type, &read), take, NULL);
    run(pipeline);
    assert_true(each_was_seen_once(0));
}

static void divide(void *context, const void *record, void *out_record)
{
    (void)context;
    struct row row;
    memcpy(&row, record, sizeof(row));
    row.id %= 10;
    memcpy(out_record, &row, sizeof(row));
}

static int64_t sum;

static int add_up(void *context, const void *record)
{
    (void)context;
    struct row row;
    memcpy(&row, record, sizeof(row));
    sum += row.value;
    return FIL_OK;
}

static void test_numbers_are_added(void **state)
{
    (void)state;
    const struct fil_read_grid read = {.name = "sums"};
    struct fil_pipeline *pipeline = fil_pipeline_new("add");
    fil_write_map(fil_stage_map(read_numbers(pipeline), &type, divide, NULL), "sums", NULL,
                  FIL_MAP_WRITE_ADD);
    run(pipeline);
    assert_int_equal(fil_map_size(world_map(&world, "sums")), 10);
    sum = 0;
    pipeline = fil_pipeline_new("read");
    fil_write_function(fil_read_map(pipeline, &type, &read), add_up, NULL);
    run(pipeline);
    assert_int_equal(sum, (int64_t)COUNT * (COUNT - 1));
    pipeline = fil_pipeline_new("remove");
    fil_write_map(fil_stage_map(read_numbers(pipeline), &type, divide, NULL), "sums", NULL,
                  FIL_MAP_WRITE_REMOVE);
    run(pipeline);
    assert_int_equal(fil_map_size(world_map(&world, "sums")), 0);
}

/** The greatest value of a key stays; key 3 is always removed. */
static bool keep_greatest(void *context, const void *old, void *record)
{
    _Atomic int64_t *calls = context;
    struct row row;
    struct row there = {.value = INT64_MIN};
    memcpy(&row, record, sizeof(row));
    if (old != NULL) {
        memcpy(&there, old, sizeof(there));
        assert_int_equal(there.id, row.id);
    }
    atomic_fetch_add_explicit(calls, 1, memory_order_relaxed);
    row.value = there.value > row.value ? there.value : row.value;
    memcpy(record, &row, sizeof(row));
    return row.id != 3;
}

static void test_entries_are_updated_by_a_function(void **state)
{
    (void)state;
    _Atomic int64_t calls = 0;
    const struct fil_map_update update = {
        .name = "greatest", .update = keep_greatest, .context = &calls};
    const struct fil_read_grid read = {.name = "greatest"};
    struct fil_pipeline *pipeline = fil_pipeline_new("update");
    fil_write_map_update(fil_stage_map(read_numbers(pipeline), &type, divide, NULL), &update);
    run(pipeline);
    assert_int_equal(calls, COUNT);
    assert_int_equal(fil_map_size(world_map(&world, "greatest")), 9);
    sum = 0;
    pipeline = fil_pipeline_new("read");
    fil_write_function(fil_read_map(pipeline, &type, &read), add_up, NULL);
    run(pipeline);
    int64_t wanted = 0;
    for (int64_t id = 0; id < 10; id++) {
        wanted += id == 3 ? 0 : 2 * ((int64_t)COUNT - 10 + id);
    }
    assert_int_equal(sum, wanted);
    pipeline = fil_pipeline_new("none");
    fil_write_map(read_numbers(pipeline), "greatest", NULL, FIL_MAP_WRITE_UPDATE);
    assert_string_equal(fil_pipeline_text(pipeline),
                        "stage 'write-2': an update needs a function: fil_write_map_update");
    fil_pipeline_free(pipeline);
}

static const struct fil_stream_job_options exactly_once = {
    .guarantee = FIL_GUARANTEE_EXACTLY_ONCE, .interval_ms = 5, .parallelism = 2};

static void submit(struct fil_pipeline *pipeline)
{
    assert_int_equal(fil_stream_submit(stream, pipeline, &exactly_once, &job), FIL_OK);
    fil_pipeline_free(pipeline); // the job has its own
}

static void suspend(void)
{
    fil_stream_job_suspend(job);
    assert_int_equal(fil_stream_job_wait(job, -1), FIL_OK);
    assert_string_equal(fil_stream_job_text(job), "");
    assert_int_equal(fil_stream_job_state(job), FIL_STREAM_SUSPENDED);
}

static void suspend_and_resume(void)
{
    suspend();
    fil_stream_job_resume(job);
}

/** The other thread's work is polled for; nothing here depends on how long that takes. */
static void wait_for_count(uint64_t wanted)
{
    while (atomic_load(&seen_count) < wanted) {
        assert_int_not_equal(fil_stream_job_state(job), FIL_STREAM_FAILED);
        fil_thread_yield();
    }
}

static void wait_for_round(uint32_t round)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        while (atomic_load(&seen[round][i]) == 0) {
            assert_int_not_equal(fil_stream_job_state(job), FIL_STREAM_FAILED);
            fil_thread_yield();
        }
    }
}

/**
 * Follows two rounds over suspensions, the first one while it is written. Changes come in order:
 * when all of the second round has been seen, whatever would come twice of the first has come.
 */
static void follow(struct fil_pipeline *pipeline, const char *name,
                   struct fil_pipeline *(*fill)(const char *name, uint32_t round))
{
    submit(pipeline);
    struct fil_pipeline *first = fill(name, 0);
    assert_int_equal(fil_stream_submit(stream, first, NULL, &filler), FIL_OK);
    fil_pipeline_free(first);
    for (uint64_t seen_so_far = 1; seen_so_far < COUNT; seen_so_far += COUNT / 8) {
        wait_for_count(seen_so_far);
        suspend_and_resume();
    }
    suspend_and_resume(); // maybe before it has read anything
    assert_int_equal(fil_stream_job_wait(filler, -1), FIL_OK);
    wait_for_round(0);
    suspend_and_resume();
    fil_stream_job_release(filler);
    filler = NULL;
    run(fill(name, 1));
    wait_for_round(1);
    suspend();
}

static void test_journal_is_gone_on_with(void **state)
{
    (void)state;
    const struct fil_read_grid read = {.name = "changes", .key = "id"};
    struct fil_pipeline *pipeline = fil_pipeline_new("follow");
    fil_write_function(fil_read_journal(pipeline, &type, &read), take, NULL);
    follow(pipeline, "changes", fill_map);
    assert_true(each_was_seen_once(0));
    assert_true(each_was_seen_once(1));
    assert_int_equal(atomic_load(&seen_count), 2 * COUNT);
    fil_stream_job_resume(job); // cancelled while reads are parked
}

static void test_ring_buffer_is_gone_on_with(void **state)
{
    (void)state;
    const struct fil_read_grid read = {.name = "ring"};
    struct fil_pipeline *pipeline = fil_pipeline_new("follow");
    fil_write_function(fil_read_ringbuffer(pipeline, &type, &read), take, NULL);
    follow(pipeline, "ring", fill_ring);
    assert_true(each_was_seen_once(0));
    assert_true(each_was_seen_once(1));
    assert_int_equal(atomic_load(&seen_count), 2 * COUNT);
    fil_stream_job_resume(job);
}

static void drain_queue(struct fil_queue *queue)
{
    struct fil_runner runner;
    fil_runner_init(&runner, world.exec, "test");
    struct fil_partition *partition = fil_exec_partition(world.exec, queue->container.partition_id);
    if (fil_partition_enter(partition, &runner)) {
        (void)fil_queue_drain_here(queue, 3, 1);
        fil_partition_leave(partition);
    }
    fil_runner_pay_wakes(&runner); // also when it found mail at the door and went out again
}

static void test_small_queue_holds_the_job_back(void **state)
{
    (void)state;
    struct fil_container *container = world_container(&world, &fil_queue_type, "small");
    struct fil_pipeline *pipeline = fil_pipeline_new("offer");
    fil_write_queue(read_round(pipeline, 0, 200), "small");
    submit(pipeline);
    while (fil_stream_job_state(job) != FIL_STREAM_COMPLETED) {
        assert_true(fil_counter_read(&container->counters.items) <= 10);
        drain_queue(fil_queue_of(container));
    }
    assert_int_equal(fil_counter_read(&container->counters.adds), 200);
}

static void test_list_has_everything(void **state)
{
    (void)state;
    struct fil_pipeline *pipeline = fil_pipeline_new("append");
    struct fil_stage *numbers = read_numbers(pipeline);
    fil_write_list(numbers, "all");
    fil_write_topic(numbers, "news");
    run(pipeline);
    struct fil_container *list = world_container(&world, &fil_list_type, "all");
    assert_int_equal(fil_counter_read(&list->counters.items), COUNT);
}

static bool double_found(void *context, const void *record, const void *partner, void *out_record)
{
    (void)context;
    struct row row;
    struct row found = {0};
    memcpy(&row, record, sizeof(row));
    if (partner == NULL) {
        return false;
    }
    memcpy(&found, partner, sizeof(found));
    // Only what the map has twice the number for goes on.
    memcpy(out_record, &row, sizeof(row));
    return found.value == row.id * 2;
}

static void test_lookups_find_what_is_there(void **state)
{
    (void)state;
    static const struct fil_type value_type = {"value", sizeof(struct row), fields + 1, 1};
    const struct fil_lookup lookup = {
        .map = "numbers", .key = "id", .partner = &value_type, .type = &type, .join = double_found};
    run(fill_map("numbers", 0));
    struct fil_pipeline *pipeline = fil_pipeline_new("look");
    fil_write_function(fil_stage_lookup(read_numbers(pipeline), &lookup), take, NULL);
    run(pipeline);
    assert_true(each_was_seen_once(0));
}

static void test_job_that_waits_for_a_locked_key_can_be_cancelled(void **state)
{
    (void)state;
    struct fil_map *map = world_map(&world, "locked");
    struct fil_runner runner;
    fil_runner_init(&runner, world.exec, "test");
    struct fil_map_key key = fil_map_place(map, fil_bytes_of("7"));
    struct fil_partition *partition = fil_exec_partition(world.exec, key.partition_id);
    uint64_t wait_key = 0;
    while (!fil_partition_enter(partition, &runner)) {
        fil_runner_pay_wakes(&runner);
    }
    const struct fil_map_lock_wish wish = {.owner = {.member = 1, .thread = 1}, .now_ms = 1};
    assert_int_equal(fil_map_lock_here(map, &key, &wish, &wait_key), FIL_OK);
    fil_partition_leave(partition);
    fil_runner_pay_wakes(&runner);
    struct fil_pipeline *pipeline = fil_pipeline_new("wait");
    fil_write_map(read_numbers(pipeline), "locked", NULL, FIL_MAP_WRITE_PUT);
    // Without snapshots: they would wait for the write, and all behind them as well.
    assert_int_equal(fil_stream_submit(stream, pipeline, NULL, &job), FIL_OK);
    while (fil_map_size(map) < COUNT - 1) {
        fil_thread_yield(); // all but the locked one get in: the write waits, not the sink
    }
    assert_int_equal(fil_stream_job_state(job), FIL_STREAM_RUNNING);
    fil_stream_job_release(job);
    job = NULL;
    fil_pipeline_free(pipeline);
    assert_int_equal(fil_map_size(map), COUNT - 1);
}

static void test_what_is_wrong_is_told(void **state)
{
    (void)state;
    const struct fil_read_grid read = {.name = "m", .key = "colour"};
    struct fil_pipeline *pipeline = fil_pipeline_new("wrong");
    assert_null(fil_read_map(pipeline, &type, &read));
    assert_string_equal(fil_pipeline_text(pipeline),
                        "stage 'read-1': key 'colour' is no field of type 'struct row'");
    fil_pipeline_free(pipeline);
    pipeline = fil_pipeline_new("nameless");
    fil_write_queue(read_numbers(pipeline), "");
    assert_string_equal(fil_pipeline_text(pipeline), "stage 'write-2': a path or name is missing");
    fil_pipeline_free(pipeline);
    struct fil_stream *alone = NULL;
    assert_int_equal(fil_stream_start(&alone, NULL), FIL_OK);
    pipeline = fil_pipeline_new("alone");
    fil_write_map(read_numbers(pipeline), "numbers", NULL, FIL_MAP_WRITE_PUT);
    assert_int_equal(fil_stream_run(alone, pipeline, NULL), FIL_E_UNSUPPORTED);
    assert_string_equal(fil_pipeline_text(pipeline),
                        "stage 'write-2': 'numbers' is a structure of a member: submit the job "
                        "to one");
    fil_pipeline_free(pipeline);
    fil_stream_stop(alone);
}

static _Atomic(struct fil_async *) late_call;

static void begin_late(void *context, struct fil_async *call, const void *record, void *out_record)
{
    (void)context;
    memcpy(out_record, record, sizeof(struct row));
    atomic_store(&late_call, call);
}

static void test_late_answer_leaves_although_nothing_follows(void **state)
{
    (void)state;
    struct fil_pipeline *pipeline = fil_pipeline_new("late");
    const struct fil_read_grid read = {.name = "numbers"};
    const struct fil_async_call async = {.type = &type, .begin = begin_late};
    atomic_store(&late_call, NULL);
    fil_write_function(fil_stage_async(fil_read_ringbuffer(pipeline, &type, &read), &async), take,
                       NULL);
    assert_int_equal(fil_stream_submit(stream, pipeline, NULL, &job), FIL_OK);
    fil_pipeline_free(pipeline);
    struct fil_pipeline *one = fil_pipeline_new("one");
    fil_write_ringbuffer(read_round(one, 0, 1), "numbers");
    run(one);
    while (atomic_load(&late_call) == NULL) {
        fil_thread_yield();
    }
    fil_async_end(atomic_load(&late_call), FIL_OK);
    while (atomic_load(&seen_count) == 0) {
        fil_thread_yield();
    }
    assert_int_equal(atomic_load(&seen[0][0]), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_put_can_be_scanned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers_are_added, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_entries_are_updated_by_a_function, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_journal_is_gone_on_with, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ring_buffer_is_gone_on_with, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_small_queue_holds_the_job_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_list_has_everything, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lookups_find_what_is_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_job_that_waits_for_a_locked_key_can_be_cancelled,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_wrong_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_late_answer_leaves_although_nothing_follows, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
