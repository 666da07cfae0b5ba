// SPDX-License-Identifier: Apache-2.0
/**
 * Files as source and sink. Both block, so each instance has a thread of its own.
 *
 * The source reads lines of one or more files. A file is a shard: it is read by one instance, from
 * the byte at which a snapshot left it. A line without its end is a record, also the last one; one
 * that is too long fails the job.
 *
 * The sink writes each record, as it is or through a function, and a line's end. With snapshots it
 * is transactional: an instance writes to FOLDER/NAME-INSTANCE-EPOCH.part, and a file gets its name
 * without ".part" when the snapshot of that number is safe; so whoever reads only such files reads
 * every record exactly once. Files with the ending are left over by crashes, and may go.
 */
#pragma once

#include <stdint.h>

#include "core/stream/sources.h"

/** Bytes of a line, at most. */
#define FIL_FILE_LINE_BYTES_MAX (64U << 10)

/** Files of one source, at most. */
#define FIL_FILE_COUNT_MAX 4096U

/**
 * Writes a line as a record of the edge's stride and tells its event time. FIL_OK; FIL_E_NOT_FOUND:
 * there is no record in this line; anything else fails the job.
 */
typedef int (*fil_parse_fn)(void *context, struct fil_bytes line, void *out_record,
                            int64_t *out_time);

struct fil_file_source_config {
    const char *const *paths; // borrowed
    uint32_t path_count;
    fil_parse_fn parse; // NULL: the line is the record; the edge's records have their own sizes
    void *context;
    struct fil_source_time time; // watermarks, as long as there is an instance for each file
};

/** Writes a record as text; returns its size, or more than capacity when that is too small. */
typedef size_t (*fil_format_fn)(void *context, const void *record, uint32_t size, char *out_text,
                                size_t capacity);

struct fil_file_sink_config {
    const char *folder; // is there
    const char *name;
    fil_format_fn format; // NULL: the record's bytes
    void *context;
};

extern const struct fil_processor_ops fil_file_source_ops; // one output
extern const struct fil_processor_ops fil_file_sink_ops;
