// SPDX-License-Identifier: Apache-2.0
/**
 * Keys that a session watches (WATCH), so that EXEC knows whether they were changed since.
 *
 * Memory:  one block a key, charged to the budget; it lives until its partition
 * has forgotten it. Threads: the loop makes and drops them; a journey that the loop waits for has
 * them meanwhile.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/op.h"
#include "grid/map/watch.h"
#include "lib/conc/role.h"
#include "protocol/resp/session.h"

#define FIL_RESP_WATCHES_MAX 65536U

struct fil_resp_watch {
    struct fil_op op; // the way to the partition that has to forget it
    struct fil_map_watch watch;
    struct fil_map *map;
    uint32_t swap_count; // SWAPDBs when it was made
    struct fil_budget *budget;
    uint64_t bytes; // drawn from it
    struct fil_resp_watch *next;
};

/** Adds the key, which is not registered yet; false when memory is out. */
bool fil_resp_watch_add(struct fil_resp_session *session, struct fil_bytes key) FIL_RUNS_ON(io);

/** Inside the partition: forgets it and frees it. */
void fil_resp_watch_forget(struct fil_resp_watch *watch);

/** Drops all watches of the session. */
void fil_resp_watch_drop(struct fil_resp_session *session) FIL_RUNS_ON(io);
