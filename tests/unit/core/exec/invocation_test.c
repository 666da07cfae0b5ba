// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of invocations, under a simulated clock: a result or exactly one error, by the
 * deadline whatever the partition does, unless that is put off; attempts that follow each other at
 * once and then with doubling pauses, a bounded number of them, for "wrong target" and "not ready"
 * only; a cancelled future ends its operation wherever it is; those in flight are counted exactly,
 * to the end of their operations, and bounded; nothing is lost without memory, and none is
 * allocated in steady state.
 *
 * With real threads: invocation_stress_test.c.
 */
#include "core/exec/invocation.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "tests/support/sim_env.h"
#include "tests/unit/harness.h"

#define MS              UINT64_C(1000000)
#define TICK_NS         (UINT64_C(1) << FIL_WHEEL_TICK_SHIFT)
#define PARTITION_COUNT 4U
#define STAGE_COUNT     2U
#define KEY             UINT64_C(99)
#define ATTEMPTS_KEPT   300U

static struct fil_sim sim;
static struct fil_budget budget;
static struct fil_exec *exec;
static struct fil_invocation_service service;
static struct fil_runner runner;
static struct fil_invoker invoker;
static bool has_partitions; // else the partition threads are stuck

static int build(const struct fil_invocation_options *chosen, bool has_caller_runs)
{
    has_partitions = true;
    fil_role_enter(&fil_role_partition);
    fil_budget_init(&budget, UINT64_C(1) << 30);
    struct fil_exec_options options = {
        .env = &sim.env,
        .budget = &budget,
        .partition_count = PARTITION_COUNT,
        .thread_count = STAGE_COUNT,
        .has_caller_runs = has_caller_runs,
        .has_batching = true,
        .has_wake_suppression = true,
    };
    if (fil_sim_init(&sim, 1, NULL) != FIL_OK || fil_exec_new(&exec, &options) != FIL_OK) {
        return 1;
    }
    struct fil_invocation_options wanted = *chosen;
    wanted.exec = exec;
    wanted.memory = &budget;
    if (fil_invocation_service_init(&service, &wanted) != FIL_OK) {
        return 1;
    }
    fil_runner_init(&runner, exec, "test");
    fil_invoker_init(&invoker, &service, &runner);
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    return build(&(struct fil_invocation_options){.in_flight_max = 8}, false);
}

static int set_up_caller_runs(void **state)
{
    (void)state;
    return build(&(struct fil_invocation_options){.in_flight_max = 8}, true);
}

static uint32_t turn(void)
{
    fil_role_assert_partition();
    uint32_t moved = fil_alarm_cycle(fil_exec_alarm(exec));
    for (uint32_t i = 0; has_partitions && i < STAGE_COUNT; i++) {
        moved += fil_partition_stage_cycle(fil_exec_stage(exec, i));
    }
    return moved + fil_invocation_service_cycle(&service);
}

static void pump(void)
{
    while (turn() > 0) {
    }
}

static void pass(uint64_t duration_ns)
{
    uint64_t end_ns = sim.now_ns + duration_ns;
    while (sim.now_ns < end_ns) {
        uint64_t step_ns = end_ns - sim.now_ns < MS / 4 ? end_ns - sim.now_ns : MS / 4;
        fil_sim_advance(&sim, step_ns);
        pump();
    }
}

static int tear_down(void **state)
{
    (void)state;
    has_partitions = true;
    pass(2 * TICK_NS); // what ended is swept, here by the first cycle
    assert_int_equal(fil_invocation_service_in_flight(&service), 0);
    assert_true(fil_invoker_is_idle(&invoker));
    fil_invoker_fini(&invoker);
    fil_invocation_service_fini(&service);
    fil_exec_free(exec);
    fil_sim_fini(&sim);
    fil_role_leave_all();
    return 0;
}

// Operations.

struct script {
    uint64_t number; // the answer
    int error;       // of the first attempts
    uint32_t failures;
    bool is_parking;                       // waits once for KEY
    void (*during)(struct script *script); // called by each run
    struct fil_future future;              // for that
    uint32_t run_count;
    uint32_t destroy_count;
    uint64_t run_ns[ATTEMPTS_KEPT];
};

static enum fil_op_outcome run_script(struct fil_op *op, struct fil_partition *partition)
{
    struct script *script = fil_invocation_of(op)->argument;
    if (script->run_count < ATTEMPTS_KEPT) {
        script->run_ns[script->run_count] = sim.now_ns;
    }
    script->run_count++;
    if (script->during != NULL) {
        script->during(script);
    }
    if (script->is_parking) {
        script->is_parking = false;
        op->error = fil_partition_park(partition, op, KEY);
        return op->error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
    }
    fil_invocation_reply(op, fil_result_number(script->number));
    if (script->failures > 0) {
        script->failures--;
        op->error = script->error;
    }
    return FIL_OP_DONE;
}

