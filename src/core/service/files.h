// SPDX-License-Identifier: Apache-2.0
/**
 * A folder as a route: files by their paths, whole, in parts, or only when they have changed.
 *
 * The path below the route is looked up segment by segment: links are not followed, and names that
 * begin with a dot, "..", empty segments and bytes that no name has are not found. A path that ends
 * with a slash, or is empty, means index.html in it.
 *
 * Threads: reading a file blocks, so the route runs in a pool that may; a file of more than
 *          FIL_FILES_WHOLE_MAX bytes waits there for its reader.
 */
#pragma once

#include "core/service/route.h"
#include "lib/base/attr.h"

#define FIL_FILES_WHOLE_MAX ((size_t)64 << 10)

/**
 * Makes a route of "GET /path/" and a star. FIL_E_INVALID for another pattern or options with a
 * context; FIL_E_NOT_FOUND, FIL_E_DENIED, FIL_E_IO for a folder that is none; FIL_E_NOMEM.
 */
int fil_files_route(struct fil_route **out_route, const char *pattern, const char *folder,
                    const struct fil_route_options *options) FIL_NODISCARD;
