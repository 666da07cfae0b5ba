// SPDX-License-Identifier: Apache-2.0
/**
 * Named snapshots of a program's engine, in memory and in a folder: an exported one is listed
 * beside the job's own, a changed job starts from it when its state fits and is refused with the
 * reason when it does not, that of a job that runs cannot be removed, any other can, once. A weight
 * beyond the limit is refused.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filbert/stream.h"
#include "tests/unit/harness.h"

struct event {
    int64_t time;
    int64_t key;
};

static const struct fil_field fields[] = {FIL_TIME(struct event, time), FIL_I64(struct event, key)};
static const struct fil_type type = FIL_TYPE(struct event, fields);

static void write_event(void *context, uint64_t sequence, void *out_record)
{
    (void)context;
    const struct event event = {.time = (int64_t)sequence, .key = (int64_t)sequence % 7};
    memcpy(out_record, &event, sizeof(event));
}

static int drop(void *context, const void *record)
{
    (void)context;
    (void)record;
    return FIL_OK;
}

/** Windows of counts, or of another kind; by key, in two vertices when there are several instances.
 */
static struct fil_pipeline *make(const char *name, enum fil_aggregation_kind kind)
{
    struct fil_pipeline *pipeline = fil_pipeline_new(name);
    const struct fil_read_options read = {.frame = 10, .rate_a_second = 10000};
    const struct fil_group_by by = {.key = "key",
                                    .size = 100,
                                    .is_folded = true,
                                    .aggregates = {{.name = "it", .kind = kind, .field = "time"}}};
    struct fil_stage *events = fil_read_generator(pipeline, &type, write_event, NULL, &read);
    fil_write_function(fil_stage_name(fil_stage_window(events, &by), "counts"), drop, NULL);
    return pipeline;
}

static struct fil_stream_job *submit(struct fil_stream *stream, const char *name,
                                     enum fil_aggregation_kind kind,
                                     const struct fil_stream_job_options *options)
{
    struct fil_pipeline *pipeline = make(name, kind);
    struct fil_stream_job *job = NULL;
    assert_int_equal(fil_stream_submit(stream, pipeline, options, &job), FIL_OK);
    fil_pipeline_free(pipeline);
    return job;
}

struct names {
    const char *wanted;
    bool is_there;
    uint32_t count;
};

static bool note_name(void *context, const char *name)
{
    struct names *names = context;
    names->is_there = names->is_there || strcmp(name, names->wanted) == 0;
    names->count++;
    return true;
}

static bool has_snapshot(struct fil_stream *stream, const char *name)
{
    struct names names = {.wanted = name};
    assert_int_equal(fil_stream_list_snapshots(stream, note_name, &names), FIL_OK);
    return names.is_there;
}

static void wait_for(struct fil_stream *stream, const char *name)
{
    while (!has_snapshot(stream, name)) {
        (void)sched_yield();
    }
}

static const struct fil_stream_job_options exactly_once = {
    .guarantee = FIL_GUARANTEE_EXACTLY_ONCE, .interval_ms = 5, .parallelism = 2, .weight = 3};

/** A job with a snapshot under the name "kept". */
static struct fil_stream_job *start_first(struct fil_stream *stream)
{
    struct fil_stream_job *job = submit(stream, "first", FIL_AGGREGATION_COUNT, &exactly_once);
    wait_for(stream, "first");
    assert_int_equal(fil_stream_job_export(job, "kept"), FIL_OK);
    wait_for(stream, "kept");
    return job;
}

/** Starts from "kept" with another parallelism: 1 has one vertex less. */
static void check_changed(struct fil_stream *stream)
{
    struct fil_stream_job_options options = exactly_once;
    options.start_from = "kept";
    for (options.parallelism = 1; options.parallelism <= 3; options.parallelism++) {
        options.is_new = true;
        struct fil_stream_job *job = submit(stream, "second", FIL_AGGREGATION_COUNT, &options);
        while (fil_stream_job_state(job) == FIL_STREAM_STARTING) {
            (void)sched_yield();
        }
        assert_int_equal(fil_stream_job_state(job), FIL_STREAM_RUNNING);
        fil_stream_job_release(job);
    }
}

