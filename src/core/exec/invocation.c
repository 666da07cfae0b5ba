// SPDX-License-Identifier: Apache-2.0
#include "core/exec/invocation.h"

#include "core/exec/cell_internal.h"
#include "core/exec/invocation_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"

#define CALL_IDS_PER_DRAW 256U
#define BLOCKS_KEPT_MAX   1024U
#define GIVEN_MIN         16U // invocations an invoker gives to the service between two looks

#define HOLD    FIL_INVOCATION_HOLD
#define SETTLED FIL_INVOCATION_SETTLED
#define OVER    FIL_INVOCATION_OVER
#define WATCHED FIL_INVOCATION_WATCHED

// The invoker.

/**
 * In flight; ended, but in the list of a service that has not turned since; in the hands of a
 * service that is in the middle of its turn; given to the service since the last look.
 */
static uint64_t most_blocks_out(uint64_t in_flight_max)
{
    return 2 * in_flight_max + 2 * (in_flight_max + GIVEN_MIN);
}

void fil_invoker_init(struct fil_invoker *invoker, struct fil_invocation_service *service,
                      struct fil_runner *runner)
{
    fil_assert(runner != NULL);
    *invoker = (struct fil_invoker){.service = service, .runner = runner, .given_limit = GIVEN_MIN};
    uint64_t out_max = most_blocks_out(service->options.in_flight_max);
    fil_pool_init(&invoker->pool, service->options.memory, sizeof(struct fil_invocation),
                  (uint32_t)fil_min_u64(out_max, BLOCKS_KEPT_MAX));
}

void fil_invoker_adopt(struct fil_invoker *invoker)
{
    // Whoever gives a block looks whose the pool is.
    fil_assert(fil_invoker_is_idle(invoker));
    fil_pool_adopt(&invoker->pool);
}

bool fil_invoker_is_idle(const struct fil_invoker *invoker)
{
    // A1 pairs with R1: what was done with a block is done.
    return invoker->taken_count == atomic_load_explicit(&invoker->home_count, memory_order_acquire);
}

void fil_invoker_fini(struct fil_invoker *invoker)
{
    fil_assert(fil_invoker_is_idle(invoker));
    fil_pool_fini(&invoker->pool);
}

static void go_home(struct fil_invocation *invocation)
{
    struct fil_invoker *invoker = invocation->invoker;
    // Not before: the service may ask the argument for a later deadline as long as it has a hold.
    if (invocation->release != NULL) {
        invocation->release(invocation->argument);
    }
    fil_pool_give(&invoker->pool, invocation);
    // R1 pairs with A1. The invoker may be gone after it.
    atomic_fetch_add_explicit(&invoker->home_count, 1, memory_order_release);
}

/** Numbers are drawn in bundles, so that the shared counter is touched rarely. */
static uint64_t draw_call_id(struct fil_invoker *invoker)
{
    if (invoker->call_id == invoker->call_id_end) {
        // Relaxed: numbers that differ, nothing more.
        invoker->call_id = atomic_fetch_add_explicit(&invoker->service->next_call_id,
                                                     CALL_IDS_PER_DRAW, memory_order_relaxed);
        invoker->call_id_end = invoker->call_id + CALL_IDS_PER_DRAW;
    }
    invoker->call_id++;
    return invoker->call_id;
}

// The word.

uint32_t fil_invocation__state(struct fil_invocation *invocation)
{
    // Relaxed: the bits only decide who does what. What the parties write for each other is passed
    // on by the mailbox, by the service's stacks and, in the end, by the holds.
    return atomic_load_explicit(&invocation->state, memory_order_relaxed);
}

uint32_t fil_invocation__mark(struct fil_invocation *invocation, uint32_t bits)
{
    // Relaxed: as above.
    return atomic_fetch_or_explicit(&invocation->state, bits, memory_order_relaxed);
}

void fil_invocation__drop(struct fil_invocation *invocation, uint32_t holds)
{
    // As a reference count: the last one has seen what all others did.
    uint32_t before =
        atomic_fetch_sub_explicit(&invocation->state, holds * HOLD, memory_order_acq_rel);
    fil_assert(before / HOLD >= holds);
    if (before / HOLD == holds) {
        fil_assert((before & (SETTLED | OVER)) == (SETTLED | OVER));
        go_home(invocation);
    }
}

