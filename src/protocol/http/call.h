// SPDX-License-Identifier: Apache-2.0
/**
 * A call: one request to an upstream, by a loop, over connections that the loop keeps.
 *
 *     start --> a server is picked --> sent --> answered --> done
 *                   ^                   |
 *                   +--- failed, and may be tried again: elsewhere ---+
 *
 * A try that has failed is repeated on another server when nothing was sent or the server says that
 * nothing was started, or when the method may be repeated (GET, HEAD, PUT, DELETE, OPTIONS), as far
 * as the upstream's budget goes, three tries in all. A try has a time of its own, so that a server
 * that hangs costs a part of the deadline, not all of it.
 *
 * What is safe (GET, HEAD, OPTIONS) and takes longer than usual is asked of a second server too, as
 * far as a budget goes: the first answer that is none of 5xx counts, the other is read over. A copy
 * of such a request also looks after a server that was ejected; nobody waits for that.
 *
 * Memory:  the call borrows what it is given until done; the answer's head is in its arena, the
 *          content in its queue.
 * Threads: all on the loop that has started it.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/list.h"
#include "lib/http/message.h"
#include "lib/mem/chunk.h"
#include "lib/net/loop.h"
#include "lib/net/message.h"
#include "lib/net/protocol.h"
#include "protocol/http/upstream.h"

#define FIL_HTTP_CLIENT_LOOPS_MAX   256U
#define FIL_HTTP_CLIENT_LINKS_MAX   256U // of a loop to a server
#define FIL_HTTP_CLIENT_CONTENT_MAX (UINT64_C(16) << 20)
#define FIL_HTTP_CLIENT_TIMEOUT_NS  UINT64_C(10000000000)
#define FIL_HTTP_CLIENT_TRY_NS      UINT64_C(1000000000)
#define FIL_HTTP_CLIENT_IDLE_NS     UINT64_C(60000000000)
#define FIL_HTTP_CLIENT_TRIES_MAX   3U

struct fil_http_call;
struct fil_http_link;
struct fil_http_lookup;

/** What a loop has to a server. */
struct fil_http_links {
    struct fil_list idle;
    uint32_t count; // idle and busy
};

/** Who asks an upstream. */
struct fil_http_client {
    // Set by init, then read-only.
    struct fil_upstream upstream;
    struct fil_protocol protocol;   // of its connections
    uint64_t timeout_ns;            // of a call that has no deadline
    uint64_t try_ns;                // of one try
    bool is_http2;                  // many requests over one connection
    bool is_hedging;                // safe requests may be asked of two servers; not over HTTP/2
    struct fil_http_lookup *lookup; // NULL: no server is a name

    // Shared.
    _Atomic uint32_t connection_count; // of all loops

    // Each loop's own.
    struct fil_http_links (*links)[FIL_UPSTREAM_SERVERS_MAX];
};

struct fil_http_call {
    // Set by the caller.
    struct fil_http_client *client;
    struct fil_loop *loop;
    enum fil_http_method method;
    struct fil_bytes head; // of the request, with its empty line
    struct fil_bytes body;
    uint64_t deadline_ns;  // UINT64_MAX: the client's
    uint64_t try_ns;       // of one try; 0: the client's
    uint32_t tries_max;    // 0: FIL_HTTP_CLIENT_TRIES_MAX
    bool may_repeat;       // whatever the method: what a server may have begun is tried again
    bool retries_failures; // an answer of 5xx is one that may be tried again, too
    struct fil_arena *arena;
    struct fil_chunk_queue *content;
    void (*done)(struct fil_http_call *call);

    // The answer: FIL_OK, or why there is none.
    int error;
    int status;
    bool is_started; // without an answer: a server may have begun
    bool is_refusal; // an answer says that nothing was begun
    const struct fil_http_header *headers;
    uint32_t header_count;

    // Its own.
    struct fil_message message; // the next try
    bool is_between;            // tries: the message is on its way
    bool is_cancelled;
    bool has_waited;  // for the addresses of names
    uint32_t avoided; // servers that have failed, a bit each
    uint32_t try_count;
    struct fil_http_link *link;  // that has been asked; NULL: it has failed, or has lost
    struct fil_http_link *hedge; // that has been asked too
};

/**
 * The servers are "10.0.0.1:80, prices.example:80"; behind the word http2 they are spoken to in
 * that, which they must know. FIL_E_ADDRESS, FIL_E_LIMIT, FIL_E_INVALID for the servers;
 * FIL_E_NOMEM.
 */
int fil_http_client_init(struct fil_http_client *client, struct fil_bytes servers) FIL_NODISCARD;

/** The loops have ended. */
void fil_http_client_fini(struct fil_http_client *client);

/** Done is called, perhaps before this returns. */
void fil_http_call_start(struct fil_http_call *call) FIL_RUNS_ON(io);

/** It was started and is not done: done comes with FIL_E_CANCELLED, perhaps before this returns. */
void fil_http_call_cancel(struct fil_http_call *call) FIL_RUNS_ON(io);
