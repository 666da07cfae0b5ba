// SPDX-License-Identifier: Apache-2.0
/** A borrowed run of bytes: pointer and size, never owned, not terminated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct fil_bytes {
    const uint8_t *data;
    size_t size;
};

static inline struct fil_bytes fil_bytes_make(const void *data, size_t size)
{
    return (struct fil_bytes){.data = (const uint8_t *)data, .size = size};
}

/** The bytes of a C string without its end. */
static inline struct fil_bytes fil_bytes_of(const char *text)
{
    return fil_bytes_make(text, strlen(text));
}

static inline bool fil_bytes_equal(struct fil_bytes a, struct fil_bytes b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool fil_bytes_equal_text(struct fil_bytes a, const char *text)
{
    return fil_bytes_equal(a, fil_bytes_of(text));
}

bool fil_bytes__equal_nocase(const uint8_t *a, const uint8_t *b, size_t size);

/** Equal but for the case of ASCII letters. */
static inline bool fil_bytes_equal_nocase(struct fil_bytes a, struct fil_bytes b)
{
    return a.size == b.size && fil_bytes__equal_nocase(a.data, b.data, a.size);
}

/** Position of the byte, or size when it is not there. */
static inline size_t fil_bytes_find(struct fil_bytes bytes, uint8_t wanted)
{
    const uint8_t *found =
        bytes.size == 0 ? NULL : (const uint8_t *)memchr(bytes.data, wanted, bytes.size);
    return found == NULL ? bytes.size : (size_t)(found - bytes.data);
}

/** Without blanks and tabs at both ends. */
struct fil_bytes fil_bytes_trim(struct fil_bytes bytes);

/** Reads a whole decimal number; false on anything else, also on overflow or a lone sign. */
bool fil_bytes_to_u64(struct fil_bytes bytes, uint64_t *out_value);
bool fil_bytes_to_i64(struct fil_bytes bytes, int64_t *out_value);
