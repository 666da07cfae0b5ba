// SPDX-License-Identifier: Apache-2.0
#include "node/job_load.h"

#include <stdio.h>
#include <string.h>

#include "core/pipeline/job_package.h"
#include "lib/base/assert.h"

#define NAME_BYTES_MAX 255U
#define PATH_BYTES_MAX 1024U

/** A name of a file in the folder, and nothing that leads out of it. */
static bool is_plain(const char *name)
{
    size_t size = strlen(name);
    return size > 0 && size <= NAME_BYTES_MAX && name[0] != '.' && strchr(name, '/') == NULL;
}

static int load_package(struct fil_job_file *file, const struct fil_job_load *from)
{
    char path[PATH_BYTES_MAX];
    if (from->folder == NULL) {
        (void)snprintf(file->reason, sizeof(file->reason),
                       "this member has no folder of packages: set stream.packages");
        return FIL_E_DENIED;
    }
    int size = is_plain(from->package)
                   ? snprintf(path, sizeof(path), "%s/%s", from->folder, from->package)
                   : 0;
    if (size <= 0 || (size_t)size >= sizeof(path)) {
        (void)snprintf(file->reason, sizeof(file->reason),
                       "a package is named by its file in the folder, without a path");
        return FIL_E_INVALID;
    }
    return fil_job_package_init(file, path);
}

int fil_job_load(struct fil_job_file *file, const struct fil_job_load *from, char *out_reason,
                 size_t size)
{
    if (from->package != NULL) {
        int error = load_package(file, from);
        (void)snprintf(out_reason, size, "%s", error == FIL_OK ? "" : file->reason);
        return error;
    }
    int error =
        fil_job_file_init_confined(file, from->text, &from->bounds, from->print, from->context);
    if (error != FIL_OK) {
        (void)snprintf(out_reason, size, "%zu:%zu: %s", file->line, file->column, file->reason);
    }
    return error;
}
