// SPDX-License-Identifier: Apache-2.0
/** Keyspace notifications: what commands tell of the keys that they write, one rule a command. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/resp/server.h"

enum fil_resp_notify_kind {
    FIL_RESP_NOTIFY_CHANGES,
    FIL_RESP_NOTIFY_SETS,       // perhaps with a time
    FIL_RESP_NOTIFY_EXPIRES,    // a time, or none any more
    FIL_RESP_NOTIFY_SCORES,     // perhaps by adding
    FIL_RESP_NOTIFY_ADDS_ENTRY, // to a stream, and trims it
    FIL_RESP_NOTIFY_STORES,     // one key gets what the others have
    FIL_RESP_NOTIFY_MERGES,     // the same, and its own with it

    // Two keys.
    FIL_RESP_NOTIFY_MOVES_ITEM,
    FIL_RESP_NOTIFY_MOVES_MEMBER,
    FIL_RESP_NOTIFY_RENAMES,
    FIL_RESP_NOTIFY_COPIES,
    FIL_RESP_NOTIFY_MOVES_KEY,
};

struct fil_resp_notify_rule {
    const char *name; // of the command
    uint32_t class;
    const char *event;        // NULL: none but that the key is gone
    bool is_silent_when_gone; // only that it is gone is told then
    bool is_reader;           // keys that are not there are missed
    enum fil_resp_notify_kind kind;
};

/** The rule of a command that writes; NULL: it tells nothing. */
const struct fil_resp_notify_rule *fil_resp_notify__find(const char *name);

/** Tells the event, if its class is switched on and the map is a database. */
void fil_resp_notify__tell(struct fil_resp_server *server, const struct fil_map *map,
                           struct fil_bytes key, uint32_t class, const char *event);
