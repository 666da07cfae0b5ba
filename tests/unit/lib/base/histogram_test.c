// SPDX-License-Identifier: Apache-2.0
/**
 * The histogram, one test a promise: every value has exactly one bucket, whose width is at most
 * 1/32 of its lower bound; count, sum, minimum and maximum are exact; a quantile is never below the
 * true one and at most 1/32 above; merging is the same as recording everything in one; a reset
 * one is as new; readers may look while the writer records; several writers lose nothing.
 */
#include <pthread.h>
#include <stdlib.h>

#include "lib/base/attr.h"
#include "lib/base/histogram.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

static struct fil_histogram histogram;
static struct fil_histogram other;

static int set_up(void **state)
{
    (void)state;
    fil_histogram_init(&histogram);
    fil_histogram_init(&other);
    return 0;
}

/** Records one value and gives its bucket. */
static struct fil_histogram_bucket bucket_of(uint64_t value)
{
    fil_histogram_reset(&other);
    fil_histogram_record(&other, value);
    struct fil_histogram_bucket bucket = {0};
    uint32_t cursor = 0;
    assert_true(fil_histogram_next(&other, &cursor, &bucket));
    struct fil_histogram_bucket none = {0};
    assert_false(fil_histogram_next(&other, &cursor, &none));
    assert_int_equal(bucket.count, 1);
    return bucket;
}

static void check_bucket(uint64_t value)
{
    struct fil_histogram_bucket bucket = bucket_of(value);
    assert_true(bucket.lower <= value);
    assert_true(bucket.upper >= value);
    uint64_t width = bucket.upper - bucket.lower + 1;
    assert_true(value < 64 ? width == 1 : width <= bucket.lower / 32);
}

static void test_buckets_are_narrow_and_hold_their_values(void **state)
{
    (void)state;
    for (uint64_t value = 0; value < 300; value++) {
        check_bucket(value);
    }
    for (unsigned bit = 6; bit < 64; bit++) {
        uint64_t power = UINT64_C(1) << bit;
        check_bucket(power - 1);
        check_bucket(power);
        check_bucket(power + 1);
        check_bucket(power + power / 2);
    }
    check_bucket(UINT64_MAX);
}

static void test_buckets_follow_each_other_without_gap(void **state)
{
    (void)state;
    uint64_t expected_lower = 0;
    uint32_t expected_index = 0;
    for (;;) {
        struct fil_histogram_bucket bucket = bucket_of(expected_lower);
        assert_true(bucket.lower == expected_lower);
        assert_int_equal(fil_histogram_index(bucket.lower), expected_index);
        assert_int_equal(fil_histogram_index(bucket.upper), expected_index);
        expected_index++;
        if (bucket.upper == UINT64_MAX) {
            break;
        }
        expected_lower = bucket.upper + 1;
    }
    assert_int_equal(expected_index, FIL_HISTOGRAM_BUCKET_COUNT);
}

static void test_empty_histogram_answers_zero(void **state)
{
    (void)state;
    assert_int_equal(fil_histogram_count(&histogram), 0);
    assert_int_equal(fil_histogram_sum(&histogram), 0);
    assert_int_equal(fil_histogram_min(&histogram), 0);
    assert_int_equal(fil_histogram_max(&histogram), 0);
    assert_int_equal(fil_histogram_quantile(&histogram, 0.99), 0);
    uint32_t cursor = 0;
    struct fil_histogram_bucket bucket;
    assert_false(fil_histogram_next(&histogram, &cursor, &bucket));
}

static void test_count_sum_and_ends_are_exact(void **state)
{
    (void)state;
    fil_histogram_record(&histogram, 1000003);
    fil_histogram_record_many(&histogram, 17, 5);
    fil_histogram_record(&histogram, 5000);
    assert_int_equal(fil_histogram_count(&histogram), 7);
    assert_int_equal(fil_histogram_sum(&histogram), 1000003 + 5 * 17 + 5000);
    assert_int_equal(fil_histogram_min(&histogram), 17);
    assert_int_equal(fil_histogram_max(&histogram), 1000003);
    // No quantile exceeds the largest value, although its bucket does.
    assert_int_equal(fil_histogram_quantile(&histogram, 1.0), 1000003);
}

static void test_largest_value_alone_is_both_ends(void **state)
{
    (void)state;
    fil_histogram_record(&histogram, UINT64_MAX);
    assert_true(fil_histogram_min(&histogram) == UINT64_MAX);
    assert_true(fil_histogram_max(&histogram) == UINT64_MAX);
    assert_true(fil_histogram_quantile(&histogram, 0.5) == UINT64_MAX);
}

