// SPDX-License-Identifier: Apache-2.0
/**
 * Replays a corpus through a fuzz target without libFuzzer, so that the target cannot rot.
 *
 *     fuzz_config tests/fuzz/corpus/config
 *
 * Each argument is a folder; every regular file in it is fed to LLVMFuzzerTestOneInput once. The
 * name is printed before the call, so the last line names the culprit of a crash; the final line is
 * the count. A folder without files is an error: an empty corpus proves nothing.
 *
 * Memory: each input stands in a heap block of its exact size, so that a sanitizer sees a read of
 *         the first byte behind it.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "lib/base/alloc.h"

#define PATH_SIZE      4096
#define INPUT_SIZE_MAX (64L * 1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int complain(const char *path, const char *what)
{
    (void)fprintf(stderr, "replay: %s: %s\n", path, what);
    return -1;
}

/** The block is never empty, though size may be 0. */
static uint8_t *read_input(FILE *file, size_t size)
{
    uint8_t *data = fil_alloc(size > 0 ? size : 1);
    if (data != NULL && fread(data, 1, size, file) != size) {
        fil_free(data);
        return NULL;
    }
    return data;
}

static int replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return complain(path, "cannot be opened");
    }
    uint8_t *data = read_input(file, size);
    (void)fclose(file);
    if (data == NULL) {
        return complain(path, "cannot be read whole");
    }
    (void)printf("%s\n", path);
    (void)fflush(stdout);
    int verdict = LLVMFuzzerTestOneInput(data, size);
    fil_free(data);
    return verdict == 0 ? 0 : complain(path, "the target did not return 0");
}

/** Adds the regular files of the folder to *count. */
static int replay_folder(const char *folder, unsigned *count)
{
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return complain(folder, "cannot be opened");
    }
    int result = 0;
    for (struct dirent *entry = readdir(directory); entry != NULL && result == 0;
         entry = readdir(directory)) {
        char path[PATH_SIZE];
        struct stat status;
        int length = snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (length >= (int)sizeof(path) || stat(path, &status) != 0) {
            result = complain(folder, "an entry's name is too long, or the entry vanished");
        } else if (S_ISREG(status.st_mode) && status.st_size > INPUT_SIZE_MAX) {
            result = complain(path, "larger than 64 MiB");
        } else if (S_ISREG(status.st_mode)) {
            result = replay_file(path, (size_t)status.st_size);
            *count += 1;
        }
    }
    (void)closedir(directory);
    return result;
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 2) {
        (void)fprintf(stderr, "usage: %s FOLDER...\n", arguments[0]);
        return 2;
    }
    unsigned total = 0;
    for (int i = 1; i < argument_count; i++) {
        unsigned count = 0;
        if (replay_folder(arguments[i], &count) != 0) {
            return 1;
        }
        if (count == 0) {
            (void)complain(arguments[i], "no files: an empty corpus proves nothing");
            return 1;
        }
        total += count;
    }
    (void)printf("replayed %u inputs\n", total);
    return 0;
}
