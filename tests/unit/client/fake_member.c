// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/client/fake_member.h"

#include <string.h>

#include "protocol/client/generated/client.h"
#include "protocol/client/generated/customs.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/generated/services.h"
#include "tests/unit/harness.h"

static struct fil_wire_uuid uuid_of(const struct fake_member *member)
{
    return (struct fil_wire_uuid){.high = 7, .low = 100 + member->index};
}

static void open_connection(struct fake_member *member, int fd)
{
    for (uint32_t i = 0; i < FAKE_CONNECTIONS_MAX; i++) {
        struct fake_connection *connection = &member->connections[i];
        if (connection->fd < 0) {
            memset(connection, 0, offsetof(struct fake_connection, input));
            connection->fd = fd;
            fil_chunk_queue_init(&connection->output);
            fil_wire_receiver_init(&connection->receiver, NULL);
            fil_wire_receiver_trust(&connection->receiver, FAKE_INPUT_BYTES, FAKE_INPUT_BYTES);
            member->accept_count++;
            return;
        }
    }
    fail_msg("too many connections to a fake member");
}

static void close_connection(struct fake_member *member, struct fake_connection *connection)
{
    struct fil_env *env = member->cluster->env;
    env->ops->close(env, connection->fd);
    fil_chunk_queue_clear(&connection->output);
    fil_wire_receiver_fini(&connection->receiver);
    connection->fd = -1;
}

void fake_member_start(struct fake_member *member)
{
    struct fil_env *env = member->cluster->env;
    struct fil_address address = {.ip = {127, 0, 0, 1}, .port = member->address.port};
    assert_int_equal(env->ops->listen(env, &address, 8, &member->listener, &member->address),
                     FIL_OK);
}

void fake_member_stop(struct fake_member *member)
{
    struct fil_env *env = member->cluster->env;
    for (uint32_t i = 0; i < FAKE_CONNECTIONS_MAX; i++) {
        if (member->connections[i].fd >= 0) {
            close_connection(member, &member->connections[i]);
        }
    }
    if (member->listener >= 0) {
        env->ops->close(env, member->listener);
        member->listener = -1;
    }
}

void fake_cluster_init(struct fake_cluster *cluster, struct fil_env *env, uint16_t port_base,
                       uint32_t member_count)
{
    memset(cluster, 0, sizeof(*cluster));
    cluster->env = env;
    cluster->port_base = port_base;
    cluster->member_count = member_count;
    cluster->partition_count = FAKE_PARTITIONS;
    cluster->version = 1;
    cluster->id = 1;
    fil_budget_init(&cluster->budget, UINT64_C(1) << 30);
    fil_chunk_pool_init(&cluster->pool, &cluster->budget, 4);
    for (uint32_t i = 0; i < FAKE_MEMBERS_MAX; i++) {
        struct fake_member *member = &cluster->members[i];
        member->cluster = cluster;
        member->index = i;
        member->listener = -1;
        member->address.port = port_base == 0 ? 0 : (uint16_t)(port_base + i);
        for (uint32_t j = 0; j < FAKE_CONNECTIONS_MAX; j++) {
            member->connections[j].fd = -1;
        }
        if (i < member_count) {
            fake_member_start(member);
        }
    }
}

void fake_cluster_fini(struct fake_cluster *cluster)
{
    for (uint32_t i = 0; i < FAKE_MEMBERS_MAX; i++) {
        fake_member_stop(&cluster->members[i]);
    }
    fil_pool_fini(&cluster->pool);
}

struct fake_entry *fake_cluster_find(struct fake_cluster *cluster, struct fil_bytes key)
{
    for (uint32_t i = 0; i < FAKE_ENTRIES_MAX; i++) {
        struct fake_entry *entry = &cluster->entries[i];
        if (entry->is_used && fil_bytes_equal(fil_bytes_make(entry->key, entry->key_size), key)) {
            return entry;
        }
    }
    return NULL;
}

