// SPDX-License-Identifier: Apache-2.0
#include "core/exec/partition.h"

#include "core/exec/exec_internal.h"
#include "core/exec/parking.h"
#include "core/exec/partition_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

// The diagram is in partition.h.
enum partition_state {
    STATE_IDLE,
    STATE_QUEUED,
    STATE_RUNNING,
    STATE_NOTED,
};

void fil_partition_init(struct fil_partition *partition, fil_partition_id id, uint32_t home)
{
    *partition = (struct fil_partition){.id = id, .home = home};
    atomic_init(&partition->state, STATE_IDLE);
    atomic_init(&partition->parked_until_ns, FIL_OP_NO_DEADLINE);
    fil_stack_init(&partition->mail);
    fil_stack_init(&partition->priority_mail);
    fil_timer_init(&partition->timer);
    fil_list_init(&partition->rung_link);
    fil_list_init(&partition->upkeeps);
}

/** Inside, or nobody is: whether there is anything to do. */
static bool has_work(struct fil_partition *partition)
{
    return partition->line.first != NULL || partition->woken_line.first != NULL ||
           partition->priority_line.first != NULL || !fil_stack_is_empty(&partition->mail) ||
           !fil_stack_is_empty(&partition->priority_mail) || fil_partition__has_chores(partition);
}

void fil_partition_fini(struct fil_partition *partition)
{
    fil_assert(atomic_load_explicit(&partition->state, memory_order_relaxed) == STATE_IDLE);
    fil_assert(!has_work(partition));
    fil_parking_free(partition->parking);
    partition->parking = NULL;
    // What still waits for its time may outlive the partition.
    while (!fil_list_is_empty(&partition->upkeeps)) {
        fil_upkeep_forget(FIL_CONTAINER_OF(partition->upkeeps.next, struct fil_upkeep, link));
    }
}

/** One attempt to move the word. */
static bool move_state(struct fil_partition *partition, uint32_t from, uint32_t to)
{
    // S1: sequentially consistent in all places. As a lock word, it makes what the last one inside
    // wrote visible to the next; against the mailbox, "push, then look at the word" and "change the
    // word, then look at the mailbox" cannot both miss.
    return atomic_compare_exchange_strong_explicit(&partition->state, &from, to,
                                                   memory_order_seq_cst, memory_order_seq_cst);
}

/** Gives a queued partition a ticket in its home's run queue, unless it has one. */
static void list_ticket(struct fil_partition *partition, struct fil_runner *runner)
{
    struct fil_partition_stage *home = fil_exec__stage(runner->exec, partition->home);
    // S2 with claim: a ticket that is still there is taken after the word was set to queued, so
    // whoever takes it sees that.
    (void)fil_tickets_put(&home->tickets, fil_exec__ticket_of(runner->exec, partition->id));
    fil_runner_owe_wake(runner, partition->home);
}

static void list_urgent(struct fil_partition *partition, struct fil_runner *runner)
{
    struct fil_partition_stage *home = fil_exec__stage(runner->exec, partition->home);
    (void)fil_tickets_put(&home->urgent_tickets, fil_exec__ticket_of(runner->exec, partition->id));
    fil_runner_owe_wake(runner, partition->home);
}

static void go_in(struct fil_partition *partition, struct fil_runner *runner)
{
    fil_assert(partition->runner == NULL);
    partition->runner = runner;
#ifdef FIL_DEBUG
    partition->thread = fil_role_thread();
#endif
}

bool fil_partition_enter(struct fil_partition *partition, struct fil_runner *runner)
{
    if (!move_state(partition, STATE_IDLE, STATE_RUNNING)) {
        return false;
    }
    go_in(partition, runner);
    if (FIL_LIKELY(!has_work(partition))) {
        return true;
    }
    // Somebody has pushed and not yet moved the word: that operation is older than the caller's.
    fil_partition_leave(partition);
    return false;
}

