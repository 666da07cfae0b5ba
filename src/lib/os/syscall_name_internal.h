// SPDX-License-Identifier: Apache-2.0
/** Names of the system calls that a thread may be found asleep in. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/**
 * Static text; "(other call)" for one that is not in the list. A call is restarted when a signal's
 * handler with SA_RESTART does not end it: for the others asking a thread for its stack would cut
 * its sleep short. One that is not in the list counts as not restarted.
 */
const char *fil_syscall__name(uint64_t number, bool *out_is_restarted);
