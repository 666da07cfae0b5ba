// SPDX-License-Identifier: Apache-2.0
#include "filbert/topic.h"

#include "client/listener_internal.h"
#include "client/thing_internal.h"
#include "protocol/client/generated/topic.h"

struct fil_topic {
    struct fil_client_thing thing;
};

static const struct fil_client_op publish_op = {.request = &fil_wire_topic_publish_request_layout};
static const struct fil_client_op listen_op = {
    .request = &fil_wire_topic_add_message_listener_request_layout};
static const struct fil_client_op remove_op = {
    .request = &fil_wire_topic_remove_message_listener_request_layout};

struct fil_topic *fil_topic(struct fil_grid *grid, const char *name)
{
    struct fil_client_thing *thing = fil_client__thing(grid, FIL_CLIENT_TOPIC, name);
    return thing == NULL ? NULL : FIL_CONTAINER_OF(thing, struct fil_topic, thing);
}

int fil_topic_publish(struct fil_topic *topic, struct fil_value message)
{
    if (topic == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_topic_publish_request fields = {.name = fil_client__thing_name(&topic->thing)};
    struct fil_client_item_request request = {
        .op = &publish_op, .fields = &fields, .item = &fields.message};
    return fil_client__thing_run_item(&topic->thing, &request, &message, NULL);
}

static void tell_message(const struct fil_subscription *listener, struct fil_bytes message)
{
    struct fil_wire_topic_add_message_listener_topic_event event;
    if (FIL_WIRE_DECODE(topic_add_message_listener_topic_event, message, &event, NULL) != FIL_OK) {
        return;
    }
    struct fil_message heard = {.value = fil_client__value_view(event.item),
                                .published_ms = event.publish_time,
                                .number = -1};
    struct fil_client_seal seal = fil_client__seal(&heard.value);
    listener->heard(listener->heard_context, &heard);
    fil_client__unseal(seal);
}

static const struct fil_client_ear ear = {
    .listen = &listen_op, .remove = &remove_op, .tell = tell_message};

int fil_topic_subscribe(struct fil_topic *topic, fil_message_fn heard, void *context,
                        struct fil_subscription **out_subscription)
{
    if (topic == NULL || heard == NULL || out_subscription == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_subscription model = {.ear = &ear, .heard = heard, .heard_context = context};
    return fil_client__thing_listen(&topic->thing, &model, out_subscription);
}
