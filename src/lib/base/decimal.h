// SPDX-License-Identifier: Apache-2.0
/** Whole numbers as decimal digits, two a division: replies are full of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FIL_DECIMAL_DIGITS_MAX 20U // of UINT64_MAX

/** "00" to "99". */
extern const char fil_decimal_pairs[201];

/** How many digits the number has. */
static inline size_t fil_decimal_size(uint64_t value)
{
    for (size_t size = 1;; size += 4) {
        if (value < 100) {
            return size + (value >= 10);
        }
        if (value < 10000) {
            return size + 2 + (value >= 1000);
        }
        value /= 10000;
    }
}

/** Writes the digits to the room, which has FIL_DECIMAL_DIGITS_MAX bytes; returns how many. */
static inline size_t fil_decimal_put(uint8_t *room, uint64_t value)
{
    size_t size = fil_decimal_size(value);
    uint8_t *at = room + size;
    while (value >= 100) {
        at -= 2;
        memcpy(at, fil_decimal_pairs + (value % 100) * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        memcpy(room, fil_decimal_pairs + value * 2, 2);
    } else {
        room[0] = (uint8_t)('0' + value);
    }
    return size;
}

/** The same with a sign where there must be one; the room has a byte more. */
static inline size_t fil_decimal_put_signed(uint8_t *room, int64_t value)
{
    if (value >= 0) {
        return fil_decimal_put(room, (uint64_t)value);
    }
    room[0] = '-';
    // Unsigned, because the smallest number has no positive twin.
    return 1 + fil_decimal_put(room + 1, UINT64_C(0) - (uint64_t)value);
}
