// SPDX-License-Identifier: Apache-2.0
/**
 * The log, driven by its cycle without a thread: nothing is evaluated below the level; events come
 * out as lines with the role of their thread, merged by time; what does not fit is dropped, counted
 * and told; repeats are collapsed; a descriptor that blocks delays and one that fails loses with a
 * count; the last words of a process are written.
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/log/log.h"
#include "lib/log/log_internal.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/log/capture.h"

static struct capture output;
static struct fil_log *tested;

static struct fil_log_options options(void)
{
    return (struct fil_log_options){
        .env = &output.env,
        .fd = CAPTURE_FD,
        .level = FIL_LOG_INFO,
        .ring_bytes = FIL_LOG_RING_BYTES_MIN,
    };
}

static int set_up(void **state)
{
    (void)state;
    capture_init(&output);
    struct fil_log_options chosen = options();
    tested = fil_log_new(&chosen);
    return tested == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    fil_log_detach(tested);
    fil_role_leave_all();
    fil_log_free(tested);
    return 0;
}

static void run_dry(void)
{
    while (fil_log_cycle(tested) > 0) {
    }
}

static struct fil_log_stats read_stats(void)
{
    struct fil_log_stats stats;
    fil_log_read_stats(tested, &stats);
    return stats;
}

static uint32_t evaluated;

static uint64_t evaluate(void)
{
    evaluated++;
    return evaluated;
}

static void test_below_the_level_nothing_is_evaluated(void **state)
{
    (void)state;
    evaluated = 0;
    fil_log_event(tested, FIL_LOG_DEBUG, "quiet", FIL_F_U64("n", evaluate()));
    fil_log_event((struct fil_log *)NULL, FIL_LOG_ERROR, "nowhere", FIL_F_U64("n", evaluate()));
    assert_int_equal(evaluated, 0);
    fil_log_event(tested, FIL_LOG_INFO, "loud", FIL_F_U64("n", evaluate()));
    assert_int_equal(evaluated, 1);
    assert_int_equal(fil_log_cycle(tested), 1);
    assert_string_equal(output.text,
                        "ts=2031-05-04T12:30:01.042Z level=info role=app event=loud n=1\n");
}

static void test_level_changes_at_once(void **state)
{
    (void)state;
    fil_log_set_level(tested, FIL_LOG_ERROR);
    assert_int_equal(fil_log_get_level(tested), FIL_LOG_ERROR);
    assert_false(fil_log_is_on(tested, FIL_LOG_WARN));
    assert_true(fil_log_is_on(tested, FIL_LOG_ERROR));
    fil_log_set_level(tested, FIL_LOG_DEBUG);
    fil_log_event(tested, FIL_LOG_DEBUG, "detail");
    run_dry();
    assert_int_equal(capture_count(&output, "level=debug role=app event=detail\n"), 1);
}

static void test_attached_thread_has_its_name_others_their_role(void **state)
{
    (void)state;
    fil_log_event(tested, FIL_LOG_INFO, "one");
    fil_role_enter(&fil_role_main);
    fil_log_event(tested, FIL_LOG_INFO, "two");
    assert_int_equal(fil_log_attach(tested, "io/0"), FIL_OK);
    fil_log_event(tested, FIL_LOG_INFO, "three");
    fil_log_detach(tested);
    fil_log_event(tested, FIL_LOG_INFO, "four");
    run_dry();
    assert_int_equal(capture_count(&output, "role=app event=one\n"), 1);
    assert_int_equal(capture_count(&output, "role=main event=two\n"), 1);
    assert_int_equal(capture_count(&output, "role=io/0 event=three\n"), 1);
    assert_int_equal(capture_count(&output, "role=main event=four\n"), 1);
}

static void test_thread_has_one_ring_at_most(void **state)
{
    (void)state;
    assert_int_equal(fil_log_attach(tested, "io/0"), FIL_OK);
    assert_int_equal(fil_log_attach(tested, "io/1"), FIL_E_EXISTS);
    fil_log_detach(tested);
    fil_log_detach(tested);
    assert_int_equal(fil_log_attach(tested, "a/name/that/is/too/long/for/a/ring"), FIL_OK);
    fil_log_event(tested, FIL_LOG_INFO, "cut");
    run_dry();
    assert_int_equal(capture_count(&output, "role=a/name/that/is/too/long event=cut\n"), 1);
}

static void test_thread_of_another_log_uses_the_shared_ring(void **state)
{
    (void)state;
    struct fil_log_options chosen = options();
    struct fil_log *other = fil_log_new(&chosen);
    assert_non_null(other);
    assert_int_equal(fil_log_attach(other, "io/0"), FIL_OK);
    fil_log_event(tested, FIL_LOG_INFO, "here");
    run_dry();
    assert_int_equal(capture_count(&output, "role=app event=here\n"), 1);
    assert_int_equal(fil_log_cycle(other), 0);
    fil_log_detach(other);
    fil_log_free(other);
}

static void test_left_ring_is_taken_over(void **state)
{
    (void)state;
    // More threads than there are rings, one after the other.
    for (uint32_t i = 0; i < 2 * FIL_LOG_RINGS_MAX; i++) {
        assert_int_equal(fil_log_attach(tested, "io/0"), FIL_OK);
        fil_log_event(tested, FIL_LOG_INFO, "here", FIL_F_U64("i", i));
        fil_log_detach(tested);
        assert_int_equal(fil_log_cycle(tested), 1);
    }
    assert_int_equal(capture_count(&output, "event=here"), 2 * FIL_LOG_RINGS_MAX);
}

static void test_too_many_threads_are_refused(void **state)
{
    (void)state;
    // Nobody writes, so no ring that is left becomes free. One is the shared one.
    for (uint32_t i = 1; i < FIL_LOG_RINGS_MAX; i++) {
        assert_int_equal(fil_log_attach(tested, "io/0"), FIL_OK);
        fil_log_detach(tested);
    }
    assert_int_equal(fil_log_attach(tested, "io/0"), FIL_E_LIMIT);
    fil_log_event(tested, FIL_LOG_INFO, "still_there");
    run_dry();
    assert_int_equal(capture_count(&output, "role=app event=still_there\n"), 1);
    assert_int_equal(fil_log_attach(tested, "io/0"), FIL_OK);
}

static void test_rings_are_merged_by_time(void **state)
{
    (void)state;
    assert_int_equal(fil_log_attach(tested, "io/0"), FIL_OK);
    output.wall_ns += 1000000;
    fil_log_event(tested, FIL_LOG_INFO, "second");
    output.wall_ns += 2000000;
    fil_log_event(tested, FIL_LOG_INFO, "fourth");
    fil_log_detach(tested);
    output.wall_ns -= 3000000;
    fil_log_event(tested, FIL_LOG_INFO, "first");
    output.wall_ns += 2000000;
    fil_log_event(tested, FIL_LOG_INFO, "third");
    run_dry();
    assert_string_equal(output.text,
                        "ts=2031-05-04T12:30:01.042Z level=info role=app event=first\n"
                        "ts=2031-05-04T12:30:01.043Z level=info role=io/0 event=second\n"
                        "ts=2031-05-04T12:30:01.044Z level=info role=app event=third\n"
                        "ts=2031-05-04T12:30:01.045Z level=info role=io/0 event=fourth\n");
}

/** Logs until a ring has dropped so many; returns the number of calls. */
static uint32_t overflow(uint64_t dropped)
{
    uint64_t before = read_stats().dropped_count;
    uint32_t calls = 0;
    while (read_stats().dropped_count < before + dropped) {
        fil_log_event(tested, FIL_LOG_INFO, "flood", FIL_F_U64("i", calls));
        calls++;
    }
    return calls;
}