void fake_cluster_set(struct fake_cluster *cluster, struct fil_bytes key, struct fil_bytes value)
{
    struct fake_entry *entry = fake_cluster_find(cluster, key);
    for (uint32_t i = 0; entry == NULL && i < FAKE_ENTRIES_MAX; i++) {
        if (!cluster->entries[i].is_used) {
            entry = &cluster->entries[i];
        }
    }
    if (entry == NULL) {
        fail_msg("the cluster is full");
        return;
    }
    assert_true(key.size <= FAKE_ENTRY_BYTES && value.size <= FAKE_ENTRY_BYTES);
    entry->is_used = true;
    entry->key_size = key.size;
    entry->value_size = value.size;
    memcpy(entry->key, key.data, key.size);
    memcpy(entry->value, value.data, value.size);
}

// What it answers.

struct answer {
    struct fake_member *member;
    struct fake_connection *connection;
    struct fil_wire_header header; // of the request
    struct fil_bytes message;
    struct fil_wire_writer writer;
};

/** The members and partitions as they are told; points to itself. */
struct view {
    struct fil_wire_address addresses[FAKE_MEMBERS_MAX];
    struct fil_wire_member_version version;
    struct fil_wire_member_info members[FAKE_MEMBERS_MAX];
    uint8_t keys[FAKE_MEMBERS_MAX * FIL_WIRE_UUID_SIZE];
    uint8_t packed[FAKE_MEMBERS_MAX][FAKE_PARTITIONS * 4];
    struct fil_bytes lists[FAKE_MEMBERS_MAX];
    struct fil_wire_part member_part;
    struct fil_wire_part partition_part;
};

static void view_init(struct view *view, struct fake_cluster *cluster)
{
    memset(view, 0, sizeof(*view));
    for (uint32_t i = 0; i < cluster->member_count; i++) {
        struct fake_member *member = &cluster->members[i];
        view->addresses[i] = (struct fil_wire_address){.port = member->address.port,
                                                       .host = fil_bytes_of("127.0.0.1")};
        view->members[i] =
            (struct fil_wire_member_info){.uuid = uuid_of(member),
                                          .address = fil_wire_part_items(&view->addresses[i], 1),
                                          .version = fil_wire_part_items(&view->version, 1)};
        fil_wire_store_uuid(view->keys + i * FIL_WIRE_UUID_SIZE, uuid_of(member));
        size_t count = 0;
        for (uint32_t p = i; p < cluster->partition_count; p += cluster->member_count) {
            fil_store_u32_le(view->packed[i] + 4 * count, p);
            count++;
        }
        view->lists[i] = fil_bytes_make(view->packed[i], 4 * count);
    }
    view->member_part = fil_wire_part_items(view->members, cluster->member_count);
    view->partition_part = fil_wire_part_items(view->lists, cluster->member_count);
    view->partition_part.keys =
        fil_bytes_make(view->keys, cluster->member_count * FIL_WIRE_UUID_SIZE);
}

static void answer_greeting(struct answer *answer)
{
    struct fake_member *member = answer->member;
    struct fake_cluster *cluster = member->cluster;
    struct view view;
    view_init(&view, cluster);
    member->greeting_count++;
    struct fil_wire_address address = {.port = member->address.port,
                                       .host = fil_bytes_of("127.0.0.1")};
    struct fil_wire_client_authentication_response response = {
        .status = member->status,
        .member_uuid = uuid_of(member),
        .serialization_version = 1,
        .partition_count = (int32_t)cluster->partition_count,
        .cluster_id = {.high = 1, .low = cluster->id},
        .member_list_version = cluster->version,
        .partition_list_version = cluster->version,
        .address = fil_wire_part_items(&address, 1),
        .server_hazelcast_version = fil_bytes_of("5.7.0"),
        .member_infos = view.member_part,
        .partitions = view.partition_part,
    };
    assert_int_equal(FIL_WIRE_ENCODE(client_authentication_response, &answer->writer,
                                     &answer->header, &response),
                     FIL_OK);
}

