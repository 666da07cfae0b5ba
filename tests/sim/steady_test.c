// SPDX-License-Identifier: Apache-2.0
/**
 * A steady state allocates nothing. After a warm-up the allocator's counter must not move by one
 * block: while a whole member answers GET and SET, in place and handed over to the partition
 * threads; while operations are submitted to the kernel and to the generic pool; while events are
 * published and delivered; while promises are made, continued and kept; and while invocations run,
 * in place and on other threads, with pauses between them and without.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/exec/event.h"
#include "core/exec/generic.h"
#include "core/exec/invocation.h"
#include "core/exec/listener.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/conc/role.h"
#include "lib/conf/conf.h"
#include "node/node.h"
#include "tests/support/sim_client.h"
#include "tests/unit/harness.h"

#define BATCHES       96U
#define BATCH_KEYS    8U
#define WARM_BATCHES  32U
#define ROUNDS        300U
#define WARM_ROUNDS   100U
#define BACK_TO_BACK  5U // so many times the rounds: they take no time
#define PARTITIONS    7U
#define HOUR_NS       UINT64_C(3600000000000)
#define STEP_MAX      1000000U
#define MEMORY_BYTES  (UINT64_C(64) << 20)
#define IN_FLIGHT_MAX 64U

// A member and one client that speaks RESP to it.

static struct member_world {
    struct fil_sim sim;
    struct fil_options options;
    struct fil_conf conf;
    struct fil_node *node;
    struct fil_sim_client client;
    size_t warm_size; // received when the warm-up is over
} world;

/** Sets keys and reads them back, inline too; the next batch follows when all replies are there. */
static void send_batch(struct fil_sim_client *client, uint32_t batch)
{
    char text[BATCH_KEYS * 96];
    size_t used = 0;
    for (uint32_t key = 0; key < BATCH_KEYS; key++) {
        char reply[48];
        int size =
            snprintf(reply, sizeof(reply), "+OK\r\n$8\r\n%08u\r\n$8\r\n%08u\r\n", batch, batch);
        fil_sim_client_expect(client, fil_bytes_make(reply, (size_t)size));
        size = snprintf(text + used, sizeof(text) - used,
                        "*3\r\n$3\r\nSET\r\n$4\r\nkey%u\r\n$8\r\n%08u\r\n"
                        "*2\r\n$3\r\nGET\r\n$4\r\nkey%u\r\n"
                        "GET key%u\r\n",
                        key, batch, key, key);
        used += (size_t)size;
    }
    fil_sim_client_send(client, fil_bytes_make(text, used));
    fil_sim_client_await(client, client->expected_size);
}

static void open_member(bool has_caller_runs)
{
    struct fil_plan plan = {.io_threads = 1,
                            .partition_threads = 1,
                            .connections_max = 8,
                            .memory_bytes = MEMORY_BYTES};
    struct fil_sim_options network = {.connections_max = 8,
                                      .buffer_bytes = {.min = 65536, .max = 65536}};
    assert_int_equal(fil_sim_init(&world.sim, 1, &network), FIL_OK);
    assert_int_equal(fil_conf_init(&world.conf, &fil_options_table, &world.options), FIL_OK);
    world.options.partition.caller_runs = has_caller_runs;
    struct fil_node_setup setup = {
        .env = &world.sim.env, .options = &world.options, .plan = &plan, .conf = &world.conf};
    assert_int_equal(fil_node_new(&world.node, &setup), FIL_OK);
}

static void open_client(void)
{
    assert_int_equal(fil_sim_client_init(&world.client, &world.sim, "resp", NULL), FIL_OK);
    fil_sim_client_connect(&world.client, fil_node_address(world.node));
    for (uint32_t batch = 0; batch < BATCHES; batch++) {
        if (batch == WARM_BATCHES) {
            world.warm_size = world.client.expected_size;
        }
        send_batch(&world.client, batch);
    }
}

static uint32_t cycle_member(void *context)
{
    return fil_node_cycle(context);
}

static bool is_warm(void *context)
{
    (void)context;
    return world.client.received_size >= world.warm_size;
}

static bool is_settled(void *context)
{
    (void)context;
    return fil_sim_client_is_settled(&world.client);
}

static void run_until(bool (*is_met)(void *context))
{
    struct fil_sim_cycle cycles[] = {
        {.cycle = cycle_member, .context = world.node},
        {.cycle = fil_sim_client_cycle, .context = &world.client},
    };
    struct fil_sim_until until = {.is_met = is_met, .step_count_max = STEP_MAX};
    assert_int_equal(fil_sim_run(&world.sim, cycles, FIL_COUNT_OF(cycles), &until), FIL_OK);
}

