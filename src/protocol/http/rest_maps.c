// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/rest_maps.h"

#include <inttypes.h>
#include <string.h>

#include "core/service/service.h"
#include "filbert/error.h"
#include "grid/map/entry.h"
#include "grid/map/form.h"
#include "lib/base/assert.h"
#include "lib/http/status.h"
#include "protocol/http/partition_call.h"

#define VALUE_BYTES_MAX ((size_t)16 << 20)

struct call;

/** Does it inside the partition and leaves the answer in the call. */
typedef void (*rest_fn)(struct call *call, uint64_t now_ms);

/** One request on its way to its partition; lives in the request's memory. */
struct call {
    struct fil_partition_call base;
    struct fil_map *map;
    struct fil_map_key key;
    rest_fn run;
    bool is_write;
    int64_t ttl_ms;
};

static struct fil_reply reply_status(int status)
{
    return (struct fil_reply){.status = status, .type = "text/plain; charset=utf-8"};
}

static struct fil_reply reply_missing(struct fil_request *request, const char *what)
{
    return fil_reply_text(request, FIL_HTTP_STATUS_NOT_FOUND, "no such %s\n", what);
}

static void run_get(struct call *call, uint64_t now_ms)
{
    struct fil_bytes value;
    struct fil_request *request = call->base.request;
    if (!fil_map_get_here(call->map, &call->key, now_ms, &value)) {
        call->base.reply = reply_missing(request, "key in this map");
    } else if (fil_rest_copy_value(request, value, &call->base.reply) != FIL_OK) {
        call->base.reply = fil_reply_error(request, FIL_E_NOMEM);
    }
}

static void run_put(struct call *call, uint64_t now_ms)
{
    struct fil_map_times times = fil_map_times_default(now_ms);
    struct fil_bytes old = {0};
    times.ttl_ms = call->ttl_ms;
    int error =
        fil_map_replace_value_here(call->map, &call->key, call->base.request->body, &times, &old);
    if (error != FIL_OK) {
        call->base.reply = fil_reply_error(call->base.request, error);
    } else {
        call->base.reply =
            reply_status(old.data == NULL ? FIL_HTTP_STATUS_CREATED : FIL_HTTP_STATUS_NO_CONTENT);
    }
}

static void run_delete(struct call *call, uint64_t now_ms)
{
    bool was_there = fil_map_delete_here(call->map, &call->key, now_ms);
    call->base.reply = was_there ? reply_status(FIL_HTTP_STATUS_NO_CONTENT)
                                 : reply_missing(call->base.request, "key in this map");
}

/** Inside the partition: false when another has locked the key, and under what to wait. */
static bool try_run(struct fil_partition_call *base, uint64_t now_ns, uint64_t *out_wait_key)
{
    static const struct fil_map_owner nobody = {0};
    struct call *call = FIL_CONTAINER_OF(base, struct call, base);
    uint64_t now_ms = fil_map_now_ms(call->map, now_ns);
    if (call->is_write && fil_map_has_locks_here(call->map, call->key.partition_id) &&
        fil_map_must_wait_here(call->map, &call->key, &nobody, now_ms, out_wait_key)) {
        return false;
    }
    call->run(call, now_ms);
    return true;
}

/** The key as bytes of the request's memory; false when it cannot be one. */
static bool read_key(struct fil_request *request, struct fil_bytes *out_key)
{
    const struct fil_rest_binding *binding = fil_request_context(request);
    const char *name = binding->key == NULL ? "key" : binding->key;
    int index = fil_route_param_index(request->route, name);
    *out_key = fil_bytes_of(fil_param(request, name));
    fil_assert(index >= 0); // the route was made for it
    // A zero byte would cut it, and what looks serialized means something else to other clients.
    const struct fil_bytes *sent = &request->params[index];
    return out_key->size > 0 && !fil_map_form_is_serialized(*out_key) &&
           memmem(sent->data, sent->size, "%00", 3) == NULL;
}

