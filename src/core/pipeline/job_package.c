// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/job_package.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "filbert/package.h"
#include "lib/base/assert.h"
#include "lib/os/library.h"

bool fil_job_package_is_one(const char *path)
{
    size_t size = strlen(path);
    return size > 3 && strcmp(path + size - 3, ".so") == 0;
}

static int FIL_PRINTF(3, 4) refuse(struct fil_job_file *file, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(file->reason, sizeof(file->reason), format, arguments);
    va_end(arguments);
    return error;
}

static int build(struct fil_job_file *file, const struct fil_package *package)
{
    file->pipeline = fil_pipeline_new(package->name);
    if (file->pipeline == NULL) {
        return refuse(file, FIL_E_NOMEM, "%s", fil_error_text(FIL_E_NOMEM));
    }
    file->options = package->options;
    int error = package->build(file->pipeline);
    int mistake = fil_pipeline_check(file->pipeline);
    if (mistake != FIL_OK) {
        return refuse(file, mistake, "%s", fil_pipeline_text(file->pipeline));
    }
    return error == FIL_OK
               ? FIL_OK
               : refuse(file, error, "its build function says: %s", fil_error_text(error));
}

int fil_job_package_init(struct fil_job_file *file, const char *path)
{
    *file = (struct fil_job_file){0};
    char reason[FIL_JOB_FILE_REASON_MAX - 32];
    int error = fil_library_open(&file->library, path, reason, sizeof(reason));
    if (error != FIL_OK) {
        return refuse(file, error, error == FIL_E_NOT_FOUND ? "%s" : "it cannot be loaded: %s",
                      reason);
    }
    const uint32_t *abi = fil_library_find(file->library, "fil_package_abi");
    const struct fil_package *package = fil_library_find(file->library, "fil_package");
    if (abi == NULL || package == NULL) {
        return refuse(file, FIL_E_MALFORMED,
                      "it has no '%s', so it is no job package: see FIL_PACKAGE",
                      abi == NULL ? "fil_package_abi" : "fil_package");
    }
    if (*abi != FIL_PACKAGE_ABI) {
        return refuse(file, FIL_E_UNSUPPORTED,
                      "it is built for version %u of packages, this is version %u: build it again",
                      *abi, FIL_PACKAGE_ABI);
    }
    if (package->build == NULL) {
        return refuse(file, FIL_E_MALFORMED, "it has no function that builds a pipeline");
    }
    return build(file, package);
}
