// SPDX-License-Identifier: Apache-2.0
/**
 * Messages of reliable topics: written as other clients write them, read with and without a
 * publisher, and anything else is refused wherever it is cut off.
 */
#include <string.h>

#include "client/reliable_message.h"
#include "filbert/error.h"
#include "tests/unit/harness.h"

// What the Python client 5.7.0 writes for the text "hi", published at 0x0102030405060708.
static const uint8_t plain[] = {
    0,  0, 0, 0, 0xff, 0xff, 0xff, 0xfe, 1,    0xff, 0xff, 0xff, 0xf7, 0,   0,   0,
    2,  1, 2, 3, 4,    5,    6,    7,    8,    0,    0,    0,    0,    0,   0,   0,
    14, 0, 0, 0, 0,    0xff, 0xff, 0xff, 0xf5, 0,    0,    0,    2,    'h', 'i',
};
#define VALUE_SIZE 14U

static void test_head_is_what_other_clients_write(void **state)
{
    (void)state;
    uint8_t head[FIL_RELIABLE_HEAD_SIZE];
    fil_reliable_head_encode(head, INT64_C(0x0102030405060708), VALUE_SIZE);
    assert_int_equal(sizeof(plain), FIL_RELIABLE_HEAD_SIZE + VALUE_SIZE);
    assert_memory_equal(head, plain, FIL_RELIABLE_HEAD_SIZE);
}

static void test_message_is_read(void **state)
{
    (void)state;
    int64_t time_ms = 0;
    struct fil_bytes value;
    struct fil_bytes data = fil_bytes_make(plain, sizeof(plain));
    assert_int_equal(fil_reliable_decode(data, &time_ms, &value), FIL_OK);
    assert_int_equal(time_ms, INT64_C(0x0102030405060708));
    assert_int_equal(value.size, VALUE_SIZE);
    assert_memory_equal(value.data, plain + FIL_RELIABLE_HEAD_SIZE, VALUE_SIZE);
}

static void test_publisher_is_stepped_over(void **state)
{
    (void)state;
    static const uint8_t publisher[] = {0xff, 0xff, 0xff, 0xfe, 1,    0, 0, 0, 0, 0, 0,  0,
                                        1,    0,    0,    0x16, 0x45, 4, 0, 0, 0, 1, 'h'};
    uint8_t message[sizeof(plain) - 4 + sizeof(publisher)];
    size_t before = FIL_RELIABLE_HEAD_SIZE - 8;
    memcpy(message, plain, before);
    memcpy(message + before, publisher, sizeof(publisher));
    memcpy(message + before + sizeof(publisher), plain + before + 4, sizeof(plain) - before - 4);
    int64_t time_ms = 0;
    struct fil_bytes value;
    struct fil_bytes data = fil_bytes_make(message, sizeof(message));
    assert_int_equal(fil_reliable_decode(data, &time_ms, &value), FIL_OK);
    assert_int_equal(value.size, VALUE_SIZE);
}

static void test_anything_cut_off_or_else_is_refused(void **state)
{
    (void)state;
    int64_t time_ms = 0;
    struct fil_bytes value;
    for (size_t size = 0; size < sizeof(plain); size++) {
        assert_int_equal(fil_reliable_decode(fil_bytes_make(plain, size), &time_ms, &value),
                         FIL_E_MALFORMED);
    }
    uint8_t other[sizeof(plain)];
    for (size_t at = 4; at < 17; at++) {
        memcpy(other, plain, sizeof(plain));
        other[at] ^= 0x40;
        struct fil_bytes data = fil_bytes_make(other, sizeof(other));
        assert_int_equal(fil_reliable_decode(data, &time_ms, &value), FIL_E_MALFORMED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_is_what_other_clients_write),
        cmocka_unit_test(test_message_is_read),
        cmocka_unit_test(test_publisher_is_stepped_over),
        cmocka_unit_test(test_anything_cut_off_or_else_is_refused),
    };
    return cmocka_run_group_tests_name("reliable messages", tests, NULL, NULL);
}
