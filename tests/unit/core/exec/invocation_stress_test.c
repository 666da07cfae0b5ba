// SPDX-License-Identifier: Apache-2.0
/**
 * Invocations with real threads: every future gets exactly one result, however deadline,
 * completion, retry and cancel race; every value is destroyed once; the budget is exact in the end
 * and never exceeded; callers that may block wait for room and get it, or hear that time is over or
 * the service closed; stop leaves nothing behind.
 */
#include "core/exec/invocation.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define MS              UINT64_C(1000000)
#define PARTITION_COUNT 7U
#define SUBMITTERS      4U
#define CALLS           2500U // of each
#define IN_FLIGHT_MAX   64U
#define KEYS            3U
#define HOUR_NS         (3600000 * MS)

struct world {
    struct fil_budget budget;
    struct fil_exec *exec;
    struct fil_invocation_service service;
};

static struct world world;

static void build(bool has_caller_runs, const struct fil_invocation_options *chosen)
{
    fil_budget_init(&world.budget, UINT64_C(1) << 30);
    struct fil_exec_options options = {
        .env = fil_env_real(),
        .budget = &world.budget,
        .partition_count = PARTITION_COUNT,
        .thread_count = 2,
        .has_caller_runs = has_caller_runs,
        .has_stealing = true,
        .has_batching = true,
        .has_wake_suppression = true,
    };
    assert_int_equal(fil_exec_new(&world.exec, &options), FIL_OK);
    struct fil_invocation_options wanted = *chosen;
    wanted.exec = world.exec;
    wanted.memory = &world.budget;
    assert_int_equal(fil_invocation_service_init(&world.service, &wanted), FIL_OK);
    assert_int_equal(fil_exec_start(world.exec), FIL_OK);
    assert_int_equal(fil_invocation_service_start(&world.service), FIL_OK);
}

static void wreck(void)
{
    fil_exec_stop(world.exec);
    fil_invocation_service_fini(&world.service);
    fil_exec_free(world.exec);
}

static void await_idle(struct fil_invoker *invoker)
{
    while (!fil_invoker_is_idle(invoker)) {
        fil_thread_yield();
    }
}

// What is submitted.

static _Atomic uint64_t made_count;
static _Atomic uint64_t destroyed_count;

struct call {
    uint32_t failures;   // "not ready" first
    uint64_t park_key;   // 0: does not park
    uint64_t notify_key; // 0: notifies nobody
    _Atomic uint32_t result_count;
    bool is_cancelled;
};

static void destroy_value(void *value)
{
    fil_free(value);
    atomic_fetch_add(&destroyed_count, 1);
}

static void reply_with_value(struct fil_op *op)
{
    void *value = fil_alloc(16);
    assert_non_null(value);
    atomic_fetch_add(&made_count, 1);
    fil_invocation_reply(op, fil_result_pointer(value, destroy_value));
}

static enum fil_op_outcome run_call(struct fil_op *op, struct fil_partition *partition)
{
    struct call *call = fil_invocation_of(op)->argument;
    if (call->notify_key != 0) {
        (void)fil_partition_notify(partition, call->notify_key, UINT32_MAX);
    }
    if (call->park_key != 0) {
        uint64_t key = call->park_key;
        call->park_key = 0;
        op->error = fil_partition_park(partition, op, key);
        return op->error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
    }
    reply_with_value(op);
    if (call->failures > 0) {
        call->failures--;
        op->error = FIL_E_NOT_READY;
    }
    return FIL_OP_DONE;
}

static const struct fil_op_type call_type = {
    .name = "test.call", .run = run_call, .complete = fil_invocation_complete};

struct submitter {
    struct fil_thread thread;
    uint32_t index;
    struct fil_runner runner;
    struct fil_invoker invoker;
    struct fil_prng prng;
    struct call *calls;
    uint32_t codes[3]; // FIL_OK, FIL_E_TIMEOUT, others, as awaited
};

static void count_result(void *context, struct fil_result *result)
{
    struct call *call = context;
    (void)result;
    atomic_fetch_add(&call->result_count, 1);
}

static void draw_call(struct fil_prng *prng, struct call *call)
{
    switch (fil_prng_below(prng, 8)) {
    case 0:
        call->failures = (uint32_t)fil_prng_below(prng, 8);
        break;
    case 1:
    case 2:
        call->park_key = 1 + fil_prng_below(prng, KEYS);
        break;
    case 3:
        call->notify_key = 1 + fil_prng_below(prng, KEYS);
        break;
    default:
        break;
    }
}

