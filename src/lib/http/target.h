// SPDX-License-Identifier: Apache-2.0
/**
 * What is inside a request target: path segments, query parameters, percent-encoding.
 *
 * Split first, decode the parts afterwards: an encoded slash or ampersand is no separator. Dot
 * segments are not resolved; a decoded part may hold any byte, also a slash or NUL.
 *
 * Memory: a part without anything to decode is given out as the slice it is; else the decoded bytes
 * are appended to the caller's writer.
 */
#pragma once

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/cursor.h"

struct fil_http_parameter {
    struct fil_bytes name;  // still encoded
    struct fil_bytes value; // still encoded; empty when there is no equals sign
};

/** Takes the next segment off the path: "/a//b" gives "a", "", "b". False at the end. */
bool fil_http_target_next_segment(struct fil_bytes *path, struct fil_bytes *out_segment)
    FIL_NODISCARD;

/** Takes the next parameter off the query: "a=1&b&=c". Empty ones are skipped. False at the end. */
bool fil_http_target_next_parameter(struct fil_bytes *query,
                                    struct fil_http_parameter *out_parameter) FIL_NODISCARD;

/**
 * Decodes %xx. FIL_E_MALFORMED when a percent sign lacks its two hex digits, FIL_E_FULL when the
 * writer has no room; the writer is then as it was.
 */
int fil_http_target_decode(struct fil_bytes text, struct fil_writer *writer,
                           struct fil_bytes *out_decoded) FIL_NODISCARD;

/** As above for names and values of a query, where a plus sign stands for a blank. */
int fil_http_target_decode_query(struct fil_bytes text, struct fil_writer *writer,
                                 struct fil_bytes *out_decoded) FIL_NODISCARD;

/** The decoded value of the first parameter with that (decoded) name, or FIL_E_NOT_FOUND. */
int fil_http_target_find_parameter(struct fil_bytes query, const char *name,
                                   struct fil_writer *writer, struct fil_bytes *out_value)
    FIL_NODISCARD;

/** Writes the bytes with %xx for all but letters, digits and -._~; false when the writer is full.
 */
bool fil_http_target_encode(struct fil_writer *writer, struct fil_bytes bytes);
