// SPDX-License-Identifier: Apache-2.0
/** What the client and a member tell each other about themselves. */
#include <stdio.h>
#include <string.h>

#include "client/client_internal.h"
#include "client/listener_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/error_code.h"
#include "protocol/client/generated/client.h"
#include "protocol/client/generated/customs.h"
#include "protocol/client/generated/services.h"

#define CLIENT_TYPE    "FIL"
#define CLIENT_VERSION "5.7.0"
#define MAP_SERVICE    "hz:impl:mapService"

static const struct fil_client_op greeting_op = {
    .request = &fil_wire_client_authentication_request_layout};
static const struct fil_client_op ping_op = {.request = &fil_wire_client_ping_request_layout};
static const struct fil_client_op proxy_op = {.request =
                                                  &fil_wire_client_create_proxy_request_layout};

static struct fil_bytes or_null(const char *text, bool is_given)
{
    return is_given ? fil_bytes_of(text) : fil_bytes_make(NULL, 0);
}

void fil_client__greet(struct fil_client_link *link)
{
    struct fil_client *client = link->client;
    const struct fil_client_settings *settings = &client->settings;
    struct fil_wire_client_authentication_request request = {
        .uuid = client->uuid,
        .serialization_version = 1,
        .routing_mode = settings->is_single ? 0 : 1,
        .cluster_name = fil_bytes_of(settings->cluster),
        .username = or_null(settings->username, settings->has_credentials),
        .password = or_null(settings->password, settings->has_credentials),
        .client_type = fil_bytes_of(CLIENT_TYPE),
        .client_hazelcast_version = fil_bytes_of(CLIENT_VERSION),
        .client_name = fil_bytes_of(settings->name),
    };
    fil_client__link_append(link, fil_bytes_of(FIL_WIRE_MAGIC));
    fil_client__link_tell(link, &greeting_op, fil_client__own(FIL_CLIENT_OWN_GREETING, 0),
                          &request);
}

void fil_client__ping(struct fil_client_link *link)
{
    fil_client__link_tell(link, &ping_op, fil_client__own(FIL_CLIENT_OWN_PING, 0), NULL);
}

void fil_client__announce_map(struct fil_client_link *link, const struct fil_map *map)
{
    struct fil_wire_client_create_proxy_request request = {
        .name = fil_bytes_make(map->name, map->name_size),
        .service_name = fil_bytes_of(MAP_SERVICE),
    };
    fil_client__link_tell(link, &proxy_op, fil_client__own(FIL_CLIENT_OWN_PROXY, 0), &request);
}

/** The cure for each status that is a refusal. */
static const char *refusal_text(int8_t status)
{
    switch (status) {
    case 1:
        return "the cluster has another name, or refused the credentials";
    case 2:
        return "the member has another version of serialization";
    default:
        return "the member does not allow this client";
    }
}

static bool is_same_uuid(struct fil_wire_uuid a, struct fil_wire_uuid b)
{
    return a.high == b.high && a.low == b.low && a.is_null == b.is_null;
}

static void refused(struct fil_client_link *link, int8_t status)
{
    struct fil_client *client = link->client;
    fil_client__link_doom(link, refusal_text(status));
    if (!client->has_cluster) {
        client->fatal = FIL_E_DENIED;
    }
}

/** All that was known of the members is of another cluster. */
static void forget_cluster(struct fil_client *client)
{
    client->members_version = 0;
    client->partitions_version = 0;
    for (uint32_t i = 0; i < client->partition_count; i++) {
        client->owners[i] = FIL_CLIENT_NO_LINK;
    }
    fil_client__near_forget_all(client);
}

