// SPDX-License-Identifier: Apache-2.0
/** A connection to a server of an upstream, for call.c and link.c. */
#pragma once

#include "lib/http/body.h"
#include "lib/http/response.h"
#include "lib/net/connection.h"
#include "protocol/http/call.h"

/** One request at a time. */
struct fil_http_link {
    // Set when it is made, then read-only.
    struct fil_http_client *client;
    struct fil_connection *connection;
    uint32_t server;
    uint32_t version; // of the server's address

    // The loop's own.
    struct fil_list idle_link;
    struct fil_http_call *call; // NULL: idle, or nobody waits for the answer any more
    enum fil_http_method method;
    uint64_t began_ns;
    uint64_t deadline_ns; // of the try, or of its being idle
    uint64_t hedge_ns;    // when another server is asked too; 0: none is
    int status;           // of the answer; 0: its head is not there
    bool is_busy;         // with a try
    bool is_refusal;      // the server says that it has not begun
    bool is_used;         // it has brought an answer before
    bool is_heard;        // something has come from the server, of whatever request
    bool is_sent;         // of this try something may have left
    bool is_forsaken;     // the call was cancelled: nothing can be said of the server
    bool is_keep_alive;
    struct fil_http_decoder decoder;
    struct fil_http_body body;
};

extern const struct fil_protocol_ops fil_http__link_protocol;

/** An idle one, or a new one. FIL_E_FULL, FIL_E_CLOSED, FIL_E_NOMEM. */
int fil_http__take_link(struct fil_http_client *client, struct fil_loop *loop, uint32_t server,
                        struct fil_http_link **out_link) FIL_RUNS_ON(io) FIL_NODISCARD;

/** Whether the server's address is the one that a connection was made to. */
static inline bool fil_http__is_current(const struct fil_http_client *client, uint32_t server,
                                        uint32_t version)
{
    // Relaxed: the address may change at the next moment anyway.
    return atomic_load_explicit(&client->upstream.servers[server].version, memory_order_relaxed) ==
           version;
}

/** A connection of the client begins, or has ended: its last touch of the client. */
static inline void fil_http__count_connection(struct fil_http_client *client, bool is_new)
{
    // R1 pairs with A1 of caller.c: who finds none finds nothing of them.
    if (is_new) {
        atomic_fetch_add_explicit(&client->connection_count, 1, memory_order_relaxed);
    } else {
        atomic_fetch_sub_explicit(&client->connection_count, 1, memory_order_release);
    }
}

/** Sends the call's request; hedge_ns: when another server is to be asked too, 0: not. */
void fil_http__send(struct fil_http_link *link, struct fil_http_call *call, uint64_t deadline_ns,
                    uint64_t hedge_ns) FIL_RUNS_ON(io);

/** Nobody waits for the link's answer any more: it is read over, and only measured. */
void fil_http__let_go(struct fil_http_link *link) FIL_RUNS_ON(io);

/** For links of another kind (http2_link.h): the head of the answer is there; FIL_E_NOMEM. */
int fil_http__take_response(struct fil_http_link *link, const struct fil_http_response *response,
                            struct fil_bytes head) FIL_RUNS_ON(io) FIL_NODISCARD;

/** The same: ends the try that the link is busy with. */
void fil_http__end_link_try(struct fil_http_link *link, int error) FIL_RUNS_ON(io);

/** Asks another server too when it is time for that: true when the try goes on after it. */
bool fil_http__hedge_if_due(struct fil_http_link *link, uint64_t now_ns) FIL_RUNS_ON(io);

/** How a try has ended. */
struct fil_http_outcome {
    int error; // FIL_OK: answered
    int status;
    uint64_t took_ns;
    bool is_refusal;   // by an answer that says that nothing was begun
    bool is_started;   // the server may have begun
    bool is_stale;     // the connection was old, and nothing can be said of the server
    bool is_unreached; // there was no connection at all
};

/** Tells the upstream, and the call if it still waits; the link is free of it. */
void fil_http__end_try(struct fil_http_link *link, const struct fil_http_outcome *outcome)
    FIL_RUNS_ON(io);

/** The head of an answer is there: whether the call takes it. If not, the link was let go. */
bool fil_http__claim(struct fil_http_link *link) FIL_RUNS_ON(io) FIL_NODISCARD;

/** The answer takes longer than usual: asks another server too. */
void fil_http__hedge(struct fil_http_call *call) FIL_RUNS_ON(io);
