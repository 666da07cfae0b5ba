// SPDX-License-Identifier: Apache-2.0
/** What a member that has started shows: what it is, where it is, and what to try next. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/os/address.h"
#include "node/options.h"
#include "node/plan.h"

struct first_screen {
    const struct fil_options *options;
    const struct fil_plan *plan;
    const struct fil_address *bound;
    const char *file; // of the configuration; NULL: none
    uint64_t took_ns; // from the start until now
    bool is_bright;   // with colour
};

/** Writes it to the standard output, or what that takes of it: nobody need read there. */
void first_screen_show(const struct first_screen *screen);
