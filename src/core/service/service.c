// SPDX-License-Identifier: Apache-2.0
#include "core/service/service.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/exec/activity.h"
#include "core/service/service_internal.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/http/status.h"

#define NS_PER_MS       UINT64_C(1000000)
#define TIMED_INTERVAL  16U // reading the clock costs more than counting
#define DEADLINE_MS_MAX UINT64_C(86400000)

void fil_service_init(struct fil_service *service, const struct fil_service_options *options)
{
    *service = (struct fil_service){.options = *options};
    fil_slow_ring_init(&service->slow);
}

static void free_filters(struct fil_service *service)
{
    for (uint32_t i = 0; i < service->filter_count; i++) {
        fil_filter_link_free(service->filters[i]);
    }
    service->filter_count = 0;
}

static void free_pools(struct fil_service *service)
{
    for (uint32_t i = 0; i < service->pool_count; i++) {
        fil_service_pool_fini(service->pools[i]);
        fil_free(service->pools[i]);
    }
    service->pool_count = 0;
}

void fil_service_fini(struct fil_service *service)
{
    free_pools(service);
    for (uint32_t i = 0; i < service->route_count; i++) {
        fil_route_free(service->routes[i]);
    }
    service->route_count = 0;
    free_filters(service);
    fil_slow_ring_fini(&service->slow);
}

int fil_service_add(struct fil_service *service, struct fil_route *route)
{
    for (uint32_t i = 0; i < service->route_count; i++) {
        if (strcmp(service->routes[i]->pattern, route->pattern) == 0) {
            return FIL_E_EXISTS;
        }
    }
    if (service->route_count == FIL_SERVICE_ROUTES_MAX) {
        return FIL_E_LIMIT;
    }
    fil_route_index_add(&service->index, route, service->routes, service->route_count);
    service->routes[service->route_count] = route;
    service->route_count++;
    return FIL_OK;
}

int fil_service_route(struct fil_service *service, const char *pattern, fil_handler_fn handler,
                      const struct fil_route_options *options, struct fil_route **out_route)
{
    struct fil_route *route = NULL;
    int error = fil_route_new(&route, pattern, handler, options);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_service_add(service, route);
    if (error != FIL_OK) {
        fil_route_free(route);
        return error;
    }
    if (out_route != NULL) {
        *out_route = route;
    }
    return FIL_OK;
}

int fil_service_start(struct fil_service *service)
{
    for (uint32_t i = 0; i < service->pool_count; i++) {
        int error = fil_service_pool_start(service->pools[i]);
        if (error != FIL_OK) {
            while (i > 0) {
                i--;
                fil_service_pool_stop(service->pools[i]);
            }
            return error;
        }
    }
    return FIL_OK;
}

void fil_service_stop(struct fil_service *service)
{
    for (uint32_t i = 0; i < service->pool_count; i++) {
        fil_service_pool_stop(service->pools[i]);
    }
}

uint32_t fil_service_cycle(struct fil_service *service)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < service->pool_count; i++) {
        for (uint32_t j = 0; j < service->pools[i]->options.thread_count; j++) {
            moved += fil_service_pool_cycle(service->pools[i], j);
        }
    }
    return moved;
}

static uint32_t method_bits(const struct fil_route *route)
{
    uint32_t bits = 1U << route->method;
    return route->method == FIL_HTTP_GET ? bits | 1U << FIL_HTTP_HEAD : bits;
}

/** OPTIONS of the service as a whole; other methods have no such target. */
static bool is_about_all(const struct fil_request *request)
{
    return fil_bytes_equal_text(request->path, "*");
}

/** Looks through all routes in their order; gathers the methods of those whose path it is. */
static bool search(const struct fil_service *service, struct fil_request *request)
{
    for (uint32_t i = 0; i < service->route_count; i++) {
        struct fil_route *route = service->routes[i];
        if (FIL_UNLIKELY(is_about_all(request))) {
            request->allowed_methods |= method_bits(route);
            continue;
        }
        if (route->is_exact && route->path.size != request->path.size) {
            continue; // most of them, without a call
        }
        if (!fil_route_match(route, request->path, request->params)) {
            continue;
        }
        if (fil_route_has_method(route, request->method)) {
            request->route = route;
            return true;
        }
        request->allowed_methods |= method_bits(route);
    }
    return false;
}

bool fil_service_find(struct fil_service *service, struct fil_request *request)
{
    request->service = service;
    request->allowed_methods = 0;
    request->route = fil_route_index_find(&service->index, request->path, request->method);
    return request->route != NULL || search(service, request);
}

/** "GET, HEAD" of the bits. */
static const char *list_methods(struct fil_request *request, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t method = FIL_HTTP_GET; method <= FIL_HTTP_CONNECT; method++) {
        if (request->allowed_methods & (1U << method)) {
            int written = snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                   fil_http_method_name((enum fil_http_method)method));
            fil_assert(written > 0 && (size_t)written < size - used);
            used += (size_t)written;
        }
    }
    return text;
}

