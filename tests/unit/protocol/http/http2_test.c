// SPDX-License-Identifier: Apache-2.0
/**
 * The HTTP/2 server through a connection, one test a promise: requests are answered, in the order
 * in which the answers are there; bodies come whole or while they are read, and not beyond their
 * limit; large answers wait for windows; who resets a stream cancels its request, and its answer
 * goes nowhere; a preface that is none is not taken for one; a drain says goodbye and waits;
 * memory that is out ends the connection, and all of it comes back.
 */
#include "tests/unit/protocol/http/http2_world.h"

/** The frames that a client has received, one after the other. */
struct frames {
    struct fil_bytes left;
    unsigned kind;
    unsigned flags;
    uint32_t stream;
    struct fil_bytes payload;
};

static bool next_frame(struct frames *frames)
{
    const uint8_t *data = frames->left.data;
    if (frames->left.size < 9) {
        return false;
    }
    size_t size = (size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2];
    if (frames->left.size < 9 + size) {
        return false;
    }
    frames->kind = data[3];
    frames->flags = data[4];
    frames->stream = (uint32_t)data[7] << 8 | data[8];
    frames->payload = fil_bytes_make(data + 9, size);
    frames->left = fil_bytes_make(data + 9 + size, frames->left.size - 9 - size);
    return true;
}

/** The next frame of the kind on the stream; false when there is none. */
static bool find_frame(struct frames *frames, unsigned kind, uint32_t stream)
{
    while (next_frame(frames)) {
        if (frames->kind == kind && frames->stream == stream) {
            return true;
        }
    }
    return false;
}

static struct frames frames_of(const struct fil_sim_client *client)
{
    return (struct frames){.left = fil_sim_client_received(client)};
}

static void assert_body(const struct fil_sim_client *client, uint32_t stream, const char *expected)
{
    struct frames frames = frames_of(client);
    assert_true(find_frame(&frames, FRAME_DATA, stream));
    assert_true(fil_bytes_equal_text(frames.payload, expected));
    assert_int_equal(frames.flags & END_STREAM, END_STREAM);
}

static bool has_reset(const struct fil_sim_client *client, uint32_t stream)
{
    struct frames frames = frames_of(client);
    return find_frame(&frames, FRAME_RST_STREAM, stream);
}

static int tear_down(void **state)
{
    (void)state;
    close_world();
    return 0;
}

static void test_requests_are_answered(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = greet();
    ask(client, 1, "GET", "/hello", END_STREAM);
    ask(client, 3, "POST", "/echo", 0);
    send_frame(client, FRAME_DATA, END_STREAM, 3, fil_bytes_of("echo"));
    net_world_run_for(&world, SECOND / 10);
    assert_body(client, 1, "hello x\n");
    assert_body(client, 3, "echo");
    assert_int_equal(fil_counter_read(&http2_server.stats.requests), 2);
    assert_int_equal(fil_counter_read(&world.loops[0].stats.requests), 2);
}

static void test_later_answers_do_not_hold_others_up(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = greet();
    ask(client, 1, "GET", "/later", END_STREAM);
    ask(client, 3, "GET", "/hello", END_STREAM);
    net_world_run_for(&world, SECOND / 10);
    assert_body(client, 3, "hello x\n");
    fil_request_complete(parked, fil_reply_text(parked, 200, "at last"));
    parked = NULL;
    net_world_run_for(&world, SECOND / 10);
    assert_body(client, 1, "at last");
}

static void test_large_answer_waits_for_windows(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = greet();
    ask(client, 1, "GET", "/large", END_STREAM);
    net_world_run_for(&world, SECOND / 10);
    assert_true(client->received_size > 65535 && client->received_size < 70000);
    uint8_t more[4] = {0, 4, 0, 0};
    send_frame(client, FRAME_WINDOW_UPDATE, 0, 0, fil_bytes_make(more, 4));
    send_frame(client, FRAME_WINDOW_UPDATE, 0, 1, fil_bytes_make(more, 4));
    net_world_run_for(&world, SECOND / 10);
    struct frames frames = frames_of(client);
    size_t position = 0;
    while (find_frame(&frames, FRAME_DATA, 1)) {
        uint8_t expected[16384];
        toy_fill(expected, position, frames.payload.size);
        assert_memory_equal(frames.payload.data, expected, frames.payload.size);
        position += frames.payload.size;
    }
    assert_int_equal(position, LARGE_SIZE);
}

static void test_body_is_read_while_it_comes(void **state)
{
    (void)state;
    static uint8_t piece[16000];
    open_world();
    struct fil_sim_client *client = greet();
    send_frame(client, FRAME_SETTINGS, 1, 0, fil_bytes_make(NULL, 0));
    ask(client, 1, "POST", "/count", 0);
    for (uint32_t i = 0; i < 3; i++) {
        send_frame(client, FRAME_DATA, i == 2 ? END_STREAM : 0, 1,
                   fil_bytes_make(piece, sizeof(piece)));
    }
    net_world_run_for(&world, SECOND);
    assert_body(client, 1, "48000");
}

