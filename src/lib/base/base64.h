// SPDX-License-Identifier: Apache-2.0
/** Bytes as text of 64 characters (RFC 4648, section 4), for texts that cannot hold bytes. */
#pragma once

#include <stdbool.h>

#include "lib/base/bytes.h"
#include "lib/base/cursor.h"

/** How long the text of so many bytes is. */
#define FIL_BASE64_SIZE(size) (((size) + 2) / 3 * 4)

/** False when there is no room; then nothing is written. */
bool fil_base64_encode(struct fil_writer *writer, struct fil_bytes bytes);
