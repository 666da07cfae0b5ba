// SPDX-License-Identifier: Apache-2.0
/** Which option a connection met that was ended for a limit: what an operator can change. */
#pragma once

#include "lib/base/attr.h"
#include "lib/log/field.h"
#include "lib/net/limits.h"
#include "lib/net/stats.h"

struct fil_limit_name {
    const char *option;         // "net.frame_bytes_max"; NULL: the reason is no limit
    struct fil_log_field value; // what it is set to, as "limit"
};

FIL_ANY_THREAD struct fil_limit_name fil_limit_name_of(const struct fil_net_limits *limits,
                                                       enum fil_close_reason reason);