static void close_member(void)
{
    fil_node_abort(world.node);
    fil_node_free(world.node);
    fil_conf_fini(&world.conf);
    fil_sim_client_fini(&world.client);
    fil_sim_fini(&world.sim);
}

static void check_member(bool has_caller_runs)
{
    open_member(has_caller_runs);
    open_client();
    run_until(is_warm);
    uint64_t before = fil_alloc_count();
    run_until(is_settled);
    uint64_t after = fil_alloc_count();
    assert_int_equal(fil_sim_client_verdict(&world.client), FIL_SIM_VERDICT_MATCHED);
    assert_int_equal(after - before, 0);
    close_member();
}

static int enter_roles(void **state)
{
    (void)state;
    fil_role_enter(&fil_role_acceptor);
    fil_role_enter(&fil_role_io);
    fil_role_enter(&fil_role_partition);
    fil_role_enter(&fil_role_generic);
    fil_role_enter(&fil_role_event);
    fil_role_enter(&fil_role_executor);
    return 0;
}

static int leave_roles(void **state)
{
    (void)state;
    fil_role_leave_all();
    return 0;
}

static void test_member_answers_in_place_without_allocating(void **state)
{
    (void)state;
    check_member(true);
}

static void test_member_hands_over_without_allocating(void **state)
{
    (void)state;
    check_member(false);
}

// The parts of the kernel, each driven from this thread; a round is what is done again and again.

/** Plays the warm-up, then the rounds that must not allocate. */
static void check_rounds(void (*play_round)(void))
{
    for (uint32_t i = 0; i < WARM_ROUNDS; i++) {
        play_round();
    }
    uint64_t before = fil_alloc_count();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        play_round();
    }
    assert_int_equal(fil_alloc_count() - before, 0);
}

static struct fil_generic generic;
static uint32_t task_count;

static void count_task(struct fil_task *task)
{
    (void)task;
    task_count++;
}

static void play_generic(void)
{
    struct fil_task tasks[4];
    fil_role_assert_generic();
    for (uint32_t i = 0; i < FIL_COUNT_OF(tasks); i++) {
        tasks[i] = (struct fil_task){.run = count_task};
        if (i % 2 == 0) {
            fil_generic_submit(&generic, &tasks[i]);
        } else {
            fil_generic_submit_priority(&generic, &tasks[i]);
        }
    }
    uint32_t wanted = task_count + (uint32_t)FIL_COUNT_OF(tasks);
    while (task_count < wanted) {
        (void)fil_generic_cycle(&generic, 1);
    }
}

static void test_generic_tasks_do_not_allocate(void **state)
{
    (void)state;
    struct fil_generic_options options = fil_generic_defaults(fil_env_real(), 2);
    assert_int_equal(fil_generic_init(&generic, &options), FIL_OK);
    check_rounds(play_generic);
    assert_int_equal(task_count, 4 * (WARM_ROUNDS + ROUNDS));
    fil_generic_fini(&generic);
}

static struct fil_events events;
static struct fil_listener *listener;
static uint32_t delivered_count;

static void count_event(void *context, struct fil_event *event)
{
    (void)context;
    (void)event;
    delivered_count++;
}

static const struct fil_listener_ops listener_ops = {.deliver = count_event,
                                                     .discard = count_event};

static void play_events(void)
{
    struct fil_event published[8];
    fil_role_assert_event();
    uint32_t wanted = delivered_count + (uint32_t)FIL_COUNT_OF(published);
    for (uint32_t i = 0; i < FIL_COUNT_OF(published); i++) {
        assert_int_equal(fil_listener_publish(listener, i, &published[i], FIL_PUBLISH_TRY), FIL_OK);
    }
    while (delivered_count < wanted) {
        (void)fil_events_cycle(&events, 0);
        (void)fil_events_cycle(&events, 1);
    }
}

static void note_closed(void *context)
{
    (void)context;
}

