// SPDX-License-Identifier: Apache-2.0
/**
 * Aggregators and projections of clients, one test a promise: each kind gives the value, and the
 * type, that a member of Hazelcast gives; nulls are passed over or counted; what is no number is
 * not summed up; what is not known or cut off is refused; projections give one attribute, several,
 * or the entry; each allocation may fail.
 */
#include "protocol/client/query/aggregate.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "protocol/client/query/projection.h"
#include "tests/unit/harness.h"

#define BYTES(text)        fil_bytes_make(text, sizeof(text) - 1)
#define AGGREGATOR(number) "\0\0\0\0\xff\xff\xff\xfe\1\xff\xff\xff\xe3\0\0\0" number
#define PROJECTION(number) "\0\0\0\0\xff\xff\xff\xfe\1\xff\xff\xff\xe2\0\0\0" number
#define N                  "\0\0\0\1n"
#define S                  "\0\0\0\1s"
#define NULL_TEXT          "\xff\xff\xff\xff"

static const char *const values[] = {"{\"n\":1,\"s\":\"x\"}", "{\"n\":2,\"s\":\"z\"}",
                                     "{\"n\":null,\"s\":\"y\"}", "{\"s\":\"x\"}",
                                     "{\"n\":2.5,\"s\":\"x\"}"};

/** The result over all values, as data; empty: it is null. */
static int aggregate_all(struct fil_bytes aggregator, struct fil_map_buffer *out_data)
{
    struct fil_query_aggregate aggregate;
    struct fil_wire_fault fault;
    int error = fil_query_aggregate_init(&aggregate, aggregator, &fault);
    if (error != FIL_OK) {
        return error;
    }
    for (size_t i = 0; error == FIL_OK && i < FIL_COUNT_OF(values); i++) {
        struct fil_query_entry entry = {.key = fil_bytes_of("k"), .value = fil_bytes_of(values[i])};
        error = fil_query_aggregate_add(&aggregate, &entry);
    }
    if (error == FIL_OK && fil_query_aggregate_result(&aggregate, out_data)) {
        error = out_data->is_out_of_memory ? FIL_E_NOMEM : FIL_OK;
    }
    fil_query_aggregate_fini(&aggregate);
    return error;
}

static bool gives(struct fil_bytes aggregator, struct fil_bytes wanted)
{
    struct fil_map_buffer data;
    fil_map_buffer_init(&data);
    assert_int_equal(aggregate_all(aggregator, &data), FIL_OK);
    bool is_it = fil_bytes_equal(fil_map_buffer_bytes(&data), wanted);
    fil_map_buffer_fini(&data);
    return is_it;
}

#define LONG(number)  BYTES("\0\0\0\0\xff\xff\xff\xf8\0\0\0\0\0\0\0" number)
#define DOUBLE(bytes) BYTES("\0\0\0\0\xff\xff\xff\xf6" bytes "\0\0\0\0\0")

static void test_counts_sums_and_averages(void **state)
{
    (void)state;
    assert_true(gives(BYTES(AGGREGATOR("\4") NULL_TEXT), LONG("\5")));
    assert_true(gives(BYTES(AGGREGATOR("\4") N), LONG("\5")));
    assert_true(gives(BYTES(AGGREGATOR("\x8") N), LONG("\5")));
    assert_true(gives(BYTES(AGGREGATOR("\x9") N), DOUBLE("\x40\x16\0"))); // 5.5
    struct fil_query_aggregate aggregate;
    struct fil_wire_fault fault;
    assert_int_equal(fil_query_aggregate_init(&aggregate, BYTES(AGGREGATOR("\x6") N), &fault),
                     FIL_OK);
    aggregate.count = 4;
    aggregate.real_sum = 10;
    struct fil_map_buffer data;
    fil_map_buffer_init(&data);
    assert_true(fil_query_aggregate_result(&aggregate, &data));
    assert_true(fil_bytes_equal(fil_map_buffer_bytes(&data), DOUBLE("\x40\x04\0"))); // 2.5
    fil_map_buffer_fini(&data);
    fil_query_aggregate_fini(&aggregate);
}

static void test_extremes(void **state)
{
    (void)state;
    assert_true(gives(BYTES(AGGREGATOR("\xe") N), DOUBLE("\x40\x04\0")));
    assert_true(gives(BYTES(AGGREGATOR("\xf") N), LONG("\1")));
    assert_true(gives(BYTES(AGGREGATOR("\xe") S), BYTES("\0\0\0\0\xff\xff\xff\xf5\0\0\0\1z")));
    assert_true(gives(BYTES(AGGREGATOR("\x12") N),
                      BYTES("\0\0\0\0\xff\xff\xff\xfe\1\xff\xff\xff\xfc\0\0\0\x78"
                            "\xff\xff\xff\xf5\0\0\0\1k\xff\xff\xff\xf5\0\0\0\x0f{\"n\":1,\"s\":"
                            "\"x\"}")));
}

static void test_distinct_values(void **state)
{
    (void)state;
    assert_true(gives(BYTES(AGGREGATOR("\5") S),
                      BYTES("\0\0\0\0\xff\xff\xff\xfe\1\xff\xff\xff\xe3\0\0\0\x13\0\0\0\3"
                            "\xff\xff\xff\xf5\0\0\0\1x\xff\xff\xff\xf5\0\0\0\1z"
                            "\xff\xff\xff\xf5\0\0\0\1y")));
}

