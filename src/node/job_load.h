// SPDX-License-Identifier: Apache-2.0
/** What a job is made of that somebody submits: the text of a file, or a package by its name. */
#pragma once

#include "core/pipeline/job_file.h"

struct fil_job_load {
    struct fil_bytes text;
    const char *package;          // in place of the text; NULL: none
    const char *folder;           // of packages; NULL: there is none
    struct fil_job_bounds bounds; // of what a text may use
    fil_print_fn print;
    void *context; // of it
};

/**
 * FIL_E_MALFORMED for a fault in the text, with line and column in the reason. A package:
 * FIL_E_DENIED without a folder, FIL_E_INVALID when its name could lead out of it, and as
 * fil_job_package_init. The file, zeros before, is to be ended in any case.
 */
int fil_job_load(struct fil_job_file *file, const struct fil_job_load *from, char *out_reason,
                 size_t size) FIL_NODISCARD;
