// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** ContinuousQuery: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_continuous_query_number {
    FIL_WIRE_CONTINUOUS_QUERY_PUBLISHER_CREATE_WITH_VALUE = 0x160100,
    FIL_WIRE_CONTINUOUS_QUERY_PUBLISHER_CREATE = 0x160200,
    FIL_WIRE_CONTINUOUS_QUERY_MADE_PUBLISHABLE = 0x160300,
    FIL_WIRE_CONTINUOUS_QUERY_ADD_LISTENER = 0x160400,
    FIL_WIRE_CONTINUOUS_QUERY_ADD_LISTENER_QUERY_CACHE_SINGLE_EVENT = 0x160402,
    FIL_WIRE_CONTINUOUS_QUERY_ADD_LISTENER_QUERY_CACHE_BATCH_EVENT = 0x160403,
    FIL_WIRE_CONTINUOUS_QUERY_SET_READ_CURSOR = 0x160500,
    FIL_WIRE_CONTINUOUS_QUERY_DESTROY_CACHE = 0x160600,
};

struct fil_wire_continuous_query_publisher_create_with_value_request {
    int32_t batch_size, buffer_size;
    int64_t delay_seconds;
    bool populate, coalesce;
    struct fil_bytes map_name, cache_name, predicate;
};
struct fil_wire_continuous_query_publisher_create_with_value_response {
    struct fil_wire_part response;
};
struct fil_wire_continuous_query_publisher_create_request {
    int32_t batch_size, buffer_size;
    int64_t delay_seconds;
    bool populate, coalesce;
    struct fil_bytes map_name, cache_name, predicate;
};
struct fil_wire_continuous_query_publisher_create_response {
    struct fil_wire_part response;
};
struct fil_wire_continuous_query_made_publishable_request {
    struct fil_bytes map_name, cache_name;
};
struct fil_wire_continuous_query_made_publishable_response {
    bool response;
};
struct fil_wire_continuous_query_add_listener_request {
    bool local_only;
    struct fil_bytes listener_name;
};
struct fil_wire_continuous_query_add_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_continuous_query_add_listener_query_cache_single_event {
    struct fil_wire_part data;
};
struct fil_wire_continuous_query_add_listener_query_cache_batch_event {
    int32_t partition_id;
    struct fil_wire_part events;
    struct fil_bytes source;
};
struct fil_wire_continuous_query_set_read_cursor_request {
    int64_t sequence;
    struct fil_bytes map_name, cache_name;
};
struct fil_wire_continuous_query_set_read_cursor_response {
    bool response;
};
struct fil_wire_continuous_query_destroy_cache_request {
    struct fil_bytes map_name, cache_name;
};
struct fil_wire_continuous_query_destroy_cache_response {
    bool response;
};

FIL_WIRE_DECLARE(continuous_query_publisher_create_with_value);
FIL_WIRE_DECLARE(continuous_query_publisher_create);
FIL_WIRE_DECLARE(continuous_query_made_publishable);
FIL_WIRE_DECLARE(continuous_query_add_listener);
extern const struct fil_wire_layout fil_wire_continuous_query_add_listener_query_cache_single_event_layout;
extern const struct fil_wire_layout fil_wire_continuous_query_add_listener_query_cache_batch_event_layout;
FIL_WIRE_DECLARE(continuous_query_set_read_cursor);
FIL_WIRE_DECLARE(continuous_query_destroy_cache);