/** Whether the member belongs to the cluster that the client is connected to, if it is. */
static const char *join_cluster(struct fil_client *client,
                                const struct fil_wire_client_authentication_response *response)
{
    uint32_t count = (uint32_t)response->partition_count;
    if (response->partition_count <= 0 || count > FIL_CLIENT_PARTITIONS_MAX) {
        return "has an impossible number of partitions";
    }
    if (client->owners == NULL) {
        client->owners = fil_alloc(count);
        if (client->owners == NULL) {
            return "memory is out";
        }
        memset(client->owners, FIL_CLIENT_NO_LINK, count);
        client->partition_count = count;
    }
    if (count != client->partition_count) {
        return "has another number of partitions than before";
    }
    if (client->has_cluster && !is_same_uuid(client->cluster_id, response->cluster_id)) {
        if (client->ready_count > 0) {
            return "belongs to another cluster";
        }
        forget_cluster(client);
    }
    client->cluster_id = response->cluster_id;
    client->has_cluster = true;
    return NULL;
}

static void take_welcome(struct fil_client_link *link,
                         const struct fil_wire_client_authentication_response *response)
{
    struct fil_client *client = link->client;
    const char *problem = join_cluster(client, response);
    struct fil_client_link *same = fil_client__link_of(client, response->member_uuid);
    if (problem == NULL && same != NULL && same != link &&
        fil_client__link_is(same, FIL_CLIENT_LINK_READY)) {
        problem = "is connected already";
    }
    if (problem != NULL) {
        fil_client__link_doom(link, problem);
        return;
    }
    if (same != NULL && same != link) {
        fil_client__link_replace(same, link);
    }
    link->member = response->member_uuid;
    link->is_known = true;
    link->is_member = true;
    fil_fsm_move(&link->fsm, FIL_CLIENT_LINK_READY);
    fil_client__link_up(link);
    if (response->has_member_infos && response->has_partitions) {
        fil_client__members(client, response->member_list_version, &response->member_infos);
        fil_client__partitions(client, response->partition_list_version, &response->partitions);
    }
}

static void take_greeting(struct fil_client_link *link, const struct fil_wire_header *header,
                          struct fil_bytes message)
{
    struct fil_wire_client_authentication_response response;
    struct fil_wire_fault fault;
    int32_t code = 0;
    if (!fil_client__link_is(link, FIL_CLIENT_LINK_GREETING)) {
        fil_client__link_doom(link, "answered an authentication that was not asked for");
    } else if (header->type == 0) {
        (void)fil_client__read_error(link->client, link, message, &code);
        refused(link, -1);
    } else if (header->type != FIL_WIRE_CLIENT_AUTHENTICATION + 1 ||
               FIL_WIRE_DECODE(client_authentication_response, message, &response, &fault) !=
                   FIL_OK) {
        fil_client__link_doom(link, "answered the authentication with something else");
    } else if (response.status != 0) {
        refused(link, response.status);
    } else {
        take_welcome(link, &response);
    }
}

static void take_view(struct fil_client_link *link, const struct fil_wire_header *header,
                      struct fil_bytes message)
{
    struct fil_client *client = link->client;
    struct fil_wire_client_add_cluster_view_listener_members_view_event members;
    struct fil_wire_client_add_cluster_view_listener_partitions_view_event partitions;
    int error = FIL_OK;
    if (header->type == FIL_WIRE_CLIENT_ADD_CLUSTER_VIEW_LISTENER_MEMBERS_VIEW_EVENT) {
        error = FIL_WIRE_DECODE(client_add_cluster_view_listener_members_view_event, message,
                                &members, NULL);
        if (error == FIL_OK) {
            fil_client__members(client, members.version, &members.member_infos);
        }
    }
    if (header->type == FIL_WIRE_CLIENT_ADD_CLUSTER_VIEW_LISTENER_PARTITIONS_VIEW_EVENT) {
        error = FIL_WIRE_DECODE(client_add_cluster_view_listener_partitions_view_event, message,
                                &partitions, NULL);
        if (error == FIL_OK) {
            fil_client__partitions(client, partitions.version, &partitions.partitions);
        }
    }
    if (error != FIL_OK) {
        fil_client__link_doom(link, "sent a view of the cluster that cannot be read");
    }
}

