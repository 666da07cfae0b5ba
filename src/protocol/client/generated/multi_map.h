// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** MultiMap: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_multi_map_number {
    FIL_WIRE_MULTI_MAP_PUT = 0x020100,
    FIL_WIRE_MULTI_MAP_GET = 0x020200,
    FIL_WIRE_MULTI_MAP_REMOVE = 0x020300,
    FIL_WIRE_MULTI_MAP_KEY_SET = 0x020400,
    FIL_WIRE_MULTI_MAP_VALUES = 0x020500,
    FIL_WIRE_MULTI_MAP_ENTRY_SET = 0x020600,
    FIL_WIRE_MULTI_MAP_CONTAINS_KEY = 0x020700,
    FIL_WIRE_MULTI_MAP_CONTAINS_VALUE = 0x020800,
    FIL_WIRE_MULTI_MAP_CONTAINS_ENTRY = 0x020900,
    FIL_WIRE_MULTI_MAP_SIZE = 0x020a00,
    FIL_WIRE_MULTI_MAP_CLEAR = 0x020b00,
    FIL_WIRE_MULTI_MAP_VALUE_COUNT = 0x020c00,
    FIL_WIRE_MULTI_MAP_ADD_ENTRY_LISTENER_TO_KEY = 0x020d00,
    FIL_WIRE_MULTI_MAP_ADD_ENTRY_LISTENER_TO_KEY_ENTRY_EVENT = 0x020d02,
    FIL_WIRE_MULTI_MAP_ADD_ENTRY_LISTENER = 0x020e00,
    FIL_WIRE_MULTI_MAP_ADD_ENTRY_LISTENER_ENTRY_EVENT = 0x020e02,
    FIL_WIRE_MULTI_MAP_REMOVE_ENTRY_LISTENER = 0x020f00,
    FIL_WIRE_MULTI_MAP_LOCK = 0x021000,
    FIL_WIRE_MULTI_MAP_TRY_LOCK = 0x021100,
    FIL_WIRE_MULTI_MAP_IS_LOCKED = 0x021200,
    FIL_WIRE_MULTI_MAP_UNLOCK = 0x021300,
    FIL_WIRE_MULTI_MAP_FORCE_UNLOCK = 0x021400,
    FIL_WIRE_MULTI_MAP_REMOVE_ENTRY = 0x021500,
    FIL_WIRE_MULTI_MAP_DELETE = 0x021600,
    FIL_WIRE_MULTI_MAP_PUT_ALL = 0x021700,
};

