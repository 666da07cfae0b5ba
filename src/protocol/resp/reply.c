// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/decimal.h"
#include "protocol/resp/word.h"

#define NUMBER_BYTES_MAX FIL_RESP_INTEGER_BYTES_MAX
#define ERROR_BYTES_MAX  512U

/** Writes marker, number and line end; returns the bytes written. */
static size_t encode_number(uint8_t *room, char marker, int64_t value)
{
    room[0] = (uint8_t)marker;
    size_t size = 1 + fil_decimal_put_signed(room + 1, value);
    room[size] = '\r';
    room[size + 1] = '\n';
    return size + 2;
}

static void write_number(struct fil_output *output, char marker, int64_t value)
{
    uint8_t *room = fil_output_reserve(output, NUMBER_BYTES_MAX);
    if (room != NULL) {
        fil_output_commit(output, encode_number(room, marker, value));
    }
}

static inline void write_line(struct fil_output *output, char marker, struct fil_bytes text)
{
    uint8_t *room = fil_output_reserve(output, text.size + 3);
    if (room != NULL) {
        room[0] = (uint8_t)marker;
        memcpy(room + 1, text.data, text.size);
        room[text.size + 1] = '\r';
        room[text.size + 2] = '\n';
        fil_output_commit(output, text.size + 3);
    }
}

void fil_resp_simple(struct fil_output *output, const char *text)
{
    write_line(output, '+', fil_bytes_of(text));
}

void fil_resp_error(struct fil_output *output, const char *format, ...)
{
    char text[ERROR_BYTES_MAX];
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fil_assert(written >= 0);
    size_t size = (size_t)written < sizeof(text) ? (size_t)written : sizeof(text) - 1;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\r' || text[i] == '\n') {
            text[i] = ' ';
        }
    }
    fil_output_append(output, fil_bytes_of("-"));
    fil_output_append(output, fil_bytes_make(text, size));
    fil_output_append(output, fil_bytes_of("\r\n"));
}

void fil_resp_out_of_memory(struct fil_output *output)
{
    fil_resp_error(output, FIL_RESP_FULL);
}

void fil_resp_integer(struct fil_output *output, int64_t value)
{
    write_number(output, ':', value);
}

/** Room for a bulk of that size, with its head and its end; NULL: no memory. */
static inline uint8_t *reserve_bulk(struct fil_output *output, size_t size)
{
    return fil_output_reserve(output, NUMBER_BYTES_MAX + size + 2);
}

void fil_resp_bulk(struct fil_output *output, struct fil_bytes bytes)
{
    uint8_t *room = reserve_bulk(output, bytes.size);
    if (room == NULL) {
        return;
    }
    size_t size = encode_number(room, '$', (int64_t)bytes.size);
    if (bytes.size > 0) {
        memcpy(room + size, bytes.data, bytes.size);
    }
    size += bytes.size;
    room[size] = '\r';
    room[size + 1] = '\n';
    fil_output_commit(output, size + 2);
}

/** Nothing of a value was written: an error can take its place, if all before it was. */
static void refuse_value(struct fil_output *output, bool was_whole)
{
    if (was_whole) {
        output->queue.is_out_of_memory = false;
        fil_resp_error(output, "OOM no memory for the reply");
    }
}

void fil_resp_value(struct fil_output *output, struct fil_bytes bytes)
{
    bool was_whole = !output->queue.is_out_of_memory;
    fil_resp_bulk(output, bytes);
    if (FIL_UNLIKELY(output->queue.is_out_of_memory)) {
        refuse_value(output, was_whole);
    }
}

bool fil_resp_value_fits(struct fil_output *output, size_t size)
{
    bool was_whole = !output->queue.is_out_of_memory;
    bool fits = reserve_bulk(output, size) != NULL;
    if (FIL_UNLIKELY(!fits)) {
        refuse_value(output, was_whole);
    }
    return fits;
}

void fil_resp_bulk_text(struct fil_output *output, const char *text)
{
    fil_resp_bulk(output, fil_bytes_of(text));
}

void fil_resp_double(struct fil_output *output, int version, double value)
{
    char text[FIL_RESP_DOUBLE_BYTES_MAX];
    struct fil_bytes digits = fil_bytes_make(text, fil_resp_word_of_double(value, text));
    if (version < 3) {
        fil_resp_bulk(output, digits);
    } else {
        write_line(output, ',', digits);
    }
}

void fil_resp_verbatim(struct fil_output *output, int version, struct fil_bytes text)
{
    if (version < 3) {
        fil_resp_bulk(output, text);
        return;
    }
    write_number(output, '=', (int64_t)text.size + 4);
    fil_output_append(output, fil_bytes_of("txt:"));
    fil_output_append(output, text);
    fil_output_append(output, fil_bytes_of("\r\n"));
}

void fil_resp_null(struct fil_output *output, int version)
{
    fil_output_append(output, fil_bytes_of(version < 3 ? "$-1\r\n" : "_\r\n"));
}

void fil_resp_null_array(struct fil_output *output, int version)
{
    fil_output_append(output, fil_bytes_of(version < 3 ? "*-1\r\n" : "_\r\n"));
}

void fil_resp_array(struct fil_output *output, uint64_t count)
{
    write_number(output, '*', (int64_t)count);
}

void fil_resp_set(struct fil_output *output, int version, uint64_t count)
{
    write_number(output, version < 3 ? '*' : '~', (int64_t)count);
}

void fil_resp_map(struct fil_output *output, int version, uint64_t pair_count)
{
    write_number(output, version < 3 ? '*' : '%',
                 (int64_t)(version < 3 ? pair_count * 2 : pair_count));
}