static void test_bodies_beyond_their_limit_are_refused(void **state)
{
    (void)state;
    static const char large[100];
    open_world();
    struct fil_sim_client *client = greet();
    ask(client, 1, "POST", "/echo", 0);
    send_frame(client, FRAME_DATA, 0, 1, fil_bytes_make(large, sizeof(large)));
    ask(client, 3, "GET", "/hello", END_STREAM);
    net_world_run_for(&world, SECOND / 10);
    assert_body(client, 1, "this route takes bodies of at most 64 bytes\n");
    assert_true(has_reset(client, 1)); // the rest is not wanted
    assert_body(client, 3, "hello x\n");
}

static void test_reset_cancels_and_the_answer_goes_nowhere(void **state)
{
    (void)state;
    static const uint8_t cancel[4] = {0, 0, 0, 8};
    open_world();
    struct fil_sim_client *client = greet();
    ask(client, 1, "GET", "/later", END_STREAM);
    send_frame(client, FRAME_RST_STREAM, 0, 1, fil_bytes_make(cancel, 4));
    net_world_run_for(&world, SECOND / 10);
    assert_true(fil_request_is_cancelled(parked));
    fil_request_complete(parked, fil_reply_text(parked, 200, "for nobody"));
    parked = NULL;
    ask(client, 3, "GET", "/hello", END_STREAM);
    net_world_run_for(&world, SECOND / 10);
    struct frames frames = frames_of(client);
    assert_false(find_frame(&frames, FRAME_DATA, 1));
    assert_body(client, 3, "hello x\n");
}

static void test_connection_that_is_lost_cancels(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = greet();
    ask(client, 1, "GET", "/later", END_STREAM);
    ask(client, 3, "POST", "/count", 0);
    net_world_run_for(&world, SECOND / 10);
    fil_sim_client_reset(client);
    net_world_run_for(&world, SECOND / 10);
    assert_true(fil_request_is_cancelled(parked));
    assert_int_equal(net_world_closed_all(&world), 1);
}

static void test_other_prefaces_are_refused_in_http_1(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n");
    net_world_run_for(&world, SECOND / 10);
    assert_memory_equal(client->received, "HTTP/1.1 505", 12);
    assert_int_equal(fil_counter_read(&http2_server.stats.connections), 0);
}

static void test_drain_says_goodbye_and_waits(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = greet();
    ask(client, 1, "GET", "/later", END_STREAM);
    net_world_run_for(&world, SECOND / 10);
    fil_loop_drain(&world.loops[0]);
    net_world_run_for(&world, SECOND / 10);
    struct frames frames = frames_of(client);
    assert_true(find_frame(&frames, FRAME_GOAWAY, 0));
    assert_int_equal(net_world_closed_all(&world), 0);
    fil_request_complete(parked, fil_reply_text(parked, 200, "last"));
    parked = NULL;
    net_world_run_for(&world, 3 * SECOND);
    assert_body(client, 1, "last");
    assert_int_equal(net_world_closed_all(&world), 1);
}

static void test_frames_against_the_rules_end_the_connection(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = greet();
    ask(client, 1, "GET", "/later", END_STREAM);
    ask(client, 2, "GET", "/hello", END_STREAM); // even: not a client's to begin
    net_world_run_for(&world, 3 * SECOND);
    struct frames frames = frames_of(client);
    assert_true(find_frame(&frames, FRAME_GOAWAY, 0));
    assert_true(fil_request_is_cancelled(parked));
    assert_int_equal(fil_counter_read(&http2_server.stats.refused[FIL_HTTP2_REFUSED_MALFORMED]), 1);
    assert_int_equal(net_world_closed_all(&world), 1);
}

static void test_every_failed_allocation_leaves_nothing(void **state)
{
    (void)state;
    bool is_complete = false;
    for (int64_t position = 0; !is_complete; position++) {
        open_world();
        struct fil_sim_client *client = greet();
        ask(client, 1, "GET", "/hello", END_STREAM);
        ask(client, 3, "POST", "/count", 0);
        send_frame(client, FRAME_DATA, END_STREAM, 3, fil_bytes_of("body"));
        uint64_t before = fil_alloc_count();
        fil_alloc_fail_after(position);
        net_world_run_for(&world, 3 * SECOND);
        fil_alloc_fail_after(-1);
        is_complete = fil_alloc_count() - before < (uint64_t)position;
        if (is_complete) {
            assert_body(client, 1, "hello x\n");
            assert_body(client, 3, "4");
        } else {
            close_world();
        }
        assert_true(position < 500);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_requests_are_answered),
        TEST(test_later_answers_do_not_hold_others_up),
        TEST(test_large_answer_waits_for_windows),
        TEST(test_body_is_read_while_it_comes),
        TEST(test_bodies_beyond_their_limit_are_refused),
        TEST(test_reset_cancels_and_the_answer_goes_nowhere),
        TEST(test_connection_that_is_lost_cancels),
        TEST(test_other_prefaces_are_refused_in_http_1),
        TEST(test_drain_says_goodbye_and_waits),
        TEST(test_frames_against_the_rules_end_the_connection),
        TEST(test_every_failed_allocation_leaves_nothing),
    };
    return cmocka_run_group_tests_name("http2", tests, NULL, NULL);
}
