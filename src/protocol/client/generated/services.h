// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** All services, in the order of their numbers. */
#pragma once

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

#define FIL_WIRE_SERVICE_COUNT 39U
#define FIL_WIRE_MESSAGE_COUNT 474U

extern const struct fil_wire_service fil_wire_services[FIL_WIRE_SERVICE_COUNT];

/** The response that stands for any other: why the call failed. */
struct fil_wire_exception_response {
    struct fil_wire_part errors;
};

extern const struct fil_wire_layout fil_wire_exception_response_layout;

extern const struct fil_wire_message fil_wire_client_messages[23];
extern const struct fil_wire_message fil_wire_map_messages[73];
extern const struct fil_wire_message fil_wire_multi_map_messages[23];
extern const struct fil_wire_message fil_wire_queue_messages[20];
extern const struct fil_wire_message fil_wire_topic_messages[4];
extern const struct fil_wire_message fil_wire_list_messages[23];
extern const struct fil_wire_message fil_wire_set_messages[13];
extern const struct fil_wire_message fil_wire_fenced_lock_messages[4];
extern const struct fil_wire_message fil_wire_executor_service_messages[6];
extern const struct fil_wire_message fil_wire_atomic_long_messages[7];
extern const struct fil_wire_message fil_wire_atomic_ref_messages[5];
extern const struct fil_wire_message fil_wire_count_down_latch_messages[5];
extern const struct fil_wire_message fil_wire_semaphore_messages[7];
extern const struct fil_wire_message fil_wire_replicated_map_messages[21];
extern const struct fil_wire_message fil_wire_transactional_map_messages[18];
extern const struct fil_wire_message fil_wire_transactional_multi_map_messages[6];
extern const struct fil_wire_message fil_wire_transactional_set_messages[3];
extern const struct fil_wire_message fil_wire_transactional_list_messages[3];
extern const struct fil_wire_message fil_wire_transactional_queue_messages[5];
extern const struct fil_wire_message fil_wire_cache_messages[33];
extern const struct fil_wire_message fil_wire_xa_transaction_messages[7];
extern const struct fil_wire_message fil_wire_transaction_messages[3];
extern const struct fil_wire_message fil_wire_continuous_query_messages[6];
extern const struct fil_wire_message fil_wire_ringbuffer_messages[9];
extern const struct fil_wire_message fil_wire_durable_executor_messages[6];
extern const struct fil_wire_message fil_wire_cardinality_estimator_messages[2];
extern const struct fil_wire_message fil_wire_scheduled_executor_messages[18];
extern const struct fil_wire_message fil_wire_dynamic_config_messages[20];
extern const struct fil_wire_message fil_wire_flake_id_generator_messages[1];
extern const struct fil_wire_message fil_wire_pn_counter_messages[3];
extern const struct fil_wire_message fil_wire_cp_group_messages[2];
extern const struct fil_wire_message fil_wire_cp_session_messages[4];
extern const struct fil_wire_message fil_wire_mc_messages[40];
extern const struct fil_wire_message fil_wire_sql_messages[6];
extern const struct fil_wire_message fil_wire_cp_subsystem_messages[6];
extern const struct fil_wire_message fil_wire_cp_map_messages[7];
extern const struct fil_wire_message fil_wire_vector_collection_messages[11];
extern const struct fil_wire_message fil_wire_experimental_messages[1];
extern const struct fil_wire_message fil_wire_jet_messages[20];
