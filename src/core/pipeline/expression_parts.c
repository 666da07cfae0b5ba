// SPDX-License-Identifier: Apache-2.0
// The parts of expressions that are being compiled: made, joined, their kinds checked.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/pipeline/expression_compiler.h"
#include "lib/base/assert.h"

const char *fil_value_kind_name(enum fil_value_kind kind)
{
    static const char *const names[] = {[FIL_VALUE_I64] = "i64",
                                        [FIL_VALUE_F64] = "f64",
                                        [FIL_VALUE_TEXT] = "text",
                                        [FIL_VALUE_BOOL] = "bool"};
    fil_assert(kind < FIL_COUNT_OF(names));
    return names[kind];
}

enum fil_value_kind fil_expression_kind(const struct fil_expression *expression)
{
    return expression->kind;
}

uint32_t fil_expression_text_size(const struct fil_expression *expression)
{
    return expression->kind == FIL_VALUE_TEXT ? expression->text_size : 0;
}

/** Keeps the first mistake; always NULL. */
struct fil_expression *fil_compiler__blame(struct fil_compiler *compiler, size_t position,
                                           const char *format, ...)
{
    if (compiler->error == FIL_OK) {
        compiler->error = FIL_E_INVALID;
        compiler->fault->position = position;
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(compiler->fault->text, sizeof(compiler->fault->text), format, arguments);
        va_end(arguments);
    }
    return NULL;
}

struct fil_expression *fil_compiler__make(struct fil_compiler *compiler, enum fil_expression_op op,
                                          enum fil_value_kind kind)
{
    compiler->part_count++;
    if (compiler->part_count > FIL_EXPRESSION_PARTS_MAX) {
        return fil_compiler__blame(compiler, compiler->position, "more than %u parts",
                                   FIL_EXPRESSION_PARTS_MAX);
    }
    struct fil_expression *made = fil_arena_alloc_zero(compiler->arena, 1, sizeof(*made));
    if (made == NULL) {
        compiler->error = compiler->error == FIL_OK ? FIL_E_NOMEM : compiler->error;
        return NULL;
    }
    made->op = op;
    made->kind = kind;
    return made;
}

bool fil_compiler__is_number(const struct fil_expression *part)
{
    return part->kind == FIL_VALUE_I64 || part->kind == FIL_VALUE_F64;
}

struct fil_expression *fil_compiler__make_unary(struct fil_compiler *compiler,
                                                enum fil_expression_op op, enum fil_value_kind kind,
                                                struct fil_expression *part)
{
    struct fil_expression *made = fil_compiler__make(compiler, op, kind);
    if (made != NULL) {
        made->parts[0] = part;
    }
    return made;
}

static struct fil_expression *to_real(struct fil_compiler *compiler, struct fil_expression *part)
{
    return part->kind == FIL_VALUE_F64
               ? part
               : fil_compiler__make_unary(compiler, FIL_OP_TO_F64, FIL_VALUE_F64, part);
}

static struct fil_expression *make_binary(struct fil_compiler *compiler, enum fil_expression_op op,
                                          enum fil_value_kind kind, struct fil_expression *a,
                                          struct fil_expression *b)
{
    struct fil_expression *made = fil_compiler__make(compiler, op, kind);
    if (made != NULL) {
        made->parts[0] = a;
        made->parts[1] = b;
        made->text_size = a->text_size > b->text_size ? a->text_size : b->text_size;
    }
    return made;
}

/** Both as f64 when one is; false when one is not there. */
static bool unify(struct fil_compiler *compiler, struct fil_expression **a,
                  struct fil_expression **b)
{
    if (fil_compiler__is_number(*a) && fil_compiler__is_number(*b) && (*a)->kind != (*b)->kind) {
        *a = to_real(compiler, *a);
        *b = to_real(compiler, *b);
    }
    return *a != NULL && *b != NULL;
}

struct fil_expression *fil_compiler__join_numbers(struct fil_compiler *compiler,
                                                  enum fil_expression_op op, size_t position,
                                                  struct fil_expression *a,
                                                  struct fil_expression *b)
{
    static const char *const verbs[] = {[FIL_OP_ADD] = "add",
                                        [FIL_OP_SUBTRACT] = "subtract",
                                        [FIL_OP_MULTIPLY] = "multiply",
                                        [FIL_OP_DIVIDE] = "divide",
                                        [FIL_OP_REST] = "take the rest of"};
    if (a == NULL || b == NULL) {
        return NULL;
    }
    bool is_good = fil_compiler__is_number(a) && fil_compiler__is_number(b) &&
                   (op != FIL_OP_REST || (a->kind == FIL_VALUE_I64 && b->kind == FIL_VALUE_I64));
    if (!is_good) {
        return fil_compiler__blame(compiler, position, "cannot %s %s and %s", verbs[op],
                                   fil_value_kind_name(a->kind), fil_value_kind_name(b->kind));
    }
    return unify(compiler, &a, &b) ? make_binary(compiler, op, a->kind, a, b) : NULL;
}

