// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/service_file.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "core/service/route.h"
#include "filbert/error.h"
#include "lib/base/cursor.h"
#include "lib/conf/yaml_text.h"
#include "protocol/http/upstream.h"

#define ARENA_CHUNK_BYTES 4096U
#define ARENA_LIMIT_BYTES ((size_t)16 << 20)

struct reader {
    struct fil_service_file *file;
    yaml_document_t document;
    bool has_failed;
};

static const struct {
    const char *name;
    enum fil_service_kind kind;
} kinds[] = {{"map", FIL_SERVICE_MAP},         {"queue", FIL_SERVICE_QUEUE},
             {"topic", FIL_SERVICE_TOPIC},     {"messages", FIL_SERVICE_MESSAGES},
             {"changes", FIL_SERVICE_CHANGES}, {"proxy", FIL_SERVICE_PROXY},
             {"text", FIL_SERVICE_TEXT},       {"files", FIL_SERVICE_FILES}};

#define KINDS_TEXT "map, queue, topic, messages, changes, proxy, text or files"

/** Whether it is the first fault; keeps its place then. */
static bool begin_fault(struct reader *reader, const yaml_mark_t *mark)
{
    if (reader->has_failed) {
        return false;
    }
    reader->has_failed = true;
    reader->file->line = mark == NULL ? 1 : mark->line + 1;
    reader->file->column = mark == NULL ? 1 : mark->column + 1;
    return true;
}

/** Keeps the first fault, at a place; a name that is too long for its sentence cuts it. */
#define BLAME(reader, mark, ...)         \
    ((void)(begin_fault(reader, mark) && \
            snprintf((reader)->file->reason, FIL_SERVICE_FILE_REASON_MAX, __VA_ARGS__) > 0))

/** The text of a scalar, in the arena; NULL with a fault when it is none. */
static const char *read_text(struct reader *reader, const yaml_node_t *node, const char *what)
{
    if (node->type != YAML_SCALAR_NODE || node->data.scalar.length == 0) {
        BLAME(reader, &node->start_mark, "'%s' must be a text", what);
        return NULL;
    }
    struct fil_bytes bytes = fil_bytes_make(node->data.scalar.value, node->data.scalar.length);
    if (fil_bytes_find(bytes, 0) != bytes.size) {
        BLAME(reader, &node->start_mark, "'%s' has a zero byte", what);
        return NULL;
    }
    const char *text = fil_arena_text(&reader->file->arena, bytes);
    if (text == NULL) {
        BLAME(reader, &node->start_mark, "out of memory");
    }
    return text;
}

/** Adds one address to the list; false when there is no room. */
static bool put_server(struct reader *reader, struct fil_writer *writer, const yaml_node_t *node)
{
    const char *text = read_text(reader, node, "proxy");
    bool is_first = fil_writer_written(writer).size == 0;
    return text != NULL && (is_first || fil_writer_text(writer, ", ")) &&
           fil_writer_text(writer, text);
}

/** One address or a list of them; false with a fault, or when there is no room. */
static bool put_servers(struct reader *reader, struct fil_writer *writer, const yaml_node_t *node)
{
    if (node->type != YAML_SEQUENCE_NODE) {
        return put_server(reader, writer, node);
    }
    const yaml_node_item_t *item = node->data.sequence.items.start;
    bool has_fit = true;
    for (; item < node->data.sequence.items.top && has_fit; item++) {
        has_fit = put_server(reader, writer, yaml_document_get_node(&reader->document, *item));
    }
    return has_fit;
}

/** A list of addresses as "address, address", checked. */
static const char *read_servers(struct reader *reader, const yaml_node_t *node)
{
    char room[FIL_UPSTREAM_SERVERS_MAX * FIL_ADDRESS_TEXT_MAX];
    struct fil_writer writer;
    struct fil_upstream probe;
    fil_writer_init(&writer, room, sizeof(room));
    bool has_fit = put_servers(reader, &writer, node);
    struct fil_bytes servers = fil_writer_written(&writer);
    int error = has_fit ? fil_upstream_init(&probe, servers) : FIL_E_LIMIT;
    if (error != FIL_OK) {
        BLAME(reader, &node->start_mark, "'proxy' must be 1 to %u addresses, as 10.0.0.1:80",
              FIL_UPSTREAM_SERVERS_MAX);
        return NULL;
    }
    const char *text = fil_arena_text(&reader->file->arena, servers);
    if (text == NULL) {
        BLAME(reader, &node->start_mark, "out of memory");
    }
    return text;
}

