// SPDX-License-Identifier: Apache-2.0
/** Requests of those who want to be told: of entries, of what near caches must forget, of objects.
 */
#include "core/container/listen.h"
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "grid/list/list.h"
#include "grid/map/maps.h"
#include "grid/queue/queue.h"
#include "grid/replicated/replicated.h"
#include "grid/set/set.h"
#include "grid/topic/topic.h"
#include "lib/net/loop.h"
#include "protocol/client/generated/client.h"
#include "protocol/client/generated/list.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/generated/multi_map.h"
#include "protocol/client/generated/queue.h"
#include "protocol/client/generated/replicated_map.h"
#include "protocol/client/generated/set.h"
#include "protocol/client/generated/topic.h"
#include "protocol/client/query/predicate.h"
#include "protocol/client/serve/container_task.h"
#include "protocol/client/serve/handlers_internal.h"
#include "protocol/client/serve/subscription.h"

#define EVENT_OF(request_number) ((request_number) + 2)

static struct fil_wire_wish wish_of(const struct fil_wire_task *task, enum fil_wire_subject subject)
{
    return (struct fil_wire_wish){.subject = subject,
                                  .event_number = EVENT_OF(task->header.type),
                                  .correlation = task->header.correlation};
}

static int finish_wish(struct fil_wire_task *task, struct fil_bytes name,
                       struct fil_wire_wish *wish)
{
    int error = wish->predicate.data == NULL
                    ? FIL_OK
                    : fil_query_predicate_check(wish->predicate, &task->fault);
    if (error != FIL_OK) {
        return error;
    }
    if (wish->type != NULL) {
        error = fil_wire_task_find_container(task, wish->type, name);
        wish->container = task->container;
        return error;
    }
    error = wish->is_multimap ? fil_wire_task_find_multimap(task, name)
                              : fil_wire_task_find_map(task, name);
    wish->map = task->map;
    return error;
}

/** The functions of a request that listens to a map; the statements complete the wish. */
#define LISTENER(message_name, subject, statements)                                             \
    static int message_name##_wish(struct fil_wire_task *task, struct fil_wire_wish *out_wish)  \
    {                                                                                           \
        struct fil_wire_##message_name##_request request;                                       \
        int error = FIL_WIRE_READ(message_name, task, &request);                                \
        if (error != FIL_OK) {                                                                  \
            return error;                                                                       \
        }                                                                                       \
        *out_wish = wish_of(task, subject);                                                     \
        statements;                                                                             \
        return finish_wish(task, request.name, out_wish);                                       \
    }                                                                                           \
    int fil_wire__##message_name##_read(struct fil_wire_task *task)                             \
    {                                                                                           \
        struct fil_wire_wish wish;                                                              \
        return message_name##_wish(task, &wish);                                                \
    }                                                                                           \
    int fil_wire__##message_name##_start(struct fil_wire_call *call, struct fil_runner *runner) \
    {                                                                                           \
        struct fil_wire_wish wish;                                                              \
        int error = message_name##_wish(&call->task, &wish);                                    \
        return error == FIL_OK ? fil_wire_subscription_open(call, &wish, runner) : error;       \
    }                                                                                           \
    int fil_wire__##message_name##_run(struct fil_wire_task *task)                              \
    {                                                                                           \
        return fil_wire_answer_uuid(task, task->uuid);                                          \
    }

#define TAKE_FLAGS                                      \
    out_wish->flags = (uint32_t)request.listener_flags; \
    out_wish->has_values = request.include_value
#define TAKE_KEY       out_wish->key = fil_wire_form_of_key(request.key)
#define TAKE_PREDICATE out_wish->predicate = request.predicate

LISTENER(map_add_entry_listener, FIL_WIRE_ENTRIES, TAKE_FLAGS)
LISTENER(map_add_entry_listener_to_key, FIL_WIRE_ENTRIES, TAKE_FLAGS; TAKE_KEY)
LISTENER(map_add_entry_listener_with_predicate, FIL_WIRE_ENTRIES, TAKE_FLAGS; TAKE_PREDICATE)
LISTENER(map_add_entry_listener_to_key_with_predicate, FIL_WIRE_ENTRIES, TAKE_FLAGS; TAKE_KEY;
         TAKE_PREDICATE)
LISTENER(map_add_near_cache_invalidation_listener, FIL_WIRE_INVALIDATIONS, (void)0)

#define TAKE_MULTIMAP                     \
    out_wish->is_multimap = true;         \
    out_wish->flags = FIL_MAP_EVENTS_ALL; \
    out_wish->has_values = request.include_value

LISTENER(multi_map_add_entry_listener, FIL_WIRE_ENTRIES, TAKE_MULTIMAP)
LISTENER(multi_map_add_entry_listener_to_key, FIL_WIRE_ENTRIES, TAKE_MULTIMAP; TAKE_KEY)

#define TAKE_TYPE(container_type, kinds) \
    out_wish->type = &(container_type);  \
    out_wish->flags = (kinds);           \
    out_wish->has_values = true
#define TAKE_ITEMS(container_type)                                                    \
    TAKE_TYPE(container_type, (uint32_t)FIL_CONTAINER_ADDED | FIL_CONTAINER_REMOVED); \
    out_wish->has_values = request.include_value
#define TAKE_REPLICATED TAKE_TYPE(fil_replicated_type, UINT32_MAX)
#define TAKE_PLAIN_KEY  out_wish->key = request.key

LISTENER(queue_add_listener, FIL_WIRE_ITEMS, TAKE_ITEMS(fil_queue_type))
LISTENER(list_add_listener, FIL_WIRE_ITEMS, TAKE_ITEMS(fil_list_type))
LISTENER(set_add_listener, FIL_WIRE_ITEMS, TAKE_ITEMS(fil_set_type))
LISTENER(topic_add_message_listener, FIL_WIRE_MESSAGES,
         TAKE_TYPE(fil_topic_type, FIL_CONTAINER_MESSAGE))
