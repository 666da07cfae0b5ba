// SPDX-License-Identifier: Apache-2.0
/**
 * The acceptor, one test a promise: connections go to the loops in turn, each with an id of its
 * own; beyond the limit they are closed and counted, and accepted again when others have gone; when
 * descriptors are out it pauses, counts, and goes on by itself; what finds no memory is closed and
 * counted; a connection that cannot be watched is closed; an address in use and every failed
 * allocation of its own are errors that leave nothing behind.
 */
#include "lib/net/acceptor.h"

#include <string.h>

#include "lib/base/alloc.h"
#include "lib/net/connection.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define SECOND UINT64_C(1000000000)

static struct net_world world;

static int set_up(void **state)
{
    (void)state;
    net_world_init(&world);
    world.limits.handshake_timeout_ns = 3600 * SECOND;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    net_world_close(&world);
    return 0;
}

static uint64_t accepted(void)
{
    return fil_counter_read(&world.acceptor.stats.accepted);
}

static struct fil_sim_client *echo_client(void)
{
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    net_world_expect(client, "ECHO\n");
    return client;
}

static void assert_all_matched(void)
{
    for (uint32_t i = 0; i < world.client_count; i++) {
        assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(&world.clients[i])),
                            "matched");
    }
}

static void test_connections_go_to_the_loops_in_turn(void **state)
{
    (void)state;
    world.loop_count = 3;
    net_world_must_open(&world);
    for (uint32_t i = 0; i < 7; i++) {
        (void)echo_client();
    }
    net_world_run_for(&world, SECOND);
    assert_all_matched();
    assert_int_equal(accepted(), 7);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 3);
    assert_int_equal(fil_loop_connection_count(&world.loops[1]), 2);
    assert_int_equal(fil_loop_connection_count(&world.loops[2]), 2);
    bool is_seen[8] = {false};
    for (uint32_t i = 0; i < 3; i++) {
        fil_list_foreach(link, &world.loops[i].connections) {
            uint64_t id = FIL_CONTAINER_OF(link, struct fil_connection, link)->id;
            assert_in_range(id, 1, 7);
            assert_false(is_seen[id]);
            is_seen[id] = true;
        }
    }
}

static void test_limit_refuses_and_recovers(void **state)
{
    (void)state;
    world.limits.connections_max = 2;
    world.loop_count = 2;
    net_world_must_open(&world);
    struct fil_sim_client *first = echo_client();
    (void)echo_client();
    net_world_run_for(&world, SECOND);
    struct fil_sim_client *refused = net_world_client(&world);
    net_world_run_for(&world, SECOND);
    assert_int_equal(accepted(), 2);
    assert_int_equal(fil_counter_read(&world.acceptor.stats.refused_limit), 1);
    assert_true(refused->state != FIL_SIM_CLIENT_OPEN);

    fil_sim_client_close(first);
    net_world_run_for(&world, SECOND);
    (void)echo_client();
    net_world_run_for(&world, SECOND);
    assert_int_equal(accepted(), 3);
    assert_all_matched();
}

/** Those on their way to a loop count as well: they come in one turn of the acceptor. */
static void test_limit_counts_connections_on_their_way(void **state)
{
    (void)state;
    world.limits.connections_max = 3;
    net_world_must_open(&world);
    for (uint32_t i = 0; i < 6; i++) {
        (void)fil_sim_client_cycle(net_world_client(&world));
    }
    assert_int_equal(fil_acceptor_cycle(&world.acceptor, 0), 6);
    assert_int_equal(accepted(), 3);
    assert_int_equal(fil_counter_read(&world.acceptor.stats.refused_limit), 3);
}

static void test_no_descriptors_is_a_pause(void **state)
{
    (void)state;
    // The listener and two connections.
    static const struct fil_sim_options few = {.descriptors_max = 3};
    world.network = &few;
    net_world_must_open(&world);
    for (uint32_t i = 0; i < 3; i++) {
        (void)echo_client();
    }
    net_world_run_for(&world, SECOND);
    assert_int_equal(accepted(), 2);
    uint64_t failed = fil_counter_read(&world.acceptor.stats.failed);
    // A tenth of a second each: neither busy without end nor asleep.
    assert_in_range(failed, 5, 11);

    struct fil_sim_client *served = &world.clients[0];
    while (served->received_size == 0) {
        served++;
    }
    fil_sim_client_close(served);
    net_world_run_for(&world, SECOND);
    assert_int_equal(accepted(), 3);
    assert_all_matched();
}

static void test_connection_without_memory_is_closed(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    (void)fil_sim_client_cycle(client);
    fil_alloc_fail_after(0);
    assert_int_equal(fil_acceptor_cycle(&world.acceptor, 0), 1);
    fil_alloc_fail_after(-1);
    assert_int_equal(fil_counter_read(&world.acceptor.stats.refused_memory), 1);
    assert_int_equal(accepted(), 0);
    net_world_run_for(&world, SECOND);
    assert_true(client->state != FIL_SIM_CLIENT_OPEN);
    (void)echo_client();
    net_world_run_for(&world, SECOND);
    assert_int_equal(accepted(), 1);
}

static int add_nothing(struct fil_env *env, struct fil_poller *poller, int fd, uint32_t interest,
                       void *context)
{
    (void)env;
    (void)poller;
    (void)fd;
    (void)interest;
    (void)context;
    return FIL_E_NOMEM;
}

static void test_connection_that_cannot_be_watched_is_closed(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_env_ops ops = *world.sim.env.ops;
    const struct fil_env_ops *real = world.sim.env.ops;
    ops.poller_add = add_nothing;
    world.sim.env.ops = &ops;
    (void)echo_client();
    net_world_run_for(&world, SECOND);
    world.sim.env.ops = real;
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_MEMORY), 1);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 0);
}

static void test_address_in_use_is_an_error(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_acceptor second;
    struct fil_acceptor_options options = {
        .env = &world.sim.env,
        .address = world.acceptor.bound,
        .backlog = 1,
        .connections_max = 1,
        .loops = world.loops,
        .loop_count = 1,
    };
    assert_int_equal(fil_acceptor_init(&second, &options), FIL_E_ADDRESS_USED);
    options.address.port = 0;
    assert_int_equal(fil_acceptor_init(&second, &options), FIL_OK);
    assert_true(second.bound.port != 0);
    fil_acceptor_fini(&second);
}

static void test_every_failed_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    int error = FIL_E_NOMEM;
    for (int64_t position = 0; error != FIL_OK; position++) {
        net_world_init(&world);
        world.loop_count = 2;
        assert_int_equal(fil_sim_init(&world.sim, 1, NULL), FIL_OK);
        fil_alloc_fail_after(position);
        error = net_world_open(&world);
        fil_alloc_fail_after(-1);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
        assert_true(position < 20);
        if (error != FIL_OK) {
            net_world_close(&world); // asserts that nothing is left
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(connections_go_to_the_loops_in_turn),
        TEST(limit_refuses_and_recovers),
        TEST(limit_counts_connections_on_their_way),
        TEST(no_descriptors_is_a_pause),
        TEST(connection_without_memory_is_closed),
        TEST(connection_that_cannot_be_watched_is_closed),
        TEST(address_in_use_is_an_error),
        TEST(every_failed_allocation_leaves_nothing_behind),
    };
#undef TEST
    return cmocka_run_group_tests_name("acceptor", tests, NULL, NULL);
}
