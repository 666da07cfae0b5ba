// SPDX-License-Identifier: Apache-2.0
/** Maps: what can be done with one key, and with all of them. */
#include "filbert/map.h"

#include <string.h>

#include "client/listener_internal.h"
#include "client/map_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/generated/client.h"
#include "protocol/client/generated/hot.h"
#include "protocol/client/generated/map.h"

#define TTL_OF_MAP  INT64_C(-1) // as the map is configured
#define MAP_SERVICE "hz:impl:mapService"

static int write_get(struct fil_wire_writer *writer, struct fil_wire_header header,
                     const void *fields)
{
    return fil_wire_map_get_request_write(writer, header, fields);
}

static int write_put(struct fil_wire_writer *writer, struct fil_wire_header header,
                     const void *fields)
{
    return fil_wire_map_put_request_write(writer, header, fields);
}

static int write_set(struct fil_wire_writer *writer, struct fil_wire_header header,
                     const void *fields)
{
    return fil_wire_map_set_request_write(writer, header, fields);
}

static const struct fil_client_op get_op = {.request = &fil_wire_map_get_request_layout,
                                            .write = write_get,
                                            .answer = FIL_CLIENT_ANSWER_DATA,
                                            .is_retryable = true};
static const struct fil_client_op put_op = {.request = &fil_wire_map_put_request_layout,
                                            .write = write_put,
                                            .answer = FIL_CLIENT_ANSWER_DATA};
static const struct fil_client_op set_op = {.request = &fil_wire_map_set_request_layout,
                                            .write = write_set};
static const struct fil_client_op put_if_absent_op = {
    .request = &fil_wire_map_put_if_absent_request_layout, .answer = FIL_CLIENT_ANSWER_DATA};
static const struct fil_client_op remove_op = {.request = &fil_wire_map_remove_request_layout,
                                               .answer = FIL_CLIENT_ANSWER_DATA};
static const struct fil_client_op contains_op = {.request =
                                                     &fil_wire_map_contains_key_request_layout,
                                                 .answer = FIL_CLIENT_ANSWER_BOOL,
                                                 .is_retryable = true};
static const struct fil_client_op count_op = {.request = &fil_wire_map_size_request_layout,
                                              .answer = FIL_CLIENT_ANSWER_I32,
                                              .is_retryable = true};
static const struct fil_client_op clear_op = {.request = &fil_wire_map_clear_request_layout};
static const struct fil_client_op destroy_op = {.request =
                                                    &fil_wire_client_destroy_proxy_request_layout};
static struct fil_map *find_map(struct fil_client *client, struct fil_bytes name)
{
    fil_list_foreach(item, &client->maps) {
        struct fil_map *map = FIL_CONTAINER_OF(item, struct fil_map, link);
        if (fil_bytes_equal(fil_client__map_name(map), name)) {
            return map;
        }
    }
    return NULL;
}

static struct fil_map *make_map(struct fil_client *client, struct fil_bytes name)
{
    struct fil_map *map = fil_alloc_zero(1, sizeof(*map));
    if (map == NULL) {
        return NULL;
    }
    map->client = client;
    map->name_size = name.size;
    memcpy(map->name, name.data, name.size);
    fil_list_init(&map->link);
    fil_list_push_back(&client->maps, &map->link);
    struct fil_client_link *link = fil_client__route(client, -1);
    if (link != NULL) {
        fil_client__announce_map(link, map);
    }
    return map;
}

struct fil_map *fil_map(struct fil_grid *grid, const char *name)
{
    struct fil_bytes bytes = name == NULL ? fil_bytes_make(NULL, 0) : fil_bytes_of(name);
    if (grid == NULL || bytes.size == 0 || bytes.size >= FIL_CLIENT_NAME_MAX) {
        return NULL;
    }
    fil_client__lock(grid->client);
    struct fil_map *map = find_map(grid->client, bytes);
    if (map == NULL) {
        map = make_map(grid->client, bytes);
    }
    fil_client__unlock(grid->client);
    return map;
}

