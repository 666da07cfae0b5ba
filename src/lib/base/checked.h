// SPDX-License-Identifier: Apache-2.0
/**
 * Arithmetic that tells when a result does not fit, and a few roundings of sizes.
 *
 * The checked functions return false on overflow; the out value then means nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/assert.h"
#include "lib/base/attr.h"

FIL_NODISCARD static inline bool fil_checked_add_size(size_t a, size_t b, size_t *out_sum)
{
    return !__builtin_add_overflow(a, b, out_sum);
}

FIL_NODISCARD static inline bool fil_checked_sub_size(size_t a, size_t b, size_t *out_difference)
{
    return !__builtin_sub_overflow(a, b, out_difference);
}

FIL_NODISCARD static inline bool fil_checked_mul_size(size_t a, size_t b, size_t *out_product)
{
    return !__builtin_mul_overflow(a, b, out_product);
}

FIL_NODISCARD static inline bool fil_checked_add_u32(uint32_t a, uint32_t b, uint32_t *out_sum)
{
    return !__builtin_add_overflow(a, b, out_sum);
}

FIL_NODISCARD static inline bool fil_checked_sub_u32(uint32_t a, uint32_t b,
                                                     uint32_t *out_difference)
{
    return !__builtin_sub_overflow(a, b, out_difference);
}

FIL_NODISCARD static inline bool fil_checked_mul_u32(uint32_t a, uint32_t b, uint32_t *out_product)
{
    return !__builtin_mul_overflow(a, b, out_product);
}

FIL_NODISCARD static inline bool fil_checked_add_u64(uint64_t a, uint64_t b, uint64_t *out_sum)
{
    return !__builtin_add_overflow(a, b, out_sum);
}

FIL_NODISCARD static inline bool fil_checked_sub_u64(uint64_t a, uint64_t b,
                                                     uint64_t *out_difference)
{
    return !__builtin_sub_overflow(a, b, out_difference);
}

FIL_NODISCARD static inline bool fil_checked_mul_u64(uint64_t a, uint64_t b, uint64_t *out_product)
{
    return !__builtin_mul_overflow(a, b, out_product);
}

FIL_NODISCARD static inline bool fil_checked_add_i64(int64_t a, int64_t b, int64_t *out_sum)
{
    return !__builtin_add_overflow(a, b, out_sum);
}

FIL_NODISCARD static inline bool fil_checked_sub_i64(int64_t a, int64_t b, int64_t *out_difference)
{
    return !__builtin_sub_overflow(a, b, out_difference);
}

FIL_NODISCARD static inline bool fil_checked_mul_i64(int64_t a, int64_t b, int64_t *out_product)
{
    return !__builtin_mul_overflow(a, b, out_product);
}

/** Zero is none. */
static inline bool fil_is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/** The smallest power of two that is not below the value; at most 2^63 may be asked for. */
static inline uint64_t fil_round_up_power_of_two(uint64_t value)
{
    fil_assert(value <= UINT64_C(1) << 63);
    return value <= 1 ? 1 : UINT64_C(1) << (64 - __builtin_clzll(value - 1));
}

/** The smallest multiple of the alignment (a power of two) that is not below the value. */
FIL_NODISCARD static inline bool fil_checked_align_up(size_t value, size_t alignment,
                                                      size_t *out_aligned)
{
    fil_assert(fil_is_power_of_two(alignment));
    size_t padded = 0;
    bool fits = fil_checked_add_size(value, alignment - 1, &padded);
    *out_aligned = padded & ~(alignment - 1);
    return fits;
}

/** As above for a value that is known to be small: an overflow is an assertion. */
static inline size_t fil_align_up(size_t value, size_t alignment)
{
    size_t aligned = 0;
    bool fits = fil_checked_align_up(value, alignment, &aligned);
    fil_assert(fits);
    return aligned;
}

static inline size_t fil_min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t fil_max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static inline uint64_t fil_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t fil_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}
