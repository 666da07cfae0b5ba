// SPDX-License-Identifier: Apache-2.0
/**
 * A small echo server on the environment's functions, with several clients over many seeds:
 * a connection that is neither reset nor refused gets exactly its bytes back; the same seed gives
 * the same trace twice; different seeds give different ones; every fault really happens; nothing
 * leaks. A server with a fault of its own is found.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/sim_client.h"
#include "tests/unit/harness.h"

#define SEEDS           UINT64_C(1000)
#define DRAWN_SEEDS     UINT64_C(300)
#define CLIENTS         4U
#define CONNECTIONS_MAX 8U
#define MESSAGE_MAX     600U

struct echo;

struct echo_connection {
    struct echo *echo;
    int fd; // -1: not in use
    uint8_t buffer[64];
    size_t size; // received
    size_t sent;
    bool is_over;
};

struct echo {
    struct fil_env *env;
    struct fil_poller *poller;
    struct fil_address address;
    int listener;
    bool is_sloppy; // believes that a send takes everything
    struct echo_connection connections[CONNECTIONS_MAX];
};

static void echo_open(struct echo *echo, struct fil_env *env)
{
    memset(echo, 0, sizeof(*echo));
    echo->env = env;
    for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
        echo->connections[i] = (struct echo_connection){.echo = echo, .fd = -1};
    }
    struct fil_address any = {0};
    assert_int_equal(env->ops->poller_new(env, &echo->poller), FIL_OK);
    assert_int_equal(env->ops->listen(env, &any, 16, &echo->listener, &echo->address), FIL_OK);
    assert_int_equal(env->ops->poller_add(env, echo->poller, echo->listener, FIL_POLL_READ, NULL),
                     FIL_OK);
}

static void echo_drop(struct echo_connection *connection)
{
    struct echo *echo = connection->echo;
    echo->env->ops->close(echo->env, connection->fd);
    *connection = (struct echo_connection){.echo = echo, .fd = -1};
}

static void echo_close(struct echo *echo)
{
    for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
        if (echo->connections[i].fd >= 0) {
            echo_drop(&echo->connections[i]);
        }
    }
    echo->env->ops->close(echo->env, echo->listener);
    echo->env->ops->poller_free(echo->env, echo->poller);
}

static uint32_t echo_accept(struct echo *echo)
{
    struct fil_address peer;
    int fd = -1;
    if (echo->env->ops->accept(echo->env, echo->listener, &fd, &peer) != FIL_OK) {
        return 0;
    }
    for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
        struct echo_connection *connection = &echo->connections[i];
        if (connection->fd < 0) {
            connection->fd = fd;
            assert_int_equal(
                echo->env->ops->poller_add(echo->env, echo->poller, fd, FIL_POLL_READ, connection),
                FIL_OK);
            return 1;
        }
    }
    fail_msg("more connections than clients");
    return 0;
}

/** False when the connection is lost. */
static bool echo_receive(struct echo_connection *connection)
{
    struct fil_env *env = connection->echo->env;
    int64_t count =
        env->ops->receive(env, connection->fd, connection->buffer, sizeof(connection->buffer));
    if (count == FIL_E_AGAIN) {
        return true;
    }
    connection->is_over = count == 0;
    connection->size = count > 0 ? (size_t)count : 0;
    return count >= 0;
}

static bool echo_send(struct echo_connection *connection)
{
    struct fil_env *env = connection->echo->env;
    // In two slices, because that is how the product sends.
    size_t left = connection->size - connection->sent;
    const uint8_t *data = connection->buffer + connection->sent;
    struct fil_bytes slices[2] = {fil_bytes_make(data, left / 2),
                                  fil_bytes_make(data + left / 2, left - left / 2)};
    int64_t count = env->ops->send(env, connection->fd, slices, 2);
    if (count == FIL_E_AGAIN) {
        return true;
    }
    connection->sent += count > 0 ? (size_t)count : 0;
    if (connection->sent == connection->size || connection->echo->is_sloppy) {
        connection->sent = 0;
        connection->size = 0;
    }
    return count >= 0;
}

