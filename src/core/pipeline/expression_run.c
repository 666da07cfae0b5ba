// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "core/pipeline/expression_internal.h"
#include "lib/base/assert.h"

static struct fil_expression_value read_field(const struct fil_field *field, const void *record)
{
    struct fil_expression_value value = {0};
    const uint8_t *from = (const uint8_t *)record + field->offset;
    if (field->kind == FIL_FIELD_TEXT) {
        value.text = fil_bytes_make(from, strnlen((const char *)from, field->size));
    } else if (field->kind == FIL_FIELD_F64) {
        memcpy(&value.real, from, sizeof(value.real));
    } else {
        memcpy(&value.integer, from, sizeof(value.integer));
    }
    return value;
}

/** Below, at or above 0, as strcmp. */
static int compare(enum fil_value_kind kind, const struct fil_expression_value *a,
                   const struct fil_expression_value *b)
{
    if (kind == FIL_VALUE_F64) {
        return (a->real > b->real) - (a->real < b->real);
    }
    if (kind != FIL_VALUE_TEXT) {
        return (a->integer > b->integer) - (a->integer < b->integer);
    }
    size_t size = a->text.size < b->text.size ? a->text.size : b->text.size;
    int order = size == 0 ? 0 : memcmp(a->text.data, b->text.data, size);
    return order != 0 ? order : (a->text.size > b->text.size) - (a->text.size < b->text.size);
}

static int64_t run_comparison(const struct fil_expression *expression,
                              const struct fil_expression_value *a,
                              const struct fil_expression_value *b)
{
    enum fil_value_kind kind = expression->parts[0]->kind;
    bool is_number = kind != FIL_VALUE_F64 || !(isnan(a->real) || isnan(b->real));
    if (!is_number) {
        return expression->op == FIL_OP_NOT_EQUAL; // what is no number differs from everything
    }
    int order = compare(kind, a, b);
    if (expression->op == FIL_OP_LESS || expression->op == FIL_OP_LESS_EQUAL) {
        return order < 0 || (order == 0 && expression->op == FIL_OP_LESS_EQUAL);
    }
    if (expression->op == FIL_OP_GREATER || expression->op == FIL_OP_GREATER_EQUAL) {
        return order > 0 || (order == 0 && expression->op == FIL_OP_GREATER_EQUAL);
    }
    return (order == 0) == (expression->op == FIL_OP_EQUAL);
}

static double real_arithmetic(enum fil_expression_op op, double a, double b)
{
    if (op == FIL_OP_ADD) {
        return a + b;
    }
    if (op == FIL_OP_SUBTRACT) {
        return a - b;
    }
    return op == FIL_OP_MULTIPLY ? a * b : a / b;
}

static int64_t divide(int64_t a, int64_t b, bool is_rest)
{
    if (b == 0) {
        return 0;
    }
    if (b == -1) {
        return is_rest ? 0 : (int64_t)(0 - (uint64_t)a); // the least number has no opposite
    }
    return is_rest ? a % b : a / b;
}

static int64_t integer_arithmetic(enum fil_expression_op op, int64_t a, int64_t b)
{
    if (op == FIL_OP_ADD) {
        return (int64_t)((uint64_t)a + (uint64_t)b);
    }
    if (op == FIL_OP_SUBTRACT) {
        return (int64_t)((uint64_t)a - (uint64_t)b);
    }
    if (op == FIL_OP_MULTIPLY) {
        return (int64_t)((uint64_t)a * (uint64_t)b);
    }
    return divide(a, b, op == FIL_OP_REST);
}

static bool contains(struct fil_bytes text, struct fil_bytes part)
{
    return part.size == 0 ||
           (text.size >= part.size && memmem(text.data, text.size, part.data, part.size) != NULL);
}

static bool starts_with(struct fil_bytes text, struct fil_bytes part)
{
    return text.size >= part.size && fil_bytes_equal(fil_bytes_make(text.data, part.size), part);
}