static void await_result(struct submitter *submitter, struct fil_future future, struct call *call)
{
    struct fil_result result;
    assert_int_equal(fil_future_await(future, FIL_WAIT_FOREVER, &result), FIL_OK);
    atomic_fetch_add(&call->result_count, 1);
    uint32_t kind = result.code == FIL_OK ? 0 : result.code == FIL_E_TIMEOUT ? 1 : 2;
    submitter->codes[kind]++;
    fil_result_destroy(result);
}

/** One of the ways a future may end. */
static void end_future(struct submitter *submitter, struct fil_future future, struct call *call)
{
    uint64_t way = fil_prng_below(&submitter->prng, 16);
    if (way == 0) {
        await_result(submitter, future, call);
    } else if (way == 1) {
        call->is_cancelled = true;
        fil_future_cancel(future);
    } else {
        assert_int_equal(
            fil_future_continue(&future, &(struct fil_continuation){.when = FIL_WHEN_EITHER,
                                                                    .target = fil_target_inline(),
                                                                    .fn = count_result,
                                                                    .context = call}),
            FIL_OK);
        fil_future_forget(future);
    }
}

static void submit_one(struct submitter *submitter, struct call *call)
{
    draw_call(&submitter->prng, call);
    uint64_t now_ns = fil_env_now_ns(fil_env_real());
    // From "hardly any time" to a few turns of the wheel.
    uint64_t timeout_ns = 1 + fil_prng_below(&submitter->prng, 3 * MS);
    struct fil_invocation_request request = {
        .type = &call_type,
        .partition_id = (fil_partition_id)fil_prng_below(&submitter->prng, PARTITION_COUNT),
        .is_priority = fil_prng_below(&submitter->prng, 10) == 0,
        .deadline_ns = now_ns + timeout_ns,
        .argument = call,
    };
    struct fil_future future;
    assert_int_equal(fil_invocation_submit(&submitter->invoker, &request, &future), FIL_OK);
    assert_true(fil_invocation_service_in_flight(&world.service) <= IN_FLIGHT_MAX);
    end_future(submitter, future, call);
}

static void run_submitter(void *context)
{
    struct submitter *submitter = context;
    fil_runner_init(&submitter->runner, world.exec, "submitter");
    fil_invoker_init(&submitter->invoker, &world.service, &submitter->runner);
    fil_prng_init(&submitter->prng, 1000 + submitter->index);
    for (uint32_t i = 0; i < CALLS; i++) {
        submit_one(submitter, &submitter->calls[i]);
    }
    await_idle(&submitter->invoker);
    assert_int_equal(fil_counter_read(&submitter->invoker.submits), CALLS);
    fil_invoker_fini(&submitter->invoker);
}

static void check_calls(const struct submitter *submitter)
{
    for (uint32_t i = 0; i < CALLS; i++) {
        const struct call *call = &submitter->calls[i];
        assert_int_equal(atomic_load(&call->result_count), call->is_cancelled ? 0 : 1);
    }
}

static void check_under_stress(bool has_caller_runs)
{
    build(has_caller_runs,
          &(struct fil_invocation_options){.in_flight_max = IN_FLIGHT_MAX, .wait_ns = HOUR_NS});
    static struct submitter submitters[SUBMITTERS];
    for (uint32_t i = 0; i < SUBMITTERS; i++) {
        submitters[i] = (struct submitter){.index = i};
        submitters[i].calls = fil_alloc_zero(CALLS, sizeof(struct call));
        assert_non_null(submitters[i].calls);
        assert_int_equal(
            fil_thread_start(&submitters[i].thread, "submitter", run_submitter, &submitters[i]),
            FIL_OK);
    }
    for (uint32_t i = 0; i < SUBMITTERS; i++) {
        fil_thread_join(&submitters[i].thread);
    }
    fil_invocation_service_stop(&world.service);
    fil_exec_stop(world.exec);
    for (uint32_t i = 0; i < SUBMITTERS; i++) {
        check_calls(&submitters[i]);
        fil_free(submitters[i].calls);
    }
    assert_int_equal(fil_invocation_service_in_flight(&world.service), 0);
    assert_int_equal(atomic_load(&made_count), atomic_load(&destroyed_count));
    // Each kind of end has happened.
    assert_true(fil_counter_read(&world.service.stats.timeouts) > 0);
    assert_true(fil_counter_read(&world.service.stats.pauses) > 0);
    assert_true(fil_counter_read(&world.service.stats.cancels) > 0);
    assert_true(atomic_load(&made_count) > 0);
    fil_invocation_service_fini(&world.service);
    fil_exec_free(world.exec);
}

static void test_racing_ends_give_one_result_each(void **state)
{
    (void)state;
    check_under_stress(false);
}

