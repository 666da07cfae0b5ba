// SPDX-License-Identifier: Apache-2.0
/** Writing a whole file, for programs; a member reads and writes through the environment. */
#pragma once

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

/**
 * Writes the file anew, readable by all. FIL_E_NOT_FOUND when its folder is missing, FIL_E_DENIED,
 * FIL_E_IO for all else; a file that could not be written to its end is left behind cut.
 */
int fil_file_save(const char *path, struct fil_bytes content) FIL_NODISCARD;
