// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/services.h"

#include <stddef.h>

#include "protocol/client/generated/types.h"

static const struct fil_wire_field exception_response_fields[] = {
    FIL_WIRE_FIELD(exception_response, errors, list_error_holder, 0),
};

FIL_WIRE_LAYOUT_MAKE(exception_response, "exception", RESPONSE, 0x000000, exception_response_fields, 0, 0, 0);

const struct fil_wire_service fil_wire_services[FIL_WIRE_SERVICE_COUNT] = {
    {.name = "client", .id = 0x00, .message_count = 23, .messages = fil_wire_client_messages},
    {.name = "map", .id = 0x01, .message_count = 73, .messages = fil_wire_map_messages},
    {.name = "multi_map", .id = 0x02, .message_count = 23, .messages = fil_wire_multi_map_messages},
    {.name = "queue", .id = 0x03, .message_count = 20, .messages = fil_wire_queue_messages},
    {.name = "topic", .id = 0x04, .message_count = 4, .messages = fil_wire_topic_messages},
    {.name = "list", .id = 0x05, .message_count = 23, .messages = fil_wire_list_messages},
    {.name = "set", .id = 0x06, .message_count = 13, .messages = fil_wire_set_messages},
    {.name = "fenced_lock", .id = 0x07, .message_count = 4, .messages = fil_wire_fenced_lock_messages},
    {.name = "executor_service", .id = 0x08, .message_count = 6, .messages = fil_wire_executor_service_messages},
    {.name = "atomic_long", .id = 0x09, .message_count = 7, .messages = fil_wire_atomic_long_messages},
    {.name = "atomic_ref", .id = 0x0a, .message_count = 5, .messages = fil_wire_atomic_ref_messages},
    {.name = "count_down_latch", .id = 0x0b, .message_count = 5, .messages = fil_wire_count_down_latch_messages},
    {.name = "semaphore", .id = 0x0c, .message_count = 7, .messages = fil_wire_semaphore_messages},
    {.name = "replicated_map", .id = 0x0d, .message_count = 21, .messages = fil_wire_replicated_map_messages},
    {.name = "transactional_map", .id = 0x0e, .message_count = 18, .messages = fil_wire_transactional_map_messages},
    {.name = "transactional_multi_map", .id = 0x0f, .message_count = 6, .messages = fil_wire_transactional_multi_map_messages},
    {.name = "transactional_set", .id = 0x10, .message_count = 3, .messages = fil_wire_transactional_set_messages},
    {.name = "transactional_list", .id = 0x11, .message_count = 3, .messages = fil_wire_transactional_list_messages},
    {.name = "transactional_queue", .id = 0x12, .message_count = 5, .messages = fil_wire_transactional_queue_messages},
    {.name = "cache", .id = 0x13, .message_count = 33, .messages = fil_wire_cache_messages},
    {.name = "xa_transaction", .id = 0x14, .message_count = 7, .messages = fil_wire_xa_transaction_messages},
    {.name = "transaction", .id = 0x15, .message_count = 3, .messages = fil_wire_transaction_messages},
    {.name = "continuous_query", .id = 0x16, .message_count = 6, .messages = fil_wire_continuous_query_messages},
    {.name = "ringbuffer", .id = 0x17, .message_count = 9, .messages = fil_wire_ringbuffer_messages},
    {.name = "durable_executor", .id = 0x18, .message_count = 6, .messages = fil_wire_durable_executor_messages},
    {.name = "cardinality_estimator", .id = 0x19, .message_count = 2, .messages = fil_wire_cardinality_estimator_messages},
    {.name = "scheduled_executor", .id = 0x1a, .message_count = 18, .messages = fil_wire_scheduled_executor_messages},
    {.name = "dynamic_config", .id = 0x1b, .message_count = 20, .messages = fil_wire_dynamic_config_messages},
    {.name = "flake_id_generator", .id = 0x1c, .message_count = 1, .messages = fil_wire_flake_id_generator_messages},
    {.name = "pn_counter", .id = 0x1d, .message_count = 3, .messages = fil_wire_pn_counter_messages},
    {.name = "cp_group", .id = 0x1e, .message_count = 2, .messages = fil_wire_cp_group_messages},
    {.name = "cp_session", .id = 0x1f, .message_count = 4, .messages = fil_wire_cp_session_messages},
    {.name = "mc", .id = 0x20, .message_count = 40, .messages = fil_wire_mc_messages},
    {.name = "sql", .id = 0x21, .message_count = 6, .messages = fil_wire_sql_messages},
    {.name = "cp_subsystem", .id = 0x22, .message_count = 6, .messages = fil_wire_cp_subsystem_messages},
    {.name = "cp_map", .id = 0x23, .message_count = 7, .messages = fil_wire_cp_map_messages},
    {.name = "vector_collection", .id = 0x24, .message_count = 11, .messages = fil_wire_vector_collection_messages},
    {.name = "experimental", .id = 0xfd, .message_count = 1, .messages = fil_wire_experimental_messages},
    {.name = "jet", .id = 0xfe, .message_count = 20, .messages = fil_wire_jet_messages},
};