static void read_status(struct reader *reader, const yaml_node_t *node,
                        struct fil_service_entry *entry)
{
    uint64_t number = 0;
    const char *text = read_text(reader, node, "status");
    if (text == NULL) {
        return;
    }
    if (!fil_bytes_to_u64(fil_bytes_of(text), &number) || number < 200 || number > 599) {
        BLAME(reader, &node->start_mark, "'%s' is no status from 200 to 599", text);
        return;
    }
    entry->status = (int)number;
}

static void read_protocol(struct reader *reader, const yaml_node_t *node,
                          struct fil_service_entry *entry)
{
    const char *text = read_text(reader, node, "protocol");
    if (text == NULL) {
        return;
    }
    entry->is_http2 = strcmp(text, "http2") == 0;
    if (!entry->is_http2 && strcmp(text, "http1") != 0) {
        BLAME(reader, &node->start_mark, "'protocol' must be http1 or http2, not '%s'", text);
    }
}

/** What the route is to do, when the name says so. */
static bool read_kind(struct reader *reader, const char *name, const yaml_node_t *value,
                      struct fil_service_entry *entry)
{
    for (size_t i = 0; i < FIL_COUNT_OF(kinds); i++) {
        if (strcmp(kinds[i].name, name) != 0) {
            continue;
        }
        if (entry->kind != FIL_SERVICE_NOTHING) {
            BLAME(reader, &value->start_mark, "a route does one thing; '%s' is a second one", name);
            return true;
        }
        entry->kind = kinds[i].kind;
        entry->target = entry->kind == FIL_SERVICE_PROXY ? read_servers(reader, value)
                                                         : read_text(reader, value, name);
        return true;
    }
    return false;
}

static void read_pair(struct reader *reader, const char *name, const yaml_node_t *value,
                      struct fil_service_entry *entry)
{
    if (strcmp(name, "route") == 0) {
        entry->route = read_text(reader, value, name);
    } else if (strcmp(name, "key") == 0) {
        entry->key = read_text(reader, value, name);
    } else if (strcmp(name, "type") == 0) {
        entry->type = read_text(reader, value, name);
        if (entry->type != NULL && strpbrk(entry->type, "\r\n") != NULL) {
            BLAME(reader, &value->start_mark, "'type' must be one line");
        }
    } else if (strcmp(name, "status") == 0) {
        read_status(reader, value, entry);
    } else if (strcmp(name, "protocol") == 0) {
        read_protocol(reader, value, entry);
    } else if (!read_kind(reader, name, value, entry)) {
        BLAME(reader, &value->start_mark, "there is no '%s' here: a route has " KINDS_TEXT, name);
    }
}

static struct fil_reply never_called(struct fil_request *request)
{
    return fil_reply_error(request, FIL_E_UNSUPPORTED);
}

/** Whether methods and parameters of the route fit what it is to do; else why not. */
static const char *find_misfit(const struct fil_service_entry *entry, const struct fil_route *route)
{
    bool is_get = route->method == FIL_HTTP_GET;
    switch (entry->kind) {
    case FIL_SERVICE_MAP:
        if (!is_get && route->method != FIL_HTTP_PUT && route->method != FIL_HTTP_DELETE) {
            return "a map is asked by GET, PUT or DELETE";
        }
        return entry->key != NULL && fil_route_param_index(route, entry->key) >= 0
                   ? NULL
                   : "'key' must name a parameter of the route, as id in GET /users/{id}";
    case FIL_SERVICE_QUEUE:
        return route->method == FIL_HTTP_POST || route->method == FIL_HTTP_DELETE
                   ? NULL
                   : "items are added by POST and taken by DELETE";
    case FIL_SERVICE_TOPIC:
        return route->method == FIL_HTTP_POST ? NULL : "messages are published by POST";
    case FIL_SERVICE_MESSAGES:
    case FIL_SERVICE_CHANGES:
        return is_get ? NULL : "events are asked for by GET";
    case FIL_SERVICE_FILES:
        return is_get && route->has_rest ? NULL
                                         : "files are asked for by GET and a path that ends in /*";
    case FIL_SERVICE_PROXY:
    case FIL_SERVICE_TEXT:
        return NULL;
    case FIL_SERVICE_NOTHING:
    default:
        return "the route has nothing to do: it needs " KINDS_TEXT;
    }
}

