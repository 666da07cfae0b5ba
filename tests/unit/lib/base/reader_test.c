// SPDX-License-Identifier: Apache-2.0
/**
 * The bounded reader, one test a promise: every width and byte order is read as stated; bytes are
 * lent, not copied; a read that fails moves nothing and touches nothing.
 */
#include "lib/base/reader.h"

#include "tests/unit/harness.h"

static const uint8_t counted[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88};

static struct fil_reader reader_of(const void *data, size_t size)
{
    struct fil_reader reader;
    fil_reader_init(&reader, fil_bytes_make(data, size));
    return reader;
}

static void test_unsigned_integers_are_read_in_both_orders(void **state)
{
    (void)state;
    uint8_t u8 = 0;
    uint16_t u16 = 0;
    uint32_t u32 = 0;
    uint64_t u64 = 0;
    struct fil_reader reader = reader_of(counted, sizeof(counted));
    assert_true(fil_reader_u8(&reader, &u8));
    assert_int_equal(u8, 0x01);
    assert_true(fil_reader_u16_le(&reader, &u16));
    assert_int_equal(u16, 0x0302);
    assert_true(fil_reader_u32_be(&reader, &u32));
    assert_int_equal(u32, 0x04050607);
    assert_int_equal(fil_reader_remaining(&reader), 1);

    reader = reader_of(counted, sizeof(counted));
    assert_true(fil_reader_u16_be(&reader, &u16));
    assert_int_equal(u16, 0x0102);
    assert_true(fil_reader_u32_le(&reader, &u32));
    assert_int_equal(u32, 0x06050403);

    reader = reader_of(counted, sizeof(counted));
    assert_true(fil_reader_u64_le(&reader, &u64));
    assert_true(u64 == UINT64_C(0x8807060504030201));
    reader = reader_of(counted, sizeof(counted));
    assert_true(fil_reader_u64_be(&reader, &u64));
    assert_true(u64 == UINT64_C(0x0102030405060788));
}

static void test_signed_integers_keep_their_sign(void **state)
{
    (void)state;
    static const uint8_t minus_two_le[] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t minus_two_be[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe};
    int32_t i32 = 0;
    int64_t i64 = 0;
    struct fil_reader reader = reader_of(minus_two_le, 4);
    assert_true(fil_reader_i32_le(&reader, &i32));
    assert_int_equal(i32, -2);
    reader = reader_of(minus_two_be + 4, 4);
    assert_true(fil_reader_i32_be(&reader, &i32));
    assert_int_equal(i32, -2);
    reader = reader_of(minus_two_le, 8);
    assert_true(fil_reader_i64_le(&reader, &i64));
    assert_true(i64 == -2);
    reader = reader_of(minus_two_be, 8);
    assert_true(fil_reader_i64_be(&reader, &i64));
    assert_true(i64 == -2);
}

static void test_failed_read_moves_and_touches_nothing(void **state)
{
    (void)state;
    uint16_t u16 = 77;
    uint32_t u32 = 77;
    uint64_t u64 = 77;
    int32_t i32 = 77;
    int64_t i64 = 77;
    struct fil_bytes bytes = {.data = counted, .size = 77};
    uint8_t copied[8] = {77};
    struct fil_reader reader = reader_of(counted, 8);
    assert_true(fil_reader_skip(&reader, 7));
    assert_false(fil_reader_u16_le(&reader, &u16));
    assert_false(fil_reader_u16_be(&reader, &u16));
    assert_false(fil_reader_u32_le(&reader, &u32));
    assert_false(fil_reader_u32_be(&reader, &u32));
    assert_false(fil_reader_u64_le(&reader, &u64));
    assert_false(fil_reader_u64_be(&reader, &u64));
    assert_false(fil_reader_i32_le(&reader, &i32));
    assert_false(fil_reader_i32_be(&reader, &i32));
    assert_false(fil_reader_i64_le(&reader, &i64));
    assert_false(fil_reader_i64_be(&reader, &i64));
    assert_false(fil_reader_take(&reader, 2, &bytes));
    assert_false(fil_reader_peek(&reader, 2, &bytes));
    assert_false(fil_reader_copy(&reader, copied, 2));
    assert_false(fil_reader_skip(&reader, SIZE_MAX));
    assert_int_equal(reader.position, 7);
    assert_int_equal(u16 + u32 + u64, 3 * 77);
    assert_int_equal(i32 + i64, 2 * 77);
    assert_int_equal(bytes.size, 77);
    assert_int_equal(copied[0], 77);
}

static void test_bytes_are_lent_peeked_and_copied(void **state)
{
    (void)state;
    struct fil_reader reader = reader_of(counted, sizeof(counted));
    struct fil_bytes bytes = {0};
    uint8_t first = 0;
    assert_true(fil_reader_peek_u8(&reader, &first));
    assert_int_equal(first, 0x01);
    assert_true(fil_reader_peek(&reader, 3, &bytes));
    assert_int_equal(fil_reader_remaining(&reader), 8);
    assert_true(fil_reader_take(&reader, 3, &bytes));
    assert_ptr_equal(bytes.data, counted);
    assert_int_equal(bytes.size, 3);

    uint8_t copied[5] = {0};
    assert_int_equal(fil_reader_rest(&reader).size, 5);
    assert_true(fil_reader_copy(&reader, copied, 5));
    assert_memory_equal(copied, counted + 3, 5);
    assert_int_equal(fil_reader_remaining(&reader), 0);
    assert_false(fil_reader_peek_u8(&reader, &first));
    assert_true(fil_reader_take(&reader, 0, &bytes));
}

static void test_empty_reader_gives_nothing_but_nothing(void **state)
{
    (void)state;
    struct fil_reader reader = reader_of(NULL, 0);
    struct fil_bytes bytes = {.size = 5};
    uint8_t byte = 0;
    assert_false(fil_reader_u8(&reader, &byte));
    assert_true(fil_reader_take(&reader, 0, &bytes));
    assert_int_equal(bytes.size, 0);
    assert_true(fil_reader_copy(&reader, &byte, 0));
    assert_int_equal(fil_reader_rest(&reader).size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unsigned_integers_are_read_in_both_orders),
        cmocka_unit_test(test_signed_integers_keep_their_sign),
        cmocka_unit_test(test_failed_read_moves_and_touches_nothing),
        cmocka_unit_test(test_bytes_are_lent_peeked_and_copied),
        cmocka_unit_test(test_empty_reader_gives_nothing_but_nothing),
    };
    return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
