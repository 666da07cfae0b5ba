// SPDX-License-Identifier: Apache-2.0
/** A temporary folder for a test, with whatever files it needs; gone after the test. */
#pragma once

#define FOLDER_PATH_MAX 512

struct folder {
    char path[FOLDER_PATH_MAX];
};

void folder_make(struct folder *folder);

/** Removes it with all that is inside. */
void folder_remove(struct folder *folder);

/** The path of a name inside, valid until the next call. */
const char *folder_path(const struct folder *folder, const char *name);

/** Writes a file; the folders on the way to it are made. */
void folder_write(const struct folder *folder, const char *name, const char *text);
