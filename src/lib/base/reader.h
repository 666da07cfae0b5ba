// SPDX-License-Identifier: Apache-2.0
/**
 * Bounded reading of bytes: no step leaves the bytes that were given.
 *
 * Each function returns false when too few bytes are left; the reader then stands where it stood
 * and the out value is untouched.
 *
 * Memory: borrows; what it gives out points into the bytes it reads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/endian.h"

struct fil_reader {
    const uint8_t *data;
    size_t size;
    size_t position;
};

static inline void fil_reader_init(struct fil_reader *reader, struct fil_bytes bytes)
{
    fil_debug_assert(bytes.data != NULL || bytes.size == 0);
    *reader = (struct fil_reader){.data = bytes.data, .size = bytes.size};
}

static inline size_t fil_reader_remaining(const struct fil_reader *reader)
{
    fil_debug_assert(reader->position <= reader->size);
    return reader->size - reader->position;
}

/** All that is left, without moving. */
static inline struct fil_bytes fil_reader_rest(const struct fil_reader *reader)
{
    return reader->size == 0
               ? fil_bytes_make(NULL, 0)
               : fil_bytes_make(reader->data + reader->position, fil_reader_remaining(reader));
}

FIL_NODISCARD static inline bool fil_reader_skip(struct fil_reader *reader, size_t size)
{
    if (FIL_UNLIKELY(fil_reader_remaining(reader) < size)) {
        return false;
    }
    reader->position += size;
    return true;
}

/** The next bytes, without moving. */
FIL_NODISCARD static inline bool fil_reader_peek(const struct fil_reader *reader, size_t size,
                                                 struct fil_bytes *out_bytes)
{
    if (FIL_UNLIKELY(fil_reader_remaining(reader) < size)) {
        return false;
    }
    *out_bytes = fil_bytes_make(fil_reader_rest(reader).data, size);
    return true;
}

/** The next bytes; they stay where they are. */
FIL_NODISCARD static inline bool fil_reader_take(struct fil_reader *reader, size_t size,
                                                 struct fil_bytes *out_bytes)
{
    return fil_reader_peek(reader, size, out_bytes) && fil_reader_skip(reader, size);
}

/** Copies the next bytes to memory of the caller. */
FIL_NODISCARD static inline bool fil_reader_copy(struct fil_reader *reader, void *out_memory,
                                                 size_t size)
{
    struct fil_bytes bytes = {0};
    if (!fil_reader_take(reader, size, &bytes)) {
        return false;
    }
    if (size > 0) {
        memcpy(out_memory, bytes.data, size);
    }
    return true;
}

/** Where the next `size` bytes stand, and steps over them; NULL when they are not there. */
FIL_NODISCARD static inline const uint8_t *fil_reader_step(struct fil_reader *reader, size_t size)
{
    fil_debug_assert(size > 0);
    if (FIL_UNLIKELY(fil_reader_remaining(reader) < size)) {
        return NULL;
    }
    const uint8_t *here = reader->data + reader->position;
    reader->position += size;
    return here;
}

FIL_NODISCARD static inline bool fil_reader_peek_u8(const struct fil_reader *reader,
                                                    uint8_t *out_value)
{
    if (FIL_UNLIKELY(fil_reader_remaining(reader) == 0)) {
        return false;
    }
    *out_value = reader->data[reader->position];
    return true;
}

FIL_NODISCARD static inline bool fil_reader_u8(struct fil_reader *reader, uint8_t *out_value)
{
    const uint8_t *here = fil_reader_step(reader, sizeof(*out_value));
    if (FIL_UNLIKELY(here == NULL)) {
        return false;
    }
    *out_value = *here;
    return true;
}

FIL_NODISCARD static inline bool fil_reader_u16_le(struct fil_reader *reader, uint16_t *out_value)
{
    const uint8_t *here = fil_reader_step(reader, sizeof(*out_value));
    if (FIL_UNLIKELY(here == NULL)) {
        return false;
    }
    *out_value = fil_load_u16_le(here);
    return true;
}

FIL_NODISCARD static inline bool fil_reader_u32_le(struct fil_reader *reader, uint32_t *out_value)
{
    const uint8_t *here = fil_reader_step(reader, sizeof(*out_value));
    if (FIL_UNLIKELY(here == NULL)) {
        return false;
    }
    *out_value = fil_load_u32_le(here);
    return true;
}

FIL_NODISCARD static inline bool fil_reader_u64_le(struct fil_reader *reader, uint64_t *out_value)
{
    const uint8_t *here = fil_reader_step(reader, sizeof(*out_value));
    if (FIL_UNLIKELY(here == NULL)) {
        return false;
    }
    *out_value = fil_load_u64_le(here);
    return true;
}

FIL_NODISCARD static inline bool fil_reader_i32_le(struct fil_reader *reader, int32_t *out_value)
{
    uint32_t raw = 0;
    if (!fil_reader_u32_le(reader, &raw)) {
        return false;
    }
    *out_value = (int32_t)raw;
    return true;
}

FIL_NODISCARD static inline bool fil_reader_i64_le(struct fil_reader *reader, int64_t *out_value)
{
    uint64_t raw = 0;
    if (!fil_reader_u64_le(reader, &raw)) {
        return false;
    }
    *out_value = (int64_t)raw;
    return true;
}

FIL_NODISCARD static inline bool fil_reader_u16_be(struct fil_reader *reader, uint16_t *out_value)
{
    const uint8_t *here = fil_reader_step(reader, sizeof(*out_value));
    if (FIL_UNLIKELY(here == NULL)) {
        return false;
    }
    *out_value = fil_load_u16_be(here);
    return true;
}

FIL_NODISCARD static inline bool fil_reader_u32_be(struct fil_reader *reader, uint32_t *out_value)
{
    const uint8_t *here = fil_reader_step(reader, sizeof(*out_value));
    if (FIL_UNLIKELY(here == NULL)) {
        return false;
    }
    *out_value = fil_load_u32_be(here);
    return true;
}

FIL_NODISCARD static inline bool fil_reader_u64_be(struct fil_reader *reader, uint64_t *out_value)
{
    const uint8_t *here = fil_reader_step(reader, sizeof(*out_value));
    if (FIL_UNLIKELY(here == NULL)) {
        return false;
    }
    *out_value = fil_load_u64_be(here);
    return true;
}

FIL_NODISCARD static inline bool fil_reader_i32_be(struct fil_reader *reader, int32_t *out_value)
{
    uint32_t raw = 0;
    if (!fil_reader_u32_be(reader, &raw)) {
        return false;
    }
    *out_value = (int32_t)raw;
    return true;
}

FIL_NODISCARD static inline bool fil_reader_i64_be(struct fil_reader *reader, int64_t *out_value)
{
    uint64_t raw = 0;
    if (!fil_reader_u64_be(reader, &raw)) {
        return false;
    }
    *out_value = (int64_t)raw;
    return true;
}
