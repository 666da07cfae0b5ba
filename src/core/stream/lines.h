// SPDX-License-Identifier: Apache-2.0
/**
 * Lines of text as records: cuts bytes that come piece by piece into lines, and emits these with
 * their event time. For the sources of files and sockets.
 *
 * Memory:  one buffer of its own.
 * Threads: whoever owns it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/stream/sources.h"
#include "core/stream/watermark.h"

/** Bytes of a line, at most. */
#define FIL_LINE_BYTES_MAX (64U << 10)

/**
 * Writes a line as a record of the edge's stride and tells its event time. FIL_OK; FIL_E_NOT_FOUND:
 * there is no record in this line; anything else fails the job.
 */
typedef int (*fil_parse_fn)(void *context, struct fil_bytes line, void *out_record,
                            int64_t *out_time);

struct fil_lines {
    // Set by the owner.
    fil_parse_fn parse; // NULL: the line is the record; the edge's records have their own sizes
    void *context;
    bool has_time; // emits watermarks
    struct fil_event_time time;

    uint8_t *buffer;
    size_t filled;
    size_t position;
    bool is_at_end; // nothing follows what the buffer has
    uint64_t count; // lines that were emitted, or passed over, since the last reset
};

/** FIL_E_NOMEM, FIL_E_INVALID when the output does not fit; fini is due in any case. */
int fil_lines_init(struct fil_lines *lines, const struct fil_processor_context *context)
    FIL_NODISCARD;
void fil_lines_fini(struct fil_lines *lines);

/** Forgets what the buffer has. */
void fil_lines_reset(struct fil_lines *lines);

/** Where the next bytes go, behind what is not used yet; *out_room is 0 only for a full buffer. */
uint8_t *fil_lines_room(struct fil_lines *lines, size_t *out_room);

/**
 * Emits the next line, and the watermark in front of it. FIL_E_AGAIN: more bytes are needed;
 * FIL_E_NOT_FOUND: the end; FIL_E_FULL; FIL_E_LIMIT: a line is too long, or what the parser says:
 * then the context has the line as its reason.
 */
int fil_lines_emit(struct fil_lines *lines, struct fil_processor_context *context) FIL_NODISCARD;
