// SPDX-License-Identifier: Apache-2.0
/**
 * Small typed expressions over the fields of a record, as job files have them.
 *
 *   price * quantity >= 1000 and symbol != "TEST"
 *
 * Kinds are i64, f64, text and bool; time fields are i64. An i64 next to an f64 becomes one;
 * nothing else is converted. Everything is checked when the expression is compiled, so running it
 * cannot fail: numbers wrap as the machine's, and what is divided by an i64 of 0 is 0.
 *
 * Operators, from weak to strong: or; and; not; < <= > >= == !=; + -; * / %; - in front.
 * Functions: abs, min, max, length, contains, starts_with, i64, f64, if(condition, then, else).
 *
 * Bounds:  nesting 64, 512 parts.
 * Threads: a compiled expression is read-only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "filbert/pipeline.h"
#include "lib/base/arena.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define FIL_EXPRESSION_DEPTH_MAX 64U
#define FIL_EXPRESSION_PARTS_MAX 512U
#define FIL_EXPRESSION_TEXT_MAX  160U

enum fil_value_kind {
    FIL_VALUE_I64,
    FIL_VALUE_F64,
    FIL_VALUE_TEXT,
    FIL_VALUE_BOOL,
};

struct fil_expression_value {
    int64_t integer; // also bool
    double real;
    struct fil_bytes text; // in the record or in the expression
};

struct fil_expression;

struct fil_expression_fault {
    size_t position; // byte of the source, from 0
    char text[FIL_EXPRESSION_TEXT_MAX];
};

/** In the arena, which outlives it. FIL_E_INVALID with the fault, or FIL_E_NOMEM. */
int fil_expression_compile(struct fil_arena *arena, const struct fil_type *type,
                           struct fil_bytes source, const struct fil_expression **out_expression,
                           struct fil_expression_fault *out_fault) FIL_NODISCARD;

enum fil_value_kind fil_expression_kind(const struct fil_expression *expression);
const char *fil_value_kind_name(enum fil_value_kind kind);

/** Bytes that its text can have at most; 0 for other kinds. */
uint32_t fil_expression_text_size(const struct fil_expression *expression);

struct fil_expression_value fil_expression_run(const struct fil_expression *expression,
                                               const void *record);
