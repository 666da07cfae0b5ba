// SPDX-License-Identifier: Apache-2.0
/**
 * Requests to servers that speak HTTP/2: many at a time over one connection, each as a link of its
 * own (link_internal.h), so that tries, deadlines and retries are those of HTTP/1.1.
 *
 *     carrier: a connection, an nghttp2 session   1 --- n   links, a stream each
 *
 * A server that says goodbye (GOAWAY) gets no more; what it has not begun is tried elsewhere.
 *
 * Threads: all on the loop that has started the call.
 */
#pragma once

#include "protocol/http/link_internal.h"

extern const struct fil_protocol_ops fil_http2__link_protocol;

/** Takes the word http2 off the front of a list of servers; false when it is not there. */
bool fil_http2__take_word(struct fil_bytes *servers);

/** A link over a connection that has room, or a new one. FIL_E_FULL, FIL_E_CLOSED, FIL_E_NOMEM. */
int fil_http2__take_link(struct fil_http_client *client, struct fil_loop *loop, uint32_t server,
                         struct fil_http_link **out_link) FIL_RUNS_ON(io) FIL_NODISCARD;

/** Sends the request of the call that the link has. */
void fil_http2__send(struct fil_http_link *base) FIL_RUNS_ON(io);
