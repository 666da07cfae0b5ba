// SPDX-License-Identifier: Apache-2.0
/**
 * Files as source and sink. Both block, so each instance has a thread of its own.
 *
 * The source reads lines of one or more files, or of those that a folder has when it starts:
 * regular ones, but for hidden ones and those that end in ".part". A file is a shard: it is read by
 * one instance, from the byte at which a snapshot left it; those of a folder are told by their
 * names, so that others may come and such that were read may go. A line without its end is a
 * record, also the last one; one that is too long fails the job.
 *
 * The sink writes each record, as it is or through a function, and a line's end. With snapshots it
 * is transactional: an instance writes to FOLDER/NAME-INSTANCE-EPOCH.part, and a file gets its name
 * without ".part" when the snapshot of that number is safe; so whoever reads only such files reads
 * every record exactly once. Files with the ending are left over by crashes, and may go. Of several
 * files of an epoch the second is FOLDER/NAME-INSTANCE-EPOCH-1, and so on; without snapshots each
 * is visible when it is finished. Between two snapshots there are 1024 at most.
 */
#pragma once

#include <stdint.h>

#include "core/stream/lines.h"

/** Files of one source, at most. */
#define FIL_FILE_COUNT_MAX 4096U

struct fil_file_source_config {
    const char *const *paths; // borrowed
    uint32_t path_count;
    const char *folder; // or this: the files that are in it at the start
    const char *suffix; // whose names end so
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
    uint64_t rotate_bytes; // a file that has so many is finished, and another begun; 0: never
    uint64_t rotate_ns;    // the same after so long
};

extern const struct fil_processor_ops fil_file_source_ops; // one output
extern const struct fil_processor_ops fil_file_sink_ops;
