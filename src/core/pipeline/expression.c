// SPDX-License-Identifier: Apache-2.0
// Reads the text of expressions: words and signs, then what binds more loosely around what binds
// more tightly.
#include <stdlib.h>
#include <string.h>

#include "core/pipeline/expression_compiler.h"
#include "core/pipeline/pipeline_internal.h"
#include "lib/base/assert.h"

#define WORD_MAX 64U

static struct fil_expression *parse_or(struct fil_compiler *compiler);

static char look(const struct fil_compiler *compiler, size_t ahead)
{
    size_t place = compiler->position + ahead;
    return place < compiler->source.size ? (char)compiler->source.data[place] : '\0';
}

static void skip_blanks(struct fil_compiler *compiler)
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
static size_t peek_word(const struct fil_compiler *compiler, char out_word[WORD_MAX])
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

static bool take_word(struct fil_compiler *compiler, const char *word)
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

static bool take_sign(struct fil_compiler *compiler, const char *sign)
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

/** The arguments up to the closing bracket; how many, or UINT32_MAX after a mistake. */
static uint32_t parse_arguments(struct fil_compiler *compiler,
                                const struct fil_compiler_function *function,
                                struct fil_expression *out_parts[3], size_t position)
{
    uint32_t count = 0;
    while (!take_sign(compiler, ")")) {
        if (count != 0 && !take_sign(compiler, ",")) {
            (void)fil_compiler__blame(compiler, compiler->position, "expected ',' or ')'");
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
        (void)fil_compiler__blame(compiler, position, "%s takes %u argument%s, not %u",
                                  function->name, function->count, function->count == 1 ? "" : "s",
                                  count);
        return UINT32_MAX;
    }
    return count;
}

static struct fil_expression *parse_call(struct fil_compiler *compiler, const char *name,
                                         size_t position)
{
    const struct fil_compiler_function *function = fil_compiler__find_function(name);
    if (function == NULL) {
        return fil_compiler__blame(compiler, position, "there is no function '%s'", name);
    }
    struct fil_expression *parts[3] = {NULL, NULL, NULL};
    if (parse_arguments(compiler, function, parts, position) == UINT32_MAX) {
        return NULL;
    }
    struct fil_expression *made = fil_compiler__make_call(compiler, function, parts);
    if (made == NULL && compiler->error == FIL_OK) {
        return fil_compiler__blame(
            compiler, position, "%s does not take arguments of these kinds: %s%s%s", name,
            fil_value_kind_name(parts[0]->kind), function->count > 1 ? ", " : "",
            function->count > 1 ? fil_value_kind_name(parts[1]->kind) : "");
    }
    return made;
}

static struct fil_expression *parse_field(struct fil_compiler *compiler, const char *name,
                                          size_t position)
{
    const struct fil_field *field = fil_type__find(compiler->type, name);
    if (field == NULL) {
        return fil_compiler__blame(compiler, position, "there is no field '%s'", name);
    }
    enum fil_value_kind kind = field->kind == FIL_FIELD_TEXT  ? FIL_VALUE_TEXT
                               : field->kind == FIL_FIELD_F64 ? FIL_VALUE_F64
                                                              : FIL_VALUE_I64;
    struct fil_expression *made = fil_compiler__make(compiler, FIL_OP_FIELD, kind);
    if (made != NULL) {
        made->field = field;
        made->text_size = field->kind == FIL_FIELD_TEXT ? field->size : 0;
    }
    return made;
}

static struct fil_expression *parse_name(struct fil_compiler *compiler)
{
    char name[WORD_MAX];
    size_t position = compiler->position;
    compiler->position += peek_word(compiler, name);
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
        struct fil_expression *made = fil_compiler__make(compiler, FIL_OP_CONSTANT, FIL_VALUE_BOOL);
        if (made != NULL) {
            made->constant.integer = name[0] == 't';
        }
        return made;
    }
    return take_sign(compiler, "(") ? parse_call(compiler, name, position)
                                    : parse_field(compiler, name, position);
}

static struct fil_expression *parse_number(struct fil_compiler *compiler)
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
        return fil_compiler__blame(compiler, position, "the number is too long");
    }
    memcpy(text, compiler->source.data + position, size);
    text[size] = '\0';
    struct fil_expression *made =
        fil_compiler__make(compiler, FIL_OP_CONSTANT, is_real ? FIL_VALUE_F64 : FIL_VALUE_I64);
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
    return is_good && end == text + size
               ? made
               : fil_compiler__blame(compiler, position, "'%s' is no number", text);
}

