// SPDX-License-Identifier: Apache-2.0
/**
 * Routes that are answered by other servers: a request is passed on to one of an upstream's, its
 * answer comes back.
 *
 *     service.proxies: "GET /prices/{id}=10.0.0.1:80, 10.0.0.2:80; POST /orders=10.0.0.3:80"
 *
 * Method, path, query, headers and body are passed on as they came, but for what belongs to one
 * connection only (RFC 9110, 7.6.1); the time that is left goes along in Filbert-Timeout-Ms. The
 * page /upstreams shows how the servers fare.
 *
 * Limits:  bodies are read whole before they are passed on: 1 MiB of requests, 16 MiB of answers;
 *          32 headers of an answer. No TLS.
 * Threads: as calls (call.h): the loop that has the request asks.
 */
#pragma once

#include "core/service/service.h"
#include "lib/base/attr.h"
#include "protocol/http/call.h"

#define FIL_PROXIES_MAX 32U

struct fil_proxy {
    struct fil_http_client client;
    char *pattern;
};

/** Owned by whoever puts the member together; outlives the service. */
struct fil_proxies {
    struct fil_proxy *items[FIL_PROXIES_MAX];
    uint32_t count;
    uint64_t try_ns;        // of those that are added; 0: the default
    uint32_t retry_percent; // likewise
    bool is_unhedged;       // no request of those that are added is asked of two servers
};

/**
 * Adds the routes of "pattern=server, server; pattern=server". FIL_E_CONFIG: the service's problem
 * tells; FIL_E_NOMEM.
 */
int fil_proxies_add(struct fil_proxies *proxies, struct fil_service *service, const char *text)
    FIL_NODISCARD;

/** Adds one route and the page. FIL_E_INVALID, FIL_E_ADDRESS, FIL_E_EXISTS, FIL_E_LIMIT, NOMEM. */
int fil_proxies_add_one(struct fil_proxies *proxies, struct fil_service *service,
                        struct fil_bytes pattern, struct fil_bytes servers) FIL_NODISCARD;

/** The service and the loops have ended. */
void fil_proxies_fini(struct fil_proxies *proxies);
