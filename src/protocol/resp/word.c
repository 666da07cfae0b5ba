// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/word.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/store.h"
#include "lib/base/assert.h"

#define WHOLE_DIGITS_MAX 18U // fit into 64 bits
#define WHOLE_EXACT_MAX  (UINT64_C(1) << 53)

bool fil_resp_word_is(const struct fil_resp_command *command, uint32_t index, const char *word)
{
    return index < command->count &&
           fil_bytes_equal_nocase(fil_resp_argument(command, index), fil_bytes_of(word));
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/** The word as a C string; false when it cannot be a number. */
static bool copy_number(struct fil_bytes word, char text[FIL_RESP_FLOAT_BYTES_MAX])
{
    if (word.size == 0 || word.size >= FIL_RESP_FLOAT_BYTES_MAX || is_blank(word.data[0])) {
        return false;
    }
    memcpy(text, word.data, word.size);
    text[word.size] = '\0';
    return true;
}

/** Whether the word is nothing but digits, of a number that a double holds exactly. */
static bool read_whole(struct fil_bytes word, double *out_value)
{
    uint64_t whole = 0;
    bool is_negative = word.size > 1 && word.data[0] == '-';
    if (word.size == 0 || word.size > WHOLE_DIGITS_MAX) {
        return false;
    }
    for (size_t i = is_negative; i < word.size; i++) {
        uint32_t digit = (uint32_t)word.data[i] - '0';
        if (digit > 9) {
            return false;
        }
        whole = whole * 10 + digit;
    }
    *out_value = is_negative ? -(double)whole : (double)whole;
    return whole <= WHOLE_EXACT_MAX;
}

bool fil_resp_word_to_double(struct fil_bytes word, double *out_value)
{
    char text[FIL_RESP_FLOAT_BYTES_MAX];
    // Most scores are small whole numbers.
    if (read_whole(word, out_value)) {
        return true;
    }
    if (!copy_number(word, text)) {
        return false;
    }
    char *end = NULL;
    errno = 0;
    double value = strtod(text, &end);
    bool is_out_of_range = errno == ERANGE && (isinf(value) || value == 0);
    *out_value = value;
    return end == text + word.size && !is_out_of_range && !isnan(value);
}

bool fil_resp_word_to_float(struct fil_bytes word, long double *out_value)
{
    char text[FIL_RESP_FLOAT_BYTES_MAX];
    if (!copy_number(word, text)) {
        return false;
    }
    char *end = NULL;
    errno = 0;
    long double value = strtold(text, &end);
    bool is_out_of_range = errno == ERANGE && (isinf(value) || value == 0);
    *out_value = value;
    return end == text + word.size && !is_out_of_range && !isnan(value);
}

size_t fil_resp_word_of_float(long double value, char text[FIL_RESP_FLOAT_BYTES_MAX])
{
    fil_assert(isfinite(value));
    int written = snprintf(text, FIL_RESP_FLOAT_BYTES_MAX, "%.17Lf", value);
    fil_assert(written > 0 && (size_t)written < FIL_RESP_FLOAT_BYTES_MAX);
    size_t size = (size_t)written;
    while (text[size - 1] == '0') {
        size--;
    }
    if (text[size - 1] == '.') {
        size--;
    }
    if (size == 2 && memcmp(text, "-0", 2) == 0) {
        text[0] = '0';
        size = 1;
    }
    return size;
}

size_t fil_resp_word_of_double(double value, char text[FIL_RESP_DOUBLE_BYTES_MAX])
{
    fil_assert(!isnan(value));
    int written = snprintf(text, FIL_RESP_DOUBLE_BYTES_MAX, "%.17g", value);
    fil_assert(written > 0 && written < (int)FIL_RESP_DOUBLE_BYTES_MAX);
    return (size_t)written;
}

bool fil_resp_word_to_time(int64_t value, enum fil_resp_time_unit unit, uint64_t now_ms,
                           int64_t *out_ms)
{
    bool is_seconds = unit == FIL_RESP_SECONDS || unit == FIL_RESP_SECONDS_AT;
    bool is_relative = unit == FIL_RESP_SECONDS || unit == FIL_RESP_MILLISECONDS;
    if (is_seconds && (value > INT64_MAX / 1000 || value < INT64_MIN / 1000)) {
        return false;
    }
    int64_t milliseconds = is_seconds ? value * 1000 : value;
    int64_t base = is_relative ? (int64_t)now_ms : 0;
    if (milliseconds > INT64_MAX - base) {
        return false;
    }
    *out_ms = milliseconds + base;
    return *out_ms <= (int64_t)FIL_STORE_TIME_MAX;
}
