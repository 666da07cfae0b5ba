// SPDX-License-Identifier: Apache-2.0
/**
 * The last requests that took too long, each with where its time went: for the page /slow.
 *
 * Memory:  fixed, in the ring.
 * Threads: any. The mutex is held for the copy of one entry, and only requests that were slow come
 *          here.
 */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"
#include "lib/os/mutex.h"

#define FIL_SLOW_RING_MAX      128U
#define FIL_SLOW_RING_PATH_MAX 96U // with the end; longer ones are cut

/** Where the time of a request goes, in order. */
enum fil_slow_stage {
    FIL_SLOW_READ,  // from its head to its last byte
    FIL_SLOW_QUEUE, // for a thread of its pool
    FIL_SLOW_RUN,   // in its handler, and until the answer that was promised came
    FIL_SLOW_WRITE, // for its turn on the connection
    FIL_SLOW_STAGES,
};

struct fil_slow_request {
    uint64_t serial; // counts up; 0: no entry
    uint64_t wall_ns;
    const char *route; // its pattern
    const char *place; // where its handler ran
    int status;
    uint64_t total_ns;
    uint64_t stage_ns[FIL_SLOW_STAGES];
    char path[FIL_SLOW_RING_PATH_MAX];
};

struct fil_slow_ring {
    struct fil_mutex mutex;
    uint64_t count; // ever
    struct fil_slow_request entries[FIL_SLOW_RING_MAX];
};

void fil_slow_ring_init(struct fil_slow_ring *ring);
void fil_slow_ring_fini(struct fil_slow_ring *ring);

/** Enters a request; its serial and path are filled in. */
FIL_ANY_THREAD void fil_slow_ring_add(struct fil_slow_ring *ring,
                                      const struct fil_slow_request *request,
                                      struct fil_bytes path);

/** Copies the entries, the slowest first; returns how many. */
FIL_ANY_THREAD uint32_t fil_slow_ring_read(struct fil_slow_ring *ring,
                                           struct fil_slow_request out_entries[FIL_SLOW_RING_MAX]);
