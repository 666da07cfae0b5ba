// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/lib/os/folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/harness.h"

void folder_make(struct folder *folder)
{
    const char *parent = getenv("TMPDIR");
    int size = snprintf(folder->path, sizeof(folder->path), "%s/filbert-test-XXXXXX",
                        parent == NULL ? "/tmp" : parent);
    assert_in_range(size, 1, sizeof(folder->path) - 1);
    assert_non_null(mkdtemp(folder->path));
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *position)
{
    (void)status;
    (void)kind;
    (void)position;
    return remove(path);
}

void folder_remove(struct folder *folder)
{
    assert_int_equal(nftw(folder->path, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

const char *folder_path(const struct folder *folder, const char *name)
{
    static char path[FOLDER_PATH_MAX * 2];
    int size = snprintf(path, sizeof(path), "%s/%s", folder->path, name);
    assert_in_range(size, 1, sizeof(path) - 1);
    return path;
}

static void make_parents(char *path, size_t known_size)
{
    for (char *slash = strchr(path + known_size + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
        *slash = '/';
    }
}

void folder_write(const struct folder *folder, const char *name, const char *text)
{
    char path[FOLDER_PATH_MAX * 2];
    (void)snprintf(path, sizeof(path), "%s", folder_path(folder, name));
    make_parents(path, strlen(folder->path));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}
