// SPDX-License-Identifier: Apache-2.0
/**
 * Text from anywhere, made safe for a line of the log.
 *
 * No line end, no control character, no terminal sequence and nothing that turns the direction of
 * writing comes through; bytes that are not UTF-8 become U+FFFD. What comes out is valid as the
 * inside of a JSON string.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/bytes.h"
#include "lib/base/writer.h"

/** One byte becomes at most so many. */
#define FIL_LOG_ESCAPE_FACTOR 6U

/** Whether the text can stand in logfmt as it is: not empty, no blank, no quote, no escape. */
bool fil_log_text_is_plain(struct fil_bytes text);

/** Appends the text with everything dangerous escaped; the quotes around it are the caller's. */
void fil_log_text_escape(struct fil_writer *writer, struct fil_bytes text);
