// SPDX-License-Identifier: Apache-2.0
/**
 * The life of a job: it completes; suspended and resumed it goes on where it was, however close the
 * requests come; it is only looked after when it has rung or its time has come; after a failure
 * it starts again, but not for ever; a job with another shape starts from an exported snapshot or
 * is refused with the reason; a snapshot that cannot be kept does not harm it; files come out
 * exactly once whatever happens. Crashes at any point: tests/sim/stream_crash_test.c.
 */
#include <stdio.h>

#include "core/stream/files.h"
#include "core/stream/sinks.h"
#include "core/stream/steward.h"
#include "core/stream/transforms.h"
#include "lib/base/alloc.h"
#include "tests/unit/core/stream/job_fixture.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/os/folder.h"

#define LINES      2000U
#define CYCLES_MAX 2000000U

static struct job_fixture fixture;
static struct fil_snapshot_memory memory;
static struct fil_steward steward;
static struct folder folder;
static uint64_t now_ns;
static uint64_t next_ns; // when the steward wants to be called
static bool is_rung;
static uint32_t failures_left;
static char text[FIL_STEWARD_TEXT_MAX];

static int set_up(void **state)
{
    (void)state;
    job_fixture_init(&fixture, 2, 0);
    fil_snapshot_memory_init(&memory);
    folder_make(&folder);
    now_ns = 1;
    next_ns = 0;
    is_rung = false;
    failures_left = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_steward_fini(&steward);
    fil_snapshot_memory_fini(&memory);
    folder_remove(&folder);
    job_fixture_fini(&fixture);
    return 0;
}

static int64_t generate(void *context, uint64_t sequence, void *out_record)
{
    (void)context;
    memcpy(out_record, &sequence, sizeof(sequence));
    return (int64_t)sequence;
}

static size_t format(void *context, const void *record, uint32_t size, char *out_text,
                     size_t capacity)
{
    (void)context;
    assert_int_equal(size, sizeof(uint64_t));
    uint64_t number;
    memcpy(&number, record, sizeof(number));
    return (size_t)snprintf(out_text, capacity, "%llu", (unsigned long long)number);
}

static int parse(void *context, struct fil_bytes line, void *out_record, int64_t *out_time)
{
    (void)context;
    uint64_t number = 0;
    if (line.size == 0) {
        return FIL_E_NOT_FOUND;
    }
    *out_time = 0;
    bool is_number = fil_bytes_to_u64(line, &number);
    memcpy(out_record, &number, sizeof(number));
    return is_number ? FIL_OK : FIL_E_MALFORMED;
}

static const struct fil_generator_config numbers = {.generate = generate, .count = LINES};
static const struct fil_file_sink_config files = {
    .folder = folder.path, .name = "out", .format = format};

static void ring(void *context)
{
    (void)context;
    is_rung = true;
}

/** numbers -> out, with the given source. */
static int begin(const struct fil_processor_ops *ops, const void *config, uint32_t parallelism,
                 const struct fil_steward_options *given)
{
    struct fil_steward_options options = *given;
    const struct fil_edge edge = {.layout = {.stride = 8, .record_count = 16}, .batch_count = 2};
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "numbers", ops, config, parallelism);
    fil_dag_add_vertex(&dag, "out", &fil_file_sink_ops, &files, 2);
    fil_dag_add_edge(&dag, "numbers", "out", &edge);
    options.name = "lines";
    options.workers = &fixture.workers;
    options.on_change = ring;
    next_ns = 0;
    options.store = options.store == NULL ? &memory.base : options.store;
    int error = fil_steward_init(&steward, &dag, &options, text);
    fil_dag_fini(&dag);
    return error;
}

/** The steward is called when it has been told to, or when it wanted to be; as by an engine. */
static void look_after(void)
{
    now_ns += 1000;
    if (is_rung || now_ns >= next_ns) {
        is_rung = false;
        next_ns = fil_steward_cycle(&steward, now_ns);
    }
}

static void work(void)
{
    (void)fil_workers_cycle(&fixture.workers);
    if (steward.job != NULL) {
        (void)fil_job_cycle(steward.job);
    }
}

/** Runs until the steward is in the state; false when that takes too long. */
static bool run_until(enum fil_steward_state wanted)
{
    for (uint32_t i = 0; i < CYCLES_MAX; i++) {
        look_after();
        if (fil_steward_state(&steward) == wanted) {
            return true;
        }
        work();
    }
    return false;
}

