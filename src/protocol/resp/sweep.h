// SPDX-License-Identifier: Apache-2.0
/**
 * Commands on all keys of a database: they go from partition to partition, a slice at a time, in
 * place where the next partition is free, else as a call that travels.
 *
 * Work: a step looks at so many entries, then gives way to what waits in the partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/conc/role.h"
#include "protocol/resp/call.h"
#include "protocol/resp/door.h"
#include "protocol/resp/key.h"

struct fil_resp_sweep;

/**
 * Inside sweep->partition_id, from sweep->cursor on: looks at up to about `budget` entries, adds to
 * sweep->body, sets the cursor to where it goes on (FIL_STORE_SCAN_END: with the next partition).
 * Returns how many entries it looked at.
 */
typedef uint32_t (*fil_resp_visit_fn)(struct fil_resp_sweep *sweep, uint64_t now_ms,
                                      uint32_t budget);

/** Writes the reply; body and count are complete. */
typedef void (*fil_resp_sum_up_fn)(struct fil_resp_sweep *sweep, struct fil_output *output);

struct fil_resp_sweep {
    struct fil_resp_call call;

    // Set by the command.
    fil_resp_visit_fn visit;
    fil_resp_sum_up_fn sum_up;
    uint32_t map_index;       // of the database it is in
    uint32_t map_end;         // behind the last one
    uint64_t looks_max;       // entries it wants to look at in all; UINT64_MAX: all
    bool has_match;           // only keys that match
    struct fil_bytes pattern; // copied behind the sweep
    bool has_type;            // only keys of this type
    enum fil_resp_type type;  // NONE: there is no such type
    uint32_t random;          // for who wants to draw

    // How far it has got.
    struct fil_map *map; // NULL: not looked for yet
    fil_partition_id partition_id;
    fil_partition_id partition_count;
    uint32_t partitions_left;
    uint64_t cursor;
    bool is_on_shelf; // the cursor is among the collections, which come behind the entries
    uint64_t looks;
    bool is_done;
    uint64_t count; // replies in the body
    int version;
    struct fil_output body;
};

/** A sweep of the session's database from its first partition on; NULL when memory is out. */
struct fil_resp_sweep *fil_resp_sweep_new(struct fil_resp_session *session,
                                          struct fil_bytes pattern) FIL_RUNS_ON(io);

/** Runs it, in place as far as that goes, unless its call is slow; the line is empty. */
void fil_resp_sweep_start(struct fil_resp_sweep *sweep) FIL_RUNS_ON(io);
