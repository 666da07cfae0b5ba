// SPDX-License-Identifier: Apache-2.0
/**
 * Any bytes as a job file: a pipeline or a fault, never a crash; what is good can be planned, also
 * for its tests.
 */
#include <stddef.h>
#include <stdint.h>

#include "core/pipeline/job_case.h"
#include "core/pipeline/planner.h"
#include "lib/base/assert.h"

#define TESTS_MAX 4U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int print(void *context, struct fil_bytes line)
{
    (void)context;
    (void)line;
    return FIL_OK;
}

static void plan(struct fil_job_file *file)
{
    struct fil_dag dag;
    fil_dag_init(&dag);
    int error = fil_planner_plan(file->pipeline, 2, NULL, &dag);
    fil_assert(error == FIL_OK || fil_pipeline_text(file->pipeline)[0] != '\0');
    fil_dag_fini(&dag);
}

static void plan_test(struct fil_bytes text, uint32_t number)
{
    struct fil_job_file file;
    struct fil_job_case each;
    int error = fil_job_case_init(&each, &file, text, number);
    if (error == FIL_OK) {
        plan(&file);
    } else {
        fil_assert(error != FIL_E_MALFORMED || (file.line >= 1 && file.reason[0] != '\0'));
    }
    fil_job_case_fini(&each);
    fil_job_file_fini(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fil_job_file file;
    if (size > FIL_JOB_FILE_BYTES_MAX) {
        return 0;
    }
    int error = fil_job_file_init(&file, fil_bytes_make(data, size), print, NULL);
    if (error == FIL_OK) {
        plan(&file);
        for (uint32_t i = 0; i < file.test_count && i < TESTS_MAX; i++) {
            plan_test(fil_bytes_make(data, size), i);
        }
    } else {
        fil_assert(error != FIL_E_MALFORMED || (file.line >= 1 && file.reason[0] != '\0'));
    }
    fil_job_file_fini(&file);
    return 0;
}
