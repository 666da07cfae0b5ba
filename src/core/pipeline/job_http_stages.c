// SPDX-License-Identifier: Apache-2.0
// The stages of a job file that ask services elsewhere: call, and the sink over HTTP.
#include <stdio.h>
#include <string.h>

#include "core/pipeline/job_file_internal.h"
#include "core/pipeline/pipeline_internal.h"
#include "lib/base/assert.h"

#define SERVERS_BYTES_MAX 1024U

struct service {
    struct fil_http_service options;
    const yaml_node_t *servers;
    const yaml_node_t *path;
};

/** Whether the list of those that may be asked, with commas between them, has the server. */
static bool is_listed(const char *list, struct fil_bytes server)
{
    struct fil_bytes all = fil_bytes_of(list);
    for (size_t start = 0; start < all.size;) {
        struct fil_bytes rest = fil_bytes_make(all.data + start, all.size - start);
        size_t size = fil_bytes_find(rest, ',');
        struct fil_bytes item = fil_bytes_trim(fil_bytes_make(rest.data, size));
        if (fil_bytes_equal(item, fil_bytes_of("*")) || fil_bytes_equal(item, server)) {
            return true;
        }
        start += size + 1;
    }
    return false;
}

/** One server, which the job may ask: false with a fault. */
static bool add_server(struct fil_job_reader *reader, const yaml_node_t *node, char *text)
{
    const char *server = fil_job_reader__text(reader, node, "a server");
    if (server == NULL) {
        return false;
    }
    if (reader->is_confined && reader->services == NULL) {
        fil_job_reader__blame(reader, node,
                              "jobs of this member may not ask services: set stream.services to "
                              "those that they may");
        return false;
    }
    if (reader->is_confined && !is_listed(reader->services, fil_bytes_of(server))) {
        fil_job_reader__blame(reader, node,
                              "'%s' is not among stream.services, which alone jobs of this member "
                              "may ask",
                              server);
        return false;
    }
    size_t used = strlen(text);
    bool is_first = used == 0 || text[used - 1] == ' ';
    int size = snprintf(text + used, SERVERS_BYTES_MAX - used, "%s%s", is_first ? "" : ",", server);
    if (size < 0 || (size_t)size >= SERVERS_BYTES_MAX - used) {
        fil_job_reader__blame(reader, node, "too many servers");
        return false;
    }
    return true;
}

/** One server, or a list of them. NULL with a fault. */
static const char *read_servers(struct fil_job_reader *reader, const yaml_node_t *node,
                                bool is_http2)
{
    char *text = fil_job_reader__alloc(reader, SERVERS_BYTES_MAX, 1);
    if (text == NULL) {
        return NULL;
    }
    (void)snprintf(text, SERVERS_BYTES_MAX, "%s", is_http2 ? "http2 " : "");
    if (node->type != YAML_SEQUENCE_NODE) {
        return add_server(reader, node, text) ? text : NULL;
    }
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top; item++) {
        if (!add_server(reader, yaml_document_get_node(&reader->document, *item), text)) {
            return NULL;
        }
    }
    return text;
}

static bool read_number(struct fil_job_reader *reader, const yaml_node_t *node, uint32_t *out)
{
    uint64_t count = 0;
    if (fil_job_reader__count(reader, node, &count) && count == 0) {
        fil_job_reader__blame(reader, node, "it must be 1 or more");
    }
    *out = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
    return !reader->has_failed;
}

/** get, post, put, patch or delete with a path. */
static bool read_method(struct fil_job_reader *reader, struct service *service, const char *key,
                        const yaml_node_t *value)
{
    static const char *const words[] = {"get", "post", "put", "patch", "delete"};
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
    for (uint32_t i = 0; i < FIL_COUNT_OF(words); i++) {
        if (strcmp(words[i], key) == 0) {
            if (service->path != NULL) {
                fil_job_reader__blame(reader, value, "a request has one method, and one path");
            }
            service->options.method = methods[i];
            service->options.path = fil_job_reader__text(reader, value, "a path");
            service->path = value;
            return true;
        }
    }
    return false;
}

/** What both have; false when it is something else. */
static bool read_option(struct fil_job_reader *reader, struct service *service, const char *key,
                        const yaml_node_t *value, bool *out_is_http2)
{
    static const char *const protocols[] = {"http1", "http2"};
    static const char *const flags[] = {"false", "true"};
    struct fil_http_service *options = &service->options;
    if (strcmp(key, "http") == 0) {
        service->servers = value;
    } else if (strcmp(key, "protocol") == 0) {
        *out_is_http2 = fil_job_reader__word(reader, value, protocols, 2) == 1;
    } else if (strcmp(key, "concurrency") == 0) {
        (void)read_number(reader, value, &options->concurrency);
    } else if (strcmp(key, "timeout") == 0) {
        (void)fil_job_reader__clock_ms(reader, value, &options->timeout_ms);
    } else if (strcmp(key, "tries") == 0) {
        (void)read_number(reader, value, &options->tries);
    } else if (strcmp(key, "repeat") == 0) {
        options->may_repeat = fil_job_reader__word(reader, value, flags, 2) == 1;
    } else {
        return read_method(reader, service, key, value);
    }
    return true;
}

