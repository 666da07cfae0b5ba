// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/partition_call.h"

#include "core/exec/partition.h"
#include "core/exec/turn.h"
#include "core/service/request.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

static enum fil_op_outcome run_op(struct fil_op *op, struct fil_partition *partition)
{
    struct fil_partition_call *call = FIL_CONTAINER_OF(op, struct fil_partition_call, op);
    uint64_t wait_key = 0;
    if (call->run(call, partition->runner->now_ns, &wait_key)) {
        return FIL_OP_DONE;
    }
    op->error = fil_partition_park(partition, op, wait_key);
    return op->error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
}

static void complete_op(struct fil_op *op, struct fil_runner *runner)
{
    struct fil_partition_call *call = FIL_CONTAINER_OF(op, struct fil_partition_call, op);
    (void)runner;
    if (op->error != FIL_OK) {
        call->reply = fil_reply_error(call->request, op->error);
    }
    fil_request_complete(call->request, call->reply);
}

static const struct fil_op_type op_type = {.name = "rest", .run = run_op, .complete = complete_op};

struct fil_reply fil_partition_call_dispatch(struct fil_partition_call *call)
{
    struct fil_request *request = call->request;
    fil_assert(request->runner != NULL); // the routes run on the loop
    fil_role_assert_io();
    struct fil_turn *turn = FIL_CONTAINER_OF(request->runner, struct fil_turn, runner);
    struct fil_partition *partition = fil_turn_enter(turn, call->partition_id);
    if (partition != NULL) {
        uint64_t wait_key = 0;
        bool is_done = call->run(call, turn->runner.now_ns, &wait_key);
        fil_turn_leave(turn, partition);
        if (is_done) {
            return call->reply;
        }
    }
    struct fil_reply later = fil_reply_later(request);
    if (later.status == FIL_REPLY_LATER) {
        fil_op_init(&call->op, &op_type, call->partition_id);
        call->op.deadline_ns = request->deadline_ns; // both are UINT64_MAX without one
        fil_turn_stage(turn, &call->op);
    }
    return later;
}