static void test_full_ring_drops_counts_and_tells(void **state)
{
    (void)state;
    assert_int_equal(fil_log_attach(tested, "io/3"), FIL_OK);
    uint32_t calls = overflow(5);
    run_dry();
    assert_int_equal(capture_count(&output, "event=flood"), calls - 5);
    assert_int_equal(capture_count(&output, "level=warn role=io/3 event=log_dropped count=5\n"), 1);

    // More drops within the second are told when it is over.
    capture_clear(&output);
    (void)overflow(2);
    run_dry();
    assert_int_equal(capture_count(&output, "log_dropped"), 0);
    uint64_t next_ns = fil_log_next_ns(tested);
    assert_int_equal(next_ns, output.now_ns + UINT64_C(1000000000));
    output.now_ns = next_ns;
    assert_int_equal(fil_log_cycle(tested), 1);
    assert_int_equal(capture_count(&output, "role=io/3 event=log_dropped count=2\n"), 1);
    assert_true(fil_log_next_ns(tested) == UINT64_MAX);
    assert_int_equal(read_stats().dropped_count, 7);
}

static void test_cycle_is_bounded(void **state)
{
    (void)state;
    struct fil_log_options chosen = options();
    chosen.ring_bytes = FIL_LOG_RING_BYTES_MAX;
    struct fil_log *large = fil_log_new(&chosen);
    assert_non_null(large);
    for (int i = 0; i < 10000; i++) {
        fil_log_event(large, FIL_LOG_INFO, "many");
    }
    uint32_t moved = fil_log_cycle(large);
    assert_true(moved > 0 && moved <= 1000);
    fil_log_free(large);
    assert_int_equal(capture_count(&output, "event=many"), 10000);
}

