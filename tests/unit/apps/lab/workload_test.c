// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of the workload: its bytes are RESP that the member's decoder takes, a slice
 * holds exactly the requests it names, filling sets every key once, gets and sets are about as
 * many, and exactly one request in every interval is long.
 */
#include "apps/filbert/lab/workload.h"

#include "apps/filbert/lab/keyspace.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

#define LIMIT ((size_t)1 << 20)

/** Decodes the slice; counts its requests by verb. */
static void count_verbs(struct fil_bytes bytes, uint32_t counts[LAB_VERB_UNKNOWN + 1])
{
    struct fil_resp_decoder decoder;
    fil_resp_decoder_init(&decoder, LIMIT, LIMIT);
    while (bytes.size > 0) {
        struct fil_resp_command command;
        size_t size = 0;
        assert_int_equal(fil_resp_decode(&decoder, bytes, &command, &size), FIL_OK);
        counts[lab_request_parse(&command).verb]++;
        bytes = fil_bytes_make(bytes.data + size, bytes.size - size);
    }
    fil_resp_decoder_fini(&decoder);
}

static void test_fill_sets_every_key_once(void **state)
{
    (void)state;
    struct lab_workload workload;
    uint32_t counts[LAB_VERB_UNKNOWN + 1] = {0};
    struct lab_workload_options options = {.mix = LAB_MIX_FILL, .key_count = 1000};
    assert_int_equal(lab_workload_init(&workload, &options), FIL_OK);
    assert_int_equal(workload.count, 1000);
    count_verbs(lab_workload_slice(&workload, 0, 1000), counts);
    assert_int_equal(counts[LAB_VERB_SET], 1000);
    char last[] = "key:000000000999";
    struct fil_bytes slice = lab_workload_slice(&workload, 999, 1);
    assert_memory_equal(slice.data + 18, last, sizeof(last) - 1);
    lab_workload_fini(&workload);
}

static void test_slices_hold_the_requests_they_name(void **state)
{
    (void)state;
    struct lab_workload workload;
    struct lab_workload_options options = {
        .mix = LAB_MIX_UNIFORM, .key_count = 10, .request_count = 100, .seed = 3};
    assert_int_equal(lab_workload_init(&workload, &options), FIL_OK);
    for (uint32_t first = 0; first < 100; first += 7) {
        uint32_t counts[LAB_VERB_UNKNOWN + 1] = {0};
        uint32_t count = first + 7 <= 100 ? 7 : 100 - first;
        count_verbs(lab_workload_slice(&workload, first, count), counts);
        assert_int_equal(counts[LAB_VERB_GET] + counts[LAB_VERB_SET], count);
    }
    lab_workload_fini(&workload);
}

static void test_gets_and_sets_are_about_as_many(void **state)
{
    (void)state;
    struct lab_workload workload;
    uint32_t counts[LAB_VERB_UNKNOWN + 1] = {0};
    struct lab_workload_options options = {
        .mix = LAB_MIX_UNIFORM, .key_count = 1000, .request_count = 10000, .seed = 7};
    assert_int_equal(lab_workload_init(&workload, &options), FIL_OK);
    count_verbs(lab_workload_slice(&workload, 0, 10000), counts);
    assert_in_range(counts[LAB_VERB_GET], 4700, 5300);
    assert_int_equal(counts[LAB_VERB_GET] + counts[LAB_VERB_SET], 10000);
    lab_workload_fini(&workload);
}

static void test_one_request_in_every_interval_is_long(void **state)
{
    (void)state;
    struct lab_workload workload;
    struct lab_workload_options options = {.mix = LAB_MIX_UNIFORM,
                                           .key_count = 1000,
                                           .request_count = 5000,
                                           .long_interval = 100,
                                           .long_us = 2000};
    assert_int_equal(lab_workload_init(&workload, &options), FIL_OK);
    for (uint32_t first = 0; first < 5000; first += 100) {
        uint32_t counts[LAB_VERB_UNKNOWN + 1] = {0};
        assert_true(lab_workload_has_long(&workload, first, 100));
        count_verbs(lab_workload_slice(&workload, first, 100), counts);
        assert_int_equal(counts[LAB_VERB_BURN], 1);
    }
    uint32_t long_count = 0;
    for (uint32_t i = 0; i < 5000; i++) {
        long_count += lab_workload_has_long(&workload, i, 1);
    }
    assert_int_equal(long_count, 50);
    lab_workload_fini(&workload);
}

static void test_without_memory_nothing_is_left_behind(void **state)
{
    (void)state;
    struct lab_workload workload;
    struct lab_workload_options options = {.mix = LAB_MIX_FILL, .key_count = 10};
    for (int64_t after = 0; after < 3; after++) {
        fil_alloc_fail_after(after);
        assert_int_equal(lab_workload_init(&workload, &options), FIL_E_NOMEM);
    }
    fil_alloc_fail_after(-1);
    assert_int_equal(lab_workload_init(&workload, &options), FIL_OK);
    lab_workload_fini(&workload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fill_sets_every_key_once),
        cmocka_unit_test(test_slices_hold_the_requests_they_name),
        cmocka_unit_test(test_gets_and_sets_are_about_as_many),
        cmocka_unit_test(test_one_request_in_every_interval_is_long),
        cmocka_unit_test(test_without_memory_nothing_is_left_behind),
    };
    return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
