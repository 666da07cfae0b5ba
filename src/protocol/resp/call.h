// SPDX-License-Identifier: Apache-2.0
/**
 * A command whose reply has to wait: for its partitions, or for the replies
 * before it.
 *
 * Most commands need none: their partition is free, nothing waits before them,
 * and the reply goes straight to the output. The others become calls, in the
 * order of the commands, in the session's line. A call's parts run on their
 * partitions; the last one to end completes it. Whoever holds the connection's
 * writer flag moves finished calls from the front of the line to the output.
 *
 * Journey: io (make, stage) -> partition (run, complete) -> flag holder
 * (collect, free). Memory:  one block with the arguments copied into it; it
 * goes home to the loop's pool.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/op.h"
#include "grid/map/map.h"
#include "lib/base/list.h"
#include "lib/conc/role.h"
#include "lib/net/output.h"
#include "protocol/resp/decoder.h"
#include "protocol/resp/session.h"

struct fil_resp_call;

/** One key of a command, as it runs inside the key's partition. */
struct fil_resp_access {
    struct fil_map *map;
    struct fil_map_key key;
    struct fil_bytes value; // what comes with the key, if anything
    struct fil_output *output;
    int version;
};

/**
 * Runs one key of a command inside its partition. A command of one key writes
 * its reply and returns 0; of one that counts, the results are summed and the
 * sum is the reply.
 */
typedef int64_t (*fil_resp_access_fn)(struct fil_resp_access *access);

struct fil_resp_part {
    struct fil_op op;
    struct fil_resp_call *call;
    struct fil_resp_access access;
};

struct fil_resp_call {
    // Set when it is made.
    struct fil_list link; // the session's line
    struct fil_resp_session *session;
    struct fil_pool *home; // NULL: from the heap
    uint64_t heap_bytes;   // drawn from the budget for one from the heap
    fil_resp_access_fn run;
    bool is_counting;
    uint32_t part_count;

    // Shared by the parts.
    _Atomic uint32_t open_count; // parts that have not ended
    _Atomic int64_t sum;
    _Atomic int error; // of a part that could not run
    _Atomic bool is_done;

    // The one part's own while it runs, then the flag holder's.
    struct fil_output reply;
    struct fil_resp_part parts[];
};

/** What a command does with keys, for fil_resp_call_keys. */
struct fil_resp_keys {
    fil_resp_access_fn run;
    bool is_counting;
    bool is_slow;   // never in place: only on a partition thread
    uint32_t first; // index of the first key among the words
    uint32_t count;
    uint32_t value; // index of the word that comes with the key; 0: none
};

/** Runs the command's keys in place where their partitions are free, else as a
 * call. */
void fil_resp_call_keys(struct fil_resp_session *session, const struct fil_resp_command *command,
                        const struct fil_resp_keys *keys) FIL_RUNS_ON(io);

/** Where a command without keys writes its reply: the output, or a call behind
 * the others. */
struct fil_output *fil_resp_call_open(struct fil_resp_session *session) FIL_RUNS_ON(io);
void fil_resp_call_close(struct fil_resp_session *session) FIL_RUNS_ON(io);

/**
 * Flag holder: moves finished calls from the front of the line to the output. True: only one, as
 * has_single_replies wants it; there may be more.
 */
bool fil_resp_call_collect(struct fil_resp_session *session);

/** Calls a session may have before it knows how large its replies are. */
#define FIL_RESP_WINDOW_FIRST 2U

/**
 * Flag holder: how many calls may be in the line, so that their replies, as large as the last ones
 * were, do not exceed what may wait for a slow reader.
 */
uint32_t fil_resp_call_window(const struct fil_resp_session *session);

/** On the loop, flag held: the peer is gone, what is parked should not wait for
 * it. */
void fil_resp_call_abandon(struct fil_resp_session *session) FIL_RUNS_ON(io);
