// SPDX-License-Identifier: Apache-2.0
/**
 * A connection on its loop, one test a promise, on a simulated network: the first bytes choose the
 * protocol, in whatever pieces they come; who does not say within its time or bytes what it speaks
 * is closed and counted; a request that comes in pieces is kept, one that is too long ends the
 * connection, and an idle connection holds no memory; requests wait while their reader is slow, and
 * all of them are answered in order once it reads; a reader that takes nothing is cut, one that
 * takes little is not; silence ends a connection where a limit says so; who asks for the end, or
 * half closes, gets everything that was answered first; a request that trickles is cut; who sends
 * what finds no memory hears why; errors are counted by their reason.
 */
#include "lib/net/connection.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/alloc.h"
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
    net_world_close(&world);
    return 0;
}

static void assert_verdict(const struct fil_sim_client *client, enum fil_sim_verdict verdict)
{
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)),
                        fil_sim_verdict_text(verdict));
}

/** Everything expected has come, and then the end of the stream. */
static void assert_complete(const struct fil_sim_client *client)
{
    assert_verdict(client, FIL_SIM_VERDICT_MATCHED);
    assert_int_equal(client->state, FIL_SIM_CLIENT_ENDED);
}

static uint32_t open_connections(void)
{
    return fil_loop_connection_count(&world.loops[0]);
}

// The first bytes.

static void test_first_bytes_choose_the_protocol(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\nhello\n");
    net_world_expect(client, "ECHO\nhello\n");
    net_world_run(&world);
    assert_verdict(client, FIL_SIM_VERDICT_MATCHED);
    assert_string_equal(net_world_connection(&world)->protocol->ops->name, "echo");
    assert_int_equal(fil_counter_read(&world.loops[0].stats.requests), 2);
    assert_int_equal(net_world_connection(&world)->request_count, 2);
}

static void test_unfinished_prefix_is_waited_for(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    for (const char *letter = "ECHO"; *letter != '\0'; letter++) {
        fil_sim_client_send(client, fil_bytes_make(letter, 1));
        fil_sim_client_pause(client, SECOND);
    }
    net_world_send(client, "\n");
    net_world_expect(client, "ECHO\n");
    net_world_run(&world);
    assert_verdict(client, FIL_SIM_VERDICT_MATCHED);
    assert_int_equal(net_world_closed_all(&world), 0);
}

static void test_prefix_that_stays_unfinished_is_cut_in_time(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECH");
    net_world_run_for(&world, world.limits.handshake_timeout_ns - SECOND / 10);
    assert_int_equal(open_connections(), 1);
    net_world_run_for(&world, SECOND / 5);
    assert_int_equal(open_connections(), 0);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_HANDSHAKE), 1);
    assert_true(client->state != FIL_SIM_CLIENT_OPEN);
}

static void test_silent_connection_is_cut_in_time(void **state)
{
    (void)state;
    net_world_must_open(&world);
    (void)net_world_client(&world);
    net_world_run(&world);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_HANDSHAKE), 1);
}

static void test_trickling_does_not_stretch_the_handshake(void **state)
{
    (void)state;
    world.limits.handshake_timeout_ns = SECOND;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "E");
    fil_sim_client_pause(client, 9 * SECOND / 10);
    net_world_send(client, "C");
    net_world_run_for(&world, 11 * SECOND / 10);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_HANDSHAKE), 1);
}

static void test_unknown_protocol_is_closed_and_counted(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "\x16\x03\x01 what is this");
    net_world_run(&world);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_UNKNOWN), 1);
    // An orderly end, although the member has not understood what it read.
    assert_complete(client);
}

static void test_undecided_bytes_have_a_limit(void **state)
{
    (void)state;
    world.limits.handshake_bytes_max = 3;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "EC");
    fil_sim_client_pause(client, SECOND);
    net_world_send(client, "H");
    net_world_run_for(&world, 3 * SECOND);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_STRANGER), 1);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_UNKNOWN), 0);
}

// Requests in pieces.

static void test_request_in_pieces_is_kept(void **state)
{
    (void)state;
    char line[3002];
    memset(line, 'x', sizeof(line));
    line[3000] = '\n';
    line[3001] = '\0';
    world.client_options.fragment_bytes = (struct fil_sim_range){.min = 1, .max = 7};
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    for (uint32_t i = 0; i < 3; i++) {
        net_world_send(client, line);
    }
    net_world_expect(client, "ECHO\n");
    for (uint32_t i = 0; i < 3; i++) {
        net_world_expect(client, line);
    }
    net_world_run(&world);
    assert_verdict(client, FIL_SIM_VERDICT_MATCHED);
}

