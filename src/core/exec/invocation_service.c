// SPDX-License-Identifier: Apache-2.0
/** The part of invocations that has a clock: deadlines, pauses, cancelled futures. */
#include "core/exec/invocation_internal.h"
#include "core/exec/trampoline.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

#define SETTLED FIL_INVOCATION_SETTLED
#define OVER    FIL_INVOCATION_OVER
#define WATCHED FIL_INVOCATION_WATCHED

static _Thread_local const struct fil_invocation_service *current_service;

bool fil_invocation__is_service(const struct fil_invocation_service *service)
{
    return current_service == service;
}

// The service as a target.

static struct fil_invocation_service *service_of(struct fil_target *target)
{
    return FIL_CONTAINER_OF(target, struct fil_invocation_service, target);
}

static void submit_task(struct fil_target *target, struct fil_task *task)
{
    struct fil_invocation_service *service = service_of(target);
    (void)fil_stack_push(&service->tasks, &task->link);
    (void)fil_parker_wake(&service->parker);
}

static bool is_current(struct fil_target *target)
{
    return fil_invocation__is_service(service_of(target));
}

static const struct fil_target_ops target_ops = {
    .name = "invocation",
    .submit = submit_task,
    .is_current = is_current,
};

// Life.

static void apply_defaults(struct fil_invocation_options *options)
{
    if (options->in_flight_max == 0) {
        options->in_flight_max =
            FIL_INVOCATIONS_PER_PARTITION * fil_exec_partition_count(options->exec);
    }
    if (options->timeout_ns == 0) {
        options->timeout_ns = FIL_INVOCATION_TIMEOUT_NS;
    }
    if (options->attempts_max == 0) {
        options->attempts_max = FIL_INVOCATION_ATTEMPTS_MAX;
    }
}

int fil_invocation_service_init(struct fil_invocation_service *service,
                                const struct fil_invocation_options *options)
{
    if (options->exec == NULL || options->memory == NULL || options->wait_ns > INT64_MAX) {
        return FIL_E_INVALID;
    }
    *service = (struct fil_invocation_service){.target.ops = &target_ops, .options = *options};
    apply_defaults(&service->options);
    service->env = fil_exec_options(options->exec)->env;
    fil_room_init(&service->room);
    fil_stack_init(&service->arrivals);
    fil_stack_init(&service->attention);
    fil_stack_init(&service->tasks);
    fil_parker_init(&service->parker);
    fil_runner_init(&service->runner, options->exec, "invocation");
    fil_wheel_init(&service->wheel, service->runner.now_ns);
    fil_list_init(&service->watched);
    return FIL_OK;
}

static bool has_inbox(struct fil_invocation_service *service)
{
    return !fil_stack_is_empty(&service->arrivals) || !fil_stack_is_empty(&service->attention) ||
           !fil_stack_is_empty(&service->tasks);
}

void fil_invocation_service_fini(struct fil_invocation_service *service)
{
    fil_assert(fil_invocation_service_in_flight(service) == 0);
    fil_assert(!has_inbox(service));
    fil_assert(service->watched_count == 0);
    fil_assert(!service->thread.is_started);
}

uint32_t fil_invocation_service_in_flight(const struct fil_invocation_service *service)
{
    return atomic_load_explicit(&service->in_flight, memory_order_seq_cst) +
           atomic_load_explicit(&service->admitted, memory_order_seq_cst);
}

void fil_invocation_service_close(struct fil_invocation_service *service)
{
    atomic_store_explicit(&service->is_closed, true, memory_order_seq_cst);
    fil_room_made(&service->room); // who waits there looks again
}

static bool is_stopping(struct fil_invocation_service *service)
{
    return atomic_load_explicit(&service->is_stopping, memory_order_seq_cst);
}

void fil_invocation__urge(struct fil_invocation_service *service, uint64_t needed_ns)
{
    // W1 pairs with W2: the push before this and the service's look at its stacks are sequentially
    // consistent too. Either the service sees the push, or we see how long it means to sleep.
    if (atomic_load_explicit(&service->wake_ns, memory_order_seq_cst) > needed_ns) {
        (void)fil_parker_wake(&service->parker);
    }
}

// One invocation in the service's hands.

static bool is_watched(const struct fil_invocation *invocation)
{
    return fil_list_is_linked(&invocation->watched_link);
}

/** Sets the timer to what comes first, the deadline or the end of the pause. */
static void arm(struct fil_invocation_service *service, struct fil_invocation *invocation)
{
    uint64_t at_ns = FIL_WHEEL_NEVER;
    if (is_watched(invocation) && (fil_invocation__state(invocation) & SETTLED) == 0) {
        at_ns = invocation->deadline_ns; // FIL_OP_NO_DEADLINE is never, too
    }
    if (invocation->is_pausing && invocation->resume_ns < at_ns) {
        at_ns = invocation->resume_ns;
    }
    if (at_ns == FIL_WHEEL_NEVER) {
        fil_wheel_disarm(&service->wheel, &invocation->timer);
    } else {
        fil_wheel_arm(&service->wheel, &invocation->timer, at_ns);
    }
}

