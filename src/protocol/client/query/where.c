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
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/client/query/token_internal.h"

static struct fil_query_node *parse_or(struct fil_query__parser *parser, uint32_t depth);

static struct fil_query_node *new_node(struct fil_query__parser *parser,
                                       enum fil_query_node_kind kind)
{
    struct fil_query_node *node = fil_query__node(parser->maker, kind);
    if (node == NULL) {
        fil_query__fail_memory(parser);
    }
    return node;
}

/** NULL stays NULL. */
static struct fil_query_node *negate(struct fil_query__parser *parser, struct fil_query_node *inner,
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

static struct fil_wire_value parse_literal(struct fil_query__parser *parser)
{
    struct fil_wire_value value = {.type = FIL_WIRE_DATA_NULL};
    bool is_quoted = parser->next.kind == FIL_QUERY__TOKEN_QUOTED;
    if (!is_quoted && parser->next.kind != FIL_QUERY__TOKEN_WORD) {
        fil_query__fail(parser, "misses what to compare with");
        return value;
    }
    if (is_quoted || !fil_query__is_next_word(parser, "null")) {
        value = fil_wire_value_text(FIL_WIRE_DATA_STRING, parser->next.text);
    }
    fil_query__advance(parser);
    return value;
}

/** A node about an attribute, with room for so many literals. */
static struct fil_query_node *new_comparison(struct fil_query__parser *parser,
                                             struct fil_bytes attribute,
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

static struct fil_query_node *parse_between(struct fil_query__parser *parser,
                                            struct fil_bytes attribute)
{
    struct fil_query_node *node = new_comparison(parser, attribute, FIL_QUERY_BETWEEN, 2);
    if (node == NULL) {
        return NULL;
    }
    node->operands[0] = parse_literal(parser);
    if (!fil_query__skip_word(parser, "and")) {
        fil_query__fail(parser, "misses the AND of a BETWEEN");
    }
    node->operands[1] = parse_literal(parser);
    return node;
}

/** How many literals the list has, whose tokens follow. */
static uint32_t count_list(const struct fil_query__parser *parser)
{
    struct fil_query__parser ahead = *parser;
    uint32_t count = 1;
    while (
        ahead.error == FIL_OK && ahead.next.kind != FIL_QUERY__TOKEN_END &&
        !(ahead.next.kind == FIL_QUERY__TOKEN_SIGN && fil_bytes_equal_text(ahead.next.text, ")"))) {
        count +=
            ahead.next.kind == FIL_QUERY__TOKEN_SIGN && fil_bytes_equal_text(ahead.next.text, ",");
        fil_query__advance(&ahead);
    }
    return count;
}

static struct fil_query_node *parse_in(struct fil_query__parser *parser, struct fil_bytes attribute)
{
    if (!fil_query__skip_sign(parser, "(")) {
        fil_query__fail(parser, "misses the list of an IN");
        return NULL;
    }
    uint32_t count = count_list(parser);
    struct fil_query_node *node = new_comparison(parser, attribute, FIL_QUERY_EQUAL, count);
    for (uint32_t i = 0; node != NULL && parser->error == FIL_OK && i < count; i++) {
        node->operands[i] = parse_literal(parser);
        if (i + 1 < count ? !fil_query__skip_sign(parser, ",")
                          : !fil_query__skip_sign(parser, ")")) {
            fil_query__fail(parser, "has an IN whose list does not end");
        }
    }
    return node;
}

static struct fil_query_node *parse_pattern(struct fil_query__parser *parser,
                                            struct fil_bytes attribute, bool is_any_case)
{
    struct fil_query_node *node = new_comparison(parser, attribute, FIL_QUERY_LIKE, 1);
    if (node == NULL) {
        return NULL;
    }
    node->is_any_case = is_any_case;
    node->operands[0] = parse_literal(parser);
    if (node->operands[0].type != FIL_WIRE_DATA_STRING) {
        fil_query__fail(parser, "has no pattern");
    }
    return node;
}

static struct fil_query_node *parse_regex(struct fil_query__parser *parser,
                                          struct fil_bytes attribute)
{
    struct fil_query_node *node = new_comparison(parser, attribute, FIL_QUERY_REGEX, 0);
    struct fil_wire_value pattern = parse_literal(parser);
    if (node == NULL || parser->error != FIL_OK) {
        return NULL;
    }
    if (pattern.type != FIL_WIRE_DATA_STRING) {
        fil_query__fail(parser, "has no pattern");
        return NULL;
    }
    parser->error = fil_query__set_regex(parser->maker, node, pattern.text);
    return node;
}

/** A comparison by a sign; false when the next token is none. */
static bool parse_sign(struct fil_query__parser *parser, enum fil_query_node_kind *out_kind,
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
        if (fil_query__skip_sign(parser, signs[i].sign)) {
            *out_kind = signs[i].kind;
            *out_includes_equal = signs[i].includes_equal;
            *out_is_negated = signs[i].is_negated;
            return true;
        }
    }
    return false;
}

static struct fil_query_node *parse_compared(struct fil_query__parser *parser,
                                             struct fil_bytes attribute)
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

static struct fil_query_node *parse_attribute(struct fil_query__parser *parser)
{
    struct fil_bytes attribute = parser->next.text;
    if (parser->next.kind != FIL_QUERY__TOKEN_WORD) {
        fil_query__fail(parser, "misses an attribute");
        return NULL;
    }
    fil_query__advance(parser);
    bool is_negated = fil_query__skip_word(parser, "not");
    if (fil_query__skip_word(parser, "between")) {
        return negate(parser, parse_between(parser, attribute), is_negated);
    }
    if (fil_query__skip_word(parser, "in")) {
        return negate(parser, parse_in(parser, attribute), is_negated);
    }
    if (fil_query__is_next_word(parser, "like") || fil_query__is_next_word(parser, "ilike")) {
        bool is_any_case = fil_query__is_next_word(parser, "ilike");
        fil_query__advance(parser);
        return negate(parser, parse_pattern(parser, attribute, is_any_case), is_negated);
    }
    if (fil_query__skip_word(parser, "regex")) {
        return negate(parser, parse_regex(parser, attribute), is_negated);
    }
    if (is_negated) {
        fil_query__fail(parser, "has a NOT that stands before nothing");
        return NULL;
    }
    return parse_compared(parser, attribute);
}

static struct fil_query_node *parse_not(struct fil_query__parser *parser, uint32_t depth)
{
    if (depth >= FIL_QUERY__DEPTH_MAX) {
        fil_query__fail(parser, "is nested too deep");
        return NULL;
    }
    if (fil_query__skip_word(parser, "not")) {
        return negate(parser, parse_not(parser, depth + 1), true);
    }
    if (!fil_query__skip_sign(parser, "(")) {
        return parse_attribute(parser);
    }
    struct fil_query_node *inner = parse_or(parser, depth + 1);
    if (!fil_query__skip_sign(parser, ")")) {
        fil_query__fail(parser, "misses a bracket");
    }
    return inner;
}

static struct fil_query_node *parse_parts(struct fil_query__parser *parser, uint32_t depth,
                                          bool is_and);

static struct fil_query_node *parse_part(struct fil_query__parser *parser, uint32_t depth,
                                         bool of_and)
{
    return of_and ? parse_not(parser, depth) : parse_parts(parser, depth, true);
}

/** Parts with a word between them; one part is itself. */
static struct fil_query_node *parse_parts(struct fil_query__parser *parser, uint32_t depth,
                                          bool is_and)
{
    struct fil_query_node *first = parse_part(parser, depth, is_and);
    const char *word = is_and ? "and" : "or";
    if (parser->error != FIL_OK || !fil_query__is_next_word(parser, word)) {
        return first;
    }
    struct fil_query_node *node = new_node(parser, is_and ? FIL_QUERY_AND : FIL_QUERY_OR);
    struct fil_query_node *last = first;
    while (node != NULL && last != NULL && parser->error == FIL_OK &&
           fil_query__skip_word(parser, word)) {
        last->next = parse_part(parser, depth, is_and);
        last = last->next;
    }
    if (node != NULL) {
        node->first = first;
    }
    return node;
}

static struct fil_query_node *parse_or(struct fil_query__parser *parser, uint32_t depth)
{
    return parse_parts(parser, depth, false);
}

int fil_query__parse_where(struct fil_query__maker *maker, struct fil_bytes text,
                           struct fil_query_node **out_node)
{
    struct fil_query__parser parser = {.maker = maker, .text = text};
    fil_query__advance(&parser);
    *out_node = parse_or(&parser, 0);
    if (parser.error == FIL_OK && parser.next.kind != FIL_QUERY__TOKEN_END) {
        fil_query__fail(&parser, "has more than one expression");
    }
    fil_assert(parser.error != FIL_OK || *out_node != NULL);
    return parser.error;
}
