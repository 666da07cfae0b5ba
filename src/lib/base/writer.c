// SPDX-License-Identifier: Apache-2.0
#include "lib/base/writer.h"

#include <stdio.h>

/** Digits of UINT64_MAX. */
#define DECIMAL_DIGITS_MAX 20

/** "00" to "99": two digits a division. */
static const char digit_pairs[201] = "00010203040506070809"
                                     "10111213141516171819"
                                     "20212223242526272829"
                                     "30313233343536373839"
                                     "40414243444546474849"
                                     "50515253545556575859"
                                     "60616263646566676869"
                                     "70717273747576777879"
                                     "80818283848586878889"
                                     "90919293949596979899";

bool fil_writer_fill(struct fil_writer *writer, uint8_t byte, size_t count)
{
    if (count == 0) {
        return !writer->is_full;
    }
    uint8_t *here = fil_writer_reserve(writer, count);
    if (here == NULL) {
        return false;
    }
    memset(here, byte, count);
    return true;
}

/** Writes the digits so that they end at the array's end; returns where they begin. */
static size_t put_digits(uint8_t digits[DECIMAL_DIGITS_MAX], uint64_t value)
{
    size_t begin = DECIMAL_DIGITS_MAX;
    while (value >= 100) {
        begin -= 2;
        memcpy(digits + begin, digit_pairs + (value % 100) * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        begin -= 2;
        memcpy(digits + begin, digit_pairs + value * 2, 2);
    } else {
        begin--;
        digits[begin] = (uint8_t)('0' + value);
    }
    fil_debug_assert(begin < DECIMAL_DIGITS_MAX);
    return begin;
}

bool fil_writer_decimal_u64(struct fil_writer *writer, uint64_t value)
{
    uint8_t digits[DECIMAL_DIGITS_MAX];
    size_t begin = put_digits(digits, value);
    return fil_writer_bytes(writer, fil_bytes_make(digits + begin, sizeof(digits) - begin));
}

bool fil_writer_decimal_i64(struct fil_writer *writer, int64_t value)
{
    if (value >= 0) {
        return fil_writer_decimal_u64(writer, (uint64_t)value);
    }
    uint8_t digits[1 + DECIMAL_DIGITS_MAX];
    // Unsigned, because the smallest number has no positive twin.
    size_t begin = put_digits(digits + 1, UINT64_C(0) - (uint64_t)value);
    digits[begin] = '-';
    return fil_writer_bytes(writer, fil_bytes_make(digits + begin, sizeof(digits) - begin));
}

bool fil_writer_format_list(struct fil_writer *writer, const char *format, va_list arguments)
{
    size_t room = fil_writer_room(writer);
    if (room == 0) {
        writer->is_full = true;
        return false;
    }
    int length = vsnprintf((char *)writer->data + writer->size, room, format, arguments);
    if (length < 0 || (size_t)length >= room) {
        writer->is_full = true;
        return false;
    }
    writer->size += (size_t)length;
    return true;
}

bool fil_writer_format(struct fil_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool is_written = fil_writer_format_list(writer, format, arguments);
    va_end(arguments);
    return is_written;
}

const char *fil_writer_terminate(struct fil_writer *writer)
{
    fil_assert(writer->capacity > 0);
    if (writer->size == writer->capacity) {
        writer->size--;
        writer->is_full = true;
    }
    writer->data[writer->size] = 0;
    return (const char *)writer->data;
}
