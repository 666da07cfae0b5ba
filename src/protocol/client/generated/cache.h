// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** Cache: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_cache_number {
    FIL_WIRE_CACHE_ADD_ENTRY_LISTENER = 0x130100,
    FIL_WIRE_CACHE_ADD_ENTRY_LISTENER_CACHE_EVENT = 0x130102,
    FIL_WIRE_CACHE_CLEAR = 0x130200,
    FIL_WIRE_CACHE_REMOVE_ALL_KEYS = 0x130300,
    FIL_WIRE_CACHE_REMOVE_ALL = 0x130400,
    FIL_WIRE_CACHE_CONTAINS_KEY = 0x130500,
    FIL_WIRE_CACHE_CREATE_CONFIG = 0x130600,
    FIL_WIRE_CACHE_DESTROY = 0x130700,
    FIL_WIRE_CACHE_ENTRY_PROCESSOR = 0x130800,
    FIL_WIRE_CACHE_GET_ALL = 0x130900,
    FIL_WIRE_CACHE_GET_AND_REMOVE = 0x130a00,
    FIL_WIRE_CACHE_GET_AND_REPLACE = 0x130b00,
    FIL_WIRE_CACHE_GET_CONFIG = 0x130c00,
    FIL_WIRE_CACHE_GET = 0x130d00,
    FIL_WIRE_CACHE_ITERATE = 0x130e00,
    FIL_WIRE_CACHE_LISTENER_REGISTRATION = 0x130f00,
    FIL_WIRE_CACHE_LOAD_ALL = 0x131000,
    FIL_WIRE_CACHE_MANAGEMENT_CONFIG = 0x131100,
    FIL_WIRE_CACHE_PUT_IF_ABSENT = 0x131200,
    FIL_WIRE_CACHE_PUT = 0x131300,
    FIL_WIRE_CACHE_REMOVE_ENTRY_LISTENER = 0x131400,
    FIL_WIRE_CACHE_REMOVE_INVALIDATION_LISTENER = 0x131500,
    FIL_WIRE_CACHE_REMOVE = 0x131600,
    FIL_WIRE_CACHE_REPLACE = 0x131700,
    FIL_WIRE_CACHE_SIZE = 0x131800,
    FIL_WIRE_CACHE_ADD_PARTITION_LOST_LISTENER = 0x131900,
    FIL_WIRE_CACHE_ADD_PARTITION_LOST_LISTENER_CACHE_PARTITION_LOST_EVENT = 0x131902,
    FIL_WIRE_CACHE_REMOVE_PARTITION_LOST_LISTENER = 0x131a00,
    FIL_WIRE_CACHE_PUT_ALL = 0x131b00,
    FIL_WIRE_CACHE_ITERATE_ENTRIES = 0x131c00,
    FIL_WIRE_CACHE_ADD_NEAR_CACHE_INVALIDATION_LISTENER = 0x131d00,
    FIL_WIRE_CACHE_ADD_NEAR_CACHE_INVALIDATION_LISTENER_CACHE_INVALIDATION_EVENT = 0x131d02,
    FIL_WIRE_CACHE_ADD_NEAR_CACHE_INVALIDATION_LISTENER_CACHE_BATCH_INVALIDATION_EVENT = 0x131d03,
    FIL_WIRE_CACHE_FETCH_NEAR_CACHE_INVALIDATION_METADATA = 0x131e00,
    FIL_WIRE_CACHE_EVENT_JOURNAL_SUBSCRIBE = 0x131f00,
    FIL_WIRE_CACHE_EVENT_JOURNAL_READ = 0x132000,
    FIL_WIRE_CACHE_SET_EXPIRY_POLICY = 0x132100,
};

