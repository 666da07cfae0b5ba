// SPDX-License-Identifier: Apache-2.0
/**
 * Keyspace notifications: what commands and time do to keys, told to who subscribes to it.
 *
 * A class of events is told when it is switched on (CONFIG SET notify-keyspace-events). Then each
 * key of a command is watched while it runs, as WATCH does, and what has become of it decides what
 * is told; the commands themselves know nothing of it. Expiry and eviction are told by the map.
 *
 * Order:   of one key, as it changed. Events of a command are told inside its partitions.
 * Limits:  those of messages (pubsub.h). Without memory to watch many keys nothing is told, which
 *          is counted as a lost message.
 * Cost:    one look at the classes a command while all are off.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/partition.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "protocol/resp/server.h"

struct fil_resp_access;
struct fil_resp_command;
struct fil_resp_plan;

/** Classes, with Redis's letters. */
enum fil_resp_notify_class {
    FIL_RESP_NOTIFY_KEYSPACE = 1U << 0, // K: told on a channel of the key
    FIL_RESP_NOTIFY_KEYEVENT = 1U << 1, // E: told on a channel of the event
    FIL_RESP_NOTIFY_GENERIC = 1U << 2,  // g
    FIL_RESP_NOTIFY_STRING = 1U << 3,   // $
    FIL_RESP_NOTIFY_LIST = 1U << 4,     // l
    FIL_RESP_NOTIFY_SET = 1U << 5,      // s
    FIL_RESP_NOTIFY_HASH = 1U << 6,     // h
    FIL_RESP_NOTIFY_ZSET = 1U << 7,     // z
    FIL_RESP_NOTIFY_EXPIRED = 1U << 8,  // x
    FIL_RESP_NOTIFY_EVICTED = 1U << 9,  // e
    FIL_RESP_NOTIFY_STREAM = 1U << 10,  // t
    FIL_RESP_NOTIFY_MODULE = 1U << 11,  // d: there are no modules
    FIL_RESP_NOTIFY_MISS = 1U << 12,    // m
    FIL_RESP_NOTIFY_NEW = 1U << 13,     // n
};

#define FIL_RESP_NOTIFY_TEXT_MAX 16U

/** The classes that the letters name; false when one names none. */
bool fil_resp_notify_parse(struct fil_bytes letters, uint32_t *out_classes);

/** Their letters, with a 0 byte behind them. */
void fil_resp_notify_text(uint32_t classes, char text[FIL_RESP_NOTIFY_TEXT_MAX]);

static inline bool fil_resp_notify_is_on(const struct fil_resp_server *server)
{
    // Relaxed: a switch publishes nothing but itself.
    return FIL_UNLIKELY(atomic_load_explicit(&server->notified, memory_order_relaxed) != 0);
}

/** Runs the access, and tells what it did; what the access returns. */
FIL_INSIDE_PARTITION int64_t fil_resp_notify_access(struct fil_resp_access *access);

/** The same for a command of all keys at once. */
FIL_INSIDE_PARTITION void fil_resp_notify_together(const struct fil_resp_plan *plan,
                                                   const struct fil_resp_command *command,
                                                   struct fil_output *output);

/** What a map tells of keys that leave by themselves; the context is the server. */
FIL_INSIDE_PARTITION void fil_resp_notify_gone(void *context, struct fil_map *map,
                                               struct fil_bytes key, bool is_expired);
