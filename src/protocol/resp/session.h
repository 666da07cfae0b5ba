// SPDX-License-Identifier: Apache-2.0
/** One RESP connection: what its client has told about itself, and its decoder. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/list.h"
#include "lib/net/connection.h"
#include "protocol/resp/decoder.h"
#include "protocol/resp/hold.h"
#include "protocol/resp/server.h"

#define FIL_RESP_NAME_MAX 64U

struct fil_resp_hunt;
struct fil_resp_subscriber;
struct fil_resp_transaction;
struct fil_resp_watch;

struct fil_resp_session {
    // Set when the session is made, then read-only.
    struct fil_resp_server *server;
    struct fil_connection *connection;

    // Guarded by the server's mutex: other sessions list them.
    struct fil_list link;
    char name[FIL_RESP_NAME_MAX];
    char library_name[FIL_RESP_NAME_MAX];
    char library_version[FIL_RESP_NAME_MAX];

    // Written by the loop, read by sessions that list the clients.
    _Atomic uint32_t version;           // 2 or 3
    _Atomic uint64_t active_ns;         // last command
    _Atomic(const char *) last_command; // static text
    _Atomic uint32_t database;          // index of the selected one
    _Atomic uint32_t topic_count;       // channels and patterns that it listens to

    // Written by sessions that end others, read by whoever holds the connection's writer flag.
    _Atomic bool is_killed;

    // The loop's own.
    struct fil_resp_decoder decoder;
    struct fil_output *target;  // where the command that runs now writes its reply
    uint32_t share;             // commands it has in the loop's group
    uint32_t share_limit;       // how many it may have there
    const uint8_t *huge_end;    // of a huge command that runs now, in the input; NULL: it is not
    bool is_held;               // the command that ran has to come again
    uint32_t words_done;        // of a command that comes again; 0: it begins
    struct fil_resp_hunt *hunt; // of a command that comes again; NULL: none
    uint64_t publish_until_ns;  // how long it may wait for room; 0: it does not wait
    struct fil_resp_hold hold;  // of a command that waits to come again

    // The loop's own, and a journey's while one is under way: the loop waits for it.
    struct fil_map *map;                      // of the selected database
    uint32_t swap_count;                      // SWAPDBs that the map has followed
    struct fil_resp_transaction *transaction; // between MULTI and EXEC; NULL: none
    struct fil_resp_watch *watches;           // WATCH; newest first
    struct fil_resp_watch *unregistered;      // of those: the next to be registered
    bool has_journey;                         // a call was sent off and may be under way

    // Whoever holds the connection's writer flag.
    struct fil_list line; // calls whose replies wait, in the order of the commands
    uint32_t line_count;
    bool waits_for_line;       // the next command must not run before the line is empty
    bool is_stopping;          // the last command is not answered if it was a wait that ends now
    uint64_t reply_bytes;      // what a reply takes, learnt from those that left the line
    uint64_t last_reply_bytes; // what the last of those took
    struct fil_resp_subscriber *subscriber; // NULL: it never subscribed; set under the mutex too
};

/** Where the running command's reply goes. */
static inline struct fil_output *fil_resp_output(struct fil_resp_session *session)
{
    return session->target;
}

static inline int fil_resp_version(const struct fil_resp_session *session)
{
    // Relaxed: only the loop changes it.
    return (int)atomic_load_explicit(&session->version, memory_order_relaxed);
}
