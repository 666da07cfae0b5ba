// SPDX-License-Identifier: Apache-2.0
/**
 * Bounded writing into the caller's memory: no byte behind the capacity is touched.
 *
 * A write that does not fit is left out as a whole and makes the writer full; from then on it
 * refuses everything, so that what it holds is always a true beginning of the whole. Look at
 * is_full once, at the end; the results may be ignored.
 *
 * Memory: borrows.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/endian.h"

struct fil_writer {
    uint8_t *data;
    size_t capacity;
    size_t size;
    bool is_full;
};

static inline void fil_writer_init(struct fil_writer *writer, void *memory, size_t capacity)
{
    fil_debug_assert(memory != NULL || capacity == 0);
    *writer = (struct fil_writer){.data = (uint8_t *)memory, .capacity = capacity};
}

/** Bytes that still fit; none once the writer is full. */
static inline size_t fil_writer_room(const struct fil_writer *writer)
{
    fil_debug_assert(writer->size <= writer->capacity);
    return writer->is_full ? 0 : writer->capacity - writer->size;
}

/** What has been written so far. */
static inline struct fil_bytes fil_writer_written(const struct fil_writer *writer)
{
    return fil_bytes_make(writer->data, writer->size);
}

/** Room for `size` bytes that the caller fills in, now or later; NULL when it does not fit. */
static inline uint8_t *fil_writer_reserve(struct fil_writer *writer, size_t size)
{
    fil_debug_assert(size > 0);
    if (FIL_UNLIKELY(writer->is_full || writer->capacity - writer->size < size)) {
        writer->is_full = true;
        return NULL;
    }
    uint8_t *here = writer->data + writer->size;
    writer->size += size;
    return here;
}

static inline bool fil_writer_bytes(struct fil_writer *writer, struct fil_bytes bytes)
{
    if (bytes.size == 0) {
        return !writer->is_full;
    }
    uint8_t *here = fil_writer_reserve(writer, bytes.size);
    if (FIL_UNLIKELY(here == NULL)) {
        return false;
    }
    memcpy(here, bytes.data, bytes.size);
    return true;
}

/** The characters of a C string without its end. */
static inline bool fil_writer_text(struct fil_writer *writer, const char *text)
{
    return fil_writer_bytes(writer, fil_bytes_of(text));
}

static inline bool fil_writer_u8(struct fil_writer *writer, uint8_t value)
{
    uint8_t *here = fil_writer_reserve(writer, sizeof(value));
    if (FIL_UNLIKELY(here == NULL)) {
        return false;
    }
    *here = value;
    return true;
}

static inline bool fil_writer_u16_le(struct fil_writer *writer, uint16_t value)
{
    uint8_t *here = fil_writer_reserve(writer, sizeof(value));
    if (FIL_UNLIKELY(here == NULL)) {
        return false;
    }
    fil_store_u16_le(here, value);
    return true;
}

static inline bool fil_writer_u32_le(struct fil_writer *writer, uint32_t value)
{
    uint8_t *here = fil_writer_reserve(writer, sizeof(value));
    if (FIL_UNLIKELY(here == NULL)) {
        return false;
    }
    fil_store_u32_le(here, value);
    return true;
}

static inline bool fil_writer_u64_le(struct fil_writer *writer, uint64_t value)
{
    uint8_t *here = fil_writer_reserve(writer, sizeof(value));
    if (FIL_UNLIKELY(here == NULL)) {
        return false;
    }
    fil_store_u64_le(here, value);
    return true;
}

static inline bool fil_writer_u16_be(struct fil_writer *writer, uint16_t value)
{
    uint8_t *here = fil_writer_reserve(writer, sizeof(value));
    if (FIL_UNLIKELY(here == NULL)) {
        return false;
    }
    fil_store_u16_be(here, value);
    return true;
}

static inline bool fil_writer_u32_be(struct fil_writer *writer, uint32_t value)
{
    uint8_t *here = fil_writer_reserve(writer, sizeof(value));
    if (FIL_UNLIKELY(here == NULL)) {
        return false;
    }
    fil_store_u32_be(here, value);
    return true;
}

static inline bool fil_writer_u64_be(struct fil_writer *writer, uint64_t value)
{
    uint8_t *here = fil_writer_reserve(writer, sizeof(value));
    if (FIL_UNLIKELY(here == NULL)) {
        return false;
    }
    fil_store_u64_be(here, value);
    return true;
}

/** The same byte `count` times. */
bool fil_writer_fill(struct fil_writer *writer, uint8_t byte, size_t count);

/** Decimal digits, without leading zeros. */
bool fil_writer_decimal_u64(struct fil_writer *writer, uint64_t value);
bool fil_writer_decimal_i64(struct fil_writer *writer, int64_t value);

/** The shortest text of up to 24 characters that gives the same number again. */
bool fil_writer_real(struct fil_writer *writer, double value);

/** As printf. Needs one byte more than the text has, for the end that printf puts behind it. */
bool fil_writer_format(struct fil_writer *writer, const char *format, ...) FIL_PRINTF(2, 3);
bool fil_writer_format_list(struct fil_writer *writer, const char *format, va_list arguments)
    FIL_PRINTF(2, 0);

/**
 * Ends the text with a zero byte that is not counted, and returns it as a C string. Without room
 * for it the last character makes place. The capacity must not be zero.
 */
const char *fil_writer_terminate(struct fil_writer *writer);
