// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "filbert/error.h"
#include "protocol/client/query/token_internal.h"

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_word(uint8_t c)
{
    return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z') || (c != 0 && strchr("_.[]$#-+:@/%*", c) != NULL);
}

static uint8_t peek_at(const struct fil_query__parser *parser, size_t at)
{
    return at < parser->text.size ? parser->text.data[at] : 0;
}

void fil_query__fail(struct fil_query__parser *parser, const char *reason)
{
    if (parser->error == FIL_OK) {
        parser->error = fil_query__refuse(parser->maker, FIL_E_MALFORMED, reason);
    }
    parser->next.kind = FIL_QUERY__TOKEN_BAD;
}

void fil_query__fail_memory(struct fil_query__parser *parser)
{
    parser->error = fil_query__refuse_memory(parser->maker);
    parser->next.kind = FIL_QUERY__TOKEN_BAD;
}

/** Text without its doubled quotes. */
static struct fil_bytes without_doubles(struct fil_query__parser *parser, struct fil_bytes text)
{
    uint8_t *copy = fil_arena_alloc(parser->maker->arena, text.size, 1);
    size_t size = 0;
    if (copy == NULL) {
        fil_query__fail_memory(parser);
        return text;
    }
    for (size_t i = 0; i < text.size; i++) {
        copy[size++] = text.data[i];
        i += text.data[i] == '\'';
    }
    return fil_bytes_make(copy, size);
}

/** Behind the opening quote. */
static void take_quoted(struct fil_query__parser *parser)
{
    size_t start = parser->at;
    bool has_doubles = false;
    for (;;) {
        if (parser->at == parser->text.size) {
            fil_query__fail(parser, "has a quote that does not end");
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
    parser->next = (struct fil_query__token){.kind = FIL_QUERY__TOKEN_QUOTED};
    parser->next.text = has_doubles ? without_doubles(parser, text) : text;
}

static void take_word(struct fil_query__parser *parser)
{
    size_t start = parser->at;
    while (is_word(peek_at(parser, parser->at))) {
        parser->at++;
    }
    parser->next = (struct fil_query__token){
        .kind = FIL_QUERY__TOKEN_WORD,
        .text = fil_bytes_make(parser->text.data + start, parser->at - start)};
}

static void take_sign(struct fil_query__parser *parser)
{
    static const char *const signs[] = {"==", "!=", "<>", "<=", ">=", "=", "<", ">", "(", ")", ","};
    struct fil_bytes rest =
        fil_bytes_make(parser->text.data + parser->at, parser->text.size - parser->at);
    for (size_t i = 0; i < FIL_COUNT_OF(signs); i++) {
        size_t size = strlen(signs[i]);
        if (rest.size >= size && memcmp(rest.data, signs[i], size) == 0) {
            parser->at += size;
            parser->next = (struct fil_query__token){.kind = FIL_QUERY__TOKEN_SIGN,
                                                     .text = fil_bytes_make(rest.data, size)};
            return;
        }
    }
    fil_query__fail(parser, "has a character that means nothing");
}

void fil_query__advance(struct fil_query__parser *parser)
{
    if (parser->error != FIL_OK) {
        return;
    }
    while (is_blank(peek_at(parser, parser->at))) {
        parser->at++;
    }
    if (parser->at == parser->text.size) {
        parser->next = (struct fil_query__token){.kind = FIL_QUERY__TOKEN_END};
    } else if (peek_at(parser, parser->at) == '\'') {
        parser->at++;
        take_quoted(parser);
    } else if (is_word(peek_at(parser, parser->at))) {
        take_word(parser);
    } else {
        take_sign(parser);
    }
}

bool fil_query__is_next_word(const struct fil_query__parser *parser, const char *word)
{
    return parser->next.kind == FIL_QUERY__TOKEN_WORD &&
           fil_bytes_equal_nocase(parser->next.text, fil_bytes_of(word));
}

bool fil_query__skip_word(struct fil_query__parser *parser, const char *word)
{
    bool is_it = fil_query__is_next_word(parser, word);
    if (is_it) {
        fil_query__advance(parser);
    }
    return is_it;
}

bool fil_query__skip_sign(struct fil_query__parser *parser, const char *sign)
{
    bool is_it =
        parser->next.kind == FIL_QUERY__TOKEN_SIGN && fil_bytes_equal_text(parser->next.text, sign);
    if (is_it) {
        fil_query__advance(parser);
    }
    return is_it;
}
