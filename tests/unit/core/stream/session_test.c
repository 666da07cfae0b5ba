// SPDX-License-Identifier: Apache-2.0
/**
 * Session windows: for random records out of order the sessions are those of a simple evaluation,
 * under every schedule of the kit; a record between two sessions joins them; late records are
 * counted and dropped, or come out as they went in; early results are what the open sessions have;
 * a gap of zero is refused.
 */
#include "core/stream/session.h"

#include "lib/base/prng.h"
#include "tests/unit/core/stream/processor_kit.h"
#include "tests/unit/harness.h"

#define RECORDS 200U
#define KEYS    5U

struct event {
    uint64_t key;
    int64_t value;
};

struct result {
    int64_t start;
    int64_t end;
    uint64_t key;
    int64_t value;
    bool is_open;
};

static struct event events[RECORDS];
static int64_t times[RECORDS];
static int64_t watermarks[RECORDS];
static struct fil_window_stats stats;
static uint64_t expected_late;

static void make_stream(uint64_t seed)
{
    struct fil_prng prng;
    fil_prng_init(&prng, seed);
    int64_t told = KIT_NO_WATERMARK;
    for (uint32_t i = 0; i < RECORDS; i++) {
        times[i] = (int64_t)i * 4 - (int64_t)fil_prng_below(&prng, 60) - 100;
        events[i] = (struct event){.key = fil_prng_below(&prng, KEYS),
                                   .value = (int64_t)fil_prng_below(&prng, 100)};
        int64_t mark = (int64_t)i * 4 - 100 - (int64_t)fil_prng_below(&prng, 50);
        bool is_told = fil_prng_below(&prng, 4) == 0 && mark > told;
        watermarks[i] = is_told ? mark : KIT_NO_WATERMARK;
        told = is_told ? mark : told;
    }
}

/** Adds a record to a list of sessions, joining what it touches. */
static uint32_t add(struct result *list, uint32_t count, struct result next)
{
    for (uint32_t i = 0; i < count; i++) {
        struct result *each = &list[i];
        if (each->is_open && each->key == next.key && each->start < next.end &&
            next.start < each->end) {
            next.start = each->start < next.start ? each->start : next.start;
            next.end = each->end > next.end ? each->end : next.end;
            next.value += each->value;
            list[i] = list[count - 1];
            return add(list, count - 1, next);
        }
    }
    list[count] = next;
    return count + 1;
}

/** What the kit keeps: a result with its mark, or a late record behind KIT_LATE. */
static int64_t marked[RECORDS * 64][5];
static uint32_t marked_count;

static void add_marked(int64_t first, int64_t second, int64_t third, int64_t fourth, int64_t mark)
{
    const int64_t row[5] = {first, second, third, fourth, mark};
    assert_true(marked_count < FIL_COUNT_OF(marked));
    memcpy(marked[marked_count], row, sizeof(row));
    marked_count++;
}

static void add_open(const struct result *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].is_open) {
            add_marked(list[i].start, list[i].end, (int64_t)list[i].key, list[i].value, 1);
        }
    }
}

static uint32_t evaluate(int64_t gap, int64_t every, struct result *list)
{
    uint32_t count = 0;
    int64_t told = INT64_MIN;
    marked_count = 0;
    int64_t watermark = INT64_MIN;
    expected_late = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        if (times[i] + gap <= watermark) {
            expected_late++;
            add_marked(KIT_LATE, (int64_t)events[i].key, events[i].value, 0, 0);
        } else {
            count = add(list, count,
                        (struct result){.start = times[i],
                                        .end = times[i] + gap,
                                        .key = events[i].key,
                                        .value = events[i].value,
                                        .is_open = true});
        }
        watermark = watermarks[i] == KIT_NO_WATERMARK ? watermark : watermarks[i];
        for (uint32_t j = 0; j < count; j++) {
            list[j].is_open &= list[j].end > watermark;
        }
        if (watermarks[i] != KIT_NO_WATERMARK && fil_time_floor(watermark, every) > told) {
            told = fil_time_floor(watermark, every);
            add_open(list, count);
        }
    }
    return count;
}

static void reset_stats(void)
{
    stats = (struct fil_window_stats){0};
}

static void check_stats(void)
{
    assert_int_equal(stats.late_count, expected_late);
}

