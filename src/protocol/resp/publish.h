// SPDX-License-Identifier: Apache-2.0
/**
 * PUBLISH, which waits for room when a subscriber has none: event.put_timeout at most, then the
 * message is dropped for those without room, and counted. Either all subscribers have got it before
 * that or none.
 *
 * The loop does not wait: the command stays where it was received and comes again as soon as there
 * is room, or its time is over (hold.h).
 *
 * EXEC waits likewise before it runs, until those who listen to what it publishes have room for as
 * many messages as it has: once it runs, in its partitions, nothing can wait any more. So what
 * others have put into that room meanwhile, and messages of a transaction beyond what fits at all
 * or beyond the first FIL_RESP_EXEC_LOOKS_MAX of its commands that publish, may be dropped, and are
 * counted.
 *
 * Order:  the commands behind it wait, so that what a connection publishes stays in order.
 * Limits: one command a connection waits. Keyspace notifications do not: they are told inside of
 *         partitions, where nobody waits, and what has no room is dropped and counted.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/bytes.h"
#include "lib/conc/role.h"
#include "protocol/resp/session.h"

#define FIL_RESP_EXEC_LOOKS_MAX 64U

/** Publishes and replies, or has the command come again: session->is_held. */
void fil_resp_publish(struct fil_resp_session *session, struct fil_bytes channel,
                      struct fil_bytes text) FIL_RUNS_ON(io);

/** Whether EXEC has to wait for room: then it comes again, session->is_held. */
bool fil_resp_publish_hold_exec(struct fil_resp_session *session) FIL_RUNS_ON(io) FIL_NODISCARD;