static void fail_once(int error)
{
    fil_log_event(tested, FIL_LOG_ERROR, "accept_failed", FIL_F_ERROR(error), FIL_F_U64("fd", 7));
}

static void test_repeats_become_one_summary(void **state)
{
    (void)state;
    for (int i = 0; i < 42; i++) {
        fail_once(FIL_E_SYSTEM);
    }
    fail_once(FIL_E_NOMEM);
    run_dry();
    assert_int_equal(capture_count(&output, "event=accept_failed error=SYSTEM"), 1);
    assert_int_equal(capture_count(&output, "event=accept_failed error=NOMEM"), 1);
    assert_int_equal(read_stats().repeat_count, 41);

    assert_int_equal(fil_log_next_ns(tested), output.now_ns + FIL_LOG_REPEAT_WINDOW_NS);
    output.now_ns = fil_log_next_ns(tested);
    assert_int_equal(fil_log_cycle(tested), 1);
    assert_int_equal(capture_count(&output, "level=error role=app event=accept_failed repeated=41 "
                                            "within_ms=5000 error=SYSTEM error_text="),
                     1);
    assert_int_equal(fil_log_cycle(tested), 0);
}

static void test_summary_has_the_fields_of_the_last_one(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 5; i++) {
        fil_log_event(tested, FIL_LOG_WARN, "slow_reader", FIL_F_U64("turn", i),
                      FIL_F_TEXT("name", "a b"), FIL_F_ERROR(FIL_E_SYSTEM));
    }
    run_dry();
    output.now_ns = fil_log_next_ns(tested);
    run_dry();
    assert_int_equal(capture_count(&output, "event=slow_reader repeated=4 within_ms=5000 "
                                            "error=SYSTEM error_text="),
                     1);
    assert_int_equal(capture_count(&output, " turn=4 name=\"a b\"\n"), 1);
}

static void test_summary_of_the_longest_line_keeps_what_fits(void **state)
{
    (void)state;
    static char text[FIL_LOG_TEXT_MAX + 2];
    memset(text, 'z', sizeof(text) - 1);
    for (int i = 0; i < 2; i++) {
        fil_log_event(tested, FIL_LOG_WARN, "long_line", FIL_F_TEXT("first", text),
                      FIL_F_TEXT("second", text), FIL_F_ERROR(FIL_E_SYSTEM));
    }
    run_dry();
    output.now_ns = fil_log_next_ns(tested);
    run_dry();
    assert_int_equal(capture_count(&output, "repeated=1 within_ms=5000 error=SYSTEM"), 1);
    assert_int_equal(capture_count(&output, " first="), 2);
    assert_int_equal(capture_count(&output, "zzz...\n"), 1);
    assert_int_equal(capture_count(&output, " second="), 1);
}

static void fail_apart(uint64_t which)
{
    fil_log_event(tested, FIL_LOG_WARN, "one_of_many", FIL_F_APART(FIL_F_U64("which", which)));
    run_dry();
}

static void test_repeats_are_told_when_their_entry_is_needed(void **state)
{
    (void)state;
    fail_apart(0);
    fail_apart(0);
    for (uint32_t i = 1; i < FIL_LOG_DISTINCT_MAX; i++) {
        fail_apart(i);
    }
    assert_int_equal(capture_count(&output, "repeated"), 0);
    fail_apart(FIL_LOG_DISTINCT_MAX);
    assert_int_equal(
        capture_count(&output, "event=one_of_many repeated=1 within_ms=5000 which=0\n"), 1);
    assert_int_equal(capture_count(&output, "event=one_of_many which="), FIL_LOG_DISTINCT_MAX + 1);
}

static void test_informations_are_never_collapsed(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        fil_log_event(tested, FIL_LOG_INFO, "connected", FIL_F_I64("i", i));
    }
    run_dry();
    assert_int_equal(capture_count(&output, "event=connected"), 5);
}