static int get(struct fil_map *map, const struct fil_value *key,
               const struct fil_map_outlet *outlet)
{
    struct fil_map_draft draft;
    fil_client__map_draft(&draft, map, key, NULL);
    if (draft.error != FIL_OK) {
        return fil_client__map_submit(map, &draft, NULL, outlet);
    }
    struct fil_wire_map_get_request fields = {.thread_id = fil_client__map_thread(),
                                              .name = fil_client__map_name(map),
                                              .key = draft.key.bytes};
    return fil_client__map_submit(
        map, &draft,
        &(struct fil_map_request){.op = &get_op, .fields = &fields, .key = draft.key.bytes},
        outlet);
}

int fil_map_get(struct fil_map *map, struct fil_value key, struct fil_value *out_value)
{
    if (out_value == NULL) {
        return FIL_E_INVALID;
    }
    *out_value = fil_null();
    return get(map, &key, &(struct fil_map_outlet){.out_value = out_value});
}

int fil_map_get_async(struct fil_map *map, struct fil_value key, fil_value_fn done, void *context)
{
    return done == NULL
               ? FIL_E_INVALID
               : get(map, &key, &(struct fil_map_outlet){.tell = done, .context = context});
}

/** Put, set and put if absent have the same fields under different names. */
static int store(struct fil_map *map, const struct fil_client_op *op, struct fil_map_draft *draft,
                 int64_t ttl_ms, const struct fil_map_outlet *outlet)
{
    if (draft->error != FIL_OK) {
        return fil_client__map_submit(map, draft, NULL, outlet);
    }
    struct fil_wire_map_put_request put = {.thread_id = fil_client__map_thread(),
                                           .ttl = ttl_ms,
                                           .name = fil_client__map_name(map),
                                           .key = draft->key.bytes,
                                           .value = draft->value.bytes};
    struct fil_wire_map_set_request set = {.thread_id = put.thread_id,
                                           .ttl = ttl_ms,
                                           .name = put.name,
                                           .key = put.key,
                                           .value = put.value};
    struct fil_wire_map_put_if_absent_request absent = {.thread_id = put.thread_id,
                                                        .ttl = ttl_ms,
                                                        .name = put.name,
                                                        .key = put.key,
                                                        .value = put.value};
    const void *fields = op == &put_op ? (const void *)&put : &absent;
    if (op == &set_op) {
        fields = &set;
    }
    return fil_client__map_submit(
        map, draft,
        &(struct fil_map_request){
            .op = op, .fields = fields, .key = draft->key.bytes, .is_write = true},
        outlet);
}

int fil_map_put(struct fil_map *map, struct fil_value key, struct fil_value value,
                struct fil_value *out_old)
{
    struct fil_map_draft draft;
    fil_client__map_draft(&draft, map, &key, &value);
    return store(map, &put_op, &draft, TTL_OF_MAP, &(struct fil_map_outlet){.out_value = out_old});
}

int fil_map_put_async(struct fil_map *map, struct fil_value key, struct fil_value value,
                      fil_value_fn done, void *context)
{
    struct fil_map_draft draft;
    if (done == NULL) {
        return FIL_E_INVALID;
    }
    fil_client__map_draft(&draft, map, &key, &value);
    return store(map, &put_op, &draft, TTL_OF_MAP,
                 &(struct fil_map_outlet){.tell = done, .context = context});
}

int fil_map_set(struct fil_map *map, struct fil_value key, struct fil_value value)
{
    struct fil_map_draft draft;
    fil_client__map_draft(&draft, map, &key, &value);
    return store(map, &set_op, &draft, TTL_OF_MAP, &(struct fil_map_outlet){0});
}

int fil_map_set_async(struct fil_map *map, struct fil_value key, struct fil_value value,
                      fil_value_fn done, void *context)
{
    struct fil_map_draft draft;
    if (done == NULL) {
        return FIL_E_INVALID;
    }
    fil_client__map_draft(&draft, map, &key, &value);
    return store(map, &set_op, &draft, TTL_OF_MAP,
                 &(struct fil_map_outlet){.tell = done, .context = context});
}

