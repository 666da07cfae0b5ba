// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/service_routes.h"

#include <stdio.h>
#include <string.h>

#include "core/service/files.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

#define VALUE_BYTES_MAX   ((size_t)16 << 20)
#define MESSAGE_BYTES_MAX ((size_t)1 << 20)

static struct fil_reply get_text(struct fil_request *request)
{
    const struct fil_service_entry *entry = fil_request_context(request);
    const char *type = entry->type == NULL ? "text/plain; charset=utf-8" : entry->type;
    return fil_reply_bytes(entry->status, type, entry->target, strlen(entry->target));
}

/** What a map's route does, by its method; the file was checked. */
static fil_handler_fn map_handler(const struct fil_service_entry *entry)
{
    if (strncmp(entry->route, "GET ", 4) == 0) {
        return fil_rest_map_get;
    }
    return strncmp(entry->route, "PUT ", 4) == 0 ? fil_rest_map_put : fil_rest_map_delete;
}

static fil_handler_fn handler_of(const struct fil_service_entry *entry)
{
    switch (entry->kind) {
    case FIL_SERVICE_MAP:
        return map_handler(entry);
    case FIL_SERVICE_QUEUE:
        return strncmp(entry->route, "POST ", 5) == 0 ? fil_rest_queue_offer : fil_rest_queue_poll;
    case FIL_SERVICE_TOPIC:
        return fil_rest_topic_publish;
    case FIL_SERVICE_MESSAGES:
        return fil_rest_topic_messages;
    case FIL_SERVICE_CHANGES:
        return fil_rest_map_changes;
    case FIL_SERVICE_TEXT:
        return get_text;
    case FIL_SERVICE_FILES:
    case FIL_SERVICE_PROXY:
    case FIL_SERVICE_NOTHING:
    default:
        return NULL;
    }
}

static int add_route(struct fil_service *service, struct fil_service_file *file,
                     struct fil_service_entry *entry, struct fil_rest_grid *grid)
{
    struct fil_rest_binding *binding = fil_arena_alloc_zero(&file->arena, 1, sizeof(*binding));
    fil_handler_fn handler = handler_of(entry);
    if (binding == NULL) {
        return FIL_E_NOMEM;
    }
    fil_assert(handler != NULL);
    *binding = (struct fil_rest_binding){.grid = grid, .name = entry->target, .key = entry->key};
    bool is_text = entry->kind == FIL_SERVICE_TEXT;
    struct fil_route_options options = {
        .run_on = "loop",
        .body_bytes_max = entry->kind == FIL_SERVICE_MAP ? VALUE_BYTES_MAX : MESSAGE_BYTES_MAX,
        .context = is_text ? (void *)entry : binding};
    return fil_service_route(service, entry->route, handler, &options, NULL);
}

static int add_files(struct fil_service *service, const struct fil_service_entry *entry)
{
    struct fil_route *route = NULL;
    int error = fil_files_route(&route, entry->route, entry->target, NULL);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_service_add(service, route);
    if (error != FIL_OK) {
        fil_route_free(route);
    }
    return error;
}

/** The servers, behind the word that call.h has for what they speak. */
static int add_proxy(struct fil_service *service, struct fil_service_file *file,
                     const struct fil_service_entry *entry, struct fil_proxies *proxies)
{
    static const char word[] = "http2 ";
    size_t word_size = entry->is_http2 ? sizeof(word) - 1 : 0;
    size_t size = word_size + strlen(entry->target);
    char *servers = fil_arena_alloc(&file->arena, size + 1, 1);
    if (servers == NULL) {
        return FIL_E_NOMEM;
    }
    memcpy(servers, word, word_size);
    memcpy(servers + word_size, entry->target, size - word_size + 1);
    return fil_proxies_add_one(proxies, service, fil_bytes_of(entry->route),
                               fil_bytes_make(servers, size));
}

static int add_entry(struct fil_service *service, struct fil_service_file *file,
                     struct fil_service_entry *entry, struct fil_rest_grid *grid,
                     struct fil_proxies *proxies)
{
    if (entry->kind == FIL_SERVICE_PROXY) {
        return add_proxy(service, file, entry, proxies);
    }
    return entry->kind == FIL_SERVICE_FILES ? add_files(service, entry)
                                            : add_route(service, file, entry, grid);
}

int fil_service_routes_add(struct fil_service *service, struct fil_service_file *file,
                           struct fil_rest_grid *grid, struct fil_proxies *proxies)
{
    int error = FIL_OK;
    for (uint32_t i = 0; i < file->entry_count && error == FIL_OK; i++) {
        struct fil_service_entry *entry = &file->entries[i];
        error = add_entry(service, file, entry, grid, proxies);
        if (error != FIL_OK && error != FIL_E_NOMEM) {
            (void)snprintf(service->problem, sizeof(service->problem), "the route %s: %s",
                           entry->route, fil_error_text(error));
            error = FIL_E_CONFIG;
        }
    }
    return error;
}
