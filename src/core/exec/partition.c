// SPDX-License-Identifier: Apache-2.0
#include "core/exec/partition.h"

#include "core/exec/exec_internal.h"
#include "core/exec/parking.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

#define ENDS_PER_SLICE  64U  // parked operations that are ended at once
#define LOOKS_PER_SLICE 512U // and looked at, for those that were cancelled

// The diagram is in partition.h.
enum partition_state {
    STATE_IDLE,
    STATE_QUEUED,
    STATE_RUNNING,
    STATE_NOTED,
};

enum partition_chore {
    CHORE_CANCEL = 1U << 0, // an operation was cancelled: it may be parked
    CHORE_EXPIRE = 1U << 1, // the deadline of a parked operation or an upkeep has come
    CHORE_SWEEP = 1U << 2,  // the search for cancelled operations goes on
};

void fil_partition_init(struct fil_partition *partition, fil_partition_id id, uint32_t home)
{
    *partition = (struct fil_partition){.id = id, .home = home};
    atomic_init(&partition->state, STATE_IDLE);
    atomic_init(&partition->parked_until_ns, FIL_OP_NO_DEADLINE);
    fil_stack_init(&partition->mail);
    fil_stack_init(&partition->priority_mail);
    fil_timer_init(&partition->timer);
    fil_list_init(&partition->upkeeps);
}

static bool has_chores(struct fil_partition *partition)
{
    return atomic_load_explicit(&partition->chores, memory_order_seq_cst) != 0;
}

/** Inside, or nobody is: whether there is anything to do. */
static bool has_work(struct fil_partition *partition)
{
    return partition->line.first != NULL || partition->woken_line.first != NULL ||
           partition->priority_line.first != NULL || !fil_stack_is_empty(&partition->mail) ||
           !fil_stack_is_empty(&partition->priority_mail) || has_chores(partition);
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

static struct fil_op *op_of(struct fil_link *link)
{
    return link == NULL ? NULL : FIL_CONTAINER_OF(link, struct fil_op, link);
}

static void line_append(struct fil_op_line *line, struct fil_op *op)
{
    op->link.next = NULL;
    if (line->last == NULL) {
        line->first = op;
    } else {
        line->last->link.next = &op->link;
    }
    line->last = op;
}

static struct fil_op *line_take(struct fil_op_line *line)
{
    struct fil_op *op = line->first;
    if (op != NULL) {
        line->first = op_of(op->link.next);
        if (line->first == NULL) {
            line->last = NULL;
        }
    }
    return op;
}

/** As line_append, for an operation that was taken out before. */
static void put_back(struct fil_partition *partition, struct fil_op_line *line, struct fil_op *op)
{
    line_append(line, op);
    fil_counter_add(&partition->taken, UINT64_MAX); // one less: the count wraps back
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
    struct fil_op *op = op_of(fil_stack_take_all(mail));
    while (op != NULL) {
        struct fil_op *next = op_of(op->link.next);
        line_append(line, op);
        op = next;
    }
}

void fil_partition_append(struct fil_partition *partition, struct fil_op *op)
{
    fil_partition_assert_inside(partition);
    fetch_mail(&partition->line, &partition->mail);
    put_back(partition, &partition->line, op);
}

static struct fil_op *take_next(struct fil_partition *partition)
{
    if (FIL_UNLIKELY(!fil_stack_is_empty(&partition->priority_mail))) {
        fetch_mail(&partition->priority_line, &partition->priority_mail);
    }
    struct fil_op *op = line_take(&partition->priority_line);
    if (op == NULL) {
        op = line_take(&partition->woken_line);
    }
    if (op == NULL && partition->line.first == NULL) {
        fetch_mail(&partition->line, &partition->mail);
    }
    op = op == NULL ? line_take(&partition->line) : op;
    fil_counter_add(&partition->taken, op != NULL);
    return op;
}

/** Tells the home thread the earliest deadline of what is parked. */
static void publish_deadline(struct fil_partition *partition, uint64_t deadline_ns)
{
    struct fil_runner *runner = partition->runner;
    // S3 with the home's attention: it clears the flag, then reads the deadline.
    atomic_store_explicit(&partition->parked_until_ns, deadline_ns, memory_order_seq_cst);
    if (deadline_ns == FIL_OP_NO_DEADLINE) {
        return;
    }
    if (atomic_exchange_explicit(&partition->is_attended, true, memory_order_seq_cst)) {
        return;
    }
    struct fil_partition_stage *home = fil_exec__stage(runner->exec, partition->home);
    (void)fil_stack_push(&home->attention, &partition->attention_link);
    fil_runner_owe_wake(runner, partition->home);
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
        put_back(partition, &partition->woken_line, op);
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

static void end_op(struct fil_partition *partition, struct fil_op *op, int error)
{
    op->error = error;
    op->type->complete(op, partition->runner);
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
        end_op(partition, op, FIL_E_TIMEOUT);
        count++;
    }
    put_off(partition, CHORE_EXPIRE);
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
        end_op(partition, op, FIL_E_CANCELLED);
        count++;
    }
    if (!fil_parking_is_swept(parking)) {
        put_off(partition, CHORE_SWEEP);
    }
    return count;
}

/** Does a slice; returns how many operations it has ended. */
static uint32_t do_chores(struct fil_partition *partition)
{
    if (FIL_LIKELY(!has_chores(partition))) {
        return 0;
    }
    uint32_t chores = atomic_exchange_explicit(&partition->chores, 0, memory_order_seq_cst);
    uint32_t count = 0;
    if ((chores & (CHORE_CANCEL | CHORE_SWEEP)) != 0 && partition->parking != NULL) {
        count += cancel_parked(partition, (chores & CHORE_CANCEL) != 0);
    }
    if (chores & CHORE_EXPIRE) {
        count += do_what_is_due(partition);
    }
    partition->runner->now_ns = fil_env_now_ns(partition->runner->exec->options.env);
    // Also one that ends nothing has moved something: the home may have a new deadline.
    return count > 0 ? count : 1;
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
    add_chore(partition, CHORE_CANCEL, runner);
}

void fil_partition_abandon(struct fil_partition *partition, struct fil_op *op,
                           struct fil_runner *runner)
{
    atomic_store_explicit(&op->is_abandoned, true, memory_order_release);
    add_chore(partition, CHORE_CANCEL, runner);
}

void fil_partition_expire(struct fil_partition *partition, struct fil_runner *runner)
{
    add_chore(partition, CHORE_EXPIRE, runner);
}

uint32_t fil_partition_run(struct fil_partition *partition, uint32_t limit)
{
    fil_partition_assert_inside(partition);
    struct fil_runner *runner = partition->runner;
    uint32_t ended = do_chores(partition);
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
        end_op(partition, op, FIL_E_STOPPING);
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
