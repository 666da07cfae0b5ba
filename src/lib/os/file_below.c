// SPDX-License-Identifier: Apache-2.0
/** Files below a folder, for paths that somebody else has thought up. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/errno_internal.h"
#include "lib/os/file.h"

#define SEGMENT_MAX   256U // with the terminating zero
#define NS_PER_SECOND UINT64_C(1000000000)

static int open_error(int number)
{
    int error = fil_errno__translate(number);
    if (number == ELOOP) {
        return FIL_E_DENIED; // a link
    }
    if (number == ENOTDIR) {
        return FIL_E_NOT_FOUND;
    }
    return error == FIL_E_NOT_FOUND || error == FIL_E_DENIED ? error : FIL_E_IO;
}

int fil_folder_open(struct fil_file *folder, const char *path)
{
    folder->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder->fd < 0 ? open_error(errno) : FIL_OK;
}

/** Takes the next segment; FIL_E_NOT_FOUND at the end. */
static int next_segment(const char **path, char out_segment[SEGMENT_MAX])
{
    size_t size = strcspn(*path, "/");
    if (**path == '\0') {
        return FIL_E_NOT_FOUND;
    }
    if (size == 0 || size >= SEGMENT_MAX) {
        return FIL_E_DENIED;
    }
    memcpy(out_segment, *path, size);
    out_segment[size] = '\0';
    *path += size + ((*path)[size] == '/');
    bool is_upward = strcmp(out_segment, "..") == 0 || strcmp(out_segment, ".") == 0;
    return is_upward ? FIL_E_DENIED : FIL_OK;
}

/** Opens what the segment names in the folder, which is closed unless it is the first. */
static int step_into(int *fd, int first, const char *segment, int flags)
{
    int next = openat(*fd, segment, flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    int error = next < 0 ? open_error(errno) : FIL_OK;
    if (*fd != first) {
        (void)close(*fd); // opened for reading: nothing can be lost
    }
    *fd = next;
    return error;
}

static int read_facts(int fd, struct fil_file_facts *out_facts)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        return FIL_E_IO;
    }
    *out_facts = (struct fil_file_facts){
        .size = (uint64_t)status.st_size,
        .changed_ns =
            (uint64_t)status.st_mtim.tv_sec * NS_PER_SECOND + (uint64_t)status.st_mtim.tv_nsec,
    };
    return FIL_OK;
}

int fil_file_open_below(struct fil_file *file, const struct fil_file *folder, const char *path,
                        struct fil_file_facts *out_facts)
{
    char segment[SEGMENT_MAX];
    int fd = folder->fd;
    file->fd = -1;
    int error = next_segment(&path, segment);
    while (error == FIL_OK) {
        bool is_last = *path == '\0';
        error = step_into(&fd, folder->fd, segment, is_last ? 0 : O_DIRECTORY);
        if (error != FIL_OK || is_last) {
            break;
        }
        error = next_segment(&path, segment);
    }
    if (error == FIL_OK) {
        error = read_facts(fd, out_facts);
    }
    if (error != FIL_OK && fd >= 0 && fd != folder->fd) {
        (void)close(fd); // opened for reading: nothing can be lost
    }
    file->fd = error == FIL_OK ? fd : -1;
    return error;
}
