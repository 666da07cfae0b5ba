// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** ReplicatedMap: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_replicated_map_number {
    FIL_WIRE_REPLICATED_MAP_PUT = 0x0d0100,
    FIL_WIRE_REPLICATED_MAP_SIZE = 0x0d0200,
    FIL_WIRE_REPLICATED_MAP_IS_EMPTY = 0x0d0300,
    FIL_WIRE_REPLICATED_MAP_CONTAINS_KEY = 0x0d0400,
    FIL_WIRE_REPLICATED_MAP_CONTAINS_VALUE = 0x0d0500,
    FIL_WIRE_REPLICATED_MAP_GET = 0x0d0600,
    FIL_WIRE_REPLICATED_MAP_REMOVE = 0x0d0700,
    FIL_WIRE_REPLICATED_MAP_PUT_ALL = 0x0d0800,
    FIL_WIRE_REPLICATED_MAP_CLEAR = 0x0d0900,
    FIL_WIRE_REPLICATED_MAP_ADD_ENTRY_LISTENER_TO_KEY_WITH_PREDICATE = 0x0d0a00,
    FIL_WIRE_REPLICATED_MAP_ADD_ENTRY_LISTENER_TO_KEY_WITH_PREDICATE_ENTRY_EVENT = 0x0d0a02,
    FIL_WIRE_REPLICATED_MAP_ADD_ENTRY_LISTENER_WITH_PREDICATE = 0x0d0b00,
    FIL_WIRE_REPLICATED_MAP_ADD_ENTRY_LISTENER_WITH_PREDICATE_ENTRY_EVENT = 0x0d0b02,
    FIL_WIRE_REPLICATED_MAP_ADD_ENTRY_LISTENER_TO_KEY = 0x0d0c00,
    FIL_WIRE_REPLICATED_MAP_ADD_ENTRY_LISTENER_TO_KEY_ENTRY_EVENT = 0x0d0c02,
    FIL_WIRE_REPLICATED_MAP_ADD_ENTRY_LISTENER = 0x0d0d00,
    FIL_WIRE_REPLICATED_MAP_ADD_ENTRY_LISTENER_ENTRY_EVENT = 0x0d0d02,
    FIL_WIRE_REPLICATED_MAP_REMOVE_ENTRY_LISTENER = 0x0d0e00,
    FIL_WIRE_REPLICATED_MAP_KEY_SET = 0x0d0f00,
    FIL_WIRE_REPLICATED_MAP_VALUES = 0x0d1000,
    FIL_WIRE_REPLICATED_MAP_ENTRY_SET = 0x0d1100,
    FIL_WIRE_REPLICATED_MAP_ADD_NEAR_CACHE_ENTRY_LISTENER = 0x0d1200,
    FIL_WIRE_REPLICATED_MAP_ADD_NEAR_CACHE_ENTRY_LISTENER_ENTRY_EVENT = 0x0d1202,
    FIL_WIRE_REPLICATED_MAP_PUT_ALL_WITH_METADATA = 0x0d1300,
    FIL_WIRE_REPLICATED_MAP_FETCH_ENTRY_VIEWS = 0x0d1400,
    FIL_WIRE_REPLICATED_MAP_END_ENTRY_VIEW_ITERATION = 0x0d1500,
};