static void expect_equal(struct kit_output *got, const struct result *list, uint32_t count)
{
    struct kit_output wanted;
    static int64_t rows[RECORDS][4];
    for (uint32_t i = 0; i < count; i++) {
        rows[i][0] = list[i].start;
        rows[i][1] = list[i].end;
        rows[i][2] = (int64_t)list[i].key;
        rows[i][3] = list[i].value;
    }
    wanted =
        (struct kit_output){.records = (uint8_t *)rows, .stride = sizeof(rows[0]), .count = count};
    kit_output_sort(&wanted);
    kit_output_sort(got);
    assert_int_equal(got->stride, wanted.stride);
    assert_int_equal(got->count, wanted.count);
    assert_memory_equal(got->records, wanted.records, (size_t)count * sizeof(rows[0]));
}

static struct kit_case case_of(const struct fil_session_config *config)
{
    return (struct kit_case){.ops = &fil_session_ops,
                             .config = config,
                             .in_stride = sizeof(struct event),
                             .out_stride = fil_session_result_bytes(config),
                             .records = events,
                             .times = times,
                             .watermarks = watermarks,
                             .count = RECORDS};
}

static void test_sessions_equal_a_simple_evaluation(void **state)
{
    (void)state;
    static struct result list[RECORDS + 1];
    for (uint64_t seed = 1; seed <= 16; seed++) {
        make_stream(seed);
        const struct fil_session_config config = {
            .group = {.key = {.size = 8}, .aggregate = fil_aggregate_sum(8)},
            .gap = 3 + (int64_t)(seed * 5 % 37),
            .stats = &stats};
        uint32_t count = evaluate(config.gap, 1000, list);
        const struct kit_case each = case_of(&config);
        struct kit_output got;
        kit_check(&each, &got, reset_stats, check_stats);
        expect_equal(&got, list, count);
        kit_output_fini(&got);
    }
}

static void test_early_results_are_what_open_sessions_have(void **state)
{
    (void)state;
    static struct result list[RECORDS + 1];
    for (uint64_t seed = 1; seed <= 16; seed++) {
        make_stream(seed);
        const struct fil_session_config config = {
            .group = {.key = {.size = 8}, .aggregate = fil_aggregate_sum(8)},
            .gap = 3 + (int64_t)(seed * 5 % 37),
            .stats = &stats,
            .early.every = 10 + (int64_t)(seed * 7 % 90),
            .gives_late = true};
        uint32_t count = evaluate(config.gap, config.early.every, list);
        for (uint32_t i = 0; i < count; i++) {
            add_marked(list[i].start, list[i].end, (int64_t)list[i].key, list[i].value, 0);
        }
        struct kit_case each = case_of(&config);
        each.late_stride = sizeof(struct event);
        struct kit_output got;
        struct kit_output wanted = {
            .records = (uint8_t *)marked, .stride = sizeof(marked[0]), .count = marked_count};
        kit_check(&each, &got, reset_stats, check_stats);
        kit_output_sort(&got);
        kit_output_sort(&wanted);
        assert_int_equal(got.count, wanted.count);
        assert_memory_equal(got.records, wanted.records, got.count * sizeof(marked[0]));
        kit_output_fini(&got);
    }
}

static void test_record_in_between_joins_two_sessions(void **state)
{
    (void)state;
    make_stream(1);
    times[0] = 0;
    times[1] = 15;
    times[2] = 8;
    for (uint32_t i = 0; i < 3; i++) {
        events[i] = (struct event){.key = 1, .value = 1};
    }
    const struct fil_session_config config = {
        .group = {.key = {.size = 8}, .aggregate = fil_aggregate_count()}, .gap = 10};
    struct kit_case each = case_of(&config);
    each.watermarks = NULL;
    each.count = 2;
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, 2);
    kit_output_fini(&output);
    each.count = 3;
    kit_check(&each, &output, NULL, NULL);
    const struct result joined = {.start = 0, .end = 25, .key = 1, .value = 3};
    expect_equal(&output, &joined, 1);
    kit_output_fini(&output);
}

static void test_gap_of_zero_is_refused(void **state)
{
    (void)state;
    const struct fil_session_config config = {
        .group = {.key = {.size = 8}, .aggregate = fil_aggregate_count()}};
    const struct kit_case each = case_of(&config);
    const struct kit_schedule schedule = {.inbox_max = 1, .batch_records = 1};
    struct kit_output output;
    assert_int_equal(kit_run(&each, &schedule, &output), FIL_E_INVALID);
    kit_output_fini(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sessions_equal_a_simple_evaluation),
        cmocka_unit_test(test_early_results_are_what_open_sessions_have),
        cmocka_unit_test(test_record_in_between_joins_two_sessions),
        cmocka_unit_test(test_gap_of_zero_is_refused),
    };
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