static void test_idle_connection_holds_no_memory(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\nhalf a li");
    net_world_run_for(&world, 1000000);
    assert_true(fil_account_used(&world.loops[0].account) > 0);
    net_world_send(client, "ne\n");
    net_world_expect(client, "ECHO\nhalf a line\n");
    net_world_run(&world);
    assert_verdict(client, FIL_SIM_VERDICT_MATCHED);
    assert_int_equal(fil_account_used(&world.loops[0].account), 0);
    assert_null(net_world_connection(&world)->input);
    assert_int_equal(world.loops[0].chunks.lent_count, 0);
}

static void test_too_long_request_ends_the_connection(void **state)
{
    (void)state;
    char line[5000];
    memset(line, 'x', sizeof(line));
    line[4999] = '\0';
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    net_world_send(client, line);
    net_world_expect(client, "ECHO\n");
    net_world_run(&world);
    assert_complete(client);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_FRAME), 1);
}

// Slow readers.

/** Asks for more than the network and the limit hold, and does not read. */
static struct fil_sim_client *greedy_client(uint32_t requests, size_t reply_size)
{
    struct fil_sim_client *client = net_world_client(&world);
    char script[4096] = "ECHO\n";
    fil_sim_client_stop_reading(client);
    net_world_expect(client, "ECHO\n");
    for (uint32_t i = 0; i < requests; i++) {
        size_t used = strlen(script);
        (void)snprintf(script + used, sizeof(script) - used, "big %zu\n", reply_size);
        net_world_expect_big(client, reply_size);
    }
    net_world_send(client, script);
    return client;
}

static void test_requests_wait_for_their_reader(void **state)
{
    (void)state;
    world.limits.output_bytes_max = 20000;
    net_world_must_open(&world);
    struct fil_sim_client *client = greedy_client(80, 9999);
    fil_sim_client_pause(client, SECOND);
    net_world_run_for(&world, SECOND / 2);

    struct fil_connection *connection = net_world_connection(&world);
    assert_true(connection->is_paused);
    assert_true(connection->request_count < 20);
    // The limit, and the reply that went beyond it.
    assert_true(connection->output.queue.size_bytes <= 20000 + 10000);
    uint64_t pauses = fil_counter_read(&world.loops[0].stats.output_pauses);
    assert_true(pauses > 0);

    fil_sim_client_start_reading(client);
    net_world_run(&world);
    assert_verdict(client, FIL_SIM_VERDICT_MATCHED);
    assert_int_equal(connection->request_count, 81);
    assert_true(fil_counter_read(&world.loops[0].stats.output_pauses) > pauses);
    assert_false(connection->is_paused);
}

/** The socket takes all of it at once, so the pause is over before the next request is read. */
static void test_requests_go_on_when_the_pause_is_over_at_once(void **state)
{
    (void)state;
    world.limits.output_bytes_max = 500;
    world.client_options.fragment_bytes = (struct fil_sim_range){.min = 40, .max = 80};
    net_world_must_open(&world);
    struct fil_sim_client *client = greedy_client(100, 400);
    fil_sim_client_start_reading(client);
    net_world_run(&world);
    assert_verdict(client, FIL_SIM_VERDICT_MATCHED);
}

static void test_half_close_does_not_drop_waiting_requests(void **state)
{
    (void)state;
    world.limits.output_bytes_max = 500;
    net_world_must_open(&world);
    struct fil_sim_client *client = greedy_client(100, 400);
    fil_sim_client_start_reading(client);
    fil_sim_client_finish(client);
    net_world_run(&world);
    assert_complete(client);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_PEER), 1);
    assert_int_equal(fil_counter_read(&world.loops[0].stats.requests), 101);
}

static void test_reader_that_takes_nothing_is_cut(void **state)
{
    (void)state;
    world.limits.output_bytes_max = 20000;
    net_world_must_open(&world);
    (void)greedy_client(80, 9999);
    net_world_run_for(&world, world.limits.stall_timeout_ns - SECOND);
    assert_int_equal(open_connections(), 1);
    net_world_run_for(&world, 2 * SECOND);
    assert_int_equal(open_connections(), 0);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_STALLED), 1);
}

static void test_reader_that_takes_little_is_not_cut(void **state)
{
    (void)state;
    world.limits.output_bytes_max = 20000;
    world.limits.stall_timeout_ns = 2 * SECOND;
    world.client_options.receive_bytes = (struct fil_sim_range){.min = 40000, .max = 40000};
    net_world_must_open(&world);
    struct fil_sim_client *client = greedy_client(60, 9999);
    for (uint32_t i = 0; i < 20; i++) {
        fil_sim_client_start_reading(client);
        fil_sim_client_stop_reading(client);
        fil_sim_client_pause(client, SECOND);
    }
    fil_sim_client_start_reading(client);
    net_world_run(&world);
    assert_int_equal(net_world_closed_all(&world), 0);
    assert_verdict(client, FIL_SIM_VERDICT_MATCHED);
}