struct fil_wire_replicated_map_put_request {
    int64_t ttl;
    struct fil_bytes name, key, value;
};
struct fil_wire_replicated_map_put_response {
    struct fil_bytes response;
};
struct fil_wire_replicated_map_size_request {
    struct fil_bytes name;
};
struct fil_wire_replicated_map_size_response {
    int32_t response;
};
struct fil_wire_replicated_map_is_empty_request {
    struct fil_bytes name;
};
struct fil_wire_replicated_map_is_empty_response {
    bool response;
};
struct fil_wire_replicated_map_contains_key_request {
    struct fil_bytes name, key;
};
struct fil_wire_replicated_map_contains_key_response {
    bool response;
};
struct fil_wire_replicated_map_contains_value_request {
    struct fil_bytes name, value;
};
struct fil_wire_replicated_map_contains_value_response {
    bool response;
};
struct fil_wire_replicated_map_get_request {
    struct fil_bytes name, key;
};
struct fil_wire_replicated_map_get_response {
    struct fil_bytes response;
};
struct fil_wire_replicated_map_remove_request {
    struct fil_bytes name, key;
};
struct fil_wire_replicated_map_remove_response {
    struct fil_bytes response;
};
struct fil_wire_replicated_map_put_all_request {
    struct fil_bytes name;
    struct fil_wire_part entries;
};
struct fil_wire_replicated_map_clear_request {
    struct fil_bytes name;
};
struct fil_wire_replicated_map_add_entry_listener_to_key_with_predicate_request {
    bool local_only;
    struct fil_bytes name, key, predicate;
};
struct fil_wire_replicated_map_add_entry_listener_to_key_with_predicate_response {
    struct fil_wire_uuid response;
};
struct fil_wire_replicated_map_add_entry_listener_to_key_with_predicate_entry_event {
    int32_t event_type;
    struct fil_wire_uuid uuid;
    int32_t number_of_affected_entries;
    struct fil_bytes key, value, old_value, merging_value;
};
struct fil_wire_replicated_map_add_entry_listener_with_predicate_request {
    bool local_only;
    struct fil_bytes name, predicate;
};
struct fil_wire_replicated_map_add_entry_listener_with_predicate_response {
    struct fil_wire_uuid response;
};
struct fil_wire_replicated_map_add_entry_listener_with_predicate_entry_event {
    int32_t event_type;
    struct fil_wire_uuid uuid;
    int32_t number_of_affected_entries;
    struct fil_bytes key, value, old_value, merging_value;
};
struct fil_wire_replicated_map_add_entry_listener_to_key_request {
    bool local_only;
    struct fil_bytes name, key;
};
struct fil_wire_replicated_map_add_entry_listener_to_key_response {
    struct fil_wire_uuid response;
};
struct fil_wire_replicated_map_add_entry_listener_to_key_entry_event {
    int32_t event_type;
    struct fil_wire_uuid uuid;
    int32_t number_of_affected_entries;
    struct fil_bytes key, value, old_value, merging_value;
};
struct fil_wire_replicated_map_add_entry_listener_request {
    bool local_only;
    struct fil_bytes name;
};
struct fil_wire_replicated_map_add_entry_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_replicated_map_add_entry_listener_entry_event {
    int32_t event_type;
    struct fil_wire_uuid uuid;
    int32_t number_of_affected_entries;
    struct fil_bytes key, value, old_value, merging_value;
};
struct fil_wire_replicated_map_remove_entry_listener_request {
    struct fil_wire_uuid registration_id;
    struct fil_bytes name;
};
struct fil_wire_replicated_map_remove_entry_listener_response {
    bool response;
};
struct fil_wire_replicated_map_key_set_request {
    struct fil_bytes name;
};
struct fil_wire_replicated_map_key_set_response {
    struct fil_wire_part response;
};
struct fil_wire_replicated_map_values_request {
    struct fil_bytes name;
};
struct fil_wire_replicated_map_values_response {
    struct fil_wire_part response;
};
struct fil_wire_replicated_map_entry_set_request {
    struct fil_bytes name;
};
struct fil_wire_replicated_map_entry_set_response {
    struct fil_wire_part response;
};
struct fil_wire_replicated_map_add_near_cache_entry_listener_request {
    bool include_value, local_only;
    struct fil_bytes name;
};
struct fil_wire_replicated_map_add_near_cache_entry_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_replicated_map_add_near_cache_entry_listener_entry_event {
    int32_t event_type;
    struct fil_wire_uuid uuid;
    int32_t number_of_affected_entries;
    struct fil_bytes key, value, old_value, merging_value;
};
struct fil_wire_replicated_map_put_all_with_metadata_request {
    int32_t partition_id;
    struct fil_bytes name;
    struct fil_wire_part entries;
};
struct fil_wire_replicated_map_fetch_entry_views_request {
    struct fil_wire_uuid cursor_id;
    bool new_iteration;
    int32_t partition_id, batch_size;
    struct fil_bytes name;
};
struct fil_wire_replicated_map_fetch_entry_views_response {
    struct fil_wire_uuid cursor_id;
    struct fil_wire_part entry_views;
};
struct fil_wire_replicated_map_end_entry_view_iteration_request {
    struct fil_wire_uuid cursor_id;
    struct fil_bytes name;
};

FIL_WIRE_DECLARE(replicated_map_put);
FIL_WIRE_DECLARE(replicated_map_size);
FIL_WIRE_DECLARE(replicated_map_is_empty);
FIL_WIRE_DECLARE(replicated_map_contains_key);
FIL_WIRE_DECLARE(replicated_map_contains_value);
FIL_WIRE_DECLARE(replicated_map_get);
FIL_WIRE_DECLARE(replicated_map_remove);
FIL_WIRE_DECLARE(replicated_map_put_all);
FIL_WIRE_DECLARE(replicated_map_clear);
FIL_WIRE_DECLARE(replicated_map_add_entry_listener_to_key_with_predicate);
extern const struct fil_wire_layout fil_wire_replicated_map_add_entry_listener_to_key_with_predicate_entry_event_layout;
FIL_WIRE_DECLARE(replicated_map_add_entry_listener_with_predicate);
extern const struct fil_wire_layout fil_wire_replicated_map_add_entry_listener_with_predicate_entry_event_layout;
FIL_WIRE_DECLARE(replicated_map_add_entry_listener_to_key);
extern const struct fil_wire_layout fil_wire_replicated_map_add_entry_listener_to_key_entry_event_layout;
FIL_WIRE_DECLARE(replicated_map_add_entry_listener);
extern const struct fil_wire_layout fil_wire_replicated_map_add_entry_listener_entry_event_layout;
FIL_WIRE_DECLARE(replicated_map_remove_entry_listener);
FIL_WIRE_DECLARE(replicated_map_key_set);
FIL_WIRE_DECLARE(replicated_map_values);
FIL_WIRE_DECLARE(replicated_map_entry_set);
FIL_WIRE_DECLARE(replicated_map_add_near_cache_entry_listener);
extern const struct fil_wire_layout fil_wire_replicated_map_add_near_cache_entry_listener_entry_event_layout;
FIL_WIRE_DECLARE(replicated_map_put_all_with_metadata);
FIL_WIRE_DECLARE(replicated_map_fetch_entry_views);
FIL_WIRE_DECLARE(replicated_map_end_entry_view_iteration);
