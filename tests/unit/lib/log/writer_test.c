// SPDX-License-Identifier: Apache-2.0
/**
 * The writer's thread: with many threads logging at once every event is written or counted as
 * dropped, each thread's events stay in order, a ring that changes hands mixes nothing, stop writes
 * everything and may be followed by another start, a slow descriptor gets time, a parked writer is
 * woken by a single event, who interjects stands between whole lines, and levels, the table of
 * distinct events, statistics and the flush can be used meanwhile from anywhere.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "lib/log/log.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/log/capture.h"

#define THREADS           4U
#define EVENTS_PER_THREAD 5000U

static struct capture output;
static struct fil_log *tested;

static int set_up(void **state)
{
    (void)state;
    capture_init(&output);
    struct fil_log_options options = {.env = &output.env,
                                      .fd = CAPTURE_FD,
                                      .level = FIL_LOG_INFO,
                                      .ring_bytes = FIL_LOG_RING_BYTES_MIN};
    tested = fil_log_new(&options);
    return tested == NULL || fil_log_start(tested) != FIL_OK;
}

static int tear_down(void **state)
{
    (void)state;
    fil_log_stop(tested);
    fil_log_free(tested);
    return 0;
}

struct speaker {
    struct fil_thread thread;
    char role[FIL_LOG_ROLE_MAX];
    bool is_attached;
    uint32_t number;
};

static void speak(void *context)
{
    struct speaker *speaker = context;
    if (speaker->is_attached) {
        int result = fil_log_attach(tested, speaker->role);
        fil_assert(result == FIL_OK);
    }
    for (uint32_t i = 0; i < EVENTS_PER_THREAD; i++) {
        fil_log_event(tested, FIL_LOG_INFO, "spoke", FIL_F_U64("thread", speaker->number),
                      FIL_F_U64("i", i));
        // Now and then the writer shall get the chance to park.
        if (i % 16 == 0) {
            fil_thread_yield();
        }
    }
    if (speaker->is_attached) {
        fil_log_detach(tested);
    }
}

static struct speaker speakers[THREADS];

static void start_speakers(void)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        speakers[i] = (struct speaker){.number = i, .is_attached = i % 2 == 0};
        (void)snprintf(speakers[i].role, sizeof(speakers[i].role), "io/%u", i);
        assert_int_equal(fil_thread_start(&speakers[i].thread, "speaker", speak, &speakers[i]),
                         FIL_OK);
    }
}

static void join_speakers(void)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        fil_thread_join(&speakers[i].thread);
    }
}

/** The number behind the key, or -1 when the line does not have it. */
static int64_t find_number(struct fil_bytes line, const char *key)
{
    const uint8_t *found = memmem(line.data, line.size, key, strlen(key));
    if (found == NULL) {
        return -1;
    }
    found += strlen(key);
    size_t size = 0;
    while (found[size] >= '0' && found[size] <= '9') { // a line ends in something else
        size++;
    }
    int64_t number = -1;
    assert_true(fil_bytes_to_i64(fil_bytes_make(found, size), &number));
    return number;
}

/** Walks all lines; each thread's numbers must rise. Returns the number of lines of speakers. */
static uint32_t check_order(void)
{
    int64_t last[THREADS] = {-1, -1, -1, -1};
    uint32_t count = 0;
    struct fil_bytes line = capture_line(&output, 0);
    for (size_t position = 0; line.size > 0; line = capture_line(&output, position)) {
        position += line.size;
        int64_t thread = find_number(line, " thread=");
        if (thread < 0) {
            continue;
        }
        int64_t number = find_number(line, " i=");
        assert_true(thread < THREADS);
        assert_true(number > last[thread]);
        last[thread] = number;
        count++;
    }
    return count;
}

