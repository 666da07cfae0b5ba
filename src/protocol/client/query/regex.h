// SPDX-License-Identifier: Apache-2.0
/**
 * Regular expressions that never take long: all ways through the expression at once, so the time
 * is linear in the text, times the size of the expression.
 *
 * Known are characters, `.`, classes `[a-z]` `[^...]` with `\d \w \s \D \W \S`, groups `(...)` and
 * `(?:...)`, `|`, and `* + ? {m} {m,} {m,n}` (lazy and possessive ones match the same). `^` and `$`
 * stand at the ends. Characters are those of UTF-8. Back references, look-around and named
 * characters are refused.
 *
 * Memory: one block, made by compile from an arena.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/arena.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define FIL_QUERY_REGEX_STEPS_MAX 2048U

struct fil_query_regex;

/** FIL_E_MALFORMED; FIL_E_UNSUPPORTED: something of the list above; FIL_E_LIMIT; FIL_E_NOMEM. */
int fil_query_regex_compile(struct fil_bytes pattern, struct fil_arena *arena,
                            const struct fil_query_regex **out_regex) FIL_NODISCARD;

/** Whether the whole text is one of those meant. */
bool fil_query_regex_matches(const struct fil_query_regex *regex, struct fil_bytes text);