static const struct fil_op_type script_type = {
    .name = "test.script", .run = run_script, .complete = fil_invocation_complete};

static void count_destroyed(void *value)
{
    struct script *script = value;
    script->destroy_count++;
}

static enum fil_op_outcome run_owning(struct fil_op *op, struct fil_partition *partition)
{
    (void)partition;
    struct script *script = fil_invocation_of(op)->argument;
    script->run_count++;
    fil_invocation_reply(op, fil_result_pointer(script, count_destroyed));
    if (script->failures > 0) {
        script->failures--;
        op->error = script->error;
    }
    return FIL_OP_DONE;
}

static const struct fil_op_type owning_type = {
    .name = "test.owning", .run = run_owning, .complete = fil_invocation_complete};

static enum fil_op_outcome run_notify(struct fil_op *op, struct fil_partition *partition)
{
    fil_invocation_reply(op, fil_result_number(fil_partition_notify(partition, KEY, 100)));
    return FIL_OP_DONE;
}

static const struct fil_op_type notify_type = {
    .name = "test.notify", .run = run_notify, .complete = fil_invocation_complete};

static int submit_until(const struct fil_op_type *type, struct script *script, uint64_t deadline_ns,
                        struct fil_future *out_future)
{
    return fil_invocation_submit(
        &invoker,
        &(struct fil_invocation_request){
            .type = type, .partition_id = 1, .argument = script, .deadline_ns = deadline_ns},
        out_future);
}

static struct fil_future submit(const struct fil_op_type *type, struct script *script)
{
    struct fil_future future;
    assert_int_equal(submit_until(type, script, 0, &future), FIL_OK);
    return future;
}

static struct fil_future submit_for(struct script *script, uint64_t timeout_ns)
{
    struct fil_future future;
    assert_int_equal(submit_until(&script_type, script, sim.now_ns + timeout_ns, &future), FIL_OK);
    return future;
}

/** The result, which is there. */
static struct fil_result take(struct fil_future future)
{
    struct fil_result result = {.code = FIL_E_BROKEN};
    assert_int_equal(fil_future_take(future, &result), FIL_OK);
    return result;
}

static uint32_t in_flight(void)
{
    return fil_invocation_service_in_flight(&service);
}

// Results.

static void test_a_free_partition_answers_before_submit_returns(void **state)
{
    (void)state;
    struct script script = {.number = 42};
    struct fil_future future = submit(&script_type, &script);
    assert_true(fil_future_is_ready(future));
    assert_int_equal(in_flight(), 0);
    assert_true(fil_invoker_is_idle(&invoker)); // the service has not even heard of it
    struct fil_result result = take(future);
    assert_int_equal(result.code, FIL_OK);
    assert_int_equal(result.number, 42);
    assert_int_equal(fil_counter_read(&invoker.submits), 1);
}

static void test_a_handed_over_operation_answers_later(void **state)
{
    (void)state;
    struct script script = {.number = 42};
    struct fil_future future = submit(&script_type, &script);
    assert_false(fil_future_is_ready(future));
    assert_int_equal(in_flight(), 1);
    pump();
    assert_int_equal(take(future).number, 42);
    assert_int_equal(in_flight(), 0);
    assert_true(fil_invoker_is_idle(&invoker));
}

static void test_it_makes_no_difference_who_comes_first(void **state)
{
    (void)state;
    fil_role_assert_partition();
    struct script script = {.number = 7};
    // The operation ends before the service has seen it.
    struct fil_future future = submit(&script_type, &script);
    (void)fil_partition_stage_cycle(fil_exec_stage(exec, 1));
    assert_int_equal(take(future).number, 7);
    assert_false(fil_invoker_is_idle(&invoker));
    (void)fil_invocation_service_cycle(&service);
    assert_true(fil_invoker_is_idle(&invoker));
    // And after.
    future = submit(&script_type, &script);
    (void)fil_invocation_service_cycle(&service);
    assert_int_equal(service.watched_count, 1);
    (void)fil_partition_stage_cycle(fil_exec_stage(exec, 1));
    assert_int_equal(take(future).number, 7);
    (void)fil_invocation_service_cycle(&service);
    assert_true(fil_invoker_is_idle(&invoker));
    assert_int_equal(service.watched_count, 0);
}

static enum fil_op_outcome run_call_id(struct fil_op *op, struct fil_partition *partition)
{
    (void)partition;
    fil_invocation_reply(op, fil_result_number(op->call_id));
    return FIL_OP_DONE;
}

static const struct fil_op_type call_id_type = {
    .name = "test.call_id", .run = run_call_id, .complete = fil_invocation_complete};

