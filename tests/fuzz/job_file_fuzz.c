// SPDX-License-Identifier: Apache-2.0
/** Any bytes as a job file: a pipeline or a fault, never a crash; what is good can be planned. */
#include <stddef.h>
#include <stdint.h>

#include "core/pipeline/job_file.h"
#include "core/pipeline/planner.h"
#include "lib/base/assert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int print(void *context, struct fil_bytes line)
{
    (void)context;
    (void)line;
    return FIL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fil_job_file file;
    if (size > FIL_JOB_FILE_BYTES_MAX) {
        return 0;
    }
    int error = fil_job_file_init(&file, fil_bytes_make(data, size), print, NULL);
    if (error == FIL_OK) {
        struct fil_dag dag;
        fil_dag_init(&dag);
        error = fil_planner_plan(file.pipeline, 2, NULL, &dag);
        fil_assert(error == FIL_OK || fil_pipeline_text(file.pipeline)[0] != '\0');
        fil_dag_fini(&dag);
    } else {
        fil_assert(error != FIL_E_MALFORMED || (file.line >= 1 && file.reason[0] != '\0'));
    }
    fil_job_file_fini(&file);
    return 0;
}
