// SPDX-License-Identifier: Apache-2.0
/**
 * Replies that other threads finish, one test a promise, step by step in one thread: a notify sends
 * at once when nobody writes; what the socket does not take the loop sends later, also when the
 * loop was turned away by another writer meanwhile; a loop that is turned away waits to be called
 * and does not look again and again; a note that is left during a write is seen; a reader is given
 * its time from the moment the socket was full; a connection that closes lives on until its last
 * hold is given up but is no client any more, and a late reply is dropped without harm; memory that
 * is out on the notifying thread ends the connection; attend leaves the writing to the loop; and
 * over many seeds, on a network where everything goes wrong, each client gets its replies once and
 * in order, or loses its connection.
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
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    net_world_close(&world);
    return 0;
}

static void assert_matched(const struct fil_sim_client *client)
{
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)), "matched");
}

static void finish_job(void)
{
    struct toy_job *job = net_world_take_job(&world);
    assert_non_null(job);
    toy_job_finish(job, &world.pool);
}

static void test_notify_sends_at_once(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "R first 3\nR second 0\n");
    net_world_expect(client, "first abc\nsecond \n");
    net_world_run(&world);
    assert_int_equal(client->received_size, 0);
    finish_job();
    // Without a turn of the loop.
    assert_int_equal(fil_sim_client_cycle(client), 1);
    assert_int_equal(client->received_size, 10);
    finish_job();
    net_world_run(&world);
    assert_matched(client);
    assert_int_equal(world.pool.lent_count, 0);
}

static void test_replies_of_a_turn_are_collected_by_the_loop(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    struct fil_sim_client *other = net_world_client(&world);
    net_world_send(client, "R a 1\n");
    net_world_send(other, "R b 1\n");
    net_world_expect(client, "a a\n");
    net_world_expect(other, "b a\n");
    net_world_run(&world);
    for (uint32_t i = 0; i < 2; i++) {
        finish_job();
    }
    net_world_run(&world);
    assert_matched(client);
    assert_matched(other);
}

static void test_loop_sends_what_the_socket_did_not_take(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "R big 300000\n");
    net_world_expect(client, "big ");
    net_world_expect_big(client, 300000);
    net_world_run(&world);
    fil_sim_client_stop_reading(client);
    fil_sim_client_pause(client, SECOND);
    finish_job();
    struct fil_connection *connection = net_world_connection(&world);
    assert_true(connection->output.is_blocked);
    net_world_run_for(&world, SECOND / 2);
    assert_true(connection->output.queue.size_bytes > 0);
    fil_sim_client_start_reading(client);
    net_world_run(&world);
    assert_matched(client);
}

static void turn_world(void *context)
{
    net_world_turn(context);
}

/**
 * The first writer fills the socket and calls the loop; the loop comes while a second writer holds
 * the flag and can only leave a note. Nobody else will ever say that the socket must be watched.
 */
static void test_loop_that_was_turned_away_is_called_again(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "R big 300000\nR small 1\n");
    net_world_expect(client, "big ");
    net_world_expect_big(client, 300000);
    net_world_expect(client, "small a\n");
    net_world_run(&world);
    fil_sim_client_stop_reading(client);
    fil_sim_client_pause(client, SECOND);
    fil_sim_client_start_reading(client);
    finish_job();
    world.toy.on_collect = turn_world;
    world.toy.collect_context = &world;
    finish_job();
    net_world_run(&world);
    assert_matched(client);
}

/** As above, and the second writer finds the connection broken. */
static void test_loop_that_was_turned_away_hears_of_an_error(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "R big 300000\nR small 1\n");
    net_world_run(&world);
    fil_sim_client_stop_reading(client);
    finish_job();
    fil_sim_client_reset(client);
    (void)fil_sim_client_cycle(client);
    (void)fil_sim_client_cycle(client);
    world.toy.on_collect = turn_world;
    world.toy.collect_context = &world;
    finish_job();
    net_world_run(&world);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 0);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_PEER), 1);
}

struct glance {
    uint64_t turns; // that moved something, while another thread wrote
};

static void glance_at_loop(void *context)
{
    struct glance *glance = context;
    const struct fil_loop_stats *stats = &world.loops[0].stats;
    uint64_t before = fil_counter_read(&stats->turns);
    net_world_turn(&world);
    net_world_turn(&world);
    glance->turns = fil_counter_read(&stats->turns) - before;
}

