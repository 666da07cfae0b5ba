// SPDX-License-Identifier: Apache-2.0
/**
 * Keeps pages of other sites out, which a user's browser would let ask a port that only this
 * machine reaches.
 *
 * Host: a name that is not known here is one that somebody else may have pointed at us (DNS
 * rebinding); addresses and localhost cannot be. Origin: the browser says whose page it is that
 * asks; a page of the host and port that it asks is at home. Programs send no Origin.
 */
#pragma once

#include <stdbool.h>

#include "lib/conc/counter.h"
#include "lib/http/request.h"

struct fil_http_guard {
    // Set before the loops run, then read-only.
    const char *hosts;   // names without ports, separated by commas; "*": any; NULL: none
    const char *origins; // as in https://shop.example:8443; the same

    // Shared.
    struct fil_counter refused_hosts;
    struct fil_counter refused_origins;
};

/** NULL when the request is let in; else the sentence to refuse it with, and it is counted. */
FIL_ANY_THREAD const char *fil_http_guard_check(struct fil_http_guard *guard,
                                                const struct fil_http_request *request);
