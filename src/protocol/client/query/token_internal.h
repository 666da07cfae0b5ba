// SPDX-License-Identifier: Apache-2.0
/** The tokens of predicates in text. */
#pragma once

#include "protocol/client/query/node_internal.h"

enum fil_query__token_kind {
    FIL_QUERY__TOKEN_END,
    FIL_QUERY__TOKEN_WORD,
    FIL_QUERY__TOKEN_QUOTED,
    FIL_QUERY__TOKEN_SIGN, // a comparison, a bracket, a comma
    FIL_QUERY__TOKEN_BAD,
};

struct fil_query__token {
    enum fil_query__token_kind kind;
    struct fil_bytes text; // of a quoted one: without its quotes, and they are not doubled
};

struct fil_query__parser {
    struct fil_query__maker *maker;
    struct fil_bytes text;
    size_t at;
    struct fil_query__token next;
    int error;
};

/** Why the text is no predicate; the first reason counts. No more tokens come. */
void fil_query__fail(struct fil_query__parser *parser, const char *reason);
void fil_query__fail_memory(struct fil_query__parser *parser);

/** Makes the next token the next but one. */
void fil_query__advance(struct fil_query__parser *parser);

/** Words are known in any case. */
bool fil_query__is_next_word(const struct fil_query__parser *parser, const char *word);
bool fil_query__skip_word(struct fil_query__parser *parser, const char *word);
bool fil_query__skip_sign(struct fil_query__parser *parser, const char *sign);
