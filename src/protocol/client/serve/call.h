// SPDX-License-Identifier: Apache-2.0
/**
 * Runs requests: in place where the partition is free, otherwise as calls.
 *
 * Responses may leave in any order, so a call waits for nobody: whoever ends it writes its response
 * into the call and pushes it to the session's finished ones, and the holder of the connection's
 * writer flag moves what it finds there to the output.
 *
 * Journey: io (make, stage) -> partition (run; perhaps parked, or from partition to partition) ->
 * flag holder (collect, free).
 * Order:   requests of a connection reach a partition in the order in which they came.
 * Memory:  one block with the message copied behind it; small ones go home to the loop's pool. A
 * huge message stays where it was received, and that memory leaves the connection with the call.
 */
#pragma once

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/op.h"
#include "grid/map/processor.h"
#include "grid/map/walk.h"
#include "lib/base/list.h"
#include "lib/conc/role.h"
#include "lib/conc/stack.h"
#include "lib/mem/chunk.h"
#include "lib/mem/parcel.h"
#include "protocol/client/serve/session.h"
#include "protocol/client/serve/task.h"

#define FIL_WIRE_GROUP_MAX 16U

/** A message of so many bytes is not handled on a loop, if it belongs to a partition, nor copied
 * there: other connections would wait. */
#define FIL_WIRE_HUGE_BYTES ((size_t)1 << 20)

/**
 * Requests of one partition each that run together in place, so that their waits for memory
 * overlap. Lives on the stack of receive; the messages are borrowed from the input.
 */
struct fil_wire_group {
    uint32_t count;
    struct fil_wire_task tasks[FIL_WIRE_GROUP_MAX];
    struct fil_partition *partitions[FIL_WIRE_GROUP_MAX]; // entered
};

/** What a call waits for. */
enum fil_wire_waiting {
    FIL_WIRE_WAITS_FOR_PARTITION,
    FIL_WIRE_WAITS_FOR_WALK,
    FIL_WIRE_WAITS_FOR_FINISH, // somebody calls fil_wire_call_finish
};

#define FIL_WIRE_ARGUMENTS_MAX 4U // of an entry processor

/** An entry processor as a client names it; points into the message. */
struct fil_wire_processing {
    const struct fil_map_processor *processor;
    uint32_t argument_count;
    struct fil_bytes arguments[FIL_WIRE_ARGUMENTS_MAX];
};

struct fil_wire_call {
    struct fil_link finished_link;
    struct fil_list link;     // the session's calls
    struct fil_pool *home;    // NULL: from the heap
    uint64_t heap_bytes;      // drawn from the budget for one from the heap
    struct fil_parcel parcel; // with a huge message
    enum fil_wire_waiting waiting;
    bool is_submission; // counted apart; the flag holder's
    _Atomic bool is_done;

    // Whoever runs it, then the flag holder's.
    union {
        struct fil_op op;
        struct fil_map_walk walk;
        struct {
            struct fil_map_process_walk process_walk; // begins with its walk
            struct fil_wire_processing processing;
        };
    };
    struct fil_query_predicate query; // of the task
    fil_partition_id *partitions;     // the walk's, if it goes to some only; NULL: to all
    bool is_paged;                    // goes on where another ended: no index is looked into
    void *work;                       // what a handler keeps while the walk is under way
    void (*free_work)(void *work);
    void (*abandon)(struct fil_wire_call *call, struct fil_runner *runner); // NULL: ends by itself
    struct fil_wire_task task;
    struct fil_wire_writer writer;
    struct fil_chunk_queue reply;
};

static_assert(offsetof(struct fil_wire_call, walk) ==
                  offsetof(struct fil_wire_call, process_walk.walk),
              "a call finds itself by its walk, whichever it is");

/** Runs the request or sends it off; the header has been decoded. */
void fil_wire_call_run(struct fil_wire_task *task) FIL_RUNS_ON(io);

/**
 * Ends a call that was started (fil_wire_start_fn): its handler writes the response, or the error
 * is answered. The call is gone afterwards.
 */
FIL_ANY_THREAD void fil_wire_call_finish(struct fil_wire_call *call, struct fil_runner *runner,
                                         int error);

/** In fil_wire_start_fn: it is a function for an executor, which counts apart. */
void fil_wire_call_count_apart(struct fil_wire_call *call) FIL_RUNS_ON(io);

/** Has the walk of a call, which was prepared, go only to the partitions of keys with these hashes;
 * FIL_E_NOMEM. */
int fil_wire_call_limit(struct fil_wire_call *call, const int32_t *key_hashes, uint32_t count)
    FIL_NODISCARD;

/** Runs what is in the group: before anything that is not added to it, and last. */
void fil_wire_group_run(struct fil_wire_session *session) FIL_RUNS_ON(io);

/** The writer of the connection's output. */
FIL_HOLDS_WRITER void fil_wire_call_output(struct fil_wire_session *session,
                                           struct fil_wire_writer *out_writer);

/** Flag holder: small replies are copied together, large ones change hands. */
FIL_HOLDS_WRITER void fil_wire_call_move(struct fil_output *output, struct fil_chunk_queue *reply);

/** Flag holder: moves what has finished to the output. */
FIL_HOLDS_WRITER void fil_wire_call_collect(struct fil_wire_session *session);

/** On the loop, flag held: the peer is gone, nothing should wait for it. */
void fil_wire_call_abandon(struct fil_wire_session *session) FIL_RUNS_ON(io);

/** Likewise: the member stops. What can run still does, and is answered; what waits is refused. */
void fil_wire_call_end_waits(struct fil_wire_session *session) FIL_RUNS_ON(io);