// The budget of those in flight.

static int enter_try(void *context)
{
    struct fil_invocation_service *service = context;
    if (FIL_UNLIKELY(atomic_load_explicit(&service->is_closed, memory_order_seq_cst))) {
        return FIL_E_STOPPING;
    }
    uint32_t count = atomic_load_explicit(&service->in_flight, memory_order_seq_cst);
    // Lock-free: when this thread goes round again, another one has entered or left.
    while (count < service->options.in_flight_max) {
        if (atomic_compare_exchange_weak_explicit(&service->in_flight, &count, count + 1,
                                                  memory_order_seq_cst, memory_order_seq_cst)) {
            return FIL_OK;
        }
    }
    return FIL_E_FULL;
}

/** Its caller has seen to it that there are not too many. */
static int enter_admitted(struct fil_invocation_service *service)
{
    if (FIL_UNLIKELY(atomic_load_explicit(&service->is_closed, memory_order_seq_cst))) {
        return FIL_E_STOPPING;
    }
    atomic_fetch_add_explicit(&service->admitted, 1, memory_order_seq_cst);
    return FIL_OK;
}

static int enter(struct fil_invocation_service *service, bool is_admitted)
{
    int error = is_admitted ? enter_admitted(service) : enter_try(service);
    if (FIL_LIKELY(error != FIL_E_FULL)) {
        return error;
    }
    // The service itself must not wait: it is the one who makes room.
    if (service->options.wait_ns > 0 && fil_room_may_wait() &&
        !fil_invocation__is_service(service)) {
        fil_counter_add_shared(&service->stats.waits, 1);
        error = fil_room_await(&service->room, service->env, service->options.wait_ns, enter_try,
                               service);
    }
    if (error == FIL_E_FULL) {
        fil_counter_add_shared(&service->stats.refused, 1);
    }
    return error;
}

static void leave(struct fil_invocation_service *service, bool is_admitted)
{
    _Atomic uint32_t *count = is_admitted ? &service->admitted : &service->in_flight;
    uint32_t before = atomic_fetch_sub_explicit(count, 1, memory_order_seq_cst);
    fil_assert(before > 0);
    fil_room_made(&service->room);
}

// The operation's way.

static void on_hook_release(void *context)
{
    fil_invocation__drop(context, 1);
}

/** Both ends of the promise, and the hook that hears of a cancelled future. */
static int make_promise(struct fil_invocation *invocation, struct fil_target *home,
                        struct fil_future *out_future)
{
    struct fil_pool *pool = NULL;
    struct fil_hook *hook = fil_cell__block_new(&pool);
    if (hook == NULL) {
        return FIL_E_NOMEM;
    }
    int error = fil_promise_new(home, &invocation->promise, out_future);
    if (error != FIL_OK) {
        fil_cell__block_free(pool, hook);
        return error;
    }
    *hook = (struct fil_hook){
        .target = &invocation->service->target,
        .fn = fil_invocation__on_cancel,
        .release = on_hook_release,
        .context = invocation,
        .pool = pool,
    };
    fil_cell__hook(invocation->promise.cell, hook);
    return FIL_OK;
}

static uint64_t deadline_of(const struct fil_invoker *invoker,
                            const struct fil_invocation_request *request)
{
    if (request->deadline_ns != 0) {
        return request->deadline_ns;
    }
    uint64_t now_ns = fil_env_now_ns(invoker->service->env);
    return now_ns + invoker->service->options.timeout_ns;
}

static void init_invocation(struct fil_invocation *invocation, struct fil_invoker *invoker,
                            const struct fil_invocation_request *request)
{
    fil_op_init(&invocation->op, request->type, request->partition_id);
    invocation->op.call_id = draw_call_id(invoker);
    invocation->op.deadline_ns = deadline_of(invoker, request);
    invocation->op.is_priority = request->is_priority;
    invocation->service = invoker->service;
    invocation->invoker = invoker;
    invocation->argument = request->argument;
    invocation->release = request->release;
    invocation->prolong = request->prolong;
    invocation->is_admitted = request->is_admitted;
    invocation->deadline_ns = invocation->op.deadline_ns;
    invocation->result = fil_result_fail(FIL_OK);
    invocation->attempt_count = 0;
    invocation->resume_ns = 0;
    atomic_init(&invocation->state, 3 * HOLD); // the operation, the watch, the hook
    fil_list_init(&invocation->watched_link);
    fil_timer_init(&invocation->timer);
    invocation->is_pausing = false;
}

