// SPDX-License-Identifier: Apache-2.0
/**
 * A client is gone: lets go of all that it has locked, in all maps, one after the other.
 *
 * Maps without locks are passed over. What the client locks after this has begun may stay; the
 * protocol ends its operations first.
 *
 * Memory:  the release is the caller's and belongs to the kernel from start to released.
 * Threads: start by any thread with a runner; released runs on a partition thread, or in start.
 */
#pragma once

#include <stdint.h>

#include "grid/map/maps.h"
#include "grid/map/walk.h"
#include "lib/conc/role.h"

struct fil_map_release;

/** All is let go; the release is the caller's again. */
typedef void (*fil_map_released_fn)(struct fil_map_release *release, struct fil_runner *runner);

struct fil_map_release {
    struct fil_map_walk walk;
    struct fil_maps *maps;
    uint64_t member;
    uint32_t position; // of the next map
    fil_map_released_fn released;
    void *context; // the caller's
};

FIL_ANY_THREAD void fil_map_release_start(struct fil_map_release *release, struct fil_maps *maps,
                                          uint64_t member, fil_map_released_fn released,
                                          struct fil_runner *runner);