static void test_call_ids_differ_also_between_invokers(void **state)
{
    (void)state;
    struct fil_invoker other;
    fil_invoker_init(&other, &service, &runner);
    static bool is_used[4096];
    memset(is_used, 0, sizeof(is_used));
    for (uint32_t i = 0; i < 1000; i++) {
        struct fil_future future;
        struct fil_invocation_request request = {.type = &call_id_type};
        assert_int_equal(fil_invocation_submit(i % 3 == 0 ? &other : &invoker, &request, &future),
                         FIL_OK);
        uint64_t id = take(future).number;
        assert_in_range(id, 1, 4095);
        assert_false(is_used[id]);
        is_used[id] = true;
    }
    fil_invoker_fini(&other);
}

static void test_an_error_is_told_and_its_value_destroyed(void **state)
{
    (void)state;
    struct script script = {.error = FIL_E_DENIED, .failures = 1};
    struct fil_future future = submit(&owning_type, &script);
    pump();
    assert_int_equal(take(future).code, FIL_E_DENIED);
    assert_int_equal(script.destroy_count, 1);
    assert_int_equal(script.run_count, 1); // not tried again
    struct script another = {.number = 0};
    future = submit(&owning_type, &another);
    pump();
    fil_result_destroy(take(future));
    assert_int_equal(another.destroy_count, 1);
}

static void count_result(void *context, struct fil_result *result)
{
    uint32_t *counts = context;
    counts[result->code == FIL_OK ? 0 : 1]++;
}

static void test_listeners_hear_of_it_once(void **state)
{
    (void)state;
    uint32_t counts[2] = {0, 0};
    struct script script = {.number = 1};
    struct fil_future future = submit(&script_type, &script);
    struct fil_continuation listener = {.when = FIL_WHEN_EITHER,
                                        .target = fil_target_inline(),
                                        .fn = count_result,
                                        .context = counts};
    assert_int_equal(fil_future_continue(&future, &listener), FIL_OK);
    fil_future_forget(future);
    pump();
    struct script late = {.is_parking = true};
    future = submit_for(&late, 5 * MS);
    assert_int_equal(fil_future_continue(&future, &listener), FIL_OK);
    fil_future_forget(future);
    pass(10 * MS);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 1);
}

// Deadlines.

static void test_the_deadline_comes_also_behind_a_stuck_partition(void **state)
{
    (void)state;
    has_partitions = false;
    struct script script = {.number = 1};
    struct fil_future future = submit_for(&script, 20 * MS);
    pass(19 * MS);
    assert_false(fil_future_is_ready(future));
    pass(MS + 2 * TICK_NS);
    assert_int_equal(take(future).code, FIL_E_TIMEOUT);
    assert_int_equal(fil_counter_read(&service.stats.timeouts), 1);
    // Its place is taken until the operation has really ended, which it does without being run.
    assert_int_equal(in_flight(), 1);
    assert_false(fil_invoker_is_idle(&invoker));
    has_partitions = true;
    pump();
    assert_int_equal(in_flight(), 0);
    assert_true(fil_invoker_is_idle(&invoker));
    assert_int_equal(script.run_count, 0);
    assert_int_equal(fil_counter_read(&service.stats.timeouts), 1);
}

static void test_a_parked_operation_ends_at_its_deadline(void **state)
{
    (void)state;
    struct script script = {.is_parking = true};
    struct fil_future future = submit_for(&script, 20 * MS);
    pass(19 * MS);
    assert_false(fil_future_is_ready(future));
    pass(MS + 2 * TICK_NS);
    assert_int_equal(take(future).code, FIL_E_TIMEOUT);
    assert_int_equal(in_flight(), 0);
    assert_int_equal(fil_counter_read(&service.stats.timeouts), 1);
}

static void test_a_deadline_that_has_passed_runs_nothing(void **state)
{
    (void)state;
    struct script script = {.number = 1};
    struct fil_future future;
    assert_int_equal(submit_until(&script_type, &script, sim.now_ns, &future), FIL_OK);
    assert_int_equal(take(future).code, FIL_E_TIMEOUT);
    assert_int_equal(script.run_count, 0);
    assert_int_equal(in_flight(), 0);
}

static void test_without_a_deadline_the_services_timeout_counts(void **state)
{
    (void)state;
    struct script script = {.is_parking = true};
    struct fil_future future = submit(&script_type, &script);
    pump();
    fil_sim_advance(&sim, FIL_INVOCATION_TIMEOUT_NS - 10 * MS);
    pump();
    assert_false(fil_future_is_ready(future));
    pass(10 * MS + 2 * TICK_NS);
    assert_int_equal(take(future).code, FIL_E_TIMEOUT);
}

