// SPDX-License-Identifier: Apache-2.0
/**
 * Shared objects that are loaded while the program runs.
 *
 * Loading runs what the object asks to be run: only for files that somebody trusts.
 *
 * Threads: any; not for those that must not block.
 */
#pragma once

#include <stddef.h>

#include "lib/base/attr.h"

/**
 * Loads the file of that path, never one of the same name from elsewhere. FIL_E_NOT_FOUND when
 * there is none, FIL_E_MALFORMED when it cannot be loaded; out_reason says why in either case.
 */
int fil_library_open(void **out_library, const char *path, char *out_reason, size_t size)
    FIL_NODISCARD;

/** Address of something that the object exports; NULL. */
const void *fil_library_find(void *library, const char *name);

/** NULL is fine. */
void fil_library_close(void *library);
