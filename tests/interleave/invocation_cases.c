// SPDX-License-Identifier: Apache-2.0
/**
 * Invocations, in every order of a submitter, the service, a partition thread and somebody who
 * interferes. Promises, in every order: the future gets one result; the operation ends once; its
 * place becomes free and its block comes home; nobody is left asleep who should have been woken.
 *
 * The kernel is a stand-in here, one thread with a mailbox, so that the steps that count are those
 * of the invocation; the kernel has a suite of its own.
 */
#include <string.h>

#include "core/exec/invocation.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "tests/interleave/suite.h"

#define CALLS_MAX   2U
#define DEADLINE_NS (FIL_EXPLORER_START_NS + UINT64_C(5000000))
#define LONG_NS     UINT64_C(10000000000)
#define NO_RESULT   1 // no code is positive

struct fil_exec {
    struct fil_exec_options options;
};

struct call {
    bool parks;        // until it is cancelled
    uint32_t failures; // "not ready" first
    uint32_t run_count;
    int code; // of the future
    uint32_t result_count;
};

struct invocation_case {
    const char *name;
    uint32_t call_count;
    uint64_t deadline_ns; // of all calls; 0: none
    bool parks;           // the first call, until it is cancelled
    uint32_t failures;    // of the first call
    bool is_cancelled;    // the first call, by somebody else
    bool has_jump;        // somebody moves the clock, else it moves when everybody sleeps
    void (*check)(const struct call *call);
    uint32_t interruptions_max;
};

static struct world {
    const struct invocation_case *now;
    struct fil_exec exec;
    struct fil_budget budget;
    struct fil_invocation_service service;
    struct fil_runner kernel_runner;
    struct fil_stack mail;
    struct fil_op *parked;
    bool is_cancel_noted;
    bool has_submitter_left;
    bool is_kernel_over;
    struct fil_runner runner;
    struct fil_invoker invoker;
    struct call calls[CALLS_MAX];
    struct fil_future futures[CALLS_MAX]; // for those who interfere
    uint32_t future_count;
} world;

static uint64_t now_ns(struct fil_env *env)
{
    (void)env;
    return fil_explorer_now_ns();
}

static const struct fil_env_ops env_ops = {.now_ns = now_ns};
static struct fil_env env = {.ops = &env_ops};

// The kernel's stand-in.

const struct fil_exec_options *fil_exec_options(const struct fil_exec *exec)
{
    return &exec->options;
}

uint32_t fil_exec_partition_count(const struct fil_exec *exec)
{
    return exec->options.partition_count;
}

struct fil_partition *fil_exec_partition(struct fil_exec *exec, fil_partition_id id)
{
    static struct fil_partition partition;
    fil_assert(id < exec->options.partition_count);
    return &partition;
}

void fil_runner_init(struct fil_runner *runner, struct fil_exec *exec, const char *name)
{
    memset(runner, 0, sizeof(*runner));
    runner->exec = exec;
    runner->name = name;
    runner->now_ns = FIL_EXPLORER_START_NS;
}

void fil_runner_pay_wakes(struct fil_runner *runner)
{
    (void)runner;
}

void fil_partition_deliver(struct fil_partition *partition, struct fil_op *newest,
                           struct fil_op *oldest, struct fil_runner *runner)
{
    (void)partition;
    (void)runner;
    (void)fil_stack_push_chain(&world.mail, &newest->link, &oldest->link);
}

void fil_partition_deliver_priority(struct fil_partition *partition, struct fil_op *op,
                                    struct fil_runner *runner)
{
    fil_partition_deliver(partition, op, op, runner);
}

void fil_exec_submit(struct fil_exec *exec, struct fil_op *op, struct fil_runner *runner)
{
    runner->now_ns = now_ns(exec->options.env);
    fil_partition_deliver(NULL, op, op, runner);
}

void fil_partition_cancel(struct fil_partition *partition, struct fil_op *op,
                          struct fil_runner *runner)
{
    (void)partition;
    (void)runner;
    fil_explorer_touch(&op->is_cancelled);
    atomic_store_explicit(&op->is_cancelled, true, memory_order_release);
    fil_explorer_touch(&world.is_cancel_noted);
    world.is_cancel_noted = true;
}

static bool is_cancelled(struct fil_op *op)
{
    fil_explorer_touch(&op->is_cancelled);
    return atomic_load_explicit(&op->is_cancelled, memory_order_acquire);
}

static void kernel_end(struct fil_op *op, int error)
{
    op->error = error;
    op->type->complete(op, &world.kernel_runner);
}

static void kernel_run(struct fil_op *op)
{
    world.kernel_runner.now_ns = fil_explorer_now_ns();
    if (is_cancelled(op)) {
        kernel_end(op, FIL_E_CANCELLED);
    } else if (op->deadline_ns <= world.kernel_runner.now_ns) {
        kernel_end(op, FIL_E_TIMEOUT);
    } else if (op->type->run(op, NULL) == FIL_OP_PARKED) {
        world.parked = op;
        world.is_cancel_noted = true; // it may have come while the operation ran
    } else {
        op->type->complete(op, &world.kernel_runner);
    }
}

