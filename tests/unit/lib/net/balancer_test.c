// SPDX-License-Identifier: Apache-2.0
/**
 * The balancer, one test a promise: its rule as a table; it does nothing before its interval is
 * over, with one loop, or when it is off, and says how long it may be waited with; busy connections
 * that one loop was dealt are spread, one a round, until the loads are within the ratio, and then
 * nothing moves any more; a loop's only busy connection, a pinned one and a silent one stay; the
 * busiest that fits is chosen, by the load of the round that is over; little load moves nothing; a
 * request that the loop has not seen yet is not overwritten; points are counted alike for a loop
 * and its connections; and who takes the loop's time is busy, however few the bytes.
 */
#include "lib/net/balancer.h"

#include <stdio.h>
#include <string.h>

#include "lib/net/connection.h"
#include "lib/net/load.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define SECOND   UINT64_C(1000000000)
#define INTERVAL SECOND

static struct net_world world;
static struct fil_balancer balancer;

static int set_up(void **state)
{
    (void)state;
    net_world_init(&world);
    world.loop_count = 2;
    world.limits.handshake_timeout_ns = 3600 * SECOND;
    world.client_options.receive_bytes_max = 1U << 23;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    net_world_close(&world);
    return 0;
}

static void open_world(uint64_t interval_ns)
{
    net_world_must_open(&world);
    fil_balancer_init(&balancer, &(struct fil_balancer_options){
                                     .env = &world.sim.env,
                                     .loops = world.loops,
                                     .loop_count = world.loop_count,
                                     .interval_ns = interval_ns,
                                     .ratio_percent = 150,
                                 });
}

static uint32_t cycle(void)
{
    fil_role_assert_acceptor();
    return fil_balancer_cycle(&balancer);
}

static int64_t wait_ns(void)
{
    fil_role_assert_acceptor();
    return fil_balancer_wait_ns(&balancer);
}

/** Clients that go to the loops in turn; each is its connection's id - 1. */
static void open_clients(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct fil_sim_client *client = net_world_client(&world);
        net_world_send(client, "ECHO\n");
        net_world_expect(client, "ECHO\n");
        net_world_run_for(&world, SECOND / 1000);
    }
}

/** The client asks for so many bytes. */
static void load(uint32_t client, size_t bytes)
{
    char line[32];
    (void)snprintf(line, sizeof(line), "big %zu\n", bytes);
    net_world_send(&world.clients[client], line);
    net_world_expect_big(&world.clients[client], bytes);
}

/** A round with what the clients have to do; returns whether the balancer asked for a move. */
static uint32_t run_round(void)
{
    net_world_run_for(&world, SECOND / 100);
    fil_sim_advance(&world.sim, INTERVAL);
    uint32_t asked = cycle();
    net_world_run_for(&world, SECOND / 100);
    for (uint32_t i = 0; i < world.client_count; i++) {
        assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(&world.clients[i])),
                            "matched");
    }
    return asked;
}

static uint64_t count_moves(void)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < world.loop_count; i++) {
        count += fil_counter_read(&world.loops[i].stats.moves);
    }
    return count;
}

/** On which loop the client's connection is. */
static uint32_t loop_of(uint32_t client)
{
    fil_role_assert_io();
    for (uint32_t i = 0; i < world.loop_count; i++) {
        fil_list_foreach(link, &world.loops[i].connections) {
            if (FIL_CONTAINER_OF(link, struct fil_connection, link)->id == client + 1) {
                return i;
            }
        }
    }
    fail_msg("client %u has no connection", client);
    return 0;
}

static struct fil_connection *connection_of(uint32_t client)
{
    fil_role_assert_io();
    fil_list_foreach(link, &world.loops[loop_of(client)].connections) {
        struct fil_connection *connection = FIL_CONTAINER_OF(link, struct fil_connection, link);
        if (connection->id == client + 1) {
            return connection;
        }
    }
    return NULL;
}

