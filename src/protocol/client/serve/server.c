// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/server.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/endian.h"
#include "lib/os/env.h"

static struct fil_wire_uuid random_uuid(struct fil_env *env)
{
    struct fil_wire_uuid uuid = {0};
    env->ops->random(env, &uuid.high, sizeof(uuid.high));
    env->ops->random(env, &uuid.low, sizeof(uuid.low));
    // The bits that say "random" (version 4, variant 1), for those who look at them.
    uuid.high = (uuid.high & ~UINT64_C(0xF000)) | UINT64_C(0x4000);
    uuid.low = (uuid.low & ~(UINT64_C(3) << 62)) | (UINT64_C(1) << 63);
    return uuid;
}

struct fil_wire_uuid fil_wire_server_uuid(struct fil_wire_server *server)
{
    return random_uuid(server->options.env);
}

static void free_tables(struct fil_wire_server *server)
{
    fil_free(server->partitions);
    fil_free(server->partition_uuids);
    server->partitions = NULL;
    server->partition_uuids = NULL;
}

int fil_wire_server_init(struct fil_wire_server *server,
                         const struct fil_wire_server_options *options)
{
    fil_assert(options->partition_count > 0 && options->near_cache_batch > 0);
    *server = (struct fil_wire_server){.options = *options, .host = "127.0.0.1"};
    server->partitions_size = options->partition_count * sizeof(int32_t);
    server->partitions = fil_alloc(server->partitions_size);
    server->partition_uuids =
        fil_alloc_zero(options->partition_count, sizeof(*server->partition_uuids));
    if (server->partitions == NULL || server->partition_uuids == NULL) {
        free_tables(server);
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < options->partition_count; i++) {
        fil_store_u32_le(server->partitions + i * sizeof(int32_t), i);
        server->partition_uuids[i] = random_uuid(options->env);
    }
    server->member_uuid = random_uuid(options->env);
    server->cluster_uuid = random_uuid(options->env);
    options->env->ops->random(options->env, &server->owner_seed, sizeof(server->owner_seed));
    fil_map_processors_init(&server->processors);
    fil_mutex_init(&server->mutex);
    fil_list_init(&server->sessions);
    fil_list_init(&server->subscriptions);
    fil_wire_objects_init(&server->objects, options->budget);
    fil_wire_schemas_init(&server->schemas, options->budget);
    return FIL_OK;
}

void fil_wire_server_fini(struct fil_wire_server *server)
{
    if (server->partitions == NULL) {
        return; // init has failed, or was never called
    }
    fil_assert(fil_list_is_empty(&server->sessions));
    fil_assert(fil_list_is_empty(&server->subscriptions));
    fil_mutex_fini(&server->mutex);
    fil_wire_objects_fini(&server->objects);
    fil_wire_schemas_fini(&server->schemas);
    free_tables(server);
}

static bool is_any(const struct fil_address *address)
{
    size_t size = address->is_ipv6 ? 16 : 4;
    for (size_t i = 0; i < size; i++) {
        if (address->ip[i] != 0) {
            return false;
        }
    }
    return true;
}

void fil_wire_server_advertise(struct fil_wire_server *server, const struct fil_address *address)
{
    char text[FIL_ADDRESS_TEXT_MAX];
    server->port = address->port;
    if (is_any(address)) {
        return;
    }
    (void)fil_address_format(address, text);
    char *colon = strrchr(text, ':');
    fil_assert(colon != NULL);
    const char *start = text[0] == '[' ? text + 1 : text;
    size_t size = (size_t)(colon - start) - (text[0] == '[' ? 1U : 0U);
    memcpy(server->host, start, size);
    server->host[size] = '\0';
}
