// SPDX-License-Identifier: Apache-2.0
/**
 * The bounded writer, one test a promise: every width and byte order is written as stated; a write
 * that does not fit leaves no part of itself, makes the writer full for good and never touches a
 * byte behind the capacity; decimals and formats are exact at their ends.
 */
#include "lib/base/writer.h"

#include <stdio.h>

#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

static void test_integers_are_written_in_both_orders(void **state)
{
    (void)state;
    uint8_t memory[64];
    struct fil_writer writer;
    fil_writer_init(&writer, memory, sizeof(memory));
    assert_true(fil_writer_u8(&writer, 0x01));
    assert_true(fil_writer_u16_le(&writer, 0x0302));
    assert_true(fil_writer_u16_be(&writer, 0x0405));
    assert_true(fil_writer_u32_le(&writer, 0x09080706));
    assert_true(fil_writer_u32_be(&writer, 0x0a0b0c0d));
    assert_true(fil_writer_u64_le(&writer, UINT64_C(0x1514131211100f0e)));
    assert_true(fil_writer_u64_be(&writer, UINT64_C(0x161718191a1b1c1d)));
    assert_int_equal(writer.size, 29);
    for (uint8_t i = 0; i < 29; i++) {
        assert_int_equal(memory[i], i + 1);
    }
    uint8_t *later = fil_writer_reserve(&writer, 2);
    assert_ptr_equal(later, memory + 29);
    assert_true(fil_writer_fill(&writer, 'x', 3));
    assert_true(fil_writer_text(&writer, "yz"));
    assert_memory_equal(memory + 31, "xxxyz", 5);
    assert_int_equal(fil_writer_written(&writer).size, 36);
    assert_int_equal(fil_writer_room(&writer), 28);
}

static void test_reals_are_as_short_as_they_can_be(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {-2.5, "-2.5"},
                 {1e300, "1e+300"},
                 {1.0 / 3, "0.3333333333333333"},
                 {-1.7976931348623157e308, "-1.7976931348623157e+308"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char memory[24];
        struct fil_writer writer;
        fil_writer_init(&writer, memory, sizeof(memory));
        assert_true(fil_writer_real(&writer, cases[i].value));
        assert_int_equal(writer.size, strlen(cases[i].text));
        assert_memory_equal(memory, cases[i].text, writer.size);
    }
}

typedef bool (*write_fn)(struct fil_writer *writer);

static bool write_u16(struct fil_writer *writer)
{
    return fil_writer_u16_le(writer, 0xffff) && fil_writer_u16_be(writer, 0xffff);
}

static bool write_u32(struct fil_writer *writer)
{
    return fil_writer_u32_le(writer, UINT32_MAX) && fil_writer_u32_be(writer, UINT32_MAX);
}

static bool write_u64(struct fil_writer *writer)
{
    return fil_writer_u64_le(writer, UINT64_MAX) && fil_writer_u64_be(writer, UINT64_MAX);
}

static bool write_text(struct fil_writer *writer)
{
    return fil_writer_text(writer, "abc");
}

static bool write_fill(struct fil_writer *writer)
{
    return fil_writer_fill(writer, 0xff, 7);
}

static bool write_decimal(struct fil_writer *writer)
{
    return fil_writer_decimal_i64(writer, -12345);
}

static bool write_format(struct fil_writer *writer)
{
    return fil_writer_format(writer, "%s=%d", "number", 17);
}

static void test_no_write_leaves_its_memory_or_part_of_itself(void **state)
{
    (void)state;
    static const struct {
        write_fn write;
        size_t part; // what is written goes in steps of this
    } cases[] = {
        {write_u16, 2},  {write_u32, 4},     {write_u64, 8},    {write_text, 3},
        {write_fill, 7}, {write_decimal, 6}, {write_format, 9},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (size_t capacity = 0; capacity < 20; capacity++) {
            // One byte more than the capacity as a guard; the sanitizer guards the rest.
            uint8_t *memory = fil_alloc(capacity + 1);
            assert_non_null(memory);
            memory[capacity] = 0x5a;
            struct fil_writer writer;
            fil_writer_init(&writer, memory, capacity);
            bool is_written = cases[i].write(&writer);
            assert_int_equal(writer.is_full, !is_written);
            assert_true(writer.size <= capacity);
            assert_int_equal(writer.size % cases[i].part, 0);
            assert_int_equal(memory[capacity], 0x5a);
            fil_free(memory);
        }
    }
}

static void test_full_writer_stays_full(void **state)
{
    (void)state;
    uint8_t memory[4];
    struct fil_writer writer;
    fil_writer_init(&writer, memory, sizeof(memory));
    assert_true(fil_writer_text(&writer, "ab"));
    assert_false(fil_writer_text(&writer, "cde"));
    assert_true(writer.is_full);
    assert_int_equal(fil_writer_room(&writer), 0);
    // Each of these would fit.
    assert_false(fil_writer_u8(&writer, 'c'));
    assert_false(fil_writer_text(&writer, "c"));
    assert_false(fil_writer_text(&writer, ""));
    assert_false(fil_writer_fill(&writer, 'c', 0));
    assert_false(fil_writer_decimal_u64(&writer, 1));
    assert_false(fil_writer_format(&writer, "c"));
    assert_null(fil_writer_reserve(&writer, 1));
    assert_true(fil_bytes_equal_text(fil_writer_written(&writer), "ab"));
}

static void check_decimal(int64_t value)
{
    char expected[64];
    (void)snprintf(expected, sizeof(expected), "%lld/%llu", (long long)value,
                   (unsigned long long)value);
    char memory[64];
    struct fil_writer writer;
    fil_writer_init(&writer, memory, sizeof(memory));
    assert_true(fil_writer_decimal_i64(&writer, value));
    assert_true(fil_writer_u8(&writer, '/'));
    assert_true(fil_writer_decimal_u64(&writer, (uint64_t)value));
    assert_string_equal(fil_writer_terminate(&writer), expected);
}

static void test_decimals_are_exact_for_every_length(void **state)
{
    (void)state;
    for (int64_t power = 1; power < INT64_MAX / 10; power *= 10) {
        for (int64_t near = -2; near <= 2; near++) {
            check_decimal(power + near);
            check_decimal(-power + near);
            check_decimal(power * 5 + near);
        }
    }
    check_decimal(INT64_MAX);
    check_decimal(INT64_MIN);
    check_decimal(-1);
    for (int64_t value = 0; value < 1000; value++) {
        check_decimal(value);
    }
}

static void test_terminate_always_ends_the_text_inside(void **state)
{
    (void)state;
    char memory[4];
    struct fil_writer writer;
    fil_writer_init(&writer, memory, sizeof(memory));
    assert_string_equal(fil_writer_terminate(&writer), "");
    fil_writer_text(&writer, "abc");
    assert_string_equal(fil_writer_terminate(&writer), "abc");
    assert_false(writer.is_full);
    fil_writer_u8(&writer, 'd');
    assert_string_equal(fil_writer_terminate(&writer), "abc");
    assert_true(writer.is_full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_are_written_in_both_orders),
        cmocka_unit_test(test_reals_are_as_short_as_they_can_be),
        cmocka_unit_test(test_no_write_leaves_its_memory_or_part_of_itself),
        cmocka_unit_test(test_full_writer_stays_full),
        cmocka_unit_test(test_decimals_are_exact_for_every_length),
        cmocka_unit_test(test_terminate_always_ends_the_text_inside),
    };
    return cmocka_run_group_tests_name("writer", tests, NULL, NULL);
}