static void test_events_do_not_allocate(void **state)
{
    (void)state;
    struct fil_events_options options = fil_events_defaults(fil_env_real(), 2);
    assert_int_equal(options.thread_count, 2);
    assert_int_equal(fil_events_init(&events, &options), FIL_OK);
    struct fil_listener_options wanted = {.name = "steady", .ops = &listener_ops};
    assert_int_equal(fil_listener_open(&events, &wanted, &listener), FIL_OK);
    check_rounds(play_events);
    assert_int_equal(delivered_count, 8 * (WARM_ROUNDS + ROUNDS));
    fil_listener_close(listener, note_closed, NULL);
    fil_listener_unref(listener);
    fil_events_fini(&events);
}

static void add_one(void *context, struct fil_result *result)
{
    (void)context;
    result->number++;
}

static void play_promise(void)
{
    struct fil_promise promise;
    struct fil_future future;
    struct fil_result result;
    assert_int_equal(fil_promise_new(NULL, &promise, &future), FIL_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(fil_future_then_on(&future, fil_target_inline(), add_one, NULL), FIL_OK);
    }
    assert_true(fil_promise_complete(promise, fil_result_number(1)));
    assert_int_equal(fil_future_take(future, &result), FIL_OK);
    assert_int_equal(result.number, 4);
}

/** Where this thread's promises come from, as each of the kernel's threads has it. */
static struct cells {
    struct fil_budget budget;
    struct fil_pool pool;
} cells;

static void open_cells(void)
{
    fil_budget_init(&cells.budget, MEMORY_BYTES);
    fil_pool_init(&cells.pool, &cells.budget, FIL_PROMISE_BLOCK_BYTES, IN_FLIGHT_MAX);
    fil_promise_enter(&cells.pool);
}

static void close_cells(void)
{
    fil_promise_leave();
    fil_pool_fini(&cells.pool);
}

static void test_promises_do_not_allocate(void **state)
{
    (void)state;
    open_cells();
    check_rounds(play_promise);
    close_cells();
}

// Operations and invocations, with the kernel's own threads.

static struct kernel {
    struct fil_budget budget;
    struct fil_exec *exec;
    struct fil_invocation_service service;
    struct fil_runner runner;
    struct fil_invoker invoker;
} kernel;

static void open_kernel(bool has_caller_runs)
{
    struct fil_exec_options options = {
        .env = fil_env_real(),
        .partition_count = PARTITIONS,
        .budget = &kernel.budget,
        .thread_count = 2,
        .has_caller_runs = has_caller_runs,
        .has_stealing = true,
        .has_batching = true,
        .has_wake_suppression = true,
    };
    fil_budget_init(&kernel.budget, MEMORY_BYTES);
    assert_int_equal(fil_exec_new(&kernel.exec, &options), FIL_OK);
    struct fil_invocation_options wanted = {
        .exec = kernel.exec, .memory = &kernel.budget, .in_flight_max = IN_FLIGHT_MAX};
    assert_int_equal(fil_invocation_service_init(&kernel.service, &wanted), FIL_OK);
    assert_int_equal(fil_exec_start(kernel.exec), FIL_OK);
    assert_int_equal(fil_invocation_service_start(&kernel.service), FIL_OK);
    fil_runner_init(&kernel.runner, kernel.exec, "steady");
    fil_invoker_init(&kernel.invoker, &kernel.service, &kernel.runner);
}

/** Blocks come home when the service's thread has seen the end, which may be after the result. */
static void await_blocks(void)
{
    while (!fil_invoker_is_idle(&kernel.invoker)) {
        fil_thread_yield();
    }
}

static void close_kernel(void)
{
    await_blocks();
    fil_invoker_fini(&kernel.invoker);
    fil_invocation_service_stop(&kernel.service);
    fil_exec_stop(kernel.exec);
    fil_invocation_service_fini(&kernel.service);
    fil_exec_free(kernel.exec);
}

static enum fil_op_outcome run_nothing(struct fil_op *op, struct fil_partition *partition)
{
    (void)op;
    (void)partition;
    return FIL_OP_DONE;
}

struct plain_op {
    struct fil_op op;
    _Atomic bool is_done;
};

static void note_done(struct fil_op *op, struct fil_runner *runner)
{
    (void)runner;
    struct plain_op *plain = FIL_CONTAINER_OF(op, struct plain_op, op);
    atomic_store_explicit(&plain->is_done, true, memory_order_release);
}

static const struct fil_op_type plain_type = {
    .name = "steady.plain", .run = run_nothing, .complete = note_done};
static const struct fil_op_type call_type = {
    .name = "steady.call", .run = run_nothing, .complete = fil_invocation_complete};

