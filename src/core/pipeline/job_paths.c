// SPDX-License-Identifier: Apache-2.0
// Which files a job may use.
#include "core/pipeline/job_file_internal.h"
#include "filbert/error.h"
#include "lib/os/file.h"

static const char *confine(struct fil_job_reader *reader, const yaml_node_t *node, const char *path)
{
    char real[FIL_PATH_MAX];
    int error = fil_file_resolve_below(reader->files, path, real);
    if (error == FIL_E_NOT_FOUND) {
        fil_job_reader__blame(reader, node, "there is no folder '%s', which stream.files names",
                              reader->files);
        return NULL;
    }
    if (error != FIL_OK) {
        fil_job_reader__blame(reader, node,
                              "'%s' is not below the folder of stream.files, where alone jobs of "
                              "this member may use files",
                              path);
        return NULL;
    }
    const char *copy = fil_arena_text(&reader->file->arena, fil_bytes_of(real));
    if (copy == NULL) {
        fil_job_reader__blame(reader, node, "out of memory");
    }
    return copy;
}

const char *fil_job_reader__path(struct fil_job_reader *reader, const yaml_node_t *node,
                                 const char *path)
{
    if (!reader->is_confined) {
        return path;
    }
    if (reader->files == NULL) {
        fil_job_reader__blame(reader, node,
                              "jobs of this member may not use files: set stream.files to the "
                              "folder where they may");
        return NULL;
    }
    return confine(reader, node, path);
}