static void check_entry(struct reader *reader, const yaml_node_t *node,
                        const struct fil_service_entry *entry)
{
    struct fil_route *route = NULL;
    if (entry->route == NULL) {
        BLAME(reader, &node->start_mark, "'route:' is missing, as GET /users/{id}");
    }
    if (entry->is_http2 && entry->kind != FIL_SERVICE_PROXY) {
        BLAME(reader, &node->start_mark, "'protocol' is of servers behind a 'proxy'");
    }
    if (reader->has_failed) {
        return;
    }
    if (fil_route_new(&route, entry->route, never_called, NULL) != FIL_OK) {
        BLAME(reader, &node->start_mark,
              "'%s' is no route: it is a method and a path, as GET /a/{b}", entry->route);
        return;
    }
    const char *misfit = find_misfit(entry, route);
    if (misfit != NULL) {
        BLAME(reader, &node->start_mark, "%s", misfit);
    }
    fil_route_free(route);
}

static void read_entry(struct reader *reader, const yaml_node_t *node)
{
    struct fil_service_entry *entry = &reader->file->entries[reader->file->entry_count];
    *entry = (struct fil_service_entry){.status = 200};
    if (node->type != YAML_MAPPING_NODE) {
        BLAME(reader, &node->start_mark, "a route is names and values, as route: GET /hello");
        return;
    }
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top && !reader->has_failed; pair++) {
        const yaml_node_t *key = yaml_document_get_node(&reader->document, pair->key);
        const yaml_node_t *value = yaml_document_get_node(&reader->document, pair->value);
        const char *name = read_text(reader, key, "a name");
        if (name != NULL) {
            read_pair(reader, name, value, entry);
        }
    }
    check_entry(reader, node, entry);
    reader->file->entry_count++;
}

static void read_routes(struct reader *reader, const yaml_node_t *list)
{
    if (list->type != YAML_SEQUENCE_NODE) {
        BLAME(reader, &list->start_mark, "'routes' must be a list");
        return;
    }
    for (const yaml_node_item_t *item = list->data.sequence.items.start;
         item < list->data.sequence.items.top && !reader->has_failed; item++) {
        const yaml_node_t *node = yaml_document_get_node(&reader->document, *item);
        if (reader->file->entry_count == FIL_SERVICE_FILE_ROUTES_MAX) {
            BLAME(reader, &node->start_mark, "there are more than %u routes",
                  FIL_SERVICE_FILE_ROUTES_MAX);
            return;
        }
        read_entry(reader, node);
    }
}

static void read_document(struct reader *reader)
{
    const yaml_node_t *root = yaml_document_get_root_node(&reader->document);
    if (root == NULL || root->type != YAML_MAPPING_NODE) {
        BLAME(reader, root == NULL ? NULL : &root->start_mark, "'routes:' is missing");
        return;
    }
    bool has_routes = false;
    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top && !reader->has_failed; pair++) {
        const yaml_node_t *key = yaml_document_get_node(&reader->document, pair->key);
        const char *name = read_text(reader, key, "a name");
        if (name != NULL && (strcmp(name, "routes") != 0 || has_routes)) {
            BLAME(reader, &key->start_mark, "only one 'routes:' is expected here, not '%s'", name);
        } else if (name != NULL) {
            has_routes = true;
            read_routes(reader, yaml_document_get_node(&reader->document, pair->value));
        }
    }
    if (!has_routes) {
        BLAME(reader, &root->start_mark, "'routes:' is missing");
    }
}

int fil_service_file_init(struct fil_service_file *file, struct fil_bytes text)
{
    struct reader reader = {.file = file};
    yaml_parser_t parser;
    *file = (struct fil_service_file){0};
    fil_arena_init(&file->arena, ARENA_CHUNK_BYTES, ARENA_LIMIT_BYTES);
    file->entries =
        fil_arena_alloc_zero(&file->arena, FIL_SERVICE_FILE_ROUTES_MAX, sizeof(*file->entries));
    if (file->entries == NULL || fil_yaml_text_open(&parser, text) != FIL_OK) {
        return FIL_E_NOMEM;
    }
    if (yaml_parser_load(&parser, &reader.document)) {
        read_document(&reader);
        yaml_document_delete(&reader.document);
    } else {
        bool has_place = parser.error != YAML_READER_ERROR && parser.error != YAML_MEMORY_ERROR;
        BLAME(&reader, has_place ? &parser.problem_mark : NULL, "this is no YAML: %s",
              parser.problem == NULL ? "out of memory" : parser.problem);
    }
    yaml_parser_delete(&parser);
    return reader.has_failed ? FIL_E_MALFORMED : FIL_OK;
}

void fil_service_file_fini(struct fil_service_file *file)
{
    fil_arena_fini(&file->arena);
}