/** The operation is here, not in the kernel: its way can end at once. */
static void end_pause(struct fil_invocation_service *service, struct fil_invocation *invocation,
                      int error)
{
    invocation->is_pausing = false;
    arm(service, invocation);
    fil_invocation__end(invocation, fil_result_fail(error), service->runner.now_ns);
}

/** Nobody wants the operation any more: it ends as soon as the kernel comes across it. */
static void cancel_op(struct fil_invocation_service *service, struct fil_invocation *invocation,
                      int error)
{
    fil_counter_add(&service->stats.cancels, 1);
    if (invocation->is_pausing) {
        end_pause(service, invocation, error);
    } else {
        struct fil_exec *exec = service->options.exec;
        fil_partition_cancel(fil_exec_partition(exec, invocation->op.partition_id), &invocation->op,
                             &service->runner);
    }
}

/** Decides the future against an operation that is still under way. */
static void forestall(struct fil_invocation_service *service, struct fil_invocation *invocation,
                      int error)
{
    fil_assert(is_watched(invocation));
    if ((fil_invocation__mark(invocation, SETTLED) & SETTLED) != 0) {
        return; // it has just ended: it will be here soon
    }
    if (error == FIL_E_TIMEOUT) {
        fil_counter_add_shared(&service->stats.timeouts, 1);
    }
    (void)fil_promise_fail(invocation->promise, error);
    cancel_op(service, invocation, error);
}

void fil_invocation__on_cancel(void *context)
{
    struct fil_invocation *invocation = context;
    cancel_op(invocation->service, invocation, FIL_E_CANCELLED);
}

/** Brings an operation back into the kernel. It may end there, and the block go, at once. */
static void resume(struct fil_invocation_service *service, struct fil_invocation *invocation)
{
    invocation->is_pausing = false;
    arm(service, invocation);
    fil_invocation__hand_over(invocation, &service->runner);
}

/** Whether its time is over; it may get more. */
static bool is_late(struct fil_invocation_service *service, struct fil_invocation *invocation)
{
    uint64_t now_ns = service->runner.now_ns;
    return is_watched(invocation) && invocation->deadline_ns <= now_ns &&
           fil_invocation__is_late(invocation, now_ns, &invocation->deadline_ns);
}

static void fire(struct fil_invocation_service *service, struct fil_invocation *invocation)
{
    uint64_t now_ns = service->runner.now_ns;
    if (is_late(service, invocation)) {
        forestall(service, invocation, FIL_E_TIMEOUT);
    } else if (invocation->is_pausing && invocation->resume_ns <= now_ns) {
        resume(service, invocation);
    } else {
        arm(service, invocation);
    }
}

/** Takes over the submitter's hold. */
static void adopt(struct fil_invocation_service *service, struct fil_invocation *invocation)
{
    fil_list_push_back(&service->watched, &invocation->watched_link);
    service->watched_count++;
    if ((fil_invocation__mark(invocation, WATCHED) & OVER) == 0) {
        arm(service, invocation);
        return;
    }
    // It ended before; nobody will tell us.
    fil_list_remove(&invocation->watched_link);
    service->watched_count--;
    fil_invocation__drop(invocation, 1);
}

/** An operation that was watched has ended; its hold comes with it. */
static void discharge(struct fil_invocation_service *service, struct fil_invocation *invocation)
{
    fil_assert(is_watched(invocation));
    fil_wheel_disarm(&service->wheel, &invocation->timer);
    fil_list_remove(&invocation->watched_link);
    service->watched_count--;
    fil_invocation__drop(invocation, 2);
}

/** An operation that is to be tried again, unless that is not wanted any more. */
static void begin_pause(struct fil_invocation_service *service, struct fil_invocation *invocation)
{
    invocation->is_pausing = true;
    // Relaxed: this thread is the only one that cancels.
    if (atomic_load_explicit(&invocation->op.is_cancelled, memory_order_relaxed)) {
        end_pause(service, invocation, FIL_E_CANCELLED);
    } else {
        arm(service, invocation);
    }
}

// The stage.

static uint32_t run_tasks(struct fil_invocation_service *service)
{
    uint32_t count = 0;
    struct fil_link *link = fil_stack_take_all(&service->tasks);
    while (link != NULL) {
        struct fil_task *task = FIL_CONTAINER_OF(link, struct fil_task, link);
        link = link->next;
        fil_trampoline_run(task);
        count++;
    }
    return count;
}

static uint32_t adopt_arrivals(struct fil_invocation_service *service)
{
    uint32_t count = 0;
    struct fil_link *link = fil_stack_take_all(&service->arrivals);
    while (link != NULL) {
        struct fil_invocation *invocation =
            FIL_CONTAINER_OF(link, struct fil_invocation, arrival_link);
        link = link->next;
        adopt(service, invocation);
        count++;
    }
    return count;
}