/** Sends pieces of a line that never ends, one a second. */
static void send_slowly(struct fil_sim_client *client, const char *piece, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        net_world_send(client, piece);
        fil_sim_client_pause(client, SECOND);
    }
}

static void test_request_that_comes_byte_by_byte_is_cut(void **state)
{
    (void)state;
    world.limits.stall_timeout_ns = 5 * SECOND;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    send_slowly(client, "x", 20);
    net_world_run_for(&world, 4 * SECOND);
    assert_int_equal(open_connections(), 1);
    net_world_run_for(&world, 2 * SECOND);
    assert_int_equal(open_connections(), 0);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_HALF), 1);
}

static void test_requests_that_come_slowly_are_not_cut(void **state)
{
    (void)state;
    static char piece[512];
    memset(piece, 'x', sizeof(piece) - 1);
    world.limits.stall_timeout_ns = 5 * SECOND;
    world.limits.frame_bytes_max = 30 * sizeof(piece);
    net_world_must_open(&world);
    struct fil_sim_client *large = net_world_client(&world);
    net_world_send(large, "ECHO\n");
    send_slowly(large, piece, 30);
    // Each of its requests ends in time, and what is left is always the beginning of the next.
    struct fil_sim_client *small = net_world_client(&world);
    net_world_send(small, "ECHO\n");
    send_slowly(small, "a\nb", 30);
    net_world_run_for(&world, 25 * SECOND);
    assert_int_equal(open_connections(), 2);
}

static void test_reset_ends_a_waiting_connection(void **state)
{
    (void)state;
    world.limits.output_bytes_max = 20000;
    net_world_must_open(&world);
    struct fil_sim_client *client = greedy_client(80, 9999);
    fil_sim_client_pause(client, SECOND);
    fil_sim_client_reset(client);
    net_world_run_for(&world, 2 * SECOND);
    assert_int_equal(open_connections(), 0);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_PEER), 1);
}

// Silence.

static void test_silence_has_no_limit_unless_it_is_set(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    fil_sim_client_pause(client, 3600 * SECOND);
    net_world_send(client, "back\n");
    net_world_expect(client, "ECHO\nback\n");
    net_world_run(&world);
    assert_verdict(client, FIL_SIM_VERDICT_MATCHED);
}

static void test_silence_is_cut_at_its_limit(void **state)
{
    (void)state;
    world.limits.idle_timeout_ns = 10 * SECOND;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    fil_sim_client_pause(client, 9 * SECOND);
    net_world_send(client, "still here\n");
    net_world_expect(client, "ECHO\nstill here\n");
    net_world_run_for(&world, 18 * SECOND);
    assert_int_equal(open_connections(), 1);
    net_world_run_for(&world, 2 * SECOND);
    assert_int_equal(open_connections(), 0);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_IDLE), 1);
    assert_verdict(client, FIL_SIM_VERDICT_MATCHED);
}

static void test_vanished_peer_is_cut_by_the_idle_limit(void **state)
{
    (void)state;
    world.limits.idle_timeout_ns = 10 * SECOND;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    fil_sim_client_await(client, 5);
    fil_sim_client_vanish(client);
    net_world_run(&world);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_IDLE), 1);
}

// Endings.

static void test_half_close_gets_its_answers_first(void **state)
{
    (void)state;
    static const struct fil_sim_options narrow = {.buffer_bytes = {.min = 3000, .max = 3000}};
    world.network = &narrow;
    net_world_must_open(&world);
    struct fil_sim_client *client = greedy_client(5, 30000);
    fil_sim_client_finish(client);
    fil_sim_client_pause(client, SECOND);
    fil_sim_client_start_reading(client);
    net_world_run(&world);
    assert_complete(client);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_PEER), 1);
}

static void test_request_to_end_gets_its_answers_first(void **state)
{
    (void)state;
    static const struct fil_sim_options narrow = {.buffer_bytes = {.min = 3000, .max = 3000}};
    world.network = &narrow;
    net_world_must_open(&world);
    struct fil_sim_client *client = greedy_client(5, 30000);
    net_world_send(client, "quit\nthis is not answered\n");
    net_world_expect(client, "bye\n");
    fil_sim_client_pause(client, SECOND);
    fil_sim_client_start_reading(client);
    net_world_run(&world);
    assert_complete(client);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_REQUEST), 1);
}

