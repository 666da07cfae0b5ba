// SPDX-License-Identifier: Apache-2.0
/**
 * Moves between loops, one test a promise, step by step in one thread: a connection goes on where
 * it was, with its kept input, its waiting output, its paused requests and its time limits; a reply
 * that is finished on the way arrives, and the last hold of another thread on the way frees
 * nothing; a connection to which another thread writes, or whose message is under way, moves a turn
 * later; one that ends, has ended or is pinned stays; one that cannot be watched on the new loop is
 * closed and counted; a loop that ends takes none, and does not end before one that is on its way;
 * and a move at every moment of a pipelined conversation, and moves all the time over many seeds of
 * a bad network, lose and reorder nothing.
 */
#include <stdio.h>

#include "lib/base/alloc.h"
#include "lib/net/connection.h"
#include "lib/net/connection_internal.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define SECOND UINT64_C(1000000000)

static struct net_world world;

static int set_up(void **state)
{
    (void)state;
    net_world_init(&world);
    world.loop_count = 2;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    net_world_close(&world);
    return 0;
}

static void assert_matched(const struct fil_sim_client *client)
{
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)), "matched");
}

static uint32_t count_on(uint32_t loop)
{
    return fil_loop_connection_count(&world.loops[loop]);
}

static uint64_t moves_to(uint32_t loop)
{
    return fil_counter_read(&world.loops[loop].stats.moves);
}

static void cycle(uint32_t loop)
{
    fil_role_assert_io();
    (void)fil_loop_cycle(&world.loops[loop], 0);
}

static struct fil_connection *first_of(uint32_t loop)
{
    fil_role_assert_io();
    struct fil_list *connections = &world.loops[loop].connections;
    return fil_list_is_empty(connections)
               ? NULL
               : FIL_CONTAINER_OF(connections->next, struct fil_connection, link);
}

/** The first loop's connection leaves it; the second one has not yet taken it. */
static struct fil_connection *depart(void)
{
    fil_role_assert_io();
    struct fil_connection *connection = net_world_connection(&world);
    fil_connection_move(connection, &world.loops[1]);
    cycle(0);
    assert_true(fil_list_is_empty(&world.loops[0].connections));
    assert_true(fil_list_is_empty(&world.loops[1].connections));
    assert_int_equal(count_on(0), 0);
    assert_int_equal(count_on(1), 1);
    return connection;
}

static void arrive(struct fil_connection *connection)
{
    cycle(1);
    assert_ptr_equal(first_of(1), connection);
    assert_int_equal(moves_to(1), 1);
    assert_int_equal(count_on(1), 1);
}

static struct toy_job *must_take_job(void)
{
    struct toy_job *job = net_world_take_job(&world);
    assert_non_null(job);
    return job;
}

static void test_connection_goes_on_where_it_was(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    net_world_expect(client, "ECHO\n");
    net_world_run(&world);
    struct fil_connection *connection = depart();
    // Arrives between the loops: neither of them watches the socket.
    net_world_send(client, "between\n");
    (void)fil_sim_client_cycle(client);
    cycle(0);
    arrive(connection);
    net_world_expect(client, "between\n");
    net_world_run(&world);
    assert_matched(client);
    net_world_send(client, "quit\n");
    net_world_expect(client, "bye\n");
    net_world_run(&world);
    assert_matched(client);
    assert_int_equal(fil_counter_read(&world.loops[1].stats.closed[FIL_CLOSE_REQUEST]), 1);
    assert_int_equal(count_on(1), 0);
}

static void test_kept_input_goes_along(void **state)
{
    (void)state;
    net_world_must_open(&world);
    fil_role_assert_io();
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\nhal");
    net_world_run_for(&world, 1000000);
    uint64_t kept = fil_account_used(&world.loops[0].account);
    assert_true(kept > 0);
    struct fil_connection *connection = depart();
    assert_int_equal(fil_account_used(&world.loops[0].account), 0);
    arrive(connection);
    assert_int_equal(fil_account_used(&world.loops[1].account), kept);
    net_world_send(client, "f\nmore\n");
    net_world_expect(client, "ECHO\nhalf\nmore\n");
    net_world_run(&world);
    assert_matched(client);
    assert_int_equal(fil_account_used(&world.loops[1].account), 0);
}

