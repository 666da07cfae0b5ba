// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** Topic: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_topic_number {
    FIL_WIRE_TOPIC_PUBLISH = 0x040100,
    FIL_WIRE_TOPIC_ADD_MESSAGE_LISTENER = 0x040200,
    FIL_WIRE_TOPIC_ADD_MESSAGE_LISTENER_TOPIC_EVENT = 0x040202,
    FIL_WIRE_TOPIC_REMOVE_MESSAGE_LISTENER = 0x040300,
    FIL_WIRE_TOPIC_PUBLISH_ALL = 0x040400,
};

struct fil_wire_topic_publish_request {
    struct fil_bytes name, message;
};
struct fil_wire_topic_add_message_listener_request {
    bool local_only;
    struct fil_bytes name;
};
struct fil_wire_topic_add_message_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_topic_add_message_listener_topic_event {
    int64_t publish_time;
    struct fil_wire_uuid uuid;
    struct fil_bytes item;
};
struct fil_wire_topic_remove_message_listener_request {
    struct fil_wire_uuid registration_id;
    struct fil_bytes name;
};
struct fil_wire_topic_remove_message_listener_response {
    bool response;
};
struct fil_wire_topic_publish_all_request {
    struct fil_bytes name;
    struct fil_wire_part messages;
};

FIL_WIRE_DECLARE(topic_publish);
FIL_WIRE_DECLARE(topic_add_message_listener);
extern const struct fil_wire_layout fil_wire_topic_add_message_listener_topic_event_layout;
FIL_WIRE_DECLARE(topic_remove_message_listener);
FIL_WIRE_DECLARE(topic_publish_all);
