// SPDX-License-Identifier: Apache-2.0
/**
 * A processor instance's way into the kernel: sends operations to partitions and gets them back.
 *
 *     processor --submit--> kernel: runs in place, or on a partition thread
 *         ^                    |
 *         +------- take <------+  done: pushed here, then the tasklet is woken
 *
 * Memory:  calls belong to the processor; between submit and take nobody else touches them but
 *          their operation. A port that is not quiet is still used by the kernel.
 * Threads: the tasklet's worker, one at a time; a call's completion on the thread where it ended.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/exec.h"
#include "core/stream/processor.h"
#include "lib/base/attr.h"
#include "lib/conc/stack.h"

/** Operations of an instance that may be under way. */
#define FIL_PORT_CALLS_MAX 64U

struct fil_port {
    // Set by init, then read-only.
    struct fil_exec *exec;
    struct fil_runner *runner; // the instance's own
    struct fil_tasklet *tasklet;

    // Shared.
    struct fil_stack done;
    _Atomic uint32_t outside; // calls whose completion has not let go of the port

    // The processor's own.
    struct fil_link *taken; // of done, not given out yet
    uint32_t pending;       // submitted and not given out
};

/** One operation; first member of whatever it is about. */
struct fil_call {
    struct fil_op op;
    struct fil_link done;
    struct fil_port *port;
};

/** FIL_E_NOMEM. */
int fil_port_init(struct fil_port *port, struct fil_exec *exec, struct fil_tasklet *tasklet)
    FIL_NODISCARD;

/** It is quiet, or was never used; harmless on a zeroed one. */
void fil_port_fini(struct fil_port *port);

/** Runs it now or later; it comes back by take. The type's complete is fil_call_complete. */
void fil_port_submit(struct fil_port *port, struct fil_call *call, const struct fil_op_type *type,
                     fil_partition_id partition_id);

/** A call that is over, op.error says how; NULL: none now. */
struct fil_call *fil_port_take(struct fil_port *port);

/** Makes a call that may be parked come back soon. It was submitted and has not been taken. */
void fil_port_cancel(struct fil_port *port, struct fil_call *call);

/** Whether all calls have come back for good; otherwise says when to look again. */
bool fil_port_is_quiet(const struct fil_port *port, struct fil_processor_context *context);

/** For types of operations. */
void fil_call_complete(struct fil_op *op, struct fil_runner *runner);
