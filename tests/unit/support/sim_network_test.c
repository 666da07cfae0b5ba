// SPDX-License-Identifier: Apache-2.0
/**
 * The simulated network, one test a promise: perfect when nothing else is asked for; bytes in
 * order whatever their delays; bounded buffers; ends, resets, vanished peers and refusals as TCP
 * has them; descriptors as the kernel gives them.
 */
#include <string.h>

#include "tests/unit/support/sim_pair.h"

static void test_perfect_network_is_instant_and_whole(void **state)
{
    (void)state;
    struct sim_pair pair;
    sim_pair_open(&pair, 1, NULL);
    uint64_t now_ns = pair.sim.now_ns;
    struct fil_bytes slices[3] = {fil_bytes_of("one "), fil_bytes_of(""), fil_bytes_of("two")};
    struct fil_env *env = &pair.sim.env;
    assert_int_equal(env->ops->send(env, pair.client, slices, 3), 7);
    char text[16];
    assert_int_equal(sim_pair_receive(&pair, pair.server, text, sizeof(text)), 7);
    assert_memory_equal(text, "one two", 7);
    assert_int_equal(sim_pair_receive(&pair, pair.server, text, sizeof(text)), FIL_E_AGAIN);
    assert_int_equal(pair.sim.now_ns, now_ns);
    assert_true(fil_sim_next_event_ns(&pair.sim) == FIL_SIM_NEVER);
    assert_int_equal(pair.sim.fault_count, 0);
    sim_pair_close(&pair);
}

static void test_bytes_arrive_after_their_delay(void **state)
{
    (void)state;
    struct fil_sim_options options = {.delay_ns = {.min = 500, .max = 500}};
    struct sim_pair pair;
    sim_pair_open(&pair, 1, &options);
    uint64_t now_ns = pair.sim.now_ns;
    assert_int_equal(sim_pair_send(&pair, pair.client, "x", 1), 1);
    assert_int_equal(fil_sim_next_event_ns(&pair.sim), now_ns + 500);
    char byte = 0;
    fil_sim_advance(&pair.sim, 499);
    assert_int_equal(sim_pair_receive(&pair, pair.server, &byte, 1), FIL_E_AGAIN);
    fil_sim_advance(&pair.sim, 1);
    assert_int_equal(sim_pair_receive(&pair, pair.server, &byte, 1), 1);
    sim_pair_close(&pair);
}

/** Sends numbered bytes in both directions through a small, slow, faulty pipe. */
static void pump(struct sim_pair *pair, int from, int to)
{
    uint8_t sent = 0;
    uint8_t expected = 0;
    uint32_t received = 0;
    while (received < 2000) {
        uint8_t bytes[50];
        for (size_t i = 0; i < sizeof(bytes); i++) {
            bytes[i] = (uint8_t)(sent + i);
        }
        int64_t count = sim_pair_send(pair, from, bytes, sizeof(bytes));
        assert_true(count > 0 || count == FIL_E_AGAIN);
        sent = (uint8_t)(sent + (count > 0 ? count : 0));
        fil_sim_advance(&pair->sim, 100);
        count = sim_pair_receive(pair, to, bytes, sizeof(bytes));
        assert_true(count > 0 || count == FIL_E_AGAIN);
        for (int64_t i = 0; i < count; i++) {
            assert_int_equal(bytes[i], expected);
            expected++;
            received++;
        }
    }
}