struct fil_expression *fil_compiler__join_conditions(struct fil_compiler *compiler,
                                                     enum fil_expression_op op, size_t position,
                                                     struct fil_expression *a,
                                                     struct fil_expression *b)
{
    if (a == NULL || b == NULL) {
        return NULL;
    }
    if (a->kind != FIL_VALUE_BOOL || b->kind != FIL_VALUE_BOOL) {
        const struct fil_expression *wrong = a->kind != FIL_VALUE_BOOL ? a : b;
        return fil_compiler__blame(
            compiler, position, "'%s' needs conditions on both sides, not %s",
            op == FIL_OP_OR ? "or" : "and", fil_value_kind_name(wrong->kind));
    }
    return make_binary(compiler, op, FIL_VALUE_BOOL, a, b);
}

struct fil_expression *fil_compiler__join_comparison(struct fil_compiler *compiler,
                                                     enum fil_expression_op op, size_t position,
                                                     struct fil_expression *a,
                                                     struct fil_expression *b)
{
    if (a == NULL || b == NULL || !unify(compiler, &a, &b)) {
        return NULL;
    }
    bool is_order = op != FIL_OP_EQUAL && op != FIL_OP_NOT_EQUAL;
    if (a->kind != b->kind || (is_order && a->kind == FIL_VALUE_BOOL)) {
        return fil_compiler__blame(compiler, position, "cannot compare %s with %s",
                                   fil_value_kind_name(a->kind), fil_value_kind_name(b->kind));
    }
    return make_binary(compiler, op, FIL_VALUE_BOOL, a, b);
}

static const struct fil_compiler_function functions[] = {
    {"abs", FIL_OP_ABS, 1},
    {"min", FIL_OP_MIN, 2},
    {"max", FIL_OP_MAX, 2},
    {"length", FIL_OP_LENGTH, 1},
    {"contains", FIL_OP_CONTAINS, 2},
    {"starts_with", FIL_OP_STARTS_WITH, 2},
    {"i64", FIL_OP_TO_I64, 1},
    {"f64", FIL_OP_TO_F64, 1},
    {"if", FIL_OP_IF, 3},
};

const struct fil_compiler_function *fil_compiler__find_function(const char *name)
{
    for (uint32_t i = 0; i < FIL_COUNT_OF(functions); i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return &functions[i];
        }
    }
    return NULL;
}

static struct fil_expression *make_if(struct fil_compiler *compiler, struct fil_expression **parts)
{
    struct fil_expression *then = parts[1];
    struct fil_expression *otherwise = parts[2];
    if (parts[0]->kind != FIL_VALUE_BOOL || !unify(compiler, &then, &otherwise) ||
        then->kind != otherwise->kind) {
        return NULL;
    }
    struct fil_expression *made = make_binary(compiler, FIL_OP_IF, then->kind, then, otherwise);
    if (made != NULL) {
        made->parts[0] = parts[0];
        made->parts[1] = then;
        made->parts[2] = otherwise;
    }
    return made;
}

/** A call whose arguments are there; NULL when their kinds do not fit. */
struct fil_expression *fil_compiler__make_call(struct fil_compiler *compiler,
                                               const struct fil_compiler_function *function,
                                               struct fil_expression **parts)
{
    bool are_texts = parts[0]->kind == FIL_VALUE_TEXT &&
                     (function->count < 2 || parts[1]->kind == FIL_VALUE_TEXT);
    bool are_numbers = fil_compiler__is_number(parts[0]) &&
                       (function->count < 2 || fil_compiler__is_number(parts[1]));
    switch (function->count) {
    case 3:
        return make_if(compiler, parts);
    case 2:
        if (function->op == FIL_OP_MIN || function->op == FIL_OP_MAX) {
            return are_numbers && unify(compiler, &parts[0], &parts[1])
                       ? make_binary(compiler, function->op, parts[0]->kind, parts[0], parts[1])
                       : NULL;
        }
        return are_texts ? make_binary(compiler, function->op, FIL_VALUE_BOOL, parts[0], parts[1])
                         : NULL;
    default:
        break;
    }
    if (function->op == FIL_OP_LENGTH) {
        return are_texts
                   ? fil_compiler__make_unary(compiler, FIL_OP_LENGTH, FIL_VALUE_I64, parts[0])
                   : NULL;
    }
    enum fil_value_kind kind = function->op == FIL_OP_ABS      ? parts[0]->kind
                               : function->op == FIL_OP_TO_I64 ? FIL_VALUE_I64
                                                               : FIL_VALUE_F64;
    return are_numbers ? fil_compiler__make_unary(compiler, function->op, kind, parts[0]) : NULL;
}
