// SPDX-License-Identifier: Apache-2.0
/**
 * The member's side of the open client protocol: what the sessions of all clients share.
 *
 * fil_wire_protocol is what the I/O loops get; its context is the server.
 */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/list.h"
#include "lib/net/protocol.h"
#include "lib/os/address.h"
#include "lib/os/mutex.h"
#include "protocol/client/part.h"

/** What we say we are; clients log it, and some choose by its first two numbers. */
#define FIL_WIRE_SERVER_VERSION  "5.7.0-filbert"
#define FIL_WIRE_CLUSTER_VERSION "5.7"

struct fil_budget;
struct fil_env;
struct fil_maps;

struct fil_wire_server_options {
    struct fil_env *env; // for the numbers that tell members and clusters apart
    struct fil_maps *maps;
    struct fil_budget *budget;
    const char *cluster_name;
    uint32_t partition_count;
    size_t message_bytes_max; // of a request, after authentication
};

struct fil_wire_server {
    // Set by init and advertise, then read-only.
    struct fil_wire_server_options options;
    struct fil_wire_uuid member_uuid;
    struct fil_wire_uuid cluster_uuid;
    uint64_t owner_seed; // of the numbers under which clients own locks
    char host[FIL_ADDRESS_TEXT_MAX];
    uint16_t port;
    uint8_t *partitions; // packed numbers of all partitions
    size_t partitions_size;

    // Guards the list of sessions and what it says of them.
    struct fil_mutex mutex;
    struct fil_list sessions; // touched with the mutex held
};

/** FIL_E_NOMEM. */
int fil_wire_server_init(struct fil_wire_server *server,
                         const struct fil_wire_server_options *options) FIL_NODISCARD;
void fil_wire_server_fini(struct fil_wire_server *server);

/** Where clients reach the member: before the first connection. An address of all interfaces is
 * told as the loopback one. */
void fil_wire_server_advertise(struct fil_wire_server *server, const struct fil_address *address);

extern const struct fil_protocol_ops fil_wire_protocol;
