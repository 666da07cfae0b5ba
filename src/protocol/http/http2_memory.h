// SPDX-License-Identifier: Apache-2.0
/** The heap of one nghttp2 session: our own, drawn from a budget, with a limit. */
#pragma once

#include <nghttp2/nghttp2.h>
#include <stddef.h>

#include "lib/mem/budget.h"

struct fil_http2_memory {
    struct fil_budget *budget;
    size_t limit_bytes;
    size_t used_bytes;
    nghttp2_mem ops; // for nghttp2
};

/** The struct must stay where it is. */
void fil_http2_memory_init(struct fil_http2_memory *memory, struct fil_budget *budget,
                           size_t limit_bytes);