static void test_bytes_keep_their_order_whatever_the_delays(void **state)
{
    (void)state;
    struct fil_sim_options options = {.delay_ns = {.min = 0, .max = 5000},
                                      .segment_bytes = {.min = 1, .max = 7},
                                      .buffer_bytes = {.min = 1, .max = 300}};
    options.chance[FIL_SIM_FAULT_SHORT_SEND] = 0.5;
    options.chance[FIL_SIM_FAULT_SHORT_RECEIVE] = 0.5;
    options.chance[FIL_SIM_FAULT_SEND_AGAIN] = 0.2;
    options.chance[FIL_SIM_FAULT_RECEIVE_AGAIN] = 0.2;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct sim_pair pair;
        sim_pair_open(&pair, seed, &options);
        pump(&pair, pair.client, pair.server);
        pump(&pair, pair.server, pair.client);
        assert_true(fil_sim_faults(&pair.sim, FIL_SIM_FAULT_SHORT_SEND) > 0);
        assert_true(fil_sim_faults(&pair.sim, FIL_SIM_FAULT_SHORT_RECEIVE) > 0);
        assert_true(fil_sim_faults(&pair.sim, FIL_SIM_FAULT_SEND_AGAIN) > 0);
        assert_true(fil_sim_faults(&pair.sim, FIL_SIM_FAULT_RECEIVE_AGAIN) > 0);
        sim_pair_close(&pair);
    }
}

static void test_full_buffer_takes_less_and_then_nothing(void **state)
{
    (void)state;
    struct fil_sim_options options = {.buffer_bytes = {.min = 10, .max = 10}};
    struct sim_pair pair;
    sim_pair_open(&pair, 1, &options);
    char text[16] = "0123456789abcdef";
    assert_int_equal(sim_pair_send(&pair, pair.client, text, 6), 6);
    assert_int_equal(sim_pair_send(&pair, pair.client, text, 6), 4);
    assert_int_equal(sim_pair_send(&pair, pair.client, text, 6), FIL_E_AGAIN);
    assert_int_equal(sim_pair_receive(&pair, pair.server, text, 3), 3);
    assert_int_equal(sim_pair_send(&pair, pair.client, text, 6), 3);
    sim_pair_close(&pair);
}

static void test_end_of_stream_comes_after_the_bytes(void **state)
{
    (void)state;
    struct fil_sim_options options = {.delay_ns = {.min = 1, .max = 1000}};
    struct sim_pair pair;
    sim_pair_open(&pair, 1, &options);
    assert_int_equal(sim_pair_send(&pair, pair.client, "bye", 3), 3);
    sim_pair_shut(&pair, &pair.client);
    sim_pair_settle(&pair);
    char text[8];
    assert_int_equal(sim_pair_receive(&pair, pair.server, text, sizeof(text)), 3);
    assert_int_equal(sim_pair_receive(&pair, pair.server, text, sizeof(text)), 0);
    assert_int_equal(sim_pair_receive(&pair, pair.server, text, sizeof(text)), 0);
    sim_pair_close(&pair);
}

static void test_half_close_leaves_the_other_direction(void **state)
{
    (void)state;
    struct sim_pair pair;
    sim_pair_open(&pair, 1, NULL);
    char text[8];
    pair.sim.env.ops->finish(&pair.sim.env, pair.client);
    assert_int_equal(sim_pair_receive(&pair, pair.server, text, sizeof(text)), 0);
    assert_int_equal(sim_pair_send(&pair, pair.client, "x", 1), FIL_E_CLOSED);
    assert_int_equal(sim_pair_send(&pair, pair.server, "reply", 5), 5);
    assert_int_equal(sim_pair_receive(&pair, pair.client, text, sizeof(text)), 5);
    sim_pair_close(&pair);
}

static void test_reset_loses_what_is_pending(void **state)
{
    (void)state;
    struct fil_sim_options options = {.delay_ns = {.min = 100, .max = 100}};
    struct sim_pair pair;
    sim_pair_open(&pair, 1, &options);
    char text[8];
    assert_int_equal(sim_pair_send(&pair, pair.client, "unread", 6), 6);
    fil_sim_advance(&pair.sim, 100);
    fil_sim_reset(&pair.sim, pair.client);
    pair.client = -1;
    fil_sim_advance(&pair.sim, 99);
    assert_int_equal(sim_pair_send(&pair, pair.server, "x", 1), 1);
    fil_sim_advance(&pair.sim, 1);
    assert_int_equal(sim_pair_receive(&pair, pair.server, text, sizeof(text)), FIL_E_CLOSED);
    assert_int_equal(sim_pair_send(&pair, pair.server, "x", 1), FIL_E_CLOSED);
    sim_pair_close(&pair);
}