static bool has_kernel_work(void *context)
{
    (void)context;
    return atomic_load_explicit(&world.mail.top, memory_order_relaxed) != NULL ||
           world.is_cancel_noted || world.is_kernel_over;
}

static void end_parked(void)
{
    world.is_cancel_noted = false;
    struct fil_op *op = world.parked;
    if (op != NULL && is_cancelled(op)) {
        world.parked = NULL;
        kernel_end(op, FIL_E_CANCELLED);
    }
}

static void run_kernel(void *context)
{
    fil_role_enter(&fil_role_partition);
    do {
        fil_explorer_wait_until(has_kernel_work, context);
        end_parked();
        struct fil_link *link = fil_stack_take_all(&world.mail);
        while (link != NULL) {
            struct fil_op *op = FIL_CONTAINER_OF(link, struct fil_op, link);
            link = link->next;
            kernel_run(op);
        }
    } while (!world.is_kernel_over);
}

// Calls.

static enum fil_op_outcome run_call(struct fil_op *op, struct fil_partition *partition)
{
    (void)partition;
    struct fil_invocation *invocation = fil_invocation_of(op);
    struct call *call = invocation->argument;
    call->run_count++;
    if (call->parks) {
        call->parks = false;
        return FIL_OP_PARKED;
    }
    if (call->failures > 0) {
        call->failures--;
        // Comes to the pauses without walking through the attempts before.
        invocation->attempt_count = FIL_INVOCATION_ATTEMPTS_AT_ONCE;
        op->error = FIL_E_NOT_READY;
    }
    return FIL_OP_DONE;
}

static const struct fil_op_type call_type = {
    .name = "test.call", .run = run_call, .complete = fil_invocation_complete};

static void count_result(void *context, struct fil_result *result)
{
    struct call *call = context;
    call->result_count++;
    call->code = result->code;
}

static void submit_call(struct call *call)
{
    struct fil_invocation_request request = {
        .type = &call_type,
        .argument = call,
        .deadline_ns = world.now->deadline_ns == 0 ? FIL_OP_NO_DEADLINE : world.now->deadline_ns,
    };
    struct fil_future *future = &world.futures[world.future_count];
    int error = fil_invocation_submit(&world.invoker, &request, future);
    fil_assert(error == FIL_OK);
    error = fil_future_continue(future, &(struct fil_continuation){.when = FIL_WHEN_EITHER,
                                                                   .target = fil_target_inline(),
                                                                   .fn = count_result,
                                                                   .context = call});
    fil_assert(error == FIL_OK);
    world.future_count++;
}

static bool is_home(void *context)
{
    (void)context;
    return world.invoker.taken_count ==
           atomic_load_explicit(&world.invoker.home_count, memory_order_relaxed);
}

static void submit(void *context)
{
    fil_runner_init(&world.runner, &world.exec, "submitter");
    fil_invoker_init(&world.invoker, &world.service, &world.runner);
    for (uint32_t i = 0; i < world.now->call_count; i++) {
        submit_call(&world.calls[i]);
    }
    fil_explorer_wait_until(is_home, context);
    fil_assert(fil_invoker_is_idle(&world.invoker));
    fil_invoker_fini(&world.invoker);
    world.has_submitter_left = true;
}

// Those who interfere.

static void move_clock(void *context)
{
    (void)context;
    fil_explorer_advance(LONG_NS);
}

static bool has_futures(void *context)
{
    (void)context;
    return world.future_count == world.now->call_count;
}

static void cancel_or_forget(void *context)
{
    fil_explorer_wait_until(has_futures, context);
    for (uint32_t i = 0; i < world.now->call_count; i++) {
        if (i == 0 && world.now->is_cancelled) {
            fil_future_cancel(world.futures[i]);
        } else {
            fil_future_forget(world.futures[i]);
        }
    }
}

static bool has_submitter_left(void *context)
{
    (void)context;
    return world.has_submitter_left;
}

/** When all is done, so that a lost wake-up is not made good by the stop. */
static void stop_late(void *context)
{
    fil_explorer_wait_until(has_submitter_left, context);
    fil_invocation_service_stop(&world.service);
    world.is_kernel_over = true;
}

static void ignore_figures(void)
{
    fil_explorer_ignore(&world.service.stats, sizeof(world.service.stats));
    fil_explorer_ignore(&world.service.runner.stats, sizeof(world.service.runner.stats));
    fil_explorer_ignore(&world.kernel_runner.stats, sizeof(world.kernel_runner.stats));
    fil_explorer_ignore(&world.runner.stats, sizeof(world.runner.stats));
}

