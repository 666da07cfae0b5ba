// SPDX-License-Identifier: Apache-2.0
/**
 * A command whose reply has to wait: for its partitions, or for the replies before it.
 *
 * Most commands need none: their partitions are free, nothing waits before them, and the reply goes
 * straight to the output. The others become calls, in the order of the commands, in the session's
 * line. A call is one operation. Inside a partition it takes a step, after which it has ended or
 * wants to go on in another partition, where it is delivered next. Whoever holds the connection's
 * writer flag moves finished calls from the front of the line to the output.
 *
 * Journey: io (make, stage) -> partition (step) -> next partition (step) ... -> flag holder
 *          (collect, free).
 * Order:   a call starts when the line is empty, and the next command waits for it; only what is
 *          answered without anything being done lines up behind it.
 * Memory:  one block with the arguments copied into it (those of a huge command are taken along:
 *          kept.h); small ones go home to the loop's pool.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/op.h"
#include "lib/base/list.h"
#include "lib/conc/role.h"
#include "lib/net/output.h"
#include "protocol/resp/command.h"
#include "protocol/resp/decoder.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/session.h"

struct fil_resp_call;

struct fil_resp_call {
    // Set when it is made.
    struct fil_list link; // the session's line
    struct fil_resp_session *session;
    struct fil_pool *home; // NULL: from the heap
    uint64_t heap_bytes;   // drawn from the budget for one from the heap
    const char *name;      // of the command, for the watchdog
    uint32_t reply_count;  // that it will have

    /**
     * Inside the partition of the op. Returns FIL_OP_DONE with `next` set to the partition where it
     * goes on, or left alone when it has ended; FIL_OP_PARKED after having parked the op.
     */
    enum fil_op_outcome (*step)(struct fil_resp_call *call, struct fil_partition *partition);
    void (*fini)(struct fil_resp_call *call); // before it is freed; NULL: nothing to do
    /** The peer is gone, flag held; NULL: the op is abandoned. */
    void (*abandon)(struct fil_resp_call *call, struct fil_runner *runner);
    const char *timeout_reply; // of one that waits for its deadline, as it is
                               // sent; NULL: that is an error
    bool is_traveller;         // may go from partition to partition
    bool is_slow;              // only on a partition thread
    bool is_read_only;         // need not run when nobody reads its reply

    _Atomic bool is_done;
    _Atomic bool is_unwanted; // the peer is gone

    // The step's own while it runs, then the flag holder's.
    struct fil_op op;
    fil_partition_id next;
    struct fil_output reply;
};

/** Runs a command with keys. False: it has to wait for the commands before it. */
bool fil_resp_call_keys(struct fil_resp_session *session, const struct fil_resp_command_info *info,
                        const struct fil_resp_command *command) FIL_RUNS_ON(io);

/** Runs the group, before a command that does not join it. True: the command waits for the line. */
bool fil_resp_call_must_wait(struct fil_resp_session *session) FIL_RUNS_ON(io);

/** As call_keys, for a plan of the caller's. The line is empty. */
void fil_resp_call_plan(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                        const struct fil_resp_command *command) FIL_RUNS_ON(io);

/** Where a command without keys writes its reply: the output, or a call behind the others. */
struct fil_output *fil_resp_call_open(struct fil_resp_session *session) FIL_RUNS_ON(io);
void fil_resp_call_close(struct fil_resp_session *session) FIL_RUNS_ON(io);

/** A call of this size, zeroed behind struct fil_resp_call too; NULL when memory is out. */
struct fil_resp_call *
fil_resp_call_new(struct fil_resp_session *session, size_t size,
                  enum fil_op_outcome (*step)(struct fil_resp_call *call,
                                              struct fil_partition *partition)) FIL_RUNS_ON(io);

/** Frees one that was not sent. */
void fil_resp_call_free(struct fil_resp_call *call);

/** Puts the call into the line and sends it to the partition. */
void fil_resp_call_send(struct fil_resp_call *call, fil_partition_id partition_id) FIL_RUNS_ON(io);

/** Puts a call into the line whose operations are others: finish is called by one of them. */
void fil_resp_call_await(struct fil_resp_call *call) FIL_RUNS_ON(io);

/** The reply is complete and may leave; the call may be gone then. */
FIL_ANY_THREAD void fil_resp_call_finish(struct fil_resp_call *call, struct fil_runner *runner);

/** Puts a call that has ended in place into the line, and frees it as soon as it may leave. */
void fil_resp_call_end(struct fil_resp_call *call) FIL_RUNS_ON(io);

/** What memory is out for: answers so. */
void fil_resp_call_refuse(struct fil_resp_session *session) FIL_RUNS_ON(io);

/** Takes the call that was opened last, and has no reply, out of the line again. */
void fil_resp_call_withdraw(struct fil_resp_session *session) FIL_RUNS_ON(io);

/**
 * Flag holder: moves finished calls from the front of the line to the output. True: only one, as
 * has_single_replies wants it; there may be more.
 */
FIL_HOLDS_WRITER bool fil_resp_call_collect(struct fil_resp_session *session);

/** Calls a session may have before it knows how large its replies are. */
#define FIL_RESP_WINDOW_FIRST 2U

/**
 * Flag holder: how many calls may be in the line, so that their replies, as large as the last ones
 * were, do not exceed what may wait for a slow reader.
 */
FIL_HOLDS_WRITER uint32_t fil_resp_call_window(const struct fil_resp_session *session);

/** On the loop, flag held: the peer is gone, what is parked should not wait for it. */
void fil_resp_call_abandon(struct fil_resp_session *session) FIL_RUNS_ON(io);

/** The same when the peer sends no more, or the member stops: replies may still be read, but nobody
 * waits for what may never come. */
void fil_resp_call_end_waits(struct fil_resp_session *session) FIL_RUNS_ON(io);