/** Bytes arrive while another thread writes: the loop looks once, and again when it may. */
static void test_loop_does_not_spin_while_another_thread_writes(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "R first 1\n");
    net_world_run(&world);
    struct toy_job *first = net_world_take_job(&world);
    assert_non_null(first);
    net_world_send(client, "R second 1\n");
    (void)fil_sim_client_cycle(client);
    struct glance glance = {0};
    world.toy.on_collect = glance_at_loop;
    world.toy.collect_context = &glance;
    toy_job_finish(first, &world.pool);
    assert_int_equal(glance.turns, 1);
    assert_false(net_world_connection(&world)->is_watched);
    net_world_run(&world);
    assert_true(net_world_connection(&world)->is_watched);
    finish_job();
    net_world_expect(client, "first a\nsecond a\n");
    net_world_run(&world);
    assert_matched(client);
}

struct second_reply {
    struct toy_job *job;
};

static void finish_second(void *context)
{
    struct second_reply *second = context;
    toy_job_finish(second->job, &world.pool);
}

static void test_note_left_during_a_write_is_seen(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "R first 1\nR second 1\n");
    net_world_run(&world);
    struct toy_job *first = net_world_take_job(&world);
    struct second_reply second = {.job = net_world_take_job(&world)};
    assert_non_null(second.job);
    // The second one is finished while the first one's writer is collecting.
    world.toy.on_collect = finish_second;
    world.toy.collect_context = &second;
    toy_job_finish(first, &world.pool);
    (void)fil_sim_client_cycle(client);
    assert_int_equal(client->received_size, sizeof("first a\nsecond a\n") - 1);
}

/** The connection was idle for long; its reader is slow only from now on. */
static void test_reader_has_its_time_after_a_late_reply(void **state)
{
    (void)state;
    world.limits.stall_timeout_ns = 10 * SECOND;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "R big 300000\n");
    net_world_expect(client, "big ");
    net_world_expect_big(client, 300000);
    fil_sim_client_stop_reading(client);
    net_world_run(&world);
    fil_sim_advance(&world.sim, 3600 * SECOND);
    finish_job();
    net_world_run_for(&world, 9 * SECOND);
    assert_int_equal(net_world_closed_all(&world), 0);
    fil_sim_client_start_reading(client);
    net_world_run(&world);
    assert_matched(client);
}

static void test_closed_connection_lives_until_its_last_hold(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "R late 100\nR later 100\n");
    net_world_run(&world);
    fil_sim_client_reset(client);
    net_world_run(&world);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_PEER), 1);
    // Two jobs hold it, but nobody is there.
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 1);
    assert_int_equal(fil_loop_open_count(&world.loops[0]), 0);
    finish_job();
    net_world_turn(&world);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 1);
    finish_job();
    net_world_turn(&world);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 0);
    assert_int_equal(atomic_load_explicit(&world.toy.session_count, memory_order_relaxed), 0);
}

static void test_limit_does_not_count_closed_connections(void **state)
{
    (void)state;
    world.limits.connections_max = 1;
    net_world_must_open(&world);
    struct fil_sim_client *gone = net_world_client(&world);
    net_world_send(gone, "R late 100\n");
    net_world_run(&world);
    fil_sim_client_reset(gone);
    net_world_run(&world);
    struct fil_sim_client *next = net_world_client(&world);
    net_world_send(next, "ECHO next\n");
    net_world_run(&world);
    assert_int_equal(fil_loop_open_count(&world.loops[0]), 1);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 2);
    assert_int_equal(fil_counter_read(&world.acceptor.stats.refused_limit), 0);
    finish_job();
    net_world_turn(&world);
    assert_int_equal(fil_loop_open_count(&world.loops[0]), 1);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 1);
}

static void test_aborted_connection_lives_until_its_last_hold(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "R late 100000\n");
    net_world_run(&world);
    fil_loop_abort(&world.loops[0]);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_STOPPING), 1);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 1);
    finish_job();
    net_world_turn(&world);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 0);
}

static void test_no_memory_for_a_reply_ends_the_connection(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "R a 100000\n");
    net_world_run(&world);
    struct toy_job *job = net_world_take_job(&world);
    fil_alloc_fail_after(1);
    toy_job_finish(job, &world.pool);
    fil_alloc_fail_after(-1);
    net_world_run(&world);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_MEMORY), 1);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 0);
    // Nothing of the reply: a part of it would be a wrong answer.
    assert_int_equal(client->received_size, 0);
}

