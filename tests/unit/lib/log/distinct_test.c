// SPDX-License-Identifier: Apache-2.0
/**
 * The table of distinct events: the first one is written, repeats are counted and told once a
 * window, a quiet event is written again, what differs in name, place, error or a field marked
 * apart is another event, and a full table gives up its quietest entry without losing a count.
 */
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "lib/log/distinct.h"
#include "tests/unit/harness.h"

#define WINDOW 100U

static struct fil_log_distinct_table table;
static struct fil_log_distinct evicted;
static struct fil_log_distinct due;

static int set_up(void **state)
{
    (void)state;
    fil_log_distinct_init(&table, WINDOW);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_log_distinct_fini(&table);
    return 0;
}

static bool is_written(uint64_t now_ns, uint32_t line, const struct fil_log_field *fields)
{
    static alignas(8) uint8_t memory[FIL_LOG_RECORD_BYTES_MAX];
    const struct fil_log_record head = {
        .site = {.event = "failed", .file = "here.c", .line = line},
        .role = "io/1",
        .wall_ns = now_ns + 5000,
        .level = FIL_LOG_WARN,
    };
    const struct fil_log_record *record = fil_log_record_encode(memory, &head, fields);
    return fil_log_distinct_note(&table, record, now_ns, &evicted) == FIL_LOG_VERDICT_WRITE;
}

static bool is_error_written(uint64_t now_ns, int error)
{
    const struct fil_log_field fields[] = {FIL_F_ERROR(error), {.type = FIL_LOG_END}};
    return is_written(now_ns, 1, fields);
}

static void test_repeats_are_counted_and_told_at_the_end_of_the_window(void **state)
{
    (void)state;
    assert_true(is_error_written(0, FIL_E_IO));
    assert_false(is_error_written(1, FIL_E_IO));
    assert_false(is_error_written(99, FIL_E_IO));
    assert_int_equal(fil_log_distinct_next_ns(&table), WINDOW);
    assert_false(fil_log_distinct_take_due(&table, 99, &due));
    assert_true(fil_log_distinct_take_due(&table, WINDOW, &due));
    assert_int_equal(due.untold_count, 2);
    assert_int_equal(due.count, 3);
    assert_int_equal(due.error, FIL_E_IO);
    assert_string_equal(due.role, "io/1");
    assert_false(fil_log_distinct_take_due(&table, WINDOW, &due));
}

static void test_single_event_needs_no_summary(void **state)
{
    (void)state;
    assert_true(is_error_written(0, FIL_E_IO));
    assert_true(fil_log_distinct_next_ns(&table) == UINT64_MAX);
    assert_false(fil_log_distinct_take_due(&table, UINT64_MAX, &due));
}

static void test_storm_costs_one_summary_a_window(void **state)
{
    (void)state;
    uint32_t written = 0;
    uint32_t told = 0;
    uint64_t untold = 0;
    for (uint64_t now_ns = 0; now_ns < 10 * WINDOW; now_ns++) {
        while (fil_log_distinct_take_due(&table, now_ns, &due)) {
            told++;
            untold += due.untold_count;
        }
        written += is_error_written(now_ns, FIL_E_IO);
    }
    assert_int_equal(written, 1);
    assert_int_equal(told, 9);
    assert_int_equal(untold, 9 * WINDOW - 1);
}

static void test_quiet_event_is_written_again(void **state)
{
    (void)state;
    assert_true(is_error_written(0, FIL_E_IO));
    assert_true(is_error_written(WINDOW, FIL_E_IO));
    assert_false(is_error_written(WINDOW + 1, FIL_E_IO));
    assert_true(fil_log_distinct_take_due(&table, 2 * WINDOW, &due));
    // The summary opened a window of its own; nothing came in it.
    assert_true(is_error_written(3 * WINDOW, FIL_E_IO));
}

static void test_other_errors_and_places_are_other_events(void **state)
{
    (void)state;
    const struct fil_log_field none[] = {{.type = FIL_LOG_END}};
    assert_true(is_error_written(0, FIL_E_IO));
    assert_true(is_error_written(0, FIL_E_SYSTEM));
    assert_true(is_written(0, 1, none));
    assert_true(is_written(0, 2, none));
    assert_false(is_error_written(1, FIL_E_IO));
    assert_false(is_error_written(1, FIL_E_SYSTEM));
    assert_false(is_written(1, 1, none));
    assert_false(is_written(1, 2, none));
}

static bool is_peer_written(const char *peer, bool is_apart)
{
    struct fil_log_field fields[] = {FIL_F_TEXT("peer", peer), {.type = FIL_LOG_END}};
    fields[0].is_apart = is_apart;
    return is_written(0, 7, fields);
}

static void test_only_fields_marked_apart_tell_repeats_apart(void **state)
{
    (void)state;
    assert_true(is_peer_written("a", false));
    assert_false(is_peer_written("b", false));
    assert_true(is_peer_written("a", true));
    assert_true(is_peer_written("b", true));
    assert_false(is_peer_written("a", true));
}

