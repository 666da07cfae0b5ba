// SPDX-License-Identifier: Apache-2.0
/**
 * What a job has printed: the last lines of its sink "stdout", for those who ask later.
 *
 * Lines have a place, counted in bytes since the job began. A full buffer drops its oldest lines,
 * and counts them; a reader sees by the place where it really begins that it has missed some.
 *
 * Threads: any; the mutex is held for a copy.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/mem/budget.h"
#include "lib/os/mutex.h"

#define FIL_JOB_OUTPUT_BYTES ((size_t)1 << 18)

struct fil_job_output {
    struct fil_budget *budget; // set by init, then read-only
    struct fil_mutex mutex;
    char *bytes;     // guarded: NULL until the first line
    uint64_t first;  // guarded: place of the oldest byte that is there
    uint64_t next;   // guarded: place behind the newest
    uint64_t lines;  // guarded: printed
    uint64_t missed; // guarded: of those: dropped
};

void fil_job_output_init(struct fil_job_output *output, struct fil_budget *budget);
void fil_job_output_fini(struct fil_job_output *output);

/** One line with its end; the context is the output. FIL_E_NOMEM, FIL_E_LIMIT. */
int fil_job_output_print(void *context, struct fil_bytes line);

/**
 * Copies from a place on, up to capacity bytes; returns how many. *place becomes where they begin,
 * which is later when what was there has been dropped.
 */
size_t fil_job_output_read(struct fil_job_output *output, uint64_t *place, char *out_bytes,
                           size_t capacity);

/** Lines printed, and how many of them have been dropped. */
void fil_job_output_count(struct fil_job_output *output, uint64_t *out_lines, uint64_t *out_missed);
