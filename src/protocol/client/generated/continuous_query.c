// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/continuous_query.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field continuous_query_publisher_create_with_value_request_fields[] = {
    FIL_WIRE_FIELD(continuous_query_publisher_create_with_value_request, batch_size, i32, 0),
    FIL_WIRE_FIELD(continuous_query_publisher_create_with_value_request, buffer_size, i32, 4),
    FIL_WIRE_FIELD(continuous_query_publisher_create_with_value_request, delay_seconds, i64, 8),
    FIL_WIRE_FIELD(continuous_query_publisher_create_with_value_request, populate, bool, 16),
    FIL_WIRE_FIELD(continuous_query_publisher_create_with_value_request, coalesce, bool, 17),
    FIL_WIRE_FIELD(continuous_query_publisher_create_with_value_request, map_name, string, 0),
    FIL_WIRE_FIELD(continuous_query_publisher_create_with_value_request, cache_name, string, 0),
    FIL_WIRE_FIELD(continuous_query_publisher_create_with_value_request, predicate, data, 0),
};
static const struct fil_wire_field continuous_query_publisher_create_with_value_response_fields[] = {
    FIL_WIRE_FIELD(continuous_query_publisher_create_with_value_response, response, map_data_data, 0),
};
static const struct fil_wire_field continuous_query_publisher_create_response_fields[] = {
    FIL_WIRE_FIELD(continuous_query_publisher_create_response, response, list_data, 0),
};
static const struct fil_wire_field continuous_query_made_publishable_request_fields[] = {
    FIL_WIRE_FIELD(continuous_query_made_publishable_request, map_name, string, 0),
    FIL_WIRE_FIELD(continuous_query_made_publishable_request, cache_name, string, 0),
};
static const struct fil_wire_field continuous_query_made_publishable_response_fields[] = {
    FIL_WIRE_FIELD(continuous_query_made_publishable_response, response, bool, 0),
};
static const struct fil_wire_field continuous_query_add_listener_request_fields[] = {
    FIL_WIRE_FIELD(continuous_query_add_listener_request, local_only, bool, 0),
    FIL_WIRE_FIELD(continuous_query_add_listener_request, listener_name, string, 0),
};
static const struct fil_wire_field continuous_query_add_listener_response_fields[] = {
    FIL_WIRE_FIELD(continuous_query_add_listener_response, response, uuid, 0),
};
static const struct fil_wire_field continuous_query_add_listener_query_cache_single_event_fields[] = {
    FIL_WIRE_FIELD(continuous_query_add_listener_query_cache_single_event, data, query_cache_event_data, 0),
};
static const struct fil_wire_field continuous_query_add_listener_query_cache_batch_event_fields[] = {
    FIL_WIRE_FIELD(continuous_query_add_listener_query_cache_batch_event, partition_id, i32, 0),
    FIL_WIRE_FIELD(continuous_query_add_listener_query_cache_batch_event, events, list_query_cache_event_data, 0),
    FIL_WIRE_FIELD(continuous_query_add_listener_query_cache_batch_event, source, string, 0),
};
static const struct fil_wire_field continuous_query_set_read_cursor_request_fields[] = {
    FIL_WIRE_FIELD(continuous_query_set_read_cursor_request, sequence, i64, 0),
    FIL_WIRE_FIELD(continuous_query_set_read_cursor_request, map_name, string, 0),
    FIL_WIRE_FIELD(continuous_query_set_read_cursor_request, cache_name, string, 0),
};

FIL_WIRE_LAYOUT_MAKE(continuous_query_publisher_create_with_value_request, "ContinuousQuery.publisherCreateWithValue", REQUEST, 0x160100, continuous_query_publisher_create_with_value_request_fields, 5, 18, 18);
FIL_WIRE_LAYOUT_MAKE(continuous_query_publisher_create_with_value_response, "ContinuousQuery.publisherCreateWithValue", RESPONSE, 0x160101, continuous_query_publisher_create_with_value_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(continuous_query_publisher_create_request, "ContinuousQuery.publisherCreate", REQUEST, 0x160200, continuous_query_publisher_create_with_value_request_fields, 5, 18, 18);
FIL_WIRE_LAYOUT_MAKE(continuous_query_publisher_create_response, "ContinuousQuery.publisherCreate", RESPONSE, 0x160201, continuous_query_publisher_create_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(continuous_query_made_publishable_request, "ContinuousQuery.madePublishable", REQUEST, 0x160300, continuous_query_made_publishable_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(continuous_query_made_publishable_response, "ContinuousQuery.madePublishable", RESPONSE, 0x160301, continuous_query_made_publishable_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(continuous_query_add_listener_request, "ContinuousQuery.addListener", REQUEST, 0x160400, continuous_query_add_listener_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(continuous_query_add_listener_response, "ContinuousQuery.addListener", RESPONSE, 0x160401, continuous_query_add_listener_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(continuous_query_add_listener_query_cache_single_event, "ContinuousQuery.addListener", EVENT, 0x160402, continuous_query_add_listener_query_cache_single_event_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(continuous_query_add_listener_query_cache_batch_event, "ContinuousQuery.addListener", EVENT, 0x160403, continuous_query_add_listener_query_cache_batch_event_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(continuous_query_set_read_cursor_request, "ContinuousQuery.setReadCursor", REQUEST, 0x160500, continuous_query_set_read_cursor_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(continuous_query_set_read_cursor_response, "ContinuousQuery.setReadCursor", RESPONSE, 0x160501, continuous_query_made_publishable_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(continuous_query_destroy_cache_request, "ContinuousQuery.destroyCache", REQUEST, 0x160600, continuous_query_made_publishable_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(continuous_query_destroy_cache_response, "ContinuousQuery.destroyCache", RESPONSE, 0x160601, continuous_query_made_publishable_response_fields, 1, 1, 1);

static const struct fil_wire_layout *const continuous_query_add_listener_events[] = {&fil_wire_continuous_query_add_listener_query_cache_single_event_layout, &fil_wire_continuous_query_add_listener_query_cache_batch_event_layout};

const struct fil_wire_message fil_wire_continuous_query_messages[] = {
    FIL_WIRE_MESSAGE(continuous_query_publisher_create_with_value, "continuous_query.publisher_create_with_value", 0x160100, true, 0, NULL),
    FIL_WIRE_MESSAGE(continuous_query_publisher_create, "continuous_query.publisher_create", 0x160200, true, 0, NULL),
    FIL_WIRE_MESSAGE(continuous_query_made_publishable, "continuous_query.made_publishable", 0x160300, true, 0, NULL),
    FIL_WIRE_MESSAGE(continuous_query_add_listener, "continuous_query.add_listener", 0x160400, false, 2, continuous_query_add_listener_events),
    FIL_WIRE_MESSAGE(continuous_query_set_read_cursor, "continuous_query.set_read_cursor", 0x160500, false, 0, NULL),
    FIL_WIRE_MESSAGE(continuous_query_destroy_cache, "continuous_query.destroy_cache", 0x160600, false, 0, NULL),
};
