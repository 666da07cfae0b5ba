// SPDX-License-Identifier: Apache-2.0
/**
 * Answers that come piece by piece, one test a promise: pieces leave as they are written, as chunks
 * or, for those who do not know chunks, up to the end of the connection; what is behind a stream
 * waits for its end; HEAD gets the head alone; events are framed line by line and end with their
 * reader's sending or with the member; a reader that does
 * not read stops whoever writes, and nothing is lost; one that is gone is told, and all memory
 * comes back; memory that is out is told.
 */
#include <string.h>

#include "core/exec/exec.h"
#include "lib/base/alloc.h"
#include "protocol/http/server.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define SECOND UINT64_C(1000000000)
#define ASK    " HTTP/1.1\r\nHost: x\r\n\r\n"

static struct net_world world;
static struct fil_service service;
static struct fil_http_server server;
static struct fil_protocol protocol = {&fil_http_protocol, &server};
static struct fil_exec *executive;
static struct fil_reply_stream *stream;

static struct fil_reply open_stream(struct fil_request *request)
{
    stream = fil_reply_stream_open(request, 200, "text/event-stream");
    return stream == NULL ? fil_reply_error(request, FIL_E_NOMEM) : fil_reply_streamed(stream);
}

static struct fil_reply page_plain(struct fil_request *request)
{
    return fil_reply_text(request, 200, "plain");
}

static int set_up(void **state)
{
    (void)state;
    stream = NULL;
    net_world_init(&world);
    world.limits.handshake_timeout_ns = 3600 * SECOND;
    world.protocols = &protocol;
    world.protocol_count = 1;
    server = (struct fil_http_server){
        .env = &world.sim.env, .service = &service, .budget = &world.budget};
    net_world_must_open(&world);
    struct fil_exec_options options = {
        .env = &world.sim.env, .budget = &world.budget, .partition_count = 1, .thread_count = 1};
    assert_int_equal(fil_exec_new(&executive, &options), FIL_OK);
    fil_service_init(&service, &(struct fil_service_options){.env = &world.sim.env,
                                                             .exec = executive,
                                                             .budget = &world.budget});
    assert_int_equal(fil_service_route(&service, "GET /stream", open_stream, NULL, NULL), FIL_OK);
    assert_int_equal(fil_service_route(&service, "GET /plain", page_plain, NULL, NULL), FIL_OK);
    assert_int_equal(fil_service_open(&service), FIL_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_role_assert_io();
    for (uint32_t i = 0; i < world.loop_count; i++) {
        fil_loop_abort(&world.loops[i]);
        (void)fil_loop_cycle(&world.loops[i], 0);
    }
    fil_service_fini(&service);
    fil_exec_free(executive);
    net_world_close(&world);
    return 0;
}

static void run(void)
{
    net_world_run_for(&world, SECOND / 10);
}

static struct fil_sim_client *ask(const char *request)
{
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, request);
    run();
    return client;
}

/** What came behind the head. */
static const char *body(struct fil_sim_client *client)
{
    static char text[4096];
    const uint8_t *start = memmem(client->received, client->received_size, "\r\n\r\n", 4);
    assert_non_null(start);
    size_t size = client->received_size - (size_t)(start + 4 - client->received);
    assert_true(size < sizeof(text));
    memcpy(text, start + 4, size);
    text[size] = '\0';
    return text;
}

static void write_text(const char *text)
{
    assert_int_equal(fil_reply_stream_write(stream, text, strlen(text)), FIL_OK);
    run();
}

static void test_pieces_leave_as_they_are_written(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask("GET /stream" ASK "GET /plain" ASK);
    assert_non_null(memmem(client->received, client->received_size, "chunked", 7));
    assert_string_equal(body(client), "");
    write_text("one");
    assert_string_equal(body(client), "3\r\none\r\n");
    write_text("");
    write_text("second");
    assert_string_equal(body(client), "3\r\none\r\n6\r\nsecond\r\n");
    fil_reply_stream_end(stream);
    run();
    const char *end = strstr(body(client), "second\r\n0\r\n\r\nHTTP/1.1 200 OK");
    assert_non_null(end);
    assert_non_null(strstr(end, "plain"));
}

