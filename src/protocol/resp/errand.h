// SPDX-License-Identifier: Apache-2.0
/**
 * A command that belongs to no partition and may take long: it runs on the generic pool, so that
 * the loop goes on with its other connections, and its reply waits in the session's line.
 *
 * Order:  the session's next command waits until the errand is done, as behind a journey.
 * Limits: when the pool's queue is full the loop does the work itself.
 */
#pragma once

#include <stdbool.h>

#include "lib/net/output.h"
#include "protocol/resp/decoder.h"
#include "protocol/resp/session.h"

/** Writes the reply. Any thread; touches of the session only what other threads may. */
typedef void (*fil_resp_errand_fn)(struct fil_resp_session *session,
                                   const struct fil_resp_command *command,
                                   struct fil_output *output);

/** From a command's handler: does the work elsewhere where that is possible, else here. */
void fil_resp_errand_run(struct fil_resp_session *session, const struct fil_resp_command *command,
                         fil_resp_errand_fn work);
