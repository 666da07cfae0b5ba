// SPDX-License-Identifier: Apache-2.0
/**
 * Invocations, step by step: every order of a submitter, a service, a partition thread and somebody
 * who interferes, up to a number of interruptions. Promises, in every order: the future gets one
 * result; the operation ends once; its place becomes free and its block comes home; nobody is left
 * asleep who should have been woken.
 *
 * The kernel is a stand-in here, one thread with a mailbox, so that the steps that count are those
 * of the invocation; the kernel has an exploration of its own.
 */
#include <string.h>

#include "core/exec/invocation.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "tests/unit/core/exec/orders.h"
#include "tests/unit/harness.h"

#define START_NS  UINT64_C(1000000000)
#define LATER_NS  (START_NS + UINT64_C(10000000000))
#define NO_RESULT 1 // no code is positive

struct fil_exec {
    struct fil_exec_options options;
};

struct call {
    bool parks;        // until it is cancelled
    uint32_t failures; // "not ready" first
    uint32_t run_count;
    int error; // of submit
    int code;  // of the future
    uint32_t result_count;
    bool is_cancelled;
};

static struct world {
    struct fil_env env;
    struct fil_exec exec;
    struct fil_budget budget;
    struct fil_invocation_service service;
    struct fil_runner kernel_runner;
    struct fil_stack mail;
    struct fil_op *parked;
    bool is_cancel_noted;
    bool is_late; // the clock shows LATER_NS
    bool has_submitter_left;
    bool is_kernel_over;
    struct fil_runner runner;
    struct fil_invoker invoker;
    struct call call;
    struct fil_future future; // for those who interfere
    bool has_future;
} world;

static uint64_t now_ns(struct fil_env *env)
{
    (void)env;
    return world.is_late || orders_has_time_passed() ? LATER_NS : START_NS;
}

static const struct fil_env_ops env_ops = {.now_ns = now_ns};

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
    runner->now_ns = START_NS;
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
    orders_step();
    atomic_store_explicit(&op->is_cancelled, true, memory_order_release);
    orders_step();
    world.is_cancel_noted = true;
}

static void kernel_end(struct fil_op *op, int error)
{
    op->error = error;
    op->type->complete(op, &world.kernel_runner);
}

