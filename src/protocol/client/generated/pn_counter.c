// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/pn_counter.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field pn_counter_get_request_fields[] = {
    FIL_WIRE_FIELD(pn_counter_get_request, target_replica_uuid, uuid, 0),
    FIL_WIRE_FIELD(pn_counter_get_request, name, string, 0),
    FIL_WIRE_FIELD(pn_counter_get_request, replica_timestamps, map_uuid_i64, 0),
};
static const struct fil_wire_field pn_counter_get_response_fields[] = {
    FIL_WIRE_FIELD(pn_counter_get_response, value, i64, 0),
    FIL_WIRE_FIELD(pn_counter_get_response, replica_count, i32, 8),
    FIL_WIRE_FIELD(pn_counter_get_response, replica_timestamps, map_uuid_i64, 0),
};
static const struct fil_wire_field pn_counter_add_request_fields[] = {
    FIL_WIRE_FIELD(pn_counter_add_request, delta, i64, 0),
    FIL_WIRE_FIELD(pn_counter_add_request, get_before_update, bool, 8),
    FIL_WIRE_FIELD(pn_counter_add_request, target_replica_uuid, uuid, 9),
    FIL_WIRE_FIELD(pn_counter_add_request, name, string, 0),
    FIL_WIRE_FIELD(pn_counter_add_request, replica_timestamps, map_uuid_i64, 0),
};
static const struct fil_wire_field pn_counter_get_configured_replica_count_request_fields[] = {
    FIL_WIRE_FIELD(pn_counter_get_configured_replica_count_request, name, string, 0),
};
static const struct fil_wire_field pn_counter_get_configured_replica_count_response_fields[] = {
    FIL_WIRE_FIELD(pn_counter_get_configured_replica_count_response, response, i32, 0),
};

FIL_WIRE_LAYOUT_MAKE(pn_counter_get_request, "PNCounter.get", REQUEST, 0x1d0100, pn_counter_get_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(pn_counter_get_response, "PNCounter.get", RESPONSE, 0x1d0101, pn_counter_get_response_fields, 2, 12, 12);
FIL_WIRE_LAYOUT_MAKE(pn_counter_add_request, "PNCounter.add", REQUEST, 0x1d0200, pn_counter_add_request_fields, 3, 26, 26);
FIL_WIRE_LAYOUT_MAKE(pn_counter_add_response, "PNCounter.add", RESPONSE, 0x1d0201, pn_counter_get_response_fields, 2, 12, 12);
FIL_WIRE_LAYOUT_MAKE(pn_counter_get_configured_replica_count_request, "PNCounter.getConfiguredReplicaCount", REQUEST, 0x1d0300, pn_counter_get_configured_replica_count_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(pn_counter_get_configured_replica_count_response, "PNCounter.getConfiguredReplicaCount", RESPONSE, 0x1d0301, pn_counter_get_configured_replica_count_response_fields, 1, 4, 4);


const struct fil_wire_message fil_wire_pn_counter_messages[] = {
    FIL_WIRE_MESSAGE(pn_counter_get, "pn_counter.get", 0x1d0100, true, 0, NULL),
    FIL_WIRE_MESSAGE(pn_counter_add, "pn_counter.add", 0x1d0200, false, 0, NULL),
    FIL_WIRE_MESSAGE(pn_counter_get_configured_replica_count, "pn_counter.get_configured_replica_count", 0x1d0300, true, 0, NULL),
};