static void test_rule(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t loads[4];
        uint32_t count;
        uint32_t ratio_percent;
        uint64_t floor_points;
        bool is_uneven;
        struct fil_balance expected;
    } rows[] = {
        {"nothing to do", {0, 0}, 2, 150, 0, false, {0}},
        {"equal", {70, 70}, 2, 150, 0, false, {0}},
        {"one idle", {70, 0}, 2, 150, 0, true, {0, 1, 63}},
        {"other way round", {0, 70}, 2, 150, 0, true, {1, 0, 63}},
        {"at the ratio", {150, 100}, 2, 150, 0, false, {0}},
        {"above the ratio", {151, 100}, 2, 150, 0, true, {0, 1, 46}},
        {"narrow ratio", {112, 100}, 2, 110, 0, true, {0, 1, 11}},
        {"wide ratio", {1000, 100}, 2, 1000, 0, false, {0}},
        {"above a wide ratio", {1001, 100}, 2, 1000, 0, true, {0, 1, 811}},
        {"at the floor", {1000, 0}, 2, 150, 1000, false, {0}},
        {"above the floor", {1001, 0}, 2, 150, 1000, true, {0, 1, 901}},
        {"most and least of four", {50, 90, 10, 60}, 4, 150, 0, true, {1, 2, 72}},
        {"first of equals", {90, 10, 90, 10}, 4, 150, 0, true, {0, 1, 72}},
        {"terabytes", {UINT64_C(1) << 50, 1}, 2, 150, 0, true, {0, 1, 1013309916158361}},
        {"one loop", {900}, 1, 150, 0, false, {0}},
    };
    net_world_must_open(&world); // for tear_down
    for (size_t i = 0; i < FIL_COUNT_OF(rows); i++) {
        struct fil_balance balance = {0};
        bool is_uneven = fil_balancer_choose(rows[i].loads, rows[i].count, rows[i].ratio_percent,
                                             rows[i].floor_points, &balance);
        if (is_uneven != rows[i].is_uneven || balance.source != rows[i].expected.source ||
            balance.target != rows[i].expected.target ||
            balance.points_max != rows[i].expected.points_max) {
            fail_msg("%s: %d, %u -> %u below %llu", rows[i].name, is_uneven, balance.source,
                     balance.target, (unsigned long long)balance.points_max);
        }
    }
}

static void test_nothing_happens_before_the_interval_is_over(void **state)
{
    (void)state;
    open_world(INTERVAL);
    open_clients(3);
    load(0, 800000);
    load(2, 400000);
    net_world_run_for(&world, SECOND / 10);
    int64_t left = wait_ns();
    assert_in_range(left, 1, (int64_t)INTERVAL);
    fil_sim_advance(&world.sim, (uint64_t)left - 1);
    assert_int_equal(wait_ns(), 1);
    assert_int_equal(cycle(), 0);
    fil_sim_advance(&world.sim, 1);
    assert_int_equal(wait_ns(), 0);
    assert_int_equal(cycle(), 1);
    assert_int_equal(wait_ns(), (int64_t)INTERVAL);
}

static void test_never_is_never(void **state)
{
    (void)state;
    open_world(0);
    open_clients(3);
    load(0, 800000);
    load(2, 400000);
    assert_int_equal(run_round(), 0);
    assert_int_equal(wait_ns(), FIL_WAIT_FOREVER);
}

static void test_one_loop_has_no_rounds(void **state)
{
    (void)state;
    world.loop_count = 1;
    open_world(INTERVAL);
    open_clients(2);
    load(0, 800000);
    assert_int_equal(run_round(), 0);
    assert_int_equal(wait_ns(), FIL_WAIT_FOREVER);
}

static void test_busy_connections_of_one_loop_are_spread(void **state)
{
    (void)state;
    world.loop_count = 3;
    open_world(INTERVAL);
    open_clients(12);
    for (uint32_t round = 0; round < 12; round++) {
        // All of the first loop.
        for (uint32_t client = 0; client < 12; client += 3) {
            load(client, 600000);
        }
        (void)run_round();
        assert_int_equal(count_moves(), round < 2 ? round + 1 : 2);
    }
    // As even as four can be.
    uint32_t busy[3] = {0};
    for (uint32_t client = 0; client < 12; client += 3) {
        busy[loop_of(client)]++;
    }
    assert_int_equal(busy[0], 2);
    assert_int_equal(busy[1], 1);
    assert_int_equal(busy[2], 1);
}

static void test_only_busy_connection_stays(void **state)
{
    (void)state;
    open_world(INTERVAL);
    open_clients(3);
    assert_int_equal(run_round(), 0); // from now on the others are silent
    for (uint32_t round = 0; round < 3; round++) {
        load(0, 2000000);
        (void)run_round();
        assert_int_equal(loop_of(0), 0);
    }
    assert_int_equal(count_moves(), 0);
    // The ratio is exceeded all the same, and that is counted.
    assert_int_equal(fil_counter_read(&balancer.imbalances), 3);
}