static void echo_serve(struct echo_connection *connection, uint32_t ready)
{
    struct fil_env *env = connection->echo->env;
    bool is_alive = (ready & FIL_POLL_ERROR) == 0;
    if (is_alive && connection->size == 0) {
        is_alive = echo_receive(connection);
    }
    if (is_alive && connection->size > 0) {
        is_alive = echo_send(connection);
    }
    if (!is_alive || (connection->is_over && connection->size == 0)) {
        echo_drop(connection);
        return;
    }
    uint32_t interest = connection->size > 0 ? FIL_POLL_WRITE : FIL_POLL_READ;
    assert_int_equal(env->ops->poller_change(env, connection->echo->poller, connection->fd,
                                             interest, connection),
                     FIL_OK);
}

static uint32_t echo_cycle(void *context)
{
    struct echo *echo = context;
    struct fil_poll_event events[3];
    int count = echo->env->ops->poller_wait(echo->env, echo->poller, events, 3, FIL_WAIT_FOREVER);
    for (int i = 0; i < count; i++) {
        if (events[i].context == NULL) {
            (void)echo_accept(echo);
        } else {
            echo_serve(events[i].context, events[i].ready);
        }
    }
    return (uint32_t)count;
}

struct world {
    struct fil_sim sim;
    struct echo echo;
    struct fil_sim_client clients[CLIENTS];
    uint32_t verdicts[FIL_SIM_VERDICT_WRONG + 1];
};

static const struct fil_sim_client_options client_options = {
    .send_bytes_max = 4 * MESSAGE_MAX,
    .receive_bytes_max = 4 * MESSAGE_MAX,
    .fragment_bytes = {.min = 1, .max = 200},
    .receive_bytes = {.min = 1, .max = 200},
};

/** Messages, some of them awaited, with pauses, a time without reading and a half close. */
static void write_script(struct world *world, struct fil_sim_client *client)
{
    struct fil_sim *sim = &world->sim;
    fil_sim_client_pause(client, fil_sim_draw(sim, (struct fil_sim_range){.max = 1000000}));
    fil_sim_client_connect(client, &world->echo.address);
    uint64_t total = 0;
    for (int i = 0; i < 3; i++) {
        uint8_t message[MESSAGE_MAX];
        uint64_t size = fil_sim_draw(sim, (struct fil_sim_range){.min = 1, .max = MESSAGE_MAX});
        fil_prng_fill(&sim->product, message, size);
        fil_sim_client_send(client, fil_bytes_make(message, size));
        fil_sim_client_expect(client, fil_bytes_make(message, size));
        total += size;
        if (i == 0) {
            fil_sim_client_await(client, total);
        }
    }
    // Not while it sends: an echo server would rightly wait for it, and it for the server.
    fil_sim_client_stop_reading(client);
    fil_sim_client_pause(client, 500000);
    fil_sim_client_start_reading(client);
    fil_sim_client_finish(client);
}

static bool all_are_settled(void *context)
{
    struct world *world = context;
    for (uint32_t i = 0; i < CLIENTS; i++) {
        if (!fil_sim_client_is_settled(&world->clients[i])) {
            return false;
        }
    }
    return true;
}

static void world_open(struct world *world, uint64_t seed, const struct fil_sim_options *options)
{
    static const char *const names[CLIENTS] = {"client 0", "client 1", "client 2", "client 3"};
    assert_int_equal(fil_sim_init(&world->sim, seed, options), FIL_OK);
    echo_open(&world->echo, &world->sim.env);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        assert_int_equal(
            fil_sim_client_init(&world->clients[i], &world->sim, names[i], &client_options),
            FIL_OK);
        write_script(world, &world->clients[i]);
    }
}

static int world_run(struct world *world)
{
    struct fil_sim_cycle cycles[CLIENTS + 1];
    cycles[0] = (struct fil_sim_cycle){.cycle = echo_cycle, .context = &world->echo};
    for (uint32_t i = 0; i < CLIENTS; i++) {
        cycles[i + 1] =
            (struct fil_sim_cycle){.cycle = fil_sim_client_cycle, .context = &world->clients[i]};
    }
    struct fil_sim_until until = {
        .is_met = all_are_settled, .context = world, .step_count_max = 100000};
    int result = fil_sim_run(&world->sim, cycles, CLIENTS + 1, &until);
    memset(world->verdicts, 0, sizeof(world->verdicts));
    for (uint32_t i = 0; i < CLIENTS; i++) {
        world->verdicts[fil_sim_client_verdict(&world->clients[i])]++;
    }
    return result;
}