static void run_some(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        look_after();
        work();
    }
}

/** Until a snapshot has been begun, of which nothing is saved yet. */
static void run_until_saving(void)
{
    while (steward.phase != FIL_STEWARD_SAVING) {
        work();
        look_after();
    }
}

/** Counts the lines of a file into `seen`. */
static uint32_t count_lines(const char *path, uint8_t *seen)
{
    char *content = NULL;
    size_t size = 0;
    struct fil_env *env = fil_env_real();
    if (env->ops->file_read(env, path, 1U << 20, &content, &size) != FIL_OK) {
        return 0;
    }
    uint32_t count = 0;
    for (struct fil_bytes rest = fil_bytes_make(content, size); rest.size != 0;) {
        size_t end = fil_bytes_find(rest, '\n');
        uint64_t number = LINES;
        assert_true(fil_bytes_to_u64(fil_bytes_make(rest.data, end), &number));
        assert_true(number < LINES && end < rest.size);
        seen[number]++;
        count++;
        rest = fil_bytes_make(rest.data + end + 1, rest.size - end - 1);
    }
    fil_free(content);
    return count;
}

/** Whether the published files have every number exactly once. */
static bool is_complete(void)
{
    uint8_t seen[LINES] = {0};
    uint32_t count = 0;
    for (uint32_t instance = 0; instance < 2; instance++) {
        for (uint32_t epoch = 1; epoch < 3000; epoch++) {
            char name[64];
            (void)snprintf(name, sizeof(name), "out-%u-%u", instance, epoch);
            count += count_lines(folder_path(&folder, name), seen);
        }
    }
    bool is_once = count == LINES;
    for (uint32_t i = 0; i < LINES; i++) {
        is_once = is_once && seen[i] == 1;
    }
    return is_once;
}

static const struct fil_steward_options exactly_once = {.guarantee = FIL_GUARANTEE_EXACTLY_ONCE,
                                                        .interval_ns = 20000};

static void test_job_without_snapshots_asks_for_no_time(void **state)
{
    (void)state;
    const struct fil_steward_options options = {.guarantee = FIL_GUARANTEE_NONE, .interval_ns = 1};
    assert_int_equal(begin(&fil_generator_ops, &numbers, 1, &options), FIL_OK);
    assert_true(run_until(FIL_STEWARD_RUNNING));
    // The time of a first snapshot has passed long since: it is not what the job waits for.
    assert_true(fil_steward_cycle(&steward, now_ns + 1000) == FIL_TASKLET_NEVER);
    assert_true(run_until(FIL_STEWARD_COMPLETED));
}

static void test_job_completes_with_everything_published(void **state)
{
    (void)state;
    assert_int_equal(begin(&fil_generator_ops, &numbers, 2, &exactly_once), FIL_OK);
    assert_true(run_until(FIL_STEWARD_COMPLETED));
    assert_true(fil_counter_read(&steward.stats.snapshot_count) >= 1);
    assert_true(is_complete());
    assert_true(fil_list_is_empty(&memory.items)); // the same name begins anew
}

static void test_job_without_guarantee_publishes_at_its_end(void **state)
{
    (void)state;
    const struct fil_steward_options none = {0};
    assert_int_equal(begin(&fil_generator_ops, &numbers, 1, &none), FIL_OK);
    assert_true(run_until(FIL_STEWARD_COMPLETED));
    assert_int_equal(fil_counter_read(&steward.stats.snapshot_count), 0);
    assert_true(is_complete());
}

static void test_suspended_job_goes_on_where_it_was(void **state)
{
    (void)state;
    assert_int_equal(begin(&fil_generator_ops, &numbers, 2, &exactly_once), FIL_OK);
    run_some(10);
    fil_steward_ask(&steward, FIL_STEWARD_SUSPEND);
    assert_true(run_until(FIL_STEWARD_SUSPENDED));
    assert_null(steward.job);
    assert_false(is_complete());
    fil_steward_ask(&steward, FIL_STEWARD_RESUME);
    run_some(5);
    fil_steward_ask(&steward, FIL_STEWARD_RESTART);
    assert_true(run_until(FIL_STEWARD_COMPLETED));
    assert_true(is_complete());
}

