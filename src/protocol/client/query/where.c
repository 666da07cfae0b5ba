// SPDX-License-Identifier: Apache-2.0
/**
 * Predicates in text, as clients write them: `active AND (age > 20 OR name LIKE 'J%')`.
 *
 *     or       and { OR and }
 *     and      not { AND not }
 *     not      NOT not | ( or ) | attribute [comparison]
 *     compare  = == != <> < > <= >= literal
 *              [NOT] BETWEEN literal AND literal | [NOT] IN ( literal, ... )
 *              [NOT] LIKE literal | [NOT] ILIKE literal | [NOT] REGEX literal
 *
 * Words are known in any case. A literal is a word, a number, or text in single quotes, in which
 * two quotes stand for one; it has no type but that of what it is compared with. An attribute alone
 * means that it is true.
 */
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/client/query/node_internal.h"

enum token_kind {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_QUOTED,
    TOKEN_SIGN, // a comparison, a bracket, a comma
    TOKEN_BAD,
};

struct token {
    enum token_kind kind;
    struct fil_bytes text; // of a quoted one: without its quotes, and they are not doubled
};

struct parser {
    struct fil_query__maker *maker;
    struct fil_bytes text;
    size_t at;
    struct token next;
    int error;
};

// Tokens.

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_word(uint8_t c)
{
    return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z') || (c != 0 && strchr("_.[]$#-+:@/%*", c) != NULL);
}

static uint8_t peek_at(const struct parser *parser, size_t at)
{
    return at < parser->text.size ? parser->text.data[at] : 0;
}

static void fail(struct parser *parser, const char *reason)
{
    if (parser->error == FIL_OK) {
        parser->error = fil_query__refuse(parser->maker, FIL_E_MALFORMED, reason);
    }
    parser->next.kind = TOKEN_BAD;
}

static void fail_memory(struct parser *parser)
{
    parser->error = fil_query__refuse_memory(parser->maker);
    parser->next.kind = TOKEN_BAD;
}

/** Text without its doubled quotes. */
static struct fil_bytes without_doubles(struct parser *parser, struct fil_bytes text)
{
    uint8_t *copy = fil_arena_alloc(parser->maker->arena, text.size, 1);
    size_t size = 0;
    if (copy == NULL) {
        fail_memory(parser);
        return text;
    }
    for (size_t i = 0; i < text.size; i++) {
        copy[size++] = text.data[i];
        i += text.data[i] == '\'';
    }
    return fil_bytes_make(copy, size);
}

/** Behind the opening quote. */
static void take_quoted(struct parser *parser)
{
    size_t start = parser->at;
    bool has_doubles = false;
    for (;;) {
        if (parser->at == parser->text.size) {
            fail(parser, "has a quote that does not end");
            return;
        }
        bool is_quote = peek_at(parser, parser->at++) == '\'';
        if (is_quote && peek_at(parser, parser->at) != '\'') {
            break;
        }
        has_doubles |= is_quote;
        parser->at += is_quote;
    }
    struct fil_bytes text = fil_bytes_make(parser->text.data + start, parser->at - 1 - start);
    parser->next = (struct token){.kind = TOKEN_QUOTED};
    parser->next.text = has_doubles ? without_doubles(parser, text) : text;
}

static void take_word(struct parser *parser)
{
    size_t start = parser->at;
    while (is_word(peek_at(parser, parser->at))) {
        parser->at++;
    }
    parser->next = (struct token){
        .kind = TOKEN_WORD, .text = fil_bytes_make(parser->text.data + start, parser->at - start)};
}

static void take_sign(struct parser *parser)
{
    static const char *const signs[] = {"==", "!=", "<>", "<=", ">=", "=", "<", ">", "(", ")", ","};
    struct fil_bytes rest =
        fil_bytes_make(parser->text.data + parser->at, parser->text.size - parser->at);
    for (size_t i = 0; i < FIL_COUNT_OF(signs); i++) {
        size_t size = strlen(signs[i]);
        if (rest.size >= size && memcmp(rest.data, signs[i], size) == 0) {
            parser->at += size;
            parser->next =
                (struct token){.kind = TOKEN_SIGN, .text = fil_bytes_make(rest.data, size)};
            return;
        }
    }
    fail(parser, "has a character that means nothing");
}

static void advance(struct parser *parser)
{
    if (parser->error != FIL_OK) {
        return;
    }
    while (is_blank(peek_at(parser, parser->at))) {
        parser->at++;
    }
    if (parser->at == parser->text.size) {
        parser->next = (struct token){.kind = TOKEN_END};
    } else if (peek_at(parser, parser->at) == '\'') {
        parser->at++;
        take_quoted(parser);
    } else if (is_word(peek_at(parser, parser->at))) {
        take_word(parser);
    } else {
        take_sign(parser);
    }
}

static bool is_next_word(const struct parser *parser, const char *word)
{
    return parser->next.kind == TOKEN_WORD &&
           fil_bytes_equal_nocase(parser->next.text, fil_bytes_of(word));
}

static bool skip_word(struct parser *parser, const char *word)
{
    bool is_it = is_next_word(parser, word);
    if (is_it) {
        advance(parser);
    }
    return is_it;
}

