// SPDX-License-Identifier: Apache-2.0
/**
 * Aggregates of doubles, of two fields, and those that estimate: records dealt to some states,
 * which are combined, give what a look at all records gives, whatever the deal: exactly, for a
 * trend but for rounding, for percentiles within 1/32, for different values within a tenth. Lists
 * and maps of values have the same ones whatever the deal, and count those that they do not have.
 */
#include "core/stream/aggregate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/attr.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define RECORDS 2000U
#define STATES  5U

struct record {
    int64_t number;
    int64_t other;
    double real;
    double real_other;
};

static struct record records[RECORDS];
static uint64_t memory[STATES][FIL_AGGREGATE_STATE_BYTES_MAX / 8];

static void make_records(uint64_t seed, uint64_t range)
{
    struct fil_prng prng;
    fil_prng_init(&prng, seed);
    for (uint32_t i = 0; i < RECORDS; i++) {
        int64_t number = (int64_t)fil_prng_below(&prng, range) - (int64_t)(range / 4);
        int64_t other = (int64_t)fil_prng_below(&prng, 50);
        records[i] = (struct record){.number = number,
                                     .other = other,
                                     .real = (double)number / 8 - 3,
                                     .real_other = (double)other / 4};
    }
}

/** Deals the records at random, combines the states in the first one, which gives the result. */
static void run(const struct fil_aggregate *aggregate, uint64_t seed, void *out_result)
{
    struct fil_prng prng;
    fil_prng_init(&prng, seed);
    memset(memory, 0, sizeof(memory));
    for (uint32_t i = 0; i < RECORDS; i++) {
        // The last state stays empty: to combine it changes nothing.
        void *state = memory[fil_prng_below(&prng, STATES - 1)];
        const void *record = &records[i];
        aggregate->ops->accumulate(aggregate, &state, &record, 1);
    }
    for (uint32_t i = 1; i < STATES; i++) {
        aggregate->ops->combine(aggregate, memory[0], memory[i]);
    }
    assert_int_equal(fil_aggregate_count_of(memory[0]), RECORDS);
    fil_aggregate_export(aggregate, memory[0], out_result);
}

static void test_extremes_of_doubles_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        make_records(seed, 100000);
        double least = records[0].real;
        double greatest = records[0].real;
        for (uint32_t i = 0; i < RECORDS; i++) {
            least = fmin(least, records[i].real);
            greatest = fmax(greatest, records[i].real);
        }
        double result = 0;
        const struct fil_aggregate min =
            fil_aggregate_extreme_real(offsetof(struct record, real), 0);
        run(&min, seed, &result);
        assert_true(result <= least && result >= least);
        const struct fil_aggregate max =
            fil_aggregate_extreme_real(offsetof(struct record, real), FIL_AGGREGATE_IS_MAX);
        run(&max, seed, &result);
        assert_true(result <= greatest && result >= greatest);
    }
}

static void test_value_at_an_extreme_is_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        make_records(seed, 100000);
        // Of those with the greatest other field, the one that is least as bits.
        uint64_t wanted = UINT64_MAX;
        for (uint32_t i = 0; i < RECORDS; i++) {
            bool is_equal = records[i].other == 49;
            uint64_t bits = (uint64_t)records[i].number;
            wanted = is_equal && bits < wanted ? bits : wanted;
        }
        const uint32_t others[] = {offsetof(struct record, other),
                                   offsetof(struct record, real_other)};
        for (uint32_t i = 0; i < 2; i++) {
            const struct fil_aggregate chosen =
                fil_aggregate_chosen(offsetof(struct record, number), others[i],
                                     FIL_AGGREGATE_IS_MAX | (i == 0 ? 0 : FIL_AGGREGATE_IS_REAL));
            uint64_t result = 0;
            run(&chosen, seed + i, &result);
            assert_int_equal(result, wanted);
        }
        const struct fil_aggregate chosen = fil_aggregate_chosen(
            offsetof(struct record, other), offsetof(struct record, number), 0);
        int64_t result = 0;
        run(&chosen, seed, &result);
        const struct record *least = &records[0];
        for (uint32_t i = 0; i < RECORDS; i++) {
            bool is_less = records[i].number < least->number ||
                           (records[i].number == least->number && records[i].other < least->other);
            least = is_less ? &records[i] : least;
        }
        assert_int_equal(result, least->other);
    }
}

