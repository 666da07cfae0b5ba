// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "filbert/error.h"
#include "lib/os/errno_internal.h"
#include "lib/os/file.h"

/** Whether it is a file itself, not a link to one. */
static bool is_regular(DIR *folder, const char *name)
{
    struct stat facts;
    return fstatat(dirfd(folder), name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(facts.st_mode);
}

int fil_folder_list(const char *path, fil_folder_fn each, void *context)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        int error = errno == ENOTDIR ? FIL_E_IO : fil_errno__translate(errno);
        return error == FIL_E_NOT_FOUND || error == FIL_E_DENIED ? error : FIL_E_IO;
    }
    bool goes_on = true;
    const struct dirent *entry = readdir(folder);
    for (; entry != NULL && goes_on; entry = readdir(folder)) {
        if (is_regular(folder, entry->d_name)) {
            goes_on = each(context, entry->d_name);
        }
    }
    (void)closedir(folder); // opened for reading: nothing can be lost
    return goes_on ? FIL_OK : FIL_E_LIMIT;
}