static void test_no_deadline_is_no_deadline(void **state)
{
    (void)state;
    struct script script = {.is_parking = true, .number = 5};
    struct fil_future future;
    assert_int_equal(submit_until(&script_type, &script, FIL_OP_NO_DEADLINE, &future), FIL_OK);
    pump();
    assert_true(fil_invocation_service_next_ns(&service) == FIL_WHEEL_NEVER);
    fil_sim_advance(&sim, 1000 * FIL_INVOCATION_TIMEOUT_NS);
    pump();
    assert_false(fil_future_is_ready(future));
    struct fil_future notified = submit(&notify_type, NULL);
    pump();
    assert_int_equal(take(notified).number, 1);
    assert_int_equal(take(future).number, 5);
}

/** A deadline that may be put off, and an argument that must be there to be asked. */
struct patient {
    struct script script; // first: what run gets
    uint64_t until_ns;    // the answer
    uint32_t ask_count;
    uint32_t release_count;
};

static uint64_t prolong_patient(void *argument)
{
    struct patient *patient = argument;
    assert_int_equal(patient->release_count, 0);
    patient->ask_count++;
    return patient->until_ns;
}

static void release_patient(void *argument)
{
    ((struct patient *)argument)->release_count++;
}

static struct fil_future submit_patient(struct patient *patient, uint64_t timeout_ns)
{
    struct fil_future future;
    assert_int_equal(fil_invocation_submit(
                         &invoker,
                         &(struct fil_invocation_request){.type = &script_type,
                                                          .partition_id = 1,
                                                          .argument = patient,
                                                          .release = release_patient,
                                                          .prolong = prolong_patient,
                                                          .deadline_ns = sim.now_ns + timeout_ns},
                         &future),
                     FIL_OK);
    return future;
}

static void test_a_deadline_can_be_put_off_when_it_comes(void **state)
{
    (void)state;
    struct patient patient = {.script.is_parking = true, .until_ns = sim.now_ns + 60 * MS};
    struct fil_future future = submit_patient(&patient, 20 * MS);
    pass(10 * MS);
    patient.script.is_parking = true; // it has to, when it runs again
    pass(20 * MS);
    assert_false(fil_future_is_ready(future));
    assert_true(patient.ask_count > 0);
    assert_int_equal(patient.script.run_count, 2);
    pass(30 * MS + 2 * TICK_NS);
    assert_int_equal(take(future).code, FIL_E_TIMEOUT);
    assert_int_equal(fil_counter_read(&service.stats.timeouts), 1);
    pass(FIL_INVOCATION_SWEEP_NS);
    assert_int_equal(patient.release_count, 1);
}

static void test_a_deadline_is_put_off_also_behind_a_stuck_partition(void **state)
{
    (void)state;
    struct patient patient = {.script.number = 7, .until_ns = FIL_OP_NO_DEADLINE};
    has_partitions = false;
    struct fil_future future = submit_patient(&patient, 20 * MS);
    pass(30 * MS);
    assert_false(fil_future_is_ready(future));
    assert_int_equal(patient.ask_count, 1); // by the service
    has_partitions = true;
    pump();
    assert_int_equal(patient.ask_count, 2); // by who found the operation late
    assert_int_equal(take(future).number, 7);
    pass(FIL_INVOCATION_SWEEP_NS);
    assert_int_equal(patient.release_count, 1);
}

// Retries.

static void test_retries_follow_at_once_and_then_with_doubling_pauses(void **state)
{
    (void)state;
    struct script script = {.error = FIL_E_WRONG_TARGET, .failures = 20, .number = 3};
    struct fil_future future = submit(&script_type, &script);
    pass(8000 * MS);
    assert_int_equal(take(future).number, 3);
    assert_int_equal(script.run_count, 21);
    for (uint32_t i = 1; i < FIL_INVOCATION_ATTEMPTS_AT_ONCE; i++) {
        assert_int_equal(script.run_ns[i], script.run_ns[0]);
    }
    uint64_t pause_ns = MS;
    for (uint32_t i = FIL_INVOCATION_ATTEMPTS_AT_ONCE; i < script.run_count; i++) {
        uint64_t passed_ns = script.run_ns[i] - script.run_ns[i - 1];
        assert_in_range(passed_ns, pause_ns, pause_ns + 2 * TICK_NS);
        pause_ns = pause_ns * 2 < 500 * MS ? pause_ns * 2 : 500 * MS;
    }
    assert_int_equal(pause_ns, 500 * MS);
    assert_int_equal(fil_counter_read(&service.stats.retries), 20);
    assert_int_equal(fil_counter_read(&service.stats.pauses), 16);
    assert_int_equal(in_flight(), 0);
}

static void test_not_ready_is_tried_again_too(void **state)
{
    (void)state;
    struct script script = {.error = FIL_E_NOT_READY, .failures = 2, .number = 3};
    struct fil_future future = submit(&script_type, &script);
    pump();
    assert_int_equal(take(future).number, 3);
    assert_int_equal(script.run_count, 3);
}

