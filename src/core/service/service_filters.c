// SPDX-License-Identifier: Apache-2.0
/** Which filters stand around which routes: from the program and from the configuration. */
#include <stdio.h>
#include <string.h>

#include "core/service/service_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

int fil_service_add_filter(struct fil_service *service, const char *pattern,
                           struct fil_filter_link *link)
{
    fil_assert(link != NULL);
    if (service->filter_count == FIL_SERVICE_FILTERS_MAX) {
        return FIL_E_LIMIT;
    }
    size_t size = pattern == NULL ? 0 : strlen(pattern);
    if (size >= sizeof(link->pattern)) {
        return FIL_E_NOT_FOUND; // no route can have it
    }
    (void)snprintf(link->pattern, sizeof(link->pattern), "%s", pattern == NULL ? "" : pattern);
    service->filters[service->filter_count] = link;
    service->filter_count++;
    return FIL_OK;
}

static bool has_same_figures(const struct fil_filter_link *a, const struct fil_filter_link *b)
{
    if (a->meter != NULL && b->meter != NULL) {
        return strcmp(a->name, b->name) == 0;
    }
    return a->retries != NULL && b->retries != NULL;
}

/** Whether a filter with figures of its own is there twice: nobody could tell them apart. */
static bool is_twice(const struct fil_service *service, const struct fil_filter_link *link)
{
    for (uint32_t i = 0; i < service->filter_count; i++) {
        const struct fil_filter_link *other = service->filters[i];
        if (other != link && has_same_figures(other, link) &&
            strcmp(other->pattern, link->pattern) == 0) {
            return true;
        }
    }
    return false;
}

/** One filter of a rule. */
static int make_one(struct fil_service *service, const struct fil_filter_rule *rule,
                    struct fil_bytes text)
{
    struct fil_filter_link *link = NULL;
    struct fil_filter_maker maker = {.env = service->options.env, .log = service->options.log};
    char problem[96];
    char pattern[FIL_FILTER_PATTERN_MAX];
    int error = fil_filter_make(&link, &maker, text, problem, sizeof(problem));
    if (error == FIL_E_INVALID) {
        return fil_service__complain(service, "service.filters: %s", problem);
    }
    if (error != FIL_OK) {
        return error;
    }
    bool is_for_all = fil_bytes_equal_text(rule->route, "*");
    (void)snprintf(pattern, sizeof(pattern), "%.*s", (int)rule->route.size,
                   (const char *)rule->route.data);
    error = fil_service_add_filter(service, is_for_all ? NULL : pattern, link);
    if (error != FIL_OK) {
        fil_filter_link_free(link);
        return error;
    }
    return is_twice(service, link)
               ? fil_service__complain(service, "service.filters: '%s' has '%s' twice",
                                       is_for_all ? "*" : pattern, link->text)
               : FIL_OK;
}

static int read_rules(struct fil_service *service)
{
    const char *text = service->options.filters;
    struct fil_bytes rest = fil_bytes_of(text == NULL ? "" : text);
    struct fil_filter_rule rule;
    int error = fil_filter_next_rule(&rest, &rule);
    for (; error == FIL_OK; error = fil_filter_next_rule(&rest, &rule)) {
        struct fil_bytes name;
        while (fil_filter_next(&rule.filters, &name)) {
            int made = make_one(service, &rule, name);
            if (made != FIL_OK) {
                return made;
            }
        }
    }
    if (error == FIL_E_INVALID) {
        return fil_service__complain(
            service, "service.filters: '%.*s' is not 'route: filter, filter', as in '*: log'",
            (int)rule.filters.size, (const char *)rule.filters.data);
    }
    fil_assert(error == FIL_E_NOT_FOUND);
    return FIL_OK;
}

/** Those around all routes, or those of this route alone. */
static int attach(struct fil_service *service, struct fil_route *route, bool is_for_all)
{
    for (uint32_t i = 0; i < service->filter_count; i++) {
        struct fil_filter_link *link = service->filters[i];
        bool is_wanted = is_for_all ? link->pattern[0] == '\0' && !route->is_page
                                    : strcmp(link->pattern, route->pattern) == 0;
        link->is_used |= is_wanted;
        if (is_wanted && fil_filter_chain_add(&route->filters, link) != FIL_OK) {
            return fil_service__complain(service, "'%s' has more than %u filters", route->pattern,
                                         FIL_FILTERS_MAX);
        }
    }
    return FIL_OK;
}

int fil_service__open_filters(struct fil_service *service)
{
    int error = read_rules(service);
    for (uint32_t i = 0; i < service->route_count && error == FIL_OK; i++) {
        error = attach(service, service->routes[i], true);
        error = error == FIL_OK ? attach(service, service->routes[i], false) : error;
    }
    // A filter for a route that does not exist is a mistake that nobody would notice.
    for (uint32_t i = 0; i < service->filter_count && error == FIL_OK; i++) {
        const struct fil_filter_link *link = service->filters[i];
        if (!link->is_used && link->pattern[0] != '\0') {
            error = fil_service__complain(
                service, "the filter '%s' is for '%s', which is no route: see /services",
                link->text, link->pattern);
        }
    }
    return error;
}
