// SPDX-License-Identifier: Apache-2.0
// Stages that ask services elsewhere over HTTP.
#include <string.h>

#include "core/pipeline/json_lines.h"
#include "core/pipeline/pipeline_internal.h"
#include "lib/base/assert.h"
#include "lib/base/bytes.h"

#define CONCURRENCY_DEFAULT 16U
#define TIMEOUT_MS_DEFAULT  10000U
#define TIMEOUT_MS_MAX      600000U
#define TRIES_DEFAULT       3U
#define TRIES_MAX           100U
#define BATCH_MAX           1000U
#define PATH_BYTES_MAX      1024U
#define SERVERS_MAX         16U
#define PAUSE_NS            UINT64_C(100000000)
#define PAUSE_NS_MAX        UINT64_C(5000000000)
#define NS_A_MS             UINT64_C(1000000)

/** Its pipeline's first mistake. */
#define BLAME(stage, ...) fil_pipeline__blame((stage)->pipeline, stage, FIL_E_INVALID, __VA_ARGS__)

/** HOST:PORT. */
static bool is_server(struct fil_bytes text)
{
    size_t colon = text.size;
    while (colon > 0 && text.data[colon - 1] != ':') {
        colon--;
    }
    uint64_t port = 0;
    bool has_port = fil_bytes_to_u64(fil_bytes_make(text.data + colon, text.size - colon), &port);
    return colon > 1 && has_port && port >= 1 && port <= UINT16_MAX;
}

static bool check_servers(struct fil_stage *stage, const char *servers)
{
    static const char word[] = "http2 ";
    bool is_http2 = strncmp(servers, word, sizeof(word) - 1) == 0;
    struct fil_bytes all = fil_bytes_of(is_http2 ? servers + sizeof(word) - 1 : servers);
    uint32_t count = 0;
    for (size_t start = 0; start <= all.size; count++) {
        struct fil_bytes rest = fil_bytes_make(all.data + start, all.size - start);
        size_t size = fil_bytes_find(rest, ',');
        struct fil_bytes server = fil_bytes_trim(fil_bytes_make(rest.data, size));
        if (!is_server(server)) {
            BLAME(stage, "'%.*s' is no server: write it as HOST:PORT", (int)server.size,
                  (const char *)server.data);
            return false;
        }
        start += size + 1;
    }
    if (count > SERVERS_MAX) {
        BLAME(stage, "%u servers, %u at most", count, SERVERS_MAX);
    }
    return count <= SERVERS_MAX;
}

static bool take_method(struct fil_stage *stage, struct fil_connection_request *request,
                        const char *method)
{
    static const struct {
        const char *name;
        bool has_body;
    } methods[] = {
        {"POST", true}, {"GET", false}, {"PUT", true}, {"PATCH", true}, {"DELETE", false}};
    for (uint32_t i = 0; i < FIL_COUNT_OF(methods); i++) {
        if (method == NULL || strcmp(methods[i].name, method) == 0) {
            request->method = methods[i].name;
            request->has_body = methods[i].has_body;
            return true;
        }
    }
    BLAME(stage, "'%s' is no method: it is GET, POST, PUT, PATCH or DELETE", method);
    return false;
}

/** What may stand in a path as it is. */
static bool is_plain(struct fil_bytes text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] <= ' ' || text.data[i] > '~' || text.data[i] == '}' ||
            text.data[i] == '#') {
            return false;
        }
    }
    return true;
}

/** The field that is named between braces; NULL with a mistake. */
static const struct fil_field *find_field(struct fil_stage *stage, const struct fil_type *type,
                                          struct fil_bytes name)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (fil_bytes_equal(fil_bytes_of(type->fields[i].name), name)) {
            return &type->fields[i];
        }
    }
    BLAME(stage, "the path names '%.*s', which is no field of type '%s'", (int)name.size,
          (const char *)name.data, type->name);
    return NULL;
}

/** One part of the path, up to the end of its field. False with a mistake. */
static bool take_part(struct fil_stage *stage, struct fil_connection_request *request,
                      struct fil_bytes *path)
{
    struct fil_path_part *part = &request->parts[request->part_count];
    size_t brace = fil_bytes_find(*path, '{');
    part->text = (const char *)path->data;
    part->text_size = brace;
    request->part_count++;
    if (!is_plain(fil_bytes_make(path->data, brace))) {
        BLAME(stage, "a path has no blanks, no '#' and nothing but ASCII; write others as %%20");
        return false;
    }
    if (brace == path->size) {
        *path = fil_bytes_make(path->data + brace, 0);
        return true;
    }
    struct fil_bytes rest = fil_bytes_make(path->data + brace + 1, path->size - brace - 1);
    size_t end = fil_bytes_find(rest, '}');
    if (end == rest.size) {
        BLAME(stage, "the path has a '{' without its '}'");
        return false;
    }
    part->field = find_field(stage, request->record_type, fil_bytes_make(rest.data, end));
    *path = fil_bytes_make(rest.data + end + 1, rest.size - end - 1);
    return part->field != NULL;
}