static void test_reset_overtakes_the_end_of_the_stream(void **state)
{
    (void)state;
    struct fil_sim_options options = {.delay_ns = {.min = 100, .max = 100}};
    struct sim_pair pair;
    sim_pair_open(&pair, 1, &options);
    char byte = 0;
    pair.sim.env.ops->finish(&pair.sim.env, pair.client);
    fil_sim_advance(&pair.sim, 50);
    fil_sim_reset(&pair.sim, pair.client);
    pair.client = -1;
    fil_sim_advance(&pair.sim, 50);
    assert_int_equal(sim_pair_receive(&pair, pair.server, &byte, 1), FIL_E_AGAIN);
    fil_sim_advance(&pair.sim, 50);
    assert_int_equal(sim_pair_receive(&pair, pair.server, &byte, 1), FIL_E_CLOSED);
    sim_pair_close(&pair);
}

static void test_drawn_reset_hits_both_sides(void **state)
{
    (void)state;
    struct fil_sim_options options = {.delay_ns = {.min = 10, .max = 1000}};
    options.chance[FIL_SIM_FAULT_RESET] = 0.2;
    struct sim_pair pair;
    sim_pair_open(&pair, 1, &options);
    while (fil_sim_faults(&pair.sim, FIL_SIM_FAULT_RESET) == 0) {
        assert_int_equal(sim_pair_send(&pair, pair.client, "x", 1), 1);
    }
    sim_pair_settle(&pair);
    char byte = 0;
    assert_int_equal(sim_pair_receive(&pair, pair.client, &byte, 1), FIL_E_CLOSED);
    assert_int_equal(sim_pair_receive(&pair, pair.server, &byte, 1), FIL_E_CLOSED);
    sim_pair_close(&pair);
}

static void test_closing_with_bytes_unread_resets_the_peer(void **state)
{
    (void)state;
    struct sim_pair pair;
    sim_pair_open(&pair, 1, NULL);
    char text[8];
    assert_int_equal(sim_pair_send(&pair, pair.client, "unread", 6), 6);
    sim_pair_shut(&pair, &pair.server);
    assert_int_equal(sim_pair_receive(&pair, pair.client, text, sizeof(text)), FIL_E_CLOSED);
    sim_pair_close(&pair);
}

static void test_sending_to_a_closed_peer_is_answered_with_a_reset(void **state)
{
    (void)state;
    struct sim_pair pair;
    sim_pair_open(&pair, 1, NULL);
    char byte = 0;
    sim_pair_shut(&pair, &pair.server);
    assert_int_equal(sim_pair_receive(&pair, pair.client, &byte, 1), 0);
    assert_int_equal(sim_pair_send(&pair, pair.client, "x", 1), 1);
    assert_int_equal(sim_pair_send(&pair, pair.client, "x", 1), FIL_E_CLOSED);
    sim_pair_close(&pair);
}

static void test_reset_after_the_end_leaves_the_end_unless_bytes_are_lost(void **state)
{
    (void)state;
    for (int is_unread = 0; is_unread < 2; is_unread++) {
        struct sim_pair pair;
        sim_pair_open(&pair, 1, NULL);
        char text[8];
        assert_int_equal(sim_pair_send(&pair, pair.client, "abc", 3), 3);
        if (is_unread == 0) {
            assert_int_equal(sim_pair_receive(&pair, pair.server, text, sizeof(text)), 3);
        }
        sim_pair_shut(&pair, &pair.client);
        assert_int_equal(sim_pair_send(&pair, pair.server, "x", 1), 1);
        assert_int_equal(sim_pair_receive(&pair, pair.server, text, sizeof(text)),
                         is_unread == 0 ? 0 : FIL_E_CLOSED);
        sim_pair_close(&pair);
    }
}

