// SPDX-License-Identifier: Apache-2.0
/** What the two halves of expressions, compiling and running, share. */
#pragma once

#include "core/pipeline/expression.h"

enum fil_expression_op {
    FIL_OP_CONSTANT,
    FIL_OP_FIELD,
    FIL_OP_OR,
    FIL_OP_AND,
    FIL_OP_NOT,
    FIL_OP_LESS,
    FIL_OP_LESS_EQUAL,
    FIL_OP_GREATER,
    FIL_OP_GREATER_EQUAL,
    FIL_OP_EQUAL,
    FIL_OP_NOT_EQUAL,
    FIL_OP_ADD,
    FIL_OP_SUBTRACT,
    FIL_OP_MULTIPLY,
    FIL_OP_DIVIDE,
    FIL_OP_REST,
    FIL_OP_NEGATE,
    FIL_OP_ABS,
    FIL_OP_MIN,
    FIL_OP_MAX,
    FIL_OP_LENGTH,
    FIL_OP_CONTAINS,
    FIL_OP_STARTS_WITH,
    FIL_OP_TO_I64,
    FIL_OP_TO_F64,
    FIL_OP_IF,
};

struct fil_expression {
    enum fil_expression_op op;
    enum fil_value_kind kind;
    uint32_t text_size; // the longest text it can give
    const struct fil_field *field;
    struct fil_expression_value constant;
    const struct fil_expression *parts[3];
};