static void tell_view(struct fake_member *member, struct fake_connection *connection)
{
    struct fake_cluster *cluster = member->cluster;
    struct fil_wire_writer writer;
    struct view view;
    view_init(&view, cluster);
    struct fil_wire_header header = {.correlation = connection->view, .partition = -1};
    struct fil_wire_client_add_cluster_view_listener_members_view_event members = {
        .version = cluster->version, .member_infos = view.member_part};
    struct fil_wire_client_add_cluster_view_listener_partitions_view_event partitions = {
        .version = cluster->version, .partitions = view.partition_part};
    fil_wire_writer_init(&writer, &connection->output, &cluster->pool, FAKE_INPUT_BYTES);
    assert_int_equal(FIL_WIRE_ENCODE(client_add_cluster_view_listener_members_view_event, &writer,
                                     &header, &members),
                     FIL_OK);
    fil_wire_writer_init(&writer, &connection->output, &cluster->pool, FAKE_INPUT_BYTES);
    assert_int_equal(FIL_WIRE_ENCODE(client_add_cluster_view_listener_partitions_view_event,
                                     &writer, &header, &partitions),
                     FIL_OK);
}

void fake_cluster_tell_views(struct fake_cluster *cluster)
{
    for (uint32_t i = 0; i < FAKE_MEMBERS_MAX; i++) {
        for (uint32_t j = 0; j < FAKE_CONNECTIONS_MAX; j++) {
            struct fake_connection *connection = &cluster->members[i].connections[j];
            if (connection->fd >= 0 && connection->view != 0) {
                tell_view(&cluster->members[i], connection);
            }
        }
    }
}

/** A response without fields, of any request. */
static void answer_nothing(struct answer *answer)
{
    struct fil_wire_header header = answer->header;
    header.type = answer->header.type + 1;
    (void)fil_wire_writer_open_response(&answer->writer, &header, 0);
    assert_int_equal(fil_wire_writer_finish(&answer->writer), FIL_OK);
}

static void answer_uuid(struct answer *answer)
{
    struct fil_wire_map_add_entry_listener_response response = {.response = {.high = 3, .low = 4}};
    assert_int_equal(FIL_WIRE_ENCODE(map_add_entry_listener_response, &answer->writer,
                                     &answer->header, &response),
                     FIL_OK);
}

static void answer_data(struct answer *answer, const struct fake_entry *entry)
{
    struct fil_wire_map_get_response response = {0};
    if (entry != NULL) {
        response.response = fil_bytes_make(entry->value, entry->value_size);
    }
    struct fil_wire_header header = answer->header;
    header.type = answer->header.type + 1;
    (void)fil_wire_writer_open_response(&answer->writer, &header, 0);
    fil_wire_writer_bytes_or_null(&answer->writer, response.response);
    assert_int_equal(fil_wire_writer_finish(&answer->writer), FIL_OK);
}

static void answer_error(struct answer *answer)
{
    struct fil_wire_error_holder holder = {.error_code = answer->member->error_code,
                                           .class_name = fil_bytes_of("java.lang.Exception"),
                                           .message = fil_bytes_of("as the test wants it")};
    struct fil_wire_exception_response response = {.errors = fil_wire_part_items(&holder, 1)};
    answer->member->error_count--;
    assert_int_equal(
        FIL_WIRE_ENCODE(exception_response, &answer->writer, &answer->header, &response), FIL_OK);
}

static void answer_get(struct answer *answer)
{
    struct fil_wire_map_get_request request;
    assert_int_equal(FIL_WIRE_DECODE(map_get_request, answer->message, &request, NULL), FIL_OK);
    answer_data(answer, fake_cluster_find(answer->member->cluster, request.key));
}

/** Put and set: the fields are the same, the answers are not. */
static void answer_put(struct answer *answer, bool is_put)
{
    struct fil_wire_map_put_request request;
    struct fake_cluster *cluster = answer->member->cluster;
    assert_int_equal(FIL_WIRE_DECODE(map_put_request, answer->message, &request, NULL), FIL_OK);
    struct fake_entry *old = fake_cluster_find(cluster, request.key);
    if (is_put) {
        answer_data(answer, old);
    } else {
        answer_nothing(answer);
    }
    fake_cluster_set(cluster, request.key, request.value);
}

static void answer_remove(struct answer *answer)
{
    struct fil_wire_map_remove_request request;
    assert_int_equal(FIL_WIRE_DECODE(map_remove_request, answer->message, &request, NULL), FIL_OK);
    struct fake_entry *old = fake_cluster_find(answer->member->cluster, request.key);
    answer_data(answer, old);
    if (old != NULL) {
        old->is_used = false;
    }
}

