// SPDX-License-Identifier: Apache-2.0
/** Strings of JSON as they are written: quoted, with escapes for what must not stand in them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/bytes.h"
#include "lib/base/cursor.h"

/** How long the text becomes, quotes included. */
size_t fil_json_quoted_size(struct fil_bytes text);

/** The text is UTF-8. False when there is no room; then nothing is written. */
bool fil_json_quote(struct fil_writer *writer, struct fil_bytes text);
