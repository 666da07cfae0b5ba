// SPDX-License-Identifier: Apache-2.0
/** Words of commands as options, numbers and times, with Redis's rules. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/digits.h"
#include "protocol/resp/decoder.h"

#define FIL_RESP_STRING_BYTES_MAX ((size_t)512 << 20)
#define FIL_RESP_NUMBER_TEXT_MAX  FIL_DIGITS_MAX
#define FIL_RESP_FLOAT_BYTES_MAX  5120U

#define FIL_RESP_NOT_INTEGER "ERR value is not an integer or out of range"
#define FIL_RESP_NOT_FLOAT   "ERR value is not a valid float"
#define FIL_RESP_SYNTAX      "ERR syntax error"

/** FIL_RESP_PATTERN_BYTES_MAX. */
#define FIL_RESP_PATTERN_TOO_LONG "ERR the pattern is longer than 4096 bytes"
#define FIL_RESP_OVERFLOW         "ERR increment or decrement would overflow"

/** Whether the word with this index is there and is this one, in any case. */
bool fil_resp_word_is(const struct fil_resp_command *command, uint32_t index, const char *word);

/** A whole number as Redis spells it: no blanks, no plus, no zeros in front. */
static inline bool fil_resp_word_to_integer(struct fil_bytes word, int64_t *out_value)
{
    return fil_digits_read(word, out_value);
}

/** Writes the number without a 0 byte; returns its size. */
static inline size_t fil_resp_word_of_integer(int64_t value, char text[FIL_RESP_NUMBER_TEXT_MAX])
{
    return fil_digits_write(value, text);
}

/** A number with a fraction; infinite ones too, but no NaN. */
bool fil_resp_word_to_float(struct fil_bytes word, long double *out_value);

/** A score: infinite ones too, but no NaN. */
bool fil_resp_word_to_double(struct fil_bytes word, double *out_value);

/** Writes it as INCRBYFLOAT does: 17 digits behind the point, without the zeros at the end. */
size_t fil_resp_word_of_float(long double value, char text[FIL_RESP_FLOAT_BYTES_MAX]);

#define FIL_RESP_DOUBLE_BYTES_MAX 40U

/** Writes a score as Redis does: 17 digits at most, or inf; returns its size. */
size_t fil_resp_word_of_double(double value, char text[FIL_RESP_DOUBLE_BYTES_MAX]);

/** A time as a word tells it. */
enum fil_resp_time_unit {
    FIL_RESP_SECONDS,      // from now
    FIL_RESP_MILLISECONDS, // from now
    FIL_RESP_SECONDS_AT,   // since 1970
    FIL_RESP_MILLISECONDS_AT,
};

/** The time of day in milliseconds; false when it is later than an entry can be told to stay. */
bool fil_resp_word_to_time(int64_t value, enum fil_resp_time_unit unit, uint64_t now_ms,
                           int64_t *out_ms);