static void set_up(void *context)
{
    memset(&world, 0, sizeof(world));
    fil_explorer_track(&world, sizeof(world));
    world.now = context;
    world.exec.options = (struct fil_exec_options){.env = &env, .partition_count = 1};
    fil_budget_init(&world.budget, UINT64_MAX);
    fil_stack_init(&world.mail);
    fil_runner_init(&world.kernel_runner, &world.exec, "kernel");
    for (uint32_t i = 0; i < CALLS_MAX; i++) {
        world.calls[i].code = NO_RESULT;
    }
    world.calls[0].parks = world.now->parks;
    world.calls[0].failures = world.now->failures;
    int error = fil_invocation_service_init(
        &world.service, &(struct fil_invocation_options){
                            .exec = &world.exec, .memory = &world.budget, .in_flight_max = 2});
    fil_assert(error == FIL_OK);
    ignore_figures();
    error = fil_invocation_service_start(&world.service);
    fil_assert(error == FIL_OK);
    (void)fil_explorer_add("kernel", run_kernel, NULL);
    (void)fil_explorer_add("stopper", stop_late, NULL);
    (void)fil_explorer_add("submitter", submit, NULL);
    (void)fil_explorer_add("consumer", cancel_or_forget, NULL);
    if (world.now->has_jump) {
        (void)fil_explorer_add("clock", move_clock, NULL);
    }
}

// Checks.

static void must_have(const struct call *call, uint32_t result_count, uint32_t run_count)
{
    if (call->result_count != result_count) {
        fil_explorer_fail("a call has %u results", call->result_count);
    }
    if (call->run_count > run_count) {
        fil_explorer_fail("a call ran %u times", call->run_count);
    }
}

static void check_success(const struct call *call)
{
    must_have(call, 1, 1 + world.now->failures);
    if (call->code != FIL_OK || call->run_count != 1 + world.now->failures) {
        fil_explorer_fail("a call ended with %d", call->code);
    }
}

/** The deadline and the end race. */
static void check_either(const struct call *call)
{
    must_have(call, 1, 1);
    if (call->code != FIL_OK && call->code != FIL_E_TIMEOUT) {
        fil_explorer_fail("a call ended with %d", call->code);
    }
}

/** Nobody but the service could end it. */
static void check_timeout(const struct call *call)
{
    must_have(call, 1, 1);
    if (call->code != FIL_E_TIMEOUT) {
        fil_explorer_fail("a parked call ended with %d", call->code);
    }
}

static void check_cancelled(const struct call *call)
{
    if (call->result_count > (world.now->parks ? 0U : 1U)) {
        fil_explorer_fail("a cancelled call has %u results", call->result_count);
    }
}

static void check(void *context)
{
    const struct invocation_case *now = context;
    now->check(&world.calls[0]);
    for (uint32_t i = 1; i < now->call_count; i++) {
        check_either(&world.calls[i]);
    }
    if (world.parked != NULL || has_kernel_work(NULL) != world.is_kernel_over) {
        fil_explorer_fail("an operation is left");
    }
    fil_invocation_service_fini(&world.service); // asserts that nothing is in flight or watched
    if (fil_explorer_block_count() != 0) {
        fil_explorer_fail("memory is left");
    }
}

static const struct invocation_case cases[] = {
    {.name = "plain", .call_count = 1, .check = check_success},
    {.name = "deadline",
     .call_count = 1,
     .deadline_ns = DEADLINE_NS,
     .has_jump = true,
     .check = check_either},
    {.name = "deadline_of_parked",
     .call_count = 1,
     .deadline_ns = DEADLINE_NS,
     .parks = true,
     .has_jump = true,
     .check = check_timeout},
    {.name = "cancel", .call_count = 1, .is_cancelled = true, .check = check_cancelled},
    {.name = "cancel_of_parked",
     .call_count = 1,
     .parks = true,
     .is_cancelled = true,
     .check = check_cancelled},
    {.name = "pause", .call_count = 1, .failures = 1, .check = check_success},
    {.name = "pause_against_cancel",
     .call_count = 1,
     .failures = 1,
     .is_cancelled = true,
     .check = check_cancelled},
    {.name = "given_back_to_back", .call_count = 2, .check = check_success},
    {.name = "given_under_way",
     .call_count = 2,
     .deadline_ns = DEADLINE_NS,
     .parks = true,
     .check = check_timeout},
};

const char fil_suite_name[] = "invocation";

uint32_t fil_suite_case_count(void)
{
    return FIL_COUNT_OF(cases);
}

const char *fil_suite_case_name(uint32_t index)
{
    return cases[index].name;
}

struct fil_explorer_result fil_suite_case_run(uint32_t index)
{
    struct invocation_case now = cases[index];
    struct fil_explorer_case explored = {
        .name = now.name,
        .set_up = set_up,
        .check = check,
        .context = &now,
        .interruptions_max = now.interruptions_max,
    };
    return fil_explorer_run(&explored);
}
