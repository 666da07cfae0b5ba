// SPDX-License-Identifier: Apache-2.0
/** One connection of a client, and what it has told about itself. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/list.h"
#include "lib/conc/stack.h"
#include "lib/net/connection.h"
#include "protocol/client/receiver.h"
#include "protocol/client/serve/server.h"

struct fil_map;
struct fil_wire_group;

/** Requests of a connection that may be under way; clients put all they have into one. */
#define FIL_WIRE_CALLS_MAX 1024U

struct fil_wire_session {
    // Set when the session is made, then read-only.
    struct fil_wire_server *server;
    struct fil_connection *connection;

    // Guarded by the server's mutex: other sessions look for theirs.
    struct fil_list link;
    struct fil_wire_uuid client_uuid;

    // The loop's own; the owner is read by calls, which are made after it was set.
    struct fil_wire_receiver receiver;
    bool has_magic;
    bool is_authenticated;
    uint64_t owner;               // the client's number as an owner of locks
    struct fil_map *map;          // of the last request: most go to the same one
    struct fil_wire_group *group; // requests that run together; NULL outside of receive
    uint32_t group_limit;         // how many the next group may hold

    // Set by whoever locks.
    _Atomic bool has_locked;

    // Pushed by any thread, taken by the writer flag's holder.
    struct fil_stack finished;

    // The writer flag's holder's.
    struct fil_list calls; // under way
    uint32_t call_count;
};
