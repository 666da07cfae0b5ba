// SPDX-License-Identifier: Apache-2.0
/** UTF-8, strictly: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

/** Reads the first character; returns its size in bytes, or 0 when the bytes are not UTF-8. */
size_t fil_utf8_decode(struct fil_bytes bytes, uint32_t *out_code);

/** Whether all of it is UTF-8; ASCII is passed over eight bytes at a time. */
bool fil_utf8_is_valid(struct fil_bytes bytes);

/**
 * Whether a character may stand in one line of text. Control characters may not, nor what YAML
 * takes for a line break, nor byte order marks and the two non-characters U+FFFE and U+FFFF.
 */
bool fil_utf8_is_printable(uint32_t code);

/**
 * Copies as much of the bytes as fits, always terminated, for use in a message: what is not a
 * printable character becomes '?', and what was cut is shown by "..." at the end. The size is at
 * least 8. Returns out_text.
 */
const char *fil_utf8_excerpt(struct fil_bytes bytes, char *out_text, size_t size);
