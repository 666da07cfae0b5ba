// SPDX-License-Identifier: Apache-2.0
/**
 * The consumer's end of an edge: the rings from all producing instances.
 *
 * Rings are read in turn, a batch each. A ring that delivered a barrier can be held until all
 * others have delivered theirs. With a merge order, sorted rings are merged record by record; that
 * waits until each ring has shown its next record.
 *
 * Threads: the consuming tasklet.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/edge.h"
#include "core/stream/ring.h"

struct fil_inlet_source {
    struct fil_ring *ring;
    struct fil_batch *head; // merge: the batch being merged
    uint32_t position;      // of its next record
    bool is_held;
    bool has_barrier;
    bool is_ended;
};

struct fil_inlet {
    const struct fil_edge *edge;
    struct fil_inlet_source *sources;
    uint32_t source_count;
    uint32_t first_input; // its first ring's number among all of the tasklet
    uint32_t next;        // whose turn it is
    uint32_t ended_count;
    bool is_completed; // its end was told to the processor
};

/** The rings are filled in by who wires. FIL_E_NOMEM. */
int fil_inlet_init(struct fil_inlet *inlet, const struct fil_edge *edge, uint32_t source_count)
    FIL_NODISCARD;
void fil_inlet_fini(struct fil_inlet *inlet);

/**
 * The next batch, data or mark, with its reference, and the number of the ring it came from. NULL
 * when there is none; *out_error tells when a merge found no memory.
 */
struct fil_batch *fil_inlet_take(struct fil_inlet *inlet, struct fil_batch_pools *pools,
                                 uint32_t *out_source, int *out_error) FIL_NODISCARD;

static inline bool fil_inlet_is_ended(const struct fil_inlet *inlet)
{
    return inlet->ended_count == inlet->source_count;
}

/** Reads on after a barrier. */
void fil_inlet_release(struct fil_inlet *inlet);
