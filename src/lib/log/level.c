// SPDX-License-Identifier: Apache-2.0
#include "lib/log/level.h"

#include <assert.h>

#include "lib/base/assert.h"
#include "lib/base/attr.h"

static const char *const level_names[] = {
    [FIL_LOG_DEBUG] = "debug",
    [FIL_LOG_INFO] = "info",
    [FIL_LOG_WARN] = "warn",
    [FIL_LOG_ERROR] = "error",
};

static_assert(FIL_COUNT_OF(level_names) == FIL_LOG_LEVEL_COUNT, "each level has a name");

const char *fil_log_level_name(enum fil_log_level level)
{
    fil_assert((size_t)level < FIL_LOG_LEVEL_COUNT);
    return level_names[level];
}

bool fil_log_level_parse(struct fil_bytes text, enum fil_log_level *out_level)
{
    for (size_t i = 0; i < FIL_LOG_LEVEL_COUNT; i++) {
        if (fil_bytes_equal_text(text, level_names[i])) {
            *out_level = (enum fil_log_level)i;
            return true;
        }
    }
    return false;
}
