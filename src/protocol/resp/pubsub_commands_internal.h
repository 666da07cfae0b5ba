// SPDX-License-Identifier: Apache-2.0
/** What other files of this folder need to know of subscribed connections. */
#pragma once

#include "lib/conc/role.h"
#include "protocol/resp/command.h"

/** Whether the connection is in RESP2's subscribed mode, where PING is answered as a message. */
bool fil_resp_pubsub__is_subscribed(const struct fil_resp_session *session);

/** Answers a command that a subscribed connection may not use; false when it may. */
bool fil_resp_pubsub__refuse(struct fil_resp_session *session,
                             const struct fil_resp_command *command,
                             const struct fil_resp_command_info *info) FIL_RUNS_ON(io);

/** The session's hunt goes on while the turn has time. False: the command comes again. */
bool fil_resp_pubsub__hunt(struct fil_resp_session *session, struct fil_bytes word) FIL_RUNS_ON(io)
    FIL_NODISCARD;

/**
 * RESET: the connection listens to nothing any more, and nobody tells it so. False: there is more
 * than a turn has time for, and the command comes again.
 */
bool fil_resp_pubsub__forget(struct fil_resp_session *session) FIL_RUNS_ON(io) FIL_NODISCARD;