void fil_client__own_message(struct fil_client_link *link, const struct fil_wire_header *header,
                             struct fil_bytes message)
{
    int64_t kind = (header->correlation & ~FIL_CLIENT_OWN) >> FIL_CLIENT_OWN_SHIFT;
    switch (kind) {
    case FIL_CLIENT_OWN_GREETING:
        take_greeting(link, header, message);
        break;
    case FIL_CLIENT_OWN_VIEW:
        take_view(link, header, message);
        break;
    case FIL_CLIENT_OWN_LISTENER:
        fil_client__listener_message(link, header, message);
        break;
    case FIL_CLIENT_OWN_REPAIR:
        fil_client__near_repair(link, header, message);
        break;
    case FIL_CLIENT_OWN_PING:
    case FIL_CLIENT_OWN_PROXY:
        break; // that it came is all there is to know
    default:
        link->client->stats.late_count++;
        break;
    }
}

/** Our code for a code of the wire. */
static int translate(int32_t code)
{
    switch (code) {
    case FIL_WIRE_ERROR_AUTHENTICATION:
    case FIL_WIRE_ERROR_ACCESS_CONTROL:
    case FIL_WIRE_ERROR_SECURITY:
    case FIL_WIRE_ERROR_ILLEGAL_MONITOR_STATE:
        return FIL_E_DENIED;
    case FIL_WIRE_ERROR_OPERATION_TIMEOUT:
    case FIL_WIRE_ERROR_TIMEOUT:
        return FIL_E_TIMEOUT;
    case FIL_WIRE_ERROR_UNSUPPORTED_OPERATION:
    case FIL_WIRE_ERROR_SERVICE_NOT_FOUND:
        return FIL_E_UNSUPPORTED;
    case FIL_WIRE_ERROR_INDETERMINATE_STATE:
    case FIL_WIRE_ERROR_TARGET_DISCONNECTED:
        return FIL_E_INDETERMINATE;
    case FIL_WIRE_ERROR_OVERLOAD:
    case FIL_WIRE_ERROR_REACHED_MAX_SIZE:
        return FIL_E_FULL;
    case FIL_WIRE_ERROR_OUT_OF_MEMORY:
    case FIL_WIRE_ERROR_NATIVE_OUT_OF_MEMORY:
        return FIL_E_NOMEM;
    case FIL_WIRE_ERROR_ILLEGAL_ARGUMENT:
    case FIL_WIRE_ERROR_NULL_POINTER:
        return FIL_E_INVALID;
    case FIL_WIRE_ERROR_MAX_MESSAGE_SIZE_EXCEEDED:
        return FIL_E_LIMIT;
    default:
        return FIL_E_REFUSED;
    }
}

int fil_client__read_error(struct fil_client *client, const struct fil_client_link *link,
                           struct fil_bytes message, int32_t *out_wire_code)
{
    struct fil_wire_exception_response response;
    struct fil_wire_error_holder holder = {0};
    struct fil_wire_cursor cursor;
    char address[FIL_ADDRESS_TEXT_MAX];
    (void)fil_address_format(&link->address, address);
    *out_wire_code = -1;
    bool is_read = FIL_WIRE_DECODE(exception_response, message, &response, NULL) == FIL_OK;
    if (is_read) {
        cursor = fil_wire_part_open(&response.errors);
        is_read = FIL_WIRE_DECODE_ITEM(error_holder, &cursor, &holder);
    }
    if (!is_read) {
        fil_client__complain(client, "%s answered with an error that cannot be read", address);
        return FIL_E_MALFORMED;
    }
    struct fil_bytes text = holder.message.data == NULL ? holder.class_name : holder.message;
    *out_wire_code = holder.error_code;
    fil_client__complain(
        client, "%s answered with error %d: %.*s", address, holder.error_code,
        (int)(text.size < FIL_CLIENT_PROBLEM_MAX ? text.size : FIL_CLIENT_PROBLEM_MAX),
        (const char *)text.data);
    return translate(holder.error_code);
}