static bool skip_sign(struct parser *parser, const char *sign)
{
    bool is_it = parser->next.kind == TOKEN_SIGN && fil_bytes_equal_text(parser->next.text, sign);
    if (is_it) {
        advance(parser);
    }
    return is_it;
}

// The grammar.

static struct fil_query_node *parse_or(struct parser *parser, uint32_t depth);

static struct fil_query_node *new_node(struct parser *parser, enum fil_query_node_kind kind)
{
    struct fil_query_node *node = fil_query__node(parser->maker, kind);
    if (node == NULL) {
        fail_memory(parser);
    }
    return node;
}

/** NULL stays NULL. */
static struct fil_query_node *negate(struct parser *parser, struct fil_query_node *inner,
                                     bool is_negated)
{
    if (!is_negated || inner == NULL) {
        return inner;
    }
    struct fil_query_node *node = new_node(parser, FIL_QUERY_NOT);
    if (node != NULL) {
        node->first = inner;
    }
    return node;
}

static struct fil_wire_value parse_literal(struct parser *parser)
{
    struct fil_wire_value value = {.type = FIL_WIRE_DATA_NULL};
    bool is_quoted = parser->next.kind == TOKEN_QUOTED;
    if (!is_quoted && parser->next.kind != TOKEN_WORD) {
        fail(parser, "misses what to compare with");
        return value;
    }
    if (is_quoted || !is_next_word(parser, "null")) {
        value = fil_wire_value_text(FIL_WIRE_DATA_STRING, parser->next.text);
    }
    advance(parser);
    return value;
}

/** A node about an attribute, with room for so many literals. */
static struct fil_query_node *new_comparison(struct parser *parser, struct fil_bytes attribute,
                                             enum fil_query_node_kind kind, uint32_t count)
{
    struct fil_query_node *node = new_node(parser, kind);
    if (node == NULL) {
        return NULL;
    }
    int error = fil_query__set_path(parser->maker, node, attribute);
    if (error == FIL_OK) {
        error = fil_query__set_operands(parser->maker, node, count);
    }
    if (error != FIL_OK && parser->error == FIL_OK) {
        parser->error = error;
    }
    return error == FIL_OK ? node : NULL;
}

static struct fil_query_node *parse_between(struct parser *parser, struct fil_bytes attribute)
{
    struct fil_query_node *node = new_comparison(parser, attribute, FIL_QUERY_BETWEEN, 2);
    if (node == NULL) {
        return NULL;
    }
    node->operands[0] = parse_literal(parser);
    if (!skip_word(parser, "and")) {
        fail(parser, "misses the AND of a BETWEEN");
    }
    node->operands[1] = parse_literal(parser);
    return node;
}

/** How many literals the list has, whose tokens follow. */
static uint32_t count_list(const struct parser *parser)
{
    struct parser ahead = *parser;
    uint32_t count = 1;
    while (ahead.error == FIL_OK && ahead.next.kind != TOKEN_END &&
           !(ahead.next.kind == TOKEN_SIGN && fil_bytes_equal_text(ahead.next.text, ")"))) {
        count += ahead.next.kind == TOKEN_SIGN && fil_bytes_equal_text(ahead.next.text, ",");
        advance(&ahead);
    }
    return count;
}

static struct fil_query_node *parse_in(struct parser *parser, struct fil_bytes attribute)
{
    if (!skip_sign(parser, "(")) {
        fail(parser, "misses the list of an IN");
        return NULL;
    }
    uint32_t count = count_list(parser);
    struct fil_query_node *node = new_comparison(parser, attribute, FIL_QUERY_EQUAL, count);
    for (uint32_t i = 0; node != NULL && parser->error == FIL_OK && i < count; i++) {
        node->operands[i] = parse_literal(parser);
        if (i + 1 < count ? !skip_sign(parser, ",") : !skip_sign(parser, ")")) {
            fail(parser, "has an IN whose list does not end");
        }
    }
    return node;
}

static struct fil_query_node *parse_pattern(struct parser *parser, struct fil_bytes attribute,
                                            bool is_any_case)
{
    struct fil_query_node *node = new_comparison(parser, attribute, FIL_QUERY_LIKE, 1);
    if (node == NULL) {
        return NULL;
    }
    node->is_any_case = is_any_case;
    node->operands[0] = parse_literal(parser);
    if (node->operands[0].type != FIL_WIRE_DATA_STRING) {
        fail(parser, "has no pattern");
    }
    return node;
}

static struct fil_query_node *parse_regex(struct parser *parser, struct fil_bytes attribute)
{
    struct fil_query_node *node = new_comparison(parser, attribute, FIL_QUERY_REGEX, 0);
    struct fil_wire_value pattern = parse_literal(parser);
    if (node == NULL || parser->error != FIL_OK) {
        return NULL;
    }
    if (pattern.type != FIL_WIRE_DATA_STRING) {
        fail(parser, "has no pattern");
        return NULL;
    }
    parser->error = fil_query__set_regex(parser->maker, node, pattern.text);
    return node;
}

