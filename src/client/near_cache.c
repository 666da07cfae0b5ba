// SPDX-License-Identifier: Apache-2.0
/**
 * Near caches: what was read before, until a member tells that it has changed.
 *
 * Members number the invalidations of each partition. A number that is left out means that one was
 * lost: all that is cached of the partition is of no use then. Once a minute the client asks every
 * member for its numbers, so that also the loss of the last one is found. A lost link loses
 * invalidations, too: then everything is dropped.
 *
 * A value is asked for with a ticket. Whatever drops the key meanwhile takes the ticket back, so
 * that an answer which has been overtaken is not kept.
 */
#include <string.h>

#include "client/listener_internal.h"
#include "client/map_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/murmur3.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/serialization.h"

#define BUCKETS       4096U
#define DEFAULT_COUNT 10000U
#define DEFAULT_BYTES (UINT64_C(64) << 20)
#define NS_PER_MS     UINT64_C(1000000)

struct entry {
    struct fil_list bucket;
    struct fil_list age; // oldest first
    uint64_t expires_ns;
    uint32_t ticket; // until its value has come; 0 then
    uint32_t partition;
    size_t key_size;
    size_t data_size;
    uint8_t *data; // NULL: reserved
    uint8_t key[];
};

/** What a member has told of a partition. */
struct tally {
    uint64_t sequence;
    struct fil_wire_uuid source; // of the sequence: another one after a restart
    bool is_known;
};

struct fil_client_near_cache {
    struct fil_list buckets[BUCKETS];
    struct fil_list ages;
    uint32_t count;
    uint32_t count_max;
    uint64_t bytes;
    uint64_t bytes_max;
    uint64_t ttl_ns;
    uint32_t last_ticket;
    struct tally *tallies; // by partition
    uint32_t tally_count;
    bool is_open; // its listener is registered everywhere: only then entries are kept
    struct fil_subscription *listener;
};

static struct fil_list *bucket_of(struct fil_client_near_cache *near, struct fil_bytes key)
{
    uint32_t hash = (uint32_t)fil_murmur3(fil_wire_data_identity(key));
    return &near->buckets[hash % BUCKETS];
}

static struct entry *find_entry(struct fil_client_near_cache *near, struct fil_bytes key)
{
    fil_list_foreach(item, bucket_of(near, key)) {
        struct entry *entry = FIL_CONTAINER_OF(item, struct entry, bucket);
        struct fil_bytes other = fil_bytes_make(entry->key, entry->key_size);
        if (fil_bytes_equal(fil_wire_data_identity(other), fil_wire_data_identity(key))) {
            return entry;
        }
    }
    return NULL;
}

static void remove_entry(struct fil_client_near_cache *near, struct entry *entry)
{
    fil_assert(near->count > 0);
    fil_list_remove(&entry->bucket);
    fil_list_remove(&entry->age);
    near->count--;
    near->bytes -= entry->key_size + entry->data_size;
    fil_free(entry->data);
    fil_free(entry);
}

static void drop_all(struct fil_map *map)
{
    struct fil_client_near_cache *near = map->near;
    while (!fil_list_is_empty(&near->ages)) {
        remove_entry(near, FIL_CONTAINER_OF(near->ages.next, struct entry, age));
        map->client->stats.near_drop_count++;
    }
}

static void drop_partition(struct fil_map *map, uint32_t partition)
{
    struct fil_client_near_cache *near = map->near;
    fil_list_foreach_safe(item, following, &near->ages) {
        struct entry *entry = FIL_CONTAINER_OF(item, struct entry, age);
        if (entry->partition == partition) {
            remove_entry(near, entry);
            map->client->stats.near_drop_count++;
        }
    }
}

void fil_client__near_drop(struct fil_map *map, struct fil_bytes key)
{
    if (map->near == NULL) {
        return;
    }
    if (key.data == NULL) {
        drop_all(map);
        return;
    }
    struct entry *entry = find_entry(map->near, key);
    if (entry != NULL) {
        remove_entry(map->near, entry);
        map->client->stats.near_drop_count++;
    }
}

bool fil_client__near_get(struct fil_map *map, struct fil_bytes key, struct fil_value *out_value)
{
    struct fil_client *client = map->client;
    struct entry *entry = map->near == NULL ? NULL : find_entry(map->near, key);
    if (entry != NULL && entry->data != NULL && fil_env_now_ns(client->env) >= entry->expires_ns) {
        remove_entry(map->near, entry);
        entry = NULL;
    }
    if (entry == NULL || entry->data == NULL) {
        client->stats.near_miss_count++;
        return false;
    }
    struct fil_value view = fil_client__value_view(fil_bytes_make(entry->data, entry->data_size));
    bool is_copied = fil_client__value_copy(&view, out_value) == FIL_OK;
    client->stats.near_hit_count += is_copied;
    return is_copied;
}

