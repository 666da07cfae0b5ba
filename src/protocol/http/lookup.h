// SPDX-License-Identifier: Apache-2.0
/**
 * The addresses of the names among a client's servers, asked of the system while the loops go on.
 *
 * The system's resolver may wait for many seconds and cannot be stopped, so neither a loop nor a
 * pool may be in it: a thread asks, tells the upstream and ends. Client and thread share the
 * lookup; who is the last to leave it frees it.
 *
 * When:    what is known is good for 30 seconds, or for one when a server cannot be reached or a
 *          name was not found. What is known stays while nothing better is.
 * Threads: new and free alone; refresh, expire and wait by any loop.
 */
#pragma once

#include "lib/base/attr.h"
#include "lib/conc/role.h"
#include "protocol/http/call.h"

struct fil_http_lookup;

/** FIL_E_NOMEM. */
int fil_http_lookup_new(struct fil_http_client *client, struct fil_http_lookup **out_lookup)
    FIL_NODISCARD;

/** The loops have ended. */
void fil_http_lookup_free(struct fil_http_lookup *lookup);

/** Asks again when it is time for that. */
void fil_http_lookup_refresh(struct fil_http_lookup *lookup, struct fil_loop *loop) FIL_RUNS_ON(io);

/** A server could not be reached: what is known may be old. */
void fil_http_lookup_expire(struct fil_http_lookup *lookup) FIL_RUNS_ON(io);

/**
 * The call's message is sent to its loop when the lookup that is under way has ended; false when
 * none is.
 */
bool fil_http_lookup_wait(struct fil_http_lookup *lookup, struct fil_http_call *call)
    FIL_RUNS_ON(io) FIL_NODISCARD;
