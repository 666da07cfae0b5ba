// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/word.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/assert.h"

bool fil_resp_word_is(const struct fil_resp_command *command, uint32_t index, const char *word)
{
    return index < command->count &&
           fil_bytes_equal_nocase(fil_resp_argument(command, index), fil_bytes_of(word));
}

bool fil_resp_word_to_integer(struct fil_bytes word, int64_t *out_value)
{
    bool is_negative = word.size > 0 && word.data[0] == '-';
    size_t at = is_negative ? 1 : 0;
    if (word.size == at || word.size - at > 19) {
        return false;
    }
    if (word.data[at] == '0') {
        *out_value = 0;
        return word.size == 1;
    }
    uint64_t value = 0;
    for (; at < word.size; at++) {
        uint8_t digit = (uint8_t)(word.data[at] - '0');
        if (digit > 9) {
            return false;
        }
        value = value * 10 + digit; // 19 digits fit
    }
    if (value > (uint64_t)INT64_MAX + is_negative) {
        return false;
    }
    *out_value = (int64_t)(is_negative ? 0 - value : value);
    return true;
}

size_t fil_resp_word_of_integer(int64_t value, char text[FIL_RESP_NUMBER_TEXT_MAX])
{
    char digits[20];
    size_t count = 0;
    size_t size = 0;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        digits[count] = (char)('0' + rest % 10);
        count++;
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        text[size++] = '-';
    }
    while (count > 0) {
        text[size++] = digits[--count];
    }
    fil_assert(size < FIL_RESP_NUMBER_TEXT_MAX);
    return size;
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

bool fil_resp_word_to_float(struct fil_bytes word, long double *out_value)
{
    char text[FIL_RESP_FLOAT_BYTES_MAX];
    if (word.size == 0 || word.size >= sizeof(text) || is_blank(word.data[0])) {
        return false;
    }
    memcpy(text, word.data, word.size);
    text[word.size] = '\0';
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
    return true;
}
