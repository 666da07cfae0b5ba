// SPDX-License-Identifier: Apache-2.0
/**
 * What waits inside a partition: operations that are parked, until a notify, their deadline or
 * their caller's end, and upkeep, until it is due. Nothing here moves the partition's word.
 */
#include "core/exec/exec_internal.h"
#include "core/exec/parking.h"
#include "core/exec/partition_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

#define ENDS_PER_SLICE  64U  // parked operations that are ended at once
#define LOOKS_PER_SLICE 512U // and looked at, for those that were cancelled

/** Tells the alarm the earliest deadline of what waits. */
static void publish_deadline(struct fil_partition *partition, uint64_t deadline_ns)
{
    // S3, see alarm.h: the deadline is there before the alarm is told.
    atomic_store_explicit(&partition->parked_until_ns, deadline_ns, memory_order_seq_cst);
    if (deadline_ns != FIL_OP_NO_DEADLINE) {
        fil_alarm_tell(&partition->runner->exec->alarm, partition, deadline_ns);
    }
}

/** Whether nobody waits for the operation any more. */
static bool is_unwanted(struct fil_op *op)
{
    // Acquire: what the canceller did before is visible to complete.
    return atomic_load_explicit(&op->is_cancelled, memory_order_acquire) ||
           atomic_load_explicit(&op->is_abandoned, memory_order_acquire);
}

int fil_partition_park(struct fil_partition *partition, struct fil_op *op, uint64_t key)
{
    fil_partition_assert_inside(partition);
    struct fil_runner *runner = partition->runner;
    if (is_unwanted(op)) {
        return FIL_E_CANCELLED;
    }
    if (partition->parking == NULL) {
        partition->parking = fil_parking_new(runner->now_ns);
        if (partition->parking == NULL) {
            return FIL_E_NOMEM;
        }
    }
    op->is_woken = false;
    fil_parking_add(partition->parking, op, key);
    fil_counter_add(&runner->stats.parks, 1);
    // Relaxed: only the one inside lowers it.
    uint64_t until_ns = atomic_load_explicit(&partition->parked_until_ns, memory_order_relaxed);
    if (op->deadline_ns < until_ns) {
        publish_deadline(partition, op->deadline_ns);
    }
    return FIL_OK;
}

uint32_t fil_partition_notify(struct fil_partition *partition, uint64_t key, uint32_t limit)
{
    fil_partition_assert_inside(partition);
    uint32_t count = 0;
    while (partition->parking != NULL && count < limit) {
        struct fil_op *op = fil_parking_take(partition->parking, key);
        if (op == NULL) {
            break;
        }
        op->is_woken = true;
        fil_partition__put_back(partition, &partition->woken_line, op);
        count++;
    }
    return count;
}

void fil_upkeep_init(struct fil_upkeep *upkeep,
                     uint64_t (*run)(struct fil_upkeep *upkeep, struct fil_partition *partition))
{
    fil_list_init(&upkeep->link);
    upkeep->due_ns = FIL_OP_NO_DEADLINE;
    upkeep->run = run;
}

void fil_upkeep_forget(struct fil_upkeep *upkeep)
{
    fil_list_remove(&upkeep->link);
    upkeep->due_ns = FIL_OP_NO_DEADLINE;
}

void fil_partition_ask_upkeep(struct fil_partition *partition, struct fil_upkeep *upkeep,
                              uint64_t due_ns)
{
    fil_partition_assert_inside(partition);
    if (due_ns >= upkeep->due_ns) {
        return;
    }
    upkeep->due_ns = due_ns;
    if (!fil_list_is_linked(&upkeep->link)) {
        fil_list_push_back(&partition->upkeeps, &upkeep->link);
    }
    // Relaxed: only the one inside lowers it.
    if (due_ns < atomic_load_explicit(&partition->parked_until_ns, memory_order_relaxed)) {
        publish_deadline(partition, due_ns);
    }
}