/** A number cut to an integer; beyond the range, its end. */
static int64_t to_integer(double real)
{
    if (isnan(real)) {
        return 0;
    }
    if (real >= 9223372036854775807.0) {
        return INT64_MAX;
    }
    return real <= -9223372036854775808.0 ? INT64_MIN : (int64_t)real;
}

static void run_arithmetic(const struct fil_expression *expression,
                           const struct fil_expression_value *a,
                           const struct fil_expression_value *b,
                           struct fil_expression_value *out_value)
{
    if (expression->op == FIL_OP_MIN || expression->op == FIL_OP_MAX) {
        bool is_first = (compare(expression->kind, a, b) <= 0) == (expression->op == FIL_OP_MIN);
        *out_value = is_first ? *a : *b;
    } else if (expression->kind == FIL_VALUE_F64) {
        out_value->real = real_arithmetic(expression->op, a->real, b->real);
    } else {
        out_value->integer = integer_arithmetic(expression->op, a->integer, b->integer);
    }
}

static void run_unary(const struct fil_expression *expression, const struct fil_expression_value *a,
                      struct fil_expression_value *out_value)
{
    bool is_less = expression->kind == FIL_VALUE_F64 ? a->real < 0 : a->integer < 0;
    bool is_turned = expression->op == FIL_OP_NEGATE || (expression->op == FIL_OP_ABS && is_less);
    out_value->real = is_turned ? -a->real : a->real;
    out_value->integer = is_turned ? (int64_t)(0 - (uint64_t)a->integer) : a->integer;
}

/** What does not need all of its parts. */
static bool run_lazily(const struct fil_expression *expression, const void *record,
                       struct fil_expression_value *out_value)
{
    if (expression->op == FIL_OP_CONSTANT) {
        *out_value = expression->constant;
    } else if (expression->op == FIL_OP_FIELD) {
        *out_value = read_field(expression->field, record);
    } else if (expression->op == FIL_OP_IF) {
        bool is_true = fil_expression_run(expression->parts[0], record).integer != 0;
        *out_value = fil_expression_run(expression->parts[is_true ? 1 : 2], record);
    } else if (expression->op == FIL_OP_OR || expression->op == FIL_OP_AND) {
        bool is_true = fil_expression_run(expression->parts[0], record).integer != 0;
        bool is_decided = is_true == (expression->op == FIL_OP_OR);
        out_value->integer =
            is_decided ? is_true : fil_expression_run(expression->parts[1], record).integer != 0;
    } else {
        return false;
    }
    return true;
}

struct fil_expression_value fil_expression_run(const struct fil_expression *expression,
                                               const void *record)
{
    struct fil_expression_value value = {0};
    if (run_lazily(expression, record, &value)) {
        return value;
    }
    // The depth is bounded by the compiler.
    struct fil_expression_value a = fil_expression_run(expression->parts[0], record);
    struct fil_expression_value b = {0};
    if (expression->parts[1] != NULL) {
        b = fil_expression_run(expression->parts[1], record);
    }
    if (expression->op >= FIL_OP_LESS && expression->op <= FIL_OP_NOT_EQUAL) {
        value.integer = run_comparison(expression, &a, &b);
    } else if (expression->op == FIL_OP_NOT) {
        value.integer = a.integer == 0;
    } else if (expression->op == FIL_OP_NEGATE || expression->op == FIL_OP_ABS) {
        run_unary(expression, &a, &value);
    } else if (expression->op == FIL_OP_LENGTH) {
        value.integer = (int64_t)a.text.size;
    } else if (expression->op == FIL_OP_CONTAINS) {
        value.integer = contains(a.text, b.text);
    } else if (expression->op == FIL_OP_STARTS_WITH) {
        value.integer = starts_with(a.text, b.text);
    } else if (expression->op == FIL_OP_TO_I64) {
        value.integer =
            expression->parts[0]->kind == FIL_VALUE_F64 ? to_integer(a.real) : a.integer;
    } else if (expression->op == FIL_OP_TO_F64) {
        value.real = expression->parts[0]->kind == FIL_VALUE_F64 ? a.real : (double)a.integer;
    } else {
        run_arithmetic(expression, &a, &b, &value);
    }
    return value;
}
