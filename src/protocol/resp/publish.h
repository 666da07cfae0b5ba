// SPDX-License-Identifier: Apache-2.0
/**
 * PUBLISH, which waits for room when a subscriber has none: event.put_timeout at most, then the
 * message is dropped for those without room, and counted.
 *
 * The loop does not wait: the command stays where it was received and comes again in a millisecond.
 * Before it the session's line gets a call that is parked meanwhile, as under CLIENT PAUSE.
 *
 * Order:  the commands behind it wait, so that what a connection publishes stays in order.
 * Limits: one command a connection waits. A PUBLISH inside of MULTI does not, and neither do
 *         keyspace notifications, which are told inside partitions.
 */
#pragma once

#include "lib/base/bytes.h"
#include "lib/conc/role.h"
#include "protocol/resp/session.h"

/** Publishes and replies, or has the command come again: session->is_held. */
void fil_resp_publish(struct fil_resp_session *session, struct fil_bytes channel,
                      struct fil_bytes text) FIL_RUNS_ON(io);