/** Makes room; what was read longest ago goes first. False when it does not fit at all. */
static bool make_room(struct fil_client_near_cache *near, size_t size)
{
    if (size > near->bytes_max) {
        return false;
    }
    while (near->count >= near->count_max || near->bytes + size > near->bytes_max) {
        fil_assert(!fil_list_is_empty(&near->ages));
        remove_entry(near, FIL_CONTAINER_OF(near->ages.next, struct entry, age));
    }
    return true;
}

uint32_t fil_client__near_reserve(struct fil_map *map, struct fil_bytes key)
{
    struct fil_client_near_cache *near = map->near;
    if (!near->is_open || find_entry(near, key) != NULL || !make_room(near, key.size)) {
        return 0; // somebody else has asked already, and will fill it
    }
    struct entry *entry = fil_alloc_zero(1, sizeof(*entry) + key.size);
    if (entry == NULL) {
        return 0;
    }
    near->last_ticket = near->last_ticket == UINT32_MAX ? 1 : near->last_ticket + 1;
    entry->ticket = near->last_ticket;
    entry->partition = (uint32_t)fil_client__map_partition(map, key);
    entry->key_size = key.size;
    memcpy(entry->key, key.data, key.size);
    fil_list_init(&entry->bucket);
    fil_list_init(&entry->age);
    fil_list_push_back(bucket_of(near, key), &entry->bucket);
    fil_list_push_back(&near->ages, &entry->age);
    near->count++;
    near->bytes += key.size;
    return entry->ticket;
}

static struct entry *find_ticket(struct fil_client_near_cache *near, uint32_t ticket)
{
    // Reservations are young: from the back.
    for (struct fil_list *item = near->ages.previous; item != &near->ages; item = item->previous) {
        struct entry *entry = FIL_CONTAINER_OF(item, struct entry, age);
        if (entry->ticket == ticket) {
            return entry;
        }
    }
    return NULL;
}

void fil_client__near_fill(struct fil_map *map, uint32_t ticket, struct fil_bytes data)
{
    struct fil_client_near_cache *near = map->near;
    struct entry *entry = find_ticket(near, ticket);
    if (entry == NULL) {
        return; // the key has changed since
    }
    uint8_t *copy = data.size == 0 ? NULL : fil_alloc(data.size);
    // An absent key is not kept, and neither is what the room or memory does not suffice for.
    if (copy == NULL || near->bytes + data.size > near->bytes_max) {
        fil_free(copy);
        remove_entry(near, entry);
        return;
    }
    memcpy(copy, data.data, data.size);
    entry->ticket = 0;
    entry->data = copy;
    entry->data_size = data.size;
    entry->expires_ns =
        near->ttl_ns == 0 ? UINT64_MAX : fil_env_now_ns(map->client->env) + near->ttl_ns;
    near->bytes += data.size;
}

/** Compares a partition's number with the last one; tells whether none is missing. */
static bool follow(struct fil_client_near_cache *near, uint32_t partition,
                   struct fil_wire_uuid source, uint64_t sequence)
{
    if (partition >= near->tally_count) {
        return false;
    }
    struct tally *tally = &near->tallies[partition];
    bool is_same =
        tally->is_known && tally->source.high == source.high && tally->source.low == source.low;
    bool is_next = is_same && sequence <= tally->sequence + 1;
    if (!is_same || sequence > tally->sequence) {
        *tally = (struct tally){.sequence = sequence, .source = source, .is_known = true};
    }
    return is_next;
}

static void invalidate(struct fil_map *map, struct fil_bytes key, struct fil_wire_uuid source,
                       uint64_t sequence)
{
    uint32_t partition = key.data == NULL ? 0 : (uint32_t)fil_client__map_partition(map, key);
    fil_client__near_drop(map, key);
    if (key.data != NULL && !follow(map->near, partition, source, sequence)) {
        drop_partition(map, partition);
    }
}

static void invalidate_many(
    struct fil_map *map,
    const struct fil_wire_map_add_near_cache_invalidation_listener_i_map_batch_invalidation_event
        *batch)
{
    struct fil_wire_cursor cursor = fil_wire_part_open(&batch->keys);
    struct fil_bytes key;
    for (size_t i = 0; fil_wire_cursor_data(&cursor, &key); i++) {
        if ((i + 1) * FIL_WIRE_UUID_SIZE > batch->partition_uuids.size ||
            (i + 1) * sizeof(int64_t) > batch->sequences.size) {
            drop_all(map);
            return;
        }
        invalidate(map, key, fil_wire_packed_uuid(batch->partition_uuids, i),
                   (uint64_t)fil_wire_packed_i64(batch->sequences, i));
    }
}

