// SPDX-License-Identifier: Apache-2.0
/** Requests about the objects that there are, and the schemas that entries are written in. */
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "grid/map/maps.h"
#include "lib/net/loop.h"
#include "protocol/client/generated/client.h"
#include "protocol/client/generated/customs.h"
#include "protocol/client/serve/handlers_internal.h"
#include "protocol/client/serve/object_service.h"
#include "protocol/client/serve/session.h"
#include "protocol/client/serve/subscription.h"

static int find_service(struct fil_wire_task *task, struct fil_bytes name,
                        const struct fil_wire_object_service **out_service)
{
    *out_service = fil_wire_object_service_find(name);
    if (*out_service != NULL) {
        return FIL_OK;
    }
    task->fault =
        (struct fil_wire_fault){.field = "service", .reason = "is not served by this member"};
    return FIL_E_UNSUPPORTED;
}

static int make_proxy(struct fil_wire_task *task, struct fil_bytes name, struct fil_bytes service)
{
    struct fil_wire_session *session = task->session;
    struct fil_turn *turn = session->connection->loop->context;
    const struct fil_wire_object_service *found = NULL;
    bool is_new = false;
    int error = find_service(task, service, &found);
    if (error == FIL_OK) {
        error = found->make(task, name);
    }
    if (error == FIL_OK) {
        error = fil_wire_objects_add(&session->server->objects, service, name, &is_new);
    }
    if (error == FIL_OK && is_new) {
        fil_wire_subscription_tell_object(session->server, name, service, true, &turn->runner);
    }
    return error;
}

int fil_wire__client_create_proxy_run(struct fil_wire_task *task)
{
    struct fil_wire_client_create_proxy_request request;
    int error = FIL_WIRE_READ(client_create_proxy, task, &request);
    if (error == FIL_OK) {
        error = make_proxy(task, request.name, request.service_name);
    }
    return error == FIL_OK ? fil_wire_answer_empty(task) : error;
}

/** Sent after a connection was lost, for all at once: what is not served has been told before. */
int fil_wire__client_create_proxies_run(struct fil_wire_task *task)
{
    struct fil_wire_client_create_proxies_request request;
    int error = FIL_WIRE_READ(client_create_proxies, task, &request);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_wire_cursor cursor = fil_wire_part_open(&request.proxies);
    struct fil_bytes name;
    struct fil_bytes service;
    while (error == FIL_OK && fil_wire_cursor_bytes(&cursor, &name) &&
           fil_wire_cursor_bytes(&cursor, &service)) {
        error = make_proxy(task, name, service);
        error = error == FIL_E_UNSUPPORTED ? FIL_OK : error;
    }
    return error == FIL_OK ? fil_wire_answer_empty(task) : error;
}

int fil_wire__client_destroy_proxy_read(struct fil_wire_task *task)
{
    struct fil_wire_client_destroy_proxy_request request;
    const struct fil_wire_object_service *service = NULL;
    int error = FIL_WIRE_READ(client_destroy_proxy, task, &request);
    return error == FIL_OK ? find_service(task, request.service_name, &service) : error;
}

int fil_wire__client_destroy_proxy_start(struct fil_wire_call *call, struct fil_runner *runner)
{
    struct fil_wire_task *task = &call->task;
    struct fil_wire_server *server = task->session->server;
    struct fil_wire_client_destroy_proxy_request request;
    const struct fil_wire_object_service *service = NULL;
    int error = FIL_WIRE_READ(client_destroy_proxy, task, &request);
    if (error == FIL_OK) {
        error = find_service(task, request.service_name, &service);
    }
    if (error != FIL_OK) {
        return error;
    }
    if (fil_wire_objects_remove(&server->objects, request.service_name, request.name)) {
        fil_wire_subscription_tell_object(server, request.name, request.service_name, false,
                                          runner);
    }
    return service->destroy(call, request.name, runner);
}

int fil_wire__client_destroy_proxy_run(struct fil_wire_task *task)
{
    return fil_wire_answer_empty(task);
}

static void write_object(void *context, struct fil_bytes service, struct fil_bytes name)
{
    struct fil_wire_distributed_object_info info = {.service_name = service, .name = name};
    FIL_WIRE_ENCODE_ITEM(distributed_object_info, (struct fil_wire_writer *)context, &info);
}

/** What clients have made, and the maps that others have filled. */
static void write_objects(struct fil_wire_writer *writer, void *context)
{
    struct fil_wire_server *server = context;
    struct fil_bytes service = fil_bytes_of(FIL_WIRE_MAP_SERVICE);
    uint32_t position = 0;
    fil_wire_objects_visit(&server->objects, write_object, writer);
    for (struct fil_map *map = fil_maps_next(server->options.maps, &position); map != NULL;
         map = fil_maps_next(server->options.maps, &position)) {
        if (fil_map_size(map) > 0 &&
            !fil_wire_objects_has(&server->objects, service, fil_map_name(map))) {
            write_object(writer, service, fil_map_name(map));
        }
    }
}

int fil_wire__client_get_distributed_objects_run(struct fil_wire_task *task)
{
    struct fil_wire_client_get_distributed_objects_response response = {
        .response = fil_wire_part_stream(write_objects, task->session->server)};
    return FIL_WIRE_ENCODE(client_get_distributed_objects_response, task->writer, &task->header,
                           &response);
}

// Schemas.

int fil_wire__client_send_schema_run(struct fil_wire_task *task)
{
    struct fil_wire_server *server = task->session->server;
    struct fil_wire_client_send_schema_request request;
    uint8_t members[FIL_WIRE_UUID_SIZE];
    int error = FIL_WIRE_READ(client_send_schema, task, &request);
    if (error == FIL_OK) {
        error = fil_wire_schemas_put(&server->schemas, &request.schema);
    }
    if (error != FIL_OK) {
        return error;
    }
    fil_wire_store_uuid(members, server->member_uuid);
    struct fil_wire_client_send_schema_response response = {
        .replicated_members = fil_bytes_make(members, sizeof(members))};
    return FIL_WIRE_ENCODE(client_send_schema_response, task->writer, &task->header, &response);
}

int fil_wire__client_fetch_schema_run(struct fil_wire_task *task)
{
    struct fil_wire_header header = {.type = task->header.type + 1,
                                     .correlation = task->header.correlation};
    struct fil_wire_client_fetch_schema_request request;
    int error = FIL_WIRE_READ(client_fetch_schema, task, &request);
    if (error != FIL_OK) {
        return error;
    }
    (void)fil_wire_writer_open_response(task->writer, &header, 0);
    fil_wire_schemas_write(&task->session->server->schemas, request.schema_id, task->writer);
    return fil_wire_writer_finish(task->writer);
}

int fil_wire__client_send_all_schemas_run(struct fil_wire_task *task)
{
    struct fil_wire_client_send_all_schemas_request request;
    int error = FIL_WIRE_READ(client_send_all_schemas, task, &request);
    if (error == FIL_OK) {
        error = fil_wire_schemas_put_all(&task->session->server->schemas, &request.schemas);
    }
    return error == FIL_OK ? fil_wire_answer_empty(task) : error;
}
