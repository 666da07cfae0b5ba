// SPDX-License-Identifier: Apache-2.0
/** The date format of HTTP (IMF-fixdate), always in GMT. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/bytes.h"

/** "Sun, 06 Nov 1994 08:49:37 GMT" with the terminating zero. */
#define FIL_HTTP_DATE_TEXT_MAX 30U

/** Formats a time of day, in nanoseconds since 1970; always terminated. Returns text. */
const char *fil_http_date_format(uint64_t wall_ns, char text[FIL_HTTP_DATE_TEXT_MAX]);

/**
 * Reads that format, to seconds since 1970; false for what is no such date. The two formats that
 * clients have not sent since the nineties are none.
 */
bool fil_http_date_read(struct fil_bytes text, uint64_t *out_seconds);
