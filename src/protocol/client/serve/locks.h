// SPDX-License-Identifier: Apache-2.0
/** What becomes of a client's locks when its last connection is gone. */
#pragma once

#include "core/exec/runner.h"
#include "protocol/client/serve/session.h"

/** The session is no longer listed: lets go of the client's locks, unless it has other sessions. */
void fil_wire_locks_leave(struct fil_wire_session *session, struct fil_runner *runner);