static void kernel_run(struct fil_op *op)
{
    world.kernel_runner.now_ns = now_ns(&world.env);
    orders_step();
    if (atomic_load_explicit(&op->is_cancelled, memory_order_acquire)) {
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

static bool has_kernel_work(void)
{
    return atomic_load(&world.mail.top) != NULL || world.is_cancel_noted || world.is_kernel_over;
}

static void end_parked(void)
{
    world.is_cancel_noted = false;
    struct fil_op *op = world.parked;
    if (op != NULL && atomic_load_explicit(&op->is_cancelled, memory_order_acquire)) {
        world.parked = NULL;
        kernel_end(op, FIL_E_CANCELLED);
    }
}

static void run_kernel(void *context)
{
    (void)context;
    fil_role_enter(&fil_role_partition);
    do {
        orders_wait_until(has_kernel_work);
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
    orders_step();
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

static void listen(struct fil_future *future, struct call *call)
{
    int error =
        fil_future_continue(future, &(struct fil_continuation){.when = FIL_WHEN_EITHER,
                                                               .target = fil_target_inline(),
                                                               .fn = count_result,
                                                               .context = call});
    fil_assert(error == FIL_OK);
}

static bool is_home(void)
{
    return fil_invoker_is_idle(&world.invoker);
}

static void submit_call(uint64_t deadline_ns)
{
    struct call *call = &world.call;
    fil_runner_init(&world.runner, &world.exec, "submitter");
    fil_invoker_init(&world.invoker, &world.service, &world.runner);
    struct fil_invocation_request request = {
        .type = &call_type, .argument = call, .deadline_ns = deadline_ns};
    call->error = fil_invocation_submit(&world.invoker, &request, &world.future);
    fil_assert(call->error == FIL_OK);
    listen(&world.future, call);
    world.has_future = true;
    orders_wait_until(is_home);
    fil_invoker_fini(&world.invoker);
    world.has_submitter_left = true;
}

static void submit_with_deadline(void *context)
{
    (void)context;
    submit_call(START_NS + 5000000);
}

static void submit_endless(void *context)
{
    (void)context;
    submit_call(FIL_OP_NO_DEADLINE);
}

// Those who interfere.

static void let_the_deadline_come(void *context)
{
    (void)context;
    world.is_late = true;
    orders_step();
    (void)fil_parker_wake(&world.service.parker); // a sleep that ends by its time
}

static bool has_future(void)
{
    return world.has_future;
}

static void cancel(void *context)
{
    (void)context;
    orders_wait_until(has_future);
    world.call.is_cancelled = true;
    fil_future_cancel(world.future);
}

static void forget(void *context)
{
    (void)context;
    orders_wait_until(has_future);
    fil_future_forget(world.future);
}

static bool has_submitter_left(void)
{
    return world.has_submitter_left;
}

/** When all is done, so that a lost wake-up is not made good by the stop. */
static void stop_late(void *context)
{
    (void)context;
    orders_wait_until(has_submitter_left);
    fil_invocation_service_stop(&world.service);
    world.is_kernel_over = true;
}

static void start(void)
{
    memset(&world, 0, sizeof(world));
    world.env.ops = &env_ops;
    world.exec.options = (struct fil_exec_options){.env = &world.env, .partition_count = 1};
    fil_budget_init(&world.budget, UINT64_MAX);
    fil_stack_init(&world.mail);
    fil_runner_init(&world.kernel_runner, &world.exec, "kernel");
    world.call.code = NO_RESULT;
    struct fil_invocation_options options = {
        .exec = &world.exec, .memory = &world.budget, .in_flight_max = 1};
    int error = fil_invocation_service_init(&world.service, &options);
    fil_assert(error == FIL_OK);
    error = fil_invocation_service_start(&world.service);
    fil_assert(error == FIL_OK);
    orders_add(run_kernel, NULL);
    orders_add(stop_late, NULL);
}

/** Nothing is left; what the calls got is the case's business. */
static bool is_clean(void)
{
    bool is_clean = fil_invocation_service_in_flight(&world.service) == 0 &&
                    world.service.watched_count == 0 && world.parked == NULL &&
                    atomic_load(&world.mail.top) == NULL;
    fil_invocation_service_fini(&world.service);
    return is_clean;
}

static bool has_one_result(const struct call *call)
{
    return call->error == FIL_OK && call->result_count == (call->is_cancelled ? 0 : 1);
}

static void check(const struct orders_case *explored)
{
    struct orders_outcome outcome = orders_play(explored);
    print_message("%u orders\n", outcome.order_count);
    assert_false(outcome.is_stuck);
    assert_false(outcome.is_wrong);
    assert_true(outcome.order_count > 500);
}

// Cases.

static void set_up_plain(void)
{
    start();
    orders_add(submit_endless, NULL);
    orders_add(forget, NULL);
}

static bool tear_down_plain(void)
{
    const struct call *call = &world.call;
    return is_clean() && has_one_result(call) && call->code == FIL_OK && call->run_count == 1;
}

static void test_submit_against_service_and_kernel(void **state)
{
    (void)state;
    check(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up_plain, .tear_down = tear_down_plain});
}

static void set_up_deadline(void)
{
    start();
    orders_add(submit_with_deadline, NULL);
    orders_add(let_the_deadline_come, NULL);
    orders_add(forget, NULL);
}

static bool tear_down_deadline(void)
{
    const struct call *call = &world.call;
    bool is_known = call->code == FIL_OK || call->code == FIL_E_TIMEOUT;
    return is_clean() && has_one_result(call) && is_known;
}

static void test_deadline_against_completion(void **state)
{
    (void)state;
    check(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up_deadline, .tear_down = tear_down_deadline});
}

static void set_up_parked(void)
{
    set_up_deadline();
    world.call.parks = true; // nobody but the service can end it
}

static bool tear_down_parked(void)
{
    return is_clean() && has_one_result(&world.call) && world.call.code == FIL_E_TIMEOUT;
}

static void test_deadline_of_one_that_is_parked(void **state)
{
    (void)state;
    check(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up_parked, .tear_down = tear_down_parked});
}

static void set_up_cancel(void)
{
    start();
    orders_add(submit_endless, NULL);
    orders_add(cancel, NULL);
}

static bool tear_down_cancel(void)
{
    return is_clean() && world.call.result_count <= 1;
}

static void test_cancel_against_completion(void **state)
{
    (void)state;
    check(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up_cancel, .tear_down = tear_down_cancel});
}

static void set_up_cancel_parked(void)
{
    set_up_cancel();
    world.call.parks = true;
}

static bool tear_down_cancel_parked(void)
{
    return is_clean() && world.call.result_count == 0;
}

static void test_cancel_of_one_that_parks(void **state)
{
    (void)state;
    check(&(struct orders_case){.interruptions_max = 2,
                                .set_up = set_up_cancel_parked,
                                .tear_down = tear_down_cancel_parked});
}

static void set_up_pause(void)
{
    start();
    world.call.failures = 1;
    orders_add(submit_endless, NULL);
    orders_add(forget, NULL);
}

static bool tear_down_pause(void)
{
    const struct call *call = &world.call;
    return is_clean() && has_one_result(call) && call->code == FIL_OK && call->run_count == 2;
}

static void test_pause_against_adoption(void **state)
{
    (void)state;
    check(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up_pause, .tear_down = tear_down_pause});
}

static void set_up_pause_cancelled(void)
{
    start();
    world.call.failures = 1;
    orders_add(submit_endless, NULL);
    orders_add(cancel, NULL);
}

static void test_pause_against_cancel(void **state)
{
    (void)state;
    check(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up_pause_cancelled, .tear_down = tear_down_cancel});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_submit_against_service_and_kernel),
        cmocka_unit_test(test_deadline_against_completion),
        cmocka_unit_test(test_deadline_of_one_that_is_parked),
        cmocka_unit_test(test_cancel_against_completion),
        cmocka_unit_test(test_cancel_of_one_that_parks),
        cmocka_unit_test(test_pause_against_adoption),
        cmocka_unit_test(test_pause_against_cancel),
    };
    return cmocka_run_group_tests_name("invocation_interleave", tests, NULL, NULL);
}