static void test_every_event_is_written_or_counted(void **state)
{
    (void)state;
    start_speakers();
    join_speakers();
    fil_log_stop(tested);
    struct fil_log_stats stats;
    fil_log_read_stats(tested, &stats);
    assert_int_equal(check_order() + stats.dropped_count, THREADS * EVENTS_PER_THREAD);
    assert_int_equal(stats.lost_count, 0);
    assert_int_equal(stats.byte_count, output.size);
    if (stats.dropped_count > 0) {
        assert_true(capture_count(&output, "event=log_dropped") > 0);
    }
}

static void add_count(void *context, const struct fil_log_distinct *entry)
{
    *(uint64_t *)context += entry->count;
}

static void test_everything_may_be_used_meanwhile(void **state)
{
    (void)state;
    start_speakers();
    uint64_t seen = 0;
    for (uint32_t i = 0; i < 200; i++) {
        struct fil_log_stats stats;
        fil_log_event(tested, FIL_LOG_WARN, "meanwhile", FIL_F_APART(FIL_F_U64("i", i % 3)));
        fil_log_set_level(tested, i % 2 == 0 ? FIL_LOG_DEBUG : FIL_LOG_INFO);
        seen = 0;
        fil_log_distinct(tested, add_count, &seen);
        fil_log_read_stats(tested, &stats);
        (void)fil_log_next_ns(tested);
        fil_log_flush_now(tested);
    }
    join_speakers();
    fil_log_stop(tested);
    struct fil_log_stats stats;
    fil_log_read_stats(tested, &stats);
    seen = 0;
    fil_log_distinct(tested, add_count, &seen);
    assert_true(seen <= 200);
    assert_true(seen + stats.dropped_count >= 200);
    assert_true(check_order() + stats.dropped_count >= THREADS * EVENTS_PER_THREAD);
}

#define HANDOVERS 500U

/** A thread after the other, as far as the log can tell. */
static void come_and_go(void *context)
{
    const struct speaker *speaker = context;
    for (uint32_t i = 0; i < HANDOVERS; i++) {
        char role[FIL_LOG_ROLE_MAX];
        (void)snprintf(role, sizeof(role), "io/%u/%u", speaker->number, i);
        while (fil_log_attach(tested, role) != FIL_OK) {
            fil_thread_yield(); // all rings wait for the writer
        }
        fil_log_event(tested, FIL_LOG_INFO, "came", FIL_F_TEXT("who", role));
        fil_log_event(tested, FIL_LOG_INFO, "went", FIL_F_TEXT("who", role));
        fil_log_detach(tested);
    }
}

static void test_rings_change_hands_without_mixing_roles(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < THREADS; i++) {
        speakers[i] = (struct speaker){.number = i};
        assert_int_equal(
            fil_thread_start(&speakers[i].thread, "speaker", come_and_go, &speakers[i]), FIL_OK);
    }
    join_speakers();
    fil_log_stop(tested);
    uint32_t count = 0;
    struct fil_bytes line = capture_line(&output, 0);
    for (size_t position = 0; line.size > 0; line = capture_line(&output, position)) {
        position += line.size;
        const uint8_t *role = memmem(line.data, line.size, " role=", 6);
        const uint8_t *who = memmem(line.data, line.size, " who=", 5);
        assert_true(role != NULL && who != NULL);
        // The line ends with the role that it also begins with.
        size_t size = (size_t)(line.data + line.size - 1 - (who + 5));
        assert_memory_equal(role + 6, who + 5, size);
        assert_int_equal(role[6 + size], ' ');
        count++;
    }
    assert_int_equal(count, THREADS * HANDOVERS * 2);
}

static void test_threads_that_say_nothing_give_their_rings_back(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * FIL_LOG_RINGS_MAX; i++) {
        while (fil_log_attach(tested, "silent") != FIL_OK) {
            fil_thread_yield();
        }
        fil_log_detach(tested);
    }
    fil_log_stop(tested);
    assert_int_equal(output.size, 0);
}

