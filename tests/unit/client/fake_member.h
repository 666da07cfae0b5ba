// SPDX-License-Identifier: Apache-2.0
/**
 * Members with a script, for tests of the client in a simulation: they authenticate, tell views,
 * keep a few entries, and misbehave as they are told.
 *
 * All members of a cluster share one set of entries: whoever is asked answers, and counts it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/mem/chunk.h"
#include "lib/os/env.h"
#include "protocol/client/codec.h"
#include "protocol/client/receiver.h"

#define FAKE_MEMBERS_MAX     3U
#define FAKE_CONNECTIONS_MAX 8U
#define FAKE_ENTRIES_MAX     64U
#define FAKE_ENTRY_BYTES     512U
#define FAKE_INPUT_BYTES     65536U
#define FAKE_PARTITIONS      16U

struct fake_connection {
    int fd; // -1: none
    bool has_magic;
    size_t size;
    struct fil_wire_receiver receiver;
    struct fil_chunk_queue output;
    int64_t view;  // correlations of what was registered; 0: nothing
    int64_t entry; // listener
    int64_t near;  // listener
    int64_t last;  // request
    uint8_t input[FAKE_INPUT_BYTES];
};

struct fake_entry {
    bool is_used;
    size_t key_size;
    size_t value_size;
    uint8_t key[FAKE_ENTRY_BYTES];
    uint8_t value[FAKE_ENTRY_BYTES];
};

struct fake_cluster;

struct fake_member {
    struct fake_cluster *cluster;
    uint32_t index;
    int listener; // -1: down
    struct fil_address address;
    struct fake_connection connections[FAKE_CONNECTIONS_MAX];

    // What it does wrong.
    int8_t status;        // of authentications
    int32_t error_code;   // answers requests of maps with it
    uint32_t error_count; // so many times
    uint32_t drop_count;  // closes the connection instead of answering, so many times
    bool is_silent;       // answers nothing at all
    bool is_mute;         // answers no requests of maps
    bool sends_garbage;   // instead of the next answer

    // What it has seen.
    uint32_t accept_count;
    uint32_t greeting_count;
    uint32_t request_count; // of maps
    uint32_t ping_count;
    uint32_t proxy_count;
    uint32_t listen_count;
    uint32_t unlisten_count;
    uint32_t fetch_count; // of the numbers of invalidations
};

struct fake_cluster {
    struct fil_env *env;
    uint16_t port_base; // of the first member; 0: whichever are free
    struct fil_budget budget;
    struct fil_pool pool;
    uint32_t member_count;
    uint32_t partition_count;
    int32_t version;
    uint64_t id;
    uint64_t sequence; // of invalidations, in all partitions
    struct fake_member members[FAKE_MEMBERS_MAX];
    struct fake_entry entries[FAKE_ENTRIES_MAX];
};

void fake_cluster_init(struct fake_cluster *cluster, struct fil_env *env, uint16_t port_base,
                       uint32_t member_count);
void fake_cluster_fini(struct fake_cluster *cluster);

/** The member's process ends, and begins again at the same address. */
void fake_member_stop(struct fake_member *member);
void fake_member_start(struct fake_member *member);

/** One member's turn, for fil_sim_run. */
uint32_t fake_member_cycle(void *context);

/** Tells all listeners of a change of the key, and all near caches to forget it. */
void fake_cluster_tell_added(struct fake_cluster *cluster, struct fil_bytes key,
                             struct fil_bytes value);
void fake_cluster_tell_invalid(struct fake_cluster *cluster, struct fil_bytes key);

/** The same of several keys in one message, with so many numbers: fewer than keys is an error. */
void fake_cluster_tell_invalid_all(struct fake_cluster *cluster, const struct fil_bytes *keys,
                                   uint32_t key_count, uint32_t number_count);

/** Lets the first connection of a member send bytes, whatever they are; false: there is none. */
bool fake_member_send(struct fake_member *member, struct fil_bytes bytes);

/** Tells the views anew. */
void fake_cluster_tell_views(struct fake_cluster *cluster);

/** The entry of a serialized key, or NULL. */
struct fake_entry *fake_cluster_find(struct fake_cluster *cluster, struct fil_bytes key);
void fake_cluster_set(struct fake_cluster *cluster, struct fil_bytes key, struct fil_bytes value);