void fil_client__near_event(struct fil_subscription *listener, const struct fil_wire_header *header,
                            struct fil_bytes message)
{
    struct fil_map *map = listener->map;
    struct fil_wire_map_add_near_cache_invalidation_listener_i_map_invalidation_event one;
    struct fil_wire_map_add_near_cache_invalidation_listener_i_map_batch_invalidation_event many;
    bool is_one =
        header->type == FIL_WIRE_MAP_ADD_NEAR_CACHE_INVALIDATION_LISTENER_I_MAP_INVALIDATION_EVENT;
    if (is_one && FIL_WIRE_DECODE(map_add_near_cache_invalidation_listener_i_map_invalidation_event,
                                  message, &one, NULL) == FIL_OK) {
        invalidate(map, one.key, one.partition_uuid, (uint64_t)one.sequence);
        return;
    }
    if (!is_one &&
        FIL_WIRE_DECODE(map_add_near_cache_invalidation_listener_i_map_batch_invalidation_event,
                        message, &many, NULL) == FIL_OK) {
        invalidate_many(map, &many);
        return;
    }
    drop_all(map); // what was meant is not known
}

bool fil_client__near_is_open(const struct fil_map *map)
{
    return map->near != NULL && map->near->is_open;
}

void fil_client__near_compare(struct fil_map *map, uint32_t partition, struct fil_wire_uuid source,
                              uint64_t sequence)
{
    if (partition >= map->near->tally_count) {
        return;
    }
    struct tally *tally = &map->near->tallies[partition];
    bool is_same = tally->source.high == source.high && tally->source.low == source.low;
    bool is_behind = tally->is_known && (!is_same || sequence > tally->sequence);
    if (!tally->is_known || is_behind) {
        *tally = (struct tally){.sequence = sequence, .source = source, .is_known = true};
    }
    if (is_behind) {
        drop_partition(map, partition);
    }
}

void fil_client__near_forget_all(struct fil_client *client)
{
    fil_list_foreach(item, &client->maps) {
        struct fil_map *map = FIL_CONTAINER_OF(item, struct fil_map, link);
        if (map->near != NULL) {
            drop_all(map);
            for (uint32_t i = 0; i < map->near->tally_count; i++) {
                map->near->tallies[i].is_known = false;
            }
        }
    }
}

void fil_client__near_lost(struct fil_client_link *link)
{
    fil_client__near_forget_all(link->client);
}

void fil_client__near_free(struct fil_map *map)
{
    if (map->near != NULL) {
        drop_all(map);
        fil_free(map->near->tallies);
        fil_free(map->near);
        map->near = NULL;
    }
}

static struct fil_client_near_cache *new_cache(struct fil_client *client,
                                               const struct fil_near_cache_options *options)
{
    struct fil_client_near_cache *near = fil_alloc_zero(1, sizeof(*near));
    struct tally *tallies = fil_alloc_zero(client->partition_count + 1, sizeof(*tallies));
    if (near == NULL || tallies == NULL) {
        fil_free(near);
        fil_free(tallies);
        return NULL;
    }
    for (uint32_t i = 0; i < BUCKETS; i++) {
        fil_list_init(&near->buckets[i]);
    }
    fil_list_init(&near->ages);
    near->tallies = tallies;
    near->tally_count = client->partition_count;
    near->count_max = options->count_max == 0 ? DEFAULT_COUNT : options->count_max;
    near->bytes_max = options->bytes_max == 0 ? DEFAULT_BYTES : options->bytes_max;
    near->ttl_ns = options->ttl_ms * NS_PER_MS;
    return near;
}

/** The cache is made and its listener under way; under the mutex. */
static int open_cache(struct fil_map *map, const struct fil_near_cache_options *options)
{
    struct fil_subscription model = {.is_near = true};
    if (map->near != NULL) {
        return FIL_E_EXISTS;
    }
    map->near = new_cache(map->client, options);
    if (map->near == NULL) {
        return FIL_E_NOMEM;
    }
    return fil_client__listener_open(map, &model, &map->near->listener);
}

int fil_map_cache_near(struct fil_map *map, const struct fil_near_cache_options *options)
{
    static const struct fil_near_cache_options defaults;
    if (map == NULL) {
        return FIL_E_INVALID;
    }
    if (fil_client__is_inside(map->client)) {
        return FIL_E_WOULD_BLOCK;
    }
    fil_client__lock(map->client);
    int error = open_cache(map, options == NULL ? &defaults : options);
    fil_client__unlock(map->client);
    if (error == FIL_OK) {
        error = fil_client__listener_await(map->near->listener);
    }
    if (error == FIL_E_EXISTS) {
        return error;
    }
    if (error != FIL_OK && map->near != NULL) {
        fil_subscription_close(map->near->listener);
    }
    fil_client__lock(map->client);
    if (error != FIL_OK) {
        fil_client__near_free(map);
    } else {
        map->near->is_open = true;
        map->client->repair_at_ns = 0; // the numbers to begin with
    }
    fil_client__hurry(map->client);
    fil_client__unlock(map->client);
    return error;
}