static void test_nothing_gives_null_or_zero(void **state)
{
    (void)state;
    struct fil_query_aggregate aggregate;
    struct fil_wire_fault fault;
    struct fil_map_buffer data;
    fil_map_buffer_init(&data);
    assert_int_equal(fil_query_aggregate_init(&aggregate, BYTES(AGGREGATOR("\xe") N), &fault),
                     FIL_OK);
    assert_false(fil_query_aggregate_result(&aggregate, &data));
    fil_query_aggregate_fini(&aggregate);
    assert_int_equal(fil_query_aggregate_init(&aggregate, BYTES(AGGREGATOR("\x8") N), &fault),
                     FIL_OK);
    assert_true(fil_query_aggregate_result(&aggregate, &data));
    assert_true(fil_bytes_equal(fil_map_buffer_bytes(&data), LONG("\0")));
    fil_query_aggregate_fini(&aggregate);
    fil_map_buffer_fini(&data);
}

static void test_what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    struct fil_map_buffer data;
    fil_map_buffer_init(&data);
    struct fil_bytes whole = BYTES(AGGREGATOR("\x8") N);
    for (size_t size = 0; size < whole.size; size++) {
        assert_int_not_equal(aggregate_all(fil_bytes_make(whole.data, size), &data), FIL_OK);
    }
    assert_int_equal(aggregate_all(BYTES(AGGREGATOR("\x8") S), &data), FIL_E_INVALID);
    assert_int_equal(aggregate_all(BYTES(AGGREGATOR("\1") N), &data), FIL_E_UNSUPPORTED);
    assert_int_equal(aggregate_all(BYTES(AGGREGATOR("\x8") NULL_TEXT), &data), FIL_E_UNSUPPORTED);
    assert_int_equal(aggregate_all(BYTES(PROJECTION("\0") N), &data), FIL_E_UNSUPPORTED);
    fil_map_buffer_fini(&data);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const char kinds[] = {'\5', '\xe', '\x11'};
    for (size_t kind = 0; kind < sizeof(kinds); kind++) {
        char aggregator[] = AGGREGATOR("\0") S;
        aggregator[sizeof(AGGREGATOR("\0")) - 2] = kinds[kind];
        int error = FIL_E_NOMEM;
        for (int64_t i = 0; error != FIL_OK; i++) {
            struct fil_map_buffer data;
            fil_map_buffer_init(&data);
            fil_alloc_fail_after(i);
            error = aggregate_all(BYTES(aggregator), &data);
            fil_alloc_fail_after(-1);
            fil_map_buffer_fini(&data);
            assert_true(i < 100);
            assert_true(error == FIL_OK || error == FIL_E_NOMEM);
        }
    }
}

// Projections.

static bool projects(struct fil_bytes data, const char *value, struct fil_bytes wanted)
{
    struct fil_query_projection projection;
    struct fil_wire_fault fault;
    struct fil_map_buffer out;
    struct fil_query_entry entry = {.key = fil_bytes_of("k"), .value = fil_bytes_of(value)};
    assert_int_equal(fil_query_projection_init(&projection, data, &fault), FIL_OK);
    fil_map_buffer_init(&out);
    bool is_there = fil_query_projection_write(&projection, &entry, &out);
    bool is_it =
        is_there == (wanted.size > 0) && fil_bytes_equal(fil_map_buffer_bytes(&out), wanted);
    fil_map_buffer_fini(&out);
    return is_it;
}

static void test_projections(void **state)
{
    (void)state;
    struct fil_bytes one = BYTES(PROJECTION("\0") S);
    struct fil_bytes two = BYTES(PROJECTION("\1") "\0\0\0\2" S N);
    assert_true(projects(one, values[0], BYTES("\0\0\0\0\xff\xff\xff\xf5\0\0\0\1x")));
    assert_true(projects(one, "{}", BYTES("")));
    assert_true(projects(BYTES(PROJECTION("\0") "\0\0\0\5__key"), "v",
                         BYTES("\0\0\0\0\xff\xff\xff\xf5\0\0\0\1k")));
    assert_true(projects(two, values[2],
                         BYTES("\0\0\0\0\xff\xff\xff\xe4\0\0\0\2\xff\xff\xff\xf5\0\0\0\1y"
                               "\0\0\0\0")));
    assert_true(projects(BYTES(PROJECTION("\2")), "v",
                         BYTES("\0\0\0\0\xff\xff\xff\xfe\1\xff\xff\xff\xfc\0\0\0\x78"
                               "\xff\xff\xff\xf5\0\0\0\1k\xff\xff\xff\xf5\0\0\0\1v")));
}

static void test_bad_projections_are_refused(void **state)
{
    (void)state;
    struct fil_query_projection projection;
    struct fil_wire_fault fault;
    struct fil_bytes whole = BYTES(PROJECTION("\1") "\0\0\0\2" S N);
    for (size_t size = 0; size < whole.size; size++) {
        assert_int_not_equal(
            fil_query_projection_init(&projection, fil_bytes_make(whole.data, size), &fault),
            FIL_OK);
    }
    assert_int_equal(fil_query_projection_init(&projection, BYTES(PROJECTION("\3") S), &fault),
                     FIL_E_UNSUPPORTED);
    assert_int_equal(
        fil_query_projection_init(&projection, BYTES(PROJECTION("\1") "\0\0\1\0" S), &fault),
        FIL_E_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_sums_and_averages),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_distinct_values),
        cmocka_unit_test(test_nothing_gives_null_or_zero),
        cmocka_unit_test(test_what_makes_no_sense_is_refused),
        cmocka_unit_test(test_each_allocation_may_fail),
        cmocka_unit_test(test_projections),
        cmocka_unit_test(test_bad_projections_are_refused),
    };
    return cmocka_run_group_tests_name("aggregate", tests, NULL, NULL);
}