static void test_trend_is_that_of_the_line(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        make_records(seed, 1000);
        for (uint32_t i = 0; i < RECORDS; i++) {
            // As far from 0 as nanoseconds of the day are; a line, and something around it.
            records[i].other = INT64_C(1800000000000000) + (int64_t)i * 1000;
            records[i].number = 7 * (int64_t)i + (i % 2 == 0 ? 5 : -5);
            records[i].real = (double)records[i].number;
        }
        const uint32_t offsets[] = {offsetof(struct record, number), offsetof(struct record, real)};
        for (uint32_t i = 0; i < 2; i++) {
            const struct fil_aggregate trend = fil_aggregate_trend(
                offsets[i], offsetof(struct record, other), i == 0 ? 0 : FIL_AGGREGATE_IS_REAL);
            double result = 0;
            run(&trend, seed, &result);
            assert_true(fabs(result - 0.007) < 0.00001);
        }
        const struct fil_aggregate none =
            fil_aggregate_trend(offsetof(struct record, number),
                                offsetof(struct record, real_other), FIL_AGGREGATE_IS_REAL_BY);
        for (uint32_t i = 0; i < RECORDS; i++) {
            records[i].real_other = 4;
        }
        double result = 1;
        run(&none, seed, &result);
        assert_true(fabs(result) <= 0); // all at one place: no line
    }
}

/** The least and the greatest of a field, and how far they are apart. */
struct span {
    int64_t least;
    int64_t greatest;
    bool is_used;
};

static void span_accumulate(void *context, void *state, const void *record)
{
    const struct record *from = record;
    struct span *span = state;
    (void)context;
    span->least = !span->is_used || from->number < span->least ? from->number : span->least;
    span->greatest =
        !span->is_used || from->number > span->greatest ? from->number : span->greatest;
    span->is_used = true;
}

static void span_combine(void *context, void *into, const void *from)
{
    struct span *span = into;
    const struct span *part = from;
    (void)context;
    assert_true(span->is_used && part->is_used); // never an empty one
    span->least = part->least < span->least ? part->least : span->least;
    span->greatest = part->greatest > span->greatest ? part->greatest : span->greatest;
}

static void span_export(void *context, const void *state, void *out_result)
{
    const struct span *span = state;
    int64_t result = span->greatest - span->least;
    (void)context;
    memcpy(out_result, &result, sizeof(result));
}

static void squares_accumulate(void *context, void *state, const void *record)
{
    const struct record *from = record;
    (void)context;
    *(int64_t *)state += from->other * from->other;
}

static void squares_combine(void *context, void *into, const void *from)
{
    (void)context;
    *(int64_t *)into += *(const int64_t *)from;
}

static void squares_deduct(void *context, void *from, const void *part)
{
    (void)context;
    *(int64_t *)from -= *(const int64_t *)part;
}

static void squares_export(void *context, const void *state, void *out_result)
{
    (void)context;
    memcpy(out_result, state, sizeof(int64_t));
}

static void test_aggregates_of_a_program_are_called(void **state)
{
    (void)state;
    make_records(1, 100000);
    int64_t least = records[0].number;
    int64_t greatest = records[0].number;
    int64_t squares = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        least = records[i].number < least ? records[i].number : least;
        greatest = records[i].number > greatest ? records[i].number : greatest;
        squares += records[i].other * records[i].other;
    }
    const struct fil_aggregate_custom span = {.state_size = sizeof(struct span),
                                              .accumulate = span_accumulate,
                                              .combine = span_combine,
                                              .export_result = span_export};
    const struct fil_aggregate spans = fil_aggregate_custom(&span);
    int64_t result = 0;
    run(&spans, 3, &result);
    assert_int_equal(result, greatest - least);
    assert_null(spans.ops->deduct);
    const struct fil_aggregate_custom square = {.state_size = sizeof(int64_t),
                                                .accumulate = squares_accumulate,
                                                .combine = squares_combine,
                                                .deduct = squares_deduct,
                                                .export_result = squares_export};
    const struct fil_aggregate sums = fil_aggregate_custom(&square);
    run(&sums, 3, &result);
    assert_int_equal(result, squares);
}

static void test_what_was_combined_can_be_deducted(void **state)
{
    (void)state;
    make_records(2, 1000);
    const struct fil_aggregate_custom square = {.state_size = sizeof(int64_t),
                                                .accumulate = squares_accumulate,
                                                .combine = squares_combine,
                                                .deduct = squares_deduct,
                                                .export_result = squares_export};
    const struct fil_aggregate sums = fil_aggregate_custom(&square);
    int64_t all = 0;
    run(&sums, 3, &all); // leaves the parts in the other states, the last of them empty
    uint64_t whole[2];
    uint64_t part[2];
    memcpy(whole, memory[0], sizeof(whole));
    memcpy(part, memory[1], sizeof(part));
    sums.ops->combine(&sums, memory[1], whole);
    sums.ops->deduct(&sums, memory[1], memory[4]);
    sums.ops->deduct(&sums, memory[1], whole);
    assert_memory_equal(memory[1], part, sizeof(part));
    sums.ops->deduct(&sums, memory[0], whole);
    const uint64_t nothing[2] = {0};
    assert_memory_equal(memory[0], nothing, sizeof(nothing));
}

