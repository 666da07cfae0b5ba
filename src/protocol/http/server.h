// SPDX-License-Identifier: Apache-2.0
/**
 * HTTP/1.1 for people and probes: a table of pages that answer GET and HEAD.
 *
 * A page runs on the connection's I/O loop and must not block. Requests with another method get
 * 405, unknown paths 404, malformed ones the status the codec names; each with a sentence.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/bytes.h"
#include "lib/http/request.h"
#include "lib/mem/chunk.h"
#include "lib/net/protocol.h"
#include "lib/os/env.h"

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
};

/** A protocol's context is its struct fil_http_server. Read-only while loops run. */
struct fil_http_server {
    struct fil_env *env;
    const struct fil_http_page *pages;
    size_t page_count;
    void *context; // given to the pages
};

extern const struct fil_protocol_ops fil_http_protocol;
