// SPDX-License-Identifier: Apache-2.0
/** Where routes run: read from the configuration and the code, and made true with pools. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/service/filter_internal.h"
#include "core/service/service_internal.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

/** The place and who has named it. */
struct choice {
    struct fil_bytes place;
    const char *reason;
};

int fil_service__complain(struct fil_service *service, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(service->problem, sizeof(service->problem), format, arguments); // may cut
    va_end(arguments);
    return FIL_E_CONFIG;
}

/** Takes the next rule, "GET /a=cpu", off the text; false at its end. */
static bool next_rule(struct fil_bytes *rest, struct fil_bytes *out_pattern,
                      struct fil_bytes *out_place)
{
    while (rest->size > 0) {
        size_t size = fil_bytes_find(*rest, ';');
        struct fil_bytes rule = fil_bytes_trim(fil_bytes_make(rest->data, size));
        size_t used = size < rest->size ? size + 1 : size;
        *rest = fil_bytes_make(rest->data + used, rest->size - used);
        if (rule.size == 0) {
            continue;
        }
        size_t equals = fil_bytes_find(rule, '=');
        size_t behind = equals < rule.size ? equals + 1 : equals;
        *out_pattern = fil_bytes_trim(fil_bytes_make(rule.data, equals));
        *out_place = fil_bytes_trim(fil_bytes_make(rule.data + behind, rule.size - behind));
        return true;
    }
    return false;
}

/** What the configuration says for this route; false when it does not. */
static bool find_rule(const struct fil_service *service, const struct fil_route *route,
                      struct fil_bytes *out_place)
{
    struct fil_bytes rest =
        fil_bytes_of(service->options.route_run_on == NULL ? "" : service->options.route_run_on);
    struct fil_bytes pattern;
    while (next_rule(&rest, &pattern, out_place)) {
        if (fil_bytes_equal_text(pattern, route->pattern)) {
            return true;
        }
    }
    return false;
}

/** A rule for a route that does not exist is a mistake that nobody would notice. */
static int check_rules(struct fil_service *service)
{
    struct fil_bytes rest =
        fil_bytes_of(service->options.route_run_on == NULL ? "" : service->options.route_run_on);
    struct fil_bytes pattern;
    struct fil_bytes place;
    while (next_rule(&rest, &pattern, &place)) {
        bool is_known = false;
        for (uint32_t i = 0; i < service->route_count; i++) {
            is_known |= fil_bytes_equal_text(pattern, service->routes[i]->pattern);
        }
        if (!is_known) {
            return fil_service__complain(
                service, "service.routes names '%.*s', which is no route: see /services",
                (int)pattern.size, (const char *)pattern.data);
        }
    }
    return FIL_OK;
}

static bool is_set(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static const struct fil_service_pool_plan *find_plan(const struct fil_service *service,
                                                     struct fil_bytes name)
{
    for (uint32_t i = 0; i < service->options.pool_count; i++) {
        if (fil_bytes_equal_text(name, service->options.pools[i].name)) {
            return &service->options.pools[i];
        }
    }
    return NULL;
}

static struct choice choose(const struct fil_service *service, const struct fil_route *route)
{
    const struct fil_service_options *options = &service->options;
    struct choice choice = {.place = fil_bytes_of("loop"), .reason = "the default"};
    if (find_rule(service, route, &choice.place)) {
        choice.reason = "the configuration names the route";
    } else if (is_set(route->options.run_on)) {
        choice = (struct choice){fil_bytes_of(route->options.run_on), "the route says so"};
    } else if (is_set(options->run_on)) {
        choice = (struct choice){fil_bytes_of(options->run_on), "the server says so"};
    } else if (is_set(options->process_run_on)) {
        choice = (struct choice){fil_bytes_of(options->process_run_on),
                                 "the configuration says so for all"};
    } else if (fil_filter_chain_has(&route->filters, &fil_filter__gzip) &&
               find_plan(service, fil_bytes_of("cpu")) != NULL) {
        choice = (struct choice){fil_bytes_of("cpu"), "its answers are compressed"};
    }
    return choice;
}

static struct fil_service_pool *find_pool(struct fil_service *service, struct fil_bytes name)
{
    for (uint32_t i = 0; i < service->pool_count; i++) {
        if (fil_bytes_equal_text(name, service->pools[i]->name)) {
            return service->pools[i];
        }
    }
    return NULL;
}

static int make_pool(struct fil_service *service, const struct fil_service_pool_plan *plan,
                     struct fil_service_pool **out_pool)
{
    if (service->pool_count == FIL_SERVICE_POOLS_MAX) {
        return fil_service__complain(service, "more than %u pools", FIL_SERVICE_POOLS_MAX);
    }
    struct fil_service_pool *pool = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(*pool));
    if (pool == NULL) {
        return FIL_E_NOMEM;
    }
    int error = fil_service_pool_init(
        pool,
        &(struct fil_service_pool_options){
            .exec = service->options.exec,
            .name = plan->name,
            .thread_count = plan->thread_count,
            .thread_max = plan->thread_max,
            .admission = {.mode = plan->is_exempt ? FIL_ADMISSION_NONE : service->options.admission,
                          .target_ns = service->options.target_ns,
                          .cap = plan->capacity},
            .hooks = service->options.hooks,
            .budget = plan->budget,
        });
    if (error != FIL_OK) {
        fil_free(pool);
        return error;
    }
    service->pools[service->pool_count] = pool;
    service->pool_count++;
    *out_pool = pool;
    return FIL_OK;
}

static int place_route(struct fil_service *service, struct fil_route *route)
{
    struct choice choice = choose(service, route);
    route->place_reason = choice.reason;
    route->place = FIL_PLACE_LOOP;
    if (fil_bytes_equal_text(choice.place, "loop")) {
        return FIL_OK;
    }
    struct fil_service_pool *pool = find_pool(service, choice.place);
    const struct fil_service_pool_plan *plan = find_plan(service, choice.place);
    if (pool == NULL && plan == NULL) {
        return fil_service__complain(
            service, "'%s' runs on '%.*s', which is neither loop nor a pool", route->pattern,
            (int)choice.place.size, (const char *)choice.place.data);
    }
    int error = pool != NULL ? FIL_OK : make_pool(service, plan, &pool);
    route->place = FIL_PLACE_POOL;
    route->pool = pool;
    return error;
}

int fil_service_open(struct fil_service *service)
{
    int error = check_rules(service);
    if (error == FIL_OK) {
        error = fil_service__open_filters(service);
    }
    for (uint32_t i = 0; error == FIL_OK && i < service->route_count; i++) {
        error = place_route(service, service->routes[i]);
    }
    // The plans and the texts were borrowed for this call.
    service->options.filters = NULL;
    service->options.pools = NULL;
    service->options.pool_count = 0;
    return error;
}
