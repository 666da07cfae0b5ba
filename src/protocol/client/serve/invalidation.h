// SPDX-License-Identifier: Apache-2.0
/**
 * What a near cache must forget, on its way to one client: many keys in one message, each with
 * who changed it, the partition's uuid and its number, so that the client finds gaps and skips what
 * it did itself.
 *
 * A batch leaves when it is full, or when the oldest of any client has waited for
 * server.options.near_cache_delay_ns: then one timer of the server has all batches sent. A change
 * of all entries leaves at once, behind what is collected. With a batch of 1 nothing waits.
 *
 * Order:   as the changes of a partition were made; the listener has one lane.
 * Limits:  near_cache_batch keys or 64 KiB of them. What finds no memory is lost and counted, and
 *          shows as a gap in the numbers.
 * Threads: add and flush by the listener's lane, free when it is closed; the rest by any.
 */
#pragma once

#include <stdbool.h>

#include "core/exec/runner.h"
#include "grid/map/listen.h"
#include "lib/base/attr.h"
#include "lib/conc/role.h"
#include "protocol/client/serve/session.h"

struct fil_wire_invalidations;
struct fil_wire_wish;

void fil_wire_invalidations_free(struct fil_wire_invalidations *invalidations);

/** Session and wish are borrowed until it is freed. NULL: no memory. */
struct fil_wire_invalidations *fil_wire_invalidations_new(struct fil_wire_session *session,
                                                          const struct fil_wire_wish *wish)
    FIL_GIVES(fil_wire_invalidations_free);

/** A change: collects it, or sends it. */
void fil_wire_invalidations_add(struct fil_wire_invalidations *invalidations,
                                const struct fil_map_event *event);

/** Sends what is collected. */
void fil_wire_invalidations_flush(struct fil_wire_invalidations *invalidations);

/** Whether something is collected; for who has its lane flush it. */
FIL_ANY_THREAD bool fil_wire_invalidations_are_due(struct fil_wire_invalidations *invalidations);
