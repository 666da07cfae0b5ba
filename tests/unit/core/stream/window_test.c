// SPDX-License-Identifier: Apache-2.0
/**
 * Windows: for random records that come out of order, sizes, slides and aggregates, the results are
 * those of a simple evaluation, under every schedule of the kit; late records are counted and
 * change nothing, or come out as they went in; early results are what the open windows have at that
 * moment, and the last result still comes once; years without records are passed over at once; keys
 * that are not used any more are forgotten; wrong sizes and times at the ends of the range are
 * refused; a memory limit is an error.
 */
#include "core/stream/window.h"

#include "core/stream/watermark.h"
#include "lib/base/prng.h"
#include "tests/unit/core/stream/processor_kit.h"
#include "tests/unit/harness.h"

#define RECORDS 300U
#define KEYS    6U

struct event {
    uint64_t key;
    int64_t value;
};

struct result {
    int64_t start;
    int64_t end;
    uint64_t key;
    int64_t value;
};

struct stream {
    struct event events[RECORDS];
    int64_t times[RECORDS];
    int64_t watermarks[RECORDS];
};

static struct stream stream;
static struct fil_window_stats stats;
static uint64_t expected_late;

static void make_stream(uint64_t seed)
{
    struct fil_prng prng;
    fil_prng_init(&prng, seed);
    int64_t top = 0;
    int64_t told = KIT_NO_WATERMARK;
    for (uint32_t i = 0; i < RECORDS; i++) {
        int64_t base = (int64_t)i * 3 - 200; // negative times, too
        int64_t time = base - (int64_t)fil_prng_below(&prng, 40);
        stream.events[i] = (struct event){.key = fil_prng_below(&prng, KEYS),
                                          .value = (int64_t)fil_prng_below(&prng, 2001) - 1000};
        stream.times[i] = time;
        top = i == 0 || time > top ? time : top;
        int64_t mark = top - (int64_t)fil_prng_below(&prng, 30);
        bool is_told = fil_prng_below(&prng, 5) == 0 && mark > told;
        stream.watermarks[i] = is_told ? mark : KIT_NO_WATERMARK;
        told = is_told ? mark : told;
    }
}

/** Folds a value into a result, by the aggregate's name. */
static void fold(const char *name, struct result *result, bool is_first, int64_t value)
{
    if (strcmp(name, "count") == 0) {
        result->value += 1;
    } else if (strcmp(name, "sum") == 0) {
        result->value += value;
    } else if (is_first ||
               (strcmp(name, "min") == 0 ? value < result->value : value > result->value)) {
        result->value = value;
    }
}

/** Each record into each of its windows that is still open when it comes. */
static uint32_t evaluate_some(const struct fil_window_config *config, struct result *results,
                              uint32_t record_count)
{
    const char *name = config->group.aggregate.ops->name;
    uint32_t count = 0;
    int64_t closed_end = INT64_MIN;
    expected_late = 0;
    for (uint32_t i = 0; i < record_count; i++) {
        int64_t slice = fil_time_floor(stream.times[i], config->slide);
        bool is_late = true;
        for (int64_t end = slice + config->slide; end <= slice + config->size;
             end += config->slide) {
            if (end <= closed_end) {
                continue;
            }
            is_late = false;
            uint32_t place = 0;
            while (place < count &&
                   (results[place].end != end || results[place].key != stream.events[i].key)) {
                place++;
            }
            bool is_first = place == count;
            if (is_first) {
                results[count] = (struct result){
                    .start = end - config->size, .end = end, .key = stream.events[i].key};
                count++;
            }
            fold(name, &results[place], is_first, stream.events[i].value);
        }
        expected_late += is_late;
        if (stream.watermarks[i] != KIT_NO_WATERMARK) {
            int64_t mark = fil_time_floor(stream.watermarks[i], config->slide);
            closed_end = mark > closed_end ? mark : closed_end;
        }
    }
    return count;
}

static uint32_t evaluate(const struct fil_window_config *config, struct result *results)
{
    return evaluate_some(config, results, RECORDS);
}

static void reset_stats(void)
{
    stats = (struct fil_window_stats){0};
}

static void check_stats(void)
{
    assert_int_equal(stats.late_count, expected_late);
}

static struct fil_aggregate aggregate_number(uint64_t number)
{
    const uint32_t offset = offsetof(struct event, value);
    switch (number % 4) {
    case 0:
        return fil_aggregate_count();
    case 1:
        return fil_aggregate_sum(offset);
    case 2:
        return fil_aggregate_min(offset);
    default:
        return fil_aggregate_max(offset);
    }
}

static struct kit_case case_of(const struct fil_window_config *config)
{
    return (struct kit_case){.ops = &fil_window_ops,
                             .config = config,
                             .in_stride = sizeof(struct event),
                             .out_stride = fil_window_result_bytes(config),
                             .records = stream.events,
                             .times = stream.times,
                             .watermarks = stream.watermarks,
                             .count = RECORDS};
}