struct fil_wire_cache_add_entry_listener_request {
    bool local_only;
    struct fil_bytes name;
};
struct fil_wire_cache_add_entry_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_cache_add_entry_listener_cache_event {
    int32_t type, completion_id;
    struct fil_wire_part keys;
};
struct fil_wire_cache_clear_request {
    struct fil_bytes name;
};
struct fil_wire_cache_remove_all_keys_request {
    int32_t completion_id;
    struct fil_bytes name;
    struct fil_wire_part keys;
};
struct fil_wire_cache_remove_all_request {
    int32_t completion_id;
    struct fil_bytes name;
};
struct fil_wire_cache_contains_key_request {
    struct fil_bytes name, key;
};
struct fil_wire_cache_contains_key_response {
    bool response;
};
struct fil_wire_cache_create_config_request {
    bool create_also_on_others;
    struct fil_wire_part cache_config;
};
struct fil_wire_cache_create_config_response {
    struct fil_wire_part response;
};
struct fil_wire_cache_destroy_request {
    struct fil_bytes name;
};
struct fil_wire_cache_entry_processor_request {
    int32_t completion_id;
    struct fil_bytes name, key, entry_processor;
    struct fil_wire_part arguments;
};
struct fil_wire_cache_entry_processor_response {
    struct fil_bytes response;
};
struct fil_wire_cache_get_all_request {
    struct fil_bytes name;
    struct fil_wire_part keys;
    struct fil_bytes expiry_policy;
};
struct fil_wire_cache_get_all_response {
    struct fil_wire_part response;
};
struct fil_wire_cache_get_and_remove_request {
    int32_t completion_id;
    struct fil_bytes name, key;
};
struct fil_wire_cache_get_and_remove_response {
    struct fil_bytes response;
};
struct fil_wire_cache_get_and_replace_request {
    int32_t completion_id;
    struct fil_bytes name, key, value, expiry_policy;
};
struct fil_wire_cache_get_and_replace_response {
    struct fil_bytes response;
};
struct fil_wire_cache_get_config_request {
    struct fil_bytes name, simple_name;
};
struct fil_wire_cache_get_config_response {
    struct fil_wire_part response;
};
struct fil_wire_cache_get_request {
    struct fil_bytes name, key, expiry_policy;
};
struct fil_wire_cache_get_response {
    struct fil_bytes response;
};
struct fil_wire_cache_iterate_request {
    int32_t batch;
    struct fil_bytes name, iteration_pointers;
};
struct fil_wire_cache_iterate_response {
    struct fil_bytes iteration_pointers;
    struct fil_wire_part keys;
};
struct fil_wire_cache_listener_registration_request {
    bool should_register;
    struct fil_wire_uuid uuid;
    struct fil_bytes name, listener_config;
};
struct fil_wire_cache_load_all_request {
    bool replace_existing_values;
    struct fil_bytes name;
    struct fil_wire_part keys;
};
struct fil_wire_cache_management_config_request {
    bool is_stat, enabled;
    struct fil_wire_uuid uuid;
    struct fil_bytes name;
};
struct fil_wire_cache_put_if_absent_request {
    int32_t completion_id;
    struct fil_bytes name, key, value, expiry_policy;
};
struct fil_wire_cache_put_if_absent_response {
    bool response;
};
struct fil_wire_cache_put_request {
    bool get;
    int32_t completion_id;
    struct fil_bytes name, key, value, expiry_policy;
};
struct fil_wire_cache_put_response {
    struct fil_bytes response;
};
struct fil_wire_cache_remove_entry_listener_request {
    struct fil_wire_uuid registration_id;
    struct fil_bytes name;
};
struct fil_wire_cache_remove_entry_listener_response {
    bool response;
};
struct fil_wire_cache_remove_invalidation_listener_request {
    struct fil_wire_uuid registration_id;
    struct fil_bytes name;
};
struct fil_wire_cache_remove_invalidation_listener_response {
    bool response;
};
struct fil_wire_cache_remove_request {
    int32_t completion_id;
    struct fil_bytes name, key, current_value;
};
struct fil_wire_cache_remove_response {
    bool response;
};
struct fil_wire_cache_replace_request {
    int32_t completion_id;
    struct fil_bytes name, key, old_value, new_value, expiry_policy;
};
struct fil_wire_cache_replace_response {
    struct fil_bytes response;
};
struct fil_wire_cache_size_request {
    struct fil_bytes name;
};
struct fil_wire_cache_size_response {
    int32_t response;
};
struct fil_wire_cache_add_partition_lost_listener_request {
    bool local_only;
    struct fil_bytes name;
};
struct fil_wire_cache_add_partition_lost_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_cache_add_partition_lost_listener_cache_partition_lost_event {
    int32_t partition_id;
    struct fil_wire_uuid uuid;
};
struct fil_wire_cache_remove_partition_lost_listener_request {
    struct fil_wire_uuid registration_id;
    struct fil_bytes name;
};
struct fil_wire_cache_remove_partition_lost_listener_response {
    bool response;
};
struct fil_wire_cache_put_all_request {
    int32_t completion_id;
    struct fil_bytes name;
    struct fil_wire_part entries;
    struct fil_bytes expiry_policy;
};
struct fil_wire_cache_iterate_entries_request {
    int32_t batch;
    struct fil_bytes name, iteration_pointers;
};
struct fil_wire_cache_iterate_entries_response {
    struct fil_bytes iteration_pointers;
    struct fil_wire_part entries;
};
struct fil_wire_cache_add_near_cache_invalidation_listener_request {
    bool local_only;
    struct fil_bytes name;
};
struct fil_wire_cache_add_near_cache_invalidation_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_cache_add_near_cache_invalidation_listener_cache_invalidation_event {
    struct fil_wire_uuid source_uuid, partition_uuid;
    int64_t sequence;
    struct fil_bytes name, key;
};
struct fil_wire_cache_add_near_cache_invalidation_listener_cache_batch_invalidation_event {
    struct fil_bytes name;
    struct fil_wire_part keys;
    struct fil_bytes source_uuids, partition_uuids, sequences;
};
struct fil_wire_cache_fetch_near_cache_invalidation_metadata_request {
    struct fil_wire_uuid uuid;
    struct fil_wire_part names;
};
struct fil_wire_cache_fetch_near_cache_invalidation_metadata_response {
    struct fil_wire_part name_partition_sequence_list;
    struct fil_bytes partition_uuid_list;
};
struct fil_wire_cache_event_journal_subscribe_request {
    struct fil_bytes name;
};
struct fil_wire_cache_event_journal_subscribe_response {
    int64_t oldest_sequence, newest_sequence;
};
struct fil_wire_cache_event_journal_read_request {
    int64_t start_sequence;
    int32_t min_size, max_size;
    struct fil_bytes name, predicate, projection;
};
struct fil_wire_cache_event_journal_read_response {
    int32_t read_count;
    int64_t next_seq;
    struct fil_wire_part items;
    struct fil_bytes item_seqs;
};
struct fil_wire_cache_set_expiry_policy_request {
    struct fil_bytes name;
    struct fil_wire_part keys;
    struct fil_bytes expiry_policy;
};
struct fil_wire_cache_set_expiry_policy_response {
    bool response;
};