static uint32_t attend(struct fil_invocation_service *service)
{
    uint32_t count = 0;
    struct fil_link *link = fil_stack_take_all(&service->attention);
    while (link != NULL) {
        struct fil_invocation *invocation = FIL_CONTAINER_OF(link, struct fil_invocation, op.link);
        link = link->next;
        if ((fil_invocation__state(invocation) & OVER) != 0) {
            discharge(service, invocation);
        } else {
            begin_pause(service, invocation);
        }
        count++;
    }
    return count;
}

static uint32_t fire_timers(struct fil_invocation_service *service)
{
    uint32_t count = 0;
    uint64_t now_ns = service->runner.now_ns;
    for (struct fil_timer *timer = fil_wheel_take(&service->wheel, now_ns); timer != NULL;
         timer = fil_wheel_take(&service->wheel, now_ns)) {
        fire(service, FIL_CONTAINER_OF(timer, struct fil_invocation, timer));
        count++;
    }
    return count;
}

/** While stopping: whoever is still here will not be waited for. */
static void give_up_all(struct fil_invocation_service *service)
{
    fil_list_foreach_safe(link, following, &service->watched) {
        struct fil_invocation *invocation =
            FIL_CONTAINER_OF(link, struct fil_invocation, watched_link);
        forestall(service, invocation, FIL_E_STOPPING);
    }
}

uint32_t fil_invocation_service_cycle(struct fil_invocation_service *service)
{
    const struct fil_invocation_service *previous = current_service;
    current_service = service;
    service->runner.now_ns = fil_env_now_ns(service->env);
    uint32_t moved = adopt_arrivals(service);
    moved += attend(service);
    moved += run_tasks(service);
    moved += fire_timers(service);
    if (FIL_UNLIKELY(is_stopping(service))) {
        give_up_all(service);
    }
    fil_runner_pay_wakes(&service->runner);
    current_service = previous;
    return moved;
}

uint64_t fil_invocation_service_next_ns(const struct fil_invocation_service *service)
{
    return fil_wheel_next_ns(&service->wheel);
}

// The thread.

/** Nothing is left that could come back. */
static bool is_quiet(struct fil_invocation_service *service)
{
    return fil_invocation_service_in_flight(service) == 0 && !has_inbox(service) &&
           service->watched_count == 0;
}

/** Says until when the service will not look at what is pushed; who cannot wait wakes it. */
static void publish_wake(struct fil_invocation_service *service, uint64_t wake_ns)
{
    // W2 pairs with W1.
    atomic_store_explicit(&service->wake_ns, wake_ns, memory_order_seq_cst);
}

static void sleep_until(struct fil_invocation_service *service, uint64_t wake_ns)
{
    uint64_t now_ns = fil_env_now_ns(service->env);
    if (wake_ns <= now_ns) {
        fil_parker_cancel(&service->parker);
    } else {
        bool is_endless = wake_ns == FIL_WHEEL_NEVER;
        fil_parker_park(&service->parker,
                        is_endless ? FIL_WAIT_FOREVER : (int64_t)(wake_ns - now_ns));
    }
}

/**
 * Sleeps after a turn. As long as turns move something, what is pushed waits for the next sweep,
 * so that a busy service is not woken for each invocation. After a turn that moved nothing it
 * sleeps until the next timer, and whoever pushes first wakes it.
 */
static void rest(struct fil_invocation_service *service, uint64_t sweep_ns, bool has_moved)
{
    uint64_t next_ns = fil_invocation_service_next_ns(service);
    if (has_moved || is_stopping(service)) {
        sleep_until(service, next_ns < sweep_ns ? next_ns : sweep_ns);
        return;
    }
    publish_wake(service, next_ns);
    if (has_inbox(service)) {
        fil_parker_cancel(&service->parker); // it came before it could know
    } else {
        sleep_until(service, next_ns);
    }
}

static void run(void *context)
{
    struct fil_invocation_service *service = context;
    fil_stage_hooks_enter(service->options.hooks, NULL);
    while (!is_stopping(service) || !is_quiet(service)) {
        uint64_t sweep_ns = fil_env_now_ns(service->env) + FIL_INVOCATION_SWEEP_NS;
        // Before the turn: what is pushed earlier is seen by it, what is pushed later knows.
        fil_parker_prepare(&service->parker);
        publish_wake(service, sweep_ns);
        bool has_moved = fil_invocation_service_cycle(service) > 0;
        rest(service, sweep_ns, has_moved);
    }
    fil_stage_hooks_leave(service->options.hooks, NULL);
}

int fil_invocation_service_start(struct fil_invocation_service *service)
{
    struct fil_thread_options options = {.name = "invocation", .entry = run, .context = service};
    return fil_thread_start_with(&service->thread, &options);
}

void fil_invocation_service_stop(struct fil_invocation_service *service)
{
    fil_invocation_service_close(service);
    atomic_store_explicit(&service->is_stopping, true, memory_order_seq_cst);
    (void)fil_parker_wake(&service->parker);
    fil_thread_join(&service->thread);
}