static void test_busiest_that_fits_moves(void **state)
{
    (void)state;
    open_world(INTERVAL);
    open_clients(8);
    load(0, 5000000); // nearly all of the load: it does not fit
    load(2, 20000);
    load(4, 60000);
    load(6, 40000);
    assert_int_equal(run_round(), 1);
    assert_int_equal(loop_of(0), 0);
    assert_int_equal(loop_of(2), 0);
    assert_int_equal(loop_of(4), 1);
    assert_int_equal(loop_of(6), 0);
}

static void test_load_is_that_of_the_last_round(void **state)
{
    (void)state;
    open_world(INTERVAL);
    open_clients(6);
    load(0, 900000);
    load(1, 900000);
    assert_int_equal(run_round(), 0);
    load(2, 700000);
    load(4, 800000);
    assert_int_equal(run_round(), 1);
    assert_int_equal(loop_of(0), 0); // busy once
    assert_int_equal(loop_of(2), 0);
    assert_int_equal(loop_of(4), 1);
}

static void test_load_is_not_that_of_the_round_that_began(void **state)
{
    (void)state;
    open_world(INTERVAL);
    open_clients(6);
    load(0, 900000);
    load(2, 800000);
    net_world_run_for(&world, SECOND / 100);
    fil_sim_advance(&world.sim, INTERVAL);
    assert_int_equal(cycle(), 1);
    // The loop comes late to its inbox, and has served its connections meanwhile.
    struct fil_link *inbox = fil_stack_take_all(&world.loops[0].inbox);
    assert_ptr_equal(inbox, &balancer.request.message.link);
    load(2, 1000000);
    net_world_run_for(&world, SECOND / 100);
    fil_loop_post(&world.loops[0], &balancer.request.message);
    net_world_run_for(&world, SECOND / 100);
    assert_int_equal(loop_of(0), 1);
    assert_int_equal(loop_of(2), 0);
}

static void test_pinned_connection_stays(void **state)
{
    (void)state;
    open_world(INTERVAL);
    fil_role_assert_io();
    open_clients(6);
    fil_connection_pin(connection_of(2));
    load(0, 500000);
    load(2, 900000);
    load(4, 400000);
    assert_int_equal(run_round(), 1);
    assert_int_equal(loop_of(2), 0);
    assert_int_equal(loop_of(0), 1);
}

static void test_little_load_moves_nothing(void **state)
{
    (void)state;
    open_world(INTERVAL);
    open_clients(6);
    load(0, 100000);
    load(2, 100000);
    assert_int_equal(run_round(), 0);
    assert_int_equal(fil_counter_read(&balancer.imbalances), 0);
}

static void test_request_that_was_not_seen_is_not_overwritten(void **state)
{
    (void)state;
    open_world(INTERVAL);
    open_clients(6);
    load(0, 900000);
    load(2, 800000);
    net_world_run_for(&world, SECOND / 100);
    fil_sim_advance(&world.sim, INTERVAL);
    assert_int_equal(cycle(), 1);
    load(0, 900000);
    load(2, 800000);
    // The loop serves its connections, but has not come to its inbox.
    struct fil_link *inbox = fil_stack_take_all(&world.loops[0].inbox);
    assert_ptr_equal(inbox, &balancer.request.message.link);
    net_world_run_for(&world, SECOND / 100);
    fil_sim_advance(&world.sim, INTERVAL);
    assert_int_equal(cycle(), 0);
    assert_int_equal(fil_counter_read(&balancer.imbalances), 2);
    fil_loop_post(&world.loops[0], &balancer.request.message);
    net_world_run_for(&world, SECOND / 100);
    assert_false(atomic_load_explicit(&balancer.request.is_sent, memory_order_relaxed));
}

static void test_points_of_a_loop_are_those_of_its_connections(void **state)
{
    (void)state;
    open_world(INTERVAL);
    fil_role_assert_io();
    open_clients(4);
    load(0, 300000);
    load(2, 12345);
    net_world_run_for(&world, SECOND / 100);
    uint64_t sum = 0;
    fil_list_foreach(link, &world.loops[0].connections) {
        sum += FIL_CONTAINER_OF(link, struct fil_connection, link)->load.points;
    }
    assert_int_equal(sum, fil_load_of_loop(&world.loops[0].stats));
}

