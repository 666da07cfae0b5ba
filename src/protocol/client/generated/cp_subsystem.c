// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/cp_subsystem.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field cp_subsystem_add_membership_listener_request_fields[] = {
    FIL_WIRE_FIELD(cp_subsystem_add_membership_listener_request, local, bool, 0),
};
static const struct fil_wire_field cp_subsystem_add_membership_listener_response_fields[] = {
    FIL_WIRE_FIELD(cp_subsystem_add_membership_listener_response, response, uuid, 0),
};
static const struct fil_wire_field cp_subsystem_add_membership_listener_membership_event_fields[] = {
    FIL_WIRE_FIELD(cp_subsystem_add_membership_listener_membership_event, type, i8, 0),
    FIL_WIRE_FIELD(cp_subsystem_add_membership_listener_membership_event, member, cp_member, 0),
};
static const struct fil_wire_field cp_subsystem_remove_membership_listener_request_fields[] = {
    FIL_WIRE_FIELD(cp_subsystem_remove_membership_listener_request, registration_id, uuid, 0),
};
static const struct fil_wire_field cp_subsystem_remove_membership_listener_response_fields[] = {
    FIL_WIRE_FIELD(cp_subsystem_remove_membership_listener_response, response, bool, 0),
};
static const struct fil_wire_field cp_subsystem_add_group_availability_listener_group_availability_event_fields[] = {
    FIL_WIRE_NEWER(cp_subsystem_add_group_availability_listener_group_availability_event, is_shutdown, bool, 0),
    FIL_WIRE_FIELD(cp_subsystem_add_group_availability_listener_group_availability_event, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(cp_subsystem_add_group_availability_listener_group_availability_event, members, list_cp_member, 0),
    FIL_WIRE_FIELD(cp_subsystem_add_group_availability_listener_group_availability_event, unavailable_members, list_cp_member, 0),
};
static const struct fil_wire_field cp_subsystem_get_cp_group_ids_response_fields[] = {
    FIL_WIRE_FIELD(cp_subsystem_get_cp_group_ids_response, response, list_raft_group_id, 0),
};
static const struct fil_wire_field cp_subsystem_get_cp_object_infos_request_fields[] = {
    FIL_WIRE_FIELD(cp_subsystem_get_cp_object_infos_request, tombstone, bool, 0),
    FIL_WIRE_FIELD(cp_subsystem_get_cp_object_infos_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(cp_subsystem_get_cp_object_infos_request, service_name, string, 0),
};
static const struct fil_wire_field cp_subsystem_get_cp_object_infos_response_fields[] = {
    FIL_WIRE_FIELD(cp_subsystem_get_cp_object_infos_response, response, list_string, 0),
};

FIL_WIRE_LAYOUT_MAKE(cp_subsystem_add_membership_listener_request, "CPSubsystem.addMembershipListener", REQUEST, 0x220100, cp_subsystem_add_membership_listener_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cp_subsystem_add_membership_listener_response, "CPSubsystem.addMembershipListener", RESPONSE, 0x220101, cp_subsystem_add_membership_listener_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(cp_subsystem_add_membership_listener_membership_event, "CPSubsystem.addMembershipListener", EVENT, 0x220102, cp_subsystem_add_membership_listener_membership_event_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cp_subsystem_remove_membership_listener_request, "CPSubsystem.removeMembershipListener", REQUEST, 0x220200, cp_subsystem_remove_membership_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(cp_subsystem_remove_membership_listener_response, "CPSubsystem.removeMembershipListener", RESPONSE, 0x220201, cp_subsystem_remove_membership_listener_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cp_subsystem_add_group_availability_listener_request, "CPSubsystem.addGroupAvailabilityListener", REQUEST, 0x220300, cp_subsystem_add_membership_listener_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cp_subsystem_add_group_availability_listener_response, "CPSubsystem.addGroupAvailabilityListener", RESPONSE, 0x220301, cp_subsystem_add_membership_listener_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(cp_subsystem_add_group_availability_listener_group_availability_event, "CPSubsystem.addGroupAvailabilityListener", EVENT, 0x220302, cp_subsystem_add_group_availability_listener_group_availability_event_fields, 1, 0, 1);
FIL_WIRE_LAYOUT_MAKE(cp_subsystem_remove_group_availability_listener_request, "CPSubsystem.removeGroupAvailabilityListener", REQUEST, 0x220400, cp_subsystem_remove_membership_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(cp_subsystem_remove_group_availability_listener_response, "CPSubsystem.removeGroupAvailabilityListener", RESPONSE, 0x220401, cp_subsystem_remove_membership_listener_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_EMPTY(cp_subsystem_get_cp_group_ids_request, "CPSubsystem.getCPGroupIds", REQUEST, 0x220500);
FIL_WIRE_LAYOUT_MAKE(cp_subsystem_get_cp_group_ids_response, "CPSubsystem.getCPGroupIds", RESPONSE, 0x220501, cp_subsystem_get_cp_group_ids_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_subsystem_get_cp_object_infos_request, "CPSubsystem.getCPObjectInfos", REQUEST, 0x220600, cp_subsystem_get_cp_object_infos_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cp_subsystem_get_cp_object_infos_response, "CPSubsystem.getCPObjectInfos", RESPONSE, 0x220601, cp_subsystem_get_cp_object_infos_response_fields, 0, 0, 0);

static const struct fil_wire_layout *const cp_subsystem_add_membership_listener_events[] = {&fil_wire_cp_subsystem_add_membership_listener_membership_event_layout};
static const struct fil_wire_layout *const cp_subsystem_add_group_availability_listener_events[] = {&fil_wire_cp_subsystem_add_group_availability_listener_group_availability_event_layout};

const struct fil_wire_message fil_wire_cp_subsystem_messages[] = {
    FIL_WIRE_MESSAGE(cp_subsystem_add_membership_listener, "cp_subsystem.add_membership_listener", 0x220100, false, 1, cp_subsystem_add_membership_listener_events),
    FIL_WIRE_MESSAGE(cp_subsystem_remove_membership_listener, "cp_subsystem.remove_membership_listener", 0x220200, true, 0, NULL),
    FIL_WIRE_MESSAGE(cp_subsystem_add_group_availability_listener, "cp_subsystem.add_group_availability_listener", 0x220300, false, 1, cp_subsystem_add_group_availability_listener_events),
    FIL_WIRE_MESSAGE(cp_subsystem_remove_group_availability_listener, "cp_subsystem.remove_group_availability_listener", 0x220400, true, 0, NULL),
    FIL_WIRE_MESSAGE(cp_subsystem_get_cp_group_ids, "cp_subsystem.get_cp_group_ids", 0x220500, true, 0, NULL),
    FIL_WIRE_MESSAGE(cp_subsystem_get_cp_object_infos, "cp_subsystem.get_cp_object_infos", 0x220600, true, 0, NULL),
};