static void wait_for_lines(uint64_t count)
{
    struct fil_log_stats stats = {0};
    while (stats.line_count < count) {
        fil_thread_yield();
        fil_log_read_stats(tested, &stats);
    }
}

static void test_single_event_wakes_the_writer(void **state)
{
    (void)state;
    // One at a time: each one may find the writer parked, and nothing else would wake it.
    for (uint32_t i = 0; i < 2000; i++) {
        fil_log_event(tested, FIL_LOG_INFO, "alone", FIL_F_U64("i", i));
        wait_for_lines(i + 1);
    }
    fil_log_stop(tested);
    assert_int_equal(capture_count(&output, "event=alone"), 2000);
}

/** What an interjection finds written, before and after others had the time to log. */
struct interjection {
    size_t size_before;
    size_t size_after;
    bool is_behind_a_line;
    bool is_behind_its_own;
};

static void interject(void *context)
{
    struct interjection *found = context;
    found->size_before = output.size;
    found->is_behind_a_line = output.size > 0 && output.text[output.size - 1] == '\n';
    found->is_behind_its_own = capture_count(&output, "event=mine") > 0;
    for (uint32_t i = 0; i < 100; i++) {
        fil_thread_yield();
    }
    found->size_after = output.size;
}

static void test_interjection_stands_between_whole_lines(void **state)
{
    (void)state;
    start_speakers();
    for (uint32_t i = 0; i < 20; i++) {
        struct interjection found = {0};
        fil_log_event(tested, FIL_LOG_INFO, "mine", FIL_F_U64("i", i));
        fil_log_interject(tested, interject, &found);
        assert_true(found.is_behind_a_line);
        assert_true(found.is_behind_its_own);
        assert_int_equal(found.size_before, found.size_after);
    }
    join_speakers();
}

static void test_events_of_an_interjection_come_behind_it(void **state)
{
    (void)state;
    struct interjection found = {0};
    fil_log_event(tested, FIL_LOG_INFO, "before");
    fil_log_interject(tested, interject, &found);
    fil_log_event(tested, FIL_LOG_INFO, "behind");
    fil_log_stop(tested);
    assert_int_equal(capture_count(&output, "event=before"), 1);
    assert_int_equal(capture_count(&output, "event=behind"), 1);
    assert_true(output.size > found.size_after);
}

static void test_stopped_writer_starts_again(void **state)
{
    (void)state;
    fil_log_event(tested, FIL_LOG_INFO, "one");
    fil_log_stop(tested);
    assert_int_equal(capture_count(&output, "event=one"), 1);
    fil_log_event(tested, FIL_LOG_INFO, "two");
    fil_log_stop(tested); // not running: nothing happens
    assert_int_equal(fil_log_start(tested), FIL_OK);
    fil_log_stop(tested);
    assert_int_equal(capture_count(&output, "event=two"), 1);
}

static void test_stop_has_patience_with_a_slow_descriptor(void **state)
{
    (void)state;
    fil_log_stop(tested);
    output.refusals = 3;
    fil_log_event(tested, FIL_LOG_INFO, "late");
    assert_int_equal(fil_log_start(tested), FIL_OK);
    fil_log_stop(tested);
    struct fil_log_stats stats;
    fil_log_read_stats(tested, &stats);
    assert_int_equal(stats.lost_count, 0);
    assert_int_equal(capture_count(&output, "event=late"), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_every_event_is_written_or_counted),
        TEST(test_everything_may_be_used_meanwhile),
        TEST(test_rings_change_hands_without_mixing_roles),
        TEST(test_threads_that_say_nothing_give_their_rings_back),
        TEST(test_single_event_wakes_the_writer),
        TEST(test_interjection_stands_between_whole_lines),
        TEST(test_events_of_an_interjection_come_behind_it),
        TEST(test_stopped_writer_starts_again),
        TEST(test_stop_has_patience_with_a_slow_descriptor),
    };
    return cmocka_run_group_tests_name("log writer", tests, NULL, NULL);
}
