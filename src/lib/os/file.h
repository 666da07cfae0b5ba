// SPDX-License-Identifier: Apache-2.0
/**
 * Files as a whole for programs, and files written piece by piece, for threads that may block. What
 * a member's loops read and write goes through the environment.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

/**
 * Writes the file anew, readable by all. FIL_E_NOT_FOUND when its folder is missing, FIL_E_DENIED,
 * FIL_E_IO for all else; a file that could not be written to its end is left behind cut.
 */
int fil_file_save(const char *path, struct fil_bytes content) FIL_NODISCARD;

/** Why a file was not read, by what the environment's file_read says, and what can be done. */
const char *fil_file_why(int error);

/**
 * Writes all of it to a descriptor that is not only ours, e.g. a standard one. FIL_E_TIMEOUT when
 * it takes nothing for so long, FIL_E_CLOSED when nobody reads, or an error; part of it may be
 * written then.
 */
int fil_file_tell(int fd, struct fil_bytes bytes, int64_t patience_ns) FIL_NODISCARD;

/** An open file. */
struct fil_file {
    int fd; // -1: closed
};

/** For reading; FIL_E_NOT_FOUND, FIL_E_DENIED; FIL_E_UNSUPPORTED, FIL_E_INVALID as file_read. */
int fil_file_open(struct fil_file *file, const char *path) FIL_NODISCARD;

/** What the file system says about an open file. */
struct fil_file_facts {
    uint64_t size;
    uint64_t changed_ns; // its content, since 1970
};

/** A folder, to open files below it. Errors as fil_file_open. */
int fil_folder_open(struct fil_file *folder, const char *path) FIL_NODISCARD;

/**
 * For reading, by segments below the folder: none of them is followed when it is a link, and ".."
 * is refused (FIL_E_DENIED). FIL_E_NOT_FOUND, FIL_E_IO also for what is no regular file.
 */
int fil_file_open_below(struct fil_file *file, const struct fil_file *folder, const char *path,
                        struct fil_file_facts *out_facts) FIL_NODISCARD;

/** Of a path that the system takes, with the terminating zero. */
#define FIL_PATH_MAX 4096U

/**
 * Where a path really leads that somebody else has thought up: an absolute one, or one from the
 * folder on. What is there of it is resolved, with its links; the rest, which need not be there,
 * stays as it is. FIL_E_DENIED when it has "..", does not lead to the folder or below it, or cannot
 * be looked at; FIL_E_NOT_FOUND when it is the folder that cannot.
 */
int fil_file_resolve_below(const char *folder, const char *path, char out_path[FIL_PATH_MAX])
    FIL_NODISCARD;

/** For writing; what was there is gone. Errors as fil_file_save. */
int fil_file_create(struct fil_file *file, const char *path) FIL_NODISCARD;

/** Bytes read at a place of the file, 0 at its end; FIL_E_IO. */
int64_t fil_file_read_at(const struct fil_file *file, uint64_t offset, void *buffer, size_t size)
    FIL_NODISCARD;

/** Writes all of it at the end; FIL_E_IO, and then part of it may be there. */
int fil_file_append(struct fil_file *file, struct fil_bytes bytes) FIL_NODISCARD;

/** What was written survives a loss of power. */
int fil_file_sync(struct fil_file *file) FIL_NODISCARD;

/** Harmless when closed; FIL_E_IO when what was written may be lost. */
int fil_file_close(struct fil_file *file) FIL_NODISCARD;

/** Closes a file whose content does not matter (any more). */
void fil_file_drop(struct fil_file *file);

/** Replaces what has the new name, at once and for good. */
int fil_file_rename(const char *from, const char *to) FIL_NODISCARD;

/** FIL_E_NOT_FOUND when there is none. */
int fil_file_remove(const char *path) FIL_NODISCARD;

/** Gets the name of a file; false: no more of them. */
typedef bool (*fil_folder_fn)(void *context, const char *name);

/**
 * Tells the names of the regular files of a folder, links left out, in no order. Errors as
 * fil_file_open; FIL_E_LIMIT when it was stopped.
 */
int fil_folder_list(const char *path, fil_folder_fn each, void *context) FIL_NODISCARD;

/** FIL_OK also when it is there; its parent must be. */
int fil_folder_make(const char *path) FIL_NODISCARD;
