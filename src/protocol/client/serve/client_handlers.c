// SPDX-License-Identifier: Apache-2.0
/** Requests about the client itself: who it is, who we are, which objects there are. */
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "lib/base/utf8.h"
#include "lib/log/log.h"
#include "lib/os/env.h"
#include "protocol/client/generated/client.h"
#include "protocol/client/generated/customs.h"
#include "protocol/client/serve/handlers_internal.h"
#include "protocol/client/serve/session.h"

enum status {
    STATUS_AUTHENTICATED = 0,
    STATUS_CREDENTIALS_FAILED = 1,
    STATUS_SERIALIZATION_MISMATCH = 2,
};

#define SERIALIZATION_VERSION 1
#define MEMBERS_VERSION       1
#define PARTITIONS_VERSION    1

/** All that is told about the member: it points to itself, so it stays where it was made. */
struct view {
    struct fil_wire_address address;
    struct fil_wire_member_version version;
    struct fil_wire_member_info member;
    struct fil_wire_entry facts[1];
    uint8_t keys[FIL_WIRE_UUID_SIZE];
    struct fil_bytes partition_lists[1];
    struct fil_wire_part members;
    struct fil_wire_part partitions;
};

static void view_init(struct view *view, const struct fil_wire_server *server)
{
    *view = (struct view){
        .address = {.port = server->port, .host = fil_bytes_of(server->host)},
        .version = {.major = 5, .minor = 7, .patch = 0},
    };
    view->member = (struct fil_wire_member_info){
        .uuid = server->member_uuid,
        .address = fil_wire_part_items(&view->address, 1),
        .version = fil_wire_part_items(&view->version, 1),
    };
    view->members = fil_wire_part_items(&view->member, 1);
    view->facts[0] = (struct fil_wire_entry){.key = fil_bytes_of("clusterVersion"),
                                             .value = fil_bytes_of(FIL_WIRE_CLUSTER_VERSION)};
    fil_wire_store_uuid(view->keys, server->member_uuid);
    view->partition_lists[0] = fil_bytes_make(server->partitions, server->partitions_size);
    view->partitions = fil_wire_part_items(view->partition_lists, 1);
    view->partitions.keys = fil_bytes_make(view->keys, sizeof(view->keys));
}

static const char *reason_of(enum status status)
{
    return status == STATUS_CREDENTIALS_FAILED
               ? "another cluster name, or a user where there are none"
               : "another version of the serialization";
}

static int answer_failed(struct fil_wire_task *task, enum status status)
{
    struct fil_wire_server *server = task->session->server;
    fil_counter_add_shared(&server->stats.refused, 1);
    fil_log_event(server->options.log, FIL_LOG_WARN, "client_refused",
                  FIL_F_U64("connection", task->session->connection->id),
                  FIL_F_ADDRESS("peer", &task->session->connection->peer),
                  FIL_F_TEXT("why", reason_of(status)));
    struct fil_wire_client_authentication_response response = {
        .status = (int8_t)status,
        .member_uuid = {.is_null = true},
        .serialization_version = SERIALIZATION_VERSION,
        .partition_count = -1,
        .cluster_id = {.is_null = true},
        .member_list_version = -1,
        .partition_list_version = -1,
        .server_hazelcast_version = fil_bytes_of(FIL_WIRE_SERVER_VERSION),
    };
    return FIL_WIRE_ENCODE(client_authentication_response, task->writer, &task->header, &response);
}

static int answer_welcome(struct fil_wire_task *task)
{
    const struct fil_wire_server *server = task->session->server;
    struct view view;
    view_init(&view, server);
    struct fil_wire_client_authentication_response response = {
        .status = STATUS_AUTHENTICATED,
        .member_uuid = server->member_uuid,
        .serialization_version = SERIALIZATION_VERSION,
        .partition_count = (int32_t)server->options.partition_count,
        .cluster_id = server->cluster_uuid,
        .failover_supported = true,
        .member_list_version = MEMBERS_VERSION,
        .partition_list_version = PARTITIONS_VERSION,
        .address = fil_wire_part_items(&view.address, 1),
        .server_hazelcast_version = fil_bytes_of(FIL_WIRE_SERVER_VERSION),
        .member_infos = view.members,
        .partitions = view.partitions,
        .key_value_pairs = fil_wire_part_items(view.facts, 1),
    };
    return FIL_WIRE_ENCODE(client_authentication_response, task->writer, &task->header, &response);
}

static void copy_labels(char out_text[FIL_WIRE_NAME_MAX], const struct fil_wire_part *labels)
{
    struct fil_wire_cursor cursor = fil_wire_part_open(labels);
    struct fil_bytes label;
    size_t used = 0;
    while (used + 8 < FIL_WIRE_NAME_MAX && fil_wire_cursor_bytes(&cursor, &label)) {
        if (used > 0) {
            out_text[used++] = ',';
        }
        used += strlen(fil_utf8_excerpt(label, out_text + used, FIL_WIRE_NAME_MAX - used));
    }
}

/** What is told of the client to people. */
static void introduce(struct fil_wire_session *session,
                      const struct fil_wire_client_authentication_request *request)
{
    struct fil_wire_client *client = &session->client;
    (void)fil_utf8_excerpt(request->client_name, client->name, sizeof(client->name));
    (void)fil_utf8_excerpt(request->client_type, client->type, sizeof(client->type));
    (void)fil_utf8_excerpt(request->client_hazelcast_version, client->version,
                           sizeof(client->version));
    copy_labels(client->labels, &request->labels);
    (void)fil_address_format(&session->connection->peer, client->address);
    client->connected_ns = fil_env_now_ns(session->server->options.env);
}

