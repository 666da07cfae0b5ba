// SPDX-License-Identifier: Apache-2.0
/** How the member is reached, in the words that people type: for the first screen and the pages. */
#pragma once

#include "lib/os/address.h"

#define FIL_HINT_FLAGS_MAX (FIL_ADDRESS_TEXT_MAX + 16)

/** The address at which this machine reaches what listens on all of its own. */
struct fil_address fil_hint_reachable(const struct fil_address *bound);

/**
 * How redis-cli is told of the member: nothing but the port where the host is the usual one.
 * Returns text.
 */
const char *fil_hint_redis_flags(const struct fil_address *address, char text[FIL_HINT_FLAGS_MAX]);
