// SPDX-License-Identifier: Apache-2.0
/** A connection to a server that speaks HTTP/2, for http2_carrier.c and http2_link.c. */
#pragma once

#include <nghttp2/nghttp2.h>

#include "lib/http/response.h"
#include "protocol/http/http2_link.h"
#include "protocol/http/http2_memory.h"

#define FIL_HTTP2_CARRIERS_MAX      16U // of a loop to a server
#define FIL_HTTP2_CARRIER_LINKS_MAX 100U
#define FIL_HTTP2_CARRIER_HEAD_MAX  16384U

struct fil_http2_carrier {
    // Set when it is made, then read-only.
    struct fil_http_client *client;
    struct fil_connection *connection;
    uint32_t server;
    uint32_t version; // of the server's address

    // The loop's own.
    struct fil_list carrier_link; // linked: takes requests
    struct fil_list links;
    uint32_t link_count;
    nghttp2_session *engine;
    struct fil_http2_memory memory;
    uint64_t heard_ns; // when something last came
    uint64_t idle_ns;  // until when it may have nothing to do
    bool is_used;      // it has brought an answer before
    bool is_dead;      // nothing more is sent: what nghttp2 would ask for is gone

    // The head that comes; one at a time.
    struct fil_http_response response;
    uint8_t head[FIL_HTTP2_CARRIER_HEAD_MAX];
    size_t head_size;
    bool is_head_refused;
};

/** A request over it, and its stream. */
struct fil_http2_link {
    struct fil_http_link base;
    struct fil_http2_carrier *carrier;
    struct fil_list link;
    int32_t id; // <= 0: none
    size_t body_sent;
    uint64_t received;
    bool is_written; // the request's head is in the output
    bool has_head;   // of the answer, not of an interim one
    bool is_whole;   // the answer
    int error;       // why the answer is refused; FIL_OK: it is not
};

// http2_link.c.

struct fil_http2_link *fil_http2__link_of(struct fil_http_link *link);

/** Ends the try, and the link with it. */
void fil_http2__end_link(struct fil_http2_link *link, int error) FIL_RUNS_ON(io);
void fil_http2__end_links(struct fil_http2_carrier *carrier, int error) FIL_RUNS_ON(io);

// http2_carrier_in.c: what comes back.

void fil_http2__set_carrier_callbacks(nghttp2_session_callbacks *callbacks);