static void test_old_clients_get_the_end_of_the_connection(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask("GET /stream HTTP/1.0\r\n\r\n");
    write_text("one");
    write_text("two");
    assert_string_equal(body(client), "onetwo");
    fil_reply_stream_end(stream);
    run();
    assert_int_not_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

static void test_head_gets_the_head_alone(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask("HEAD /stream" ASK);
    write_text("unseen");
    fil_reply_stream_end(stream);
    run();
    assert_string_equal(body(client), "");
}

static void test_events_are_framed_line_by_line(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask("GET /stream" ASK);
    assert_int_equal(fil_reply_stream_event(stream, "tick", "a\nb"), FIL_OK);
    run();
    assert_string_equal(body(client), "1d\r\nevent: tick\ndata: a\ndata: b\n\n\r\n");
    assert_int_equal(fil_reply_stream_event(stream, "a\nb", "x"), FIL_E_INVALID);
    assert_int_equal(fil_reply_stream_event(stream, NULL, "a\rb"), FIL_E_INVALID);
    assert_int_equal(fil_reply_stream_event(stream, NULL, ""), FIL_OK);
    run();
    assert_non_null(strstr(body(client), "8\r\ndata: \n\n\r\n"));
    fil_reply_stream_end(stream);
    run();
}

static void test_room_is_bounded_and_comes_back(void **state)
{
    (void)state;
    static char piece[65536];
    memset(piece, 'p', sizeof(piece));
    uint64_t before = fil_budget_drawn(&world.budget);
    struct fil_sim_client *client = ask("GET /stream" ASK);
    uint32_t taken = 0;
    // Nothing turns meanwhile: the pieces stay where they are.
    while (fil_reply_stream_write(stream, piece, sizeof(piece)) == FIL_OK) {
        taken++;
        assert_true(taken < 100);
    }
    assert_int_equal(fil_reply_stream_write(stream, piece, 1), FIL_E_AGAIN);
    assert_in_range(taken, 4, 5);
    assert_int_equal(fil_reply_stream_wait(stream, 0), FIL_E_WOULD_BLOCK); // this thread is a loop
    run();
    assert_true(client->received_size > taken * sizeof(piece));
    assert_int_equal(fil_reply_stream_write(stream, piece, 1), FIL_OK);
    fil_reply_stream_end(stream);
    net_world_run_for(&world, SECOND);
    assert_true(fil_budget_drawn(&world.budget) <= before + (1U << 20));
}

static void test_reader_that_is_gone_is_told(void **state)
{
    (void)state;
    (void)ask("GET /stream" ASK);
    assert_int_equal(fil_reply_stream_write(stream, "x", 1), FIL_OK);
    fil_role_assert_io();
    fil_loop_abort(&world.loops[0]);
    assert_int_equal(fil_reply_stream_write(stream, "y", 1), FIL_E_CLOSED);
    fil_reply_stream_end(stream);
    run();
    assert_int_equal(net_world_closed_all(&world), 1);
}

static void test_memory_that_is_out_is_told(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask("GET /stream" ASK);
    fil_alloc_fail_after(0);
    assert_int_equal(fil_reply_stream_write(stream, "x", 1), FIL_E_NOMEM);
    fil_alloc_fail_after(0);
    assert_int_equal(fil_reply_stream_event(stream, NULL, "x"), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    write_text("later");
    assert_string_equal(body(client), "5\r\nlater\r\n");
    fil_reply_stream_end(stream);
    run();
}

static void test_old_clients_that_would_stay_get_the_end_too(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    write_text("one");
    fil_reply_stream_end(stream);
    run();
    assert_string_equal(body(client), "one");
    assert_int_not_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

static uint32_t gone_count;

static void count_gone(void *context)
{
    assert_ptr_equal(context, &gone_count);
    gone_count++;
}

/** Events end with their reader's sending or with the member; the answer still gets its end. */
static void check_end_of_events(struct fil_sim_client *client)
{
    run();
    assert_int_equal(fil_reply_stream_write(stream, "x", 1), FIL_E_CLOSED);
    fil_reply_stream_end(stream);
    run();
    assert_non_null(strstr(body(client), "0\r\n\r\n"));
}

static void test_events_end_with_the_reader_that_sends_no_more(void **state)
{
    (void)state;
    gone_count = 0;
    struct fil_sim_client *client = ask("GET /stream" ASK);
    fil_reply_stream_watch(stream, count_gone, &gone_count);
    fil_sim_client_finish(client);
    check_end_of_events(client);
    assert_int_equal(gone_count, 1);
}

static void test_events_end_with_the_member(void **state)
{
    (void)state;
    gone_count = 0;
    struct fil_sim_client *client = ask("GET /stream" ASK);
    fil_reply_stream_watch(stream, count_gone, &gone_count);
    fil_role_assert_io();
    fil_loop_drain(&world.loops[0]);
    check_end_of_events(client);
    assert_int_equal(gone_count, 1);
}

static void test_watcher_who_comes_late_is_told_at_once(void **state)
{
    (void)state;
    gone_count = 0;
    (void)ask("GET /stream" ASK);
    fil_role_assert_io();
    fil_loop_abort(&world.loops[0]);
    fil_reply_stream_watch(stream, count_gone, &gone_count);
    assert_int_equal(gone_count, 1);
    fil_reply_stream_end(stream);
    run();
}

/** What nobody reads fills the socket, then the output, then the stream, and no more. */
static void test_reader_that_stops_stops_the_writer(void **state)
{
    (void)state;
    static char piece[16384];
    memset(piece, 'p', sizeof(piece));
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "GET /stream HTTP/1.0\r\n\r\n");
    fil_sim_client_stop_reading(client);
    run();
    uint64_t written = 0;
    while (fil_reply_stream_write(stream, piece, sizeof(piece)) == FIL_OK) {
        written += sizeof(piece);
        run();
        assert_true(written < (4U << 20));
    }
    assert_int_equal(fil_reply_stream_write(stream, piece, 1), FIL_E_AGAIN);
    assert_true(written > FIL_REPLY_STREAM_BYTES_MAX);
    fil_reply_stream_end(stream);
    fil_role_assert_io();
    fil_loop_abort(&world.loops[0]);
    run();
    assert_int_equal(net_world_closed_all(&world), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(pieces_leave_as_they_are_written),
        TEST(old_clients_get_the_end_of_the_connection),
        TEST(old_clients_that_would_stay_get_the_end_too),
        TEST(events_end_with_the_reader_that_sends_no_more),
        TEST(events_end_with_the_member),
        TEST(watcher_who_comes_late_is_told_at_once),
        TEST(reader_that_stops_stops_the_writer),
        TEST(head_gets_the_head_alone),
        TEST(events_are_framed_line_by_line),
        TEST(room_is_bounded_and_comes_back),
        TEST(reader_that_is_gone_is_told),
        TEST(memory_that_is_out_is_told),
    };
#undef TEST
    return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