void fil_service_refuse_unknown(struct fil_request *request)
{
    fil_assert(request->route == NULL);
    char methods[96];
    if (request->allowed_methods == 0) {
        fil_counter_add_shared(&request->service->stats.unknown, 1);
        fil_request_settle(request, fil_reply_text(request, FIL_HTTP_STATUS_NOT_FOUND,
                                                   "no such page: / lists what there is\n"));
        return;
    }
    (void)list_methods(request, methods, sizeof(methods));
    // Without memory for the header the status still tells.
    (void)fil_reply_header(request, "Allow", methods);
    if (is_about_all(request)) {
        fil_request_settle(request, fil_reply_text(request, FIL_HTTP_STATUS_OK,
                                                   "this member answers %s\n", methods));
        return;
    }
    fil_counter_add_shared(&request->service->stats.not_allowed, 1);
    fil_request_settle(request, fil_reply_text(request, FIL_HTTP_STATUS_METHOD_NOT_ALLOWED,
                                               "this path answers %s\n", methods));
}

/** What the caller says about itself in "Filbert-..." headers. */
static void read_wish(struct fil_request *request, struct fil_bytes name, struct fil_bytes value)
{
    struct fil_admission_bid *bid = &request->job.bid;
    uint64_t number = 0;
    if (fil_bytes_equal_nocase(name, fil_bytes_of("Filbert-Timeout-Ms"))) {
        if (fil_bytes_to_u64(value, &number) && number <= DEADLINE_MS_MAX) {
            bid->deadline_ns = request->arrived_ns + number * NS_PER_MS;
        }
    } else if (fil_bytes_equal_nocase(name, fil_bytes_of("Filbert-Priority"))) {
        if (fil_bytes_equal_nocase(value, fil_bytes_of("critical"))) {
            bid->priority = FIL_PRIORITY_CRITICAL;
        } else if (fil_bytes_equal_nocase(value, fil_bytes_of("batch"))) {
            bid->priority = FIL_PRIORITY_BATCH;
        }
    } else if (fil_bytes_equal_nocase(name, fil_bytes_of("Filbert-Tenant"))) {
        uint32_t hash = 2166136261U; // FNV-1a: short names, and nothing depends on its strength
        for (size_t i = 0; i < value.size; i++) {
            hash = (hash ^ value.data[i]) * 16777619U;
        }
        bid->tenant = hash == 0 ? 1 : hash;
    }
}

static void read_wishes(struct fil_request *request)
{
    const struct fil_route_options *options = &request->route->options;
    request->job.bid = (struct fil_admission_bid){.priority = options->priority,
                                                  .deadline_ns = FIL_ADMISSION_NO_DEADLINE};
    for (uint32_t i = 0; i < request->header_count; i++) {
        const struct fil_http_header *header = &request->headers[i];
        if (header->name.size > 8 && (header->name.data[0] | 0x20) == 'f') {
            read_wish(request, header->name, header->value);
        }
    }
    uint64_t own_ns = request->arrived_ns + options->deadline_ms * NS_PER_MS;
    if (options->deadline_ms > 0 && own_ns < request->job.bid.deadline_ns) {
        request->job.bid.deadline_ns = own_ns;
    }
    request->deadline_ns = request->job.bid.deadline_ns;
}

/** Tells a caller that it would wait for too long. Nothing has been started for it. */
static void settle_refused(struct fil_request *request, enum fil_admission_verdict verdict)
{
    fil_request_settle(request, fil_request_refuse(request, FIL_HTTP_STATUS_SERVICE_UNAVAILABLE,
                                                   "0", fil_admission_verdict_name(verdict)));
}

static struct fil_request *request_of(struct fil_service_job *job)
{
    return FIL_CONTAINER_OF(job, struct fil_request, job);
}

static void run_job(struct fil_service_job *job)
{
    struct fil_request *request = request_of(job);
    request->pool = fil_service_pool_runner()->chunks;
    request->times.started_ns = fil_service_pool_runner()->now_ns;
    struct fil_reply reply = fil_service__handle(request);
    if (reply.status != FIL_REPLY_LATER) {
        fil_request_complete(request, reply);
    }
}

static void refuse_job(struct fil_service_job *job, enum fil_admission_verdict verdict)
{
    struct fil_request *request = request_of(job);
    settle_refused(request, verdict);
    request->home->done(request);
}

static bool is_job_cancelled(struct fil_service_job *job)
{
    return fil_request_is_cancelled(request_of(job));
}

static const char *name_job(struct fil_service_job *job)
{
    return request_of(job)->route->pattern;
}

static const struct fil_service_job_ops job_ops = {
    .run = run_job, .refuse = refuse_job, .is_cancelled = is_job_cancelled, .name = name_job};

