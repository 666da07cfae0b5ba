// SPDX-License-Identifier: Apache-2.0
/**
 * Jobs that read and write structures, with all threads: what is put can be scanned; numbers are
 * added; the journal is followed, and gone on with after a suspension, with nothing missing; a ring
 * buffer likewise; a small queue holds the job back and loses nothing; lists
 * keep the order; lookups find what is there; a map sink is exact after a restart; a job that waits
 * for changes or for a locked key can be cancelled; what is wrong is told.
 */
#include <stdio.h>
#include <string.h>

#include "core/pipeline/engine.h"
#include "grid/map/entry.h"
#include "grid/map/lock.h"
#include "lib/base/alloc.h"
#include "lib/os/thread.h"
#include "tests/unit/flow/world.h"

#define COUNT 5000U

struct row {
    int64_t id;
    int64_t value;
};

static const struct fil_field fields[] = {FIL_I64(struct row, id), FIL_I64(struct row, value)};
static const struct fil_type type = FIL_TYPE(struct row, fields);
static struct world world;
static struct fil_stream *stream;

/** What a sink has seen, by id. */
static _Atomic uint32_t seen[COUNT];
static _Atomic uint64_t seen_count;

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
    return fil_engine_start(&stream, &options);
}

static int tear_down(void **state)
{
    (void)state;
    fil_stream_stop(stream);
    world_close(&world);
    return 0;
}

static void generate(void *context, uint64_t sequence, void *out_record)
{
    (void)context;
    const struct row row = {.id = (int64_t)sequence, .value = (int64_t)sequence * 2};
    memcpy(out_record, &row, sizeof(row));
}

static int take(void *context, const void *record)
{
    (void)context;
    struct row row;
    memcpy(&row, record, sizeof(row));
    if (row.id < 0 || row.id >= (int64_t)COUNT) {
        return FIL_E_INVALID;
    }
    atomic_fetch_add(&seen[row.id], 1);
    atomic_fetch_add(&seen_count, 1);
    return FIL_OK;
}

static bool each_was_seen(uint32_t times)
{
    bool is_good = true;
    for (uint32_t i = 0; i < COUNT; i++) {
        is_good &= atomic_load(&seen[i]) == times;
    }
    return is_good;
}

static struct fil_stage *read_numbers(struct fil_pipeline *pipeline)
{
    const struct fil_read_options options = {.count = COUNT};
    return fil_read_generator(pipeline, &type, generate, NULL, &options);
}

static void run(struct fil_pipeline *pipeline)
{
    assert_string_equal(fil_pipeline_text(pipeline), "");
    assert_int_equal(fil_stream_run(stream, pipeline, NULL), FIL_OK);
    fil_pipeline_free(pipeline);
}

static void fill_map(const char *name)
{
    struct fil_pipeline *pipeline = fil_pipeline_new("fill");
    fil_write_map(read_numbers(pipeline), name, "id", FIL_MAP_WRITE_PUT);
    run(pipeline);
}

static void test_what_is_put_can_be_scanned(void **state)
{
    (void)state;
    const struct fil_read_grid read = {.name = "numbers", .key = "id"};
    fill_map("numbers");
    assert_int_equal(fil_map_size(world_map(&world, "numbers")), COUNT);
    struct fil_pipeline *pipeline = fil_pipeline_new("scan");
    fil_write_function(fil_read_map(pipeline, &type, &read), take, NULL);
    run(pipeline);
    assert_true(each_was_seen(1));
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

static const struct fil_stream_job_options exactly_once = {
    .guarantee = FIL_GUARANTEE_EXACTLY_ONCE, .interval_ms = 5, .parallelism = 2};

static struct fil_stream_job *submit(struct fil_pipeline *pipeline)
{
    struct fil_stream_job *job = NULL;
    assert_int_equal(fil_stream_submit(stream, pipeline, &exactly_once, &job), FIL_OK);
    return job;
}

static void suspend_and_resume(struct fil_stream_job *job)
{
    fil_stream_job_suspend(job);
    assert_int_equal(fil_stream_job_wait(job, -1), FIL_OK);
    assert_int_equal(fil_stream_job_state(job), FIL_STREAM_SUSPENDED);
    fil_stream_job_resume(job);
}

/** Until each was seen so often, or more: a function is called again behind the last snapshot. */
static void wait_for_each(uint32_t times)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        while (atomic_load(&seen[i]) < times) {
            fil_thread_yield();
        }
    }
}