static void test_repeats_can_be_kept(void **state)
{
    (void)state;
    struct fil_log_options chosen = options();
    chosen.keeps_repeats = true;
    struct fil_log *keeping = fil_log_new(&chosen);
    assert_non_null(keeping);
    for (int i = 0; i < 5; i++) {
        fil_log_event(keeping, FIL_LOG_ERROR, "again");
    }
    fil_log_free(keeping);
    assert_int_equal(capture_count(&output, "event=again\n"), 5);
    assert_int_equal(capture_count(&output, "repeated"), 0);
}

static void count_one(void *context, const struct fil_log_distinct *entry)
{
    uint64_t *sum = context;
    sum[0]++;
    sum[1] += entry->count;
}

static void test_distinct_events_are_readable(void **state)
{
    (void)state;
    fail_once(FIL_E_SYSTEM);
    fail_once(FIL_E_SYSTEM);
    fail_once(FIL_E_NOMEM);
    fil_log_event(tested, FIL_LOG_INFO, "not_worth_it");
    run_dry();
    uint64_t sums[2] = {0, 0};
    fil_log_distinct(tested, count_one, sums);
    assert_int_equal(sums[0], 2);
    assert_int_equal(sums[1], 3);
}

static void test_end_of_the_log_tells_everything(void **state)
{
    (void)state;
    struct fil_log_options chosen = options();
    struct fil_log *ending = fil_log_new(&chosen);
    assert_non_null(ending);
    fil_log_event(ending, FIL_LOG_INFO, "last");
    for (int i = 0; i < 3; i++) {
        fil_log_event(ending, FIL_LOG_WARN, "again");
    }
    fil_log_free(ending);
    assert_int_equal(capture_count(&output, "event=last\n"), 1);
    assert_int_equal(capture_count(&output, "event=again\n"), 1);
    assert_int_equal(capture_count(&output, "event=again repeated=2"), 1);
}

static void test_slow_descriptor_gets_every_byte_in_order(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        fil_log_event(tested, FIL_LOG_INFO, "piece", FIL_F_I64("i", i));
    }
    output.piece_max = 7;
    run_dry();
    assert_int_equal(capture_count(&output, "\n"), 20);
    const char *at = output.text;
    for (int i = 0; i < 20; i++) {
        char expected[96];
        int size =
            snprintf(expected, sizeof(expected),
                     "ts=2031-05-04T12:30:01.042Z level=info role=app event=piece i=%d\n", i);
        assert_memory_equal(at, expected, (size_t)size);
        at += size;
    }
    assert_int_equal(read_stats().byte_count, output.size);
    assert_int_equal(read_stats().line_count, 20);
}

static void test_blocked_descriptor_delays_but_loses_nothing(void **state)
{
    (void)state;
    output.error = FIL_E_AGAIN;
    fil_log_event(tested, FIL_LOG_INFO, "one");
    assert_int_equal(fil_log_cycle(tested), 1); // formatted, not yet taken
    fil_log_event(tested, FIL_LOG_INFO, "two");
    assert_int_equal(fil_log_cycle(tested), 0); // stays in its ring
    assert_int_equal(output.size, 0);
    output.error = FIL_OK;
    run_dry();
    assert_int_equal(capture_count(&output, "event=one\n"), 1);
    assert_int_equal(capture_count(&output, "event=two\n"), 1);
    assert_int_equal(read_stats().lost_count, 0);
}

static void test_failing_descriptor_loses_with_a_count(void **state)
{
    (void)state;
    output.error = FIL_E_IO;
    fil_log_event(tested, FIL_LOG_INFO, "one");
    fil_log_event(tested, FIL_LOG_INFO, "two");
    run_dry();
    assert_int_equal(read_stats().lost_count, 2);
    output.error = FIL_OK;
    fil_log_event(tested, FIL_LOG_INFO, "three");
    run_dry();
    assert_int_equal(output.size, strlen("ts=2031-05-04T12:30:01.042Z level=info role=app "
                                         "event=three\n"));
}

static void test_lines_that_are_still_blocked_at_the_end_count_as_lost(void **state)
{
    (void)state;
    output.error = FIL_E_AGAIN;
    fil_log_event(tested, FIL_LOG_INFO, "one");
    fil_log__finish(tested);
    assert_int_equal(read_stats().lost_count, 1);
    output.error = FIL_OK;
    run_dry();
    assert_int_equal(output.size, 0);
}

static void test_nothing_to_do_writes_nothing(void **state)
{
    (void)state;
    assert_int_equal(fil_log_cycle(tested), 0);
    assert_int_equal(output.write_count, 0);
    assert_true(fil_log_next_ns(tested) == UINT64_MAX);
}

