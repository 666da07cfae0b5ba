// SPDX-License-Identifier: Apache-2.0
/**
 * The member's side of the open client protocol: what the sessions of all clients share.
 *
 * fil_wire_protocol is what the I/O loops get; its context is the server.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "grid/map/processor.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/list.h"
#include "lib/conc/counter.h"
#include "lib/net/protocol.h"
#include "lib/os/address.h"
#include "lib/os/mutex.h"
#include "protocol/client/part.h"
#include "protocol/client/serve/objects.h"
#include "protocol/client/serve/schemas.h"

/** What we say we are; clients log it, and some choose by its first two numbers. */
#define FIL_WIRE_SERVER_VERSION  "5.7.0-filbert"
#define FIL_WIRE_CLUSTER_VERSION "5.7"

struct fil_budget;
struct fil_directory;
struct fil_env;
struct fil_functions;
struct fil_log;
struct fil_maps;
struct fil_submissions;

struct fil_wire_server_options {
    struct fil_env *env; // for the numbers that tell members and clusters apart
    struct fil_maps *maps;
    struct fil_maps *multimaps;            // NULL: there are none
    struct fil_directory *directory;       // of the other structures; NULL: there are none
    struct fil_submissions *submissions;   // NULL: there are no executors
    const struct fil_functions *functions; // that they run
    struct fil_budget *budget;
    struct fil_log *log; // who came, and who was refused; NULL: nobody wants to know
    const char *cluster_name;
    uint32_t partition_count;
    size_t message_bytes_max; // of a request, after authentication
    uint64_t lock_grace_ns;   // for which a client that is gone keeps its locks

    int64_t publish_timeout_ms; // how long a message waits for listeners without room

    // Invalidations of near caches: how many go together, and how long they wait for each other.
    uint32_t near_cache_batch;
    uint64_t near_cache_delay_ns;
};

struct fil_wire_stats {
    struct fil_counter events;      // sent to clients
    struct fil_counter events_lost; // no memory, the client was gone or read too slowly
    struct fil_counter unsupported; // requests that no handler serves
    struct fil_counter refused;     // authentications
};

struct fil_wire_server {
    // Set by init and advertise, then read-only.
    struct fil_wire_server_options options;
    struct fil_wire_uuid member_uuid;
    struct fil_wire_uuid cluster_uuid;
    uint64_t owner_seed; // of the numbers under which clients own locks
    char host[FIL_ADDRESS_TEXT_MAX];
    uint16_t port;
    struct fil_map_processors processors; // which clients may run, by name
    uint8_t *partitions;                  // packed numbers of all partitions
    size_t partitions_size;
    struct fil_wire_uuid *partition_uuids; // for near caches: they change when data may be lost

    // Guards the lists and what they say of sessions and subscriptions.
    struct fil_mutex mutex;
    struct fil_list sessions; // touched with the mutex held
    struct fil_list subscriptions;

    _Atomic bool has_near_cache_timer; // which ends the wait of invalidations
    struct fil_wire_stats stats;       // written by any thread
    struct fil_wire_objects objects;
    struct fil_wire_schemas schemas;
};

/** FIL_E_NOMEM. */
int fil_wire_server_init(struct fil_wire_server *server,
                         const struct fil_wire_server_options *options) FIL_NODISCARD;
void fil_wire_server_fini(struct fil_wire_server *server);

/** Where clients reach the member: before the first connection. An address of all interfaces is
 * told as the loopback one. */
void fil_wire_server_advertise(struct fil_wire_server *server, const struct fil_address *address);

/** Gets a piece of text; FIL_OK or an error, which ends it. */
typedef int (*fil_wire_sink_fn)(void *context, struct fil_bytes text);

/** All clients that are connected, as a JSON array. */
int fil_wire_server_render_clients(struct fil_wire_server *server, fil_wire_sink_fn sink,
                                   void *context) FIL_NODISCARD;

/** A number that nothing else has. */
struct fil_wire_uuid fil_wire_server_uuid(struct fil_wire_server *server);

extern const struct fil_protocol_ops fil_wire_protocol;
