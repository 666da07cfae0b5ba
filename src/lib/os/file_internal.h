// SPDX-License-Identifier: Apache-2.0
/** Files, for fil_env_real() and for the readers of /proc and /sys in this folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"

/** See file_read in env.h. */
int fil_file__read(const char *path, size_t size_max, char **out_text, size_t *out_size)
    FIL_NODISCARD;

/** See file_write in env.h. */
int64_t fil_file__write(int fd, const void *data, size_t size) FIL_NODISCARD;

/**
 * Reads the beginning of a small file, at most capacity - 1 bytes, and terminates it. Allocates
 * nothing. Returns the size or an error; what the file has beyond the capacity is left out.
 */
int64_t fil_file__read_start(const char *path, char *text, size_t capacity) FIL_NODISCARD;