/** Returns the trace's hash. */
static uint64_t world_close(struct world *world)
{
    echo_close(&world->echo);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        fil_sim_client_fini(&world->clients[i]);
    }
    uint64_t hash = fil_sim_trace_hash(&world->sim);
    fil_sim_fini(&world->sim);
    return hash;
}

static void check_verdicts(struct world *world, int result)
{
    uint64_t cuts = fil_sim_faults(&world->sim, FIL_SIM_FAULT_RESET) +
                    fil_sim_faults(&world->sim, FIL_SIM_FAULT_CONNECT_REFUSED);
    uint32_t lost = world->verdicts[FIL_SIM_VERDICT_LOST];
    bool is_right = result == FIL_OK && lost <= cuts &&
                    world->verdicts[FIL_SIM_VERDICT_MATCHED] + lost == CLIENTS;
    if (!is_right) {
        (void)fil_sim_report(&world->sim, stderr);
        fail_msg("seed=%llu result=%d matched=%u lost=%u wrong=%u",
                 (unsigned long long)world->sim.seed, result,
                 world->verdicts[FIL_SIM_VERDICT_MATCHED], lost,
                 world->verdicts[FIL_SIM_VERDICT_WRONG]);
    }
}

static struct world world;

static uint64_t run_seed(uint64_t seed, const struct fil_sim_options *options)
{
    world_open(&world, seed, options);
    int result = world_run(&world);
    check_verdicts(&world, result);
    return world_close(&world);
}

static int compare_hashes(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void test_every_surviving_connection_gets_its_bytes_back(void **state)
{
    (void)state;
    static uint64_t hashes[SEEDS];
    uint64_t faults[FIL_SIM_FAULT_COUNT] = {0};
    uint64_t matched = 0;
    uint64_t lost = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        hashes[seed] = run_seed(seed, &fil_sim_hostile);
        matched += world.verdicts[FIL_SIM_VERDICT_MATCHED];
        lost += world.verdicts[FIL_SIM_VERDICT_LOST];
        for (uint32_t fault = 0; fault < FIL_SIM_FAULT_COUNT; fault++) {
            faults[fault] += fil_sim_faults(&world.sim, fault);
        }
    }
    assert_true(matched > SEEDS);
    assert_true(lost > 0);
    for (uint32_t fault = 0; fault < FIL_SIM_FAULT_COUNT; fault++) {
        bool is_of_files = fault == FIL_SIM_FAULT_FILE_SHORT || fault == FIL_SIM_FAULT_FILE_ERROR;
        assert_true((faults[fault] > 0) != is_of_files);
    }
    // Different seeds, different traces.
    qsort(hashes, SEEDS, sizeof(hashes[0]), compare_hashes);
    for (uint64_t i = 1; i < SEEDS; i++) {
        assert_true(hashes[i - 1] != hashes[i]);
    }
}

static void test_same_seed_gives_the_same_trace(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < DRAWN_SEEDS; seed++) {
        struct fil_sim_options options;
        fil_sim_options_draw(&options, seed);
        uint64_t hash = run_seed(seed, &options);
        assert_true(hash == run_seed(seed, &options));
    }
}

static void test_perfect_network_loses_nobody(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        (void)run_seed(seed, NULL);
        assert_int_equal(world.verdicts[FIL_SIM_VERDICT_MATCHED], CLIENTS);
    }
}

static void test_sloppy_server_is_found(void **state)
{
    (void)state;
    uint32_t found = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        world_open(&world, seed, &fil_sim_hostile);
        world.echo.is_sloppy = true;
        int result = world_run(&world);
        found += result != FIL_OK || world.verdicts[FIL_SIM_VERDICT_WRONG] > 0;
        (void)world_close(&world);
    }
    assert_true(found >= 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_surviving_connection_gets_its_bytes_back),
        cmocka_unit_test(test_same_seed_gives_the_same_trace),
        cmocka_unit_test(test_perfect_network_loses_nobody),
        cmocka_unit_test(test_sloppy_server_is_found),
    };
    return cmocka_run_group_tests_name("sim_echo", tests, NULL, NULL);
}
