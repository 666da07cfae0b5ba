// SPDX-License-Identifier: Apache-2.0
/**
 * What clients listen to: entries of a map, invalidations for near caches, objects that come and
 * go.
 *
 *     opening --all partitions know it--> open --removed, client gone, map destroyed--> closing
 *        |                                                                                 ^
 *        +--- the same before it was opened: remembered, and done then --------------------+
 *
 * A subscription holds its session's connection until nothing will be delivered any more. The list
 * of all of them is under the server's mutex, so that one client can end those of others: whoever
 * destroys a map ends its listeners.
 *
 * Threads: made and ended by loops; delivered on event threads.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/container/container.h"
#include "core/exec/runner.h"
#include "grid/map/listen.h"
#include "lib/base/attr.h"
#include "lib/base/list.h"
#include "protocol/client/part.h"
#include "protocol/client/serve/session.h"

struct fil_wire_call;

enum fil_wire_subject {
    FIL_WIRE_ENTRIES,       // of a map: entry events
    FIL_WIRE_INVALIDATIONS, // of a map's keys: for near caches
    FIL_WIRE_ITEMS,         // of a queue, list or set
    FIL_WIRE_MESSAGES,      // of a topic
    FIL_WIRE_REPLICATED,    // entries of a replicated map
    FIL_WIRE_OBJECTS,       // proxies that are made and destroyed
    FIL_WIRE_NOTHING,       // what never happens on a single member: migrations, lost partitions
};

/** What a client wants to hear of. */
struct fil_wire_wish {
    enum fil_wire_subject subject;
    uint32_t event_number; // of the message that is sent
    int64_t correlation;   // of the request, which its events bear
    struct fil_map *map;   // or a multimap. NULL: not about one
    bool is_multimap;
    const struct fil_container_type *type; // NULL: not about a container
    struct fil_container *container;       // of that type
    uint32_t flags;                        // kinds of events, as the protocol numbers them
    bool has_values;
    struct fil_bytes key;       // a form; data is NULL: all keys. Copied
    struct fil_bytes predicate; // data is NULL: none. Copied
};

/**
 * Listens; the call is finished when all partitions know it, and its handler answers with
 * task->uuid. FIL_E_NOMEM, FIL_E_LIMIT, FIL_E_UNSUPPORTED: the call is still the caller's.
 */
int fil_wire_subscription_open(struct fil_wire_call *call, const struct fil_wire_wish *wish,
                               struct fil_runner *runner) FIL_NODISCARD;

/** Likewise for one that waits for nobody. */
int fil_wire_subscription_add(struct fil_wire_session *session, const struct fil_wire_wish *wish,
                              struct fil_wire_uuid *out_id) FIL_NODISCARD;

/** Ends the client's own one of that number; false when there is none. */
bool fil_wire_subscription_end(struct fil_wire_session *session, struct fil_wire_uuid id,
                               struct fil_runner *runner);

/** The client is gone: ends all of its session. */
void fil_wire_subscription_end_session(struct fil_wire_session *session, struct fil_runner *runner);

/** The map is destroyed: ends all that listen to it. */
void fil_wire_subscription_end_map(struct fil_wire_server *server, const struct fil_map *map,
                                   struct fil_runner *runner);

/** Likewise of a container. */
void fil_wire_subscription_end_container(struct fil_wire_server *server,
                                         const struct fil_container *container,
                                         struct fil_runner *runner);

/** Has collected invalidations sent; false: not all of them, try again later. */
FIL_ANY_THREAD bool fil_wire_subscription_flush_due(struct fil_wire_server *server) FIL_NODISCARD;

/** Tells all who listen to objects. */
void fil_wire_subscription_tell_object(struct fil_wire_server *server, struct fil_bytes name,
                                       struct fil_bytes service, bool is_created,
                                       struct fil_runner *runner);
