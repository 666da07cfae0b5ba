// SPDX-License-Identifier: Apache-2.0
/**
 * Keys and values: bytes with a type that all clients agree on.
 *
 * What C writes as fil_str, Python, Java, Go and Node.js read as a text, and the other way round.
 * Numbers differ by type: fil_i32(7) and fil_i64(7) are two keys. What has a type that is not known
 * here comes as FIL_VALUE_DATA and can be passed on as it is.
 *
 * Memory: a value that a maker gives borrows what it was made from. A value that a call gives is
 * the caller's, until fil_value_release. A value that a callback is shown is valid in it only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum fil_value_type {
    FIL_VALUE_NULL,
    FIL_VALUE_BOOL,
    FIL_VALUE_I8,
    FIL_VALUE_I16,
    FIL_VALUE_I32,
    FIL_VALUE_I64,
    FIL_VALUE_F32,
    FIL_VALUE_F64,
    FIL_VALUE_STR,  // UTF-8
    FIL_VALUE_BLOB, // an array of bytes
    FIL_VALUE_JSON,
    FIL_VALUE_UUID,
    FIL_VALUE_DATA, // serialized already, of any type
};

/** A run of bytes; of a text that a call gave, a 0 byte stands behind them. */
struct fil_span {
    const void *data;
    size_t size;
};

struct fil_uuid {
    uint64_t high;
    uint64_t low;
};

struct fil_value {
    enum fil_value_type type;
    union {
        bool boolean;
        int64_t integer;       // I8 to I64
        double real;           // F32, F64
        struct fil_span bytes; // STR, BLOB, JSON, DATA
        struct fil_uuid uuid;
    } as;
    void *memory; // what fil_value_release frees; NULL: borrowed
};

struct fil_entry {
    struct fil_value key;
    struct fil_value value;
};

/** Several values that a call gave. */
struct fil_values {
    struct fil_value *items;
    size_t count;
    void *memory;
};

/** Several entries that a call gave. */
struct fil_entries {
    struct fil_entry *items;
    size_t count;
    void *memory;
};

// Makers. A NULL text makes a null value.

struct fil_value fil_null(void);
struct fil_value fil_bool(bool boolean);
struct fil_value fil_i32(int32_t integer);
struct fil_value fil_i64(int64_t integer);
struct fil_value fil_f64(double real);
struct fil_value fil_str(const char *text);
struct fil_value fil_text(const char *text, size_t size);
struct fil_value fil_json(const char *text);
struct fil_value fil_blob(const void *data, size_t size);

/** Serialized bytes as some client made them; a call refuses what cannot be such. */
struct fil_value fil_data(const void *data, size_t size);

// Readers. Each has an answer for a value of another type, so that printing is safe.

bool fil_value_is_null(const struct fil_value *value);

/** A text or JSON that a call gave, as a C string; "" for any other value. */
const char *fil_value_str(const struct fil_value *value);

/** A number of any type, or a boolean as 0 and 1; 0 for any other value. */
int64_t fil_value_i64(const struct fil_value *value);
double fil_value_f64(const struct fil_value *value);

/** Whether type and content are the same. */
bool fil_value_equal(const struct fil_value *a, const struct fil_value *b);

// Release what calls gave; harmless for values that only borrow, and for all-zero ones.

void fil_value_release(struct fil_value *value);
void fil_values_release(struct fil_values *values);
void fil_entries_release(struct fil_entries *entries);

#ifdef __cplusplus
}
#endif
