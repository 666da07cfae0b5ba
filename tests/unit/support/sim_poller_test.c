// SPDX-License-Identifier: Apache-2.0
/**
 * The simulated poller, one test a promise: it tells what epoll would, as long as it is so; it
 * never blocks but remembers until when it would have; a wake-up ends one wait; the order of
 * events follows the seed.
 */
#include <string.h>

#include "tests/unit/support/sim_pair.h"

struct watched {
    struct sim_pair pair;
    struct fil_poller *poller;
};

static void open_watched(struct watched *watched, uint64_t seed,
                         const struct fil_sim_options *options, uint32_t interest)
{
    sim_pair_open(&watched->pair, seed, options);
    struct fil_env *env = &watched->pair.sim.env;
    assert_int_equal(env->ops->poller_new(env, &watched->poller), FIL_OK);
    assert_int_equal(env->ops->poller_add(env, watched->poller, watched->pair.server, interest,
                                          &watched->pair.server),
                     FIL_OK);
}

static void close_watched(struct watched *watched)
{
    watched->pair.sim.env.ops->poller_free(&watched->pair.sim.env, watched->poller);
    sim_pair_close(&watched->pair);
}

/** What one wait says about the server's end: FIL_POLL_*. */
static uint32_t poll_ready(struct watched *watched)
{
    struct fil_env *env = &watched->pair.sim.env;
    struct fil_poll_event events[4];
    int count = env->ops->poller_wait(env, watched->poller, events, 4, FIL_WAIT_FOREVER);
    if (count == 0) {
        return 0;
    }
    assert_int_equal(count, 1);
    assert_ptr_equal(events[0].context, &watched->pair.server);
    return events[0].ready;
}

static void change(struct watched *watched, uint32_t interest)
{
    struct fil_env *env = &watched->pair.sim.env;
    assert_int_equal(env->ops->poller_change(env, watched->poller, watched->pair.server, interest,
                                             &watched->pair.server),
                     FIL_OK);
}

static void test_readable_until_everything_was_read(void **state)
{
    (void)state;
    struct watched watched;
    open_watched(&watched, 1, NULL, FIL_POLL_READ);
    assert_int_equal(poll_ready(&watched), 0);
    assert_int_equal(sim_pair_send(&watched.pair, watched.pair.client, "ab", 2), 2);
    char byte = 0;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(poll_ready(&watched), FIL_POLL_READ);
        assert_int_equal(sim_pair_receive(&watched.pair, watched.pair.server, &byte, 1), 1);
    }
    assert_int_equal(poll_ready(&watched), 0);
    close_watched(&watched);
}

static void test_end_of_stream_stays_readable(void **state)
{
    (void)state;
    struct watched watched;
    open_watched(&watched, 1, NULL, FIL_POLL_READ);
    sim_pair_shut(&watched.pair, &watched.pair.client);
    char byte = 0;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(poll_ready(&watched), FIL_POLL_READ);
        assert_int_equal(sim_pair_receive(&watched.pair, watched.pair.server, &byte, 1), 0);
    }
    // With both directions over it is hung up, and that is told to everybody.
    watched.pair.sim.env.ops->finish(&watched.pair.sim.env, watched.pair.server);
    change(&watched, 0);
    assert_int_equal(poll_ready(&watched), FIL_POLL_ERROR);
    close_watched(&watched);
}

static void test_writable_when_a_third_is_free(void **state)
{
    (void)state;
    struct fil_sim_options options = {.buffer_bytes = {.min = 9, .max = 9}};
    struct watched watched;
    open_watched(&watched, 1, &options, FIL_POLL_WRITE);
    assert_int_equal(poll_ready(&watched), FIL_POLL_WRITE);
    char text[16] = "0123456789abcdef";
    assert_int_equal(sim_pair_send(&watched.pair, watched.pair.server, text, 16), 9);
    assert_int_equal(poll_ready(&watched), 0);
    assert_int_equal(sim_pair_receive(&watched.pair, watched.pair.client, text, 2), 2);
    assert_int_equal(poll_ready(&watched), 0);
    assert_int_equal(sim_pair_receive(&watched.pair, watched.pair.client, text, 1), 1);
    assert_int_equal(poll_ready(&watched), FIL_POLL_WRITE);
    close_watched(&watched);
}

static void test_reset_is_told_without_being_asked_for(void **state)
{
    (void)state;
    struct watched watched;
    open_watched(&watched, 1, NULL, 0);
    assert_int_equal(poll_ready(&watched), 0);
    fil_sim_reset(&watched.pair.sim, watched.pair.client);
    watched.pair.client = -1;
    assert_int_equal(poll_ready(&watched), FIL_POLL_ERROR);
    change(&watched, FIL_POLL_READ | FIL_POLL_WRITE);
    assert_int_equal(poll_ready(&watched), FIL_POLL_READ | FIL_POLL_WRITE | FIL_POLL_ERROR);
    close_watched(&watched);
}

