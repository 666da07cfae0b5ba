// SPDX-License-Identifier: Apache-2.0
/**
 * Bodies that are read while they come, one test a promise: the handler begins with the head; what
 * comes is read in order and has an end; a watcher hears of each piece; what nobody reads stops the
 * sender, and nothing is lost; a client that asks first is called on when the handler looks for the
 * body, not before; an answer before the end lets the connection live when little is missing, and
 * ends it otherwise; bodies that are none, too large or cut off are told, and answered once; a
 * sender that stands still is cut, unless it waits for us;
 * memory that is out is never worse than an ended connection.
 */
#include <stdio.h>
#include <string.h>

#include "core/exec/exec.h"
#include "lib/base/alloc.h"
#include "protocol/http/server.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define SECOND  UINT64_C(1000000000)
#define ASK     " HTTP/1.1\r\nHost: x\r\n"
#define CHUNKED ASK "Transfer-Encoding: chunked\r\n\r\n"
#define LARGE   ((size_t)1 << 20)

static struct net_world world;
static struct fil_service service;
static struct fil_http_server server;
static struct fil_protocol protocol = {&fil_http_protocol, &server};
static struct fil_exec *executive;
static struct fil_request *upload;

static struct fil_reply begin_upload(struct fil_request *request)
{
    upload = request;
    return fil_reply_later(request);
}

static struct fil_reply refuse_upload(struct fil_request *request)
{
    return fil_reply_text(request, 403, "no");
}

static struct fil_reply page_plain(struct fil_request *request)
{
    return fil_reply_text(request, 200, "plain");
}

/** Answers with how much came, or with why it ended; on the loop, without waiting. */
static void count_body(struct fil_request *request, void *context)
{
    size_t *total = context;
    char room[100];
    size_t size = 0;
    int error = fil_body_read(request, room, sizeof(room), &size);
    while (error == FIL_OK && size > 0) {
        *total += size;
        error = fil_body_read(request, room, sizeof(room), &size);
    }
    if (error == FIL_OK) {
        fil_request_complete(request, fil_reply_text(request, 200, "%zu bytes", *total));
    } else if (error != FIL_E_AGAIN) {
        fil_request_complete(request, fil_reply_error(request, error));
    }
}

static struct fil_reply watch_upload(struct fil_request *request)
{
    size_t *total = fil_request_alloc(request, sizeof(*total));
    struct fil_reply reply = fil_reply_later(request);
    if (total == NULL || reply.status != FIL_REPLY_LATER) {
        return fil_reply_error(request, FIL_E_NOMEM);
    }
    *total = 0;
    assert_int_equal(fil_body_watch(request, count_body, total), FIL_OK);
    return reply;
}

static void add_route(const char *pattern, fil_handler_fn handler, size_t bytes_max)
{
    struct fil_route_options options = {.streams_body = true, .body_bytes_max = bytes_max};
    assert_int_equal(fil_service_route(&service, pattern, handler, &options, NULL), FIL_OK);
}

