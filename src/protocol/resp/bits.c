// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/bits.h"

#include <string.h>

#include "lib/base/assert.h"

#define WORD_BYTES 8U

static void check_range(struct fil_bytes bytes, struct fil_resp_bit_range range)
{
    fil_assert(range.first >= 0);
    fil_assert(range.first > range.last || (uint64_t)range.last / 8 < bytes.size);
}

/** The byte with zeros where its bits are not in the range. */
static uint8_t masked(struct fil_bytes bytes, struct fil_resp_bit_range range, uint64_t index)
{
    uint32_t byte = bytes.data[index];
    if (index == (uint64_t)range.first / 8) {
        byte &= 0xFFU >> (range.first & 7);
    }
    if (index == (uint64_t)range.last / 8) {
        byte &= 0xFFU << (7 - (range.last & 7));
    }
    return (uint8_t)byte;
}

static uint64_t word_at(const uint8_t *at)
{
    uint64_t word = 0;
    memcpy(&word, at, WORD_BYTES);
    return word;
}

uint64_t fil_resp_bits_count(struct fil_bytes bytes, struct fil_resp_bit_range range)
{
    check_range(bytes, range);
    if (range.first > range.last) {
        return 0;
    }
    uint64_t first = (uint64_t)range.first / 8;
    uint64_t last = (uint64_t)range.last / 8;
    uint64_t count = (uint64_t)__builtin_popcount(masked(bytes, range, first));
    if (first == last) {
        return count;
    }
    uint64_t at = first + 1;
    for (; at + WORD_BYTES <= last; at += WORD_BYTES) {
        count += (uint64_t)__builtin_popcountll(word_at(bytes.data + at));
    }
    for (; at < last; at++) {
        count += (uint64_t)__builtin_popcount(bytes.data[at]);
    }
    return count + (uint64_t)__builtin_popcount(masked(bytes, range, last));
}

/** Whole words from there on, before the last byte, that have no bit as wanted: how many bytes. */
static uint64_t skip_words(struct fil_bytes bytes, uint64_t from, uint64_t last, bool wanted)
{
    uint64_t dull = wanted ? 0 : UINT64_MAX;
    uint64_t at = from;
    while (at + WORD_BYTES <= last && word_at(bytes.data + at) == dull) {
        at += WORD_BYTES;
    }
    return at - from;
}

int64_t fil_resp_bits_find(struct fil_bytes bytes, struct fil_resp_bit_range range, bool wanted)
{
    check_range(bytes, range);
    if (range.first > range.last) {
        return -1;
    }
    uint64_t first = (uint64_t)range.first / 8;
    uint64_t last = (uint64_t)range.last / 8;
    for (uint64_t at = first; at <= last; at++) {
        at += at > first ? skip_words(bytes, at, last, wanted) : 0;
        struct fil_resp_bit_range here = {.first = (int64_t)at * 8, .last = (int64_t)at * 8 + 7};
        here.first = here.first < range.first ? range.first : here.first;
        here.last = here.last > range.last ? range.last : here.last;
        for (int64_t bit = here.first; bit <= here.last; bit++) {
            uint32_t byte = bytes.data[at];
            bool is_set = (byte >> (7 - (bit & 7)) & 1U) != 0;
            if (is_set == wanted) {
                return bit;
            }
        }
    }
    return -1;
}

static void check_field(const struct fil_resp_bit_field *field)
{
    fil_assert(field->width >= 1);
    fil_assert(field->width <= (field->is_signed ? 64U : 63U));
}

static uint64_t mask_of(const struct fil_resp_bit_field *field)
{
    return UINT64_MAX >> (64 - field->width);
}

/** The lowest bits of a number, as the field reads them. */
static int64_t read_as(const struct fil_resp_bit_field *field, uint64_t bits)
{
    uint64_t sign = UINT64_C(1) << (field->width - 1);
    bits &= mask_of(field);
    // Taking the sign's weight away twice: once as a bit, once for what it stands for.
    return (int64_t)(field->is_signed ? (bits ^ sign) - sign : bits);
}

int64_t fil_resp_bits_read(struct fil_bytes bytes, const struct fil_resp_bit_field *field)
{
    uint64_t bits = 0;
    check_field(field);
    for (uint64_t bit = field->offset; bit < field->offset + field->width; bit++) {
        uint64_t byte = bit / 8 < bytes.size ? bytes.data[bit / 8] : 0;
        bits = bits << 1 | (byte >> (7 - (bit & 7)) & 1U);
    }
    return read_as(field, bits);
}

void fil_resp_bits_write(uint8_t *row, const struct fil_resp_bit_field *field, int64_t number)
{
    check_field(field);
    for (uint32_t i = 0; i < field->width; i++) {
        uint64_t bit = field->offset + i;
        uint32_t mask = 0x80U >> (bit & 7);
        bool is_set = ((uint64_t)number >> (field->width - 1 - i) & 1U) != 0;
        row[bit / 8] = (uint8_t)(is_set ? row[bit / 8] | mask : row[bit / 8] & ~mask);
    }
}

/** What becomes of a number with these bits, which is beyond what the field can hold. */
static bool mend(const struct fil_resp_bit_field *field, uint64_t bits, bool is_above,
                 enum fil_resp_bit_overflow rule, int64_t *out_number)
{
    uint64_t highest = mask_of(field) >> field->is_signed;
    uint64_t lowest = field->is_signed ? ~highest : 0;
    if (rule == FIL_RESP_BIT_SATURATE) {
        *out_number = (int64_t)(is_above ? highest : lowest);
    } else {
        *out_number = read_as(field, bits);
    }
    return rule != FIL_RESP_BIT_FAIL;
}

bool fil_resp_bits_add(const struct fil_resp_bit_field *field, int64_t number, int64_t more,
                       enum fil_resp_bit_overflow rule, int64_t *out_sum)
{
    check_field(field);
    // The highest number of 63 bits and more is that of 64 with a sign: the sum tells both apart.
    int64_t highest = (int64_t)(mask_of(field) >> field->is_signed);
    int64_t lowest = field->is_signed ? -highest - 1 : 0;
    int64_t sum = 0;
    bool is_beyond = __builtin_add_overflow(number, more, &sum);
    bool is_above = is_beyond ? more > 0 : sum > highest;
    bool is_below = is_beyond ? more < 0 : sum < lowest;
    *out_sum = sum;
    return (!is_above && !is_below) ||
           mend(field, (uint64_t)number + (uint64_t)more, is_above, rule, out_sum);
}

bool fil_resp_bits_fit(const struct fil_resp_bit_field *field, int64_t number,
                       enum fil_resp_bit_overflow rule, int64_t *out_number)
{
    // An unsigned field takes a negative number for the large one that has its bits.
    if (!field->is_signed && number < 0) {
        check_field(field);
        return mend(field, (uint64_t)number, true, rule, out_number);
    }
    return fil_resp_bits_add(field, number, 0, rule, out_number);
}
