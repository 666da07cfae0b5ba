// SPDX-License-Identifier: Apache-2.0
/**
 * A job as a YAML file.
 *
 *   job: large-trades
 *   guarantee: exactly-once        # none, at-least-once
 *   unit: ms                       # of time fields and durations: ns, us, ms, s
 *   pipeline:
 *     - read: {csv: trades.csv, type: {time: time, symbol: text(8), price: i64, quantity: i64}}
 *     - filter: quantity > 1000
 *     - map: {time: time, symbol: symbol, value: price * quantity}
 *     - window: {size: 10s, slide: 500ms, by: symbol, volume: sum(value)}
 *     - write: stdout
 *
 * Sources: csv, or generate with a count and fields as expressions of n. Stages: filter, map,
 * window (size and slide, or gap; early, early_clock, lateness, late), aggregate, rolling,
 * distinct. Sinks: stdout, nothing, csv with FOLDER/NAME.
 * Everything is checked here; a fault tells line and column.
 *
 * Memory:  what the job needs is in the file's arena, which outlives all jobs of its pipeline.
 */
#pragma once

#include "filbert/stream.h"
#include "lib/base/arena.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define FIL_JOB_FILE_REASON_MAX 320U
#define FIL_JOB_FILE_BYTES_MAX  ((size_t)1 << 20)

/** Takes a line with its end; FIL_OK, or why the job fails. Called by one thread at a time. */
typedef int (*fil_print_fn)(void *context, struct fil_bytes line);

struct fil_job_file {
    struct fil_arena arena;
    struct fil_pipeline *pipeline; // NULL after a fault
    struct fil_stream_job_options options;
    uint32_t test_count; // see job_case.h
    void *library;       // of a package: job_package.h

    // The first fault: both count from 1.
    size_t line;
    size_t column;
    char reason[FIL_JOB_FILE_REASON_MAX];
};

/**
 * FIL_E_MALFORMED with a fault, FIL_E_NOMEM; fini is due in any case. Lines of a sink "stdout" go
 * to `print`.
 */
int fil_job_file_init(struct fil_job_file *file, struct fil_bytes text, fil_print_fn print,
                      void *context) FIL_NODISCARD;

/** What a job of somebody else may use. */
struct fil_job_bounds {
    const char *files;    // a folder, stream.files; NULL: no files
    const char *services; // servers, stream.services, with commas between them, or *; NULL: none
};

/** The same for a job of somebody else, who may not use more than that. */
int fil_job_file_init_confined(struct fil_job_file *file, struct fil_bytes text,
                               const struct fil_job_bounds *bounds, fil_print_fn print,
                               void *context) FIL_NODISCARD;
void fil_job_file_fini(struct fil_job_file *file);
