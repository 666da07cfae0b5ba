// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** CPSubsystem: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_cp_subsystem_number {
    FIL_WIRE_CP_SUBSYSTEM_ADD_MEMBERSHIP_LISTENER = 0x220100,
    FIL_WIRE_CP_SUBSYSTEM_ADD_MEMBERSHIP_LISTENER_MEMBERSHIP_EVENT = 0x220102,
    FIL_WIRE_CP_SUBSYSTEM_REMOVE_MEMBERSHIP_LISTENER = 0x220200,
    FIL_WIRE_CP_SUBSYSTEM_ADD_GROUP_AVAILABILITY_LISTENER = 0x220300,
    FIL_WIRE_CP_SUBSYSTEM_ADD_GROUP_AVAILABILITY_LISTENER_GROUP_AVAILABILITY_EVENT = 0x220302,
    FIL_WIRE_CP_SUBSYSTEM_REMOVE_GROUP_AVAILABILITY_LISTENER = 0x220400,
    FIL_WIRE_CP_SUBSYSTEM_GET_CP_GROUP_IDS = 0x220500,
    FIL_WIRE_CP_SUBSYSTEM_GET_CP_OBJECT_INFOS = 0x220600,
};

struct fil_wire_cp_subsystem_add_membership_listener_request {
    bool local;
};
struct fil_wire_cp_subsystem_add_membership_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_cp_subsystem_add_membership_listener_membership_event {
    int8_t type;
    struct fil_wire_part member;
};
struct fil_wire_cp_subsystem_remove_membership_listener_request {
    struct fil_wire_uuid registration_id;
};
struct fil_wire_cp_subsystem_remove_membership_listener_response {
    bool response;
};
struct fil_wire_cp_subsystem_add_group_availability_listener_request {
    bool local;
};
struct fil_wire_cp_subsystem_add_group_availability_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_cp_subsystem_add_group_availability_listener_group_availability_event {
    bool is_shutdown;
    struct fil_wire_part group_id, members, unavailable_members;
    bool has_is_shutdown; // since 2.7
};
struct fil_wire_cp_subsystem_remove_group_availability_listener_request {
    struct fil_wire_uuid registration_id;
};
struct fil_wire_cp_subsystem_remove_group_availability_listener_response {
    bool response;
};
struct fil_wire_cp_subsystem_get_cp_group_ids_response {
    struct fil_wire_part response;
};
struct fil_wire_cp_subsystem_get_cp_object_infos_request {
    bool tombstone;
    struct fil_wire_part group_id;
    struct fil_bytes service_name;
};
struct fil_wire_cp_subsystem_get_cp_object_infos_response {
    struct fil_wire_part response;
};

FIL_WIRE_DECLARE(cp_subsystem_add_membership_listener);
extern const struct fil_wire_layout fil_wire_cp_subsystem_add_membership_listener_membership_event_layout;
FIL_WIRE_DECLARE(cp_subsystem_remove_membership_listener);
FIL_WIRE_DECLARE(cp_subsystem_add_group_availability_listener);
extern const struct fil_wire_layout fil_wire_cp_subsystem_add_group_availability_listener_group_availability_event_layout;
FIL_WIRE_DECLARE(cp_subsystem_remove_group_availability_listener);
FIL_WIRE_DECLARE(cp_subsystem_get_cp_group_ids);
FIL_WIRE_DECLARE(cp_subsystem_get_cp_object_infos);