static int compare_values(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void test_quantiles_are_close_and_never_below(void **state)
{
    (void)state;
    static uint64_t values[10000];
    struct fil_prng prng;
    fil_prng_init(&prng, 42);
    for (size_t i = 0; i < FIL_COUNT_OF(values); i++) {
        values[i] = fil_prng_next(&prng) >> fil_prng_range(&prng, 4, 63);
        fil_histogram_record(&histogram, values[i]);
    }
    qsort(values, FIL_COUNT_OF(values), sizeof(values[0]), compare_values);
    for (size_t percent = 0; percent <= 100; percent++) {
        size_t rank = percent == 0 ? 1 : percent * FIL_COUNT_OF(values) / 100;
        uint64_t exact = values[rank - 1];
        uint64_t told = fil_histogram_quantile(&histogram, (double)percent / 100.0);
        assert_true(told >= exact);
        assert_true(told - exact <= exact / 32);
    }
}

static void test_quantile_ranks_are_whole_where_they_should_be(void **state)
{
    (void)state;
    // A hundred different exact values: the p-th percentile is the p-th value.
    for (uint64_t value = 1; value <= 50; value++) {
        fil_histogram_record_many(&histogram, value, 2);
    }
    for (uint64_t percent = 1; percent <= 100; percent++) {
        assert_int_equal(fil_histogram_quantile(&histogram, (double)percent / 100.0),
                         (percent + 1) / 2);
    }
    assert_int_equal(fil_histogram_quantile(&histogram, 0.0), 1);
}

static void test_merging_is_recording_everything_in_one(void **state)
{
    (void)state;
    static struct fil_histogram all;
    fil_histogram_init(&all);
    struct fil_prng prng;
    fil_prng_init(&prng, 7);
    for (int i = 0; i < 2000; i++) {
        uint64_t value = fil_prng_next(&prng) >> fil_prng_below(&prng, 64);
        fil_histogram_record(i % 3 == 0 ? &histogram : &other, value);
        fil_histogram_record(&all, value);
    }
    fil_histogram_merge(&histogram, &other);
    assert_memory_equal(&histogram, &all, sizeof(all));
    assert_int_equal(fil_histogram_count(&histogram), 2000);

    // Merging nothing changes nothing, and merging into nothing copies, both ends included.
    fil_histogram_reset(&other);
    fil_histogram_merge(&histogram, &other);
    assert_memory_equal(&histogram, &all, sizeof(all));
    fil_histogram_merge(&other, &all);
    assert_memory_equal(&other, &all, sizeof(all));
}

static void test_reset_histogram_is_as_new(void **state)
{
    (void)state;
    fil_histogram_record(&histogram, 5);
    fil_histogram_record(&histogram, UINT64_MAX);
    fil_histogram_reset(&histogram);
    assert_memory_equal(&histogram, &other, sizeof(other));
}

#define RECORDED 100000U

static void *record_all(void *context)
{
    (void)context;
    for (uint64_t i = 1; i <= RECORDED; i++) {
        fil_histogram_record(&histogram, i);
    }
    return NULL;
}

static void test_readers_may_look_while_the_writer_records(void **state)
{
    (void)state;
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, record_all, NULL), 0);
    uint64_t seen = 0;
    while (seen < RECORDED) {
        uint64_t count = fil_histogram_count(&histogram);
        assert_true(count >= seen); // nothing that was seen goes away
        seen = count;
        assert_true(fil_histogram_quantile(&histogram, 0.5) <= (uint64_t)RECORDED * 33 / 32);
    }
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_int_equal(seen, RECORDED);
    assert_int_equal(fil_histogram_sum(&histogram), (uint64_t)RECORDED * (RECORDED + 1) / 2);
}

#define SHARED_WRITERS 3U
#define SHARED_VALUES  5000U

static void *record_shared(void *argument)
{
    const uint64_t *first = argument;
    for (uint64_t i = 0; i < SHARED_VALUES; i++) {
        fil_histogram_record_shared(&histogram, *first + i * SHARED_WRITERS);
    }
    return NULL;
}

static void test_several_writers_lose_nothing(void **state)
{
    (void)state;
    pthread_t threads[SHARED_WRITERS];
    uint64_t firsts[SHARED_WRITERS];
    for (uint32_t i = 0; i < SHARED_WRITERS; i++) {
        firsts[i] = i + 1;
        assert_int_equal(pthread_create(&threads[i], NULL, record_shared, &firsts[i]), 0);
    }
    for (uint32_t i = 0; i < SHARED_WRITERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    uint64_t count = (uint64_t)SHARED_WRITERS * SHARED_VALUES;
    assert_int_equal(fil_histogram_count(&histogram), count);
    assert_int_equal(fil_histogram_sum(&histogram), count * (count + 1) / 2);
    assert_int_equal(fil_histogram_min(&histogram), 1);
    assert_int_equal(fil_histogram_max(&histogram), count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_buckets_are_narrow_and_hold_their_values, set_up),
        cmocka_unit_test_setup(test_buckets_follow_each_other_without_gap, set_up),
        cmocka_unit_test_setup(test_empty_histogram_answers_zero, set_up),
        cmocka_unit_test_setup(test_count_sum_and_ends_are_exact, set_up),
        cmocka_unit_test_setup(test_largest_value_alone_is_both_ends, set_up),
        cmocka_unit_test_setup(test_quantiles_are_close_and_never_below, set_up),
        cmocka_unit_test_setup(test_quantile_ranks_are_whole_where_they_should_be, set_up),
        cmocka_unit_test_setup(test_merging_is_recording_everything_in_one, set_up),
        cmocka_unit_test_setup(test_reset_histogram_is_as_new, set_up),
        cmocka_unit_test_setup(test_readers_may_look_while_the_writer_records, set_up),
        cmocka_unit_test_setup(test_several_writers_lose_nothing, set_up),
    };
    return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
