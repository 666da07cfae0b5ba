// SPDX-License-Identifier: Apache-2.0
/**
 * A request on its way through the service layer, whatever protocol has brought it.
 *
 *     arrived --handler returns a reply--------------------------> answered
 *        |                                                            ^
 *        +--detached: later, or sent to a pool ----complete, once-----+
 *
 * A request is attached while it is handled inside the call that brought it: its slices point into
 * the protocol's input. A detached one has copies of its own, and its home is told when the answer
 * is there.
 *
 * Memory:  what it gives out comes from its arena, which is bounded.
 * Threads: one at a time: its loop, then the pool's thread or whoever completes it. is_cancelled is
 *          read and written by any.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/service/admission.h"
#include "core/service/body_stream.h"
#include "core/service/reply_stream.h"
#include "core/service/route.h"
#include "core/service/service_pool.h"
#include "filbert/service.h"
#include "lib/base/arena.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/http/message.h"
#include "lib/mem/chunk.h"
#include "lib/os/env.h"

#define FIL_REQUEST_ARENA_CHUNK_BYTES 2048U
#define FIL_REQUEST_ARENA_BYTES_MAX   ((size_t)4 << 20)
#define FIL_REQUEST_HEADERS_MAX       32U

struct fil_retry_budget;
struct fil_runner;
struct fil_service;

/** What the protocol does for its requests. */
struct fil_request_home {
    /**
     * On the loop: keeps the request for an answer that comes later, with copies of all that it
     * borrows. FIL_OK, also when it is kept already, or FIL_E_NOMEM.
     */
    int (*detach)(struct fil_request *request);

    /** On any thread: the detached request has its answer, all of it. */
    void (*done)(struct fil_request *request);

    /** On any thread: the body's reader has room for more. NULL: bodies come whole. */
    void (*body)(struct fil_request *request);

    /** On any thread: the answer's stream has begun, or has something to take. NULL: no streams. */
    void (*stream)(struct fil_request *request);

    /** The sender of a body waits until it hears what was read of it, however little that is. */
    bool has_window;
};

/** A header of the answer. */
struct fil_request_header {
    struct fil_request_header *next;
    struct fil_bytes name;
    struct fil_bytes value;
};

/** When what happened to a request; 0: has not, or nobody looked at the clock. */
struct fil_request_times {
    uint64_t complete_ns; // its last byte was there
    uint64_t started_ns;  // its handler began
    uint64_t settled_ns;  // its answer was there
};

struct fil_request {
    // Set by the protocol.
    const struct fil_request_home *home;
    struct fil_service *service;
    enum fil_http_method method;
    struct fil_bytes method_text;
    struct fil_bytes path;
    struct fil_bytes query;
    const struct fil_http_header *headers;
    uint32_t header_count;
    struct fil_bytes body;
    struct fil_body_stream *body_stream; // the body comes through it; NULL: it is whole
    struct fil_pool *pool;               // of the running thread, for large answers; NULL: none
    struct fil_runner *runner;           // of the loop that has brought it; NULL: nobody watches
    bool can_upgrade;                    // the connection may become another protocol's
    uint64_t arrived_ns;
    struct fil_request_times times; // the protocol sets complete_ns

    // Set by the service.
    struct fil_route *route; // NULL: no such path, or not with this method
    struct fil_bytes params[FIL_ROUTE_PARAMS_MAX];
    uint32_t allowed_methods; // bits; when there is no route
    uint64_t deadline_ns;     // FIL_ADMISSION_NO_DEADLINE: none
    struct fil_service_job job;

    // Shared.
    _Atomic bool is_cancelled;
    _Atomic bool is_answered;

    // Whoever has the request.
    struct fil_arena arena;
    struct fil_reply reply;
    struct fil_request_header *first_header; // of the answer
    struct fil_request_header *last_header;
    uint32_t reply_header_count;
    struct fil_chunk_queue content;   // of the answer, when it is not in the reply
    struct fil_reply_stream *stream;  // the answer comes through it; NULL: at once
    struct fil_websocket *socket;     // the answer is one; its frames come through the stream
    void *filter_states;              // of the route's filters
    uint32_t entered_count;           // filters to leave
    struct fil_retry_budget *retries; // of the filter by which the handler may run again; or NULL
    uint32_t tries_max;               // by that filter; 0: as those who ask others have it
    bool is_refused;                  // nothing was started for it
    bool is_detached;
    bool is_suspect; // the watchdog has seen its handler running: how long it took is of interest
};

void fil_request_init(struct fil_request *request);
void fil_request_fini(struct fil_request *request);

/** Ready for another one; keeps some memory. */
void fil_request_reset(struct fil_request *request);

/** A header that was received, or NULL. */
const struct fil_http_header *fil_request_find_header(const struct fil_request *request,
                                                      const char *name);

/** Adds to a large answer; the reply then is fil_reply_content. */
void fil_request_add(struct fil_request *request, struct fil_bytes bytes);
FIL_PRINTF(2, 3)
void fil_request_format(struct fil_request *request, const char *format, ...);
struct fil_reply fil_reply_content(int status, const char *type);

/** Adds a header whose texts are static and known to be good. */
void fil_request_add_header(struct fil_request *request, const char *name, const char *value);

/** A refusal: 503 or 429, with a hint to try again and the reason for programs. */
struct fil_reply fil_request_refuse(struct fil_request *request, int status,
                                    const char *retry_after, const char *reason);

/** Fixes the answer and counts it; what was promised is not an answer. */
void fil_request_settle(struct fil_request *request, struct fil_reply reply);