/** A block with its promise, or NULL without memory. */
static struct fil_invocation *make(struct fil_invoker *invoker,
                                   const struct fil_invocation_request *request,
                                   struct fil_future *out_future)
{
    struct fil_invocation *invocation = fil_pool_take(&invoker->pool);
    if (invocation == NULL) {
        return NULL;
    }
    init_invocation(invocation, invoker, request);
    if (make_promise(invocation, request->home, out_future) != FIL_OK) {
        fil_pool_give(&invoker->pool, invocation);
        return NULL;
    }
    invoker->taken_count++;
    return invocation;
}

/** Gives the submitter's hold to the service; false when the operation has ended by now. */
static bool give_to_service(struct fil_invocation *invocation, uint64_t now_ns)
{
    struct fil_invocation_service *service = invocation->service;
    if ((fil_invocation__state(invocation) & OVER) != 0) {
        fil_invocation__drop(invocation, 1);
        return false;
    }
    uint64_t deadline_ns = invocation->deadline_ns;
    uint64_t sweep_ns = now_ns + FIL_INVOCATION_SWEEP_NS;
    (void)fil_stack_push(&service->arrivals, &invocation->arrival_link);
    fil_invocation__urge(service, deadline_ns < sweep_ns ? deadline_ns : sweep_ns);
    return true;
}

/**
 * Those that ended on their way to the service need not wait for its next turn, which may be long
 * after: their blocks go home. The others set out again. The next look comes after as many
 * invocations as this one found under way, so that the looks cost each submit the same.
 */
static void look_after_given(struct fil_invoker *invoker)
{
    struct fil_link *link = fil_stack_take_all(&invoker->service->arrivals);
    uint32_t left = 0;
    while (link != NULL) {
        struct fil_invocation *invocation =
            FIL_CONTAINER_OF(link, struct fil_invocation, arrival_link);
        link = link->next;
        left += give_to_service(invocation, invoker->runner->now_ns);
    }
    invoker->given_count = 0;
    invoker->given_limit = left < GIVEN_MIN ? GIVEN_MIN : left;
}

int fil_invocation_submit(struct fil_invoker *invoker, const struct fil_invocation_request *request,
                          struct fil_future *out_future)
{
    struct fil_invocation_service *service = invoker->service;
    fil_assert(request->type->complete == fil_invocation_complete);
    int error = enter(service, request->is_admitted);
    if (FIL_UNLIKELY(error != FIL_OK)) {
        return error;
    }
    if (FIL_UNLIKELY(invoker->given_count >= invoker->given_limit)) {
        look_after_given(invoker);
    }
    struct fil_invocation *invocation = make(invoker, request, out_future);
    if (FIL_UNLIKELY(invocation == NULL)) {
        leave(service, request->is_admitted);
        return FIL_E_NOMEM;
    }
    fil_counter_add(&invoker->submits, 1);
    fil_exec_submit(service->options.exec, &invocation->op, invoker->runner);
    invoker->given_count += give_to_service(invocation, invoker->runner->now_ns);
    return FIL_OK;
}

void fil_invocation_reply(struct fil_op *op, struct fil_result result)
{
    struct fil_invocation *invocation = fil_invocation_of(op);
    fil_result_destroy(invocation->result);
    invocation->result = result;
}