static void answer_size(struct answer *answer)
{
    struct fil_wire_map_size_response response = {0};
    for (uint32_t i = 0; i < FAKE_ENTRIES_MAX; i++) {
        response.response += answer->member->cluster->entries[i].is_used;
    }
    assert_int_equal(
        FIL_WIRE_ENCODE(map_size_response, &answer->writer, &answer->header, &response), FIL_OK);
}

/** The numbers of all partitions are the same one. */
static void answer_fetch(struct answer *answer)
{
    struct fake_cluster *cluster = answer->member->cluster;
    struct fil_wire_map_fetch_near_cache_invalidation_metadata_request request;
    uint8_t sequences[FAKE_PARTITIONS * 12];
    uint8_t sources[FAKE_PARTITIONS * 21];
    struct fil_bytes name;
    assert_int_equal(FIL_WIRE_DECODE(map_fetch_near_cache_invalidation_metadata_request,
                                     answer->message, &request, NULL),
                     FIL_OK);
    struct fil_wire_cursor cursor = fil_wire_part_open(&request.names);
    assert_true(fil_wire_cursor_bytes(&cursor, &name));
    for (uint32_t i = 0; i < FAKE_PARTITIONS; i++) {
        fil_store_u32_le(sequences + i * 12, i);
        fil_store_u64_le(sequences + i * 12 + 4, cluster->sequence);
        fil_store_u32_le(sources + i * 21, i);
        fil_wire_store_uuid(sources + i * 21 + 4, (struct fil_wire_uuid){.high = 9, .low = 9});
    }
    struct fil_wire_entry entry = {.key = name,
                                   .value = fil_bytes_make(sequences, sizeof(sequences))};
    struct fil_wire_map_fetch_near_cache_invalidation_metadata_response response = {
        .name_partition_sequence_list = fil_wire_part_items(&entry, 1),
        .partition_uuid_list = fil_bytes_make(sources, sizeof(sources))};
    answer->member->fetch_count++;
    assert_int_equal(FIL_WIRE_ENCODE(map_fetch_near_cache_invalidation_metadata_response,
                                     &answer->writer, &answer->header, &response),
                     FIL_OK);
}

static void answer_map(struct answer *answer)
{
    answer->member->request_count++;
    if (answer->member->is_mute) {
        return;
    }
    if (answer->member->error_count > 0) {
        answer_error(answer);
        return;
    }
    switch (answer->header.type) {
    case FIL_WIRE_MAP_GET:
        answer_get(answer);
        break;
    case FIL_WIRE_MAP_PUT:
        answer_put(answer, true);
        break;
    case FIL_WIRE_MAP_SET:
        answer_put(answer, false);
        break;
    case FIL_WIRE_MAP_REMOVE:
        answer_remove(answer);
        break;
    case FIL_WIRE_MAP_SIZE:
        answer_size(answer);
        break;
    default:
        answer_nothing(answer);
        break;
    }
}

static void answer_listen(struct answer *answer, int64_t *out_correlation)
{
    answer->member->listen_count++;
    *out_correlation = answer->header.correlation;
    answer_uuid(answer);
}

static void answer_session(struct answer *answer)
{
    switch (answer->header.type) {
    case FIL_WIRE_CLIENT_AUTHENTICATION:
        answer_greeting(answer);
        break;
    case FIL_WIRE_CLIENT_ADD_CLUSTER_VIEW_LISTENER:
        answer_nothing(answer);
        answer->connection->view = answer->header.correlation;
        tell_view(answer->member, answer->connection);
        break;
    case FIL_WIRE_MAP_ADD_ENTRY_LISTENER:
        answer_listen(answer, &answer->connection->entry);
        break;
    case FIL_WIRE_MAP_ADD_NEAR_CACHE_INVALIDATION_LISTENER:
        answer_listen(answer, &answer->connection->near);
        break;
    case FIL_WIRE_MAP_FETCH_NEAR_CACHE_INVALIDATION_METADATA:
        answer_fetch(answer);
        break;
    default:
        answer->member->ping_count += answer->header.type == FIL_WIRE_CLIENT_PING;
        answer->member->proxy_count += answer->header.type == FIL_WIRE_CLIENT_CREATE_PROXY;
        answer->member->unlisten_count += answer->header.type == FIL_WIRE_MAP_REMOVE_ENTRY_LISTENER;
        answer_nothing(answer);
        break;
    }
}