static void test_the_value_of_a_failed_attempt_is_destroyed(void **state)
{
    (void)state;
    struct script script = {.error = FIL_E_NOT_READY, .failures = 7};
    struct fil_future future = submit(&owning_type, &script);
    pass(20 * MS);
    struct fil_result result = take(future);
    assert_int_equal(script.destroy_count, 7);
    fil_result_destroy(result);
    assert_int_equal(script.destroy_count, 8);
}

static void test_a_retry_in_place_goes_through_the_mailbox(void **state)
{
    (void)state;
    struct script script = {.error = FIL_E_NOT_READY, .failures = 6, .number = 3};
    struct fil_future future = submit(&script_type, &script);
    assert_int_equal(script.run_count, 1);
    pass(20 * MS);
    assert_int_equal(take(future).number, 3);
    assert_int_equal(script.run_count, 7);
}

static void test_attempts_are_bounded(void **state)
{
    (void)state;
    struct script script = {.error = FIL_E_WRONG_TARGET, .failures = UINT32_MAX};
    struct fil_future future;
    assert_int_equal(submit_until(&script_type, &script, FIL_OP_NO_DEADLINE, &future), FIL_OK);
    pass(3000 * MS);
    assert_false(fil_future_is_ready(future));
    fil_sim_advance(&sim, MS); // the rest in large steps
    while (!fil_future_is_ready(future)) {
        fil_sim_advance(&sim, 501 * MS);
        pump();
    }
    assert_int_equal(take(future).code, FIL_E_WRONG_TARGET);
    assert_int_equal(script.run_count, FIL_INVOCATION_ATTEMPTS_MAX);
}

static void test_a_deadline_ends_a_pause(void **state)
{
    (void)state;
    struct script script = {.error = FIL_E_WRONG_TARGET, .failures = UINT32_MAX};
    struct fil_future future = submit_for(&script, 300 * MS);
    pass(299 * MS);
    assert_false(fil_future_is_ready(future));
    pass(MS + 2 * TICK_NS);
    assert_int_equal(take(future).code, FIL_E_TIMEOUT);
    assert_int_equal(in_flight(), 0); // the operation was not in the kernel
    assert_true(fil_invoker_is_idle(&invoker));
    assert_int_equal(fil_counter_read(&service.stats.timeouts), 1);
    uint32_t run_count = script.run_count;
    pass(1000 * MS);
    assert_int_equal(script.run_count, run_count);
}

static void test_after_a_pause_the_deadline_still_counts(void **state)
{
    (void)state;
    struct script script = {.error = FIL_E_NOT_READY, .failures = UINT32_MAX};
    struct fil_future future = submit_for(&script, 50 * MS);
    pass(20 * MS);
    assert_true(script.run_count > FIL_INVOCATION_ATTEMPTS_AT_ONCE);
    has_partitions = false; // it comes back to a partition that is stuck
    pass(30 * MS + 2 * TICK_NS);
    assert_int_equal(take(future).code, FIL_E_TIMEOUT);
    assert_int_equal(in_flight(), 1);
}

static void let_the_deadline_pass(struct script *script)
{
    if (script->run_count == FIL_INVOCATION_ATTEMPTS_AT_ONCE) {
        fil_sim_advance(&sim, 100 * MS);
        (void)fil_invocation_service_cycle(&service);
    }
}

static void test_a_deadline_that_passes_during_a_run_ends_the_retries(void **state)
{
    (void)state;
    struct script script = {
        .error = FIL_E_NOT_READY, .failures = UINT32_MAX, .during = let_the_deadline_pass};
    struct fil_future future = submit_for(&script, 50 * MS);
    (void)fil_invocation_service_cycle(&service); // watches it
    pump();
    assert_int_equal(take(future).code, FIL_E_TIMEOUT);
    assert_int_equal(script.run_count, FIL_INVOCATION_ATTEMPTS_AT_ONCE);
    assert_int_equal(in_flight(), 0);
}

// Cancelling.

static void test_a_cancelled_operation_in_a_mailbox_is_not_run(void **state)
{
    (void)state;
    struct script script = {.number = 1};
    struct fil_future future = submit(&script_type, &script);
    fil_future_cancel(future);
    assert_int_equal(in_flight(), 1);
    (void)fil_invocation_service_cycle(&service); // hears of it
    pump();
    assert_int_equal(script.run_count, 0);
    assert_int_equal(in_flight(), 0);
    assert_int_equal(fil_counter_read(&service.stats.cancels), 1);
    assert_true(fil_invoker_is_idle(&invoker));
}

