// SPDX-License-Identifier: Apache-2.0
/** The structures of the member beside its maps: which there are, their settings, their figures. */
#pragma once

#include <stdint.h>

#include "core/container/directory.h"
#include "grid/list/list.h"
#include "grid/queue/queue.h"
#include "grid/ringbuffer/ringbuffer.h"
#include "grid/set/set.h"
#include "lib/base/attr.h"
#include "lib/metric/metrics.h"
#include "node/options.h"

struct fil_env;
struct fil_events;
struct fil_exec;

struct fil_structures {
    struct fil_directory *directory;
    struct fil_metrics *metrics;

    // As the options say, for all names.
    struct fil_queue_config queue;
    struct fil_list_config list;
    struct fil_set_config set;
    struct fil_ringbuffer_config ringbuffer;
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