static int set_up(void **state)
{
    (void)state;
    upload = NULL;
    net_world_init(&world);
    world.limits.handshake_timeout_ns = 3600 * SECOND;
    world.client_options.send_bytes_max = 4 * LARGE;
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
    add_route("POST /upload", begin_upload, 0);
    add_route("POST /watched", watch_upload, 1000);
    add_route("POST /refused", refuse_upload, 0);
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

static void send(struct fil_sim_client *client, const char *text)
{
    net_world_send(client, text);
    run();
}

static struct fil_sim_client *ask(const char *request)
{
    struct fil_sim_client *client = net_world_client(&world);
    send(client, request);
    return client;
}

static void answer(int status, const char *text)
{
    fil_request_complete(upload, fil_reply_text(upload, status, "%s", text));
    run();
}

static const char *received(const struct fil_sim_client *client)
{
    static char text[4096];
    assert_true(client->received_size < sizeof(text));
    memcpy(text, client->received, client->received_size);
    text[client->received_size] = '\0';
    return text;
}

/** Reads once: what there is, as a text. */
static const char *read_some(void)
{
    static char text[256];
    size_t size = 0;
    assert_int_equal(fil_body_read(upload, text, sizeof(text) - 1, &size), FIL_OK);
    text[size] = '\0';
    return text;
}

static int read_error(void)
{
    char room[8];
    size_t size = 0;
    int error = fil_body_read(upload, room, sizeof(room), &size);
    assert_int_equal(size, 0);
    return error;
}

static void test_body_is_read_while_it_comes(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask("POST /upload" CHUNKED);
    assert_non_null(upload);
    assert_int_equal(read_error(), FIL_E_AGAIN);
    send(client, "3\r\none\r\n3\r\n-t");
    assert_string_equal(read_some(), "one-t");
    assert_int_equal(read_error(), FIL_E_AGAIN);
    assert_int_equal(fil_body_wait(upload, 0), FIL_E_WOULD_BLOCK); // this thread is a loop
    send(client, "w\r\n0\r\n\r\nGET /plain" ASK "\r\n");
    assert_string_equal(read_some(), "w");
    assert_string_equal(read_some(), "");
    answer(200, "done");
    const char *first = strstr(received(client), "done");
    assert_non_null(first);
    assert_non_null(strstr(first, "plain"));
    assert_int_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

static void test_body_that_is_empty_has_its_end_at_once(void **state)
{
    (void)state;
    (void)ask("POST /upload" ASK "\r\n");
    assert_string_equal(read_some(), "");
    answer(200, "done");
    (void)ask("POST /upload" ASK "Content-Length: 0\r\n\r\n");
    assert_string_equal(read_some(), "");
    answer(200, "done");
}

static void test_watcher_hears_of_each_piece(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask("POST /watched" ASK "Content-Length: 7\r\n\r\n");
    send(client, "one");
    send(client, "four");
    assert_non_null(strstr(received(client), "7 bytes"));
    assert_int_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

static void test_last_request_of_a_connection_has_its_body_too(void **state)
{
    (void)state;
    struct fil_sim_client *client =
        ask("POST /watched" ASK "Connection: close\r\nContent-Length: 7\r\n\r\n");
    send(client, "one");
    assert_int_equal(client->state, FIL_SIM_CLIENT_OPEN);
    send(client, "four");
    assert_non_null(strstr(received(client), "7 bytes"));
    assert_int_not_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

/** What nobody reads waits with the sender; then all of it comes. */
static void test_reader_that_stops_stops_the_sender(void **state)
{
    (void)state;
    static char content[LARGE];
    static char room[10000];
    char head[128];
    for (size_t i = 0; i < LARGE; i++) {
        content[i] = (char)('a' + i % 23);
    }
    (void)snprintf(head, sizeof(head), "POST /upload" ASK "Content-Length: %zu\r\n\r\n", LARGE);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, head);
    fil_sim_client_send(client, fil_bytes_make(content, LARGE));
    net_world_run_for(&world, 3 * world.limits.stall_timeout_ns); // it is not the sender who stalls
    assert_true(fil_piece_queue_size(&upload->body_stream->pieces) < LARGE / 2);
    size_t total = 0;
    while (total < LARGE) {
        size_t size = 0;
        int error = fil_body_read(upload, room, sizeof(room), &size);
        assert_true(error == FIL_OK || error == FIL_E_AGAIN);
        assert_true(size <= LARGE - total);
        assert_memory_equal(room, content + total, size);
        total += size;
        if (error == FIL_E_AGAIN) {
            run();
        }
    }
    run();
    assert_string_equal(read_some(), "");
    answer(200, "done");
    assert_int_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

static void test_client_that_asks_is_called_on_by_the_reader(void **state)
{
    (void)state;
    struct fil_sim_client *client =
        ask("POST /upload" ASK "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    assert_string_equal(received(client), "");
    assert_int_equal(read_error(), FIL_E_AGAIN);
    run();
    assert_string_equal(received(client), "HTTP/1.1 100 Continue\r\n\r\n");
    send(client, "one");
    assert_string_equal(read_some(), "one");
    answer(200, "done");
    assert_non_null(strstr(received(client), "done"));
    assert_int_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

static void test_client_that_asks_and_is_refused_sends_nothing(void **state)
{
    (void)state;
    struct fil_sim_client *client =
        ask("POST /refused" ASK "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    assert_non_null(strstr(received(client), "HTTP/1.1 403 Forbidden\r\n"));
    assert_non_null(strstr(received(client), "Connection: close"));
    assert_int_not_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

static void test_little_that_is_missing_is_read_over(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask("POST /refused" ASK "Content-Length: 7\r\n\r\none");
    assert_non_null(strstr(received(client), "403"));
    send(client, "fourGET /plain" ASK "\r\n");
    assert_non_null(strstr(received(client), "plain"));
}

static void test_much_that_is_missing_ends_the_connection(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask("POST /refused" ASK "Content-Length: 99999\r\n\r\none");
    assert_non_null(strstr(received(client), "403"));
    assert_non_null(strstr(received(client), "Connection: close"));
    assert_int_not_equal(client->state, FIL_SIM_CLIENT_OPEN);
    client = ask("POST /refused" CHUNKED "1\r\nx\r\n");
    assert_non_null(strstr(received(client), "Connection: close"));
    assert_int_not_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        count++;
    }
    return count;
}

/** One answer, the handler's; then the connection ends. */
static void check_refused(const char *request, const char *status)
{
    struct fil_sim_client *client = ask(request);
    assert_non_null(strstr(received(client), status));
    assert_int_equal(count_of(received(client), "HTTP/1.1"), 1);
    assert_int_not_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

static void test_body_that_is_none_is_told(void **state)
{
    (void)state;
    check_refused("POST /watched" CHUNKED "1\r\nx\r\nz\r\n", "HTTP/1.1 400");
    check_refused("POST /watched" CHUNKED "3e9\r\n", "HTTP/1.1 413");
    struct fil_sim_client *client = ask("POST /watched" ASK "Content-Length: 1001\r\n\r\n");
    assert_non_null(strstr(received(client), "HTTP/1.1 413"));
}

static void test_sender_that_stops_half_way_is_told(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask("POST /upload" ASK "Content-Length: 7\r\n\r\none");
    fil_sim_client_finish(client);
    run();
    assert_string_equal(read_some(), "one");
    assert_int_equal(read_error(), FIL_E_CLOSED);
    answer(400, "half");
    assert_non_null(strstr(received(client), "half"));
}

/** Runs for a stall's time but a moment, in which the connection lives, and then that moment. */
static void check_cut(const struct fil_sim_client *client)
{
    net_world_run_for(&world, world.limits.stall_timeout_ns - SECOND);
    assert_int_equal(client->state, FIL_SIM_CLIENT_OPEN);
    net_world_run_for(&world, 2 * SECOND);
    assert_int_not_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

static void test_sender_that_stands_still_is_cut(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask("POST /upload" ASK "Content-Length: 7\r\n\r\none");
    check_cut(client);
    assert_string_equal(read_some(), "one");
    assert_int_equal(read_error(), FIL_E_CLOSED);
    answer(200, "nobody");
    client = ask("GET /plain" ASK "Content-Length: 7\r\n\r\none");
    check_cut(client);
    client = ask("POST /nowhere" ASK "Content-Length: 7\r\n\r\none");
    assert_non_null(strstr(received(client), "HTTP/1.1 404"));
    check_cut(client);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_HALF), 3);
}

static void test_sender_that_trickles_is_cut(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask("POST /upload" ASK "Content-Length: 7000\r\n\r\none");
    for (uint32_t i = 0; i < 26; i++) {
        send(client, "x");
        net_world_run_for(&world, world.limits.stall_timeout_ns / 30);
    }
    assert_int_equal(client->state, FIL_SIM_CLIENT_OPEN);
    net_world_run_for(&world, 2 * SECOND);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_HALF), 1);
    answer(200, "nobody");
}

/** The time of one that waits to be called on begins when it is. */
static void test_sender_that_waits_for_the_reader_is_not_cut(void **state)
{
    (void)state;
    struct fil_sim_client *client =
        ask("POST /upload" ASK "Expect: 100-continue\r\nContent-Length: 7\r\n\r\n");
    net_world_run_for(&world, 3 * world.limits.stall_timeout_ns + SECOND);
    assert_int_equal(client->state, FIL_SIM_CLIENT_OPEN);
    assert_int_equal(read_error(), FIL_E_AGAIN);
    run();
    assert_non_null(strstr(received(client), "HTTP/1.1 100"));
    check_cut(client);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_HALF), 1);
    answer(200, "nobody");
}

/** One whose body is whole waits for the answer, however long that takes. */
static void test_sender_that_has_sent_all_is_not_cut(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask("POST /upload" ASK "Content-Length: 3\r\n\r\none");
    net_world_run_for(&world, 3 * world.limits.stall_timeout_ns);
    answer(200, "done");
    assert_non_null(strstr(received(client), "done"));
    assert_int_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

static void test_sender_that_is_gone_is_told(void **state)
{
    (void)state;
    (void)ask("POST /upload" ASK "Content-Length: 7\r\n\r\none");
    fil_role_assert_io();
    fil_loop_abort(&world.loops[0]);
    assert_string_equal(read_some(), "one");
    assert_int_equal(read_error(), FIL_E_CLOSED);
    assert_true(fil_request_is_cancelled(upload));
    answer(200, "nobody");
    assert_int_equal(net_world_closed_all(&world), 1);
}

static void test_member_that_stops_tells_the_reader(void **state)
{
    (void)state;
    (void)ask("POST /upload" ASK "Content-Length: 7\r\n\r\none");
    fil_role_assert_io();
    fil_loop_drain(&world.loops[0]);
    run();
    assert_string_equal(read_some(), "one");
    assert_int_equal(read_error(), FIL_E_CLOSED);
    answer(503, "stopping");
}

/** Whole bodies are not for reading in pieces. */
static struct fil_reply read_whole(struct fil_request *request)
{
    upload = request;
    assert_int_equal(read_error(), FIL_E_INVALID);
    assert_int_equal(fil_body_wait(request, 0), FIL_E_INVALID);
    assert_int_equal(fil_body_watch(request, count_body, NULL), FIL_E_INVALID);
    return fil_reply_text(request, 200, "whole");
}

static void test_whole_bodies_are_not_read_in_pieces(void **state)
{
    (void)state;
    assert_int_equal(fil_service_route(&service, "GET /whole", read_whole, NULL, NULL), FIL_OK);
    assert_non_null(strstr(received(ask("GET /whole" ASK "\r\n")), "whole"));
}

static void test_memory_that_is_out_ends_no_more_than_the_connection(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 12; i++) {
        struct fil_sim_client *client = net_world_client(&world);
        net_world_send(client, "POST /watched" ASK "Content-Length: 7\r\n\r\n");
        fil_sim_client_pause(client, SECOND / 100);
        net_world_send(client, "oneandx");
        fil_alloc_fail_after(i);
        run();
        fil_alloc_fail_after(-1);
        run();
        bool is_answered = strstr(received(client), "7 bytes") != NULL;
        assert_true(is_answered || client->state != FIL_SIM_CLIENT_OPEN);
        if (client->fd >= 0) {
            fil_sim_client_close(client);
            run();
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(body_is_read_while_it_comes),
        TEST(body_that_is_empty_has_its_end_at_once),
        TEST(watcher_hears_of_each_piece),
        TEST(last_request_of_a_connection_has_its_body_too),
        TEST(reader_that_stops_stops_the_sender),
        TEST(client_that_asks_is_called_on_by_the_reader),
        TEST(client_that_asks_and_is_refused_sends_nothing),
        TEST(little_that_is_missing_is_read_over),
        TEST(much_that_is_missing_ends_the_connection),
        TEST(body_that_is_none_is_told),
        TEST(sender_that_stops_half_way_is_told),
        TEST(sender_that_stands_still_is_cut),
        TEST(sender_that_trickles_is_cut),
        TEST(sender_that_waits_for_the_reader_is_not_cut),
        TEST(sender_that_has_sent_all_is_not_cut),
        TEST(sender_that_is_gone_is_told),
        TEST(member_that_stops_tells_the_reader),
        TEST(whole_bodies_are_not_read_in_pieces),
        TEST(memory_that_is_out_ends_no_more_than_the_connection),
    };
#undef TEST
    return cmocka_run_group_tests_name("body_stream", tests, NULL, NULL);
}
