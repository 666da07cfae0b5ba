// SPDX-License-Identifier: Apache-2.0
/**
 * CLIENT PAUSE: commands that wait until a time, or until CLIENT UNPAUSE.
 *
 * A command that is held back comes again when the pause is over (hold.h): no thread waits, no
 * partition has to do with it, and it costs nothing meanwhile.
 *
 * Order:    what had begun before the pause ends; CLIENT is never held back, so that it can be
 *           ended.
 * Threads:  any session begins a pause, under the server's mutex; loops look, and end it.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/lobby.h"
#include "lib/base/attr.h"
#include "lib/conc/role.h"

struct fil_resp_command_info;
struct fil_resp_server;
struct fil_resp_session;

struct fil_resp_pause {
    _Atomic uint64_t until_ns; // 0: there is none
    _Atomic bool is_for_all;   // else only for commands that change something
    struct fil_lobby lobby;    // commands that wait
};

void fil_resp_pause_init(struct fil_resp_pause *pause);

/** Nobody waits. */
void fil_resp_pause_fini(struct fil_resp_pause *pause);

/** Cheap first look: whether a pause was begun and not yet seen to be over. */
static inline bool fil_resp_pause_is_on(const struct fil_resp_pause *pause)
{
    // Relaxed: a pause that is a moment younger than the command does not hold it back.
    return atomic_load_explicit(&pause->until_ns, memory_order_relaxed) != 0;
}

/** Begins a pause, or makes one that goes on longer and stricter, never shorter. */
FIL_ANY_THREAD void fil_resp_pause_begin(struct fil_resp_server *server, uint64_t length_ns,
                                         bool is_for_all);

/** Ends the pause and lets go what waits; false: more than a turn has time for, it comes again. */
bool fil_resp_pause_end(struct fil_resp_session *session) FIL_RUNS_ON(io) FIL_NODISCARD;

/** True: the command has to wait, and comes again. */
bool fil_resp_pause_hold(struct fil_resp_session *session, const struct fil_resp_command_info *info)
    FIL_RUNS_ON(io);
