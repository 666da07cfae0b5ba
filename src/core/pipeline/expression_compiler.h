// SPDX-License-Identifier: Apache-2.0
/**
 * What the two halves of the compiler of expressions share: reading the text, and making parts
 * whose kinds fit. What makes a part says NULL after a mistake, and passes on one that it is given.
 */
#pragma once

#include "core/pipeline/expression_internal.h"
#include "lib/base/attr.h"

struct fil_compiler {
    struct fil_arena *arena;
    const struct fil_type *type;
    struct fil_bytes source;
    size_t position;
    uint32_t depth;
    uint32_t part_count;
    int error;
    struct fil_expression_fault *fault;
};

struct fil_compiler_function {
    const char *name;
    enum fil_expression_op op;
    uint32_t count; // of its arguments
};

/** Keeps the first mistake; always NULL. */
struct fil_expression *fil_compiler__blame(struct fil_compiler *compiler, size_t position,
                                           const char *format, ...) FIL_PRINTF(3, 4);

struct fil_expression *fil_compiler__make(struct fil_compiler *compiler, enum fil_expression_op op,
                                          enum fil_value_kind kind);
struct fil_expression *fil_compiler__make_unary(struct fil_compiler *compiler,
                                                enum fil_expression_op op, enum fil_value_kind kind,
                                                struct fil_expression *part);

bool fil_compiler__is_number(const struct fil_expression *part);

/** Two sides of an operation that stands at the position. */
struct fil_expression *fil_compiler__join_numbers(struct fil_compiler *compiler,
                                                  enum fil_expression_op op, size_t position,
                                                  struct fil_expression *a,
                                                  struct fil_expression *b);
struct fil_expression *fil_compiler__join_conditions(struct fil_compiler *compiler,
                                                     enum fil_expression_op op, size_t position,
                                                     struct fil_expression *a,
                                                     struct fil_expression *b);
struct fil_expression *fil_compiler__join_comparison(struct fil_compiler *compiler,
                                                     enum fil_expression_op op, size_t position,
                                                     struct fil_expression *a,
                                                     struct fil_expression *b);

/** NULL: there is none of that name. */
const struct fil_compiler_function *fil_compiler__find_function(const char *name);

/** A call whose arguments are there; NULL when their kinds do not fit. */
struct fil_expression *fil_compiler__make_call(struct fil_compiler *compiler,
                                               const struct fil_compiler_function *function,
                                               struct fil_expression **parts);
