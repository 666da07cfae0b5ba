// SPDX-License-Identifier: Apache-2.0
/**
 * A service: routes, the pools that run their handlers, and the way of a request through them.
 *
 *     find     by path and method, before the body is read
 *     admit    deadline; for a pool: admission, on the thread that has read the request
 *     run      on the loop, or on the pool's thread; the answer goes home
 *
 * Placement: what the configuration says for the route, else the route, else the server, else what
 * the configuration says for all, else the loop. The page /services shows it with its reason.
 *
 * Threads: routes are added before the service opens; find, dispatch and count by any thread.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/exec.h"
#include "core/service/request.h"
#include "core/service/route.h"
#include "core/service/route_index.h"
#include "core/service/service_pool.h"
#include "core/service/slow_ring.h"
#include "filbert/service.h"
#include "lib/base/attr.h"

#define FIL_SERVICE_ROUTES_MAX  256U
#define FIL_SERVICE_POOLS_MAX   16U
#define FIL_SERVICE_FILTERS_MAX 256U

struct fil_service_pool_plan {
    char name[FIL_SERVICE_POOL_NAME_MAX];
    uint32_t thread_count;
    uint32_t thread_max;
    uint32_t capacity;
    bool is_exempt; // admits whoever fits: diagnostics must answer when all else is overloaded
    struct fil_budget *budget; // of what is written; NULL: the kernel's
};

struct fil_service_options {
    struct fil_env *env;
    struct fil_exec *exec;
    const struct fil_stage_hooks *hooks;       // of the pools' threads
    struct fil_budget *budget;                 // of requests that wait
    const char *run_on;                        // the server's default; NULL: none
    const char *process_run_on;                // the configuration's; NULL or empty: none
    const char *route_run_on;                  // "GET /a=cpu; GET /b=loop"; NULL or empty: none
    const struct fil_service_pool_plan *pools; // that may be used; borrowed for the call
    uint32_t pool_count;
    enum fil_admission_mode admission;
    uint64_t target_ns;  // 0: the default
    uint64_t slow_ns;    // requests that take longer are kept for /slow; 0: none are
    const char *filters; // "*: log; GET /a: limit=8", borrowed for open; NULL or empty: none
    struct fil_log *log; // of the access log; NULL: none
};

struct fil_service_stats {
    struct fil_counter unknown;     // no such path
    struct fil_counter not_allowed; // not with this method
    struct fil_counter streams;     // answers in pieces that were begun
    struct fil_counter sockets;     // WebSockets that were accepted
    struct fil_counter missed;      // events for which a reader was too slow
};

struct fil_service {
    // Set before it opens, then read-only.
    struct fil_service_options options;
    struct fil_route *routes[FIL_SERVICE_ROUTES_MAX];
    uint32_t route_count;
    struct fil_route_index index;                          // of those without parameters
    struct fil_service_pool *pools[FIL_SERVICE_POOLS_MAX]; // those that a route runs on
    uint32_t pool_count;
    struct fil_filter_link *filters[FIL_SERVICE_FILTERS_MAX]; // owned; routes borrow them
    uint32_t filter_count;
    char problem[160]; // why it did not open

    // Shared.
    struct fil_service_stats stats;
    struct fil_slow_ring slow;
};

void fil_service_init(struct fil_service *service, const struct fil_service_options *options);
void fil_service_fini(struct fil_service *service);

/** Takes ownership of the route. FIL_E_EXISTS, FIL_E_LIMIT. */
int fil_service_add(struct fil_service *service, struct fil_route *route) FIL_NODISCARD;

/** Makes a route and adds it. */
int fil_service_route(struct fil_service *service, const char *pattern, fil_handler_fn handler,
                      const struct fil_route_options *options, struct fil_route **out_route)
    FIL_NODISCARD;

/**
 * Takes ownership of the filter and puts it around the route of this pattern, or around all of the
 * users' when that is NULL. FIL_E_NOT_FOUND, FIL_E_LIMIT.
 */
int fil_service_add_filter(struct fil_service *service, const char *pattern,
                           struct fil_filter_link *link) FIL_NODISCARD;

/** Places the routes and makes their pools and filters. FIL_E_CONFIG when a place is unknown: see
 * problem. */
int fil_service_open(struct fil_service *service) FIL_NODISCARD;

/** The pools' threads. */
int fil_service_start(struct fil_service *service) FIL_NODISCARD;
void fil_service_stop(struct fil_service *service);

/** In a simulation: one turn of every pool thread; returns how much moved. */
uint32_t fil_service_cycle(struct fil_service *service) FIL_RUNS_ON(executor);

/** Sets the request's route and parameters by its path and method; false when there is none. */
FIL_ANY_THREAD bool fil_service_find(struct fil_service *service, struct fil_request *request);

/**
 * Answers the request, which is complete, or has it answered: true when its reply is there, false
 * when its home will be told.
 */
FIL_ANY_THREAD bool fil_service_dispatch(struct fil_request *request) FIL_NODISCARD;

/** Settles the request with the answer to one that has no route. */
FIL_ANY_THREAD void fil_service_refuse_unknown(struct fil_request *request);

/** The request is answered. */
FIL_ANY_THREAD void fil_service_count(struct fil_request *request);

/** The answer has been given to the connection: the request's way is over. */
FIL_ANY_THREAD void fil_service_finish(struct fil_request *request);

/** A page for people: the last slow requests, and where their time went. */
void fil_service_render_slow(struct fil_service *service, struct fil_request *request);

/** A page for people: routes, where they run and why, and what they did. */
void fil_service_render(struct fil_service *service, struct fil_request *request);

/** The same for pools. */
void fil_service_render_pools(struct fil_service *service, struct fil_request *request);