static bool is_of_maps(uint32_t type)
{
    return type >> 16 == 1 && type != FIL_WIRE_MAP_ADD_ENTRY_LISTENER &&
           type != FIL_WIRE_MAP_REMOVE_ENTRY_LISTENER &&
           type != FIL_WIRE_MAP_ADD_NEAR_CACHE_INVALIDATION_LISTENER &&
           type != FIL_WIRE_MAP_FETCH_NEAR_CACHE_INVALIDATION_METADATA;
}

/** False: the connection is gone. */
static bool take_request(struct fake_member *member, struct fake_connection *connection,
                         struct fil_bytes message)
{
    struct answer answer = {.member = member, .connection = connection, .message = message};
    assert_int_equal(fil_wire_header_decode_request(message, &answer.header), FIL_OK);
    connection->last = answer.header.correlation;
    if (member->is_silent) {
        return true;
    }
    fil_wire_writer_init(&answer.writer, &connection->output, &member->cluster->pool,
                         FAKE_INPUT_BYTES);
    if (!is_of_maps(answer.header.type)) {
        answer_session(&answer);
        return true;
    }
    if (member->drop_count > 0) {
        member->drop_count--;
        member->request_count++;
        close_connection(member, connection);
        return false;
    }
    if (member->sends_garbage) {
        member->sends_garbage = false;
        fil_chunk_queue_append(&connection->output, &member->cluster->pool,
                               fil_bytes_of("this is no frame at all"));
        return true;
    }
    answer_map(&answer);
    return true;
}

static bool take_input(struct fake_member *member, struct fake_connection *connection)
{
    size_t begin = 0;
    if (!connection->has_magic && connection->size >= 3) {
        assert_memory_equal(connection->input, "CP2", 3);
        connection->has_magic = true;
        begin = 3;
    }
    while (connection->has_magic && begin < connection->size) {
        struct fil_bytes message;
        size_t size = 0;
        int error = fil_wire_receive(
            &connection->receiver,
            fil_bytes_make(connection->input + begin, connection->size - begin), &message, &size);
        begin += size;
        if (error == FIL_E_AGAIN) {
            break;
        }
        assert_int_equal(error, FIL_OK);
        if (!take_request(member, connection, message)) {
            return false;
        }
    }
    memmove(connection->input, connection->input + begin, connection->size - begin);
    connection->size -= begin;
    return true;
}

static uint32_t connection_cycle(struct fake_member *member, struct fake_connection *connection)
{
    struct fil_env *env = member->cluster->env;
    uint32_t moved = 0;
    int64_t size = env->ops->receive(env, connection->fd, connection->input + connection->size,
                                     FAKE_INPUT_BYTES - connection->size);
    if (size == 0 || size == FIL_E_CLOSED) {
        close_connection(member, connection);
        return 1;
    }
    if (size > 0) {
        moved++;
        connection->size += (size_t)size;
        if (!take_input(member, connection)) {
            return moved;
        }
    }
    struct fil_bytes slices[8];
    uint32_t count = fil_chunk_queue_slices(&connection->output, slices, 8);
    int64_t sent = count == 0 ? 0 : env->ops->send(env, connection->fd, slices, count);
    if (sent > 0) {
        fil_chunk_queue_consume(&connection->output, (size_t)sent);
        moved++;
    }
    return moved;
}

uint32_t fake_member_cycle(void *context)
{
    struct fake_member *member = context;
    struct fil_env *env = member->cluster->env;
    struct fil_address peer;
    uint32_t moved = 0;
    int fd = -1;
    if (member->listener >= 0 && env->ops->accept(env, member->listener, &fd, &peer) == FIL_OK) {
        open_connection(member, fd);
        moved++;
    }
    for (uint32_t i = 0; i < FAKE_CONNECTIONS_MAX; i++) {
        if (member->connections[i].fd >= 0) {
            moved += connection_cycle(member, &member->connections[i]);
        }
    }
    return moved;
}