struct fil_wire_multi_map_put_request {
    int64_t thread_id;
    struct fil_bytes name, key, value;
};
struct fil_wire_multi_map_put_response {
    bool response;
};
struct fil_wire_multi_map_get_request {
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_multi_map_get_response {
    struct fil_wire_part response;
};
struct fil_wire_multi_map_remove_request {
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_multi_map_remove_response {
    struct fil_wire_part response;
};
struct fil_wire_multi_map_key_set_request {
    struct fil_bytes name;
};
struct fil_wire_multi_map_key_set_response {
    struct fil_wire_part response;
};
struct fil_wire_multi_map_values_request {
    struct fil_bytes name;
};
struct fil_wire_multi_map_values_response {
    struct fil_wire_part response;
};
struct fil_wire_multi_map_entry_set_request {
    struct fil_bytes name;
};
struct fil_wire_multi_map_entry_set_response {
    struct fil_wire_part response;
};
struct fil_wire_multi_map_contains_key_request {
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_multi_map_contains_key_response {
    bool response;
};
struct fil_wire_multi_map_contains_value_request {
    struct fil_bytes name, value;
};
struct fil_wire_multi_map_contains_value_response {
    bool response;
};
struct fil_wire_multi_map_contains_entry_request {
    int64_t thread_id;
    struct fil_bytes name, key, value;
};
struct fil_wire_multi_map_contains_entry_response {
    bool response;
};
struct fil_wire_multi_map_size_request {
    struct fil_bytes name;
};
struct fil_wire_multi_map_size_response {
    int32_t response;
};
struct fil_wire_multi_map_clear_request {
    struct fil_bytes name;
};
struct fil_wire_multi_map_value_count_request {
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_multi_map_value_count_response {
    int32_t response;
};
struct fil_wire_multi_map_add_entry_listener_to_key_request {
    bool include_value, local_only;
    struct fil_bytes name, key;
};
struct fil_wire_multi_map_add_entry_listener_to_key_response {
    struct fil_wire_uuid response;
};
struct fil_wire_multi_map_add_entry_listener_to_key_entry_event {
    int32_t event_type;
    struct fil_wire_uuid uuid;
    int32_t number_of_affected_entries;
    struct fil_bytes key, value, old_value, merging_value;
};
struct fil_wire_multi_map_add_entry_listener_request {
    bool include_value, local_only;
    struct fil_bytes name;
};
struct fil_wire_multi_map_add_entry_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_multi_map_add_entry_listener_entry_event {
    int32_t event_type;
    struct fil_wire_uuid uuid;
    int32_t number_of_affected_entries;
    struct fil_bytes key, value, old_value, merging_value;
};
struct fil_wire_multi_map_remove_entry_listener_request {
    struct fil_wire_uuid registration_id;
    struct fil_bytes name;
};
struct fil_wire_multi_map_remove_entry_listener_response {
    bool response;
};
struct fil_wire_multi_map_lock_request {
    int64_t thread_id, ttl, reference_id;
    struct fil_bytes name, key;
};
struct fil_wire_multi_map_try_lock_request {
    int64_t thread_id, lease, timeout, reference_id;
    struct fil_bytes name, key;
};
struct fil_wire_multi_map_try_lock_response {
    bool response;
};
struct fil_wire_multi_map_is_locked_request {
    struct fil_bytes name, key;
};
struct fil_wire_multi_map_is_locked_response {
    bool response;
};
struct fil_wire_multi_map_unlock_request {
    int64_t thread_id, reference_id;
    struct fil_bytes name, key;
};
struct fil_wire_multi_map_force_unlock_request {
    int64_t reference_id;
    struct fil_bytes name, key;
};
struct fil_wire_multi_map_remove_entry_request {
    int64_t thread_id;
    struct fil_bytes name, key, value;
};
struct fil_wire_multi_map_remove_entry_response {
    bool response;
};
struct fil_wire_multi_map_delete_request {
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_multi_map_put_all_request {
    struct fil_bytes name;
    struct fil_wire_part entries;
};

FIL_WIRE_DECLARE(multi_map_put);
FIL_WIRE_DECLARE(multi_map_get);
FIL_WIRE_DECLARE(multi_map_remove);
FIL_WIRE_DECLARE(multi_map_key_set);
FIL_WIRE_DECLARE(multi_map_values);
FIL_WIRE_DECLARE(multi_map_entry_set);
FIL_WIRE_DECLARE(multi_map_contains_key);
FIL_WIRE_DECLARE(multi_map_contains_value);
FIL_WIRE_DECLARE(multi_map_contains_entry);
FIL_WIRE_DECLARE(multi_map_size);
FIL_WIRE_DECLARE(multi_map_clear);
FIL_WIRE_DECLARE(multi_map_value_count);
FIL_WIRE_DECLARE(multi_map_add_entry_listener_to_key);
extern const struct fil_wire_layout fil_wire_multi_map_add_entry_listener_to_key_entry_event_layout;
FIL_WIRE_DECLARE(multi_map_add_entry_listener);
extern const struct fil_wire_layout fil_wire_multi_map_add_entry_listener_entry_event_layout;
FIL_WIRE_DECLARE(multi_map_remove_entry_listener);
FIL_WIRE_DECLARE(multi_map_lock);
FIL_WIRE_DECLARE(multi_map_try_lock);
FIL_WIRE_DECLARE(multi_map_is_locked);
FIL_WIRE_DECLARE(multi_map_unlock);
FIL_WIRE_DECLARE(multi_map_force_unlock);
FIL_WIRE_DECLARE(multi_map_remove_entry);
FIL_WIRE_DECLARE(multi_map_delete);
FIL_WIRE_DECLARE(multi_map_put_all);
