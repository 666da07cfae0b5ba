// SPDX-License-Identifier: Apache-2.0
/** One connection of a client, and what it has told about itself. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/list.h"
#include "lib/conc/counter.h"
#include "lib/conc/stack.h"
#include "lib/net/connection.h"
#include "protocol/client/receiver.h"
#include "protocol/client/serve/server.h"

struct fil_container;
struct fil_map;
struct fil_wire_group;

/** Requests of a connection that may be under way; clients put all they have into one. */
#define FIL_WIRE_CALLS_MAX 1024U

/**
 * Functions for executors that it may have under way beside those: each executor has its own
 * bounds, and one that is slow should not stop the other requests. Beyond them nothing more is
 * read.
 */
#define FIL_WIRE_SUBMISSIONS_MAX 16384U

/** Listeners that one connection may have. */
#define FIL_WIRE_SUBSCRIPTIONS_MAX 4096U

#define FIL_WIRE_NAME_MAX 64U // bytes that are kept of what a client calls itself

/** What a client has told about itself, for people. */
struct fil_wire_client {
    char name[FIL_WIRE_NAME_MAX];
    char type[FIL_WIRE_NAME_MAX];
    char version[FIL_WIRE_NAME_MAX];
    char labels[FIL_WIRE_NAME_MAX]; // with commas
    char address[FIL_ADDRESS_TEXT_MAX];
    uint64_t connected_ns;
    uint64_t statistics_count; // reports that it has sent
    int64_t statistics_ms;     // its own time of the last one
};

struct fil_wire_session {
    // Set when the session is made, then read-only.
    struct fil_wire_server *server;
    struct fil_connection *connection;
    size_t news_bytes_max; // what may wait for a reader that is slow

    // Guarded by the server's mutex: other sessions look for theirs.
    struct fil_list link;
    struct fil_wire_uuid client_uuid;
    uint32_t subscription_count;
    struct fil_wire_client client;

    // The loop's own; the owner is read by calls, which are made after it was set.
    struct fil_wire_receiver receiver;
    bool has_magic;
    bool is_authenticated;
    uint64_t owner;                  // the client's number as an owner of locks
    struct fil_map *map;             // of the last request: most go to the same one
    struct fil_map *multimap;        // likewise
    struct fil_container *container; // likewise
    struct fil_wire_group *group;    // requests that run together; NULL outside of receive
    uint32_t group_limit;            // how many the next group may hold

    // Written by the loop, read by anyone.
    struct fil_counter request_count;

    // Written by any thread.
    struct fil_counter events_lost; // for want of room or memory

    // Written by the loop, read by whoever runs its calls.
    _Atomic bool is_stopping; // the member stops, and the client is there

    // Set by whoever locks.
    _Atomic bool has_locked;

    // Pushed by any thread, taken by the writer flag's holder.
    struct fil_stack finished;
    struct fil_stack news;
    _Atomic uint64_t news_bytes; // which are not yet in the output

    // The writer flag's holder's.
    struct fil_list calls;     // under way
    uint32_t call_count;       // of these
    uint32_t submission_count; // of these: functions for executors, not in call_count
};