/** Servers and path are there: false with a fault. */
static bool close_service(struct fil_job_reader *reader, const yaml_node_t *node,
                          struct service *service, bool is_http2)
{
    if (reader->has_failed) {
        return false;
    }
    if (service->servers == NULL || service->options.path == NULL) {
        fil_job_reader__blame(reader, node,
                              "a request needs http with its servers, and a method with its path, "
                              "as in {http: 10.0.0.1:80, post: /score}");
        return false;
    }
    service->options.servers = read_servers(reader, service->servers, is_http2);
    return !reader->has_failed;
}

struct call {
    struct service service;
    struct fil_service_call options;
    const yaml_node_t *type;
    bool is_inner;
    bool is_http2;
};

static void read_call_option(struct fil_job_reader *reader, struct call *call, const char *key,
                             const yaml_node_t *value)
{
    static const char *const orders[] = {"kept", "any"};
    if (strcmp(key, "type") == 0) {
        call->type = value;
    } else if (strcmp(key, "keep") == 0) {
        call->is_inner = fil_job_reader__keep(reader, value);
    } else if (strcmp(key, "order") == 0) {
        call->options.is_unordered = fil_job_reader__word(reader, value, orders, 2) == 1;
    } else if (!read_option(reader, &call->service, key, value, &call->is_http2)) {
        fil_job_reader__blame(reader, value, "a call has no '%s'", key);
    }
}

/** In a test: answers are looked up by the first field of the path, or of the record. */
static void call_listed(struct fil_job_reader *reader, const yaml_node_t *node,
                        const struct fil_service_call *call)
{
    const struct fil_type *type = fil_stage_type(reader->stage);
    const char *brace = strchr(call->service.path, '{');
    const char *end = brace == NULL ? NULL : strchr(brace, '}');
    const char *key = type->fields[0].name;
    if (end != NULL) {
        key = fil_arena_text(&reader->file->arena,
                             fil_bytes_make(brace + 1, (size_t)(end - brace - 1)));
    }
    fil_job_reader__look_up_listed(reader, node,
                                   &(struct fil_lookup){.map = call->service.path,
                                                        .key = key,
                                                        .partner = call->partner,
                                                        .type = call->type,
                                                        .join = call->join,
                                                        .context = call->context});
}

void fil_job_reader__call(struct fil_job_reader *reader, const yaml_node_t *node)
{
    struct call call = {0};
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    while (fil_job_reader__next(reader, node, &position, &key, &value)) {
        read_call_option(reader, &call, key, value);
    }
    if (!reader->has_failed && call.type == NULL) {
        fil_job_reader__blame(reader, node, "a call needs the type of its answers");
    }
    const struct fil_type *partner = close_service(reader, node, &call.service, call.is_http2)
                                         ? fil_job_reader__type(reader, call.type)
                                         : NULL;
    struct fil_job_extension *extension =
        partner == NULL ? NULL : fil_job_reader__extend(reader, node, partner, NULL);
    if (extension == NULL) {
        return;
    }
    extension->is_inner = call.is_inner;
    call.options.service = call.service.options;
    call.options.partner = partner;
    call.options.type = extension->type;
    call.options.join = fil_job_extension__join;
    call.options.context = extension;
    if (reader->test != NULL) {
        call_listed(reader, node, &call.options);
    } else {
        reader->stage = fil_stage_call(reader->stage, &call.options);
    }
}

bool fil_job_reader__http_sink(struct fil_job_reader *reader, const yaml_node_t *node)
{
    struct service service = {0};
    struct fil_write_http options = {0};
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    bool is_http2 = false;
    if (reader->has_failed || node->type != YAML_MAPPING_NODE ||
        fil_job_reader__find(reader, node, "http") == NULL) {
        return reader->has_failed;
    }
    while (fil_job_reader__next(reader, node, &position, &key, &value)) {
        if (strcmp(key, "batch") == 0) {
            (void)read_number(reader, value, &options.batch);
        } else if (!read_option(reader, &service, key, value, &is_http2)) {
            fil_job_reader__blame(reader, value, "a sink over HTTP has no '%s'", key);
        }
    }
    if (close_service(reader, node, &service, is_http2)) {
        options.service = service.options;
        fil_write_http(reader->stage, &options);
        reader->is_written = true;
    }
    return true;
}
