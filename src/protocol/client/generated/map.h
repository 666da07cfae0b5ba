// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** Map: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_map_number {
    FIL_WIRE_MAP_PUT = 0x010100,
    FIL_WIRE_MAP_GET = 0x010200,
    FIL_WIRE_MAP_REMOVE = 0x010300,
    FIL_WIRE_MAP_REPLACE = 0x010400,
    FIL_WIRE_MAP_REPLACE_IF_SAME = 0x010500,
    FIL_WIRE_MAP_CONTAINS_KEY = 0x010600,
    FIL_WIRE_MAP_CONTAINS_VALUE = 0x010700,
    FIL_WIRE_MAP_REMOVE_IF_SAME = 0x010800,
    FIL_WIRE_MAP_DELETE = 0x010900,
    FIL_WIRE_MAP_FLUSH = 0x010a00,
    FIL_WIRE_MAP_TRY_REMOVE = 0x010b00,
    FIL_WIRE_MAP_TRY_PUT = 0x010c00,
    FIL_WIRE_MAP_PUT_TRANSIENT = 0x010d00,
    FIL_WIRE_MAP_PUT_IF_ABSENT = 0x010e00,
    FIL_WIRE_MAP_SET = 0x010f00,
    FIL_WIRE_MAP_LOCK = 0x011000,
    FIL_WIRE_MAP_TRY_LOCK = 0x011100,
    FIL_WIRE_MAP_IS_LOCKED = 0x011200,
    FIL_WIRE_MAP_UNLOCK = 0x011300,
    FIL_WIRE_MAP_ADD_INTERCEPTOR = 0x011400,
    FIL_WIRE_MAP_REMOVE_INTERCEPTOR = 0x011500,
    FIL_WIRE_MAP_ADD_ENTRY_LISTENER_TO_KEY_WITH_PREDICATE = 0x011600,
    FIL_WIRE_MAP_ADD_ENTRY_LISTENER_TO_KEY_WITH_PREDICATE_ENTRY_EVENT = 0x011602,
    FIL_WIRE_MAP_ADD_ENTRY_LISTENER_WITH_PREDICATE = 0x011700,
    FIL_WIRE_MAP_ADD_ENTRY_LISTENER_WITH_PREDICATE_ENTRY_EVENT = 0x011702,
    FIL_WIRE_MAP_ADD_ENTRY_LISTENER_TO_KEY = 0x011800,
    FIL_WIRE_MAP_ADD_ENTRY_LISTENER_TO_KEY_ENTRY_EVENT = 0x011802,
    FIL_WIRE_MAP_ADD_ENTRY_LISTENER = 0x011900,
    FIL_WIRE_MAP_ADD_ENTRY_LISTENER_ENTRY_EVENT = 0x011902,
    FIL_WIRE_MAP_REMOVE_ENTRY_LISTENER = 0x011a00,
    FIL_WIRE_MAP_ADD_PARTITION_LOST_LISTENER = 0x011b00,
    FIL_WIRE_MAP_ADD_PARTITION_LOST_LISTENER_MAP_PARTITION_LOST_EVENT = 0x011b02,
    FIL_WIRE_MAP_REMOVE_PARTITION_LOST_LISTENER = 0x011c00,
    FIL_WIRE_MAP_GET_ENTRY_VIEW = 0x011d00,
    FIL_WIRE_MAP_EVICT = 0x011e00,
    FIL_WIRE_MAP_EVICT_ALL = 0x011f00,
    FIL_WIRE_MAP_LOAD_ALL = 0x012000,
    FIL_WIRE_MAP_LOAD_GIVEN_KEYS = 0x012100,
    FIL_WIRE_MAP_KEY_SET = 0x012200,
    FIL_WIRE_MAP_GET_ALL = 0x012300,
    FIL_WIRE_MAP_VALUES = 0x012400,
    FIL_WIRE_MAP_ENTRY_SET = 0x012500,
    FIL_WIRE_MAP_KEY_SET_WITH_PREDICATE = 0x012600,
    FIL_WIRE_MAP_VALUES_WITH_PREDICATE = 0x012700,
    FIL_WIRE_MAP_ENTRIES_WITH_PREDICATE = 0x012800,
    FIL_WIRE_MAP_ADD_INDEX = 0x012900,
    FIL_WIRE_MAP_SIZE = 0x012a00,
    FIL_WIRE_MAP_IS_EMPTY = 0x012b00,
    FIL_WIRE_MAP_PUT_ALL = 0x012c00,
    FIL_WIRE_MAP_CLEAR = 0x012d00,
    FIL_WIRE_MAP_EXECUTE_ON_KEY = 0x012e00,
    FIL_WIRE_MAP_SUBMIT_TO_KEY = 0x012f00,
    FIL_WIRE_MAP_EXECUTE_ON_ALL_KEYS = 0x013000,
    FIL_WIRE_MAP_EXECUTE_WITH_PREDICATE = 0x013100,
    FIL_WIRE_MAP_EXECUTE_ON_KEYS = 0x013200,
    FIL_WIRE_MAP_FORCE_UNLOCK = 0x013300,
    FIL_WIRE_MAP_KEY_SET_WITH_PAGING_PREDICATE = 0x013400,
    FIL_WIRE_MAP_VALUES_WITH_PAGING_PREDICATE = 0x013500,
    FIL_WIRE_MAP_ENTRIES_WITH_PAGING_PREDICATE = 0x013600,
    FIL_WIRE_MAP_FETCH_KEYS = 0x013700,
    FIL_WIRE_MAP_FETCH_ENTRIES = 0x013800,
    FIL_WIRE_MAP_AGGREGATE = 0x013900,
    FIL_WIRE_MAP_AGGREGATE_WITH_PREDICATE = 0x013a00,
    FIL_WIRE_MAP_PROJECT = 0x013b00,
    FIL_WIRE_MAP_PROJECT_WITH_PREDICATE = 0x013c00,
    FIL_WIRE_MAP_FETCH_NEAR_CACHE_INVALIDATION_METADATA = 0x013d00,
    FIL_WIRE_MAP_REMOVE_ALL = 0x013e00,
    FIL_WIRE_MAP_ADD_NEAR_CACHE_INVALIDATION_LISTENER = 0x013f00,
    FIL_WIRE_MAP_ADD_NEAR_CACHE_INVALIDATION_LISTENER_I_MAP_INVALIDATION_EVENT = 0x013f02,
    FIL_WIRE_MAP_ADD_NEAR_CACHE_INVALIDATION_LISTENER_I_MAP_BATCH_INVALIDATION_EVENT = 0x013f03,
    FIL_WIRE_MAP_FETCH_WITH_QUERY = 0x014000,
    FIL_WIRE_MAP_EVENT_JOURNAL_SUBSCRIBE = 0x014100,
    FIL_WIRE_MAP_EVENT_JOURNAL_READ = 0x014200,
    FIL_WIRE_MAP_SET_TTL = 0x014300,
    FIL_WIRE_MAP_PUT_WITH_MAX_IDLE = 0x014400,
    FIL_WIRE_MAP_PUT_TRANSIENT_WITH_MAX_IDLE = 0x014500,
    FIL_WIRE_MAP_PUT_IF_ABSENT_WITH_MAX_IDLE = 0x014600,
    FIL_WIRE_MAP_SET_WITH_MAX_IDLE = 0x014700,
    FIL_WIRE_MAP_REPLACE_ALL = 0x014800,
    FIL_WIRE_MAP_PUT_ALL_WITH_METADATA = 0x014900,
};