static uint32_t run_upkeeps(struct fil_partition *partition)
{
    uint64_t now_ns = partition->runner->now_ns;
    uint32_t count = 0;
    fil_list_foreach_safe(link, following, &partition->upkeeps) {
        struct fil_upkeep *upkeep = FIL_CONTAINER_OF(link, struct fil_upkeep, link);
        if (upkeep->due_ns <= now_ns) {
            upkeep->due_ns = upkeep->run(upkeep, partition);
            count++;
        }
        if (upkeep->due_ns == FIL_OP_NO_DEADLINE) {
            fil_list_remove(&upkeep->link);
        }
    }
    return count;
}

/** The earliest of all that is due in the partition by itself. */
static uint64_t next_due_ns(struct fil_partition *partition)
{
    uint64_t next_ns = partition->parking == NULL
                           ? FIL_WHEEL_NEVER
                           : fil_wheel_next_ns(&partition->parking->deadlines);
    fil_list_foreach(link, &partition->upkeeps) {
        const struct fil_upkeep *upkeep = FIL_CONTAINER_OF(link, struct fil_upkeep, link);
        next_ns = upkeep->due_ns < next_ns ? upkeep->due_ns : next_ns;
    }
    return next_ns;
}

/** There is more of it than a slice: the next one inside goes on. */
static void put_off(struct fil_partition *partition, uint32_t chore)
{
    atomic_fetch_or_explicit(&partition->chores, chore, memory_order_seq_cst);
}

/** Ends some of those whose deadline has passed; returns how many. */
static uint32_t expire_parked(struct fil_partition *partition)
{
    struct fil_runner *runner = partition->runner;
    uint32_t count = 0;
    while (count < ENDS_PER_SLICE) {
        struct fil_op *op = fil_parking_take_expired(partition->parking, runner->now_ns);
        if (op == NULL) {
            return count;
        }
        fil_counter_add(&runner->stats.expiries, 1);
        fil_partition__end_op(partition, op, FIL_E_TIMEOUT);
        count++;
    }
    put_off(partition, FIL_PARTITION_CHORE_EXPIRE);
    return count;
}

/** What has come due by itself; returns how much. */
static uint32_t do_what_is_due(struct fil_partition *partition)
{
    uint32_t count = partition->parking == NULL ? 0 : expire_parked(partition);
    count += run_upkeeps(partition);
    uint64_t next_ns = next_due_ns(partition);
    publish_deadline(partition, next_ns == FIL_WHEEL_NEVER ? FIL_OP_NO_DEADLINE : next_ns);
    return count;
}

/**
 * Ends some of the cancelled ones among the parked and returns how many; those in the mailbox end
 * when they would run. A complete may notify or park others.
 */
static uint32_t cancel_parked(struct fil_partition *partition, bool is_new)
{
    struct fil_parking *parking = partition->parking;
    uint32_t looks = LOOKS_PER_SLICE;
    uint32_t count = 0;
    if (is_new) {
        fil_parking_begin_sweep(parking);
    }
    while (count < ENDS_PER_SLICE) {
        struct fil_op *op = fil_parking_sweep(parking, is_unwanted, &looks);
        if (op == NULL) {
            break;
        }
        fil_counter_add(&partition->runner->stats.cancels, 1);
        fil_partition__end_op(partition, op, FIL_E_CANCELLED);
        count++;
    }
    if (!fil_parking_is_swept(parking)) {
        put_off(partition, FIL_PARTITION_CHORE_SWEEP);
    }
    return count;
}

uint32_t fil_partition__do_chores(struct fil_partition *partition)
{
    fil_partition_assert_inside(partition);
    uint32_t chores = atomic_exchange_explicit(&partition->chores, 0, memory_order_seq_cst);
    uint32_t count = 0;
    if ((chores & (FIL_PARTITION_CHORE_CANCEL | FIL_PARTITION_CHORE_SWEEP)) != 0 &&
        partition->parking != NULL) {
        count += cancel_parked(partition, (chores & FIL_PARTITION_CHORE_CANCEL) != 0);
    }
    if (chores & FIL_PARTITION_CHORE_EXPIRE) {
        count += do_what_is_due(partition);
    }
    partition->runner->now_ns = fil_env_now_ns(partition->runner->exec->options.env);
    // Also one that ends nothing has moved something: there may be a new deadline.
    return count > 0 ? count : 1;
}