static void test_interest_filters_what_is_told(void **state)
{
    (void)state;
    struct watched watched;
    open_watched(&watched, 1, NULL, FIL_POLL_READ | FIL_POLL_WRITE);
    assert_int_equal(sim_pair_send(&watched.pair, watched.pair.client, "x", 1), 1);
    assert_int_equal(poll_ready(&watched), FIL_POLL_READ | FIL_POLL_WRITE);
    change(&watched, FIL_POLL_READ);
    assert_int_equal(poll_ready(&watched), FIL_POLL_READ);
    change(&watched, 0);
    assert_int_equal(poll_ready(&watched), 0);
    change(&watched, FIL_POLL_WRITE);
    assert_int_equal(poll_ready(&watched), FIL_POLL_WRITE);
    watched.pair.sim.env.ops->poller_remove(&watched.pair.sim.env, watched.poller,
                                            watched.pair.server);
    assert_int_equal(poll_ready(&watched), 0);
    close_watched(&watched);
}

static void test_closed_descriptor_leaves_its_poller(void **state)
{
    (void)state;
    struct watched watched;
    open_watched(&watched, 1, NULL, FIL_POLL_WRITE);
    struct sim_pair *pair = &watched.pair;
    int old = pair->server;
    sim_pair_shut(pair, &pair->server);
    int client = sim_pair_connect(pair);
    pair->server = sim_pair_accept(pair);
    assert_true(pair->server == old || client == old);
    assert_int_equal(poll_ready(&watched), 0);
    sim_pair_shut(pair, &client);
    close_watched(&watched);
}

static void test_connecting_socket_is_writable_once_it_is_there(void **state)
{
    (void)state;
    struct fil_sim_options options = {.delay_ns = {.min = 10, .max = 10}};
    struct watched watched;
    open_watched(&watched, 1, &options, 0);
    struct fil_env *env = &watched.pair.sim.env;
    int fds[2] = {-1, -1};
    struct fil_address nobody = watched.pair.address;
    nobody.port++;
    assert_int_equal(env->ops->connect(env, &watched.pair.address, &fds[0]), FIL_OK);
    assert_int_equal(env->ops->connect(env, &nobody, &fds[1]), FIL_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(env->ops->poller_add(env, watched.poller, fds[i], FIL_POLL_WRITE, &fds[i]),
                         FIL_OK);
    }
    struct fil_poll_event events[2];
    fil_sim_advance(&watched.pair.sim, 19);
    assert_int_equal(env->ops->poller_wait(env, watched.poller, events, 2, 0), 0);
    fil_sim_advance(&watched.pair.sim, 1);
    assert_int_equal(env->ops->poller_wait(env, watched.poller, events, 2, 0), 2);
    for (int i = 0; i < 2; i++) {
        bool is_refused = events[i].context == &fds[1];
        assert_int_equal(events[i].ready, FIL_POLL_WRITE | (is_refused ? FIL_POLL_ERROR : 0));
    }
    sim_pair_shut(&watched.pair, &fds[0]);
    sim_pair_shut(&watched.pair, &fds[1]);
    close_watched(&watched);
}

static void test_listener_is_readable_while_somebody_waits(void **state)
{
    (void)state;
    struct sim_pair pair;
    sim_pair_listen(&pair, 1, NULL);
    struct fil_env *env = &pair.sim.env;
    struct fil_poller *poller = NULL;
    struct fil_poll_event event;
    assert_int_equal(env->ops->poller_new(env, &poller), FIL_OK);
    assert_int_equal(env->ops->poller_add(env, poller, pair.listener, FIL_POLL_READ, NULL), FIL_OK);
    assert_int_equal(env->ops->poller_wait(env, poller, &event, 1, 0), 0);
    pair.client = sim_pair_connect(&pair);
    assert_int_equal(env->ops->poller_wait(env, poller, &event, 1, 0), 1);
    assert_int_equal(env->ops->poller_wait(env, poller, &event, 1, 0), 1);
    assert_int_equal(event.ready, FIL_POLL_READ);
    pair.server = sim_pair_accept(&pair);
    assert_int_equal(env->ops->poller_wait(env, poller, &event, 1, 0), 0);
    env->ops->poller_free(env, poller);
    sim_pair_close(&pair);
}

static void test_wait_remembers_its_timeout(void **state)
{
    (void)state;
    struct watched watched;
    open_watched(&watched, 1, NULL, FIL_POLL_READ);
    struct fil_sim *sim = &watched.pair.sim;
    struct fil_poll_event event;
    uint64_t now_ns = sim->now_ns;
    assert_int_equal(sim->env.ops->poller_wait(&sim->env, watched.poller, &event, 1, 300), 0);
    assert_int_equal(sim->now_ns, now_ns);
    assert_int_equal(fil_sim_next_event_ns(sim), now_ns + 300);
    // Neither looking nor waiting without end gives the clock a reason to move.
    assert_int_equal(sim->env.ops->poller_wait(&sim->env, watched.poller, &event, 1, 0), 0);
    assert_true(fil_sim_next_event_ns(sim) == FIL_SIM_NEVER);
    assert_int_equal(poll_ready(&watched), 0);
    assert_true(fil_sim_next_event_ns(sim) == FIL_SIM_NEVER);
    // Nor does a wait that had something to tell.
    assert_int_equal(sim_pair_send(&watched.pair, watched.pair.client, "x", 1), 1);
    assert_int_equal(sim->env.ops->poller_wait(&sim->env, watched.poller, &event, 1, 300), 1);
    assert_true(fil_sim_next_event_ns(sim) == FIL_SIM_NEVER);
    close_watched(&watched);
}

