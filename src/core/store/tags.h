// SPDX-License-Identifier: Apache-2.0
/**
 * Sixteen one-byte tags against one, in a few instructions: SSE2, NEON or plain C, chosen when this
 * is compiled. Bit i of the result tells whether byte i is equal.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/** The plain form, on every machine; the others must agree with it. */
static inline uint32_t fil_tags_match_plain(const uint8_t *tags, uint8_t wanted)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < 16; i++) {
        mask |= (uint32_t)(tags[i] == wanted) << i;
    }
    return mask;
}

static inline uint32_t fil_tags_match(const uint8_t *tags, uint8_t wanted)
{
#if defined(__SSE2__)
    __m128i loaded = _mm_loadu_si128((const __m128i *)(const void *)tags);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(loaded, _mm_set1_epi8((char)wanted)));
#elif defined(__aarch64__)
    static const uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t equal = vceqq_u8(vld1q_u8(tags), vdupq_n_u8(wanted));
    uint8x16_t picked = vandq_u8(equal, vld1q_u8(bits));
    return (uint32_t)vaddv_u8(vget_low_u8(picked)) | (uint32_t)vaddv_u8(vget_high_u8(picked)) << 8;
#else
    return fil_tags_match_plain(tags, wanted);
#endif
}