static void test_a_cancelled_operation_that_is_parked_ends(void **state)
{
    (void)state;
    struct script script = {.is_parking = true};
    struct fil_future future;
    assert_int_equal(submit_until(&script_type, &script, FIL_OP_NO_DEADLINE, &future), FIL_OK);
    pump();
    assert_int_equal(script.run_count, 1);
    fil_future_cancel(future);
    pump();
    assert_int_equal(in_flight(), 0);
    assert_int_equal(script.run_count, 1);
}

static void test_a_cancelled_operation_that_pauses_ends_at_once(void **state)
{
    (void)state;
    struct script script = {.error = FIL_E_NOT_READY, .failures = UINT32_MAX};
    struct fil_future future = submit(&script_type, &script);
    pass(100 * MS);
    uint32_t run_count = script.run_count;
    fil_future_cancel(future);
    (void)fil_invocation_service_cycle(&service);
    assert_int_equal(in_flight(), 0);
    pass(1000 * MS);
    assert_int_equal(script.run_count, run_count);
}

static void cancel_during_the_run(struct script *script)
{
    if (script->run_count == FIL_INVOCATION_ATTEMPTS_AT_ONCE) {
        fil_future_cancel(script->future);
        (void)fil_invocation_service_cycle(&service); // hears of it before the run has ended
    }
}

static void test_a_cancel_that_overtakes_a_pause_ends_it(void **state)
{
    (void)state;
    struct script script = {
        .error = FIL_E_NOT_READY, .failures = UINT32_MAX, .during = cancel_during_the_run};
    script.future = submit(&script_type, &script);
    pump();
    assert_int_equal(in_flight(), 0);
    assert_int_equal(script.run_count, FIL_INVOCATION_ATTEMPTS_AT_ONCE);
    assert_int_equal(fil_counter_read(&service.stats.cancels), 1);
}

static void test_a_cancel_that_comes_late_destroys_the_value(void **state)
{
    (void)state;
    struct script script = {.number = 1};
    struct fil_future future = submit(&owning_type, &script);
    pump();
    fil_future_cancel(future);
    pump();
    assert_int_equal(script.destroy_count, 1);
    // The operation ends while the cancel is on its way to the service.
    fil_role_assert_partition();
    future = submit(&owning_type, &script);
    fil_future_cancel(future);
    (void)fil_partition_stage_cycle(fil_exec_stage(exec, 1));
    assert_false(fil_invoker_is_idle(&invoker)); // the hook has it until the service has heard
    pump();
    assert_int_equal(script.run_count, 2);
    assert_int_equal(script.destroy_count, 2);
    assert_true(fil_invoker_is_idle(&invoker));
}

static void test_a_forgotten_future_ends_all_the_same(void **state)
{
    (void)state;
    struct script script = {.number = 1};
    fil_future_forget(submit(&owning_type, &script));
    pump();
    assert_int_equal(script.run_count, 1);
    assert_int_equal(script.destroy_count, 1);
}

// The budget.

static void test_beyond_the_budget_callers_are_refused_and_counted(void **state)
{
    (void)state;
    struct script script = {.number = 1};
    struct fil_future futures[8];
    for (uint32_t i = 0; i < 8; i++) {
        futures[i] = submit(&script_type, &script);
    }
    struct fil_future future;
    assert_int_equal(submit_until(&script_type, &script, 0, &future), FIL_E_FULL);
    assert_int_equal(submit_until(&script_type, &script, 0, &future), FIL_E_FULL);
    assert_int_equal(fil_counter_read(&service.stats.refused), 2);
    assert_int_equal(in_flight(), 8);
    pump();
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(take(futures[i]).number, 1);
    }
    fil_future_forget(submit(&script_type, &script));
    pump();
    assert_int_equal(script.run_count, 9);
}

static int set_up_waiting(void **state)
{
    (void)state;
    return build(&(struct fil_invocation_options){.in_flight_max = 1, .wait_ns = 3600000 * MS},
                 false);
}

static void test_threads_that_must_not_block_are_refused_at_once(void **state)
{
    (void)state;
    const struct fil_role *roles[] = {&fil_role_io, &fil_role_partition, &fil_role_event,
                                      &fil_role_acceptor};
    struct script script = {.number = 1};
    struct fil_future future = submit(&script_type, &script);
    struct fil_future refused;
    for (uint32_t i = 0; i < FIL_COUNT_OF(roles); i++) {
        fil_role_leave_all();
        fil_role_enter(roles[i]);
        assert_int_equal(submit_until(&script_type, &script, 0, &refused), FIL_E_FULL);
    }
    assert_int_equal(fil_counter_read(&service.stats.waits), 0);
    assert_int_equal(fil_counter_read(&service.stats.refused), FIL_COUNT_OF(roles));
    fil_role_enter(&fil_role_partition);
    pump();
    fil_future_forget(future);
}

struct chain {
    struct script script;
    uint32_t left;
    int error;
};