static void check_refused(struct fil_stream *stream)
{
    struct fil_stream_job_options options = exactly_once;
    options.start_from = "kept";
    options.is_new = true;
    struct fil_stream_job *job = submit(stream, "third", FIL_AGGREGATION_MAX, &options);
    assert_int_equal(fil_stream_job_wait(job, -1), FIL_OK);
    assert_int_equal(fil_stream_job_state(job), FIL_STREAM_FAILED);
    const char *text = fil_stream_job_text(job);
    assert_non_null(strstr(text, "vertex 'counts' keeps (100 by 100 of max in"));
    assert_non_null(strstr(text, "the snapshot has (100 by 100 of count in"));
    fil_stream_job_release(job);
}

static void check_all(struct fil_stream *stream)
{
    struct names none = {.wanted = ""};
    assert_int_equal(fil_stream_list_snapshots(stream, note_name, &none), FIL_OK);
    assert_int_equal(none.count, 0);
    struct fil_stream_job *job = start_first(stream);
    check_changed(stream);
    check_refused(stream);
    assert_int_equal(fil_stream_remove_snapshot(stream, "first"), FIL_E_EXISTS);
    assert_int_equal(fil_stream_remove_snapshot(stream, "kept"), FIL_OK);
    assert_int_equal(fil_stream_remove_snapshot(stream, "kept"), FIL_E_NOT_FOUND);
    assert_int_equal(fil_stream_remove_snapshot(stream, "../kept"), FIL_E_INVALID);
    assert_false(has_snapshot(stream, "kept"));
    fil_stream_job_release(job);
    // A job's own snapshot goes with the job.
    assert_int_equal(fil_stream_remove_snapshot(stream, "first"), FIL_E_NOT_FOUND);
    assert_int_equal(fil_stream_list_snapshots(stream, note_name, &none), FIL_OK);
    assert_int_equal(none.count, 0);
}

static void test_snapshots_in_memory(void **state)
{
    (void)state;
    struct fil_stream *stream = NULL;
    const struct fil_stream_options options = {.worker_count = 2};
    assert_int_equal(fil_stream_start(&stream, &options), FIL_OK);
    check_all(stream);
    fil_stream_stop(stream);
}

static void test_snapshots_in_a_folder(void **state)
{
    (void)state;
    char folder[] = "/tmp/filbert-snapshots-XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct fil_stream *stream = NULL;
    const struct fil_stream_options options = {.worker_count = 2, .folder = folder};
    assert_int_equal(fil_stream_start(&stream, &options), FIL_OK);
    check_all(stream);
    fil_stream_stop(stream);
    assert_int_equal(rmdir(folder), 0); // nothing is left
}

static void test_weights_have_a_limit(void **state)
{
    (void)state;
    struct fil_stream *stream = NULL;
    assert_int_equal(fil_stream_start(&stream, NULL), FIL_OK);
    struct fil_pipeline *pipeline = make("heavy", FIL_AGGREGATION_COUNT);
    const struct fil_stream_job_options options = {.weight = FIL_STREAM_WEIGHT_MAX + 1};
    struct fil_stream_job *job = NULL;
    assert_int_equal(fil_stream_submit(stream, pipeline, &options, &job), FIL_E_INVALID);
    assert_non_null(strstr(fil_pipeline_text(pipeline), "a weight of 1001"));
    fil_pipeline_free(pipeline);
    fil_stream_stop(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snapshots_in_memory),
        cmocka_unit_test(test_snapshots_in_a_folder),
        cmocka_unit_test(test_weights_have_a_limit),
    };
    return cmocka_run_group_tests_name("snapshots", tests, NULL, NULL);
}
