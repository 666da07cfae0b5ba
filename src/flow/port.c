// SPDX-License-Identifier: Apache-2.0
#include "flow/port.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define LOOK_AGAIN_NS UINT64_C(100000)

int fil_port_init(struct fil_port *port, struct fil_exec *exec, struct fil_tasklet *tasklet)
{
    *port = (struct fil_port){.exec = exec, .tasklet = tasklet};
    fil_stack_init(&port->done);
    port->runner = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(*port->runner));
    if (port->runner == NULL) {
        return FIL_E_NOMEM;
    }
    fil_runner_init(port->runner, exec, "stream");
    return FIL_OK;
}

void fil_port_fini(struct fil_port *port)
{
    fil_assert(port->pending == 0);
    fil_assert(atomic_load_explicit(&port->outside, memory_order_acquire) == 0);
    fil_free(port->runner);
    port->runner = NULL;
}

void fil_port_submit(struct fil_port *port, struct fil_call *call, const struct fil_op_type *type,
                     fil_partition_id partition_id)
{
    fil_assert(type->complete == fil_call_complete);
    call->port = port;
    port->pending++;
    // Relaxed: the hand-over of the operation orders it.
    atomic_fetch_add_explicit(&port->outside, 1, memory_order_relaxed);
    fil_op_init(&call->op, type, partition_id);
    fil_exec_submit(port->exec, &call->op, port->runner);
}

void fil_call_complete(struct fil_op *op, struct fil_runner *runner)
{
    struct fil_call *call = FIL_CONTAINER_OF(op, struct fil_call, op);
    struct fil_port *port = call->port;
    bool is_in_place = runner == port->runner;
    (void)fil_stack_push(&port->done, &call->done);
    // From here on the call may be used anew; the port stays, because outside still counts us.
    if (!is_in_place && port->tasklet != NULL) {
        fil_tasklet_wake(port->tasklet, NULL);
    }
    // R1 pairs with A1: the last touch of the port and of the tasklet.
    uint32_t before = atomic_fetch_sub_explicit(&port->outside, 1, memory_order_release);
    fil_assert(before > 0);
}

struct fil_call *fil_port_take(struct fil_port *port)
{
    if (port->taken == NULL) {
        port->taken = fil_stack_take_all(&port->done);
    }
    if (port->taken == NULL) {
        return NULL;
    }
    struct fil_call *call = FIL_CONTAINER_OF(port->taken, struct fil_call, done);
    port->taken = port->taken->next;
    fil_assert(port->pending > 0);
    port->pending--;
    return call;
}

void fil_port_cancel(struct fil_port *port, struct fil_call *call)
{
    fil_exec_cancel(port->exec, &call->op, port->runner);
}

bool fil_port_is_quiet(const struct fil_port *port, struct fil_processor_context *context)
{
    if (port->pending > 0) {
        return false; // its completion wakes the tasklet
    }
    // A1 pairs with R1.
    if (atomic_load_explicit(&port->outside, memory_order_acquire) == 0) {
        return true;
    }
    context->wake_at_ns = context->now_ns + LOOK_AGAIN_NS;
    return false;
}
