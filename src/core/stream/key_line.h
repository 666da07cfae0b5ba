// SPDX-License-Identifier: Apache-2.0
/**
 * A line of the key table's index: eight entries that are looked at together, in a few instructions
 * of SSE2 or in plain C, chosen when this is compiled.
 */
#pragma once

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define FIL_KEY_LINE_PLACES 8U

struct fil_key_line {
    uint32_t tags[FIL_KEY_LINE_PLACES];  // low halves of the hashes
    uint32_t slots[FIL_KEY_LINE_PLACES]; // plus 1; 0: free, UINT32_MAX: was removed
};

_Static_assert(sizeof(struct fil_key_line) == 64, "a line of the cache");

/** The plain form, on every machine; the other must agree with it. */
static inline uint32_t fil_key_line_match_plain(const uint32_t numbers[FIL_KEY_LINE_PLACES],
                                                uint32_t wanted)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < FIL_KEY_LINE_PLACES; i++) {
        mask |= (uint32_t)(numbers[i] == wanted) << i;
    }
    return mask;
}

/** Bit i tells whether number i of the tags, or of the slots, is the wanted one. */
static inline uint32_t fil_key_line_match(const uint32_t numbers[FIL_KEY_LINE_PLACES],
                                          uint32_t wanted)
{
#if defined(__SSE2__)
    __m128i all = _mm_set1_epi32((int)wanted);
    const __m128i *halves = (const __m128i *)(const void *)numbers;
    __m128i low = _mm_cmpeq_epi32(_mm_loadu_si128(&halves[0]), all);
    __m128i high = _mm_cmpeq_epi32(_mm_loadu_si128(&halves[1]), all);
    __m128i both = _mm_packs_epi32(low, high);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(both, _mm_setzero_si128()));
#else
    return fil_key_line_match_plain(numbers, wanted);
#endif
}