static void test_results_equal_a_simple_evaluation(void **state)
{
    (void)state;
    static struct result wanted[RECORDS * 64];
    for (uint64_t seed = 1; seed <= 24; seed++) {
        make_stream(seed);
        const struct fil_window_config config = {
            .group = {.key = {.size = 8}, .aggregate = aggregate_number(seed)},
            .slide = 1 + (int64_t)(seed * 7 % 20),
            .size = (1 + (int64_t)(seed * 7 % 20)) * (1 + (int64_t)(seed % 6)),
            .stats = &stats};
        struct kit_output expected = {.records = (uint8_t *)wanted,
                                      .stride = sizeof(struct result),
                                      .count = evaluate(&config, wanted)};
        const struct kit_case each = case_of(&config);
        assert_int_equal(each.out_stride, sizeof(struct result));
        struct kit_output got;
        kit_check(&each, &got, reset_stats, check_stats);
        kit_output_sort(&got);
        kit_output_sort(&expected);
        assert_int_equal(got.count, expected.count);
        assert_memory_equal(got.records, expected.records, got.count * sizeof(struct result));
        kit_output_fini(&got);
    }
}

/** A result with its mark, or a late record behind KIT_LATE. */
struct marked {
    int64_t start;
    int64_t end;
    uint64_t key;
    int64_t value;
    int64_t early;
};

static struct marked marked[RECORDS * 256];
static uint32_t marked_count;

static void add_marked(const struct result *result, int64_t early)
{
    assert_true(marked_count < FIL_COUNT_OF(marked));
    marked[marked_count] =
        (struct marked){result->start, result->end, result->key, result->value, early};
    marked_count++;
}

/** What has come out by each watermark: windows that end, then what the others have. */
static void evaluate_early(const struct fil_window_config *config)
{
    static struct result results[RECORDS * 64];
    const int64_t every = config->early.every;
    int64_t told = INT64_MIN;
    int64_t closed_end = INT64_MIN;
    marked_count = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        bool is_late = fil_time_floor(stream.times[i], config->slide) + config->size <= closed_end;
        if (is_late) {
            const struct marked late = {.start = KIT_LATE,
                                        .end = (int64_t)stream.events[i].key,
                                        .key = (uint64_t)stream.events[i].value};
            marked[marked_count] = late;
            marked_count++;
        }
        if (stream.watermarks[i] == KIT_NO_WATERMARK) {
            continue;
        }
        closed_end = fil_time_floor(stream.watermarks[i], config->slide);
        if (every == 0 || fil_time_floor(stream.watermarks[i], every) <= told) {
            continue;
        }
        told = fil_time_floor(stream.watermarks[i], every);
        // The evaluation of what came so far has the open windows as they are now.
        uint32_t count = evaluate_some(config, results, i + 1);
        for (uint32_t j = 0; j < count; j++) {
            if (results[j].end > closed_end) {
                add_marked(&results[j], 1);
            }
        }
    }
    uint32_t count = evaluate(config, results);
    for (uint32_t j = 0; j < count; j++) {
        add_marked(&results[j], 0);
    }
}

static void test_early_results_are_what_open_windows_have(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        make_stream(seed);
        const struct fil_window_config config = {
            .group = {.key = {.size = 8}, .aggregate = aggregate_number(seed)},
            .slide = 1 + (int64_t)(seed * 7 % 20),
            .size = (1 + (int64_t)(seed * 7 % 20)) * (1 + (int64_t)(seed % 6)),
            .stats = &stats,
            .early.every = 5 + (int64_t)(seed * 11 % 60),
            .gives_late = true};
        evaluate_early(&config);
        struct kit_output expected = {
            .records = (uint8_t *)marked, .stride = sizeof(struct marked), .count = marked_count};
        struct kit_case each = case_of(&config);
        each.late_stride = sizeof(struct event);
        assert_int_equal(each.out_stride, sizeof(struct marked));
        struct kit_output got;
        kit_check(&each, &got, reset_stats, check_stats);
        kit_output_sort(&got);
        kit_output_sort(&expected);
        assert_int_equal(got.count, expected.count);
        assert_memory_equal(got.records, expected.records, got.count * sizeof(struct marked));
        kit_output_fini(&got);
    }
}