static void test_vanished_peer_is_never_heard_of(void **state)
{
    (void)state;
    for (uint64_t delay_ns = 0; delay_ns <= 10; delay_ns += 10) {
        struct fil_sim_options options = {.delay_ns = {.min = delay_ns, .max = delay_ns},
                                          .buffer_bytes = {.min = 10, .max = 10}};
        struct sim_pair pair;
        sim_pair_open(&pair, 1, &options);
        fil_sim_vanish(&pair.sim, pair.client);
        pair.client = -1;
        char text[16] = "0123456789abcdef";
        assert_int_equal(sim_pair_send(&pair, pair.server, text, sizeof(text)), 10);
        fil_sim_advance(&pair.sim, UINT64_C(3600000000000));
        assert_int_equal(sim_pair_receive(&pair, pair.server, text, sizeof(text)), FIL_E_AGAIN);
        assert_int_equal(sim_pair_send(&pair, pair.server, text, sizeof(text)), FIL_E_AGAIN);
        assert_true(fil_sim_next_event_ns(&pair.sim) == FIL_SIM_NEVER);
        sim_pair_close(&pair);
    }
}

static void test_connecting_to_nobody_is_refused(void **state)
{
    (void)state;
    struct sim_pair pair;
    sim_pair_listen(&pair, 1, NULL);
    pair.address.port = 0;
    assert_int_equal(sim_pair_connect(&pair), FIL_E_ADDRESS);
    pair.address.port = 5702;
    pair.client = sim_pair_connect(&pair);
    assert_true(pair.client >= 0);
    // Told once; after that the stream is just over.
    char byte = 0;
    assert_int_equal(sim_pair_receive(&pair, pair.client, &byte, 1), FIL_E_CLOSED);
    assert_int_equal(sim_pair_receive(&pair, pair.client, &byte, 1), 0);
    assert_int_equal(sim_pair_send(&pair, pair.client, "x", 1), FIL_E_CLOSED);
    sim_pair_close(&pair);
}

static void test_refusal_takes_its_time_on_a_slow_network(void **state)
{
    (void)state;
    struct fil_sim_options options = {.delay_ns = {.min = 10, .max = 10}};
    struct sim_pair pair;
    sim_pair_listen(&pair, 1, &options);
    sim_pair_shut(&pair, &pair.listener);
    pair.client = sim_pair_connect(&pair);
    assert_true(pair.client >= 0);
    char byte = 0;
    assert_int_equal(sim_pair_send(&pair, pair.client, "x", 1), FIL_E_AGAIN);
    assert_int_equal(sim_pair_receive(&pair, pair.client, &byte, 1), FIL_E_AGAIN);
    fil_sim_advance(&pair.sim, 20);
    assert_int_equal(sim_pair_send(&pair, pair.client, "x", 1), FIL_E_CLOSED);
    assert_int_equal(sim_pair_receive(&pair, pair.client, &byte, 1), 0);
    sim_pair_close(&pair);
}

static void test_drawn_refusals_happen(void **state)
{
    (void)state;
    struct fil_sim_options options = {.chance = {[FIL_SIM_FAULT_CONNECT_REFUSED] = 0.5}};
    struct sim_pair pair;
    sim_pair_listen(&pair, 1, &options);
    uint32_t refused = 0;
    for (int i = 0; i < 20; i++) {
        pair.client = sim_pair_connect(&pair);
        char byte = 0;
        refused += sim_pair_receive(&pair, pair.client, &byte, 1) == FIL_E_CLOSED;
        pair.server = sim_pair_accept(&pair);
        sim_pair_shut(&pair, &pair.client);
        sim_pair_shut(&pair, &pair.server);
    }
    assert_true(refused > 2);
    assert_true(refused < 18);
    sim_pair_close(&pair);
}