static void test_job_is_suspended_before_it_has_begun(void **state)
{
    (void)state;
    assert_int_equal(begin(&fil_generator_ops, &numbers, 2, &exactly_once), FIL_OK);
    fil_steward_ask(&steward, FIL_STEWARD_SUSPEND);
    assert_true(run_until(FIL_STEWARD_SUSPENDED));
    fil_steward_ask(&steward, FIL_STEWARD_RESUME);
    assert_true(run_until(FIL_STEWARD_COMPLETED));
    struct fil_job_vertex_stats stats;
    fil_steward_vertex_stats(&steward, 0, &stats);
    assert_int_equal(stats.sent_count, LINES); // figures outlive the execution
    assert_true(is_complete());
}

static void test_suspension_during_a_snapshot_makes_one_of_its_own(void **state)
{
    (void)state;
    const struct fil_generator_config endless = {.generate = generate};
    assert_int_equal(begin(&fil_generator_ops, &endless, 2, &exactly_once), FIL_OK);
    run_until_saving();
    uint64_t before = fil_counter_read(&steward.stats.snapshot_count);
    fil_steward_ask(&steward, FIL_STEWARD_SUSPEND);
    assert_true(run_until(FIL_STEWARD_SUSPENDED));
    // The one under way was followed by records, which would be done twice if it were the last.
    assert_int_equal(fil_counter_read(&steward.stats.snapshot_count), before + 2);
}

static void test_resumed_job_is_not_suspended_any_more(void **state)
{
    (void)state;
    assert_int_equal(begin(&fil_generator_ops, &numbers, 2, &exactly_once), FIL_OK);
    run_some(5);
    fil_steward_ask(&steward, FIL_STEWARD_SUSPEND);
    assert_true(run_until(FIL_STEWARD_SUSPENDED));
    fil_steward_ask(&steward, FIL_STEWARD_SUSPEND); // changes nothing, and is withdrawn
    fil_steward_ask(&steward, FIL_STEWARD_RESUME);
    assert_false(fil_steward_is_over(&steward));
    fil_steward_ask(&steward, FIL_STEWARD_SUSPEND);
    assert_false(fil_steward_is_over(&steward));
    assert_true(run_until(FIL_STEWARD_SUSPENDED));
    fil_steward_ask(&steward, FIL_STEWARD_RESUME);
    assert_true(run_until(FIL_STEWARD_COMPLETED));
    assert_true(is_complete());
}

static void test_job_is_resumed_while_it_is_being_suspended(void **state)
{
    (void)state;
    assert_int_equal(begin(&fil_generator_ops, &numbers, 2, &exactly_once), FIL_OK);
    run_some(5);
    fil_steward_ask(&steward, FIL_STEWARD_SUSPEND);
    while (steward.pending != FIL_STEWARD_SUSPEND) {
        work();
        look_after();
    }
    fil_steward_ask(&steward, FIL_STEWARD_RESUME);
    look_after(); // hears the bell, but has to end the suspension first
    assert_true(run_until(FIL_STEWARD_COMPLETED));
    assert_true(is_complete());
}

static void test_cancelled_job_is_gone(void **state)
{
    (void)state;
    const struct fil_generator_config endless = {.generate = generate};
    assert_int_equal(begin(&fil_generator_ops, &endless, 2, &exactly_once), FIL_OK);
    run_some(40);
    fil_steward_ask(&steward, FIL_STEWARD_CANCEL);
    assert_true(run_until(FIL_STEWARD_CANCELLED));
    assert_true(fil_list_is_empty(&memory.items));
}

static void test_cancellation_is_not_replaced_by_a_later_request(void **state)
{
    (void)state;
    const struct fil_generator_config endless = {.generate = generate};
    assert_int_equal(begin(&fil_generator_ops, &endless, 2, &exactly_once), FIL_OK);
    run_some(40);
    fil_steward_ask(&steward, FIL_STEWARD_CANCEL);
    fil_steward_ask(&steward, FIL_STEWARD_SUSPEND);
    fil_steward_ask(&steward, FIL_STEWARD_RESUME);
    assert_true(run_until(FIL_STEWARD_CANCELLED));
}

static int fail_to_save(void *self, struct fil_processor_context *context,
                        struct fil_state_writer *writer)
{
    if (failures_left > 0) {
        failures_left--;
        return FIL_E_IO;
    }
    return fil_generator_ops.save(self, context, writer);
}

