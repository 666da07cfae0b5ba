// SPDX-License-Identifier: Apache-2.0
#include "core/container/waiting.h"

#include "filbert/error.h"
#include "lib/base/assert.h"

void fil_waiting_init(struct fil_waiting *waiting, struct fil_container *container, uint32_t index,
                      fil_waiting_returned_fn returned)
{
    // Addresses differ for all that live, and the multiplier spreads them: a number of its own.
    uint64_t number = (uint64_t)(uintptr_t)container + index;
    *waiting = (struct fil_waiting){
        .container = container,
        .key = number * UINT64_C(0x9E3779B97F4A7C15),
        .returned = returned,
    };
    fil_assert(index < sizeof(*container));
}

uint64_t fil_waiting_wake_here(struct fil_waiting *waiting, uint64_t limit)
{
    struct fil_partition *partition = fil_container_partition(waiting->container);
    if (partition == NULL || limit == 0) {
        return 0;
    }
    uint32_t most = limit > UINT32_MAX ? UINT32_MAX : (uint32_t)limit;
    uint32_t count = fil_partition_notify(partition, waiting->key, most);
    if (waiting->returned != NULL) {
        waiting->promised += count;
    }
    return count;
}

int fil_waiter_begin_here(struct fil_waiter *waiter, struct fil_op *op)
{
    waiter->op = op;
    // Acquire: what the one who left did before is visible to complete.
    bool is_gone = atomic_load_explicit(&op->is_abandoned, memory_order_acquire);
    return is_gone ? FIL_E_CANCELLED : FIL_OK;
}

enum fil_op_outcome fil_waiter_park_here(struct fil_waiter *waiter, struct fil_partition *partition)
{
    struct fil_op *op = waiter->op;
    fil_assert(op != NULL && waiter->line != NULL);
    op->error = fil_partition_park(partition, op, waiter->line->key);
    return op->error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
}

bool fil_waiter_is_promised_here(const struct fil_waiter *waiter, const struct fil_waiting *waiting)
{
    return waiter->op != NULL && waiter->op->is_woken && waiter->line == waiting;
}

void fil_waiter_claim_here(struct fil_waiter *waiter)
{
    struct fil_waiting *line = waiter->line;
    fil_assert(fil_waiter_is_promised_here(waiter, line));
    fil_assert(line->promised > 0);
    line->promised--;
    waiter->op->is_woken = false;
}

int fil_waiter_wait_here(struct fil_waiter *waiter, struct fil_waiting *waiting)
{
    bool has_waited = waiter->op != NULL && waiter->line == waiting;
    // A promise is kept: whoever has one finds what it waits for.
    fil_assert(waiting->returned == NULL || !fil_waiter_is_promised_here(waiter, waiting));
    if (!has_waited) {
        fil_counter_add(&waiting->container->counters.waits, waiter->op != NULL);
    }
    waiter->line = waiting;
    return FIL_E_AGAIN;
}

void fil_waiter_end_here(struct fil_waiter *waiter)
{
    struct fil_waiting *line = waiter->line;
    if (line == NULL || line->returned == NULL || !fil_waiter_is_promised_here(waiter, line)) {
        return;
    }
    fil_waiter_claim_here(waiter);
    line->returned(line);
}