static void test_years_without_records_cost_nothing(void **state)
{
    (void)state;
    const struct event events[3] = {{1, 1}, {1, 1}, {1, 1}};
    const int64_t day = INT64_C(86400000000000);
    const int64_t times[3] = {0, 20000 * day, 40000 * day};
    const int64_t watermarks[3] = {KIT_NO_WATERMARK, 20000 * day, KIT_NO_WATERMARK};
    const struct fil_window_config config = {
        .group = {.key = {.size = 8}, .aggregate = fil_aggregate_count()},
        .size = 10000000,
        .slide = 1000000};
    struct kit_case each = case_of(&config);
    each.records = events;
    each.times = times;
    each.watermarks = watermarks;
    each.count = 3;
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, 30); // ten windows for each record
    kit_output_fini(&output);
    // Nor do early results, of the second record here, look at windows between two records.
    struct fil_window_config early = config;
    early.early.every = 1;
    each.config = &early;
    each.out_stride = fil_window_result_bytes(&early);
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, 40);
    kit_output_fini(&output);
}

static void test_top_of_all_keys_is_sorted(void **state)
{
    (void)state;
    make_stream(5);
    const struct fil_window_config config = {
        .group = {.aggregate = fil_aggregate_top(offsetof(struct event, value), 0, 3)},
        .size = 50,
        .slide = 50};
    const struct kit_case each = case_of(&config);
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    assert_true(output.count > 10);
    for (uint32_t i = 0; i < output.count; i++) {
        struct fil_aggregate_top top[3];
        memcpy(top, output.records + (size_t)i * output.stride + sizeof(struct fil_window_result),
               sizeof(top));
        assert_true(top[0].value >= top[1].value && top[1].value >= top[2].value);
    }
    kit_output_fini(&output);
}

static void test_lists_of_sliding_windows_tell_every_record(void **state)
{
    (void)state;
    make_stream(6);
    const struct fil_aggregate_items items[] = {
        {.value = {.offset = offsetof(struct event, value), .size = 8}, .limit = 5},
        {.key = {.offset = offsetof(struct event, value), .size = 8},
         .value = {.offset = offsetof(struct event, key), .size = 8},
         .limit = 5}};
    for (uint32_t i = 0; i < FIL_COUNT_OF(items); i++) {
        const struct fil_aggregate parts[] = {fil_aggregate_count(),
                                              fil_aggregate_items(&items[i])};
        const struct fil_window_config config = {
            .group = {.aggregate = fil_aggregate_several(parts, 2)}, .size = 50, .slide = 10};
        const struct kit_case each = case_of(&config);
        struct kit_output output;
        kit_check(&each, &output, NULL, NULL);
        assert_true(output.count > 10);
        for (uint32_t j = 0; j < output.count; j++) {
            const uint8_t *result = output.records + (size_t)j * output.stride;
            uint64_t count = 0;
            uint64_t more = 0;
            memcpy(&count, result + sizeof(struct fil_window_result), sizeof(count));
            memcpy(&more, result + output.stride - sizeof(more), sizeof(more));
            // A list has five of them; a map's keys may have some each.
            assert_true(i == 0 ? more == (count > 5 ? count - 5 : 0) : more <= count - 1);
        }
        kit_output_fini(&output);
    }
}

static void expect_error(const struct fil_window_config *config, const int64_t *times, int error)
{
    struct kit_case each = case_of(config);
    each.times = times;
    each.watermarks = NULL;
    const struct kit_schedule schedule = {.inbox_max = 1, .batch_records = 1};
    struct kit_output output;
    assert_int_equal(kit_run(&each, &schedule, &output), error);
    kit_output_fini(&output);
}

static void test_wrong_sizes_and_times_are_refused(void **state)
{
    (void)state;
    make_stream(1);
    struct fil_window_config config = {
        .group = {.key = {.size = 8}, .aggregate = fil_aggregate_count()}, .size = 0, .slide = 0};
    expect_error(&config, stream.times, FIL_E_INVALID);
    config.slide = 10;
    config.size = 25;
    expect_error(&config, stream.times, FIL_E_INVALID);
    config.size = 20;
    config.early.every = -1;
    expect_error(&config, stream.times, FIL_E_INVALID);
    config.early.every = 0;
    config.lateness = -1;
    expect_error(&config, stream.times, FIL_E_INVALID);
    config.lateness = 0;
    config.gives_late = true; // but there is no second output
    expect_error(&config, stream.times, FIL_E_INVALID);
    config.gives_late = false;
    static int64_t times[RECORDS];
    times[0] = INT64_MAX - 5;
    expect_error(&config, times, FIL_E_INVALID);
    times[0] = FIL_TIME_NONE;
    expect_error(&config, times, FIL_E_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_equal_a_simple_evaluation),
        cmocka_unit_test(test_early_results_are_what_open_windows_have),
        cmocka_unit_test(test_years_without_records_cost_nothing),
        cmocka_unit_test(test_top_of_all_keys_is_sorted),
        cmocka_unit_test(test_lists_of_sliding_windows_tell_every_record),
        cmocka_unit_test(test_wrong_sizes_and_times_are_refused),
    };
    return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
