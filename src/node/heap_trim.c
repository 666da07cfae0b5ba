// SPDX-License-Identifier: Apache-2.0
/**
 * The heap keeps freed memory that lies between blocks in use. What the process has beyond what was
 * drawn from its budget is watched, and the heap is told to let go when that grows: rarely, because
 * it looks through all that is free then.
 */
#include "lib/os/process.h"
#include "node/node_internal.h"

#define LOOK_NS    UINT64_C(2000000000)
#define IDLE_BYTES (UINT64_C(8) << 20) // more than the last time

static uint64_t measure_idle(struct fil_node *node)
{
    struct fil_process_usage usage;
    fil_process_measure(&usage);
    uint64_t drawn = fil_budget_drawn(&node->budget);
    return usage.resident_bytes > drawn ? usage.resident_bytes - drawn : 0;
}

void fil_node__trim_heap(struct fil_node *node, uint64_t now_ns)
{
    struct fil_heap_trim *trim = &node->trim;
    if (now_ns < trim->next_ns) {
        return;
    }
    trim->next_ns = now_ns + LOOK_NS;
    uint64_t idle_bytes = measure_idle(node);
    if (idle_bytes > trim->idle_bytes + IDLE_BYTES) {
        fil_process_trim_heap();
        idle_bytes = measure_idle(node);
        trim->idle_bytes = idle_bytes;
    }
    trim->idle_bytes = idle_bytes < trim->idle_bytes ? idle_bytes : trim->idle_bytes;
}