LISTENER(replicated_map_add_entry_listener, FIL_WIRE_REPLICATED, TAKE_REPLICATED)
LISTENER(replicated_map_add_entry_listener_to_key, FIL_WIRE_REPLICATED, TAKE_REPLICATED;
         TAKE_PLAIN_KEY)

LISTENER(replicated_map_add_entry_listener_with_predicate, FIL_WIRE_REPLICATED, TAKE_REPLICATED;
         TAKE_PREDICATE)
LISTENER(replicated_map_add_entry_listener_to_key_with_predicate, FIL_WIRE_REPLICATED,
         TAKE_REPLICATED;
         TAKE_PLAIN_KEY; TAKE_PREDICATE)
LISTENER(replicated_map_add_near_cache_entry_listener, FIL_WIRE_REPLICATED, TAKE_REPLICATED;
         out_wish->has_values = request.include_value)

static int end(struct fil_wire_task *task, struct fil_wire_uuid id)
{
    struct fil_wire_session *session = task->session;
    struct fil_turn *turn = session->connection->loop->context;
    return fil_wire_answer_bool(task, fil_wire_subscription_end(session, id, &turn->runner));
}

/** The function of a request that ends a subscription. */
#define ENDER(message_name)                                                  \
    int fil_wire__##message_name##_run(struct fil_wire_task *task)           \
    {                                                                        \
        struct fil_wire_##message_name##_request request;                    \
        int error = FIL_WIRE_READ(message_name, task, &request);             \
        return error == FIL_OK ? end(task, request.registration_id) : error; \
    }

ENDER(multi_map_remove_entry_listener)
ENDER(map_remove_entry_listener)
ENDER(map_remove_partition_lost_listener)
ENDER(client_remove_distributed_object_listener)
ENDER(client_remove_partition_lost_listener)
ENDER(client_remove_migration_listener)
ENDER(queue_remove_listener)
ENDER(list_remove_listener)
ENDER(set_remove_listener)
ENDER(topic_remove_message_listener)
ENDER(replicated_map_remove_entry_listener)

static int add(struct fil_wire_task *task, enum fil_wire_subject subject)
{
    struct fil_wire_wish wish = wish_of(task, subject);
    struct fil_wire_uuid id;
    int error = fil_wire_subscription_add(task->session, &wish, &id);
    return error == FIL_OK ? fil_wire_answer_uuid(task, id) : error;
}

/** The function of a request that listens to something else than a map's entries. */
#define ADDER(message_name, subject)                               \
    int fil_wire__##message_name##_run(struct fil_wire_task *task) \
    {                                                              \
        struct fil_wire_##message_name##_request request;          \
        int error = FIL_WIRE_READ(message_name, task, &request);   \
        return error == FIL_OK ? add(task, subject) : error;       \
    }

ADDER(client_add_distributed_object_listener, FIL_WIRE_OBJECTS)
ADDER(client_add_partition_lost_listener, FIL_WIRE_NOTHING)
ADDER(client_add_migration_listener, FIL_WIRE_NOTHING)
ADDER(map_add_partition_lost_listener, FIL_WIRE_NOTHING)

// What near caches compare their numbers with.

/** Packed pairs of a partition and its sequence, of one map. */
static void write_sequences(struct fil_wire_writer *writer, const struct fil_map *map)
{
    const size_t pair = sizeof(int32_t) + sizeof(int64_t);
    uint8_t *to = fil_wire_writer_frame(writer, 0, map->partition_count * pair);
    for (uint32_t i = 0; to != NULL && i < map->partition_count; i++) {
        fil_store_u32_le(to + i * pair, i);
        fil_store_u64_le(to + i * pair + sizeof(int32_t), fil_map_sequence(map, i));
    }
}

static void write_uuids(struct fil_wire_writer *writer, const struct fil_wire_server *server)
{
    const size_t pair = sizeof(int32_t) + FIL_WIRE_UUID_SIZE;
    uint32_t count = server->options.partition_count;
    uint8_t *to = fil_wire_writer_frame(writer, 0, count * pair);
    for (uint32_t i = 0; to != NULL && i < count; i++) {
        fil_store_u32_le(to + i * pair, i);
        fil_wire_store_uuid(to + i * pair + sizeof(int32_t), server->partition_uuids[i]);
    }
}

/** The maps of the request that there are, each with its numbers. */
static void write_maps(struct fil_wire_writer *writer, void *context)
{
    struct fil_wire_task *task = context;
    struct fil_wire_cursor cursor = fil_wire_part_open(&task->part);
    struct fil_bytes name;
    while (fil_wire_cursor_bytes(&cursor, &name)) {
        const struct fil_map *map = fil_maps_find(task->session->server->options.maps, name);
        if (map != NULL) {
            fil_wire_writer_bytes(writer, name);
            write_sequences(writer, map);
        }
    }
}

int fil_wire__map_fetch_near_cache_invalidation_metadata_run(struct fil_wire_task *task)
{
    struct fil_wire_map_fetch_near_cache_invalidation_metadata_request request;
    int error = FIL_WIRE_READ(map_fetch_near_cache_invalidation_metadata, task, &request);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_wire_header header = {.type = task->header.type + 1,
                                     .correlation = task->header.correlation};
    task->part = request.names;
    (void)fil_wire_writer_open_response(task->writer, &header, 0);
    fil_wire_writer_begin(task->writer);
    write_maps(task->writer, task);
    fil_wire_writer_end(task->writer);
    write_uuids(task->writer, task->session->server);
    return fil_wire_writer_finish(task->writer);
}
