// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/rest_topics.h"

#include <inttypes.h>
#include <string.h>

#include "filbert/error.h"
#include "grid/map/form.h"
#include "grid/topic/topic.h"
#include "lib/http/status.h"
#include "protocol/http/feed.h"
#include "protocol/http/partition_call.h"

#define MESSAGE_BYTES_MAX ((size_t)1 << 20)

struct publication {
    struct fil_partition_call base;
    struct fil_container *container;
};

static bool publish(struct fil_partition_call *base, uint64_t now_ns, uint64_t *out_wait_key)
{
    struct publication *publication = FIL_CONTAINER_OF(base, struct publication, base);
    *out_wait_key = 0; // it never waits
    uint32_t count =
        fil_topic_publish_here(fil_topic_of(publication->container), base->request->body, 0,
                               fil_container_now_ms(publication->container, now_ns));
    base->reply =
        fil_reply_text(base->request, FIL_HTTP_STATUS_OK, "{\"listeners\": %" PRIu32 "}\n", count);
    base->reply.type = "application/json";
    return true;
}

static int get_topic(struct fil_request *request, struct fil_container **out_container)
{
    const struct fil_rest_binding *binding = fil_request_context(request);
    return fil_directory_get(binding->grid->directory, &fil_topic_type, fil_rest_name(request),
                             out_container);
}

struct fil_reply fil_rest_topic_publish(struct fil_request *request)
{
    struct publication *publication = fil_request_alloc(request, sizeof(*publication));
    if (publication == NULL) {
        return fil_reply_error(request, FIL_E_NOMEM);
    }
    if (fil_map_form_is_serialized(request->body)) {
        return fil_reply_text(request, FIL_HTTP_STATUS_UNPROCESSABLE_CONTENT,
                              "the message looks like one that a client has serialized\n");
    }
    *publication = (struct publication){.base = {.request = request, .run = publish}};
    int error = get_topic(request, &publication->container);
    if (error != FIL_OK) {
        return fil_reply_error(request, error);
    }
    publication->base.partition_id = publication->container->partition_id;
    return fil_partition_call_dispatch(&publication->base);
}

struct fil_reply fil_rest_topic_messages(struct fil_request *request)
{
    struct fil_feed_source source = {0};
    int error = get_topic(request, &source.topic);
    return error == FIL_OK ? fil_feed_open(request, &source) : fil_reply_error(request, error);
}

struct fil_reply fil_rest_map_changes(struct fil_request *request)
{
    const struct fil_rest_binding *binding = fil_request_context(request);
    const char *values = fil_query(request, "values", "true");
    struct fil_feed_source source = {.has_values = strcmp(values, "true") == 0};
    if (!source.has_values && strcmp(values, "false") != 0) {
        return fil_reply_text(request, FIL_HTTP_STATUS_BAD_REQUEST,
                              "values is either true or false\n");
    }
    int error = fil_maps_get(binding->grid->maps, fil_rest_name(request), &source.map);
    return error == FIL_OK ? fil_feed_open(request, &source) : fil_reply_error(request, error);
}

int fil_rest_topics_add(struct fil_service *service, struct fil_rest_binding *binding)
{
    static const struct {
        const char *pattern;
        fil_handler_fn handler;
    } routes[] = {
        {"POST /v1/topics/{name}", fil_rest_topic_publish},
        {"GET /v1/events/topics/{name}", fil_rest_topic_messages},
        {"GET /v1/events/maps/{name}", fil_rest_map_changes},
    };
    int error = FIL_OK;
    for (size_t i = 0; i < FIL_COUNT_OF(routes) && error == FIL_OK; i++) {
        struct fil_route_options options = {
            .run_on = "loop", .body_bytes_max = MESSAGE_BYTES_MAX, .context = binding};
        error = fil_service_route(service, routes[i].pattern, routes[i].handler, &options, NULL);
    }
    return error == FIL_E_EXISTS ? FIL_OK : error; // an embedding program has its own
}