static int compare_numbers(const void *a, const void *b)
{
    const int64_t *first = a;
    const int64_t *second = b;
    return (*first > *second) - (*first < *second);
}

static void test_percentiles_are_near(void **state)
{
    (void)state;
    static const double ranks[] = {0, 1, 25, 50, 90, 99, 99.9, 100};
    static const uint64_t ranges[] = {20, 1000, UINT64_C(1) << 40, UINT64_C(1) << 62};
    for (uint32_t i = 0; i < FIL_COUNT_OF(ranges); i++) {
        make_records(i + 1, ranges[i]);
        static int64_t sorted[RECORDS];
        for (uint32_t j = 0; j < RECORDS; j++) {
            sorted[j] = records[j].number;
        }
        qsort(sorted, RECORDS, sizeof(*sorted), compare_numbers);
        for (uint32_t j = 0; j < FIL_COUNT_OF(ranks); j++) {
            double rank = ceil(ranks[j] / 100 * RECORDS);
            int64_t wanted = sorted[rank < 1 ? 0 : (uint32_t)rank - 1];
            const struct fil_aggregate percentile =
                fil_aggregate_percentile(offsetof(struct record, number),
                                         (uint32_t)(ranks[j] * FIL_AGGREGATE_RANK_SCALE + 0.5));
            int64_t result = 0;
            run(&percentile, j + 1, &result);
            double apart = fabs((double)result - (double)wanted);
            assert_true(apart <= fabs((double)wanted) / 32);
            assert_true(llabs(wanted) >= 16 || result == wanted);
        }
    }
}

static void test_ends_of_the_range_have_their_bucket(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < RECORDS; i++) {
        records[i].number = i % 2 == 0 ? INT64_MIN : INT64_MAX;
    }
    int64_t result = 0;
    const struct fil_aggregate least =
        fil_aggregate_percentile(offsetof(struct record, number), 50 * FIL_AGGREGATE_RANK_SCALE);
    run(&least, 1, &result);
    assert_true(result < INT64_MIN / 32 * 31);
    const struct fil_aggregate greatest =
        fil_aggregate_percentile(offsetof(struct record, number), 51 * FIL_AGGREGATE_RANK_SCALE);
    run(&greatest, 1, &result);
    assert_true(result > INT64_MAX / 32 * 31);
}

static void test_different_values_are_nearly_counted(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 10, 100, 1000, RECORDS};
    for (uint32_t i = 0; i < FIL_COUNT_OF(counts); i++) {
        for (uint32_t j = 0; j < RECORDS; j++) {
            records[j].number = j % counts[i];
        }
        const struct fil_aggregate distinct =
            fil_aggregate_distinct(offsetof(struct record, number), 8);
        int64_t result = 0;
        run(&distinct, i + 1, &result);
        assert_true(fabs((double)result - counts[i]) <= counts[i] * 0.1);
    }
}

#define ITEMS_BYTES_MAX (FIL_AGGREGATE_ITEMS_TEXT_MAX + 16)

/** The text of a list or map of all records, dealt at random; how many it does not tell. */
static uint64_t run_items(const struct fil_aggregate_items *items, uint64_t seed,
                          char out_text[ITEMS_BYTES_MAX])
{
    const struct fil_aggregate aggregate = fil_aggregate_items(items);
    uint64_t more = 0;
    assert_true(aggregate.result_size <= ITEMS_BYTES_MAX);
    assert_null(aggregate.ops->deduct);
    run(&aggregate, seed, out_text);
    memcpy(&more, out_text + aggregate.result_size - sizeof(more), sizeof(more));
    out_text[fil_aggregate_items_text_bytes(items)] = '\0';
    return more;
}

static int compare_ages(const void *a, const void *b)
{
    const struct record *first = a;
    const struct record *second = b;
    int order = (first->other > second->other) - (first->other < second->other);
    return order != 0 ? order : compare_numbers(&first->number, &second->number);
}

static void test_lists_have_the_earliest_values(void **state)
{
    (void)state;
    static const uint32_t limits[] = {1, 2, 10, 190};
    for (uint32_t i = 0; i < FIL_COUNT_OF(limits); i++) {
        make_records(i + 1, 100000);
        const struct fil_aggregate_items items = {
            .value = {.offset = offsetof(struct record, number), .size = 8},
            .limit = limits[i],
            .has_time = true,
            .time_offset = offsetof(struct record, other)};
        static char got[ITEMS_BYTES_MAX];
        assert_int_equal(run_items(&items, i + 7, got), RECORDS - limits[i]);
        qsort(records, RECORDS, sizeof(*records), compare_ages);
        static char wanted[ITEMS_BYTES_MAX];
        int size = 0;
        for (uint32_t j = 0; j < limits[i]; j++) {
            size += snprintf(wanted + size, sizeof(wanted) - (size_t)size, "%c%lld",
                             j == 0 ? '[' : ',', (long long)records[j].number);
        }
        wanted[size] = ']';
        wanted[size + 1] = '\0';
        assert_string_equal(got, wanted);
    }
}