static void submit_next(void *context, struct fil_result *result)
{
    struct chain *chain = context;
    struct fil_future future;
    if (chain->left == 0) {
        return;
    }
    chain->left--;
    chain->error = submit_until(&script_type, &chain->script, 0, &future);
    *result = chain->error == FIL_OK ? fil_result_wait(future) : fil_result_fail(chain->error);
}

static void test_the_place_is_free_when_the_continuation_runs(void **state)
{
    (void)state;
    struct chain chain = {.left = 1};
    struct fil_future future = submit(&script_type, &chain.script); // the only place there is
    assert_int_equal(fil_future_then_on(&future, fil_target_inline(), submit_next, &chain), FIL_OK);
    pump();
    assert_int_equal(chain.error, FIL_OK);
    assert_int_equal(take(future).code, FIL_OK);
    assert_int_equal(chain.script.run_count, 2);
}

static void test_the_service_does_not_wait_for_itself(void **state)
{
    (void)state;
    fil_role_leave_all(); // a thread that may block
    has_partitions = false;
    struct chain chain = {.left = 1};
    struct fil_future future = submit_for(&chain.script, MS);
    struct fil_continuation listener = {.when = FIL_WHEN_FAILURE,
                                        .target = fil_target_inline(),
                                        .fn = submit_next,
                                        .context = &chain};
    assert_int_equal(fil_future_continue(&future, &listener), FIL_OK);
    for (uint32_t i = 0; i < 4; i++) { // the deadline fires; the operation still has the place
        fil_sim_advance(&sim, MS);
        (void)fil_invocation_service_cycle(&service);
    }
    assert_int_equal(chain.error, FIL_E_FULL);
    assert_int_equal(take(future).code, FIL_E_FULL);
    assert_int_equal(fil_counter_read(&service.stats.waits), 0);
    fil_role_enter(&fil_role_partition);
}

static void test_a_closed_service_takes_no_more_but_ends_what_it_has(void **state)
{
    (void)state;
    struct script script = {.number = 4};
    struct fil_future future = submit(&script_type, &script);
    fil_invocation_service_close(&service);
    struct fil_future refused;
    assert_int_equal(submit_until(&script_type, &script, 0, &refused), FIL_E_STOPPING);
    pump();
    assert_int_equal(take(future).number, 4);
}

static void test_while_stopping_everybody_hears_of_it(void **state)
{
    (void)state;
    struct script parked = {.is_parking = true};
    struct script pausing = {.error = FIL_E_NOT_READY, .failures = UINT32_MAX};
    struct script queued = {.number = 1};
    struct fil_future futures[3];
    assert_int_equal(submit_until(&script_type, &parked, FIL_OP_NO_DEADLINE, &futures[0]), FIL_OK);
    futures[1] = submit(&script_type, &pausing);
    pass(50 * MS);
    has_partitions = false;
    futures[2] = submit(&script_type, &queued);
    atomic_store(&service.is_stopping, true);
    (void)fil_invocation_service_cycle(&service);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(take(futures[i]).code, FIL_E_STOPPING);
    }
    has_partitions = true;
    pump();
    assert_int_equal(in_flight(), 0);
    assert_int_equal(queued.run_count, 0);
}

// Memory.

static void test_without_memory_nothing_has_happened(void **state)
{
    (void)state;
    struct script script = {.number = 1};
    int error = FIL_E_NOMEM;
    for (int64_t after = 0; error != FIL_OK; after++) {
        assert_true(after < 8);
        struct fil_future future;
        fil_alloc_fail_after(after);
        error = submit_until(&script_type, &script, 0, &future);
        fil_alloc_fail_after(-1);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
        assert_int_equal(in_flight(), error == FIL_OK ? 1 : 0);
        assert_int_equal(fil_invoker_is_idle(&invoker), error != FIL_OK);
        if (error == FIL_OK) {
            fil_future_forget(future);
        }
    }
    pump();
    assert_int_equal(script.run_count, 1);
}

static void submit_all_kinds(void)
{
    struct script answered = {.number = 1};
    struct script parked = {.is_parking = true};
    struct script flaky = {.error = FIL_E_NOT_READY, .failures = 6};
    struct script cancelled = {.is_parking = true};
    struct fil_future futures[3] = {submit(&script_type, &answered), submit_for(&parked, 3 * MS),
                                    submit(&script_type, &flaky)};
    fil_future_cancel(submit(&script_type, &cancelled));
    pass(8 * MS);
    assert_int_equal(take(futures[0]).code, FIL_OK);
    assert_int_equal(take(futures[1]).code, FIL_E_TIMEOUT);
    assert_int_equal(take(futures[2]).code, FIL_OK);
}

