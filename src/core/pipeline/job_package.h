// SPDX-License-Identifier: Apache-2.0
/** A job from a package, a shared object as filbert/package.h says, in place of one from a file. */
#pragma once

#include "core/pipeline/job_file.h"

/**
 * Loads a package and lets it build its pipeline. FIL_E_NOT_FOUND, FIL_E_MALFORMED,
 * FIL_E_UNSUPPORTED for another ABI, FIL_E_NOMEM, or what its function returned; file->reason says
 * more, its line is 0. The file is to be ended in any case, when all of its jobs are over: that
 * unloads the package.
 */
int fil_job_package_init(struct fil_job_file *file, const char *path) FIL_NODISCARD;

/** Whether a path is that of a package and not of a job file: by its end, ".so". */
bool fil_job_package_is_one(const char *path);
