// SPDX-License-Identifier: Apache-2.0
/** Whole numbers as text with exactly one spelling: no blanks, no plus, no zeros in front. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define FIL_DIGITS_MAX 21U // sign and digits of an int64_t, and room for a 0 byte

#define FIL_DIGITS_FEW 9U // that are read without a look at their sum

/** As read, for whatever text. */
bool fil_digits__read_any(struct fil_bytes text, int64_t *out_value);

/** Whether the text is the one spelling of a number. */
static inline bool fil_digits_read(struct fil_bytes text, int64_t *out_value)
{
    uint32_t value = 0;
    bool is_few = text.size > 0 && text.size <= FIL_DIGITS_FEW && text.data[0] != '0';
    for (size_t i = 0; is_few && i < text.size; i++) {
        uint32_t digit = (uint32_t)text.data[i] - '0';
        value = value * 10 + digit;
        is_few = digit <= 9;
    }
    if (FIL_UNLIKELY(!is_few)) {
        return fil_digits__read_any(text, out_value);
    }
    *out_value = value;
    return true;
}

/** Writes the number without a 0 byte; returns its size. */
size_t fil_digits_write(int64_t value, char text[FIL_DIGITS_MAX]);
