// SPDX-License-Identifier: Apache-2.0
/**
 * What an event carries besides its name: keys with typed values.
 *
 * A field is built on the stack by one of the FIL_F_ macros and lives for the call. Keys are string
 * literals (the macros refuse anything else), because the log keeps the pointer and formats later;
 * texts are copied. Units are part of the key that is written: FIL_F_NS("took", t) becomes
 * took_ms=..., FIL_F_SIZE("used", n) becomes used_bytes=....
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/bytes.h"
#include "lib/os/address.h"

/** Fields of one event; what is beyond it is not kept. */
#define FIL_LOG_FIELDS_MAX 16U

/** Bytes of one text; a longer one is cut and ends in "...". */
#define FIL_LOG_TEXT_MAX 256U

/** Characters of a key or an event's name that are written. */
#define FIL_LOG_NAME_MAX 64U

enum fil_log_type {
    FIL_LOG_END, // closes an array of fields
    FIL_LOG_TEXT,
    FIL_LOG_U64,
    FIL_LOG_I64,
    FIL_LOG_HEX,
    FIL_LOG_F64,
    FIL_LOG_BOOL,
    FIL_LOG_NS,
    FIL_LOG_SIZE,
    FIL_LOG_ADDRESS,
    FIL_LOG_CODE,
};

struct fil_log_field {
    const char *key;
    enum fil_log_type type;
    bool is_apart; // repeats that differ in this field are different events
    bool is_cut;   // the text was longer than the log keeps
    union {
        struct fil_bytes text;
        uint64_t u64;
        int64_t i64;
        double f64;
        bool boolean;
        int code;
        struct fil_address address;
    } value;
};

// The empty literals make a key that is not a literal a syntax error.
#define FIL_F_TEXT(key, text)       fil_log_field_text("" key "", (text))
#define FIL_F_BYTES(key, bytes)     fil_log_field_bytes("" key "", (bytes))
#define FIL_F_U64(key, number)      fil_log_field_u64("" key "", FIL_LOG_U64, (number))
#define FIL_F_HEX(key, number)      fil_log_field_u64("" key "", FIL_LOG_HEX, (number))
#define FIL_F_I64(key, number)      fil_log_field_i64("" key "", (number))
#define FIL_F_F64(key, number)      fil_log_field_f64("" key "", (number))
#define FIL_F_BOOL(key, truth)      fil_log_field_bool("" key "", (truth))
#define FIL_F_ADDRESS(key, pointer) fil_log_field_address("" key "", (pointer))
#define FIL_F_NS(key, duration_ns)  fil_log_field_u64("" key "", FIL_LOG_NS, (duration_ns))
#define FIL_F_SIZE(key, size_bytes) fil_log_field_u64("" key "", FIL_LOG_SIZE, (size_bytes))
/** A FIL_E_* code: written as its name and its sentence, and part of what makes events the same. */
#define FIL_F_ERROR(error) fil_log_field_code("error", (error))
/** Repeats that differ in this field are told apart. Not for what a peer can make up at will. */
#define FIL_F_APART(field) fil_log_field_apart(field)

static inline struct fil_log_field fil_log_field_bytes(const char *key, struct fil_bytes text)
{
    return (struct fil_log_field){.key = key, .type = FIL_LOG_TEXT, .value.text = text};
}

static inline struct fil_log_field fil_log_field_text(const char *key, const char *text)
{
    return fil_log_field_bytes(key, fil_bytes_of(text == NULL ? "(none)" : text));
}

static inline struct fil_log_field fil_log_field_u64(const char *key, enum fil_log_type type,
                                                     uint64_t number)
{
    return (struct fil_log_field){.key = key, .type = type, .value.u64 = number};
}

static inline struct fil_log_field fil_log_field_i64(const char *key, int64_t number)
{
    return (struct fil_log_field){.key = key, .type = FIL_LOG_I64, .value.i64 = number};
}

static inline struct fil_log_field fil_log_field_f64(const char *key, double number)
{
    return (struct fil_log_field){.key = key, .type = FIL_LOG_F64, .value.f64 = number};
}

static inline struct fil_log_field fil_log_field_bool(const char *key, bool truth)
{
    return (struct fil_log_field){.key = key, .type = FIL_LOG_BOOL, .value.boolean = truth};
}

static inline struct fil_log_field fil_log_field_address(const char *key,
                                                         const struct fil_address *address)
{
    return (struct fil_log_field){.key = key, .type = FIL_LOG_ADDRESS, .value.address = *address};
}

static inline struct fil_log_field fil_log_field_code(const char *key, int code)
{
    return (struct fil_log_field){.key = key, .type = FIL_LOG_CODE, .value.code = code};
}

static inline struct fil_log_field fil_log_field_apart(struct fil_log_field field)
{
    field.is_apart = true;
    return field;
}
