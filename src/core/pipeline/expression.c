// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pipeline/expression_internal.h"
#include "core/pipeline/pipeline_internal.h"
#include "lib/base/assert.h"

#define WORD_MAX 64U

struct compiler {
    struct fil_arena *arena;
    const struct fil_type *type;
    struct fil_bytes source;
    size_t position;
    uint32_t depth;
    uint32_t part_count;
    int error;
    struct fil_expression_fault *fault;
};

static struct fil_expression *parse_or(struct compiler *compiler);

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
static struct fil_expression *FIL_PRINTF(3, 4)
    blame(struct compiler *compiler, size_t position, const char *format, ...)
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

static struct fil_expression *make(struct compiler *compiler, enum fil_expression_op op,
                                   enum fil_value_kind kind)
{
    compiler->part_count++;
    if (compiler->part_count > FIL_EXPRESSION_PARTS_MAX) {
        return blame(compiler, compiler->position, "more than %u parts", FIL_EXPRESSION_PARTS_MAX);
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

static char look(const struct compiler *compiler, size_t ahead)
{
    size_t place = compiler->position + ahead;
    return place < compiler->source.size ? (char)compiler->source.data[place] : '\0';
}

static void skip_blanks(struct compiler *compiler)
{
    while (look(compiler, 0) == ' ' || look(compiler, 0) == '\t' || look(compiler, 0) == '\n') {
        compiler->position++;
    }
}

static bool is_letter(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           character == '_';
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/** The name at this place, without moving; its size. */
static size_t peek_word(const struct compiler *compiler, char out_word[WORD_MAX])
{
    size_t size = 0;
    if (is_letter(look(compiler, 0))) {
        while (size < WORD_MAX - 1 &&
               (is_letter(look(compiler, size)) || is_digit(look(compiler, size)))) {
            out_word[size] = look(compiler, size);
            size++;
        }
    }
    out_word[size] = '\0';
    return size;
}

static bool take_word(struct compiler *compiler, const char *word)
{
    char found[WORD_MAX];
    skip_blanks(compiler);
    size_t size = peek_word(compiler, found);
    if (strcmp(found, word) != 0) {
        return false;
    }
    compiler->position += size;
    return true;
}

static bool take_sign(struct compiler *compiler, const char *sign)
{
    skip_blanks(compiler);
    size_t size = strlen(sign);
    for (size_t i = 0; i < size; i++) {
        if (look(compiler, i) != sign[i]) {
            return false;
        }
    }
    compiler->position += size;
    return true;
}

static bool is_number(const struct fil_expression *part)
{
    return part->kind == FIL_VALUE_I64 || part->kind == FIL_VALUE_F64;
}

static struct fil_expression *make_unary(struct compiler *compiler, enum fil_expression_op op,
                                         enum fil_value_kind kind, struct fil_expression *part)
{
    struct fil_expression *made = make(compiler, op, kind);
    if (made != NULL) {
        made->parts[0] = part;
    }
    return made;
}

static struct fil_expression *to_real(struct compiler *compiler, struct fil_expression *part)
{
    return part->kind == FIL_VALUE_F64 ? part
                                       : make_unary(compiler, FIL_OP_TO_F64, FIL_VALUE_F64, part);
}

static struct fil_expression *make_binary(struct compiler *compiler, enum fil_expression_op op,
                                          enum fil_value_kind kind, struct fil_expression *a,
                                          struct fil_expression *b)
{
    struct fil_expression *made = make(compiler, op, kind);
    if (made != NULL) {
        made->parts[0] = a;
        made->parts[1] = b;
        made->text_size = a->text_size > b->text_size ? a->text_size : b->text_size;
    }
    return made;
}

/** Both as f64 when one is; false when one is not there. */
static bool unify(struct compiler *compiler, struct fil_expression **a, struct fil_expression **b)
{
    if (is_number(*a) && is_number(*b) && (*a)->kind != (*b)->kind) {
        *a = to_real(compiler, *a);
        *b = to_real(compiler, *b);
    }
    return *a != NULL && *b != NULL;
}

static struct fil_expression *join_numbers(struct compiler *compiler, enum fil_expression_op op,
                                           size_t position, struct fil_expression *a,
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
    bool is_good = is_number(a) && is_number(b) &&
                   (op != FIL_OP_REST || (a->kind == FIL_VALUE_I64 && b->kind == FIL_VALUE_I64));
    if (!is_good) {
        return blame(compiler, position, "cannot %s %s and %s", verbs[op],
                     fil_value_kind_name(a->kind), fil_value_kind_name(b->kind));
    }
    return unify(compiler, &a, &b) ? make_binary(compiler, op, a->kind, a, b) : NULL;
}

static struct fil_expression *join_conditions(struct compiler *compiler, enum fil_expression_op op,
                                              size_t position, struct fil_expression *a,
                                              struct fil_expression *b)
{
    if (a == NULL || b == NULL) {
        return NULL;
    }
    if (a->kind != FIL_VALUE_BOOL || b->kind != FIL_VALUE_BOOL) {
        const struct fil_expression *wrong = a->kind != FIL_VALUE_BOOL ? a : b;
        return blame(compiler, position, "'%s' needs conditions on both sides, not %s",
                     op == FIL_OP_OR ? "or" : "and", fil_value_kind_name(wrong->kind));
    }
    return make_binary(compiler, op, FIL_VALUE_BOOL, a, b);
}

static struct fil_expression *join_comparison(struct compiler *compiler, enum fil_expression_op op,
                                              size_t position, struct fil_expression *a,
                                              struct fil_expression *b)
{
    if (a == NULL || b == NULL || !unify(compiler, &a, &b)) {
        return NULL;
    }
    bool is_order = op != FIL_OP_EQUAL && op != FIL_OP_NOT_EQUAL;
    if (a->kind != b->kind || (is_order && a->kind == FIL_VALUE_BOOL)) {
        return blame(compiler, position, "cannot compare %s with %s", fil_value_kind_name(a->kind),
                     fil_value_kind_name(b->kind));
    }
    return make_binary(compiler, op, FIL_VALUE_BOOL, a, b);
}

// Functions: name, operation, number of arguments.
static const struct function {
    const char *name;
    enum fil_expression_op op;
    uint32_t count;
} functions[] = {{"abs", FIL_OP_ABS, 1},
                 {"min", FIL_OP_MIN, 2},
                 {"max", FIL_OP_MAX, 2},
                 {"length", FIL_OP_LENGTH, 1},
                 {"contains", FIL_OP_CONTAINS, 2},
                 {"starts_with", FIL_OP_STARTS_WITH, 2},
                 {"i64", FIL_OP_TO_I64, 1},
                 {"f64", FIL_OP_TO_F64, 1},
                 {"if", FIL_OP_IF, 3}};

static struct fil_expression *make_if(struct compiler *compiler, struct fil_expression **parts)
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
static struct fil_expression *make_call(struct compiler *compiler, const struct function *function,
                                        struct fil_expression **parts)
{
    bool are_texts = parts[0]->kind == FIL_VALUE_TEXT &&
                     (function->count < 2 || parts[1]->kind == FIL_VALUE_TEXT);
    bool are_numbers = is_number(parts[0]) && (function->count < 2 || is_number(parts[1]));
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
        return are_texts ? make_unary(compiler, FIL_OP_LENGTH, FIL_VALUE_I64, parts[0]) : NULL;
    }
    enum fil_value_kind kind = function->op == FIL_OP_ABS      ? parts[0]->kind
                               : function->op == FIL_OP_TO_I64 ? FIL_VALUE_I64
                                                               : FIL_VALUE_F64;
    return are_numbers ? make_unary(compiler, function->op, kind, parts[0]) : NULL;
}

/** The arguments up to the closing bracket; how many, or UINT32_MAX after a mistake. */
static uint32_t parse_arguments(struct compiler *compiler, const struct function *function,
                                struct fil_expression *out_parts[3], size_t position)
{
    uint32_t count = 0;
    while (!take_sign(compiler, ")")) {
        if (count != 0 && !take_sign(compiler, ",")) {
            (void)blame(compiler, compiler->position, "expected ',' or ')'");
            return UINT32_MAX;
        }
        struct fil_expression *part = parse_or(compiler);
        if (part == NULL) {
            return UINT32_MAX;
        }
        if (count < 3) {
            out_parts[count] = part;
        }
        count++;
    }
    if (count != function->count) {
        (void)blame(compiler, position, "%s takes %u argument%s, not %u", function->name,
                    function->count, function->count == 1 ? "" : "s", count);
        return UINT32_MAX;
    }
    return count;
}

static struct fil_expression *parse_call(struct compiler *compiler, const char *name,
                                         size_t position)
{
    const struct function *function = NULL;
    for (uint32_t i = 0; i < FIL_COUNT_OF(functions); i++) {
        function = strcmp(functions[i].name, name) == 0 ? &functions[i] : function;
    }
    if (function == NULL) {
        return blame(compiler, position, "there is no function '%s'", name);
    }
    struct fil_expression *parts[3] = {NULL, NULL, NULL};
    if (parse_arguments(compiler, function, parts, position) == UINT32_MAX) {
        return NULL;
    }
    struct fil_expression *made = make_call(compiler, function, parts);
    if (made == NULL && compiler->error == FIL_OK) {
        return blame(compiler, position, "%s does not take arguments of these kinds: %s%s%s", name,
                     fil_value_kind_name(parts[0]->kind), function->count > 1 ? ", " : "",
                     function->count > 1 ? fil_value_kind_name(parts[1]->kind) : "");
    }
    return made;
}

static struct fil_expression *parse_field(struct compiler *compiler, const char *name,
                                          size_t position)
{
    const struct fil_field *field = fil_type__find(compiler->type, name);
    if (field == NULL) {
        return blame(compiler, position, "there is no field '%s'", name);
    }
    enum fil_value_kind kind = field->kind == FIL_FIELD_TEXT  ? FIL_VALUE_TEXT
                               : field->kind == FIL_FIELD_F64 ? FIL_VALUE_F64
                                                              : FIL_VALUE_I64;
    struct fil_expression *made = make(compiler, FIL_OP_FIELD, kind);
    if (made != NULL) {
        made->field = field;
        made->text_size = field->kind == FIL_FIELD_TEXT ? field->size : 0;
    }
    return made;
}

static struct fil_expression *parse_name(struct compiler *compiler)
{
    char name[WORD_MAX];
    size_t position = compiler->position;
    compiler->position += peek_word(compiler, name);
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
        struct fil_expression *made = make(compiler, FIL_OP_CONSTANT, FIL_VALUE_BOOL);
        if (made != NULL) {
            made->constant.integer = name[0] == 't';
        }
        return made;
    }
    return take_sign(compiler, "(") ? parse_call(compiler, name, position)
                                    : parse_field(compiler, name, position);
}

static struct fil_expression *parse_number(struct compiler *compiler)
{
    size_t size = 0;
    bool is_real = false;
    while (is_digit(look(compiler, size)) || look(compiler, size) == '.') {
        is_real = is_real || look(compiler, size) == '.';
        size++;
    }
    char text[WORD_MAX];
    size_t position = compiler->position;
    if (size >= sizeof(text)) {
        return blame(compiler, position, "the number is too long");
    }
    memcpy(text, compiler->source.data + position, size);
    text[size] = '\0';
    struct fil_expression *made =
        make(compiler, FIL_OP_CONSTANT, is_real ? FIL_VALUE_F64 : FIL_VALUE_I64);
    if (made == NULL) {
        return NULL;
    }
    char *end = text + size;
    bool is_good = true;
    if (is_real) {
        made->constant.real = strtod(text, &end);
    } else {
        is_good = fil_bytes_to_i64(fil_bytes_make(text, size), &made->constant.integer);
    }
    compiler->position += size;
    return is_good && end == text + size ? made
                                         : blame(compiler, position, "'%s' is no number", text);
}

static struct fil_expression *parse_text(struct compiler *compiler)
{
    size_t position = compiler->position;
    char quote = look(compiler, 0);
    size_t size = 1;
    while (position + size < compiler->source.size && look(compiler, size) != quote) {
        size++;
    }
    if (position + size >= compiler->source.size) {
        return blame(compiler, position, "the text has no end: %c is missing", quote);
    }
    struct fil_expression *made = make(compiler, FIL_OP_CONSTANT, FIL_VALUE_TEXT);
    struct fil_bytes inside = fil_bytes_make(compiler->source.data + position + 1, size - 1);
    compiler->position += size + 1;
    if (made == NULL || inside.size == 0) {
        return made;
    }
    made->text_size = (uint32_t)inside.size;
    if (fil_arena_copy(compiler->arena, inside, &made->constant.text) != FIL_OK) {
        compiler->error = FIL_E_NOMEM;
        return NULL;
    }
    return made;
}

static struct fil_expression *parse_primary(struct compiler *compiler)
{
    skip_blanks(compiler);
    char next = look(compiler, 0);
    if (is_digit(next)) {
        return parse_number(compiler);
    }
    if (next == '"' || next == '\'') {
        return parse_text(compiler);
    }
    if (is_letter(next)) {
        return parse_name(compiler);
    }
    if (take_sign(compiler, "(")) {
        struct fil_expression *inside = parse_or(compiler);
        if (inside != NULL && !take_sign(compiler, ")")) {
            return blame(compiler, compiler->position, "expected ')'");
        }
        return inside;
    }
    if (compiler->position >= compiler->source.size) {
        return blame(compiler, compiler->position, "the expression ends too early");
    }
    return blame(compiler, compiler->position, "'%c' is not expected here", next);
}

static struct fil_expression *parse_unary(struct compiler *compiler)
{
    skip_blanks(compiler);
    size_t position = compiler->position;
    if (!take_sign(compiler, "-")) {
        return parse_primary(compiler);
    }
    compiler->depth++;
    struct fil_expression *part =
        compiler->depth > FIL_EXPRESSION_DEPTH_MAX
            ? blame(compiler, position, "nested deeper than %u", FIL_EXPRESSION_DEPTH_MAX)
            : parse_unary(compiler);
    compiler->depth--;
    if (part == NULL) {
        return NULL;
    }
    return is_number(part)
               ? make_unary(compiler, FIL_OP_NEGATE, part->kind, part)
               : blame(compiler, position, "cannot negate %s", fil_value_kind_name(part->kind));
}

static struct fil_expression *parse_product(struct compiler *compiler)
{
    struct fil_expression *left = parse_unary(compiler);
    while (left != NULL) {
        skip_blanks(compiler);
        size_t position = compiler->position;
        enum fil_expression_op op = take_sign(compiler, "*")   ? FIL_OP_MULTIPLY
                                    : take_sign(compiler, "/") ? FIL_OP_DIVIDE
                                    : take_sign(compiler, "%") ? FIL_OP_REST
                                                               : FIL_OP_CONSTANT;
        if (op == FIL_OP_CONSTANT) {
            break;
        }
        left = join_numbers(compiler, op, position, left, parse_unary(compiler));
    }
    return left;
}

static struct fil_expression *parse_sum(struct compiler *compiler)
{
    struct fil_expression *left = parse_product(compiler);
    while (left != NULL) {
        skip_blanks(compiler);
        size_t position = compiler->position;
        enum fil_expression_op op = take_sign(compiler, "+")   ? FIL_OP_ADD
                                    : take_sign(compiler, "-") ? FIL_OP_SUBTRACT
                                                               : FIL_OP_CONSTANT;
        if (op == FIL_OP_CONSTANT) {
            break;
        }
        left = join_numbers(compiler, op, position, left, parse_product(compiler));
    }
    return left;
}

static struct fil_expression *parse_comparison(struct compiler *compiler)
{
    static const struct {
        const char *sign;
        enum fil_expression_op op;
    } signs[] = {{"<=", FIL_OP_LESS_EQUAL}, {">=", FIL_OP_GREATER_EQUAL}, {"==", FIL_OP_EQUAL},
                 {"!=", FIL_OP_NOT_EQUAL},  {"<", FIL_OP_LESS},           {">", FIL_OP_GREATER}};
    struct fil_expression *left = parse_sum(compiler);
    if (left == NULL) {
        return NULL;
    }
    skip_blanks(compiler);
    size_t position = compiler->position;
    for (uint32_t i = 0; i < FIL_COUNT_OF(signs); i++) {
        if (take_sign(compiler, signs[i].sign)) {
            return join_comparison(compiler, signs[i].op, position, left, parse_sum(compiler));
        }
    }
    if (look(compiler, 0) == '=') {
        return blame(compiler, position, "'=' is not expected here: equal is ==");
    }
    return left;
}

static struct fil_expression *parse_not(struct compiler *compiler)
{
    skip_blanks(compiler);
    size_t position = compiler->position;
    if (!take_word(compiler, "not")) {
        return parse_comparison(compiler);
    }
    struct fil_expression *part = parse_comparison(compiler);
    if (part == NULL) {
        return NULL;
    }
    return part->kind == FIL_VALUE_BOOL
               ? make_unary(compiler, FIL_OP_NOT, FIL_VALUE_BOOL, part)
               : blame(compiler, position, "'not' needs a condition, not %s",
                       fil_value_kind_name(part->kind));
}

static struct fil_expression *parse_and(struct compiler *compiler)
{
    struct fil_expression *left = parse_not(compiler);
    while (left != NULL) {
        skip_blanks(compiler);
        size_t position = compiler->position;
        if (!take_word(compiler, "and")) {
            break;
        }
        left = join_conditions(compiler, FIL_OP_AND, position, left, parse_not(compiler));
    }
    return left;
}

static struct fil_expression *parse_or(struct compiler *compiler)
{
    if (compiler->depth == FIL_EXPRESSION_DEPTH_MAX) {
        return blame(compiler, compiler->position, "nested deeper than %u",
                     FIL_EXPRESSION_DEPTH_MAX);
    }
    compiler->depth++;
    struct fil_expression *left = parse_and(compiler);
    while (left != NULL) {
        skip_blanks(compiler);
        size_t position = compiler->position;
        if (!take_word(compiler, "or")) {
            break;
        }
        left = join_conditions(compiler, FIL_OP_OR, position, left, parse_and(compiler));
    }
    compiler->depth--;
    return left;
}

int fil_expression_compile(struct fil_arena *arena, const struct fil_type *type,
                           struct fil_bytes source, const struct fil_expression **out_expression,
                           struct fil_expression_fault *out_fault)
{
    struct compiler compiler = {.arena = arena, .type = type, .source = source, .fault = out_fault};
    *out_fault = (struct fil_expression_fault){0};
    struct fil_expression *made = parse_or(&compiler);
    if (made != NULL) {
        skip_blanks(&compiler);
        if (compiler.position < source.size) {
            (void)blame(&compiler, compiler.position, "'%c' is not expected here",
                        look(&compiler, 0));
        }
    }
    *out_expression = made;
    return compiler.error;
}
