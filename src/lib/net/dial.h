// SPDX-License-Identifier: Apache-2.0
/**
 * Connections of our own making: a loop dials, and the connection then lives like any other, but
 * that its protocol is known and we speak first.
 *
 * What is written before the peer has answered waits in the output. A peer that cannot be reached
 * shows as the connection's end (the protocol's abandon). A dialed connection stays on its loop. In
 * a drain it ends when its protocol waits for nothing more (pending).
 */
#pragma once

#include "lib/base/attr.h"
#include "lib/net/connection.h"

/**
 * Begins a connection. The protocol must outlive it. FIL_E_NOMEM, FIL_E_CLOSED, or why the protocol
 * does not open it; then the protocol hears no more of it, unless it has opened it.
 */
int fil_loop_dial(struct fil_loop *loop, const struct fil_address *address,
                  const struct fil_protocol *protocol, struct fil_connection **out_connection)
    FIL_RUNS_ON(io) FIL_NODISCARD;

/** Lets a dialed connection's output be written in this turn. */
void fil_connection_speak(struct fil_connection *connection) FIL_RUNS_ON(io);

/** The protocol's deadline has changed: looks at it again. */
void fil_connection_retime(struct fil_connection *connection) FIL_RUNS_ON(io);

/** Ends a dialed connection at once. */
void fil_connection_hang_up(struct fil_connection *connection) FIL_RUNS_ON(io);
