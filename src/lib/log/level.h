// SPDX-License-Identifier: Apache-2.0
/** How much an event matters; the log drops what is below its level before anything is formatted.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/bytes.h"

enum fil_log_level {
    FIL_LOG_DEBUG, // for developers
    FIL_LOG_INFO,  // something an operator may want to know happened
    FIL_LOG_WARN,  // works, but somebody should look
    FIL_LOG_ERROR, // something did not work
};

#define FIL_LOG_LEVEL_COUNT 4U

/** "debug", "info", "warn" or "error". */
const char *fil_log_level_name(enum fil_log_level level);

/** Reads a level's name in lower case; false on anything else. */
bool fil_log_level_parse(struct fil_bytes text, enum fil_log_level *out_level);