static void test_every_type_can_be_apart(void **state)
{
    (void)state;
    const struct fil_address one = {.ip = {10, 0, 0, 1}, .port = 1};
    const struct fil_address two = {.ip = {10, 0, 0, 1}, .port = 2};
    const struct fil_log_field pairs[][2] = {
        {FIL_F_U64("k", 1), FIL_F_U64("k", 2)},
        {FIL_F_I64("k", -1), FIL_F_I64("k", 1)},
        {FIL_F_F64("k", 0.5), FIL_F_F64("k", 0.25)},
        {FIL_F_BOOL("k", false), FIL_F_BOOL("k", true)},
        {FIL_F_ADDRESS("k", &one), FIL_F_ADDRESS("k", &two)},
        {FIL_F_ERROR(FIL_E_IO), FIL_F_ERROR(FIL_E_FULL)},
    };
    for (uint32_t i = 0; i < FIL_COUNT_OF(pairs); i++) {
        for (uint32_t which = 0; which < 2; which++) {
            // An equal error before it, so that only the field marked apart can differ.
            const struct fil_log_field fields[] = {
                FIL_F_ERROR(FIL_E_TIMEOUT), FIL_F_APART(pairs[i][which]), {.type = FIL_LOG_END}};
            assert_true(is_written(0, 100 + i, fields));
            assert_false(is_written(0, 100 + i, fields));
        }
    }
}

static void test_full_table_gives_up_the_quietest(void **state)
{
    (void)state;
    const struct fil_log_field none[] = {{.type = FIL_LOG_END}};
    for (uint32_t i = 0; i < FIL_LOG_DISTINCT_MAX; i++) {
        assert_true(is_written(i / 8, i, none));
        assert_int_equal(evicted.untold_count, 0);
    }
    // The first entries get a repeat: 1 stays untold for long, 0 was seen last.
    assert_false(is_written(2, 1, none));
    for (uint32_t i = 2; i < FIL_LOG_DISTINCT_MAX; i++) {
        (void)is_written(40, i, none);
    }
    assert_false(is_written(50, 0, none));

    assert_true(is_written(60, 9999, none));
    assert_int_equal(evicted.untold_count, 1);
    assert_int_equal(evicted.site.line, 1);
    assert_false(is_written(61, 0, none));
    assert_true(is_written(62, 1, none)); // forgotten, hence new
}

static uint32_t count_entries(void)
{
    struct fil_log_distinct entry;
    uint32_t count = 0;
    while (fil_log_distinct_read(&table, count, &entry)) {
        count++;
    }
    return count;
}

static void test_readers_see_counts_times_and_fields(void **state)
{
    (void)state;
    assert_int_equal(count_entries(), 0);
    for (uint64_t now_ns = 10; now_ns < 13; now_ns++) {
        const struct fil_log_field fields[] = {
            FIL_F_U64("fd", now_ns), FIL_F_TEXT("why", "no reason"), {.type = FIL_LOG_END}};
        (void)is_written(now_ns, 3, fields);
    }
    assert_int_equal(count_entries(), 1);
    struct fil_log_distinct entry;
    assert_true(fil_log_distinct_read(&table, 0, &entry));
    assert_string_equal(entry.site.event, "failed");
    assert_int_equal(entry.site.line, 3);
    assert_int_equal(entry.count, 3);
    assert_int_equal(entry.untold_count, 2);
    assert_int_equal(entry.first_wall_ns, 5010);
    assert_int_equal(entry.last_wall_ns, 5012);
    assert_string_equal(entry.detail, "fd=12 why=\"no reason\"");
}

static void test_long_details_are_cut(void **state)
{
    (void)state;
    struct fil_log_field fields[FIL_LOG_FIELDS_MAX];
    for (size_t i = 0; i < FIL_COUNT_OF(fields); i++) {
        fields[i] = FIL_F_TEXT("key", "a value of some length, with words");
    }
    assert_true(is_written(0, 1, fields));
    struct fil_log_distinct entry;
    assert_true(fil_log_distinct_read(&table, 0, &entry));
    size_t size = strlen(entry.detail);
    assert_true(size < sizeof(entry.detail) && size > 128);
    assert_memory_equal(entry.detail, "key=\"a value", 12);
}

static void test_no_window_collapses_nothing(void **state)
{
    (void)state;
    table.window_ns = 0;
    for (int i = 0; i < 3; i++) {
        assert_true(is_error_written(0, FIL_E_IO));
    }
    assert_false(fil_log_distinct_take_due(&table, UINT64_MAX, &due));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_repeats_are_counted_and_told_at_the_end_of_the_window,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_single_event_needs_no_summary, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_storm_costs_one_summary_a_window, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_quiet_event_is_written_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_errors_and_places_are_other_events, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_only_fields_marked_apart_tell_repeats_apart, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_every_type_can_be_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full_table_gives_up_the_quietest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_readers_see_counts_times_and_fields, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_long_details_are_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_window_collapses_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("log distinct", tests, NULL, NULL);
}