bool fil_partition_claim(struct fil_partition *partition, struct fil_runner *runner)
{
    if (!move_state(partition, STATE_QUEUED, STATE_RUNNING)) {
        return false;
    }
    go_in(partition, runner);
    return true;
}

/** Goes out of a partition that has work, or may have got some just now. */
FIL_APART static void leave_queued(struct fil_partition *partition, struct fil_runner *runner)
{
    bool has_urgent_line = partition->priority_line.first != NULL;
    partition->runner = NULL;
    // S1. From running or noted: others only move running to noted, which means the same here.
    atomic_store_explicit(&partition->state, STATE_QUEUED, memory_order_seq_cst);
    list_ticket(partition, runner);
    // The lane is looked at last: the urgent ticket of a priority operation that came while we were
    // inside may have been taken and found stale.
    if (has_urgent_line || !fil_stack_is_empty(&partition->priority_mail)) {
        list_urgent(partition, runner);
    }
}

void fil_partition_leave(struct fil_partition *partition)
{
    fil_partition_assert_inside(partition);
    struct fil_runner *runner = partition->runner;
    if (FIL_LIKELY(!has_work(partition))) {
        partition->runner = NULL;
        if (FIL_LIKELY(move_state(partition, STATE_RUNNING, STATE_IDLE))) {
            return;
        }
    }
    leave_queued(partition, runner);
}

/** Something was put into the partition: sees to it that somebody will look. */
static void schedule(struct fil_partition *partition, struct fil_runner *runner)
{
    // Lock-free: each failure means that another thread has moved the word.
    for (;;) {
        switch (atomic_load_explicit(&partition->state, memory_order_seq_cst)) {
        case STATE_IDLE:
            if (move_state(partition, STATE_IDLE, STATE_QUEUED)) {
                list_ticket(partition, runner);
                return;
            }
            break;
        case STATE_RUNNING:
            if (move_state(partition, STATE_RUNNING, STATE_NOTED)) {
                return;
            }
            break;
        default:
            return; // queued or noted: whoever comes next looks after we have pushed
        }
    }
}

static uint64_t chain_length(const struct fil_op *newest, const struct fil_op *oldest)
{
    uint64_t length = 1;
    for (const struct fil_link *link = &newest->link; link != &oldest->link; link = link->next) {
        length++;
    }
    return length;
}

void fil_partition_deliver(struct fil_partition *partition, struct fil_op *newest,
                           struct fil_op *oldest, struct fil_runner *runner)
{
    // Before the push, so that nobody takes out what is not counted.
    fil_counter_add_shared(&partition->arrived, chain_length(newest, oldest));
    (void)fil_stack_push_chain(&partition->mail, &newest->link, &oldest->link);
    schedule(partition, runner);
}

void fil_partition_deliver_priority(struct fil_partition *partition, struct fil_op *op,
                                    struct fil_runner *runner)
{
    fil_counter_add_shared(&partition->arrived, 1);
    (void)fil_stack_push(&partition->priority_mail, &op->link);
    schedule(partition, runner);
    list_urgent(partition, runner);
}

uint64_t fil_partition_mail_count(const struct fil_partition *partition)
{
    uint64_t taken = fil_counter_read(&partition->taken);
    uint64_t arrived = fil_counter_read(&partition->arrived);
    // A reader may see the counters of two moments.
    return (int64_t)(arrived - taken) > 0 ? arrived - taken : 0;
}

/** Moves what has arrived behind what is in the line. */
static void fetch_mail(struct fil_op_line *line, struct fil_stack *mail)
{
    struct fil_op *op = fil_op__of(fil_stack_take_all(mail));
    while (op != NULL) {
        struct fil_op *next = fil_op__of(op->link.next);
        fil_op_line__append(line, op);
        op = next;
    }
}

void fil_partition_append(struct fil_partition *partition, struct fil_op *op)
{
    fil_partition_assert_inside(partition);
    fetch_mail(&partition->line, &partition->mail);
    fil_partition__put_back(partition, &partition->line, op);
}