/** Both sides end while answers are still waiting: they leave all the same. */
static void test_request_to_end_and_half_close_gets_its_answers(void **state)
{
    (void)state;
    static const struct fil_sim_options narrow = {.buffer_bytes = {.min = 3000, .max = 3000}};
    world.network = &narrow;
    net_world_must_open(&world);
    struct fil_sim_client *client = greedy_client(5, 30000);
    net_world_send(client, "quit\n");
    net_world_expect(client, "bye\n");
    fil_sim_client_finish(client);
    fil_sim_client_pause(client, SECOND);
    fil_sim_client_start_reading(client);
    net_world_run(&world);
    assert_complete(client);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_REQUEST), 1);
}

/** The request is in kept input, which must live until the protocol has read it. */
static void test_request_to_end_may_come_in_pieces(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\nqui");
    fil_sim_client_pause(client, SECOND);
    net_world_send(client, "t\nand something behind it that is long enough to see\n");
    net_world_expect(client, "ECHO\nbye\n");
    net_world_run(&world);
    assert_complete(client);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_REQUEST), 1);
    assert_int_equal(fil_account_used(&world.loops[0].account), 0);
}

static void test_peer_that_does_not_close_is_not_waited_for_long(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\nquit\n");
    net_world_expect(client, "ECHO\nbye\n");
    net_world_run_for(&world, SECOND / 2);
    assert_int_equal(client->state, FIL_SIM_CLIENT_ENDED);
    assert_int_equal(open_connections(), 1);
    net_world_run_for(&world, SECOND);
    assert_int_equal(open_connections(), 0);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_REQUEST), 1);
}

static void test_error_is_answered_and_counted(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\nbad\nignored\n");
    net_world_expect(client, "ECHO\nno\n");
    fil_sim_client_await(client, 8);
    fil_sim_client_close(client);
    net_world_run(&world);
    assert_verdict(client, FIL_SIM_VERDICT_MATCHED);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_MALFORMED), 1);
    assert_int_equal(open_connections(), 0);
}

static void test_no_memory_for_a_request_is_told(void **state)
{
    (void)state;
    char line[4000];
    memset(line, 'x', sizeof(line));
    line[3999] = '\0';
    world.budget_bytes = 20000; // a chunk for the output, and little more
    world.client_options.fragment_bytes = (struct fil_sim_range){.min = 100, .max = 100};
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    net_world_send(client, line);
    net_world_expect(client, "ECHO\nfull\n");
    net_world_run(&world);
    assert_complete(client);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_MEMORY), 1);
    assert_int_equal(fil_account_used(&world.loops[0].account), 0);
}

static void test_closed_peer_ends_the_connection(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    fil_sim_client_await(client, 5);
    fil_sim_client_close(client);
    net_world_run(&world);
    assert_int_equal(open_connections(), 0);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_PEER), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(first_bytes_choose_the_protocol),
        TEST(unfinished_prefix_is_waited_for),
        TEST(prefix_that_stays_unfinished_is_cut_in_time),
        TEST(silent_connection_is_cut_in_time),
        TEST(trickling_does_not_stretch_the_handshake),
        TEST(unknown_protocol_is_closed_and_counted),
        TEST(undecided_bytes_have_a_limit),
        TEST(request_in_pieces_is_kept),
        TEST(idle_connection_holds_no_memory),
        TEST(too_long_request_ends_the_connection),
        TEST(requests_wait_for_their_reader),
        TEST(requests_go_on_when_the_pause_is_over_at_once),
        TEST(half_close_does_not_drop_waiting_requests),
        TEST(reader_that_takes_nothing_is_cut),
        TEST(reader_that_takes_little_is_not_cut),
        TEST(request_that_comes_byte_by_byte_is_cut),
        TEST(requests_that_come_slowly_are_not_cut),
        TEST(reset_ends_a_waiting_connection),
        TEST(silence_has_no_limit_unless_it_is_set),
        TEST(silence_is_cut_at_its_limit),
        TEST(vanished_peer_is_cut_by_the_idle_limit),
        TEST(half_close_gets_its_answers_first),
        TEST(request_to_end_gets_its_answers_first),
        TEST(request_to_end_and_half_close_gets_its_answers),
        TEST(request_to_end_may_come_in_pieces),
        TEST(peer_that_does_not_close_is_not_waited_for_long),
        TEST(error_is_answered_and_counted),
        TEST(no_memory_for_a_request_is_told),
        TEST(closed_peer_ends_the_connection),
    };
#undef TEST
    return cmocka_run_group_tests_name("connection", tests, NULL, NULL);
}