void fil_invocation__end(struct fil_invocation *invocation, struct fil_result result,
                         uint64_t now_ns)
{
    struct fil_invocation_service *service = invocation->service;
    uint32_t before = fil_invocation__mark(invocation, SETTLED | OVER);
    fil_assert((before & OVER) == 0);
    leave(
        service,
        invocation->is_admitted); // before the continuation, which may want to submit the next one
    if ((before & SETTLED) != 0) {
        fil_result_destroy(result);
    } else {
        if (result.code == FIL_E_TIMEOUT) {
            fil_counter_add_shared(&service->stats.timeouts, 1);
        }
        (void)fil_promise_complete(invocation->promise, result);
    }
    if ((before & WATCHED) == 0) {
        fil_invocation__drop(invocation, 1);
        return;
    }
    // The service must take it out of its list, and lets go for both.
    (void)fil_stack_push(&service->attention, &invocation->op.link);
    fil_invocation__urge(service, now_ns + FIL_INVOCATION_SWEEP_NS);
}

void fil_invocation__hand_over(struct fil_invocation *invocation, struct fil_runner *runner)
{
    struct fil_op *op = &invocation->op;
    struct fil_partition *partition = fil_exec_partition(runner->exec, op->partition_id);
    op->error = FIL_OK;
    op->submitted_ns = runner->now_ns;
    fil_counter_add(&runner->stats.handed_over, 1);
    if (op->is_priority) {
        fil_partition_deliver_priority(partition, op, runner);
    } else {
        fil_partition_deliver(partition, op, op, runner);
    }
}

/** The result of what was run last; nothing is left behind. */
static struct fil_result take_result(struct fil_invocation *invocation)
{
    struct fil_result result = invocation->result;
    invocation->result = fil_result_fail(FIL_OK);
    if (invocation->op.error != FIL_OK) {
        fil_result_destroy(result);
        return fil_result_fail(invocation->op.error);
    }
    return result;
}

/** Whether another attempt may help. That nobody wants it any more is found out on its way. */
static bool is_worth_a_retry(const struct fil_invocation *invocation)
{
    int error = invocation->op.error;
    bool is_transient = error == FIL_E_WRONG_TARGET || error == FIL_E_NOT_READY;
    return is_transient && invocation->attempt_count < invocation->service->options.attempts_max;
}

static uint64_t pause_of(uint32_t attempt_count)
{
    fil_assert(attempt_count >= FIL_INVOCATION_ATTEMPTS_AT_ONCE);
    uint32_t doublings = attempt_count - FIL_INVOCATION_ATTEMPTS_AT_ONCE;
    uint64_t pause_ns = FIL_INVOCATION_PAUSE_MIN_NS << (doublings < 9 ? doublings : 9);
    return pause_ns < FIL_INVOCATION_PAUSE_MAX_NS ? pause_ns : FIL_INVOCATION_PAUSE_MAX_NS;
}

/** The first attempts follow each other at once; then the service brings it back after a pause. */
static void retry(struct fil_invocation *invocation, struct fil_runner *runner)
{
    struct fil_invocation_service *service = invocation->service;
    fil_counter_add_shared(&service->stats.retries, 1);
    if (invocation->attempt_count < FIL_INVOCATION_ATTEMPTS_AT_ONCE) {
        fil_invocation__hand_over(invocation, runner);
        return;
    }
    fil_counter_add_shared(&service->stats.pauses, 1);
    uint64_t resume_ns = runner->now_ns + pause_of(invocation->attempt_count);
    invocation->resume_ns = resume_ns;
    (void)fil_stack_push(&service->attention, &invocation->op.link);
    fil_invocation__urge(service, resume_ns);
}

bool fil_invocation__is_late(const struct fil_invocation *invocation, uint64_t now_ns,
                             uint64_t *out_deadline_ns)
{
    if (invocation->prolong == NULL) {
        return true;
    }
    *out_deadline_ns = invocation->prolong(invocation->argument);
    return *out_deadline_ns <= now_ns;
}

void fil_invocation_complete(struct fil_op *op, struct fil_runner *runner)
{
    struct fil_invocation *invocation = fil_invocation_of(op);
    if (FIL_UNLIKELY(op->error == FIL_E_TIMEOUT) &&
        !fil_invocation__is_late(invocation, runner->now_ns, &op->deadline_ns)) {
        fil_invocation__hand_over(invocation, runner);
        return;
    }
    struct fil_result result = take_result(invocation);
    invocation->attempt_count++;
    if (FIL_UNLIKELY(is_worth_a_retry(invocation))) {
        retry(invocation, runner);
    } else {
        fil_invocation__end(invocation, result, runner->now_ns);
    }
}