static void test_wake_ends_one_wait(void **state)
{
    (void)state;
    struct watched watched;
    open_watched(&watched, 1, NULL, FIL_POLL_READ);
    struct fil_sim *sim = &watched.pair.sim;
    struct fil_poll_event event;
    uint64_t now_ns = sim->now_ns;
    sim->env.ops->poller_wake(&sim->env, watched.poller);
    sim->env.ops->poller_wake(&sim->env, watched.poller);
    assert_int_equal(sim->env.ops->poller_wait(&sim->env, watched.poller, &event, 1, 300), 0);
    assert_true(fil_sim_next_event_ns(sim) == FIL_SIM_NEVER);
    assert_int_equal(sim->env.ops->poller_wait(&sim->env, watched.poller, &event, 1, 300), 0);
    assert_int_equal(fil_sim_next_event_ns(sim), now_ns + 300);
    close_watched(&watched);
}

#define CROWD 8

/** The order in which a wait tells of eight sockets that are all writable, as a number. */
static uint64_t order_of_events(uint64_t seed, int limit)
{
    struct sim_pair pair;
    sim_pair_listen(&pair, seed, NULL);
    struct fil_env *env = &pair.sim.env;
    struct fil_poller *poller = NULL;
    assert_int_equal(env->ops->poller_new(env, &poller), FIL_OK);
    int fds[CROWD];
    for (int i = 0; i < CROWD; i++) {
        fds[i] = sim_pair_connect(&pair);
        assert_int_equal(env->ops->poller_add(env, poller, fds[i], FIL_POLL_WRITE, &fds[i]),
                         FIL_OK);
    }
    struct fil_poll_event events[CROWD];
    assert_int_equal(env->ops->poller_wait(env, poller, events, limit, 0), limit);
    uint64_t order = 0;
    uint32_t seen = 0;
    for (int i = 0; i < limit; i++) {
        const int *fd = events[i].context;
        order = order * CROWD + (uint64_t)(fd - fds);
        seen |= 1U << (fd - fds);
    }
    assert_int_equal(__builtin_popcount(seen), limit);
    env->ops->poller_free(env, poller);
    for (int i = 0; i < CROWD; i++) {
        sim_pair_shut(&pair, &fds[i]);
    }
    sim_pair_close(&pair);
    return order;
}

static void test_order_of_events_follows_the_seed(void **state)
{
    (void)state;
    uint32_t differing = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint64_t order = order_of_events(seed, CROWD);
        assert_true(order == order_of_events(seed, CROWD));
        differing += order != order_of_events(seed + 1, CROWD);
    }
    assert_true(differing >= 19);
}

static void test_limit_gives_everybody_a_chance(void **state)
{
    (void)state;
    uint32_t first = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        first |= 1U << order_of_events(seed, 1);
    }
    assert_int_equal(first, (1U << CROWD) - 1);
}

static void test_spurious_events_name_only_what_was_asked_for(void **state)
{
    (void)state;
    struct fil_sim_options options = {.chance = {[FIL_SIM_FAULT_SPURIOUS_READY] = 0.3}};
    struct watched watched;
    open_watched(&watched, 1, &options, FIL_POLL_READ);
    uint64_t told = 0;
    for (int i = 0; i < 100; i++) {
        uint32_t ready = poll_ready(&watched);
        assert_int_equal(ready & ~FIL_POLL_READ, 0);
        told += ready != 0;
    }
    assert_true(told > 0);
    assert_int_equal(fil_sim_faults(&watched.pair.sim, FIL_SIM_FAULT_SPURIOUS_READY), told);
    change(&watched, 0);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(poll_ready(&watched), 0);
    }
    assert_int_equal(fil_sim_faults(&watched.pair.sim, FIL_SIM_FAULT_SPURIOUS_READY), told);
    close_watched(&watched);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readable_until_everything_was_read),
        cmocka_unit_test(test_end_of_stream_stays_readable),
        cmocka_unit_test(test_writable_when_a_third_is_free),
        cmocka_unit_test(test_reset_is_told_without_being_asked_for),
        cmocka_unit_test(test_interest_filters_what_is_told),
        cmocka_unit_test(test_closed_descriptor_leaves_its_poller),
        cmocka_unit_test(test_connecting_socket_is_writable_once_it_is_there),
        cmocka_unit_test(test_listener_is_readable_while_somebody_waits),
        cmocka_unit_test(test_wait_remembers_its_timeout),
        cmocka_unit_test(test_wake_ends_one_wait),
        cmocka_unit_test(test_order_of_events_follows_the_seed),
        cmocka_unit_test(test_limit_gives_everybody_a_chance),
        cmocka_unit_test(test_spurious_events_name_only_what_was_asked_for),
    };
    return cmocka_run_group_tests_name("sim_poller", tests, NULL, NULL);
}
