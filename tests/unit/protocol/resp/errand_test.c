// SPDX-License-Identifier: Apache-2.0
/**
 * Commands on the generic pool, one test a promise: the loop answers others meanwhile; nothing of
 * the same client overtakes the errand; between MULTI and EXEC, and when the pool is full, the work
 * is done in place; who has left is not waited for; failing memory is told.
 */
#include "protocol/resp/errand.h"

#include <string.h>

#include "core/exec/generic.h"
#include "lib/base/alloc.h"
#include "lib/mem/chunk.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

#define SECOND       UINT64_C(1000000000)
#define WORKER       1U // the other thread is the reserved one
#define THREAD_COUNT 2U
#define CAPACITY     2U

static struct resp_world world;
static struct fil_generic generic;
static struct fil_runner runners[THREAD_COUNT];
static struct fil_runner *const runner_list[THREAD_COUNT] = {&runners[0], &runners[1]};
static struct fil_budget budget; // of the pool's replies
static struct fil_pool chunks;

static int set_up(void **state)
{
    (void)state;
    resp_world_init(&world);
    resp_world_open(&world, 64U << 20);
    fil_budget_init(&budget, 1U << 20);
    fil_chunk_pool_init(&chunks, &budget, 4);
    fil_pool_adopt(&chunks);
    for (uint32_t i = 0; i < THREAD_COUNT; i++) {
        fil_runner_init(&runners[i], world.exec, "generic");
        runners[i].chunks = &chunks;
    }
    int error =
        fil_generic_init(&generic, &(struct fil_generic_options){.env = &world.net.sim.env,
                                                                 .worker_count = THREAD_COUNT - 1,
                                                                 .capacity = CAPACITY,
                                                                 .priority_capacity = CAPACITY,
                                                                 .runners = runner_list});
    world.server.options.generic = &generic;
    return error;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_generic_fini(&generic);
    fil_pool_adopt(&chunks);
    resp_world_close(&world);
    fil_pool_fini(&chunks);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

static void run_network(void)
{
    net_world_run_for(&world.net, SECOND / 10);
}

static struct fil_sim_client *connect_and_send(const char *text)
{
    struct fil_sim_client *client = net_world_client(&world.net);
    net_world_send(client, text);
    run_network();
    return client;
}

/** What the pool's thread does; returns how many errands it ran. */
static uint32_t run_pool(void)
{
    fil_role_enter(&fil_role_generic);
    fil_role_assert_generic();
    uint32_t moved = fil_generic_cycle(&generic, WORKER);
    fil_runner_end_turn(&runners[WORKER]);
    run_network();
    return moved;
}

static bool has_received(const struct fil_sim_client *client, const char *expected)
{
    return fil_bytes_equal_text(fil_sim_client_received(client), expected);
}

static bool contains(const struct fil_sim_client *client, const char *text)
{
    struct fil_bytes bytes = fil_sim_client_received(client);
    return memmem(bytes.data, bytes.size, text, strlen(text)) != NULL;
}

static uint32_t connection_count(void)
{
    return atomic_load(&world.net.loops[0].connection_count);
}

static void test_the_loop_goes_on_meanwhile(void **state)
{
    (void)state;
    struct fil_sim_client *client = connect_and_send("CLIENT LIST\r\n");
    struct fil_sim_client *other = connect_and_send("PING\r\n");
    assert_true(has_received(client, ""));
    assert_true(has_received(other, "+PONG\r\n"));
    assert_int_equal(run_pool(), 1);
    assert_true(contains(client, "cmd=client"));
    assert_true(contains(client, "cmd=ping"));
}

static void test_nothing_overtakes_an_errand(void **state)
{
    (void)state;
    struct fil_sim_client *client = connect_and_send(
        "SET a 1\r\nCLIENT LIST ID 99\r\nCLIENT SETNAME x\r\nCLIENT LIST ID 1\r\n");
    assert_true(has_received(client, "+OK\r\n"));
    assert_int_equal(run_pool(), 1);
    assert_true(has_received(client, "+OK\r\n$0\r\n\r\n+OK\r\n"));
    assert_int_equal(run_pool(), 1);
    assert_true(contains(client, "name=x"));
}

static void test_a_transaction_does_it_in_place(void **state)
{
    (void)state;
    struct fil_sim_client *client =
        connect_and_send("MULTI\r\nCLIENT LIST ID 99\r\nEXEC\r\nPING\r\n");
    assert_true(has_received(client, "+OK\r\n+QUEUED\r\n*1\r\n$0\r\n\r\n+PONG\r\n"));
    assert_int_equal(run_pool(), 0);
}

static void test_a_full_pool_leaves_it_to_the_loop(void **state)
{
    (void)state;
    struct fil_sim_client *clients[CAPACITY + 1];
    for (uint32_t i = 0; i <= CAPACITY; i++) {
        clients[i] = connect_and_send("CLIENT LIST ID 99\r\n");
        assert_true(has_received(clients[i], i < CAPACITY ? "" : "$0\r\n\r\n"));
    }
    assert_int_equal(run_pool(), CAPACITY);
    assert_true(has_received(clients[0], "$0\r\n\r\n"));
    assert_true(has_received(clients[1], "$0\r\n\r\n"));
}

static void test_who_has_left_is_not_waited_for(void **state)
{
    (void)state;
    struct fil_sim_client *client = connect_and_send("CLIENT LIST\r\n");
    fil_sim_client_reset(client);
    run_network();
    assert_int_equal(run_pool(), 1);
    net_world_run_for(&world.net, 2 * SECOND);
    assert_int_equal(connection_count(), 0);
}

static void test_failing_memory_is_told(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fil_sim_client *client = connect_and_send("CLIENT LIST\r\n");
        fil_role_enter(&fil_role_generic);
        fil_role_assert_generic();
        fil_alloc_fail_after(i);
        assert_int_equal(fil_generic_cycle(&generic, WORKER), 1);
        fil_alloc_fail_after(-1);
        fil_runner_end_turn(&runners[WORKER]);
        run_network();
        assert_true(contains(client, "-ERR "));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_loop_goes_on_meanwhile, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_overtakes_an_errand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_transaction_does_it_in_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_full_pool_leaves_it_to_the_loop, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_who_has_left_is_not_waited_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failing_memory_is_told, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("errand", tests, NULL, NULL);
}