static void test_maps_have_the_last_value_of_each_key(void **state)
{
    (void)state;
    make_records(5, 30); // numbers from -7 to 22
    const struct fil_aggregate_items items = {
        .key = {.offset = offsetof(struct record, number), .size = 8},
        .value = {.kind = FIL_AGGREGATE_REAL,
                  .offset = offsetof(struct record, real_other),
                  .size = 8},
        .limit = 20,
        .has_time = true,
        .time_offset = offsetof(struct record, other)};
    static char got[ITEMS_BYTES_MAX];
    uint64_t more = run_items(&items, 3, got);
    static char wanted[ITEMS_BYTES_MAX];
    int size = 0;
    uint64_t beyond = RECORDS;
    for (int64_t key = -7; key < -7 + 20; key++) {
        int64_t last = -1;
        for (uint32_t i = 0; i < RECORDS; i++) {
            bool is_own = records[i].number == key;
            beyond -= is_own;
            last = is_own && records[i].other > last ? records[i].other : last;
        }
        assert_true(last >= 0);
        size += snprintf(wanted + size, sizeof(wanted) - (size_t)size, "%c\"%lld\":%g",
                         key == -7 ? '{' : ',', (long long)key, (double)last / 4);
    }
    wanted[size] = '}';
    wanted[size + 1] = '\0';
    assert_string_equal(got, wanted);
    assert_int_equal(more, beyond);
    assert_true(beyond > 0);
}

static void test_texts_that_need_escapes_are_cut_and_counted(void **state)
{
    (void)state;
    struct named {
        char name[8];
        char value[8];
    };
    static const struct named rows[] = {{"a", "x\"y"}, {"b", "\x01\x01\x01"}, {"c", "plain"}};
    const struct fil_aggregate_items items = {
        .value = {.kind = FIL_AGGREGATE_TEXT, .offset = offsetof(struct named, value), .size = 8},
        .limit = 3};
    const struct fil_aggregate list = fil_aggregate_items(&items);
    uint64_t *first = memory[0];
    char result[64];
    memset(memory, 0, sizeof(memory));
    for (uint32_t i = 0; i < 3; i++) {
        void *one = first;
        const void *record = &rows[i];
        list.ops->accumulate(&list, &one, &record, 1);
    }
    fil_aggregate_export(&list, first, result);
    // There is room for three times eight characters: 18 of the first leave too few.
    assert_string_equal(result, "[\"\\u0001\\u0001\\u0001\",\"plain\"]");
    uint64_t more = 0;
    memcpy(&more, result + list.result_size - sizeof(more), sizeof(more));
    assert_int_equal(more, 1);
    const struct fil_aggregate_items pairs = {
        .key = {.kind = FIL_AGGREGATE_TEXT, .offset = offsetof(struct named, name), .size = 8},
        .value = {.kind = FIL_AGGREGATE_TEXT, .offset = offsetof(struct named, value), .size = 8},
        .limit = 3};
    const struct fil_aggregate map = fil_aggregate_items(&pairs);
    char object[128];
    memset(memory, 0, sizeof(memory));
    for (uint32_t i = 3; i > 0; i--) {
        void *one = first;
        const void *record = &rows[i - 1];
        map.ops->accumulate(&map, &one, &record, 1);
    }
    fil_aggregate_export(&map, first, object);
    assert_string_equal(object,
                        "{\"a\":\"x\\\"y\",\"b\":\"\\u0001\\u0001\\u0001\",\"c\":\"plain\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extremes_of_doubles_are_exact),
        cmocka_unit_test(test_value_at_an_extreme_is_exact),
        cmocka_unit_test(test_trend_is_that_of_the_line),
        cmocka_unit_test(test_aggregates_of_a_program_are_called),
        cmocka_unit_test(test_what_was_combined_can_be_deducted),
        cmocka_unit_test(test_percentiles_are_near),
        cmocka_unit_test(test_ends_of_the_range_have_their_bucket),
        cmocka_unit_test(test_different_values_are_nearly_counted),
        cmocka_unit_test(test_lists_have_the_earliest_values),
        cmocka_unit_test(test_maps_have_the_last_value_of_each_key),
        cmocka_unit_test(test_texts_that_need_escapes_are_cut_and_counted),
    };
    return cmocka_run_group_tests_name("aggregate", tests, NULL, NULL);
}
