// SPDX-License-Identifier: Apache-2.0
/**
 * Sources and sinks of pipelines: all files of a folder are read, lines of JSON are read and
 * written, files are rotated by size with every record in one of them, a timer counts, a socket is
 * read to its end, an expectation that is not met fails the job.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "filbert/pipeline.h"
#include "filbert/stream.h"
#include "lib/os/env.h"
#include "lib/os/file.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/os/folder.h"

#define COUNT 500

struct sale {
    int64_t time;
    char name[8];
    int64_t amount;
};

static const struct fil_field sale_fields[] = {
    FIL_TIME(struct sale, time), FIL_TEXT(struct sale, name), FIL_I64(struct sale, amount)};
static const struct fil_type sale_type = FIL_TYPE(struct sale, sale_fields);

static struct folder folder;

static int set_up(void **state)
{
    (void)state;
    folder_make(&folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    folder_remove(&folder);
    return 0;
}

/** How the job of a pipeline ends, which is freed. */
static int run(struct fil_pipeline *pipeline, enum fil_guarantee guarantee)
{
    struct fil_stream *stream = NULL;
    const struct fil_stream_options options = {.worker_count = 2};
    const struct fil_stream_job_options job = {.guarantee = guarantee, .interval_ms = 1};
    assert_string_equal(fil_pipeline_text(pipeline), "");
    assert_int_equal(fil_stream_start(&stream, &options), FIL_OK);
    int error = fil_stream_run(stream, pipeline, &job);
    fil_stream_stop(stream);
    fil_pipeline_free(pipeline);
    return error;
}

static const struct sale wanted[] = {{.time = 1, .name = "a", .amount = 10},
                                     {.time = 2, .name = "b", .amount = 20},
                                     {.time = 3, .name = "c", .amount = 30}};

static void test_files_of_a_folder_are_read(void **state)
{
    (void)state;
    folder_write(&folder, "in/1.csv", "1,a,10\n");
    folder_write(&folder, "in/2.csv", "2,b,20\n3,c,30");
    folder_write(&folder, "in/3.csv.part", "9,x,99\n");
    folder_write(&folder, "in/.4.csv", "9,x,99\n");
    folder_write(&folder, "in/5.txt", "no line of a sale\n");
    for (uint32_t i = 0; i < 2; i++) {
        struct fil_pipeline *pipeline = fil_pipeline_new("folder");
        struct fil_stage *sales =
            fil_read_csv(pipeline, &sale_type, folder_path(&folder, "in/*.csv"), NULL);
        fil_write_expected(fil_stage_parallelism(sales, 1 + i), wanted, 3, i == 0);
        assert_int_equal(run(pipeline, FIL_GUARANTEE_NONE), FIL_OK);
    }
    struct fil_pipeline *pipeline = fil_pipeline_new("none");
    fil_write_expected(
        fil_read_csv(pipeline, &sale_type, folder_path(&folder, "nosuch/*.csv"), NULL), wanted, 0,
        false);
    assert_int_equal(run(pipeline, FIL_GUARANTEE_NONE), FIL_E_DENIED);
}

