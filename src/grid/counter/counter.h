// SPDX-License-Identifier: Apache-2.0
/**
 * A PN counter: a number that every replica adds to by itself, and whose replicas agree in the end.
 *
 * Each replica keeps, for each replica, how much that one has added and taken away and its clock,
 * which counts its changes. What is taken over from another replica is the newer one of each, so
 * the order in which news arrives does not matter, and neither does news that comes twice.
 *
 * Sessions: a caller brings the clocks it has seen. A replica that is behind them must not answer,
 *           for the caller would see its own writes undone.
 * Numbers:  64 bits, which wrap.
 * Threads:  whoever is inside its partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/container/container.h"
#include "lib/base/attr.h"
#include "lib/conc/role.h"

#define FIL_PN_REPLICAS_MAX 64U

/** Who a replica is: the number of its member. */
struct fil_pn_id {
    uint64_t high;
    uint64_t low;
};

/** What a caller has seen of a replica. */
struct fil_pn_clock {
    struct fil_pn_id id;
    uint64_t time;
};

/** What is known of a replica. */
struct fil_pn_replica {
    struct fil_pn_clock clock;
    uint64_t added;
    uint64_t taken;
};

struct fil_pn_counter {
    struct fil_container container;

    // Whoever is inside.
    uint32_t replica_count;
    struct fil_pn_replica replicas[FIL_PN_REPLICAS_MAX];
};

/** It has no settings. */
extern const struct fil_container_type fil_pn_counter_type;

static inline struct fil_pn_counter *fil_pn_counter_of(struct fil_container *container)
{
    return FIL_CONTAINER_OF(container, struct fil_pn_counter, container);
}

/** What a caller has seen. */
struct fil_pn_seen {
    const struct fil_pn_clock *clocks;
    uint32_t count;
};

/** FIL_E_NOT_READY when the replica is behind what the caller has seen. */
FIL_INSIDE_PARTITION int fil_pn_counter_get_here(struct fil_pn_counter *counter,
                                                 struct fil_pn_seen seen, uint64_t now_ms,
                                                 int64_t *out_value) FIL_NODISCARD;

/** A change that replica `self` makes: the value before and after. */
struct fil_pn_change {
    struct fil_pn_id self;
    int64_t delta;
    int64_t before;
    int64_t after;
};

/** FIL_E_NOT_READY as above; FIL_E_LIMIT for too many replicas. */
FIL_INSIDE_PARTITION int fil_pn_counter_add_here(struct fil_pn_counter *counter,
                                                 struct fil_pn_seen seen,
                                                 struct fil_pn_change *change, uint64_t now_ms)
    FIL_NODISCARD;

/** News of a replica, from wherever. FIL_E_LIMIT for too many replicas. */
FIL_INSIDE_PARTITION int fil_pn_counter_merge_here(struct fil_pn_counter *counter,
                                                   const struct fil_pn_replica *news) FIL_NODISCARD;
