// SPDX-License-Identifier: Apache-2.0
/**
 * HTTP/1.1 for people and probes: a table of pages that answer GET and HEAD.
 *
 * A page runs on the connection's I/O loop and must not block; one that costs something runs on the
 * generic pool, and whoever has the reply writes it. One request of a connection is answered at a
 * time, so the order is kept. Requests with another method get 405, unknown paths 404, malformed
 * ones the status the codec names, and a full pool 503; each with a sentence.
 *
 * Journey of a costly one: io (copy the head, submit) -> generic (render) -> flag holder (send).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/bytes.h"
#include "lib/http/request.h"
#include "lib/mem/budget.h"
#include "lib/mem/chunk.h"
#include "lib/net/protocol.h"
#include "lib/os/env.h"

struct fil_generic;

/** What a page fills in. Status 200 and plain text unless it says otherwise. */
struct fil_http_reply {
    int status;
    const char *content_type;
    struct fil_chunk_queue body;
    struct fil_pool *pool; // of the running thread, for the body
};

void fil_http_reply_add(struct fil_http_reply *reply, struct fil_bytes bytes);
FIL_PRINTF(2, 3)
void fil_http_reply_format(struct fil_http_reply *reply, const char *format, ...);

typedef void (*fil_http_page_fn)(void *context, const struct fil_http_request *request,
                                 struct fil_http_reply *reply);

struct fil_http_page {
    const char *path;
    fil_http_page_fn handler;
    const char *costly_name; // runs on the generic pool, under this name; NULL: on the loop
};

/** A protocol's context is its struct fil_http_server. Read-only while loops run. */
struct fil_http_server {
    struct fil_env *env;
    const struct fil_http_page *pages;
    size_t page_count;
    void *context;               // given to the pages
    struct fil_generic *generic; // for costly pages; NULL: they run on the loop
    struct fil_budget *budget;   // of what waits for the pool; may be NULL without one
};

extern const struct fil_protocol_ops fil_http_protocol;
