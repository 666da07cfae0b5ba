// SPDX-License-Identifier: Apache-2.0
/**
 * RESP, the protocol of Redis clients, versions 2 and 3.
 *
 * The server part is shared by all connections: what commands work on, and the list of clients.
 * fil_resp_protocol is what the I/O loops get.
 */
#pragma once

#include <stdint.h>

#include "grid/map/map.h"
#include "lib/base/list.h"
#include "lib/conf/conf.h"
#include "lib/net/protocol.h"
#include "lib/os/env.h"
#include "lib/os/mutex.h"
#include "protocol/resp/pause.h"
#include "protocol/resp/pubsub.h"

/** What the version of Redis is whose commands we answer; clients look at it. */
#define FIL_RESP_REDIS_VERSION "7.0.15"

/** Figures of the member that INFO shows. */
struct fil_resp_stats {
    uint64_t connections;
    uint64_t accepted;
    uint64_t refused;
    uint64_t requests;
    uint64_t received_bytes;
    uint64_t sent_bytes;
};

typedef void (*fil_resp_stats_fn)(void *context, struct fil_resp_stats *out_stats);

/** Called after CONFIG SET has changed an option. */
typedef void (*fil_resp_changed_fn)(void *context);

struct fil_generic;
struct fil_maps;
struct fil_slow_table;

/** Databases that SELECT knows. */
#define FIL_RESP_DATABASES 16

struct fil_resp_server_options {
    struct fil_env *env;
    struct fil_map *map;   // database 0
    struct fil_maps *maps; // the others are made here; NULL: there are no others
    struct fil_budget *budget;
    struct fil_events *events;   // for SUBSCRIBE; NULL: the commands are refused
    struct fil_generic *generic; // for errands; NULL: the loops do them
    const char *member_name;
    uint16_t port;
    size_t frame_bytes_max;
    uint32_t subscriptions_max; // channels and patterns of one connection
    bool has_debug_commands;
    bool has_single_replies; // each reply that was waited for is sent by itself:
                             // to show the cost
    fil_resp_stats_fn read_stats;
    struct fil_slow_table *slow; // for SLOWLOG; NULL: it is empty
    struct fil_conf *conf;       // for CONFIG; values with conf_mutex held; may be NULL
    fil_resp_changed_fn changed;
    void *context; // of the two functions
};

struct fil_resp_server {
    // Set by init, then read-only.
    struct fil_resp_server_options options;
    uint64_t started_ns;

    // Guards the values of the options; apart, so that who connects never waits for CONFIG.
    struct fil_mutex conf_mutex;

    // Guards the list of clients and their names.
    struct fil_mutex mutex;
    struct fil_list sessions; // touched with the mutex held
    struct fil_list tallies;  // likewise; of the loops

    struct fil_resp_pubsub pubsub;    // has locks of its own
    struct fil_map_observer observer; // of the databases; set by init

    _Atomic(struct fil_map *) databases[FIL_RESP_DATABASES]; // NULL until first selected
    _Atomic uint32_t swap_count;                             // SWAPDB: sessions look again
    _Atomic uint32_t notified;                               // classes of keyspace notifications
    struct fil_resp_pause pause;                             // CLIENT PAUSE
    _Atomic uint64_t slow_forgotten;   // SLOWLOG RESET: slow entries up to this
                                       // serial are not shown
    _Atomic uint64_t latency_reset_ns; // LATENCY RESET: only what was slow since is told
};

void fil_resp_server_init(struct fil_resp_server *server,
                          const struct fil_resp_server_options *options);
void fil_resp_server_fini(struct fil_resp_server *server);

/** A protocol's context is its struct fil_resp_server. */
extern const struct fil_protocol_ops fil_resp_protocol;
