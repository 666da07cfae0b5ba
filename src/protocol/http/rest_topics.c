// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/rest_topics.h"

#include <inttypes.h>
#include <string.h>

#include "core/container/directory.h"
#include "core/exec/event.h"
#include "core/exec/partition.h"
#include "core/exec/turn.h"
#include "core/service/request.h"
#include "filbert/error.h"
#include "grid/map/form.h"
#include "grid/topic/topic.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"
#include "lib/http/status.h"
#include "protocol/http/feed.h"

#define MESSAGE_BYTES_MAX ((size_t)1 << 20)

/** A message on its way to its topic; lives in the request's memory. */
struct publication {
    struct fil_op op;
    struct fil_request *request;
    struct fil_container *container;
    struct fil_waiter waiter;
    struct fil_reply reply;
};

/** Inside the topic's partition. */
static void publish(struct publication *publication, uint64_t now_ms)
{
    struct fil_request *request = publication->request;
    uint32_t count =
        fil_topic_publish_here(fil_topic_of(publication->container), request->body, 0, now_ms);
    publication->reply =
        fil_reply_text(request, FIL_HTTP_STATUS_OK, "{\"listeners\": %" PRIu32 "}\n", count);
    publication->reply.type = "application/json";
}

/** How long it may wait for listeners without room. */
static uint64_t patience_ns(const struct publication *publication)
{
    const struct fil_events *events =
        fil_directory_options(publication->container->directory)->events;
    return events == NULL ? 0 : events->options.put_timeout_ns;
}

/** FIL_E_AGAIN: it has to wait. */
static int try_publish(struct publication *publication, uint64_t now_ns)
{
    struct fil_container *container = publication->container;
    uint64_t now_ms = fil_container_now_ms(container, now_ns);
    int error =
        patience_ns(publication) == 0
            ? FIL_OK
            : fil_topic_await_room_here(fil_topic_of(container), &publication->waiter, now_ms);
    if (error == FIL_OK) {
        publish(publication, now_ms);
    }
    return error;
}

static enum fil_op_outcome run_op(struct fil_op *op, struct fil_partition *partition)
{
    struct publication *publication = FIL_CONTAINER_OF(op, struct publication, op);
    op->error = fil_waiter_begin_here(&publication->waiter, op);
    if (op->error == FIL_OK && try_publish(publication, partition->runner->now_ns) == FIL_E_AGAIN) {
        return fil_waiter_park_here(&publication->waiter, partition);
    }
    return FIL_OP_DONE;
}

/** When its time to wait is over it is published all the same: what has no room is dropped. */
static void complete_op(struct fil_op *op, struct fil_runner *runner)
{
    struct publication *publication = FIL_CONTAINER_OF(op, struct publication, op);
    fil_waiter_end_here(&publication->waiter);
    if (op->error == FIL_E_TIMEOUT && runner->now_ns < publication->request->deadline_ns) {
        publish(publication, fil_container_now_ms(publication->container, runner->now_ns));
    } else if (op->error != FIL_OK) {
        publication->reply = fil_reply_error(publication->request, op->error);
    }
    fil_request_complete(publication->request, publication->reply);
}

static const struct fil_op_type op_type = {
    .name = "rest topic", .run = run_op, .complete = complete_op};

/** Right here when the topic's partition is free and the listeners have room. */
static bool publish_in_place(struct publication *publication, struct fil_turn *turn) FIL_RUNS_ON(io)
{
    struct fil_partition *partition = fil_turn_enter(turn, publication->container->partition_id);
    if (partition == NULL) {
        return false;
    }
    int error = try_publish(publication, turn->runner.now_ns);
    fil_turn_leave(turn, partition);
    return error == FIL_OK;
}

static struct fil_reply dispatch(struct publication *publication)
{
    struct fil_request *request = publication->request;
    fil_assert(request->runner != NULL); // the routes run on the loop
    fil_role_assert_io();
    struct fil_turn *turn = FIL_CONTAINER_OF(request->runner, struct fil_turn, runner);
    if (publish_in_place(publication, turn)) {
        return publication->reply;
    }
    struct fil_reply later = fil_reply_later(request);
    if (later.status == FIL_REPLY_LATER) {
        publication->waiter = (struct fil_waiter){0};
        fil_op_init(&publication->op, &op_type, publication->container->partition_id);
        if (patience_ns(publication) > 0) {
            publication->op.deadline_ns = turn->runner.now_ns + patience_ns(publication);
        }
        publication->op.deadline_ns =
            fil_min_u64(publication->op.deadline_ns, request->deadline_ns);
        fil_turn_stage(turn, &publication->op);
    }
    return later;
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
    *publication = (struct publication){.request = request};
    int error = get_topic(request, &publication->container);
    if (error != FIL_OK) {
        return fil_reply_error(request, error);
    }
    return dispatch(publication);
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
