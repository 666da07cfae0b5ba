// SPDX-License-Identifier: Apache-2.0
/**
 * Strings as rows of bits: the first bit is the highest one of the first byte.
 *
 * Behind its end a string has zeros; who reads there gets them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/bytes.h"

/** Some bits, from the first to the last; none when the first is behind the last. */
struct fil_resp_bit_range {
    int64_t first;
    int64_t last;
};

/** A whole number that stands somewhere in a row of bits, its highest bit first. */
struct fil_resp_bit_field {
    uint64_t offset;
    uint32_t width; // up to 64, of an unsigned one 63
    bool is_signed;
};

/** What a number that does not fit becomes. */
enum fil_resp_bit_overflow {
    FIL_RESP_BIT_WRAP,
    FIL_RESP_BIT_SATURATE,
    FIL_RESP_BIT_FAIL,
};

/** How many bits of the range are set; it must be within the bytes. */
uint64_t fil_resp_bits_count(struct fil_bytes bytes, struct fil_resp_bit_range range);

/** The first bit of the range that is as wanted; -1: none is. It must be within the bytes. */
int64_t fil_resp_bits_find(struct fil_bytes bytes, struct fil_resp_bit_range range, bool wanted);

/** The bits of the field, sign extended if it is signed. */
int64_t fil_resp_bits_read(struct fil_bytes bytes, const struct fil_resp_bit_field *field);

/** Writes the number's lowest bits; the field must be within the row. */
void fil_resp_bits_write(uint8_t *row, const struct fil_resp_bit_field *field, int64_t number);

/** The sum as the field can hold it; false when it does not fit, and the rule says to fail. */
bool fil_resp_bits_add(const struct fil_resp_bit_field *field, int64_t number, int64_t more,
                       enum fil_resp_bit_overflow rule, int64_t *out_sum);

/** The number itself as the field can hold it; likewise. */
bool fil_resp_bits_fit(const struct fil_resp_bit_field *field, int64_t number,
                       enum fil_resp_bit_overflow rule, int64_t *out_number);
