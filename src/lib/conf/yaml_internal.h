// SPDX-License-Identifier: Apache-2.0
/** What is wrong with a text as YAML, in words that help to mend it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "lib/base/bytes.h"
#include "lib/conf/option.h"

struct fil_yaml_fault {
    size_t line; // both count from 1, columns in characters
    size_t column;
    char reason[FIL_OPTION_REASON_MAX + 1];
};

/** Looks for bytes that are not UTF-8 and for characters that YAML forbids; true when found. */
bool fil_yaml__find_bad_character(struct fil_bytes text, struct fil_yaml_fault *out_fault);

/** Explains why the parser stopped; the text is the one it parses. */
void fil_yaml__explain(const yaml_parser_t *parser, struct fil_bytes text,
                       struct fil_yaml_fault *out_fault);