static struct fil_expression *parse_text(struct fil_compiler *compiler)
{
    size_t position = compiler->position;
    char quote = look(compiler, 0);
    size_t size = 1;
    while (position + size < compiler->source.size && look(compiler, size) != quote) {
        size++;
    }
    if (position + size >= compiler->source.size) {
        return fil_compiler__blame(compiler, position, "the text has no end: %c is missing", quote);
    }
    struct fil_expression *made = fil_compiler__make(compiler, FIL_OP_CONSTANT, FIL_VALUE_TEXT);
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

static struct fil_expression *parse_primary(struct fil_compiler *compiler)
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
            return fil_compiler__blame(compiler, compiler->position, "expected ')'");
        }
        return inside;
    }
    if (compiler->position >= compiler->source.size) {
        return fil_compiler__blame(compiler, compiler->position, "the expression ends too early");
    }
    return fil_compiler__blame(compiler, compiler->position, "'%c' is not expected here", next);
}

static struct fil_expression *parse_unary(struct fil_compiler *compiler)
{
    skip_blanks(compiler);
    size_t position = compiler->position;
    if (!take_sign(compiler, "-")) {
        return parse_primary(compiler);
    }
    compiler->depth++;
    struct fil_expression *part =
        compiler->depth > FIL_EXPRESSION_DEPTH_MAX
            ? fil_compiler__blame(compiler, position, "nested deeper than %u",
                                  FIL_EXPRESSION_DEPTH_MAX)
            : parse_unary(compiler);
    compiler->depth--;
    if (part == NULL) {
        return NULL;
    }
    return fil_compiler__is_number(part)
               ? fil_compiler__make_unary(compiler, FIL_OP_NEGATE, part->kind, part)
               : fil_compiler__blame(compiler, position, "cannot negate %s",
                                     fil_value_kind_name(part->kind));
}

static struct fil_expression *parse_product(struct fil_compiler *compiler)
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
        left = fil_compiler__join_numbers(compiler, op, position, left, parse_unary(compiler));
    }
    return left;
}

static struct fil_expression *parse_sum(struct fil_compiler *compiler)
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
        left = fil_compiler__join_numbers(compiler, op, position, left, parse_product(compiler));
    }
    return left;
}

static struct fil_expression *parse_comparison(struct fil_compiler *compiler)
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
            return fil_compiler__join_comparison(compiler, signs[i].op, position, left,
                                                 parse_sum(compiler));
        }
    }
    if (look(compiler, 0) == '=') {
        return fil_compiler__blame(compiler, position, "'=' is not expected here: equal is ==");
    }
    return left;
}

static struct fil_expression *parse_not(struct fil_compiler *compiler)
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
               ? fil_compiler__make_unary(compiler, FIL_OP_NOT, FIL_VALUE_BOOL, part)
               : fil_compiler__blame(compiler, position, "'not' needs a condition, not %s",
                                     fil_value_kind_name(part->kind));
}

static struct fil_expression *parse_and(struct fil_compiler *compiler)
{
    struct fil_expression *left = parse_not(compiler);
    while (left != NULL) {
        skip_blanks(compiler);
        size_t position = compiler->position;
        if (!take_word(compiler, "and")) {
            break;
        }
        left = fil_compiler__join_conditions(compiler, FIL_OP_AND, position, left,
                                             parse_not(compiler));
    }
    return left;
}

static struct fil_expression *parse_or(struct fil_compiler *compiler)
{
    if (compiler->depth == FIL_EXPRESSION_DEPTH_MAX) {
        return fil_compiler__blame(compiler, compiler->position, "nested deeper than %u",
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
        left =
            fil_compiler__join_conditions(compiler, FIL_OP_OR, position, left, parse_and(compiler));
    }
    compiler->depth--;
    return left;
}

int fil_expression_compile(struct fil_arena *arena, const struct fil_type *type,
                           struct fil_bytes source, const struct fil_expression **out_expression,
                           struct fil_expression_fault *out_fault)
{
    struct fil_compiler compiler = {
        .arena = arena, .type = type, .source = source, .fault = out_fault};
    *out_fault = (struct fil_expression_fault){0};
    struct fil_expression *made = parse_or(&compiler);
    if (made != NULL) {
        skip_blanks(&compiler);
        if (compiler.position < source.size) {
            (void)fil_compiler__blame(&compiler, compiler.position, "'%c' is not expected here",
                                      look(&compiler, 0));
        }
    }
    *out_expression = made;
    return compiler.error;
}