static void test_flush_now_writes_what_is_there(void **state)
{
    (void)state;
    fil_log_event(tested, FIL_LOG_INFO, "one");
    for (int i = 0; i < 3; i++) {
        fail_once(FIL_E_IO);
    }
    fil_log_flush_now(tested);
    assert_int_equal(capture_count(&output, "event=one\n"), 1);
    assert_int_equal(capture_count(&output, "repeated=2"), 1);
}

/** In a process of its own: logs to the descriptor and breaks an invariant. */
static void die(int fd)
{
    struct fil_log_options chosen = options();
    chosen.env = fil_env_real();
    chosen.fd = fd;
    struct fil_log *dying = fil_log_new(&chosen);
    if (dying == NULL || freopen("/dev/null", "w", stderr) == NULL) {
        _exit(1);
    }
    fil_log_set_default(dying);
    fil_log_event(dying, FIL_LOG_INFO, "before");
    fil_assert(fd < 0);
    _exit(1);
}

static void test_failed_assertion_leaves_its_words_in_the_log(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        die(ends[1]);
    }
    assert_int_equal(close(ends[1]), 0);
    while (output.size < CAPTURE_BYTES - 1) {
        ssize_t size = read(ends[0], output.text + output.size, CAPTURE_BYTES - 1 - output.size);
        if (size <= 0) {
            break;
        }
        output.size += (size_t)size;
    }
    output.text[output.size] = '\0';
    assert_int_equal(close(ends[0]), 0);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(capture_count(&output, "event=before\n"), 1);
    assert_int_equal(
        capture_count(&output, "event=assertion_failed text=\"assertion failed: fd < 0"), 1);
}

static void test_memory_may_be_out_at_every_step(void **state)
{
    (void)state;
    struct fil_log_options chosen = options();
    struct fil_log *log = NULL;
    int64_t failing = 0;
    for (; log == NULL; failing++) {
        fil_alloc_fail_after(failing);
        log = fil_log_new(&chosen);
    }
    assert_true(failing > 3);

    int result = FIL_E_NOMEM;
    for (failing = 0; result == FIL_E_NOMEM; failing++) {
        fil_alloc_fail_after(failing);
        result = fil_log_attach(log, "io/0");
    }
    fil_alloc_fail_after(-1);
    assert_int_equal(result, FIL_OK);
    assert_int_equal(failing, 3);
    fil_log_detach(log);
    fil_log_free(log);
    fil_log_free(NULL);
}

static void test_steady_state_allocates_nothing(void **state)
{
    (void)state;
    assert_int_equal(fil_log_attach(tested, "io/0"), FIL_OK);
    uint64_t before = fil_alloc_count();
    for (int i = 0; i < 1000; i++) {
        fil_log_event(tested, FIL_LOG_WARN, "steady", FIL_F_TEXT("text", "some words"));
        run_dry();
    }
    assert_int_equal(fil_alloc_count(), before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_below_the_level_nothing_is_evaluated),
        TEST(test_level_changes_at_once),
        TEST(test_attached_thread_has_its_name_others_their_role),
        TEST(test_thread_has_one_ring_at_most),
        TEST(test_thread_of_another_log_uses_the_shared_ring),
        TEST(test_left_ring_is_taken_over),
        TEST(test_too_many_threads_are_refused),
        TEST(test_rings_are_merged_by_time),
        TEST(test_full_ring_drops_counts_and_tells),
        TEST(test_cycle_is_bounded),
        TEST(test_repeats_become_one_summary),
        TEST(test_summary_has_the_fields_of_the_last_one),
        TEST(test_summary_of_the_longest_line_keeps_what_fits),
        TEST(test_repeats_are_told_when_their_entry_is_needed),
        TEST(test_informations_are_never_collapsed),
        TEST(test_repeats_can_be_kept),
        TEST(test_distinct_events_are_readable),
        TEST(test_end_of_the_log_tells_everything),
        TEST(test_slow_descriptor_gets_every_byte_in_order),
        TEST(test_blocked_descriptor_delays_but_loses_nothing),
        TEST(test_failing_descriptor_loses_with_a_count),
        TEST(test_lines_that_are_still_blocked_at_the_end_count_as_lost),
        TEST(test_nothing_to_do_writes_nothing),
        TEST(test_flush_now_writes_what_is_there),
        TEST(test_failed_assertion_leaves_its_words_in_the_log),
        TEST(test_memory_may_be_out_at_every_step),
        TEST(test_steady_state_allocates_nothing),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