static void test_full_backlog_refuses_and_recovers(void **state)
{
    (void)state;
    struct fil_sim_options options = {.backlog_max = 2};
    struct sim_pair pair;
    sim_pair_listen(&pair, 1, &options);
    int clients[3];
    char byte = 0;
    for (size_t i = 0; i < 3; i++) {
        clients[i] = sim_pair_connect(&pair);
        assert_int_equal(sim_pair_receive(&pair, clients[i], &byte, 1),
                         i < 2 ? FIL_E_AGAIN : FIL_E_CLOSED);
    }
    sim_pair_shut(&pair, &clients[2]);
    pair.server = sim_pair_accept(&pair);
    assert_true(pair.server >= 0);
    clients[2] = sim_pair_connect(&pair);
    assert_int_equal(sim_pair_receive(&pair, clients[2], &byte, 1), FIL_E_AGAIN);

    // Who still waits is reset with the listener; who was accepted is not.
    sim_pair_shut(&pair, &pair.listener);
    assert_int_equal(sim_pair_receive(&pair, clients[0], &byte, 1), FIL_E_AGAIN);
    assert_int_equal(sim_pair_receive(&pair, clients[1], &byte, 1), FIL_E_CLOSED);
    assert_int_equal(sim_pair_receive(&pair, clients[2], &byte, 1), FIL_E_CLOSED);
    for (size_t i = 0; i < 3; i++) {
        sim_pair_shut(&pair, &clients[i]);
    }
    sim_pair_close(&pair);
}

static void test_failed_accept_loses_nobody(void **state)
{
    (void)state;
    struct fil_sim_options options = {
        .chance = {[FIL_SIM_FAULT_ACCEPT_AGAIN] = 0.4, [FIL_SIM_FAULT_ACCEPT_SYSTEM] = 0.4}};
    struct sim_pair pair;
    sim_pair_listen(&pair, 1, &options);
    assert_int_equal(sim_pair_accept(&pair), FIL_E_AGAIN);
    assert_int_equal(pair.sim.fault_count, 0);
    for (int i = 0; i < 20; i++) {
        pair.client = sim_pair_connect(&pair);
        do {
            pair.server = sim_pair_accept(&pair);
        } while (pair.server == FIL_E_AGAIN || pair.server == FIL_E_SYSTEM);
        assert_true(pair.server >= 0);
        sim_pair_shut(&pair, &pair.client);
        sim_pair_shut(&pair, &pair.server);
    }
    assert_true(fil_sim_faults(&pair.sim, FIL_SIM_FAULT_ACCEPT_AGAIN) > 0);
    assert_true(fil_sim_faults(&pair.sim, FIL_SIM_FAULT_ACCEPT_SYSTEM) > 0);
    sim_pair_close(&pair);
}

static void test_server_that_speaks_first_is_heard(void **state)
{
    (void)state;
    struct fil_sim_options options = {.delay_ns = {.min = 1, .max = 1000}};
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct sim_pair pair;
        sim_pair_listen(&pair, seed, &options);
        pair.client = sim_pair_connect(&pair);
        fil_sim_advance_to(&pair.sim, fil_sim_next_event_ns(&pair.sim));
        pair.server = sim_pair_accept(&pair);
        assert_true(pair.server >= 0);
        // Its bytes may be drawn to be faster than the greeting, but do not overtake it.
        assert_int_equal(sim_pair_send(&pair, pair.server, "welcome", 7), 7);
        sim_pair_settle(&pair);
        char text[8];
        assert_int_equal(sim_pair_receive(&pair, pair.client, text, sizeof(text)), 7);
        sim_pair_close(&pair);
    }
}