static void test_waiting_output_goes_along(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\nbig 300000\n");
    net_world_expect(client, "ECHO\n");
    net_world_expect_big(client, 300000);
    fil_sim_client_stop_reading(client);
    net_world_run_for(&world, SECOND);
    struct fil_connection *connection = depart();
    assert_true(connection->output.queue.size_bytes > 0);
    arrive(connection);
    fil_sim_client_start_reading(client);
    net_world_run(&world);
    assert_matched(client);
}

static void test_paused_requests_go_along(void **state)
{
    (void)state;
    world.limits.output_bytes_max = 1000;
    net_world_must_open(&world);
    fil_role_assert_io();
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\nbig 300000\nlate\nbig 300000\nlast\n");
    net_world_expect(client, "ECHO\n");
    net_world_expect_big(client, 300000);
    net_world_expect(client, "late\n");
    net_world_expect_big(client, 300000);
    net_world_expect(client, "last\n");
    fil_sim_client_stop_reading(client);
    net_world_run_for(&world, SECOND);
    struct fil_connection *connection = depart();
    assert_true(connection->is_paused);
    arrive(connection);
    fil_sim_client_start_reading(client);
    net_world_run(&world);
    assert_matched(client);
}

static void test_time_limits_go_along(void **state)
{
    (void)state;
    world.limits.idle_timeout_ns = 10 * SECOND;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    net_world_expect(client, "ECHO\n");
    net_world_run_for(&world, 6 * SECOND);
    struct fil_connection *connection = depart();
    arrive(connection);
    net_world_run_for(&world, 3 * SECOND);
    assert_int_equal(net_world_closed_all(&world), 0);
    net_world_run_for(&world, 2 * SECOND);
    assert_int_equal(fil_counter_read(&world.loops[1].stats.closed[FIL_CLOSE_IDLE]), 1);
    assert_int_equal(count_on(1), 0);
}

static void test_reply_that_is_finished_on_the_way_arrives(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "R a 3\nR b 300000\n");
    net_world_expect(client, "a abc\nb ");
    net_world_expect_big(client, 300000);
    net_world_run(&world);
    struct fil_connection *connection = depart();
    // The jobs' holds are given up on the way; the loops' own keeps the struct.
    toy_job_finish(must_take_job(), &world.pool);
    toy_job_finish(must_take_job(), &world.pool);
    assert_int_equal(client->received_size, 0);
    fil_role_assert_io();
    arrive(connection);
    // The rest waits in the new loop's memory: nobody else's thread may touch the old one's.
    assert_int_equal(world.loops[0].chunks.lent_count, 0);
    assert_true(world.loops[1].chunks.lent_count > 0);
    net_world_run(&world);
    assert_matched(client);
}

static void test_attention_asked_for_on_the_way_is_given(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    net_world_expect(client, "ECHO\n");
    net_world_run(&world);
    struct fil_connection *connection = depart();
    fil_connection_hold(connection);
    fil_connection_attend(connection);
    cycle(0); // nothing has come here
    arrive(connection);
    assert_false(atomic_load_explicit(&connection->is_message_sent, memory_order_relaxed));
    // From now on the new loop is called.
    fil_connection_attend(connection);
    assert_false(fil_stack_is_empty(&world.loops[1].inbox));
    fil_connection_release(connection);
    net_world_run(&world);
    assert_matched(client);
}

static void test_connection_with_a_message_under_way_moves_later(void **state)
{
    (void)state;
    net_world_must_open(&world);
    fil_role_assert_io();
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    net_world_expect(client, "ECHO\n");
    net_world_run(&world);
    struct fil_connection *connection = net_world_connection(&world);
    fil_connection_attend(connection);
    fil_connection_move(connection, &world.loops[1]);
    fil_connection__depart(connection, &world.loops[1]);
    assert_ptr_equal(first_of(0), connection);
    assert_int_equal(count_on(1), 0);
    cycle(0);
    assert_null(first_of(0));
    arrive(connection);
}

/** While a reply is being written. */
static void move_now(void *context)
{
    fil_role_assert_io();
    struct fil_connection *connection = context;
    fil_connection_move(connection, &world.loops[1]);
    cycle(0);
    assert_ptr_equal(first_of(0), connection);
    assert_int_equal(count_on(1), 0);
}

static void test_connection_that_another_thread_writes_to_moves_later(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "R a 3\n");
    net_world_expect(client, "a abc\n");
    net_world_run(&world);
    struct fil_connection *connection = net_world_connection(&world);
    world.toy.on_collect = move_now;
    world.toy.collect_context = connection;
    toy_job_finish(must_take_job(), &world.pool);
    cycle(0);
    arrive(connection);
    net_world_run(&world);
    assert_matched(client);
}