static void test_points_of_rounds(void **state)
{
    (void)state;
    struct fil_load one = {0};
    net_world_must_open(&world); // for tear_down
    one.points = 7;
    assert_int_equal(fil_load_before(&one, 0), 0);
    assert_int_equal(fil_load_before(&one, 1), 7);
    assert_int_equal(fil_load_before(&one, 2), 0);
    fil_load_turn(&one, 1);
    assert_int_equal(one.points, 0);
    assert_int_equal(fil_load_before(&one, 1), 7);
    one.points = 9;
    assert_int_equal(fil_load_before(&one, 2), 9);
    fil_load_turn(&one, 5);
    assert_int_equal(fil_load_before(&one, 5), 0);
    assert_int_equal(fil_load_points(3, 2, 1), 3 + 2 * 1024 + 4096);
}

// Time.

#define SLOW_CLIENTS 6U
#define ASKS         200U // enough for some in turns that are measured

static uint64_t slow_ns[SLOW_CLIENTS]; // what a request of the client takes
static struct fil_protocol_ops slow_ops;
static struct fil_protocol slow_protocol;

static int receive_slowly(struct fil_connection *connection, struct fil_bytes bytes,
                          size_t *out_consumed)
{
    fil_sim_advance(&world.sim, slow_ns[connection->id - 1]);
    return toy_echo_protocol.receive(connection, bytes, out_consumed);
}

static void open_slow_world(void)
{
    slow_ops = toy_echo_protocol;
    slow_ops.receive = receive_slowly;
    slow_protocol = (struct fil_protocol){&slow_ops, &world.toy};
    world.protocols = &slow_protocol;
    world.protocol_count = 1;
    open_world(INTERVAL);
    open_clients(SLOW_CLIENTS);
}

static void ask_many_times(uint32_t client, size_t bytes)
{
    for (uint32_t i = 0; i < ASKS; i++) {
        load(client, bytes);
        net_world_run_for(&world, SECOND / 1000000);
    }
}

static void test_connection_that_takes_time_is_the_busiest(void **state)
{
    (void)state;
    memset(slow_ns, 0, sizeof(slow_ns));
    open_slow_world();
    (void)run_round();
    // All three on the first loop; who takes the most time asks for the fewest bytes.
    slow_ns[0] = 100000;
    slow_ns[2] = 300000;
    slow_ns[4] = 200000;
    ask_many_times(0, 300);
    ask_many_times(2, 100);
    ask_many_times(4, 200);
    assert_int_equal(run_round(), 1);
    assert_int_equal(loop_of(0), 0);
    assert_int_equal(loop_of(2), 1);
    assert_int_equal(loop_of(4), 0);
}

static void test_time_of_a_loop_is_that_of_its_connections(void **state)
{
    (void)state;
    memset(slow_ns, 0, sizeof(slow_ns));
    open_slow_world();
    fil_role_assert_io();
    slow_ns[0] = 7000;
    slow_ns[2] = SECOND; // the thread does not get on: cut
    ask_many_times(0, 100);
    ask_many_times(2, 100);
    const struct fil_loop_stats *stats = &world.loops[0].stats;
    assert_true(fil_counter_read(&stats->measured_ns) > 0);
    assert_true(fil_counter_read(&stats->measured_ns) <
                (uint64_t)ASKS * (slow_ns[0] + FIL_LOAD_PART_NS_MAX));
    uint64_t sum = 0;
    fil_list_foreach(link, &world.loops[0].connections) {
        sum += FIL_CONTAINER_OF(link, struct fil_connection, link)->load.points;
    }
    assert_int_equal(sum, fil_load_of_loop(stats));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(rule),
        TEST(nothing_happens_before_the_interval_is_over),
        TEST(never_is_never),
        TEST(one_loop_has_no_rounds),
        TEST(busy_connections_of_one_loop_are_spread),
        TEST(only_busy_connection_stays),
        TEST(busiest_that_fits_moves),
        TEST(load_is_that_of_the_last_round),
        TEST(load_is_not_that_of_the_round_that_began),
        TEST(pinned_connection_stays),
        TEST(little_load_moves_nothing),
        TEST(request_that_was_not_seen_is_not_overwritten),
        TEST(points_of_a_loop_are_those_of_its_connections),
        TEST(points_of_rounds),
        TEST(connection_that_takes_time_is_the_busiest),
        TEST(time_of_a_loop_is_that_of_its_connections),
    };
#undef TEST
    return cmocka_run_group_tests_name("balancer", tests, NULL, NULL);
}
