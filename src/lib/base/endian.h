// SPDX-License-Identifier: Apache-2.0
/** Integers in memory at any address, in a stated byte order. The caller has checked the size. */
#pragma once

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FIL_LE16(value) (value)
#define FIL_LE32(value) (value)
#define FIL_LE64(value) (value)
#define FIL_BE16(value) __builtin_bswap16(value)
#define FIL_BE32(value) __builtin_bswap32(value)
#define FIL_BE64(value) __builtin_bswap64(value)
#else
#define FIL_LE16(value) __builtin_bswap16(value)
#define FIL_LE32(value) __builtin_bswap32(value)
#define FIL_LE64(value) __builtin_bswap64(value)
#define FIL_BE16(value) (value)
#define FIL_BE32(value) (value)
#define FIL_BE64(value) (value)
#endif

static inline uint16_t fil_load_u16_le(const void *from)
{
    uint16_t raw;
    memcpy(&raw, from, sizeof(raw));
    return FIL_LE16(raw);
}

static inline uint32_t fil_load_u32_le(const void *from)
{
    uint32_t raw;
    memcpy(&raw, from, sizeof(raw));
    return FIL_LE32(raw);
}

static inline uint64_t fil_load_u64_le(const void *from)
{
    uint64_t raw;
    memcpy(&raw, from, sizeof(raw));
    return FIL_LE64(raw);
}

static inline uint16_t fil_load_u16_be(const void *from)
{
    uint16_t raw;
    memcpy(&raw, from, sizeof(raw));
    return FIL_BE16(raw);
}

static inline uint32_t fil_load_u32_be(const void *from)
{
    uint32_t raw;
    memcpy(&raw, from, sizeof(raw));
    return FIL_BE32(raw);
}

static inline uint64_t fil_load_u64_be(const void *from)
{
    uint64_t raw;
    memcpy(&raw, from, sizeof(raw));
    return FIL_BE64(raw);
}

static inline void fil_store_u16_le(void *to, uint16_t value)
{
    uint16_t raw = FIL_LE16(value);
    memcpy(to, &raw, sizeof(raw));
}

static inline void fil_store_u32_le(void *to, uint32_t value)
{
    uint32_t raw = FIL_LE32(value);
    memcpy(to, &raw, sizeof(raw));
}

static inline void fil_store_u64_le(void *to, uint64_t value)
{
    uint64_t raw = FIL_LE64(value);
    memcpy(to, &raw, sizeof(raw));
}

static inline void fil_store_u16_be(void *to, uint16_t value)
{
    uint16_t raw = FIL_BE16(value);
    memcpy(to, &raw, sizeof(raw));
}

static inline void fil_store_u32_be(void *to, uint32_t value)
{
    uint32_t raw = FIL_BE32(value);
    memcpy(to, &raw, sizeof(raw));
}

static inline void fil_store_u64_be(void *to, uint64_t value)
{
    uint64_t raw = FIL_BE64(value);
    memcpy(to, &raw, sizeof(raw));
}
