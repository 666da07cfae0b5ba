// SPDX-License-Identifier: Apache-2.0
/**
 * A test that a job file brings: records that go in, and what must come out.
 *
 *   tests:
 *     - name: small trades are left out
 *       input:
 *         - [1000, ACME, 10, 2000]
 *         - {time: 2000, symbol: ACME, price: 11, quantity: 5}
 *       output:
 *         - [0, 10000, ACME, 20000]
 *
 * The job is built as always, but its source gives the input, one record after the other with the
 * watermark behind each, and its sinks keep what they get. Lookups find what `maps` has, by key in
 * front. Up to the first stage that groups there is one instance of each stage, so that the order
 * of the records, and with it who is late, does not depend on the parallelism.
 */
#pragma once

#include "core/pipeline/job_file.h"

#define FIL_JOB_CASE_ROWS_MAX  10000U
#define FIL_JOB_CASE_BYTES_MAX ((size_t)64 << 20)

/** Lines, one behind the other, each with a zero behind it. */
struct fil_job_lines {
    char *text;
    size_t size;
    size_t room;
    uint32_t count;
};

/** What one sink has to get, and got; lines in the order of their arrival. */
struct fil_job_catch {
    const struct fil_type *type; // NULL: the job has no such sink
    struct fil_job_lines wanted;
    struct fil_job_lines got;
};

struct fil_job_case {
    const char *name;
    struct fil_job_catch output;
    struct fil_job_catch late;
};

/**
 * The job of a good file for its test of that number. FIL_E_MALFORMED with the fault in the file,
 * FIL_E_NOMEM; both are to be ended in any case.
 */
int fil_job_case_init(struct fil_job_case *each, struct fil_job_file *file, struct fil_bytes text,
                      uint32_t number) FIL_NODISCARD;
void fil_job_case_fini(struct fil_job_case *each);

/** A line more. FIL_E_NOMEM, FIL_E_LIMIT. */
int fil_job_lines_add(struct fil_job_lines *lines, struct fil_bytes line) FIL_NODISCARD;
