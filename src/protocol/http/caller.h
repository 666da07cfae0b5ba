// SPDX-License-Identifier: Apache-2.0
/**
 * Requests of stream jobs to servers elsewhere, over the loops of the process: see
 * core/service/caller.h.
 *
 * Lines to the same servers share a client, with its connections and what it knows of the servers;
 * a line keeps to one loop. A client without lines goes when its connections have ended and
 * somebody needs the place.
 *
 * Memory:  64 clients; a call has its memory from prepare to release.
 * Threads: init and fini alone, without loops that run; close by any: whoever starts a call from
 *          then on hears FIL_E_STOPPING at once.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/service/caller.h"
#include "lib/base/attr.h"
#include "lib/net/loop.h"
#include "lib/os/mutex.h"

#define FIL_HTTP_CALLER_CLIENTS_MAX 64U

struct fil_http_caller_client;

struct fil_http_caller {
    struct fil_caller base;

    // Set by init, then read-only.
    struct fil_loop *loops;
    uint32_t loop_count;

    // Shared.
    _Atomic uint32_t next_loop;
    _Atomic bool is_closed;

    struct fil_mutex mutex;
    struct fil_http_caller_client *clients[FIL_HTTP_CALLER_CLIENTS_MAX]; // guarded; NULL: free
};

void fil_http_caller_init(struct fil_http_caller *caller, struct fil_loop *loops,
                          uint32_t loop_count);

/** From now on nothing is started. */
FIL_ANY_THREAD void fil_http_caller_close(struct fil_http_caller *caller);

/** All lines were closed, and the loops have ended. */
void fil_http_caller_fini(struct fil_http_caller *caller);
