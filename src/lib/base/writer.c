// SPDX-License-Identifier: Apache-2.0
#include "lib/base/writer.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/decimal.h"

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

bool fil_writer_decimal_u64(struct fil_writer *writer, uint64_t value)
{
    uint8_t digits[FIL_DECIMAL_DIGITS_MAX];
    return fil_writer_bytes(writer, fil_bytes_make(digits, fil_decimal_put(digits, value)));
}

bool fil_writer_decimal_i64(struct fil_writer *writer, int64_t value)
{
    uint8_t digits[1 + FIL_DECIMAL_DIGITS_MAX];
    return fil_writer_bytes(writer, fil_bytes_make(digits, fil_decimal_put_signed(digits, value)));
}

bool fil_writer_real(struct fil_writer *writer, double value)
{
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof(text), "%.*g", digits, value);
        double back = strtod(text, NULL);
        if (back >= value && back <= value) {
            break;
        }
    }
    return fil_writer_text(writer, text);
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
