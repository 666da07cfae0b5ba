// SPDX-License-Identifier: Apache-2.0
/** Helpers of the codec's tests: byte literals and input in blocks of its exact size. */
#pragma once

#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/bytes.h"
#include "tests/unit/harness.h"

/** A literal that may hold NUL bytes, as an initialiser of struct fil_bytes. */
#define BYTES(literal)                                                  \
    {                                                                   \
        .data = (const uint8_t *)(literal), .size = sizeof(literal) - 1 \
    }

/** A copy on the heap without a byte behind it, so that a sanitizer sees every step too far. */
static inline struct fil_bytes feed_copy(struct fil_bytes bytes)
{
    uint8_t *copy = fil_alloc(bytes.size > 0 ? bytes.size : 1);
    assert_non_null(copy);
    if (bytes.size > 0) {
        memcpy(copy, bytes.data, bytes.size);
    }
    return fil_bytes_make(copy, bytes.size);
}

static inline void feed_free(struct fil_bytes copy)
{
    fil_free((void *)(uintptr_t)copy.data);
}

/** Not a literal's terminator: compares sizes too. */
static inline void assert_bytes_equal(struct fil_bytes actual, struct fil_bytes expected)
{
    assert_int_equal(actual.size, expected.size);
    if (expected.size > 0) {
        assert_memory_equal(actual.data, expected.data, expected.size);
    }
}

static inline void assert_bytes_text(struct fil_bytes actual, const char *expected)
{
    assert_bytes_equal(actual, fil_bytes_of(expected));
}
