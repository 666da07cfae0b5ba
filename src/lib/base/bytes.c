// SPDX-License-Identifier: Apache-2.0
#include "lib/base/bytes.h"

#include "lib/base/assert.h"

/** Magnitude of INT64_MIN, which has no positive twin. */
#define I64_MAGNITUDE_MAX (UINT64_C(1) << 63)

static uint8_t to_lower(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + ('a' - 'A')) : byte;
}

bool fil_bytes__equal_nocase(const uint8_t *a, const uint8_t *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        // Most bytes have the same case, too.
        if (a[i] != b[i] && to_lower(a[i]) != to_lower(b[i])) {
            return false;
        }
    }
    return true;
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t';
}

struct fil_bytes fil_bytes_trim(struct fil_bytes bytes)
{
    size_t begin = 0;
    size_t end = bytes.size;
    while (begin < end && is_blank(bytes.data[begin])) {
        begin++;
    }
    while (end > begin && is_blank(bytes.data[end - 1])) {
        end--;
    }
    fil_assert(end >= begin);
    // An empty run may have no data at all, and NULL must not be moved.
    return begin == 0 ? fil_bytes_make(bytes.data, end)
                      : fil_bytes_make(bytes.data + begin, end - begin);
}

bool fil_bytes_to_u64(struct fil_bytes bytes, uint64_t *out_value)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size; i++) {
        uint8_t digit = (uint8_t)(bytes.data[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(value, UINT64_C(10), &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value)) {
            return false;
        }
    }
    if (bytes.size == 0) {
        return false;
    }
    *out_value = value;
    return true;
}

bool fil_bytes_to_i64(struct fil_bytes bytes, int64_t *out_value)
{
    bool is_negative = bytes.size > 0 && bytes.data[0] == '-';
    if (is_negative) {
        bytes = fil_bytes_make(bytes.data + 1, bytes.size - 1);
    }
    uint64_t magnitude = 0;
    uint64_t magnitude_max = is_negative ? I64_MAGNITUDE_MAX : I64_MAGNITUDE_MAX - 1;
    if (!fil_bytes_to_u64(bytes, &magnitude) || magnitude > magnitude_max) {
        return false;
    }
    // The negation is done unsigned, where the smallest number is no overflow.
    *out_value = (int64_t)(is_negative ? UINT64_C(0) - magnitude : magnitude);
    return true;
}
