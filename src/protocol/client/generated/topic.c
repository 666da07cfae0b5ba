// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/topic.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field topic_publish_request_fields[] = {
    FIL_WIRE_FIELD(topic_publish_request, name, string, 0),
    FIL_WIRE_FIELD(topic_publish_request, message, data, 0),
};
static const struct fil_wire_field topic_add_message_listener_request_fields[] = {
    FIL_WIRE_FIELD(topic_add_message_listener_request, local_only, bool, 0),
    FIL_WIRE_FIELD(topic_add_message_listener_request, name, string, 0),
};
static const struct fil_wire_field topic_add_message_listener_response_fields[] = {
    FIL_WIRE_FIELD(topic_add_message_listener_response, response, uuid, 0),
};
static const struct fil_wire_field topic_add_message_listener_topic_event_fields[] = {
    FIL_WIRE_FIELD(topic_add_message_listener_topic_event, publish_time, i64, 0),
    FIL_WIRE_FIELD(topic_add_message_listener_topic_event, uuid, uuid, 8),
    FIL_WIRE_FIELD(topic_add_message_listener_topic_event, item, data, 0),
};
static const struct fil_wire_field topic_remove_message_listener_request_fields[] = {
    FIL_WIRE_FIELD(topic_remove_message_listener_request, registration_id, uuid, 0),
    FIL_WIRE_FIELD(topic_remove_message_listener_request, name, string, 0),
};
static const struct fil_wire_field topic_remove_message_listener_response_fields[] = {
    FIL_WIRE_FIELD(topic_remove_message_listener_response, response, bool, 0),
};
static const struct fil_wire_field topic_publish_all_request_fields[] = {
    FIL_WIRE_FIELD(topic_publish_all_request, name, string, 0),
    FIL_WIRE_FIELD(topic_publish_all_request, messages, list_data, 0),
};

FIL_WIRE_LAYOUT_MAKE(topic_publish_request, "Topic.publish", REQUEST, 0x040100, topic_publish_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(topic_publish_response, "Topic.publish", RESPONSE, 0x040101);
FIL_WIRE_LAYOUT_MAKE(topic_add_message_listener_request, "Topic.addMessageListener", REQUEST, 0x040200, topic_add_message_listener_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(topic_add_message_listener_response, "Topic.addMessageListener", RESPONSE, 0x040201, topic_add_message_listener_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(topic_add_message_listener_topic_event, "Topic.addMessageListener", EVENT, 0x040202, topic_add_message_listener_topic_event_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(topic_remove_message_listener_request, "Topic.removeMessageListener", REQUEST, 0x040300, topic_remove_message_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(topic_remove_message_listener_response, "Topic.removeMessageListener", RESPONSE, 0x040301, topic_remove_message_listener_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(topic_publish_all_request, "Topic.publishAll", REQUEST, 0x040400, topic_publish_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(topic_publish_all_response, "Topic.publishAll", RESPONSE, 0x040401);

static const struct fil_wire_layout *const topic_add_message_listener_events[] = {&fil_wire_topic_add_message_listener_topic_event_layout};

const struct fil_wire_message fil_wire_topic_messages[] = {
    FIL_WIRE_MESSAGE(topic_publish, "topic.publish", 0x040100, false, 0, NULL),
    FIL_WIRE_MESSAGE(topic_add_message_listener, "topic.add_message_listener", 0x040200, false, 1, topic_add_message_listener_events),
    FIL_WIRE_MESSAGE(topic_remove_message_listener, "topic.remove_message_listener", 0x040300, true, 0, NULL),
    FIL_WIRE_MESSAGE(topic_publish_all, "topic.publish_all", 0x040400, false, 0, NULL),
};
