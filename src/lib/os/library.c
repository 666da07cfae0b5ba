// SPDX-License-Identifier: Apache-2.0
#include "lib/os/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "filbert/error.h"

int fil_library_open(void **out_library, const char *path, char *out_reason, size_t size)
{
    char place[PATH_MAX];
    // Without a slash the linker would look in its own folders.
    int length =
        snprintf(place, sizeof(place), "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    if (length <= 0 || (size_t)length >= sizeof(place) || access(place, F_OK) != 0) {
        (void)snprintf(out_reason, size, "there is no such file");
        return FIL_E_NOT_FOUND;
    }
    // All at once: what is missing is told now, not by a crash in the middle of a job.
    *out_library = dlopen(place, RTLD_NOW | RTLD_LOCAL);
    if (*out_library != NULL) {
        return FIL_OK;
    }
    const char *text = dlerror();
    text = text == NULL ? "unknown" : text;
    if (strncmp(text, place, (size_t)length) == 0 && text[length] == ':') {
        text += length + 1;
        text += strspn(text, " ");
    }
    (void)snprintf(out_reason, size, "%s", text);
    return FIL_E_MALFORMED;
}

const void *fil_library_find(void *library, const char *name)
{
    return dlsym(library, name);
}

void fil_library_close(void *library)
{
    if (library != NULL) {
        (void)dlclose(library); // what could be wrong is that it is not open
    }
}
