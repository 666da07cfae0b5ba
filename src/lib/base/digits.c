// SPDX-License-Identifier: Apache-2.0
#include "lib/base/digits.h"

#include "lib/base/assert.h"
#include "lib/base/decimal.h"

bool fil_digits__read_any(struct fil_bytes text, int64_t *out_value)
{
    bool is_negative = text.size > 0 && text.data[0] == '-';
    size_t at = is_negative ? 1 : 0;
    if (text.size == at || text.size - at > 19) {
        return false;
    }
    if (text.data[at] == '0' && text.size > 1) {
        return false;
    }
    uint64_t value = 0;
    for (; at < text.size; at++) {
        uint8_t digit = (uint8_t)(text.data[at] - '0');
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

size_t fil_digits_write(int64_t value, char text[FIL_DIGITS_MAX])
{
    size_t size = fil_decimal_put_signed((uint8_t *)text, value);
    fil_assert(size < FIL_DIGITS_MAX);
    return size;
}
