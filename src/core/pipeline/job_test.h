// SPDX-License-Identifier: Apache-2.0
/** Runs the tests that a job file brings, each with one to four instances of the stages. */
#pragma once

#include "core/pipeline/job_case.h"

#define FIL_JOB_TEST_PARALLELISM_MAX 4U

struct fil_job_test {
    uint32_t passed_count;
    uint32_t failed_count;
};

/**
 * A line for each test goes to `print`, and behind one that failed what is missing (-) and what is
 * too much (+). FIL_OK when all could be run, whether they passed or not; otherwise the fault of
 * a test is in the file, which is to be ended in any case.
 */
int fil_job_test_run(struct fil_job_test *test, struct fil_job_file *file, struct fil_bytes text,
                     fil_print_fn print, void *context) FIL_NODISCARD;
