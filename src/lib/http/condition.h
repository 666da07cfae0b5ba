// SPDX-License-Identifier: Apache-2.0
/**
 * What a client asks of a representation besides all of it: a part (Range), or only if it has
 * changed (entity tags). RFC 9110, sections 8.8.3, 13 and 14. Pure functions over header values.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

struct fil_http_range {
    uint64_t offset;
    uint64_t size; // at least 1
};

enum fil_http_range_verdict {
    FIL_HTTP_RANGE_WHOLE,  // no range, several, or none that anybody understands: all of it
    FIL_HTTP_RANGE_PART,   // one part: 206
    FIL_HTTP_RANGE_BEYOND, // nothing of it is there: 416
};

/** Reads a Range header for a representation of that size. */
enum fil_http_range_verdict fil_http_range_read(struct fil_bytes header, uint64_t size,
                                                struct fil_http_range *out_range);

/**
 * Whether a list of entity tags, or a star, has this one, quotes and all. In a strong comparison
 * weak tags match nothing.
 */
bool fil_http_etags_match(struct fil_bytes list, struct fil_bytes etag, bool is_strong);
