// SPDX-License-Identifier: Apache-2.0
/**
 * RESP replies, encoded into an output whose writer flag the caller holds.
 *
 * Only null, map, set, boolean and double differ between RESP2 and RESP3; those take the version.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/net/output.h"

/** "+OK" and its kin; text has no line ends. */
void fil_resp_simple(struct fil_output *output, const char *text);

/** "-ERR ..."; line ends in the text become blanks. */
FIL_PRINTF(2, 3)
void fil_resp_error(struct fil_output *output, const char *format, ...);

/** What Redis says at its memory limit. */
#define FIL_RESP_FULL "OOM command not allowed when used memory > 'maxmemory'."

void fil_resp_out_of_memory(struct fil_output *output);

void fil_resp_integer(struct fil_output *output, int64_t value);

#define FIL_RESP_INTEGER_BYTES_MAX 24U // marker, sign, 20 digits, line end

/** Room for the digits of an integer, which the caller writes; NULL: there is no memory for it.
 * Without the end nothing is written, and something else may be. */
static inline uint8_t *fil_resp_integer_begin(struct fil_output *output)
{
    uint8_t *room = fil_output_reserve(output, FIL_RESP_INTEGER_BYTES_MAX);
    if (FIL_UNLIKELY(room == NULL)) {
        return NULL;
    }
    room[0] = ':';
    return room + 1;
}

/** So many digits were written; nothing else has been since the beginning. */
static inline void fil_resp_integer_end(struct fil_output *output, uint8_t *digits, size_t size)
{
    fil_debug_assert(size > 0 && size + 3 <= FIL_RESP_INTEGER_BYTES_MAX);
    fil_debug_assert(output->queue.last->data + output->queue.last->end + 1 == digits);
    memcpy(digits + size, "\r\n", 2);
    fil_output_commit(output, size + 3);
}

void fil_resp_bulk(struct fil_output *output, struct fil_bytes bytes);

/** As bulk; where there is no memory for that, but for a line, an error instead. */
void fil_resp_value(struct fil_output *output, struct fil_bytes bytes);

/**
 * Whether a value of that size can be told; if not, an error has been. If so there is room for it
 * until something else is written: for those who change what they tell of.
 */
bool fil_resp_value_fits(struct fil_output *output, size_t size) FIL_NODISCARD;

void fil_resp_bulk_text(struct fil_output *output, const char *text);

/** A number with a fraction: a double in RESP3, a bulk in RESP2. */
void fil_resp_double(struct fil_output *output, int version, double value);

/** A text with its format named in RESP3 ("txt"), a bulk in RESP2. */
void fil_resp_verbatim(struct fil_output *output, int version, struct fil_bytes text);

void fil_resp_null(struct fil_output *output, int version);

/** What EXEC answers when it did nothing. */
void fil_resp_null_array(struct fil_output *output, int version);

/** Heads; the items follow. */
void fil_resp_array(struct fil_output *output, uint64_t count);
void fil_resp_set(struct fil_output *output, int version, uint64_t count);
void fil_resp_map(struct fil_output *output, int version, uint64_t pair_count);