/** The client is known from here on: it may send more, and own locks. */
static void welcome(struct fil_wire_session *session,
                    const struct fil_wire_client_authentication_request *request)
{
    struct fil_wire_server *server = session->server;
    uint64_t name[2] = {request->uuid.high, request->uuid.low};
    session->owner = fil_hash(fil_bytes_make(name, sizeof(name)), server->owner_seed) | 1U;
    fil_mutex_lock(&server->mutex);
    session->client_uuid = request->uuid;
    introduce(session, request);
    fil_mutex_unlock(&server->mutex);
    session->is_authenticated = true;
    fil_log_event(server->options.log, FIL_LOG_DEBUG, "client_authenticated",
                  FIL_F_U64("connection", session->connection->id),
                  FIL_F_TEXT("client", session->client.name),
                  FIL_F_TEXT("type", session->client.type),
                  FIL_F_TEXT("version", session->client.version));
    size_t limit = server->options.message_bytes_max;
    fil_wire_receiver_trust(&session->receiver, limit, limit);
}

int fil_wire__client_authentication_run(struct fil_wire_task *task)
{
    struct fil_wire_client_authentication_request request;
    int error = FIL_WIRE_READ(client_authentication, task, &request);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_wire_session *session = task->session;
    struct fil_bytes cluster_name = fil_bytes_of(session->server->options.cluster_name);
    // There are no users yet, so that whoever says a name and a password expects too much.
    if (!fil_bytes_equal(request.cluster_name, cluster_name) || request.username.data != NULL ||
        request.password.data != NULL || request.uuid.is_null) {
        return answer_failed(task, STATUS_CREDENTIALS_FAILED);
    }
    if (request.serialization_version != SERIALIZATION_VERSION) {
        return answer_failed(task, STATUS_SERIALIZATION_MISMATCH);
    }
    if (session->is_authenticated) {
        task->fault = (struct fil_wire_fault){.field = "client", .reason = "is authenticated"};
        return FIL_E_INVALID;
    }
    error = answer_welcome(task);
    if (error == FIL_OK) {
        welcome(session, &request);
    }
    return error;
}

/** Tokens and credentials of other kinds: nobody has any. */
int fil_wire__client_authentication_custom_run(struct fil_wire_task *task)
{
    struct fil_wire_client_authentication_custom_request request;
    int error = FIL_WIRE_READ(client_authentication_custom, task, &request);
    if (error != FIL_OK) {
        return error;
    }
    // The two responses have one layout but for their numbers.
    struct fil_wire_client_authentication_custom_response response = {
        .status = STATUS_CREDENTIALS_FAILED,
        .member_uuid = {.is_null = true},
        .serialization_version = SERIALIZATION_VERSION,
        .partition_count = -1,
        .cluster_id = {.is_null = true},
        .member_list_version = -1,
        .partition_list_version = -1,
        .server_hazelcast_version = fil_bytes_of(FIL_WIRE_SERVER_VERSION),
    };
    return FIL_WIRE_ENCODE(client_authentication_custom_response, task->writer, &task->header,
                           &response);
}

int fil_wire__client_add_cluster_view_listener_run(struct fil_wire_task *task)
{
    struct fil_wire_header header = {.correlation = task->header.correlation, .partition = -1};
    struct view view;
    view_init(&view, task->session->server);
    int error = fil_wire_answer_empty(task);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_wire_client_add_cluster_view_listener_members_view_event members = {
        .version = MEMBERS_VERSION, .member_infos = view.members};
    struct fil_wire_client_add_cluster_view_listener_partitions_view_event partitions = {
        .version = PARTITIONS_VERSION, .partitions = view.partitions};
    error = FIL_WIRE_ENCODE(client_add_cluster_view_listener_members_view_event, task->writer,
                            &header, &members);
    if (error == FIL_OK) {
        error = FIL_WIRE_ENCODE(client_add_cluster_view_listener_partitions_view_event,
                                task->writer, &header, &partitions);
    }
    if (error != FIL_OK) {
        // Without the views the client would wait for nothing: the connection ends.
        task->writer->queue->is_out_of_memory = true;
    }
    return FIL_OK;
}

int fil_wire__client_ping_run(struct fil_wire_task *task)
{
    return fil_wire_answer_empty(task);
}

/** Figures of the client itself: only that they came is kept. */
int fil_wire__client_statistics_run(struct fil_wire_task *task)
{
    struct fil_wire_session *session = task->session;
    struct fil_wire_client_statistics_request request;
    int error = FIL_WIRE_READ(client_statistics, task, &request);
    if (error != FIL_OK) {
        return error;
    }
    fil_mutex_lock(&session->server->mutex);
    session->client.statistics_count++;
    session->client.statistics_ms = request.timestamp;
    fil_mutex_unlock(&session->server->mutex);
    return fil_wire_answer_empty(task);
}

/** There are no backups, so that no acknowledgement will ever come. */
int fil_wire__client_local_backup_listener_run(struct fil_wire_task *task)
{
    return fil_wire_answer_uuid(task, task->session->client_uuid);
}

int fil_wire__client_trigger_partition_assignment_run(struct fil_wire_task *task)
{
    return fil_wire_answer_empty(task);
}