static void test_lines_of_json_are_read_and_written(void **state)
{
    (void)state;
    folder_write(&folder, "in.json",
                 "{\"amount\":10,\"time\":1,\"name\":\"a\"}\n\n"
                 "{\"time\":2,\"name\":\"b\",\"amount\":20,\"more\":[]}\r\n"
                 "{\"time\":3,\"name\":\"c\",\"amount\":30}\n");
    char path[FOLDER_PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s", folder_path(&folder, "in.json"));
    struct fil_pipeline *pipeline = fil_pipeline_new("json");
    const struct fil_write_files files = {.folder = folder.path, .name = "out", .is_json = true};
    fil_write_files(fil_read_json(pipeline, &sale_type, path, NULL), &files);
    assert_int_equal(run(pipeline, FIL_GUARANTEE_NONE), FIL_OK);
    pipeline = fil_pipeline_new("again");
    (void)snprintf(path, sizeof(path), "%s", folder_path(&folder, "out-0-1"));
    fil_write_expected(fil_read_json(pipeline, &sale_type, path, NULL), wanted, 3, true);
    assert_int_equal(run(pipeline, FIL_GUARANTEE_NONE), FIL_OK);
}

static void test_lines_are_texts(void **state)
{
    (void)state;
    static const char texts[3][8] = {"a, \"b\"", "", "eightlng"};
    static const struct fil_field field = {.name = "line", .kind = FIL_FIELD_TEXT, .size = 8};
    static const struct fil_type type = {
        .name = "line", .size = 8, .fields = &field, .field_count = 1};
    char path[FOLDER_PATH_MAX];
    folder_write(&folder, "in.txt", "a, \"b\"\n\r\neightlng");
    (void)snprintf(path, sizeof(path), "%s", folder_path(&folder, "in.txt"));
    struct fil_pipeline *pipeline = fil_pipeline_new("lines");
    fil_write_expected(fil_read_lines(pipeline, &type, path, NULL), texts, 3, true);
    assert_int_equal(run(pipeline, FIL_GUARANTEE_NONE), FIL_OK);
    folder_write(&folder, "in.txt", "ninechars\n");
    pipeline = fil_pipeline_new("long");
    fil_write_expected(fil_read_lines(pipeline, &type, path, NULL), texts, 3, true);
    assert_int_equal(run(pipeline, FIL_GUARANTEE_NONE), FIL_E_LIMIT);
}

static void write_sale(void *context, uint64_t sequence, void *out_record)
{
    (void)context;
    const struct sale sale = {
        .time = (int64_t)sequence, .name = "n", .amount = (int64_t)sequence % 7};
    memcpy(out_record, &sale, sizeof(sale));
}

static bool count_file(void *context, const char *name)
{
    uint32_t *count = context;
    *count += strncmp(name, "big-", 4) == 0 && strstr(name, ".part") == NULL;
    return true;
}

static void check_rotation(enum fil_guarantee guarantee)
{
    static struct sale sales[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        write_sale(NULL, i, &sales[i]);
    }
    struct fil_pipeline *pipeline = fil_pipeline_new("rotate");
    const struct fil_read_options options = {.count = COUNT, .rate_a_second = 50000};
    const struct fil_write_files files = {
        .folder = folder.path, .name = "big", .rotate_bytes = 200, .rotate_ms = 3600000};
    fil_write_files(fil_read_generator(pipeline, &sale_type, write_sale, NULL, &options), &files);
    assert_int_equal(run(pipeline, guarantee), FIL_OK);
    uint32_t count = 0;
    assert_int_equal(fil_folder_list(folder.path, count_file, &count), FIL_OK);
    assert_true(count >= COUNT * 6 / 210);
    pipeline = fil_pipeline_new("again");
    fil_write_expected(fil_read_csv(pipeline, &sale_type, folder_path(&folder, "*"), NULL), sales,
                       COUNT, false);
    assert_int_equal(run(pipeline, FIL_GUARANTEE_NONE), FIL_OK);
}

static void test_files_are_rotated_by_size(void **state)
{
    (void)state;
    check_rotation(FIL_GUARANTEE_NONE);
}

static void test_rotated_files_have_each_record_once(void **state)
{
    (void)state;
    check_rotation(FIL_GUARANTEE_EXACTLY_ONCE);
}

struct tick {
    int64_t time;
    int64_t number;
};

static int take_tick(void *context, const void *record)
{
    struct tick *last = context;
    struct tick tick;
    memcpy(&tick, record, sizeof(tick));
    assert_true(tick.time >= last->time);
    assert_int_equal(tick.number, last->number + 1);
    *last = tick;
    return FIL_OK;
}

static void test_timer_counts(void **state)
{
    (void)state;
    struct tick last = {.number = -1};
    struct fil_pipeline *pipeline = fil_pipeline_new("timer");
    fil_write_function(
        fil_read_timer(pipeline, &(struct fil_timer_options){.interval_ns = 1000000, .count = 5}),
        take_tick, &last);
    assert_int_equal(run(pipeline, FIL_GUARANTEE_NONE), FIL_OK);
    assert_int_equal(last.number, 4);
    assert_true(last.time > INT64_C(1500000000000)); // milliseconds since 1970
}

/** Sends lines to the first that connects, in pieces that are no lines. */
static void *serve(void *context)
{
    static const char *const pieces[] = {"1,a,", "10\n2", ",b,20\n", "\n3,c,30"};
    struct fil_env *env = fil_env_real();
    int listener = *(int *)context;
    int fd = -1;
    struct fil_address peer;
    while (env->ops->accept(env, listener, &fd, &peer) == FIL_E_AGAIN) {
        sched_yield();
    }
    for (uint32_t i = 0; i < FIL_COUNT_OF(pieces); i++) {
        struct fil_bytes piece = fil_bytes_of(pieces[i]);
        while (env->ops->send(env, fd, &piece, 1) == FIL_E_AGAIN) {
            sched_yield();
        }
        sched_yield();
    }
    env->ops->close(env, fd);
    return NULL;
}

static void test_socket_is_read_to_its_end(void **state)
{
    (void)state;
    struct fil_env *env = fil_env_real();
    struct fil_address address;
    struct fil_address bound;
    char text[FIL_ADDRESS_TEXT_MAX];
    int listener = -1;
    pthread_t thread;
    assert_int_equal(fil_address_parse("127.0.0.1:0", &address), FIL_OK);
    assert_int_equal(env->ops->listen(env, &address, 1, &listener, &bound), FIL_OK);
    assert_int_equal(pthread_create(&thread, NULL, serve, &listener), 0);
    struct fil_pipeline *pipeline = fil_pipeline_new("socket");
    fil_write_expected(
        fil_read_socket(pipeline, &sale_type, fil_address_format(&bound, text), false, NULL),
        wanted, 3, true);
    assert_int_equal(run(pipeline, FIL_GUARANTEE_NONE), FIL_OK);
    assert_int_equal(pthread_join(thread, NULL), 0);
    env->ops->close(env, listener);
    pipeline = fil_pipeline_new("nobody");
    fil_write_expected(fil_read_socket(pipeline, &sale_type, text, true, NULL), wanted, 0, true);
    assert_int_equal(run(pipeline, FIL_GUARANTEE_NONE), FIL_E_CLOSED);
}

static void test_expectations_that_are_not_met_fail_the_job(void **state)
{
    (void)state;
    static const struct sale turned[] = {{.time = 2, .name = "b", .amount = 20},
                                         {.time = 1, .name = "a", .amount = 10},
                                         {.time = 3, .name = "c", .amount = 30}};
    const struct {
        const struct sale *records;
        uint32_t count;
        bool is_ordered;
        int result;
    } cases[] = {{wanted, 3, true, FIL_OK},
                 {turned, 3, false, FIL_OK},
                 {turned, 3, true, FIL_E_UNEXPECTED},
                 {wanted, 2, true, FIL_E_UNEXPECTED},
                 {wanted, 2, false, FIL_E_UNEXPECTED}};
    for (uint32_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        struct fil_pipeline *pipeline = fil_pipeline_new("expected");
        struct fil_stage *sales = fil_read_list(pipeline, &sale_type, wanted, 3);
        fil_write_expected(fil_stage_parallelism(sales, 1), cases[i].records, cases[i].count,
                           cases[i].is_ordered);
        assert_int_equal(run(pipeline, FIL_GUARANTEE_NONE), cases[i].result);
    }
    struct fil_pipeline *pipeline = fil_pipeline_new("missing");
    struct fil_stage *sales = fil_read_list(pipeline, &sale_type, wanted, 2);
    fil_write_expected(sales, wanted, 3, false);
    assert_int_equal(run(pipeline, FIL_GUARANTEE_NONE), FIL_E_UNEXPECTED);
}

/** A job fails, and says why; the pipeline is freed. */
static void expect_reason(struct fil_pipeline *pipeline, const char *reason)
{
    struct fil_stream *stream = NULL;
    struct fil_stream_job *job = NULL;
    const struct fil_stream_options options = {.worker_count = 1};
    assert_int_equal(fil_stream_start(&stream, &options), FIL_OK);
    assert_int_equal(fil_stream_submit(stream, pipeline, &(struct fil_stream_job_options){0}, &job),
                     FIL_OK);
    assert_int_equal(fil_stream_job_wait(job, -1), FIL_OK);
    assert_int_equal(fil_stream_job_state(job), FIL_STREAM_FAILED);
    assert_string_equal(fil_stream_job_text(job), reason);
    fil_stream_job_release(job);
    fil_stream_stop(stream);
    fil_pipeline_free(pipeline);
}

static void test_failures_name_file_and_line(void **state)
{
    (void)state;
    char path[FOLDER_PATH_MAX];
    char reason[2 * FOLDER_PATH_MAX];
    folder_write(&folder, "in/1.csv", "1,a,10\n\n2,b,x\x01\n");
    (void)snprintf(path, sizeof(path), "%s", folder_path(&folder, "in/1.csv"));
    struct fil_pipeline *pipeline = fil_pipeline_new("bad");
    fil_write_expected(fil_read_csv(pipeline, &sale_type, path, NULL), wanted, 1, false);
    (void)snprintf(reason, sizeof(reason),
                   "job 'bad' failed in vertex 'csv-1': %s:3: this line does not have the fields "
                   "of the type: 2,b,x?",
                   path);
    expect_reason(pipeline, reason);
    (void)snprintf(path, sizeof(path), "%s", folder_path(&folder, "nosuch.csv"));
    pipeline = fil_pipeline_new("none");
    fil_write_expected(fil_read_csv(pipeline, &sale_type, path, NULL), wanted, 1, false);
    (void)snprintf(reason, sizeof(reason),
                   "job 'none' failed in vertex 'csv-1': there is no file '%s'", path);
    expect_reason(pipeline, reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_files_of_a_folder_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lines_of_json_are_read_and_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lines_are_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files_are_rotated_by_size, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rotated_files_have_each_record_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_failures_name_file_and_line, set_up, tear_down),
        cmocka_unit_test(test_timer_counts),
        cmocka_unit_test(test_socket_is_read_to_its_end),
        cmocka_unit_test(test_expectations_that_are_not_met_fail_the_job),
    };
    return cmocka_run_group_tests_name("ends", tests, NULL, NULL);
}