static void test_racing_ends_give_one_result_each_with_caller_runs(void **state)
{
    (void)state;
    check_under_stress(true);
}

// Waking the service.

struct hold {
    _Atomic bool is_running;
    _Atomic bool is_over;
};

static enum fil_op_outcome run_hold(struct fil_op *op, struct fil_partition *partition)
{
    (void)partition;
    struct hold *hold = fil_invocation_of(op)->argument;
    atomic_store(&hold->is_running, true);
    while (!atomic_load(&hold->is_over)) {
        fil_thread_yield();
    }
    return FIL_OP_DONE;
}

static const struct fil_op_type hold_type = {
    .name = "test.hold", .run = run_hold, .complete = fil_invocation_complete};

static int await_code(struct fil_future future)
{
    struct fil_result result;
    assert_int_equal(fil_future_await(future, FIL_WAIT_FOREVER, &result), FIL_OK);
    fil_result_destroy(result);
    return result.code;
}

static void await_parked_service(void)
{
    while (atomic_load(&world.service.wake_ns) != FIL_WHEEL_NEVER) {
        fil_thread_yield();
    }
}

static void test_a_sleeping_service_is_woken_for_deadlines_and_to_sweep(void **state)
{
    (void)state;
    build(false, &(struct fil_invocation_options){.in_flight_max = 8});
    struct fil_runner runner;
    struct fil_invoker invoker;
    fil_runner_init(&runner, world.exec, "main");
    fil_invoker_init(&invoker, &world.service, &runner);
    for (uint32_t round = 0; round < 3; round++) {
        await_parked_service();
        struct hold hold = {.is_over = false};
        struct call call = {.failures = 0};
        struct fil_invocation_request held = {
            .type = &hold_type, .argument = &hold, .deadline_ns = FIL_OP_NO_DEADLINE};
        struct fil_invocation_request behind = {.type = &call_type, .argument = &call};
        struct fil_future futures[2];
        assert_int_equal(fil_invocation_submit(&invoker, &held, &futures[0]), FIL_OK);
        while (!atomic_load(&hold.is_running)) {
            fil_thread_yield();
        }
        // Behind an operation that does not end nobody but the service can tell the time.
        behind.deadline_ns = fil_env_now_ns(fil_env_real()) + 2 * MS;
        assert_int_equal(fil_invocation_submit(&invoker, &behind, &futures[1]), FIL_OK);
        assert_int_equal(await_code(futures[1]), FIL_E_TIMEOUT);
        atomic_store(&hold.is_over, true);
        assert_int_equal(await_code(futures[0]), FIL_OK);
        await_idle(&invoker);
    }
    fil_invoker_fini(&invoker);
    fil_invocation_service_stop(&world.service);
    wreck();
}

// Waiting for room.

struct waiter {
    struct fil_thread thread;
    struct call call;
    int error;
    int code;
};

static void wait_for_room(void *context)
{
    struct waiter *waiter = context;
    struct fil_runner runner;
    struct fil_invoker invoker;
    fil_runner_init(&runner, world.exec, "waiter");
    fil_invoker_init(&invoker, &world.service, &runner);
    struct fil_future future;
    struct fil_invocation_request request = {.type = &call_type, .argument = &waiter->call};
    waiter->error = fil_invocation_submit(&invoker, &request, &future);
    if (waiter->error == FIL_OK) {
        struct fil_result result;
        assert_int_equal(fil_future_await(future, FIL_WAIT_FOREVER, &result), FIL_OK);
        waiter->code = result.code;
        fil_result_destroy(result);
    }
    await_idle(&invoker);
    fil_invoker_fini(&invoker);
}

/** An operation of the kernel alone: it needs no place in the budget. */
struct bare_notify {
    struct fil_op op;
    _Atomic bool is_done;
};

static enum fil_op_outcome run_bare(struct fil_op *op, struct fil_partition *partition)
{
    (void)op;
    assert_int_equal(fil_partition_notify(partition, 1, 1), 1);
    return FIL_OP_DONE;
}

static void complete_bare(struct fil_op *op, struct fil_runner *runner)
{
    (void)runner;
    atomic_store(&FIL_CONTAINER_OF(op, struct bare_notify, op)->is_done, true);
}

static const struct fil_op_type bare_type = {
    .name = "test.bare", .run = run_bare, .complete = complete_bare};

/** A service with one place, taken by an operation that waits without a deadline. */
struct occupied {
    struct fil_runner runner;
    struct fil_invoker invoker;
    struct call call;
    struct fil_future future;
};

