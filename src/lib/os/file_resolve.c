// SPDX-License-Identifier: Apache-2.0
/** Where a path that somebody else has thought up really leads. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "filbert/error.h"
#include "lib/os/file.h"

static_assert(FIL_PATH_MAX >= PATH_MAX, "what the system resolves fits");

static bool has_upward(const char *path)
{
    while (*path != '\0') {
        size_t size = strcspn(path, "/");
        if (size == 2 && memcmp(path, "..", 2) == 0) {
            return true;
        }
        path += size + (path[size] == '/');
    }
    return false;
}

/** Whether there is something of that name, be it a link that leads nowhere. */
static bool is_there(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

/**
 * Resolves as much of an absolute path as is there. *out_rest is what is not, with its slash: there
 * can be no link in it, so it leads where it says. False for a link that leads nowhere, and for
 * what cannot be looked at.
 */
static bool resolve(const char *path, char out_path[FIL_PATH_MAX], const char **out_rest)
{
    char prefix[FIL_PATH_MAX];
    size_t size = strlen(path);
    memcpy(prefix, path, size + 1);
    while (realpath(prefix, out_path) == NULL) {
        if (errno != ENOENT || is_there(prefix)) {
            return false;
        }
        size = (size_t)(strrchr(prefix, '/') - prefix);
        prefix[size == 0 ? 1 : size] = '\0'; // the root is always there
    }
    *out_rest = path + size;
    return true;
}

static bool is_below(const char *path, const char *folder)
{
    size_t size = strlen(folder);
    return strcmp(folder, "/") == 0 ||
           (strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == '\0'));
}

/** What snprintf says of it. */
static bool has_fitted(int size)
{
    return size >= 0 && (size_t)size < FIL_PATH_MAX;
}

int fil_file_resolve_below(const char *folder, const char *path, char out_path[FIL_PATH_MAX])
{
    char root[FIL_PATH_MAX];
    char wanted[FIL_PATH_MAX];
    char found[FIL_PATH_MAX];
    const char *rest = "";
    if (realpath(folder, root) == NULL) {
        return FIL_E_NOT_FOUND;
    }
    bool is_absolute = path[0] == '/';
    if (!has_fitted(snprintf(wanted, sizeof(wanted), "%s%s%s", is_absolute ? "" : root,
                             is_absolute ? "" : "/", path)) ||
        has_upward(path) || !resolve(wanted, found, &rest) || !is_below(found, root)) {
        return FIL_E_DENIED;
    }
    bool is_root = strcmp(found, "/") == 0 && rest[0] != '\0'; // the rest has its slash
    return has_fitted(snprintf(out_path, FIL_PATH_MAX, "%s%s", is_root ? "" : found, rest))
               ? FIL_OK
               : FIL_E_DENIED;
}
