// SPDX-License-Identifier: Apache-2.0
/**
 * A route: a method, a pattern of path segments, a handler, and how it is to be run.
 *
 * "GET /users/{id}" matches a path of two segments and keeps the second one as "id"; a last segment
 * "*" matches the rest, of any length, and keeps it as "*". Segments are compared as they are sent,
 * before percent-decoding: an encoded slash separates nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/service/filter.h"
#include "filbert/service.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/counter.h"
#include "lib/http/message.h"

#define FIL_ROUTE_PARAMS_MAX     8U
#define FIL_ROUTE_SEGMENTS_MAX   16U
#define FIL_ROUTE_BODY_DEFAULT   ((size_t)1 << 20)
#define FIL_ROUTE_STREAM_DEFAULT ((size_t)1 << 30) // of a body that is read while it comes
#define FIL_ROUTE_UNTIMED        UINT64_MAX
#define FIL_ROUTE_LATENCIES      28U // the last one: 2^27 us and more, two minutes

struct fil_service_pool;

enum fil_place {
    FIL_PLACE_LOOP,
    FIL_PLACE_POOL,
};

struct fil_route_segment {
    struct fil_bytes text; // the name, for a parameter
    bool is_param;
};

struct fil_route_stats {
    struct fil_counter classes[6];                     // answers by the first digit of their status
    struct fil_counter refused;                        // by admission
    struct fil_counter cancelled;                      // whose callers were gone before the answer
    struct fil_counter latencies[FIL_ROUTE_LATENCIES]; // arrival to answer, sampled, by log2 of us
};

struct fil_route {
    // Set when the service is put together, then read-only.
    char *pattern; // "GET /users/{id}", owned
    enum fil_http_method method;
    bool is_exact; // no parameter: the path is compared as a whole
    bool has_rest;
    struct fil_bytes path;
    struct fil_route_segment segments[FIL_ROUTE_SEGMENTS_MAX];
    uint32_t segment_count;
    fil_handler_fn handler;
    struct fil_route_options options;
    bool is_uncached; // the answer says that nobody may keep it
    bool is_page;     // the member's own
    enum fil_place place;
    struct fil_service_pool *pool;       // of place POOL
    const char *place_reason;            // who decided: static
    void (*free_context)(void *context); // of the options; NULL: somebody else's
    struct fil_filter_chain filters;

    // Shared.
    struct fil_route_stats stats;
};

/** Takes a copy of the pattern. FIL_E_INVALID or FIL_E_NOMEM. */
int fil_route_new(struct fil_route **out_route, const char *pattern, fil_handler_fn handler,
                  const struct fil_route_options *options) FIL_NODISCARD;
void fil_route_free(struct fil_route *route);

/** Whether the path is one of the route's; its parameters go to out_params, in their order. */
bool fil_route_match(const struct fil_route *route, struct fil_bytes path,
                     struct fil_bytes out_params[FIL_ROUTE_PARAMS_MAX]);

/** The place of a parameter, or -1. */
int fil_route_param_index(const struct fil_route *route, const char *name);

/** Whether a request with this method is the route's: GET is HEAD's, too. */
static inline bool fil_route_has_method(const struct fil_route *route, enum fil_http_method method)
{
    return route->method == method || (route->method == FIL_HTTP_GET && method == FIL_HTTP_HEAD);
}

/** Counts an answer, and how long it took unless that is FIL_ROUTE_UNTIMED. */
FIL_ANY_THREAD void fil_route_count(struct fil_route *route, int status, uint64_t took_ns);

/** Answers of all kinds. */
FIL_ANY_THREAD uint64_t fil_route_answers(const struct fil_route *route);