static void occupy(struct occupied *occupied, uint64_t wait_ns)
{
    *occupied = (struct occupied){.call = {.park_key = 1}};
    build(true, &(struct fil_invocation_options){.in_flight_max = 1, .wait_ns = wait_ns});
    fil_runner_init(&occupied->runner, world.exec, "main");
    fil_invoker_init(&occupied->invoker, &world.service, &occupied->runner);
    struct fil_invocation_request request = {
        .type = &call_type, .argument = &occupied->call, .deadline_ns = FIL_OP_NO_DEADLINE};
    assert_int_equal(fil_invocation_submit(&occupied->invoker, &request, &occupied->future),
                     FIL_OK);
}

static void vacate(struct occupied *occupied)
{
    await_idle(&occupied->invoker);
    fil_invoker_fini(&occupied->invoker);
    wreck();
}

static void await_waits(uint64_t count)
{
    while (fil_counter_read(&world.service.stats.waits) < count) {
        fil_thread_yield();
    }
}

static void test_a_caller_waits_until_there_is_room(void **state)
{
    (void)state;
    struct occupied occupied;
    occupy(&occupied, HOUR_NS);
    struct waiter waiters[3] = {{.error = FIL_E_BROKEN}};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(fil_thread_start(&waiters[i].thread, "waiter", wait_for_room, &waiters[i]),
                         FIL_OK);
    }
    await_waits(3);
    struct bare_notify notify = {.is_done = false};
    fil_op_init(&notify.op, &bare_type, 0);
    fil_exec_submit(world.exec, &notify.op, &occupied.runner);
    for (uint32_t i = 0; i < 3; i++) {
        fil_thread_join(&waiters[i].thread);
        assert_int_equal(waiters[i].error, FIL_OK);
        assert_int_equal(waiters[i].code, FIL_OK);
    }
    struct fil_result result;
    assert_int_equal(fil_future_await(occupied.future, FIL_WAIT_FOREVER, &result), FIL_OK);
    assert_int_equal(result.code, FIL_OK);
    fil_result_destroy(result);
    while (!atomic_load(&notify.is_done)) {
        fil_thread_yield();
    }
    assert_int_equal(fil_counter_read(&world.service.stats.refused), 0);
    fil_invocation_service_stop(&world.service);
    vacate(&occupied);
}

static void test_a_caller_is_refused_when_its_time_is_over(void **state)
{
    (void)state;
    struct occupied occupied;
    occupy(&occupied, MS);
    struct call call = {.failures = 0};
    struct fil_invocation_request request = {.type = &call_type, .argument = &call};
    struct fil_future future;
    assert_int_equal(fil_invocation_submit(&occupied.invoker, &request, &future), FIL_E_FULL);
    assert_int_equal(fil_counter_read(&world.service.stats.waits), 1);
    assert_int_equal(fil_counter_read(&world.service.stats.refused), 1);
    fil_future_cancel(occupied.future);
    await_idle(&occupied.invoker); // the cancel reaches a parked operation
    assert_int_equal(fil_invocation_service_in_flight(&world.service), 0);
    fil_invocation_service_stop(&world.service);
    vacate(&occupied);
}

static void test_stop_tells_those_who_wait_and_those_in_flight(void **state)
{
    (void)state;
    struct occupied occupied;
    occupy(&occupied, HOUR_NS);
    struct waiter waiter = {.error = FIL_E_BROKEN};
    assert_int_equal(fil_thread_start(&waiter.thread, "waiter", wait_for_room, &waiter), FIL_OK);
    await_waits(1);
    fil_invocation_service_close(&world.service);
    fil_thread_join(&waiter.thread);
    assert_int_equal(waiter.error, FIL_E_STOPPING);
    fil_invocation_service_stop(&world.service);
    struct fil_result result;
    assert_int_equal(fil_future_await(occupied.future, FIL_WAIT_FOREVER, &result), FIL_OK);
    assert_int_equal(result.code, FIL_E_STOPPING);
    assert_int_equal(fil_invocation_service_in_flight(&world.service), 0);
    vacate(&occupied);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_racing_ends_give_one_result_each),
        cmocka_unit_test(test_racing_ends_give_one_result_each_with_caller_runs),
        cmocka_unit_test(test_a_sleeping_service_is_woken_for_deadlines_and_to_sweep),
        cmocka_unit_test(test_a_caller_waits_until_there_is_room),
        cmocka_unit_test(test_a_caller_is_refused_when_its_time_is_over),
        cmocka_unit_test(test_stop_tells_those_who_wait_and_those_in_flight),
    };
    return cmocka_run_group_tests_name("invocation_stress", tests, NULL, NULL);
}