static void test_pinned_connection_stays(void **state)
{
    (void)state;
    net_world_must_open(&world);
    fil_role_assert_io();
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    net_world_run(&world);
    struct fil_connection *connection = net_world_connection(&world);
    fil_connection_move(connection, &world.loops[1]);
    fil_connection_pin(connection);
    assert_null(world.loops[0].leaving);
    assert_false(fil_connection_is_movable(connection));
    fil_connection_move(connection, &world.loops[1]);
    net_world_turn(&world);
    assert_int_equal(count_on(0), 1);
    assert_int_equal(moves_to(1), 0);
}

static void test_connection_that_has_not_said_who_it_is_stays(void **state)
{
    (void)state;
    net_world_must_open(&world);
    fil_role_assert_io();
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "EC");
    net_world_run_for(&world, SECOND);
    fil_connection_move(net_world_connection(&world), &world.loops[1]);
    net_world_turn(&world);
    assert_int_equal(count_on(0), 1);
}

static void test_connection_that_ends_stays(void **state)
{
    (void)state;
    net_world_must_open(&world);
    fil_role_assert_io();
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\nquit\n");
    net_world_expect(client, "ECHO\nbye\n");
    fil_sim_client_stop_reading(client);
    net_world_run_for(&world, SECOND / 10);
    struct fil_connection *connection = net_world_connection(&world);
    assert_true(fil_fsm_is(&connection->state, FIL_CONNECTION_FINISHING));
    fil_connection_move(connection, &world.loops[1]);
    net_world_turn(&world);
    assert_int_equal(count_on(0), 1);
    assert_null(world.loops[0].leaving);
}

static void test_connection_that_is_reset_before_it_moves_is_forgotten(void **state)
{
    (void)state;
    net_world_must_open(&world);
    fil_role_assert_io();
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    net_world_run(&world);
    fil_sim_client_reset(client);
    (void)fil_sim_client_cycle(client);
    fil_connection_move(net_world_connection(&world), &world.loops[1]);
    net_world_turn(&world);
    assert_int_equal(count_on(0), 0);
    assert_int_equal(count_on(1), 0);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_PEER), 1);
}

static void test_connection_that_is_reset_on_the_way_is_closed(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "R late 100\n");
    net_world_run(&world);
    (void)depart();
    fil_sim_client_reset(client);
    (void)fil_sim_client_cycle(client);
    net_world_turn(&world);
    assert_int_equal(fil_counter_read(&world.loops[1].stats.closed[FIL_CLOSE_PEER]), 1);
    assert_int_equal(count_on(1), 1); // the job holds it
    toy_job_finish(must_take_job(), &world.pool);
    net_world_turn(&world);
    assert_int_equal(count_on(1), 0);
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
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\nhalf");
    net_world_run_for(&world, 1000000);
    struct fil_env_ops ops = *world.sim.env.ops;
    const struct fil_env_ops *real = world.sim.env.ops;
    ops.poller_add = add_nothing;
    (void)depart();
    world.sim.env.ops = &ops;
    net_world_turn(&world);
    world.sim.env.ops = real;
    assert_int_equal(fil_counter_read(&world.loops[1].stats.closed[FIL_CLOSE_MEMORY]), 1);
    assert_int_equal(count_on(1), 0);
}

static void test_loop_that_ends_waits_for_one_on_its_way(void **state)
{
    (void)state;
    net_world_must_open(&world);
    fil_role_assert_io();
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    net_world_expect(client, "ECHO\n");
    net_world_run(&world);
    (void)depart();
    net_world_send(client, "last\n");
    net_world_expect(client, "last\n");
    (void)fil_sim_client_cycle(client);
    fil_loop_drain(&world.loops[1]);
    assert_int_equal(count_on(1), 1);
    cycle(1);
    fil_loop_drain(&world.loops[1]);
    net_world_run(&world);
    assert_int_equal(count_on(1), 0);
    assert_matched(client); // what had been received is answered
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_STOPPING), 1);
}