static void test_job_that_fails_in_a_snapshot_starts_again(void **state)
{
    (void)state;
    static struct fil_processor_ops flaky_ops;
    flaky_ops = fil_generator_ops;
    flaky_ops.save = fail_to_save;
    struct fil_steward_options options = exactly_once;
    options.restart_max = 2;
    options.restart_delay_ns = 100000;
    failures_left = 1;
    assert_int_equal(begin(&flaky_ops, &numbers, 1, &options), FIL_OK);
    assert_true(run_until(FIL_STEWARD_COMPLETED));
    assert_int_equal(fil_counter_read(&steward.stats.restart_count), 1);
    assert_true(is_complete());
}

static int fail_sometimes(void *self, struct fil_processor_context *context)
{
    if (failures_left > 0 && context->epoch > 1) {
        failures_left--;
        return FIL_E_IO;
    }
    return fil_generator_ops.complete(self, context);
}

static void test_failing_job_starts_again_but_not_for_ever(void **state)
{
    (void)state;
    static struct fil_processor_ops flaky_ops;
    flaky_ops = fil_generator_ops;
    flaky_ops.complete = fail_sometimes;
    struct fil_steward_options options = exactly_once;
    options.restart_max = 5;
    options.restart_delay_ns = 1000;
    failures_left = 3;
    assert_int_equal(begin(&flaky_ops, &numbers, 1, &options), FIL_OK);
    assert_true(run_until(FIL_STEWARD_COMPLETED));
    assert_int_equal(fil_counter_read(&steward.stats.restart_count), 3);
    assert_true(is_complete());
    fil_steward_fini(&steward);
    failures_left = 1000;
    assert_int_equal(begin(&flaky_ops, &numbers, 1, &options), FIL_OK);
    assert_true(run_until(FIL_STEWARD_FAILED));
    assert_int_equal(steward.error, FIL_E_IO);
    assert_string_equal(steward.text, "job 'lines' failed in vertex 'numbers': input or output "
                                      "failed: see the member's log");
}

static void test_exported_snapshot_starts_another_parallelism(void **state)
{
    (void)state;
    const struct fil_generator_config sharded = {
        .generate = generate, .count = LINES, .shard_count = 4};
    assert_int_equal(begin(&fil_generator_ops, &sharded, 1, &exactly_once), FIL_OK);
    run_some(10);
    assert_int_equal(fil_steward_export(&steward, "no/name"), FIL_E_INVALID);
    fil_steward_ask(&steward, FIL_STEWARD_SUSPEND);
    assert_true(run_until(FIL_STEWARD_SUSPENDED));
    assert_int_equal(fil_steward_export(&steward, "kept"), FIL_OK);
    run_some(1);
    fil_steward_fini(&steward);
    struct fil_steward_options options = exactly_once;
    options.start_from = "kept";
    assert_int_equal(begin(&fil_generator_ops, &sharded, 3, &options), FIL_OK);
    assert_true(run_until(FIL_STEWARD_COMPLETED));
    assert_true(is_complete());
}

static void test_snapshot_of_another_job_is_refused_with_the_reason(void **state)
{
    (void)state;
    assert_int_equal(begin(&fil_generator_ops, &numbers, 1, &exactly_once), FIL_OK);
    run_some(10);
    fil_steward_ask(&steward, FIL_STEWARD_SUSPEND);
    assert_true(run_until(FIL_STEWARD_SUSPENDED));
    fil_steward_fini(&steward);
    const uint64_t list[4] = {1, 2, 3, 4};
    const struct fil_list_source_config config = {.records = list, .count = 4};
    assert_int_equal(begin(&fil_list_source_ops, &config, 1, &exactly_once), FIL_OK);
    assert_true(run_until(FIL_STEWARD_FAILED));
    assert_string_equal(steward.text,
                        "job 'lines' cannot start from its snapshot: vertex 'numbers' is a list "
                        "source, the snapshot has state of a generator");
    fil_steward_fini(&steward);
    struct fil_steward_options options = exactly_once;
    options.start_from = "nothing";
    assert_int_equal(begin(&fil_generator_ops, &numbers, 1, &options), FIL_OK);
    assert_true(run_until(FIL_STEWARD_FAILED));
    assert_int_equal(steward.error, FIL_E_NOT_FOUND);
}

static int refuse(struct fil_snapshot_store *store, const char *name, struct fil_snapshot *snapshot)
{
    (void)store;
    (void)name;
    (void)snapshot;
    if (failures_left == 0) {
        return memory.base.ops->write(&memory.base, name, snapshot);
    }
    failures_left--;
    return FIL_E_IO;
}