static void test_steady_state_allocates_nothing(void **state)
{
    (void)state;
    struct fil_pool cells;
    fil_pool_init(&cells, &budget, FIL_PROMISE_BLOCK_BYTES, 64);
    fil_promise_enter(&cells);
    submit_all_kinds();
    uint64_t before = fil_alloc_count();
    for (uint32_t i = 0; i < 500; i++) {
        submit_all_kinds();
    }
    assert_int_equal(fil_alloc_count(), before);
    assert_true(fil_invoker_is_idle(&invoker));
    fil_promise_leave();
    fil_pool_fini(&cells);
}

static void test_options_have_defaults_and_limits(void **state)
{
    (void)state;
    struct fil_invocation_service other;
    struct fil_invocation_options options = {.exec = exec, .memory = &budget};
    assert_int_equal(fil_invocation_service_init(&other, &options), FIL_OK);
    assert_int_equal(other.options.in_flight_max, PARTITION_COUNT * FIL_INVOCATIONS_PER_PARTITION);
    assert_int_equal(other.options.attempts_max, FIL_INVOCATION_ATTEMPTS_MAX);
    fil_invocation_service_fini(&other);
    options.wait_ns = UINT64_MAX;
    assert_int_equal(fil_invocation_service_init(&other, &options), FIL_E_INVALID);
    options = (struct fil_invocation_options){.exec = exec};
    assert_int_equal(fil_invocation_service_init(&other, &options), FIL_E_INVALID);
}

int main(void)
{
#define WITH_SERVICE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define CALLER_RUNS(test)  cmocka_unit_test_setup_teardown(test, set_up_caller_runs, tear_down)
#define WITH_WAITING(test) cmocka_unit_test_setup_teardown(test, set_up_waiting, tear_down)
    const struct CMUnitTest tests[] = {
        CALLER_RUNS(test_a_free_partition_answers_before_submit_returns),
        WITH_SERVICE(test_a_handed_over_operation_answers_later),
        WITH_SERVICE(test_it_makes_no_difference_who_comes_first),
        CALLER_RUNS(test_call_ids_differ_also_between_invokers),
        WITH_SERVICE(test_an_error_is_told_and_its_value_destroyed),
        WITH_SERVICE(test_listeners_hear_of_it_once),
        WITH_SERVICE(test_the_deadline_comes_also_behind_a_stuck_partition),
        WITH_SERVICE(test_a_parked_operation_ends_at_its_deadline),
        CALLER_RUNS(test_a_deadline_that_has_passed_runs_nothing),
        WITH_SERVICE(test_without_a_deadline_the_services_timeout_counts),
        WITH_SERVICE(test_no_deadline_is_no_deadline),
        WITH_SERVICE(test_a_deadline_can_be_put_off_when_it_comes),
        WITH_SERVICE(test_a_deadline_is_put_off_also_behind_a_stuck_partition),
        WITH_SERVICE(test_retries_follow_at_once_and_then_with_doubling_pauses),
        WITH_SERVICE(test_not_ready_is_tried_again_too),
        WITH_SERVICE(test_the_value_of_a_failed_attempt_is_destroyed),
        CALLER_RUNS(test_a_retry_in_place_goes_through_the_mailbox),
        WITH_SERVICE(test_attempts_are_bounded),
        WITH_SERVICE(test_a_deadline_ends_a_pause),
        WITH_SERVICE(test_after_a_pause_the_deadline_still_counts),
        WITH_SERVICE(test_a_deadline_that_passes_during_a_run_ends_the_retries),
        WITH_SERVICE(test_a_cancelled_operation_in_a_mailbox_is_not_run),
        WITH_SERVICE(test_a_cancelled_operation_that_is_parked_ends),
        WITH_SERVICE(test_a_cancelled_operation_that_pauses_ends_at_once),
        WITH_SERVICE(test_a_cancel_that_overtakes_a_pause_ends_it),
        WITH_SERVICE(test_a_cancel_that_comes_late_destroys_the_value),
        WITH_SERVICE(test_a_forgotten_future_ends_all_the_same),
        WITH_SERVICE(test_beyond_the_budget_callers_are_refused_and_counted),
        WITH_WAITING(test_threads_that_must_not_block_are_refused_at_once),
        WITH_WAITING(test_the_place_is_free_when_the_continuation_runs),
        WITH_WAITING(test_the_service_does_not_wait_for_itself),
        WITH_SERVICE(test_a_closed_service_takes_no_more_but_ends_what_it_has),
        WITH_SERVICE(test_while_stopping_everybody_hears_of_it),
        WITH_SERVICE(test_without_memory_nothing_has_happened),
        WITH_SERVICE(test_steady_state_allocates_nothing),
        WITH_SERVICE(test_options_have_defaults_and_limits),
    };
    return cmocka_run_group_tests_name("invocation", tests, NULL, NULL);
}