/** A comparison by a sign; false when the next token is none. */
static bool parse_sign(struct parser *parser, enum fil_query_node_kind *out_kind,
                       bool *out_includes_equal, bool *out_is_negated)
{
    static const struct {
        const char *sign;
        enum fil_query_node_kind kind;
        bool includes_equal;
        bool is_negated;
    } signs[] = {
        {"=", FIL_QUERY_EQUAL, false, false},   {"==", FIL_QUERY_EQUAL, false, false},
        {"!=", FIL_QUERY_EQUAL, false, true},   {"<>", FIL_QUERY_EQUAL, false, true},
        {"<", FIL_QUERY_LESS, false, false},    {"<=", FIL_QUERY_LESS, true, false},
        {">", FIL_QUERY_GREATER, false, false}, {">=", FIL_QUERY_GREATER, true, false},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(signs); i++) {
        if (skip_sign(parser, signs[i].sign)) {
            *out_kind = signs[i].kind;
            *out_includes_equal = signs[i].includes_equal;
            *out_is_negated = signs[i].is_negated;
            return true;
        }
    }
    return false;
}

static struct fil_query_node *parse_compared(struct parser *parser, struct fil_bytes attribute)
{
    enum fil_query_node_kind kind = FIL_QUERY_EQUAL;
    bool includes_equal = false;
    bool is_negated = false;
    bool has_sign = parse_sign(parser, &kind, &includes_equal, &is_negated);
    struct fil_query_node *node = new_comparison(parser, attribute, kind, 1);
    if (node == NULL) {
        return NULL;
    }
    node->includes_equal = includes_equal;
    node->operands[0] = has_sign ? parse_literal(parser)
                                 : fil_wire_value_text(FIL_WIRE_DATA_STRING, fil_bytes_of("true"));
    return negate(parser, node, is_negated);
}

static struct fil_query_node *parse_attribute(struct parser *parser)
{
    struct fil_bytes attribute = parser->next.text;
    if (parser->next.kind != TOKEN_WORD) {
        fail(parser, "misses an attribute");
        return NULL;
    }
    advance(parser);
    bool is_negated = skip_word(parser, "not");
    if (skip_word(parser, "between")) {
        return negate(parser, parse_between(parser, attribute), is_negated);
    }
    if (skip_word(parser, "in")) {
        return negate(parser, parse_in(parser, attribute), is_negated);
    }
    if (is_next_word(parser, "like") || is_next_word(parser, "ilike")) {
        bool is_any_case = is_next_word(parser, "ilike");
        advance(parser);
        return negate(parser, parse_pattern(parser, attribute, is_any_case), is_negated);
    }
    if (skip_word(parser, "regex")) {
        return negate(parser, parse_regex(parser, attribute), is_negated);
    }
    if (is_negated) {
        fail(parser, "has a NOT that stands before nothing");
        return NULL;
    }
    return parse_compared(parser, attribute);
}

static struct fil_query_node *parse_not(struct parser *parser, uint32_t depth)
{
    if (depth >= FIL_QUERY__DEPTH_MAX) {
        fail(parser, "is nested too deep");
        return NULL;
    }
    if (skip_word(parser, "not")) {
        return negate(parser, parse_not(parser, depth + 1), true);
    }
    if (!skip_sign(parser, "(")) {
        return parse_attribute(parser);
    }
    struct fil_query_node *inner = parse_or(parser, depth + 1);
    if (!skip_sign(parser, ")")) {
        fail(parser, "misses a bracket");
    }
    return inner;
}

typedef struct fil_query_node *(*parse_fn)(struct parser *parser, uint32_t depth);

/** Parts with a word between them; one part is itself. */
static struct fil_query_node *parse_parts(struct parser *parser, uint32_t depth, bool is_and,
                                          parse_fn parse_part)
{
    struct fil_query_node *first = parse_part(parser, depth);
    const char *word = is_and ? "and" : "or";
    if (parser->error != FIL_OK || !is_next_word(parser, word)) {
        return first;
    }
    struct fil_query_node *node = new_node(parser, is_and ? FIL_QUERY_AND : FIL_QUERY_OR);
    struct fil_query_node *last = first;
    while (node != NULL && last != NULL && parser->error == FIL_OK && skip_word(parser, word)) {
        last->next = parse_part(parser, depth);
        last = last->next;
    }
    if (node != NULL) {
        node->first = first;
    }
    return node;
}

static struct fil_query_node *parse_and(struct parser *parser, uint32_t depth)
{
    return parse_parts(parser, depth, true, parse_not);
}

static struct fil_query_node *parse_or(struct parser *parser, uint32_t depth)
{
    return parse_parts(parser, depth, false, parse_and);
}

int fil_query__parse_where(struct fil_query__maker *maker, struct fil_bytes text,
                           struct fil_query_node **out_node)
{
    struct parser parser = {.maker = maker, .text = text};
    advance(&parser);
    *out_node = parse_or(&parser, 0);
    if (parser.error == FIL_OK && parser.next.kind != TOKEN_END) {
        fail(&parser, "has more than one expression");
    }
    fil_assert(parser.error != FIL_OK || *out_node != NULL);
    return parser.error;
}