static void play_operations(void)
{
    struct plain_op ops[PARTITIONS];
    for (uint32_t i = 0; i < PARTITIONS; i++) {
        fil_op_init(&ops[i].op, &plain_type, i);
        ops[i].op.is_priority = i % 2 == 0;
        atomic_init(&ops[i].is_done, false);
        fil_exec_submit(kernel.exec, &ops[i].op, &kernel.runner);
    }
    for (uint32_t i = 0; i < PARTITIONS; i++) {
        while (!atomic_load_explicit(&ops[i].is_done, memory_order_acquire)) {
            fil_thread_yield();
        }
    }
}

static struct fil_future invoke(const struct fil_op_type *type, fil_partition_id partition_id)
{
    struct fil_future future;
    struct fil_invocation_request request = {
        .type = type,
        .partition_id = partition_id,
        .deadline_ns = fil_env_now_ns(fil_env_real()) + HOUR_NS,
    };
    assert_int_equal(fil_invocation_submit(&kernel.invoker, &request, &future), FIL_OK);
    return future;
}

static void await_results(const struct fil_future *futures, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct fil_result result;
        assert_int_equal(fil_future_await(futures[i], FIL_WAIT_FOREVER, &result), FIL_OK);
        assert_int_equal(result.code, FIL_OK);
    }
}

/** The next round does not wait until the service has seen the end of this one. */
static void play_invocations_back_to_back(void)
{
    struct fil_future futures[PARTITIONS];
    for (uint32_t i = 0; i < PARTITIONS; i++) {
        futures[i] = invoke(&call_type, i);
    }
    await_results(futures, PARTITIONS);
}

static void play_invocations(void)
{
    play_invocations_back_to_back();
    await_blocks();
}

static _Atomic bool is_gate_open;

static enum fil_op_outcome wait_at_gate(struct fil_op *op, struct fil_partition *partition)
{
    (void)op;
    (void)partition;
    while (!atomic_load_explicit(&is_gate_open, memory_order_acquire)) {
        fil_thread_yield();
    }
    return FIL_OP_DONE;
}

static const struct fil_op_type gate_type = {
    .name = "steady.gate", .run = wait_at_gate, .complete = fil_invocation_complete};

/**
 * As many at the same time as there may be: the invoker has then more blocks than a round needs,
 * however long the service's thread keeps those of the rounds before.
 */
static void fill_up_invoker(void)
{
    struct fil_future futures[IN_FLIGHT_MAX];
    atomic_store_explicit(&is_gate_open, false, memory_order_release);
    for (uint32_t i = 0; i < IN_FLIGHT_MAX; i++) {
        futures[i] = invoke(i == 0 ? &gate_type : &call_type, 0);
    }
    atomic_store_explicit(&is_gate_open, true, memory_order_release);
    await_results(futures, IN_FLIGHT_MAX);
    await_blocks();
}

static void check_kernel(bool has_caller_runs, void (*play_round)(void))
{
    open_cells();
    open_kernel(has_caller_runs);
    check_rounds(play_round);
    close_kernel();
    close_cells();
}

static void test_operations_do_not_allocate(void **state)
{
    (void)state;
    check_kernel(true, play_operations);
    check_kernel(false, play_operations);
}

static void test_invocations_do_not_allocate(void **state)
{
    (void)state;
    check_kernel(true, play_invocations);
    check_kernel(false, play_invocations);
}

static void test_invocations_back_to_back_do_not_allocate(void **state)
{
    (void)state;
    open_cells();
    open_kernel(false);
    fill_up_invoker();
    for (uint32_t i = 0; i < BACK_TO_BACK; i++) {
        check_rounds(play_invocations_back_to_back);
    }
    close_kernel();
    close_cells();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_member_answers_in_place_without_allocating,
                                        enter_roles, leave_roles),
        cmocka_unit_test_setup_teardown(test_member_hands_over_without_allocating, enter_roles,
                                        leave_roles),
        cmocka_unit_test_setup_teardown(test_generic_tasks_do_not_allocate, enter_roles,
                                        leave_roles),
        cmocka_unit_test_setup_teardown(test_events_do_not_allocate, enter_roles, leave_roles),
        cmocka_unit_test(test_promises_do_not_allocate),
        cmocka_unit_test(test_operations_do_not_allocate),
        cmocka_unit_test(test_invocations_do_not_allocate),
        cmocka_unit_test(test_invocations_back_to_back_do_not_allocate),
    };
    return cmocka_run_group_tests_name("steady", tests, NULL, NULL);
}