static void test_loop_that_ends_takes_none(void **state)
{
    (void)state;
    net_world_must_open(&world);
    fil_role_assert_io();
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    net_world_expect(client, "ECHO\n");
    net_world_run(&world);
    fil_loop_drain(&world.loops[1]);
    fil_connection_move(net_world_connection(&world), &world.loops[1]);
    cycle(0);
    assert_int_equal(count_on(0), 1);
    assert_int_equal(count_on(1), 0);
    assert_null(world.loops[0].leaving);
    net_world_send(client, "more\n");
    net_world_expect(client, "more\n");
    net_world_run(&world);
    assert_matched(client);
}

static void test_loop_that_ends_sends_none(void **state)
{
    (void)state;
    world.limits.output_bytes_max = 1000;
    net_world_must_open(&world);
    fil_role_assert_io();
    struct fil_sim_client *client = net_world_client(&world);
    // Stays open although the loop ends: a request has been received and must be answered.
    net_world_send(client, "ECHO\nbig 300000\nlate\n");
    net_world_expect(client, "ECHO\n");
    net_world_expect_big(client, 300000);
    net_world_expect(client, "late\n");
    fil_sim_client_stop_reading(client);
    net_world_run_for(&world, SECOND);
    fil_connection_move(net_world_connection(&world), &world.loops[1]);
    fil_loop_drain(&world.loops[0]);
    cycle(0);
    assert_int_equal(count_on(0), 1);
    assert_int_equal(count_on(1), 0);
    fil_sim_client_start_reading(client);
    net_world_run(&world);
    assert_matched(client);
}

// A move at every moment.

#define LINES 30U

struct moment {
    uint32_t step;
    uint32_t at; // the step of the move
    bool is_done;
};

/** Finishes a job each time, and moves whatever there is when its moment has come. */
static uint32_t work_to_moment(void *context)
{
    fil_role_assert_io();
    struct moment *moment = context;
    struct toy_job *job = net_world_take_job(&world);
    if (job != NULL) {
        toy_job_finish(job, &world.pool);
    }
    if (moment->step++ == moment->at) {
        for (uint32_t i = 0; i < world.loop_count; i++) {
            struct fil_connection *connection = first_of(i);
            if (connection != NULL) {
                fil_connection_move(connection, &world.loops[(i + 1) % world.loop_count]);
            }
        }
        moment->is_done = true;
    }
    return job != NULL;
}

static void write_lines(struct fil_sim_client *client, bool is_relay)
{
    char line[64];
    for (uint32_t i = 0; i < LINES; i++) {
        size_t size = i % 7 == 3 ? 3000 : i;
        if (is_relay) {
            (void)snprintf(line, sizeof(line), "R %u %zu\n", i, size);
            net_world_send(client, line);
            (void)snprintf(line, sizeof(line), "%u ", i);
            net_world_expect(client, line);
            net_world_expect_big(client, size);
        } else if (i % 7 == 3) {
            (void)snprintf(line, sizeof(line), "big %zu\n", size);
            net_world_send(client, line);
            net_world_expect_big(client, size);
        } else {
            (void)snprintf(line, sizeof(line), "ECHO %u\n", i);
            net_world_send(client, line);
            net_world_expect(client, line);
        }
    }
    fil_sim_client_await(client, client->expected_size);
    fil_sim_client_finish(client);
}

/** Whether the conversation was long enough for the move to take place. */
static bool run_moment(uint64_t seed, uint32_t at)
{
    struct moment moment = {.at = at};
    net_world_init(&world);
    world.seed = seed;
    world.loop_count = 2;
    world.limits.output_bytes_max = 2000;
    world.client_options.fragment_bytes = (struct fil_sim_range){.min = 1, .max = 15};
    world.client_options.receive_bytes = (struct fil_sim_range){.min = 1, .max = 500};
    world.worker = (struct fil_sim_cycle){.cycle = work_to_moment, .context = &moment};
    net_world_must_open(&world);
    write_lines(net_world_client(&world), false);
    write_lines(net_world_client(&world), true);
    net_world_run(&world);
    assert_matched(&world.clients[0]);
    assert_matched(&world.clients[1]);
    net_world_close(&world);
    return moment.is_done;
}

static void test_move_at_every_moment_of_a_conversation(void **state)
{
    (void)state;
    uint32_t moments = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        uint32_t at = 0;
        while (run_moment(seed, at)) {
            at++;
        }
        moments += at;
    }
    net_world_init(&world);
    net_world_must_open(&world); // for tear_down
    assert_in_range(moments, 100, 5000);
}

// Everything goes wrong.