/** The other thread's work is polled for; nothing here depends on how long that takes. */
static void wait_for_count(_Atomic uint64_t *count, uint64_t wanted)
{
    while (atomic_load(count) < wanted) {
        fil_thread_yield();
    }
}

static void test_journal_is_gone_on_with(void **state)
{
    (void)state;
    const struct fil_read_grid read = {.name = "changes", .key = "id"};
    struct fil_pipeline *pipeline = fil_pipeline_new("follow");
    fil_write_function(fil_read_journal(pipeline, &type, &read), take, NULL);
    struct fil_stream_job *job = submit(pipeline);
    fill_map("changes");
    wait_for_count(&seen_count, COUNT / 3);
    suspend_and_resume(job);
    wait_for_each(1);
    suspend_and_resume(job);
    fill_map("changes");
    wait_for_each(2);
    assert_true(atomic_load(&seen_count) >= 2 * (uint64_t)COUNT);
    fil_stream_job_release(job); // cancels it, while reads are parked
    fil_pipeline_free(pipeline);
}

static void test_ring_buffer_is_gone_on_with(void **state)
{
    (void)state;
    const struct fil_read_grid read = {.name = "ring"};
    struct fil_pipeline *pipeline = fil_pipeline_new("follow");
    fil_write_function(fil_read_ringbuffer(pipeline, &type, &read), take, NULL);
    struct fil_stream_job *job = submit(pipeline);
    struct fil_pipeline *writer = fil_pipeline_new("write");
    fil_write_ringbuffer(read_numbers(writer), "ring");
    run(writer);
    wait_for_count(&seen_count, COUNT / 3);
    suspend_and_resume(job);
    wait_for_each(1);
    suspend_and_resume(job);
    assert_true(atomic_load(&seen_count) >= COUNT);
    fil_stream_job_release(job);
    fil_pipeline_free(pipeline);
}

static void drain_queue(struct fil_queue *queue)
{
    struct fil_runner runner;
    fil_runner_init(&runner, world.exec, "test");
    struct fil_partition *partition = fil_exec_partition(world.exec, queue->container.partition_id);
    if (fil_partition_enter(partition, &runner)) {
        (void)fil_queue_drain_here(queue, 3, 1);
        fil_partition_leave(partition);
        fil_runner_pay_wakes(&runner);
    }
}

static void test_small_queue_holds_the_job_back(void **state)
{
    (void)state;
    struct fil_container *container = world_container(&world, &fil_queue_type, "small");
    const struct fil_read_options options = {.count = 200};
    struct fil_pipeline *pipeline = fil_pipeline_new("offer");
    fil_write_queue(fil_read_generator(pipeline, &type, generate, NULL, &options), "small");
    struct fil_stream_job *job = submit(pipeline);
    while (fil_stream_job_state(job) != FIL_STREAM_COMPLETED) {
        assert_true(fil_counter_read(&container->counters.items) <= 10);
        drain_queue(fil_queue_of(container));
    }
    assert_int_equal(fil_counter_read(&container->counters.adds), 200);
    fil_stream_job_release(job);
    fil_pipeline_free(pipeline);
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
    fill_map("numbers");
    struct fil_pipeline *pipeline = fil_pipeline_new("look");
    fil_write_function(fil_stage_lookup(read_numbers(pipeline), &lookup), take, NULL);
    run(pipeline);
    assert_true(each_was_seen(1));
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
        fil_thread_yield();
    }
    const struct fil_map_lock_wish wish = {.owner = {.member = 1, .thread = 1}, .now_ms = 1};
    assert_int_equal(fil_map_lock_here(map, &key, &wish, &wait_key), FIL_OK);
    fil_partition_leave(partition);
    struct fil_pipeline *pipeline = fil_pipeline_new("wait");
    fil_write_map(read_numbers(pipeline), "locked", NULL, FIL_MAP_WRITE_PUT);
    struct fil_stream_job *job = NULL;
    // Without snapshots: they would wait for the write, and all behind them as well.
    assert_int_equal(fil_stream_submit(stream, pipeline, NULL, &job), FIL_OK);
    while (fil_map_size(map) < COUNT - 1) {
        fil_thread_yield(); // all but the locked one get in: the write waits, not the sink
    }
    assert_int_equal(fil_stream_job_state(job), FIL_STREAM_RUNNING);
    fil_stream_job_release(job);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_put_can_be_scanned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers_are_added, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_journal_is_gone_on_with, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ring_buffer_is_gone_on_with, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_small_queue_holds_the_job_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_list_has_everything, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lookups_find_what_is_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_job_that_waits_for_a_locked_key_can_be_cancelled,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_wrong_is_told, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