/** Sends it to the pool; true when it is answered already, because the pool does not take it. */
static bool submit(struct fil_request *request)
{
    struct fil_service_pool *pool = request->route->pool;
    struct fil_runner *runner = request->runner;
    request->job.ops = &job_ops;
    enum fil_admission_verdict verdict =
        fil_service_pool_admit(pool, &request->job, request->arrived_ns);
    if (verdict != FIL_ADMISSION_ADMITTED) {
        settle_refused(request, verdict);
        return true;
    }
    if (request->home->detach(request) != FIL_OK) {
        fil_service_pool_forget(pool, &request->job);
        fil_request_settle(request, fil_reply_error(request, FIL_E_NOMEM));
        return true;
    }
    fil_service_pool_push(pool, &request->job, runner);
    return false;
}

/** Runs the handler under the route's name, so that one who holds the loop can be named. */
static struct fil_reply handle_watched(struct fil_request *request)
{
    struct fil_runner *runner = request->runner;
    if (runner == NULL) {
        return fil_service__handle(request);
    }
    const char *outer = fil_activity_begin(runner, request->route->pattern);
    uint64_t before_ns = runner->now_ns;
    struct fil_reply reply = fil_service__handle(request);
    fil_activity_end(runner, outer);
    // The clock is read there only for what the watchdog has seen. A promised one may be gone.
    if (FIL_UNLIKELY(runner->now_ns != before_ns) && reply.status != FIL_REPLY_LATER) {
        request->is_suspect = true;
        request->times.started_ns = before_ns;
    }
    return reply;
}

/** Runs the handler right here. */
static bool run_here(struct fil_request *request)
{
    struct fil_reply reply = handle_watched(request);
    if (reply.status == FIL_REPLY_LATER) {
        return false;
    }
    if (request->is_detached) {
        fil_request_complete(request, reply); // it was promised, and is there already
        return false;
    }
    fil_request_settle(request, reply);
    return true;
}

bool fil_service_dispatch(struct fil_request *request)
{
    fil_assert(request->route != NULL);
    read_wishes(request);
    if (request->route->filters.count > 0) {
        struct fil_reply reply = fil_filter_enter(request);
        if (reply.status != FIL_REPLY_NEXT) {
            fil_request_settle(request, reply);
            return true;
        }
        request->job.bid.deadline_ns = request->deadline_ns; // a filter may have brought it nearer
    }
    return request->route->place == FIL_PLACE_POOL ? submit(request) : run_here(request);
}

/** How long it took; one in so many of those that were answered on the spot. */
static uint64_t measure(struct fil_request *request)
{
    static _Thread_local uint32_t untimed_count;
    if (!request->is_detached && !request->is_suspect && ++untimed_count % TIMED_INTERVAL != 0) {
        return FIL_ROUTE_UNTIMED;
    }
    uint64_t now_ns = fil_env_now_ns(request->service->options.env);
    request->times.settled_ns = now_ns;
    return now_ns > request->arrived_ns ? now_ns - request->arrived_ns : 0;
}

void fil_service_count(struct fil_request *request)
{
    if (request->route == NULL) {
        return;
    }
    fil_route_count(request->route, request->reply.status, measure(request));
    if (fil_request_is_cancelled(request)) {
        fil_counter_add_shared(&request->route->stats.cancelled, 1);
    }
}

static uint64_t between(uint64_t from_ns, uint64_t to_ns)
{
    return from_ns != 0 && to_ns > from_ns ? to_ns - from_ns : 0;
}

FIL_COLD static void keep_slow(struct fil_request *request, uint64_t written_ns)
{
    const struct fil_request_times *times = &request->times;
    const struct fil_route *route = request->route;
    // Who ran on the loop, or was refused, began when it was complete.
    uint64_t started_ns = times->started_ns == 0 ? times->complete_ns : times->started_ns;
    struct fil_slow_request slow = {
        .wall_ns = fil_env_wall_ns(request->service->options.env),
        .route = route->pattern,
        .place = route->place == FIL_PLACE_LOOP ? "loop" : route->pool->name,
        .status = request->reply.status,
        .total_ns = written_ns - request->arrived_ns,
        .stage_ns = {[FIL_SLOW_READ] = between(request->arrived_ns, times->complete_ns),
                     [FIL_SLOW_QUEUE] = between(times->complete_ns, started_ns),
                     [FIL_SLOW_RUN] = between(started_ns, times->settled_ns),
                     [FIL_SLOW_WRITE] = between(times->settled_ns, written_ns)},
    };
    fil_slow_ring_add(&request->service->slow, &slow, request->path);
}

void fil_service_finish(struct fil_request *request)
{
    if (request->route == NULL || request->times.settled_ns == 0) {
        return;
    }
    const struct fil_service_options *options = &request->service->options;
    uint64_t written_ns =
        request->is_detached ? fil_env_now_ns(options->env) : request->times.settled_ns;
    if (options->slow_ns != 0 && written_ns >= request->arrived_ns + options->slow_ns) {
        keep_slow(request, written_ns);
    }
}