struct fil_wire_map_put_request {
    int64_t thread_id, ttl;
    struct fil_bytes name, key, value;
};
struct fil_wire_map_put_response {
    struct fil_bytes response;
};
struct fil_wire_map_get_request {
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_map_get_response {
    struct fil_bytes response;
};
struct fil_wire_map_remove_request {
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_map_remove_response {
    struct fil_bytes response;
};
struct fil_wire_map_replace_request {
    int64_t thread_id;
    struct fil_bytes name, key, value;
};
struct fil_wire_map_replace_response {
    struct fil_bytes response;
};
struct fil_wire_map_replace_if_same_request {
    int64_t thread_id;
    struct fil_bytes name, key, test_value, value;
};
struct fil_wire_map_replace_if_same_response {
    bool response;
};
struct fil_wire_map_contains_key_request {
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_map_contains_key_response {
    bool response;
};
struct fil_wire_map_contains_value_request {
    struct fil_bytes name, value;
};
struct fil_wire_map_contains_value_response {
    bool response;
};
struct fil_wire_map_remove_if_same_request {
    int64_t thread_id;
    struct fil_bytes name, key, value;
};
struct fil_wire_map_remove_if_same_response {
    bool response;
};
struct fil_wire_map_delete_request {
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_map_delete_response {
    bool response;
    bool has_response; // since 2.7
};
struct fil_wire_map_flush_request {
    struct fil_bytes name;
};
struct fil_wire_map_try_remove_request {
    int64_t thread_id, timeout;
    struct fil_bytes name, key;
};
struct fil_wire_map_try_remove_response {
    bool response;
};
struct fil_wire_map_try_put_request {
    int64_t thread_id, timeout;
    struct fil_bytes name, key, value;
};
struct fil_wire_map_try_put_response {
    bool response;
};
struct fil_wire_map_put_transient_request {
    int64_t thread_id, ttl;
    struct fil_bytes name, key, value;
};
struct fil_wire_map_put_if_absent_request {
    int64_t thread_id, ttl;
    struct fil_bytes name, key, value;
};
struct fil_wire_map_put_if_absent_response {
    struct fil_bytes response;
};
struct fil_wire_map_set_request {
    int64_t thread_id, ttl;
    struct fil_bytes name, key, value;
};
struct fil_wire_map_lock_request {
    int64_t thread_id, ttl, reference_id;
    struct fil_bytes name, key;
};
struct fil_wire_map_try_lock_request {
    int64_t thread_id, lease, timeout, reference_id;
    struct fil_bytes name, key;
};
struct fil_wire_map_try_lock_response {
    bool response;
};
struct fil_wire_map_is_locked_request {
    struct fil_bytes name, key;
};
struct fil_wire_map_is_locked_response {
    bool response;
};
struct fil_wire_map_unlock_request {
    int64_t thread_id, reference_id;
    struct fil_bytes name, key;
};
struct fil_wire_map_add_interceptor_request {
    struct fil_bytes name, interceptor;
};
struct fil_wire_map_add_interceptor_response {
    struct fil_bytes response;
};
struct fil_wire_map_remove_interceptor_request {
    struct fil_bytes name, id;
};
struct fil_wire_map_remove_interceptor_response {
    bool response;
};
struct fil_wire_map_add_entry_listener_to_key_with_predicate_request {
    bool include_value;
    int32_t listener_flags;
    bool local_only;
    struct fil_bytes name, key, predicate;
};
struct fil_wire_map_add_entry_listener_to_key_with_predicate_response {
    struct fil_wire_uuid response;
};
struct fil_wire_map_add_entry_listener_to_key_with_predicate_entry_event {
    int32_t event_type;
    struct fil_wire_uuid uuid;
    int32_t number_of_affected_entries;
    struct fil_bytes key, value, old_value, merging_value;
};
struct fil_wire_map_add_entry_listener_with_predicate_request {
    bool include_value;
    int32_t listener_flags;
    bool local_only;
    struct fil_bytes name, predicate;
};
struct fil_wire_map_add_entry_listener_with_predicate_response {
    struct fil_wire_uuid response;
};
struct fil_wire_map_add_entry_listener_with_predicate_entry_event {
    int32_t event_type;
    struct fil_wire_uuid uuid;
    int32_t number_of_affected_entries;
    struct fil_bytes key, value, old_value, merging_value;
};
struct fil_wire_map_add_entry_listener_to_key_request {
    bool include_value;
    int32_t listener_flags;
    bool local_only;
    struct fil_bytes name, key;
};
struct fil_wire_map_add_entry_listener_to_key_response {
    struct fil_wire_uuid response;
};
struct fil_wire_map_add_entry_listener_to_key_entry_event {
    int32_t event_type;
    struct fil_wire_uuid uuid;
    int32_t number_of_affected_entries;
    struct fil_bytes key, value, old_value, merging_value;
};
struct fil_wire_map_add_entry_listener_request {
    bool include_value;
    int32_t listener_flags;
    bool local_only;
    struct fil_bytes name;
};
struct fil_wire_map_add_entry_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_map_add_entry_listener_entry_event {
    int32_t event_type;
    struct fil_wire_uuid uuid;
    int32_t number_of_affected_entries;
    struct fil_bytes key, value, old_value, merging_value;
};
struct fil_wire_map_remove_entry_listener_request {
    struct fil_wire_uuid registration_id;
    struct fil_bytes name;
};
struct fil_wire_map_remove_entry_listener_response {
    bool response;
};
struct fil_wire_map_add_partition_lost_listener_request {
    bool local_only;
    struct fil_bytes name;
};
struct fil_wire_map_add_partition_lost_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_map_add_partition_lost_listener_map_partition_lost_event {
    int32_t partition_id;
    struct fil_wire_uuid uuid;
};
struct fil_wire_map_remove_partition_lost_listener_request {
    struct fil_wire_uuid registration_id;
    struct fil_bytes name;
};
struct fil_wire_map_remove_partition_lost_listener_response {
    bool response;
};
struct fil_wire_map_get_entry_view_request {
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_map_get_entry_view_response {
    int64_t max_idle;
    struct fil_wire_part response;
};
struct fil_wire_map_evict_request {
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_map_evict_response {
    bool response;
};
struct fil_wire_map_evict_all_request {
    struct fil_bytes name;
};
struct fil_wire_map_load_all_request {
    bool replace_existing_values;
    struct fil_bytes name;
};
struct fil_wire_map_load_given_keys_request {
    bool replace_existing_values;
    struct fil_bytes name;
    struct fil_wire_part keys;
};
struct fil_wire_map_key_set_request {
    struct fil_bytes name;
};
struct fil_wire_map_key_set_response {
    struct fil_wire_part response;
};
struct fil_wire_map_get_all_request {
    struct fil_bytes name;
    struct fil_wire_part keys;
};
struct fil_wire_map_get_all_response {
    struct fil_wire_part response;
};
struct fil_wire_map_values_request {
    struct fil_bytes name;
};
struct fil_wire_map_values_response {
    struct fil_wire_part response;
};
struct fil_wire_map_entry_set_request {
    struct fil_bytes name;
};
struct fil_wire_map_entry_set_response {
    struct fil_wire_part response;
};
struct fil_wire_map_key_set_with_predicate_request {
    struct fil_bytes name, predicate;
};
struct fil_wire_map_key_set_with_predicate_response {
    struct fil_wire_part response;
};
struct fil_wire_map_values_with_predicate_request {
    struct fil_bytes name, predicate;
};
struct fil_wire_map_values_with_predicate_response {
    struct fil_wire_part response;
};
struct fil_wire_map_entries_with_predicate_request {
    struct fil_bytes name, predicate;
};
struct fil_wire_map_entries_with_predicate_response {
    struct fil_wire_part response;
};
struct fil_wire_map_add_index_request {
    struct fil_bytes name;
    struct fil_wire_part index_config;
};
struct fil_wire_map_size_request {
    struct fil_bytes name;
};
struct fil_wire_map_size_response {
    int32_t response;
};
struct fil_wire_map_is_empty_request {
    struct fil_bytes name;
};
struct fil_wire_map_is_empty_response {
    bool response;
};
struct fil_wire_map_put_all_request {
    bool trigger_map_loader;
    struct fil_bytes name;
    struct fil_wire_part entries;
    bool has_trigger_map_loader; // since 2.1
};
struct fil_wire_map_clear_request {
    struct fil_bytes name;
};
struct fil_wire_map_execute_on_key_request {
    int64_t thread_id;
    struct fil_bytes name, entry_processor, key;
};
struct fil_wire_map_execute_on_key_response {
    struct fil_bytes response;
};
struct fil_wire_map_submit_to_key_request {
    int64_t thread_id;
    struct fil_bytes name, entry_processor, key;
};
struct fil_wire_map_submit_to_key_response {
    struct fil_bytes response;
};
struct fil_wire_map_execute_on_all_keys_request {
    struct fil_bytes name, entry_processor;
};
struct fil_wire_map_execute_on_all_keys_response {
    struct fil_wire_part response;
};
struct fil_wire_map_execute_with_predicate_request {
    struct fil_bytes name, entry_processor, predicate;
};
struct fil_wire_map_execute_with_predicate_response {
    struct fil_wire_part response;
};
struct fil_wire_map_execute_on_keys_request {
    struct fil_bytes name, entry_processor;
    struct fil_wire_part keys;
};
struct fil_wire_map_execute_on_keys_response {
    struct fil_wire_part response;
};
struct fil_wire_map_force_unlock_request {
    int64_t reference_id;
    struct fil_bytes name, key;
};
struct fil_wire_map_key_set_with_paging_predicate_request {
    struct fil_bytes name;
    struct fil_wire_part predicate;
};
struct fil_wire_map_key_set_with_paging_predicate_response {
    struct fil_wire_part response, anchor_data_list;
};
struct fil_wire_map_values_with_paging_predicate_request {
    struct fil_bytes name;
    struct fil_wire_part predicate;
};
struct fil_wire_map_values_with_paging_predicate_response {
    struct fil_wire_part response, anchor_data_list;
};
struct fil_wire_map_entries_with_paging_predicate_request {
    struct fil_bytes name;
    struct fil_wire_part predicate;
};
struct fil_wire_map_entries_with_paging_predicate_response {
    struct fil_wire_part response, anchor_data_list;
};
struct fil_wire_map_fetch_keys_request {
    int32_t batch;
    struct fil_bytes name, iteration_pointers;
};
struct fil_wire_map_fetch_keys_response {
    struct fil_bytes iteration_pointers;
    struct fil_wire_part keys;
};
struct fil_wire_map_fetch_entries_request {
    int32_t batch;
    struct fil_bytes name, iteration_pointers;
};
struct fil_wire_map_fetch_entries_response {
    struct fil_bytes iteration_pointers;
    struct fil_wire_part entries;
};
struct fil_wire_map_aggregate_request {
    struct fil_bytes name, aggregator;
};
struct fil_wire_map_aggregate_response {
    struct fil_bytes response;
};
struct fil_wire_map_aggregate_with_predicate_request {
    struct fil_bytes name, aggregator, predicate;
};
struct fil_wire_map_aggregate_with_predicate_response {
    struct fil_bytes response;
};
struct fil_wire_map_project_request {
    struct fil_bytes name, projection;
};
struct fil_wire_map_project_response {
    struct fil_wire_part response;
};
struct fil_wire_map_project_with_predicate_request {
    struct fil_bytes name, projection, predicate;
};
struct fil_wire_map_project_with_predicate_response {
    struct fil_wire_part response;
};
struct fil_wire_map_fetch_near_cache_invalidation_metadata_request {
    struct fil_wire_uuid uuid;
    struct fil_wire_part names;
};
struct fil_wire_map_fetch_near_cache_invalidation_metadata_response {
    struct fil_wire_part name_partition_sequence_list;
    struct fil_bytes partition_uuid_list;
};
struct fil_wire_map_remove_all_request {
    struct fil_bytes name, predicate;
};
struct fil_wire_map_add_near_cache_invalidation_listener_request {
    int32_t listener_flags;
    bool local_only;
    struct fil_bytes name;
};
struct fil_wire_map_add_near_cache_invalidation_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_map_add_near_cache_invalidation_listener_i_map_invalidation_event {
    struct fil_wire_uuid source_uuid, partition_uuid;
    int64_t sequence;
    struct fil_bytes key;
};
struct fil_wire_map_add_near_cache_invalidation_listener_i_map_batch_invalidation_event {
    struct fil_wire_part keys;
    struct fil_bytes source_uuids, partition_uuids, sequences;
};
struct fil_wire_map_fetch_with_query_request {
    int32_t batch;
    struct fil_bytes name, iteration_pointers, projection, predicate;
};
struct fil_wire_map_fetch_with_query_response {
    struct fil_wire_part results;
    struct fil_bytes iteration_pointers;
};
struct fil_wire_map_event_journal_subscribe_request {
    struct fil_bytes name;
};
struct fil_wire_map_event_journal_subscribe_response {
    int64_t oldest_sequence, newest_sequence;
};
struct fil_wire_map_event_journal_read_request {
    int64_t start_sequence;
    int32_t min_size, max_size;
    struct fil_bytes name, predicate, projection;
};
struct fil_wire_map_event_journal_read_response {
    int32_t read_count;
    int64_t next_seq;
    struct fil_wire_part items;
    struct fil_bytes item_seqs;
};
struct fil_wire_map_set_ttl_request {
    int64_t ttl;
    struct fil_bytes name, key;
};
struct fil_wire_map_set_ttl_response {
    bool response;
};
struct fil_wire_map_put_with_max_idle_request {
    int64_t thread_id, ttl, max_idle;
    struct fil_bytes name, key, value;
};
struct fil_wire_map_put_with_max_idle_response {
    struct fil_bytes response;
};
struct fil_wire_map_put_transient_with_max_idle_request {
    int64_t thread_id, ttl, max_idle;
    struct fil_bytes name, key, value;
};
struct fil_wire_map_put_transient_with_max_idle_response {
    struct fil_bytes response;
};
struct fil_wire_map_put_if_absent_with_max_idle_request {
    int64_t thread_id, ttl, max_idle;
    struct fil_bytes name, key, value;
};
struct fil_wire_map_put_if_absent_with_max_idle_response {
    struct fil_bytes response;
};
struct fil_wire_map_set_with_max_idle_request {
    int64_t thread_id, ttl, max_idle;
    struct fil_bytes name, key, value;
};
struct fil_wire_map_set_with_max_idle_response {
    struct fil_bytes response;
};
struct fil_wire_map_replace_all_request {
    struct fil_bytes name, function;
};
struct fil_wire_map_put_all_with_metadata_request {
    struct fil_bytes name;
    struct fil_wire_part entries;
};

FIL_WIRE_DECLARE(map_put);
FIL_WIRE_DECLARE(map_get);
FIL_WIRE_DECLARE(map_remove);
FIL_WIRE_DECLARE(map_replace);
FIL_WIRE_DECLARE(map_replace_if_same);
FIL_WIRE_DECLARE(map_contains_key);
FIL_WIRE_DECLARE(map_contains_value);
FIL_WIRE_DECLARE(map_remove_if_same);
FIL_WIRE_DECLARE(map_delete);
FIL_WIRE_DECLARE(map_flush);
FIL_WIRE_DECLARE(map_try_remove);
FIL_WIRE_DECLARE(map_try_put);
FIL_WIRE_DECLARE(map_put_transient);
FIL_WIRE_DECLARE(map_put_if_absent);
FIL_WIRE_DECLARE(map_set);
FIL_WIRE_DECLARE(map_lock);
FIL_WIRE_DECLARE(map_try_lock);
FIL_WIRE_DECLARE(map_is_locked);
FIL_WIRE_DECLARE(map_unlock);
FIL_WIRE_DECLARE(map_add_interceptor);
FIL_WIRE_DECLARE(map_remove_interceptor);
FIL_WIRE_DECLARE(map_add_entry_listener_to_key_with_predicate);
extern const struct fil_wire_layout fil_wire_map_add_entry_listener_to_key_with_predicate_entry_event_layout;
FIL_WIRE_DECLARE(map_add_entry_listener_with_predicate);
extern const struct fil_wire_layout fil_wire_map_add_entry_listener_with_predicate_entry_event_layout;
FIL_WIRE_DECLARE(map_add_entry_listener_to_key);
extern const struct fil_wire_layout fil_wire_map_add_entry_listener_to_key_entry_event_layout;
FIL_WIRE_DECLARE(map_add_entry_listener);
extern const struct fil_wire_layout fil_wire_map_add_entry_listener_entry_event_layout;
FIL_WIRE_DECLARE(map_remove_entry_listener);
FIL_WIRE_DECLARE(map_add_partition_lost_listener);
extern const struct fil_wire_layout fil_wire_map_add_partition_lost_listener_map_partition_lost_event_layout;
FIL_WIRE_DECLARE(map_remove_partition_lost_listener);
FIL_WIRE_DECLARE(map_get_entry_view);
FIL_WIRE_DECLARE(map_evict);
FIL_WIRE_DECLARE(map_evict_all);
FIL_WIRE_DECLARE(map_load_all);
FIL_WIRE_DECLARE(map_load_given_keys);
FIL_WIRE_DECLARE(map_key_set);
FIL_WIRE_DECLARE(map_get_all);
FIL_WIRE_DECLARE(map_values);
FIL_WIRE_DECLARE(map_entry_set);
FIL_WIRE_DECLARE(map_key_set_with_predicate);
FIL_WIRE_DECLARE(map_values_with_predicate);
FIL_WIRE_DECLARE(map_entries_with_predicate);
FIL_WIRE_DECLARE(map_add_index);
FIL_WIRE_DECLARE(map_size);
FIL_WIRE_DECLARE(map_is_empty);
FIL_WIRE_DECLARE(map_put_all);
FIL_WIRE_DECLARE(map_clear);
FIL_WIRE_DECLARE(map_execute_on_key);
FIL_WIRE_DECLARE(map_submit_to_key);
FIL_WIRE_DECLARE(map_execute_on_all_keys);
FIL_WIRE_DECLARE(map_execute_with_predicate);
FIL_WIRE_DECLARE(map_execute_on_keys);
FIL_WIRE_DECLARE(map_force_unlock);
FIL_WIRE_DECLARE(map_key_set_with_paging_predicate);
FIL_WIRE_DECLARE(map_values_with_paging_predicate);
FIL_WIRE_DECLARE(map_entries_with_paging_predicate);
FIL_WIRE_DECLARE(map_fetch_keys);
FIL_WIRE_DECLARE(map_fetch_entries);
FIL_WIRE_DECLARE(map_aggregate);
FIL_WIRE_DECLARE(map_aggregate_with_predicate);
FIL_WIRE_DECLARE(map_project);
FIL_WIRE_DECLARE(map_project_with_predicate);
FIL_WIRE_DECLARE(map_fetch_near_cache_invalidation_metadata);
FIL_WIRE_DECLARE(map_remove_all);
FIL_WIRE_DECLARE(map_add_near_cache_invalidation_listener);
extern const struct fil_wire_layout fil_wire_map_add_near_cache_invalidation_listener_i_map_invalidation_event_layout;
extern const struct fil_wire_layout fil_wire_map_add_near_cache_invalidation_listener_i_map_batch_invalidation_event_layout;
FIL_WIRE_DECLARE(map_fetch_with_query);
FIL_WIRE_DECLARE(map_event_journal_subscribe);
FIL_WIRE_DECLARE(map_event_journal_read);
FIL_WIRE_DECLARE(map_set_ttl);
FIL_WIRE_DECLARE(map_put_with_max_idle);
FIL_WIRE_DECLARE(map_put_transient_with_max_idle);
FIL_WIRE_DECLARE(map_put_if_absent_with_max_idle);
FIL_WIRE_DECLARE(map_set_with_max_idle);
FIL_WIRE_DECLARE(map_replace_all);
FIL_WIRE_DECLARE(map_put_all_with_metadata);