static void test_snapshot_that_cannot_be_kept_does_not_harm_the_job(void **state)
{
    (void)state;
    static struct fil_snapshot_store_ops ops;
    ops = *memory.base.ops;
    ops.write = refuse;
    // Everything but the write goes to the memory around it.
    struct fil_snapshot_memory flaky = memory;
    fil_list_init(&flaky.items);
    flaky.base.ops = &ops;
    failures_left = 3;
    struct fil_steward_options options = exactly_once;
    options.store = &flaky.base;
    assert_int_equal(begin(&fil_generator_ops, &numbers, 2, &options), FIL_OK);
    assert_true(run_until(FIL_STEWARD_COMPLETED));
    assert_int_equal(fil_counter_read(&steward.stats.failed_snapshot_count), 3);
    assert_true(is_complete());
}

static void test_lines_of_files_are_read_from_where_they_were(void **state)
{
    (void)state;
    static char first[LINES * 6];
    static char second[LINES * 6];
    size_t sizes[2] = {0, 0};
    for (uint32_t i = 0; i < LINES; i++) {
        char *to = i % 3 == 0 ? first + sizes[0] : second + sizes[1];
        const char *end = i % 7 == 0 ? "\r\n\n" : "\n";
        int size = snprintf(to, 10, "%u%s", i, end);
        sizes[i % 3 != 0] += (size_t)size;
    }
    second[sizes[1] - 1] = '\0'; // the last line has no end
    folder_write(&folder, "first", first);
    folder_write(&folder, "second", second);
    char paths[2][FOLDER_PATH_MAX + 16];
    (void)snprintf(paths[0], sizeof(paths[0]), "%s/first", folder.path);
    (void)snprintf(paths[1], sizeof(paths[1]), "%s/second", folder.path);
    const char *const names[] = {paths[0], paths[1]};
    const struct fil_file_source_config config = {.paths = names, .path_count = 2, .parse = parse};
    assert_int_equal(begin(&fil_file_source_ops, &config, 2, &exactly_once), FIL_OK);
    run_some(6);
    fil_steward_ask(&steward, FIL_STEWARD_SUSPEND);
    assert_true(run_until(FIL_STEWARD_SUSPENDED));
    fil_steward_fini(&steward);
    // Goes on with one instance for both files.
    assert_int_equal(begin(&fil_file_source_ops, &config, 1, &exactly_once), FIL_OK);
    assert_true(run_until(FIL_STEWARD_COMPLETED));
    assert_true(is_complete());
}

static void test_wrong_options_are_told(void **state)
{
    (void)state;
    struct fil_dag dag;
    fil_dag_init(&dag);
    struct fil_steward_options options = {.name = "a b", .workers = &fixture.workers};
    assert_int_equal(fil_steward_init(&steward, &dag, &options, text), FIL_E_INVALID);
    assert_string_equal(text, "a job needs a name of 1 to 63 letters, digits, '.', '-' and '_'");
    options.name = "ab";
    options.guarantee = FIL_GUARANTEE_EXACTLY_ONCE;
    assert_int_equal(fil_steward_init(&steward, &dag, &options, text), FIL_E_INVALID);
    assert_string_equal(text, "job 'ab' wants snapshots, but there is no place to keep them");
    options.guarantee = FIL_GUARANTEE_NONE;
    assert_int_equal(fil_steward_init(&steward, &dag, &options, text), FIL_E_INVALID);
    assert_string_equal(text, "the graph has no vertices");
    fil_dag_fini(&dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_job_without_snapshots_asks_for_no_time, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_job_completes_with_everything_published, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_job_without_guarantee_publishes_at_its_end, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_suspended_job_goes_on_where_it_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_job_is_suspended_before_it_has_begun, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_suspension_during_a_snapshot_makes_one_of_its_own,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_resumed_job_is_not_suspended_any_more, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_job_is_resumed_while_it_is_being_suspended, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_job_that_fails_in_a_snapshot_starts_again, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_cancelled_job_is_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cancellation_is_not_replaced_by_a_later_request,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failing_job_starts_again_but_not_for_ever, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_exported_snapshot_starts_another_parallelism, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_snapshot_of_another_job_is_refused_with_the_reason,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_snapshot_that_cannot_be_kept_does_not_harm_the_job,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lines_of_files_are_read_from_where_they_were, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_options_are_told, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("steward", tests, NULL, NULL);
}