#define SEEDS   UINT64_C(300)
#define CLIENTS 6U

static uint64_t draw(uint64_t max)
{
    return fil_sim_draw(&world.sim, (struct fil_sim_range){.max = max});
}

static void move_some(void)
{
    fil_role_assert_io();
    for (uint32_t i = 0; i < world.loop_count; i++) {
        fil_list_foreach(link, &world.loops[i].connections) {
            if (draw(2) == 0) {
                fil_connection_move(FIL_CONTAINER_OF(link, struct fil_connection, link),
                                    &world.loops[draw(world.loop_count - 1)]);
            }
        }
    }
}

static void move_and_turn(void *context)
{
    (void)context;
    move_some();
    net_world_turn(&world);
}

/** Moves most of the time; finishes a job now and then, with turns in the middle of a write. */
static uint32_t work(void *context)
{
    (void)context;
    move_some();
    uint64_t choice = draw(5);
    struct toy_job *job = choice < 2 ? NULL : net_world_take_job(&world);
    if (job == NULL) {
        return !fil_stack_is_empty(&world.toy.jobs);
    }
    world.toy.on_collect = choice == 2 ? move_and_turn : NULL;
    toy_job_finish(job, &world.pool);
    world.toy.on_collect = NULL;
    return 1;
}

/** Returns how many connections moved. */
static uint64_t run_seed(uint64_t seed, uint32_t *matched)
{
    static struct fil_sim_options network;
    uint64_t moves = 0;
    net_world_init(&world);
    fil_sim_options_draw(&network, seed);
    world.seed = seed;
    world.network = &network;
    world.loop_count = 3;
    world.limits.output_bytes_max = 2000;
    world.client_options.fragment_bytes = (struct fil_sim_range){.min = 1, .max = 30};
    world.client_options.receive_bytes = (struct fil_sim_range){.min = 1, .max = 2000};
    world.worker = (struct fil_sim_cycle){.cycle = work};
    net_world_must_open(&world);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        write_lines(net_world_client(&world), i % 2 == 0);
    }
    net_world_run(&world);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        enum fil_sim_verdict verdict = fil_sim_client_verdict(&world.clients[i]);
        if (verdict != FIL_SIM_VERDICT_MATCHED && verdict != FIL_SIM_VERDICT_LOST) {
            (void)fil_sim_report(&world.sim, stderr);
            fail_msg("seed=%llu: client %u is %s", (unsigned long long)seed, i,
                     fil_sim_verdict_text(verdict));
        }
        *matched += verdict == FIL_SIM_VERDICT_MATCHED;
    }
    for (uint32_t i = 0; i < world.loop_count; i++) {
        moves += moves_to(i);
    }
    net_world_close(&world);
    return moves;
}

static void test_moves_lose_nothing_over_many_seeds(void **state)
{
    (void)state;
    uint32_t matched = 0;
    uint64_t moves = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        moves += run_seed(seed, &matched);
    }
    net_world_init(&world);
    net_world_must_open(&world); // for tear_down
    assert_in_range(matched, SEEDS * CLIENTS / 3, SEEDS * CLIENTS);
    assert_in_range(moves, SEEDS * CLIENTS * 5, UINT64_MAX);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(connection_goes_on_where_it_was),
        TEST(kept_input_goes_along),
        TEST(waiting_output_goes_along),
        TEST(paused_requests_go_along),
        TEST(time_limits_go_along),
        TEST(reply_that_is_finished_on_the_way_arrives),
        TEST(attention_asked_for_on_the_way_is_given),
        TEST(connection_with_a_message_under_way_moves_later),
        TEST(connection_that_another_thread_writes_to_moves_later),
        TEST(pinned_connection_stays),
        TEST(connection_that_has_not_said_who_it_is_stays),
        TEST(connection_that_ends_stays),
        TEST(connection_that_is_reset_before_it_moves_is_forgotten),
        TEST(connection_that_is_reset_on_the_way_is_closed),
        TEST(connection_that_cannot_be_watched_is_closed),
        TEST(loop_that_ends_waits_for_one_on_its_way),
        TEST(loop_that_ends_takes_none),
        TEST(loop_that_ends_sends_none),
        TEST(move_at_every_moment_of_a_conversation),
        TEST(moves_lose_nothing_over_many_seeds),
    };
#undef TEST
    return cmocka_run_group_tests_name("move", tests, NULL, NULL);
}