static void test_client_may_send_and_close_before_it_is_accepted(void **state)
{
    (void)state;
    struct sim_pair pair;
    sim_pair_listen(&pair, 1, NULL);
    pair.client = sim_pair_connect(&pair);
    assert_int_equal(sim_pair_send(&pair, pair.client, "early", 5), 5);
    sim_pair_shut(&pair, &pair.client);
    pair.server = sim_pair_accept(&pair);
    char text[8];
    assert_int_equal(sim_pair_receive(&pair, pair.server, text, sizeof(text)), 5);
    assert_int_equal(sim_pair_receive(&pair, pair.server, text, sizeof(text)), 0);
    sim_pair_close(&pair);
}

static void test_client_that_gave_up_is_accepted_as_reset(void **state)
{
    (void)state;
    struct fil_sim_options options = {.delay_ns = {.min = 10, .max = 10}};
    struct sim_pair pair;
    sim_pair_listen(&pair, 1, &options);
    // Too early: the request never arrives.
    pair.client = sim_pair_connect(&pair);
    sim_pair_shut(&pair, &pair.client);
    sim_pair_settle(&pair);
    assert_int_equal(sim_pair_accept(&pair), FIL_E_AGAIN);
    // In the middle: it waits already, and its answer finds nobody.
    pair.client = sim_pair_connect(&pair);
    fil_sim_advance(&pair.sim, 10);
    sim_pair_shut(&pair, &pair.client);
    sim_pair_settle(&pair);
    pair.server = sim_pair_accept(&pair);
    char byte = 0;
    assert_int_equal(sim_pair_receive(&pair, pair.server, &byte, 1), FIL_E_CLOSED);
    sim_pair_close(&pair);
}

static void test_descriptors_are_limited_for_the_program_alone(void **state)
{
    (void)state;
    struct fil_sim_options options = {.descriptors_max = 2};
    struct sim_pair pair;
    sim_pair_listen(&pair, 1, &options);
    int clients[2] = {sim_pair_connect(&pair), sim_pair_connect(&pair)};
    pair.server = sim_pair_accept(&pair);
    assert_true(pair.server >= 0);
    assert_int_equal(sim_pair_accept(&pair), FIL_E_SYSTEM);
    struct fil_env *env = &pair.sim.env;
    assert_int_equal(env->ops->connect(env, &pair.address, &pair.client), FIL_E_SYSTEM);
    pair.client = sim_pair_connect(&pair);
    assert_true(pair.client >= 0);

    sim_pair_shut(&pair, &pair.server);
    pair.server = sim_pair_accept(&pair);
    assert_true(pair.server >= 0);
    sim_pair_shut(&pair, &clients[0]);
    sim_pair_shut(&pair, &clients[1]);
    sim_pair_close(&pair);
}

static void test_lowest_free_descriptor_is_used_again(void **state)
{
    (void)state;
    struct sim_pair pair;
    sim_pair_open(&pair, 1, NULL);
    int old = pair.client;
    assert_int_equal(old, FIL_SIM_FD_FIRST + 1);
    sim_pair_shut(&pair, &pair.client);
    pair.client = sim_pair_connect(&pair);
    assert_int_equal(pair.client, old);
    sim_pair_close(&pair);
}

static void test_connections_are_bounded(void **state)
{
    (void)state;
    struct fil_sim_options options = {.connections_max = 2};
    struct sim_pair pair;
    sim_pair_listen(&pair, 1, &options);
    int clients[2] = {sim_pair_connect(&pair), sim_pair_connect(&pair)};
    assert_int_equal(sim_pair_connect(&pair), FIL_E_SYSTEM);
    sim_pair_shut(&pair, &clients[0]);
    sim_pair_shut(&pair, &clients[1]);
    // Closed, but not accepted: the server may still read them.
    assert_int_equal(sim_pair_connect(&pair), FIL_E_SYSTEM);
    pair.server = sim_pair_accept(&pair);
    sim_pair_shut(&pair, &pair.server);
    pair.client = sim_pair_connect(&pair);
    assert_true(pair.client >= 0);
    sim_pair_close(&pair);
}