static void test_attend_leaves_the_writing_to_the_loop(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    net_world_expect(client, "ECHO\n");
    net_world_run(&world);
    struct fil_connection *connection = net_world_connection(&world);
    fil_connection_hold(connection);
    fil_connection_attend(connection);
    fil_connection_attend(connection); // once until the loop has looked
    fil_connection_release(connection);
    net_world_turn(&world);
    net_world_send(client, "more\n");
    net_world_expect(client, "more\n");
    net_world_run(&world);
    assert_matched(client);
}

// Everything goes wrong.

#define SEEDS   UINT64_C(300)
#define CLIENTS 4U
#define JOBS    10U

/** Finishes a job now and then; while one is collected, the loops may get a turn in between. */
static uint32_t work(void *context)
{
    (void)context;
    uint64_t choice = fil_sim_draw(&world.sim, (struct fil_sim_range){.max = 5});
    struct toy_job *job = choice < 2 ? NULL : net_world_take_job(&world);
    if (job == NULL) {
        // Not idle while there are jobs, only slow.
        return !fil_stack_is_empty(&world.toy.jobs);
    }
    if (choice == 2) {
        world.toy.on_collect = turn_world;
        world.toy.collect_context = &world;
    }
    toy_job_finish(job, &world.pool);
    world.toy.on_collect = NULL;
    return 1;
}

static void write_script(struct fil_sim_client *client)
{
    char line[64];
    for (uint32_t i = 0; i < JOBS; i++) {
        uint64_t choice = fil_sim_draw(&world.sim, (struct fil_sim_range){.max = 9});
        uint64_t size =
            fil_sim_draw(&world.sim, (struct fil_sim_range){.max = choice < 2 ? 9000 : 100});
        (void)snprintf(line, sizeof(line), "R %u %u\n", i, (unsigned)size);
        net_world_send(client, line);
        (void)snprintf(line, sizeof(line), "%u ", i);
        net_world_expect(client, line);
        net_world_expect_big(client, size);
        if (choice == 9) {
            fil_sim_client_await(client, client->expected_size);
        }
    }
    fil_sim_client_await(client, client->expected_size);
    if (fil_sim_draw(&world.sim, (struct fil_sim_range){.max = 1}) == 0) {
        fil_sim_client_finish(client);
    }
}

/** Returns how many clients got everything. */
static uint32_t run_seed(uint64_t seed)
{
    static struct fil_sim_options network;
    uint32_t matched = 0;
    net_world_init(&world);
    fil_sim_options_draw(&network, seed);
    world.seed = seed;
    world.network = &network;
    world.loop_count = 2;
    world.limits.output_bytes_max = 2000;
    world.client_options.fragment_bytes = (struct fil_sim_range){.min = 1, .max = 30};
    world.client_options.receive_bytes = (struct fil_sim_range){.min = 1, .max = 2000};
    world.worker = (struct fil_sim_cycle){.cycle = work};
    net_world_must_open(&world);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        write_script(net_world_client(&world));
    }
    net_world_run(&world);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        enum fil_sim_verdict verdict = fil_sim_client_verdict(&world.clients[i]);
        if (verdict != FIL_SIM_VERDICT_MATCHED && verdict != FIL_SIM_VERDICT_LOST) {
            (void)fil_sim_report(&world.sim, stderr);
            fail_msg("seed=%llu: client %u is %s", (unsigned long long)seed, i,
                     fil_sim_verdict_text(verdict));
        }
        matched += verdict == FIL_SIM_VERDICT_MATCHED;
    }
    net_world_close(&world);
    return matched;
}

static void test_replies_arrive_over_many_seeds(void **state)
{
    (void)state;
    uint32_t matched = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        matched += run_seed(seed);
    }
    assert_true(matched > SEEDS * CLIENTS / 3);
    net_world_init(&world);
    net_world_must_open(&world); // for tear_down
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(notify_sends_at_once),
        TEST(replies_of_a_turn_are_collected_by_the_loop),
        TEST(loop_sends_what_the_socket_did_not_take),
        TEST(loop_that_was_turned_away_is_called_again),
        TEST(loop_that_was_turned_away_hears_of_an_error),
        TEST(loop_does_not_spin_while_another_thread_writes),
        TEST(note_left_during_a_write_is_seen),
        TEST(reader_has_its_time_after_a_late_reply),
        TEST(closed_connection_lives_until_its_last_hold),
        TEST(limit_does_not_count_closed_connections),
        TEST(aborted_connection_lives_until_its_last_hold),
        TEST(no_memory_for_a_reply_ends_the_connection),
        TEST(attend_leaves_the_writing_to_the_loop),
        TEST(replies_arrive_over_many_seeds),
    };
#undef TEST
    return cmocka_run_group_tests_name("notify", tests, NULL, NULL);
}