FIL_WIRE_DECLARE(cache_add_entry_listener);
extern const struct fil_wire_layout fil_wire_cache_add_entry_listener_cache_event_layout;
FIL_WIRE_DECLARE(cache_clear);
FIL_WIRE_DECLARE(cache_remove_all_keys);
FIL_WIRE_DECLARE(cache_remove_all);
FIL_WIRE_DECLARE(cache_contains_key);
FIL_WIRE_DECLARE(cache_create_config);
FIL_WIRE_DECLARE(cache_destroy);
FIL_WIRE_DECLARE(cache_entry_processor);
FIL_WIRE_DECLARE(cache_get_all);
FIL_WIRE_DECLARE(cache_get_and_remove);
FIL_WIRE_DECLARE(cache_get_and_replace);
FIL_WIRE_DECLARE(cache_get_config);
FIL_WIRE_DECLARE(cache_get);
FIL_WIRE_DECLARE(cache_iterate);
FIL_WIRE_DECLARE(cache_listener_registration);
FIL_WIRE_DECLARE(cache_load_all);
FIL_WIRE_DECLARE(cache_management_config);
FIL_WIRE_DECLARE(cache_put_if_absent);
FIL_WIRE_DECLARE(cache_put);
FIL_WIRE_DECLARE(cache_remove_entry_listener);
FIL_WIRE_DECLARE(cache_remove_invalidation_listener);
FIL_WIRE_DECLARE(cache_remove);
FIL_WIRE_DECLARE(cache_replace);
FIL_WIRE_DECLARE(cache_size);
FIL_WIRE_DECLARE(cache_add_partition_lost_listener);
extern const struct fil_wire_layout fil_wire_cache_add_partition_lost_listener_cache_partition_lost_event_layout;
FIL_WIRE_DECLARE(cache_remove_partition_lost_listener);
FIL_WIRE_DECLARE(cache_put_all);
FIL_WIRE_DECLARE(cache_iterate_entries);
FIL_WIRE_DECLARE(cache_add_near_cache_invalidation_listener);
extern const struct fil_wire_layout fil_wire_cache_add_near_cache_invalidation_listener_cache_invalidation_event_layout;
extern const struct fil_wire_layout fil_wire_cache_add_near_cache_invalidation_listener_cache_batch_invalidation_event_layout;
FIL_WIRE_DECLARE(cache_fetch_near_cache_invalidation_metadata);
FIL_WIRE_DECLARE(cache_event_journal_subscribe);
FIL_WIRE_DECLARE(cache_event_journal_read);
FIL_WIRE_DECLARE(cache_set_expiry_policy);