bool fake_member_send(struct fake_member *member, struct fil_bytes bytes)
{
    struct fake_connection *connection = &member->connections[0];
    if (connection->fd >= 0 && bytes.size > 0) {
        fil_chunk_queue_append(&connection->output, &member->cluster->pool, bytes);
    }
    return connection->fd >= 0;
}

void fake_cluster_tell_added(struct fake_cluster *cluster, struct fil_bytes key,
                             struct fil_bytes value)
{
    struct fil_wire_map_add_entry_listener_entry_event event = {
        .event_type = 1, .number_of_affected_entries = 1, .key = key, .value = value};
    for (uint32_t i = 0; i < FAKE_CONNECTIONS_MAX; i++) {
        struct fake_connection *connection = &cluster->members[0].connections[i];
        if (connection->fd >= 0 && connection->entry != 0) {
            struct fil_wire_header header = {.correlation = connection->entry, .partition = 1};
            struct fil_wire_writer writer;
            fil_wire_writer_init(&writer, &connection->output, &cluster->pool, FAKE_INPUT_BYTES);
            assert_int_equal(
                FIL_WIRE_ENCODE(map_add_entry_listener_entry_event, &writer, &header, &event),
                FIL_OK);
        }
    }
}

void fake_cluster_tell_invalid(struct fake_cluster *cluster, struct fil_bytes key)
{
    struct fil_wire_map_add_near_cache_invalidation_listener_i_map_invalidation_event event = {
        .partition_uuid = {.high = 9, .low = 9},
        .sequence = (int64_t)cluster->sequence,
        .key = key};
    for (uint32_t i = 0; i < FAKE_CONNECTIONS_MAX; i++) {
        struct fake_connection *connection = &cluster->members[0].connections[i];
        if (connection->fd >= 0 && connection->near != 0) {
            struct fil_wire_header header = {.correlation = connection->near, .partition = 1};
            struct fil_wire_writer writer;
            fil_wire_writer_init(&writer, &connection->output, &cluster->pool, FAKE_INPUT_BYTES);
            assert_int_equal(
                FIL_WIRE_ENCODE(map_add_near_cache_invalidation_listener_i_map_invalidation_event,
                                &writer, &header, &event),
                FIL_OK);
        }
    }
}

#define INVALID_MAX 8U

void fake_cluster_tell_invalid_all(struct fake_cluster *cluster, const struct fil_bytes *keys,
                                   uint32_t key_count, uint32_t number_count)
{
    uint8_t uuids[INVALID_MAX * FIL_WIRE_UUID_SIZE];
    uint8_t sequences[INVALID_MAX * sizeof(int64_t)];
    assert_true(key_count <= INVALID_MAX && number_count <= key_count);
    for (uint32_t i = 0; i < number_count; i++) {
        fil_wire_store_uuid(uuids + (size_t)i * FIL_WIRE_UUID_SIZE,
                            (struct fil_wire_uuid){.high = 9, .low = 9});
        fil_store_u64_le(sequences + i * sizeof(int64_t), cluster->sequence);
    }
    struct fil_wire_map_add_near_cache_invalidation_listener_i_map_batch_invalidation_event event =
        {.keys = fil_wire_part_items(keys, key_count),
         .source_uuids = fil_bytes_make(uuids, (size_t)number_count * FIL_WIRE_UUID_SIZE),
         .partition_uuids = fil_bytes_make(uuids, (size_t)number_count * FIL_WIRE_UUID_SIZE),
         .sequences = fil_bytes_make(sequences, number_count * sizeof(int64_t))};
    for (uint32_t i = 0; i < FAKE_CONNECTIONS_MAX; i++) {
        struct fake_connection *connection = &cluster->members[0].connections[i];
        if (connection->fd >= 0 && connection->near != 0) {
            struct fil_wire_header header = {.correlation = connection->near, .partition = 1};
            struct fil_wire_writer writer;
            fil_wire_writer_init(&writer, &connection->output, &cluster->pool, FAKE_INPUT_BYTES);
            assert_int_equal(
                FIL_WIRE_ENCODE(
                    map_add_near_cache_invalidation_listener_i_map_batch_invalidation_event,
                    &writer, &header, &event),
                FIL_OK);
        }
    }
}