static struct fil_reply handle(struct fil_request *request, rest_fn run, bool is_write,
                               struct fil_map *map)
{
    struct fil_bytes key;
    if (map == NULL) {
        return reply_missing(request, "map");
    }
    if (!read_key(request, &key)) {
        return fil_reply_text(request, FIL_HTTP_STATUS_BAD_REQUEST, "this cannot be a key here\n");
    }
    struct call *call = fil_request_alloc(request, sizeof(*call));
    if (call == NULL) {
        return fil_reply_error(request, FIL_E_NOMEM);
    }
    *call = (struct call){.base = {.request = request, .run = try_run},
                          .map = map,
                          .key = fil_map_place(map, key),
                          .run = run,
                          .is_write = is_write,
                          .ttl_ms = FIL_MAP_TIME_DEFAULT};
    call->base.partition_id = call->key.partition_id;
    const char *ttl = fil_query(request, "ttl_ms", NULL);
    if (ttl != NULL && (!fil_bytes_to_i64(fil_bytes_of(ttl), &call->ttl_ms) || call->ttl_ms < 0)) {
        return fil_reply_text(request, FIL_HTTP_STATUS_BAD_REQUEST,
                              "ttl_ms is a number of milliseconds; 0 means for ever\n");
    }
    return fil_partition_call_dispatch(&call->base);
}

static struct fil_map *find_map(struct fil_request *request)
{
    const struct fil_rest_binding *binding = fil_request_context(request);
    return fil_maps_find(binding->grid->maps, fil_rest_name(request));
}

struct fil_reply fil_rest_map_get(struct fil_request *request)
{
    return handle(request, run_get, false, find_map(request));
}

struct fil_reply fil_rest_map_delete(struct fil_request *request)
{
    return handle(request, run_delete, true, find_map(request));
}

struct fil_reply fil_rest_map_put(struct fil_request *request)
{
    const struct fil_rest_binding *binding = fil_request_context(request);
    struct fil_map *map = NULL;
    if (fil_map_form_is_serialized(request->body)) {
        return fil_reply_text(request, FIL_HTTP_STATUS_UNPROCESSABLE_CONTENT,
                              "the value looks like one that a client has serialized\n");
    }
    int error = fil_maps_get(binding->grid->maps, fil_rest_name(request), &map);
    return error == FIL_OK ? handle(request, run_put, true, map) : fil_reply_error(request, error);
}

static struct fil_reply get_figures(struct fil_request *request)
{
    const struct fil_map *map = find_map(request);
    if (map == NULL) {
        return reply_missing(request, "map");
    }
    struct fil_map_stats stats;
    fil_map_read_stats(map, &stats);
    struct fil_reply reply = fil_reply_text(
        request, FIL_HTTP_STATUS_OK,
        "{\"entries\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"gets\": %" PRIu64
        ", \"hits\": %" PRIu64 ", \"puts\": %" PRIu64 ", \"removes\": %" PRIu64 "}\n",
        stats.entries, stats.bytes, stats.gets, stats.hits, stats.puts, stats.removes);
    reply.type = "application/json";
    return reply;
}

int fil_rest_maps_add(struct fil_service *service, struct fil_rest_binding *binding)
{
    static const struct {
        const char *pattern;
        fil_handler_fn handler;
    } routes[] = {
        {"GET /v1/maps/{name}", get_figures},
        {"GET /v1/maps/{name}/{key}", fil_rest_map_get},
        {"PUT /v1/maps/{name}/{key}", fil_rest_map_put},
        {"DELETE /v1/maps/{name}/{key}", fil_rest_map_delete},
    };
    int error = FIL_OK;
    for (size_t i = 0; i < FIL_COUNT_OF(routes) && error == FIL_OK; i++) {
        struct fil_route_options options = {
            .run_on = "loop", .body_bytes_max = VALUE_BYTES_MAX, .context = binding};
        error = fil_service_route(service, routes[i].pattern, routes[i].handler, &options, NULL);
    }
    return error == FIL_E_EXISTS ? FIL_OK : error; // an embedding program has its own
}
