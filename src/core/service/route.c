// SPDX-License-Identifier: Apache-2.0
#include "core/service/route.h"

#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/http/target.h"

#define NS_PER_US 1000U

static enum fil_http_method find_method(struct fil_bytes text)
{
#define COMPARE(name)                        \
    if (fil_bytes_equal_text(text, #name)) { \
        return FIL_HTTP_##name;              \
    }
    FIL_HTTP_METHODS(COMPARE)
#undef COMPARE
    return FIL_HTTP_OTHER;
}

/** "{id}" is a parameter called id. */
static int read_segment(struct fil_bytes text, struct fil_route_segment *out_segment)
{
    bool is_open = text.size > 0 && text.data[0] == '{';
    bool is_shut = text.size > 0 && text.data[text.size - 1] == '}';
    if (is_open != is_shut || (is_open && text.size < 3)) {
        return FIL_E_INVALID;
    }
    out_segment->is_param = is_open;
    out_segment->text = is_open ? fil_bytes_make(text.data + 1, text.size - 2) : text;
    return FIL_OK;
}

static uint32_t count_params(const struct fil_route *route)
{
    uint32_t count = route->has_rest;
    for (uint32_t i = 0; i < route->segment_count; i++) {
        count += route->segments[i].is_param;
    }
    return count;
}

static int read_segments(struct fil_route *route)
{
    struct fil_bytes rest = route->path;
    struct fil_bytes text;
    while (fil_http_target_next_segment(&rest, &text)) {
        if (route->has_rest || route->segment_count == FIL_ROUTE_SEGMENTS_MAX) {
            return FIL_E_INVALID;
        }
        if (fil_bytes_equal_text(text, "*")) {
            route->has_rest = true;
            continue;
        }
        int error = read_segment(text, &route->segments[route->segment_count]);
        if (error != FIL_OK) {
            return error;
        }
        route->segment_count++;
    }
    uint32_t count = count_params(route);
    route->is_exact = count == 0;
    return count <= FIL_ROUTE_PARAMS_MAX ? FIL_OK : FIL_E_INVALID;
}

static int read_pattern(struct fil_route *route)
{
    struct fil_bytes text = fil_bytes_of(route->pattern);
    size_t size = fil_bytes_find(text, ' ');
    route->method = find_method(fil_bytes_make(text.data, size));
    if (route->method == FIL_HTTP_OTHER || size + 2 > text.size || text.data[size + 1] != '/') {
        return FIL_E_INVALID;
    }
    route->path = fil_bytes_make(text.data + size + 1, text.size - size - 1);
    return read_segments(route);
}

int fil_route_new(struct fil_route **out_route, const char *pattern, fil_handler_fn handler,
                  const struct fil_route_options *options)
{
    fil_assert(handler != NULL);
    struct fil_route *route = fil_alloc_zero(1, sizeof(*route));
    if (route == NULL) {
        return FIL_E_NOMEM;
    }
    size_t size = strlen(pattern) + 1;
    route->pattern = fil_alloc(size);
    if (route->pattern == NULL) {
        fil_free(route);
        return FIL_E_NOMEM;
    }
    memcpy(route->pattern, pattern, size);
    route->handler = handler;
    route->options = options == NULL ? (struct fil_route_options){0} : *options;
    if (route->options.body_bytes_max == 0) {
        route->options.body_bytes_max =
            route->options.streams_body ? FIL_ROUTE_STREAM_DEFAULT : FIL_ROUTE_BODY_DEFAULT;
    }
    int error = read_pattern(route);
    if (error != FIL_OK) {
        fil_route_free(route);
        return error;
    }
    *out_route = route;
    return FIL_OK;
}

void fil_route_free(struct fil_route *route)
{
    if (route != NULL) {
        if (route->free_context != NULL) {
            route->free_context(route->options.context);
        }
        fil_free(route->pattern);
        fil_free(route);
    }
}

static bool match_segments(const struct fil_route *route, struct fil_bytes *path,
                           struct fil_bytes *out_params, uint32_t *out_count)
{
    for (uint32_t i = 0; i < route->segment_count; i++) {
        const struct fil_route_segment *segment = &route->segments[i];
        struct fil_bytes text;
        if (!fil_http_target_next_segment(path, &text)) {
            return false;
        }
        if (segment->is_param && text.size > 0) {
            out_params[(*out_count)++] = text;
        } else if (segment->is_param || !fil_bytes_equal(segment->text, text)) {
            return false;
        }
    }
    return true;
}

bool fil_route_match(const struct fil_route *route, struct fil_bytes path,
                     struct fil_bytes out_params[FIL_ROUTE_PARAMS_MAX])
{
    if (route->is_exact) {
        return fil_bytes_equal(route->path, path);
    }
    uint32_t count = 0;
    if (!match_segments(route, &path, out_params, &count)) {
        return false;
    }
    if (route->has_rest && path.size > 0) {
        fil_assert(path.data[0] == '/');
        out_params[count] = fil_bytes_make(path.data + 1, path.size - 1);
        return true;
    }
    return !route->has_rest && path.size == 0;
}

int fil_route_param_index(const struct fil_route *route, const char *name)
{
    int index = 0;
    for (uint32_t i = 0; i < route->segment_count; i++) {
        if (!route->segments[i].is_param) {
            continue;
        }
        if (fil_bytes_equal_text(route->segments[i].text, name)) {
            return index;
        }
        index++;
    }
    return route->has_rest && strcmp(name, "*") == 0 ? index : -1;
}

void fil_route_count(struct fil_route *route, int status, uint64_t took_ns)
{
    fil_assert(status >= 100 && status <= 599);
    fil_counter_add_shared(&route->stats.classes[status / 100], 1);
    if (took_ns == FIL_ROUTE_UNTIMED) {
        return;
    }
    uint64_t took_us = took_ns / NS_PER_US;
    uint32_t bucket = took_us == 0 ? 0 : 64U - (uint32_t)__builtin_clzll(took_us);
    bucket = bucket < FIL_ROUTE_LATENCIES ? bucket : FIL_ROUTE_LATENCIES - 1;
    fil_counter_add_shared(&route->stats.latencies[bucket], 1);
}

uint64_t fil_route_answers(const struct fil_route *route)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < FIL_COUNT_OF(route->stats.classes); i++) {
        count += fil_counter_read(&route->stats.classes[i]);
    }
    return count;
}