static struct fil_op *take_next(struct fil_partition *partition)
{
    if (FIL_UNLIKELY(!fil_stack_is_empty(&partition->priority_mail))) {
        fetch_mail(&partition->priority_line, &partition->priority_mail);
    }
    struct fil_op *op = fil_op_line__take(&partition->priority_line);
    if (op == NULL) {
        op = fil_op_line__take(&partition->woken_line);
    }
    if (op == NULL && partition->line.first == NULL) {
        fetch_mail(&partition->line, &partition->mail);
    }
    op = op == NULL ? fil_op_line__take(&partition->line) : op;
    fil_counter_add(&partition->taken, op != NULL);
    return op;
}

static void add_chore(struct fil_partition *partition, uint32_t chore, struct fil_runner *runner)
{
    atomic_fetch_or_explicit(&partition->chores, chore, memory_order_seq_cst);
    schedule(partition, runner);
}

void fil_partition_cancel(struct fil_partition *partition, struct fil_op *op,
                          struct fil_runner *runner)
{
    atomic_store_explicit(&op->is_cancelled, true, memory_order_release);
    add_chore(partition, FIL_PARTITION_CHORE_CANCEL, runner);
}

void fil_partition_abandon(struct fil_partition *partition, struct fil_op *op,
                           struct fil_runner *runner)
{
    atomic_store_explicit(&op->is_abandoned, true, memory_order_release);
    add_chore(partition, FIL_PARTITION_CHORE_CANCEL, runner);
}

void fil_partition_expire(struct fil_partition *partition, struct fil_runner *runner)
{
    add_chore(partition, FIL_PARTITION_CHORE_EXPIRE, runner);
}

bool fil_partition_is_due(struct fil_partition *partition)
{
    uint32_t chores = atomic_load_explicit(&partition->chores, memory_order_seq_cst);
    return (chores & FIL_PARTITION_CHORE_EXPIRE) != 0;
}

bool fil_partition_relieve(struct fil_partition *partition, struct fil_runner *runner)
{
    // The ticket stays where it is: stale, unless the leave finds mail and renews it.
    if (!fil_partition_claim(partition, runner)) {
        return false;
    }
    (void)fil_partition__do_chores(partition);
    fil_partition_leave(partition);
    return true;
}

uint32_t fil_partition_run(struct fil_partition *partition, uint32_t limit)
{
    fil_partition_assert_inside(partition);
    struct fil_runner *runner = partition->runner;
    uint32_t ended =
        FIL_LIKELY(!fil_partition__has_chores(partition)) ? 0 : fil_partition__do_chores(partition);
    uint32_t count = 0;
    uint64_t slices = fil_counter_read(&runner->stats.slices);
    // After a slice other partitions get their turn: a long operation delays them by one slice.
    while (count < limit && fil_counter_read(&runner->stats.slices) == slices) {
        struct fil_op *op = take_next(partition);
        if (op == NULL) {
            break;
        }
        fil_runner_run(runner, partition, op);
        count++;
        if (fil_runner_is_due(runner)) {
            break;
        }
    }
    return ended + count;
}

void fil_partition_close(struct fil_partition *partition, struct fil_runner *runner)
{
    if (partition->parking == NULL) {
        return;
    }
    bool is_inside = fil_partition_enter(partition, runner);
    fil_assert(is_inside);
    for (struct fil_op *op = fil_parking_take_any(partition->parking); op != NULL;
         op = fil_parking_take_any(partition->parking)) {
        fil_partition__end_op(partition, op, FIL_E_STOPPING);
    }
    fil_partition_leave(partition);
}

void fil_partition_assert_inside(const struct fil_partition *partition)
{
    fil_assert(partition->runner != NULL);
#ifdef FIL_DEBUG
    fil_assert(partition->thread == fil_role_thread());
#endif
}

void fil_partition_assert_mine(const struct fil_partition *partition,
                               const struct fil_runner *runner)
{
    fil_assert(partition->runner == runner);
}