int fil_map_set_ttl(struct fil_map *map, struct fil_value key, struct fil_value value,
                    uint64_t ttl_ms)
{
    struct fil_map_draft draft;
    if (ttl_ms > INT64_MAX) {
        return FIL_E_INVALID;
    }
    fil_client__map_draft(&draft, map, &key, &value);
    return store(map, &set_op, &draft, (int64_t)ttl_ms, &(struct fil_map_outlet){0});
}

int fil_map_put_if_absent(struct fil_map *map, struct fil_value key, struct fil_value value,
                          struct fil_value *out_old)
{
    struct fil_map_draft draft;
    fil_client__map_draft(&draft, map, &key, &value);
    return store(map, &put_if_absent_op, &draft, TTL_OF_MAP,
                 &(struct fil_map_outlet){.out_value = out_old});
}

static int take_out(struct fil_map *map, const struct fil_value *key,
                    const struct fil_map_outlet *outlet)
{
    struct fil_map_draft draft;
    fil_client__map_draft(&draft, map, key, NULL);
    if (draft.error != FIL_OK) {
        return fil_client__map_submit(map, &draft, NULL, outlet);
    }
    struct fil_wire_map_remove_request fields = {.thread_id = fil_client__map_thread(),
                                                 .name = fil_client__map_name(map),
                                                 .key = draft.key.bytes};
    return fil_client__map_submit(
        map, &draft,
        &(struct fil_map_request){
            .op = &remove_op, .fields = &fields, .key = draft.key.bytes, .is_write = true},
        outlet);
}

int fil_map_remove(struct fil_map *map, struct fil_value key, struct fil_value *out_old)
{
    return take_out(map, &key, &(struct fil_map_outlet){.out_value = out_old});
}

int fil_map_remove_async(struct fil_map *map, struct fil_value key, fil_value_fn done,
                         void *context)
{
    return done == NULL
               ? FIL_E_INVALID
               : take_out(map, &key, &(struct fil_map_outlet){.tell = done, .context = context});
}

int fil_map_contains(struct fil_map *map, struct fil_value key, bool *out_contains)
{
    struct fil_map_draft draft;
    struct fil_value answer = {0};
    if (map == NULL || out_contains == NULL) {
        return FIL_E_INVALID;
    }
    fil_client__map_draft(&draft, map, &key, NULL);
    struct fil_wire_map_contains_key_request fields = {.thread_id = fil_client__map_thread(),
                                                       .name = fil_client__map_name(map),
                                                       .key = draft.key.bytes};
    int error = fil_client__map_submit(
        map, &draft,
        &(struct fil_map_request){.op = &contains_op, .fields = &fields, .key = draft.key.bytes},
        &(struct fil_map_outlet){.out_value = &answer});
    *out_contains = fil_value_i64(&answer) != 0;
    return error;
}

int fil_map_count(struct fil_map *map, uint64_t *out_count)
{
    struct fil_value answer = {0};
    if (map == NULL || out_count == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_map_size_request fields = {.name = fil_client__map_name(map)};
    int error = fil_client__map_run(
        map, &(struct fil_map_request){.op = &count_op, .fields = &fields}, &answer);
    *out_count = (uint64_t)fil_value_i64(&answer);
    return error;
}

int fil_map_count_async(struct fil_map *map, fil_value_fn done, void *context)
{
    if (map == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_map_size_request fields = {.name = fil_client__map_name(map)};
    return fil_client__map_start(map, &(struct fil_map_request){.op = &count_op, .fields = &fields},
                                 done, context);
}

int fil_map_clear(struct fil_map *map)
{
    if (map == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_map_clear_request fields = {.name = fil_client__map_name(map)};
    return fil_client__map_run(
        map, &(struct fil_map_request){.op = &clear_op, .fields = &fields, .is_write = true}, NULL);
}

int fil_map_destroy(struct fil_map *map)
{
    if (map == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_client_destroy_proxy_request fields = {
        .name = fil_client__map_name(map), .service_name = fil_bytes_of(MAP_SERVICE)};
    return fil_client__map_run(
        map, &(struct fil_map_request){.op = &destroy_op, .fields = &fields, .is_write = true},
        NULL);
}
