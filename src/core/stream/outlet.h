// SPDX-License-Identifier: Apache-2.0
/**
 * The producer's end of an edge: deals its records to the rings of the consuming instances.
 *
 * The processor always fills one batch, the staging batch, whatever the edge's kind. When it is
 * full (or flushed) it is dealt: as it is where the whole batch has one way to go, record by record
 * for a partitioned edge. What finds no room stays here and is tried again, at the place where it
 * stopped; meanwhile the processor gets no room for more. A mark waits until all before it is gone,
 * and lets nothing past it.
 *
 * Threads: the producing tasklet.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/edge.h"
#include "core/stream/ring.h"

struct fil_outlet {
    const struct fil_edge *edge;
    struct fil_ring **targets;
    uint32_t target_count;

    struct fil_batch *fill;    // open for the processor; NULL: ask for room
    struct fil_batch *staging; // being filled or dealt
    uint32_t dealt;            // of the staging batch: records, or targets of a broadcast
    struct fil_batch **open;   // partitioned: the batch of each target
    uint32_t next_target;      // unicast: whose turn it is
    struct fil_batch *mark;
    uint32_t mark_dealt; // targets that have it
    bool is_refused;     // a ring had no room since this was last cleared
};

/** The targets are filled in by who wires. FIL_E_NOMEM. */
int fil_outlet_init(struct fil_outlet *outlet, const struct fil_edge *edge, uint32_t target_count)
    FIL_NODISCARD;

/** Lets go of all that was not delivered. */
void fil_outlet_fini(struct fil_outlet *outlet);

/**
 * Opens a batch with room for a record of this size; the old one is dealt first. FIL_E_FULL when
 * that is not possible now, FIL_E_NOMEM.
 */
int fil_outlet_open(struct fil_outlet *outlet, struct fil_batch_pools *pools, uint32_t size)
    FIL_NODISCARD;

/** Deals what is there, so that a batch can follow. FIL_E_FULL when it has to wait, FIL_E_NOMEM. */
int fil_outlet_make_way(struct fil_outlet *outlet, struct fil_batch_pools *pools) FIL_NODISCARD;

/** Sends everything on its way, the mark last. FIL_E_FULL when something is left, FIL_E_NOMEM. */
int fil_outlet_flush(struct fil_outlet *outlet, struct fil_batch_pools *pools) FIL_NODISCARD;

/** Takes over the caller's reference to a mark; there is none waiting. */
void fil_outlet_set_mark(struct fil_outlet *outlet, struct fil_batch *mark);

/** Passes a whole batch on without copying, behind what was written before; FIL_E_FULL or NOMEM. */
int fil_outlet_forward(struct fil_outlet *outlet, struct fil_batch_pools *pools,
                       struct fil_batch *batch) FIL_NODISCARD;

/** Whether nothing waits here. */
bool fil_outlet_is_empty(const struct fil_outlet *outlet);
