// SPDX-License-Identifier: Apache-2.0
/** The structures of the member beside its maps: which there are, their settings, their figures. */
#pragma once

#include <stdint.h>

#include "core/container/directory.h"
#include "grid/map/maps.h"
#include "lib/base/attr.h"
#include "lib/metric/metrics.h"
#include "node/options.h"
#include "node/structure_rules.h"

struct fil_env;
struct fil_events;
struct fil_exec;

struct fil_structures {
    struct fil_directory *directory;
    struct fil_metrics *metrics;
    struct fil_maps *multimaps;
    struct fil_structure_rules *rules; // of each kind
};

struct fil_structures_options {
    struct fil_env *env;
    struct fil_exec *exec;
    struct fil_events *events;
    struct fil_budget *budget;
    struct fil_metrics *metrics; // outlives the structures' use
    const struct fil_options *options;
    uint64_t seed;
};

/** FIL_E_NOMEM. */
int fil_structures_init(struct fil_structures *structures,
                        const struct fil_structures_options *options) FIL_NODISCARD;

/** The threads have ended. */
void fil_structures_fini(struct fil_structures *structures);