static bool take_path(struct fil_stage *stage, struct fil_connection_request *request,
                      const char *path)
{
    const char *copy = fil_stage__copy_text(stage, path);
    if (copy == NULL) {
        return false;
    }
    struct fil_bytes rest = fil_bytes_of(copy);
    if (copy[0] != '/' || rest.size > PATH_BYTES_MAX) {
        BLAME(stage, "a path begins with '/' and has up to %u bytes", PATH_BYTES_MAX);
        return false;
    }
    while (rest.size > 0) {
        if (request->part_count == FIL_CONNECTION_PATH_PARTS_MAX) {
            BLAME(stage, "more than %u fields in the path", FIL_CONNECTION_PATH_PARTS_MAX - 1);
            return false;
        }
        if (!take_part(stage, request, &rest)) {
            return false;
        }
    }
    return true;
}

static bool check_limits(struct fil_stage *stage, const struct fil_http_service *service,
                         uint32_t batch)
{
    size_t line = fil_json_lines_size_max(stage->inputs[0]->type) + 1;
    if (service->concurrency > FIL_CONNECTION_REQUESTS_MAX) {
        BLAME(stage, "%u requests at once, %u at most", service->concurrency,
              FIL_CONNECTION_REQUESTS_MAX);
    } else if (service->tries > TRIES_MAX) {
        BLAME(stage, "%u tries, %u at most", service->tries, TRIES_MAX);
    } else if (service->timeout_ms > TIMEOUT_MS_MAX) {
        BLAME(stage, "a request may take %u ms at most", TIMEOUT_MS_MAX);
    } else if (batch > BATCH_MAX) {
        BLAME(stage, "%u records in a request, %u at most", batch, BATCH_MAX);
    } else if (line * (batch == 0 ? 1 : batch) > FIL_CONNECTION_BODY_MAX) {
        BLAME(stage, "a request of %u records may have more than 1 MiB: take a smaller batch",
              batch == 0 ? 1 : batch);
    } else {
        return true;
    }
    return false;
}

/** The stage's connection to a service. False with a mistake. */
static bool take_service(struct fil_stage *stage, enum fil_connection_kind kind,
                         const struct fil_http_service *service, uint32_t batch)
{
    if (!fil_stage__connect(stage, kind, service->servers) ||
        !check_servers(stage, service->servers) || !check_limits(stage, service, batch)) {
        return false;
    }
    struct fil_connection_request *request =
        fil_pipeline__alloc(stage->pipeline, 1, sizeof(*request));
    if (request == NULL) {
        return false;
    }
    *request = (struct fil_connection_request){
        .record_type = stage->inputs[0]->type,
        .timeout_ns =
            NS_A_MS * (service->timeout_ms == 0 ? TIMEOUT_MS_DEFAULT : service->timeout_ms),
        .pause_ns = PAUSE_NS,
        .pause_ns_max = PAUSE_NS_MAX,
        .tries = service->tries == 0 ? TRIES_DEFAULT : service->tries,
        .batch = batch == 0 ? 1 : batch,
        .may_repeat = service->may_repeat};
    stage->connection->request = request;
    stage->connection->record_size = stage->inputs[0]->type->size;
    stage->connection->concurrency =
        service->concurrency == 0 ? CONCURRENCY_DEFAULT : service->concurrency;
    return take_method(stage, request, service->method) && take_path(stage, request, service->path);
}

struct fil_stage *fil_stage_call(struct fil_stage *input, const struct fil_service_call *options)
{
    struct fil_stage *stage = fil_stage__need_function(
        fil_stage__take_type(fil_stage__add_behind(input, FIL_STAGE_CALL), options->type),
        options->join != NULL);
    if (stage == NULL || !take_service(stage, FIL_CONNECTION_CALL, &options->service, 1)) {
        return NULL;
    }
    if (options->partner == NULL || options->partner->field_count == 0) {
        BLAME(stage, "it needs a partner's type");
        return NULL;
    }
    struct fil_connection *connection = stage->connection;
    connection->value_type = *options->partner;
    connection->partner_size = options->partner->size;
    connection->out_size = options->type->size;
    connection->is_unordered = options->is_unordered;
    connection->join = options->join;
    connection->join_context = options->context;
    return stage;
}

void fil_write_http(struct fil_stage *input, const struct fil_write_http *options)
{
    struct fil_stage *stage = fil_stage__add_behind(input, FIL_STAGE_GRID_SINK);
    if (stage == NULL ||
        !take_service(stage, FIL_CONNECTION_WRITE_HTTP, &options->service, options->batch)) {
        return;
    }
    const struct fil_connection_request *request = stage->connection->request;
    for (uint32_t i = 0; request->batch > 1 && i < request->part_count; i++) {
        if (request->parts[i].field != NULL) {
            BLAME(stage, "requests of several records have no fields in their path");
            return;
        }
    }
    if (!request->has_body && request->batch > 1) {
        BLAME(stage, "only POST, PUT and PATCH send several records");
        return;
    }
    stage->parallelism = 1; // concurrency is what makes it faster; 1 of it keeps the order
}
