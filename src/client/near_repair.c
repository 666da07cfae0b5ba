// SPDX-License-Identifier: Apache-2.0
/** Near caches: asks members for the numbers of their last invalidations, and compares. */
#include <string.h>

#include "client/listener_internal.h"
#include "client/map_internal.h"
#include "lib/base/assert.h"
#include "protocol/client/generated/map.h"

#define REPAIR_EVERY_NS UINT64_C(60000000000)
#define NAMES_MAX       256U // of maps in one request
#define NEVER           UINT64_MAX

// A pair in the answer: partition and sequence, or partition and number of its source.
#define SEQUENCE_PAIR (sizeof(int32_t) + sizeof(int64_t))
#define SOURCE_PAIR   (sizeof(int32_t) + FIL_WIRE_UUID_SIZE)

static const struct fil_client_op fetch_op = {
    .request = &fil_wire_map_fetch_near_cache_invalidation_metadata_request_layout};

static uint32_t list_names(const struct fil_client *client, struct fil_bytes *out_names)
{
    uint32_t count = 0;
    fil_list_foreach(item, &client->maps) {
        const struct fil_map *map = FIL_CONTAINER_OF(item, struct fil_map, link);
        if (fil_client__near_is_open(map) && count < NAMES_MAX) {
            out_names[count] = fil_client__map_name(map);
            count++;
        }
    }
    return count;
}

uint64_t fil_client__near_upkeep(struct fil_client *client, uint64_t now_ns)
{
    struct fil_bytes names[NAMES_MAX];
    uint32_t count = list_names(client, names);
    if (count == 0 || now_ns < client->repair_at_ns) {
        return count == 0 ? NEVER : client->repair_at_ns;
    }
    client->repair_at_ns = now_ns + REPAIR_EVERY_NS;
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        struct fil_client_link *link = &client->links[i];
        if (fil_client__link_is(link, FIL_CLIENT_LINK_READY) && !link->is_doomed) {
            struct fil_wire_map_fetch_near_cache_invalidation_metadata_request request = {
                .uuid = link->member, .names = fil_wire_part_items(names, count)};
            fil_client__link_tell(link, &fetch_op, fil_client__own(FIL_CLIENT_OWN_REPAIR, 0),
                                  &request);
        }
    }
    return client->repair_at_ns;
}

/** The source of a partition's numbers; none when the member has not told. */
static bool find_source(struct fil_bytes sources, int32_t partition, struct fil_wire_uuid *out_uuid)
{
    for (size_t at = 0; at + SOURCE_PAIR <= sources.size; at += SOURCE_PAIR) {
        if ((int32_t)fil_load_u32_le(sources.data + at) == partition) {
            *out_uuid = fil_wire_load_uuid(sources.data + at + sizeof(int32_t));
            return true;
        }
    }
    return false;
}

static void compare_map(struct fil_map *map, struct fil_bytes sequences, struct fil_bytes sources)
{
    struct fil_wire_uuid source;
    for (size_t at = 0; at + SEQUENCE_PAIR <= sequences.size; at += SEQUENCE_PAIR) {
        int32_t partition = (int32_t)fil_load_u32_le(sequences.data + at);
        if (partition >= 0 && find_source(sources, partition, &source)) {
            fil_client__near_compare(map, (uint32_t)partition, source,
                                     fil_load_u64_le(sequences.data + at + sizeof(int32_t)));
        }
    }
}

static struct fil_map *find_near(struct fil_client *client, struct fil_bytes name)
{
    fil_list_foreach(item, &client->maps) {
        struct fil_map *map = FIL_CONTAINER_OF(item, struct fil_map, link);
        if (fil_client__near_is_open(map) && fil_bytes_equal(fil_client__map_name(map), name)) {
            return map;
        }
    }
    return NULL;
}

void fil_client__near_repair(struct fil_client_link *link, const struct fil_wire_header *header,
                             struct fil_bytes message)
{
    struct fil_wire_map_fetch_near_cache_invalidation_metadata_response response;
    struct fil_bytes name;
    struct fil_bytes sequences;
    if (header->type == 0 || FIL_WIRE_DECODE(map_fetch_near_cache_invalidation_metadata_response,
                                             message, &response, NULL) != FIL_OK) {
        return; // the sequences of the events are followed all the same
    }
    struct fil_wire_cursor cursor = fil_wire_part_open(&response.name_partition_sequence_list);
    while (fil_wire_cursor_bytes(&cursor, &name) && fil_wire_cursor_bytes(&cursor, &sequences)) {
        struct fil_map *map = find_near(link->client, name);
        if (map != NULL) {
            compare_map(map, sequences, response.partition_uuid_list);
        }
    }
}