static void test_address_can_be_listened_on_once(void **state)
{
    (void)state;
    struct sim_pair pair;
    sim_pair_listen(&pair, 1, NULL);
    struct fil_env *env = &pair.sim.env;
    struct fil_address any = {.port = pair.address.port};
    struct fil_address bound;
    int fd = -1;
    assert_int_equal(env->ops->listen(env, &pair.address, 1, &fd, &bound), FIL_E_ADDRESS_USED);
    assert_int_equal(env->ops->listen(env, &any, 1, &fd, &bound), FIL_E_ADDRESS_USED);

    // Port 0 takes one that is free, and a connection finds it.
    any.port = 0;
    assert_int_equal(env->ops->listen(env, &any, 1, &fd, &bound), FIL_OK);
    assert_true(bound.port != 0);
    assert_true(bound.port != pair.address.port);
    pair.address.port = bound.port;
    pair.client = sim_pair_connect(&pair);
    char byte = 0;
    assert_int_equal(sim_pair_receive(&pair, pair.client, &byte, 1), FIL_E_AGAIN);
    sim_pair_shut(&pair, &fd);
    sim_pair_close(&pair);
}

static void test_accept_tells_where_the_peer_comes_from(void **state)
{
    (void)state;
    struct sim_pair pair;
    sim_pair_listen(&pair, 1, NULL);
    struct fil_address from;
    struct fil_address peer;
    assert_int_equal(fil_address_parse("10.1.2.3:777", &from), FIL_OK);
    assert_int_equal(fil_sim_connect(&pair.sim, "far", &from, &pair.address, &pair.client), FIL_OK);
    struct fil_env *env = &pair.sim.env;
    assert_int_equal(env->ops->accept(env, pair.listener, &pair.server, &peer), FIL_OK);
    assert_memory_equal(peer.ip, from.ip, sizeof(from.ip));
    assert_int_equal(peer.port, 777);
    sim_pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_perfect_network_is_instant_and_whole),
        cmocka_unit_test(test_bytes_arrive_after_their_delay),
        cmocka_unit_test(test_bytes_keep_their_order_whatever_the_delays),
        cmocka_unit_test(test_full_buffer_takes_less_and_then_nothing),
        cmocka_unit_test(test_end_of_stream_comes_after_the_bytes),
        cmocka_unit_test(test_half_close_leaves_the_other_direction),
        cmocka_unit_test(test_reset_loses_what_is_pending),
        cmocka_unit_test(test_reset_overtakes_the_end_of_the_stream),
        cmocka_unit_test(test_drawn_reset_hits_both_sides),
        cmocka_unit_test(test_closing_with_bytes_unread_resets_the_peer),
        cmocka_unit_test(test_sending_to_a_closed_peer_is_answered_with_a_reset),
        cmocka_unit_test(test_reset_after_the_end_leaves_the_end_unless_bytes_are_lost),
        cmocka_unit_test(test_vanished_peer_is_never_heard_of),
        cmocka_unit_test(test_connecting_to_nobody_is_refused),
        cmocka_unit_test(test_refusal_takes_its_time_on_a_slow_network),
        cmocka_unit_test(test_drawn_refusals_happen),
        cmocka_unit_test(test_full_backlog_refuses_and_recovers),
        cmocka_unit_test(test_failed_accept_loses_nobody),
        cmocka_unit_test(test_server_that_speaks_first_is_heard),
        cmocka_unit_test(test_client_may_send_and_close_before_it_is_accepted),
        cmocka_unit_test(test_client_that_gave_up_is_accepted_as_reset),
        cmocka_unit_test(test_descriptors_are_limited_for_the_program_alone),
        cmocka_unit_test(test_lowest_free_descriptor_is_used_again),
        cmocka_unit_test(test_connections_are_bounded),
        cmocka_unit_test(test_address_can_be_listened_on_once),
        cmocka_unit_test(test_accept_tells_where_the_peer_comes_from),
    };
    return cmocka_run_group_tests_name("sim_network", tests, NULL, NULL);
}
