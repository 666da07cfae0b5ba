// SPDX-License-Identifier: Apache-2.0
/**
 * A command that comes again: when its time is over, or before that when the lobby in which it
 * waits calls (core/exec/lobby.h). PUBLISH waits so for room, and commands for the end of CLIENT
 * PAUSE.
 *
 * The command stays where it was received. Before it the session's line gets a call that ends with
 * the wait, so that what is behind it waits too. The time is a timer of the connection, on the loop
 * it is on; no partition has to do with it, and no thread waits.
 *
 * Order:   one command a connection, and nothing overtakes it.
 * Threads: the loop; the lobby calls on any.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/lobby.h"
#include "lib/conc/role.h"

struct fil_listener;
struct fil_resp_call;
struct fil_resp_session;

/** What a session has for it. */
struct fil_resp_hold {
    // The loop's own.
    struct fil_lobby *lobby;       // NULL: nothing is held
    struct fil_listener *listener; // of the lobby, with a reference; NULL: it is nobody's
    uint64_t until_ns;

    // The loop's until the guest is in the lobby, then of whoever makes it leave.
    struct fil_guest guest;
    struct fil_resp_call *call; // in the line
};

/**
 * Holds back the command that is about to run; its reply has not begun, and a call that was opened
 * for it is withdrawn. False: out of memory, it runs now. Look once more at what it waits for.
 */
bool fil_resp_hold_begin(struct fil_resp_session *session, struct fil_lobby *lobby,
                         struct fil_listener *listener, uint64_t until_ns) FIL_RUNS_ON(io)
    FIL_NODISCARD;

/** Shortens the wait. */
void fil_resp_hold_hasten(struct fil_resp_session *session, uint64_t until_ns) FIL_RUNS_ON(io);

/** Ends the wait, if there is one that has not ended. */
void fil_resp_hold_end(struct fil_resp_session *session) FIL_RUNS_ON(io);
