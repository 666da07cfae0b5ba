// SPDX-License-Identifier: Apache-2.0
/**
 * A cardinality estimator: how many different things were added, known by their hashes.
 *
 * Memory:  up to 16 KiB (hll.h). FIL_E_NOMEM leaves it as it was.
 * Threads: whoever is inside its partition.
 */
#pragma once

#include <stdint.h>

#include "core/container/container.h"
#include "grid/cardinality/hll.h"
#include "lib/base/attr.h"
#include "lib/conc/role.h"

struct fil_cardinality {
    struct fil_container container;
    struct fil_hll hll; // whoever is inside
};

/** It has no settings. */
extern const struct fil_container_type fil_cardinality_type;

static inline struct fil_cardinality *fil_cardinality_of(struct fil_container *container)
{
    return FIL_CONTAINER_OF(container, struct fil_cardinality, container);
}

/** FIL_E_NOMEM. */
FIL_INSIDE_PARTITION int fil_cardinality_add_here(struct fil_cardinality *cardinality,
                                                  uint64_t hash, uint64_t now_ms) FIL_NODISCARD;

FIL_INSIDE_PARTITION uint64_t fil_cardinality_estimate_here(struct fil_cardinality *cardinality,
                                                            uint64_t now_ms);
