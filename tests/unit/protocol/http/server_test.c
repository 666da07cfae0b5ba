// SPDX-License-Identifier: Apache-2.0
/**
 * The HTTP server through a connection, one test a promise: a page is answered with its head and
 * body, byte for byte; HEAD gets the head alone; unknown paths, other methods and malformed
 * requests get their status and a sentence; a connection is kept for further requests, pipelined
 * ones are answered in order, and it ends when the client says so or sends a body; methods are told
 * from inline RESP commands by their first bytes alone; a large page arrives whole at a slow
 * reader; memory that is out ends the connection and never sends half a reply.
 */
#include "protocol/http/server.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define SECOND     UINT64_C(1000000000)
#define LARGE_SIZE 200000U

static struct net_world world;
static struct fil_http_server server;
static struct fil_protocol protocol = {&fil_http_protocol, &server};

static void page_hello(void *context, const struct fil_http_request *request,
                       struct fil_http_reply *reply)
{
    fil_http_reply_format(reply, "hello %s", (const char *)context);
    if (request->query.size > 0) {
        fil_http_reply_add(reply, fil_bytes_of(" "));
        fil_http_reply_add(reply, request->query);
    }
    fil_http_reply_add(reply, fil_bytes_of("\n"));
}

static void page_large(void *context, const struct fil_http_request *request,
                       struct fil_http_reply *reply)
{
    (void)context;
    (void)request;
    reply->content_type = "application/octet-stream";
    for (size_t position = 0; position < LARGE_SIZE; position += 1000) {
        uint8_t piece[1000];
        toy_fill(piece, position, sizeof(piece));
        fil_http_reply_add(reply, fil_bytes_make(piece, sizeof(piece)));
    }
}

static void page_broken(void *context, const struct fil_http_request *request,
                        struct fil_http_reply *reply)
{
    (void)context;
    (void)request;
    reply->status = 503;
    reply->content_type = "text/html";
}

static const struct fil_http_page pages[] = {
    {"/", page_hello, NULL},
    {"/large", page_large, NULL},
    {"/broken", page_broken, NULL},
};

static char context_text[] = "world";

static int set_up(void **state)
{
    (void)state;
    net_world_init(&world);
    world.limits.handshake_timeout_ns = 3600 * SECOND;
    world.protocols = &protocol;
    world.protocol_count = 1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    net_world_close(&world);
    return 0;
}

static void open_world(void) FIL_TSA(assert_capability(fil_role_io))
    FIL_TSA(assert_capability(fil_role_acceptor))
{
    server = (struct fil_http_server){.env = &world.sim.env,
                                      .pages = pages,
                                      .page_count = FIL_COUNT_OF(pages),
                                      .context = context_text};
    net_world_must_open(&world);
}

static void assert_reply(const struct fil_sim_client *client, const char *expected)
{
    struct fil_bytes received = fil_sim_client_received(client);
    if (!fil_bytes_equal_text(received, expected)) {
        fail_msg("expected:\n%s\nreceived:\n%.*s\n", expected, (int)received.size,
                 (const char *)received.data);
    }
}

static struct fil_sim_client *ask(const char *request)
{
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, request);
    net_world_run_for(&world, SECOND / 10);
    return client;
}

// The simulation's time of day.
#define DATE      "Date: Tue, 14 Nov 2023 22:13:21 GMT\r\n"
#define CLOSE     "Connection: close\r\n"
#define TYPE      "Content-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\n"
#define NOSNIF    "X-Content-Type-Options: nosniff\r\n\r\n"
#define HELLO     "HTTP/1.1 200 OK\r\n" DATE "Content-Length: 12\r\n" TYPE NOSNIF "hello world\n"
#define GET_HELLO "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

static bool is_open(const struct fil_sim_client *client)
{
    return client->state == FIL_SIM_CLIENT_OPEN;
}

static void test_page_is_answered(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = ask(GET_HELLO);
    assert_reply(client, HELLO);
    assert_true(is_open(client));
    client = ask("GET /?a=b HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_reply(client, "HTTP/1.1 200 OK\r\n" DATE "Content-Length: 16\r\n" TYPE NOSNIF
                         "hello world a=b\n");
    client = ask("GET /broken HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_reply(client, "HTTP/1.1 503 Service Unavailable\r\n" DATE "Content-Length: 0\r\n"
                         "Content-Type: text/html\r\nCache-Control: no-store\r\n" NOSNIF);
}

static void test_head_gets_the_head_alone(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = ask("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n" GET_HELLO);
    assert_reply(client, "HTTP/1.1 200 OK\r\n" DATE "Content-Length: 12\r\n" TYPE NOSNIF HELLO);
}

static void test_errors_have_a_status_and_a_sentence(void **state)
{
    (void)state;
    open_world();
    assert_reply(ask("GET /nope HTTP/1.1\r\nHost: x\r\n\r\n"),
                 "HTTP/1.1 404 Not Found\r\n" DATE "Content-Length: 36\r\n" TYPE NOSNIF
                 "no such page: / lists what there is\n");
    assert_reply(ask("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n"),
                 "HTTP/1.1 405 Method Not Allowed\r\n" DATE "Content-Length: 36\r\n" TYPE
                 "Allow: GET, HEAD\r\n" NOSNIF "only GET and HEAD are answered here\n");
    struct fil_sim_client *client = ask("GET / HTTP/1.1\r\n\r\n" GET_HELLO);
    assert_reply(client,
                 "HTTP/1.1 400 Bad Request\r\n" DATE CLOSE "Content-Length: 67\r\n" TYPE NOSNIF
                 "HTTP/1.1 asks for a Host header and there is none (line 1, byte 0)\n");
    assert_false(is_open(client));
    client = ask("GET / HTTP/3.1\r\n\r\n");
    assert_reply(client, "HTTP/1.1 505 HTTP Version Not Supported\r\n" DATE CLOSE
                         "Content-Length: 52\r\n" TYPE NOSNIF
                         "the version is neither 1.0 nor 1.1 (line 1, byte 6)\n");
    assert_false(is_open(client));
    net_world_run_for(&world, 3 * SECOND);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_MALFORMED), 2);
    // Not supported is not unknown: the protocol was clear.
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_UNKNOWN), 0);
}

static void test_too_long_head_is_refused(void **state)
{
    (void)state;
    static char request[40000] = "GET / HTTP/1.1\r\nHost: x\r\nA: ";
    memset(request + strlen(request), 'x', 20000);
    open_world();
    struct fil_sim_client *client = ask(request);
    assert_true(client->received_size > 12);
    assert_memory_equal(client->received, "HTTP/1.1 431", 12);
    assert_false(is_open(client));
    net_world_run_for(&world, 3 * SECOND);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_FRAME), 1);
}

static void test_pipelined_requests_are_answered_in_order(void **state)
{
    (void)state;
    world.client_options.fragment_bytes = (struct fil_sim_range){.min = 1, .max = 10};
    open_world();
    struct fil_sim_client *client =
        ask(GET_HELLO "GET /nope HTTP/1.1\r\nHost: x\r\n\r\n\r\n" GET_HELLO);
    assert_reply(client,
                 HELLO "HTTP/1.1 404 Not Found\r\n" DATE "Content-Length: 36\r\n" TYPE NOSNIF
                       "no such page: / lists what there is\n" HELLO);
    assert_int_equal(fil_counter_read(&world.loops[0].stats.requests), 3);
}

#define HELLO_CLOSE \
    "HTTP/1.1 200 OK\r\n" DATE CLOSE "Content-Length: 12\r\n" TYPE NOSNIF "hello world\n"

static void test_connection_ends_when_the_client_says_so(void **state)
{
    (void)state;
    open_world();
    static const char *const requests[] = {
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" GET_HELLO,
        "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" GET_HELLO,
        "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    };
    for (size_t i = 0; i < FIL_COUNT_OF(requests); i++) {
        struct fil_sim_client *client = ask(requests[i]);
        assert_reply(client, HELLO_CLOSE);
        assert_int_equal(client->state, FIL_SIM_CLIENT_ENDED);
    }
    net_world_run_for(&world, 3 * SECOND);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_REQUEST), FIL_COUNT_OF(requests));
}

/** The head is in kept input when the request ends the connection, with a body behind it. */
static void test_request_with_a_body_may_come_in_pieces(void **state)
{
    (void)state;
    world.client_options.fragment_bytes = (struct fil_sim_range){.min = 30, .max = 30};
    open_world();
    struct fil_sim_client *client = ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n"
                                        "01234567890123456789012345678901234567890123456789");
    assert_reply(client,
                 "HTTP/1.1 405 Method Not Allowed\r\n" DATE CLOSE "Content-Length: 36\r\n" TYPE
                 "Allow: GET, HEAD\r\n" NOSNIF "only GET and HEAD are answered here\n");
    assert_int_equal(client->state, FIL_SIM_CLIENT_ENDED);
}

static void test_methods_are_told_from_inline_commands(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum fil_match match;
    } samples[] = {
        {"G", FIL_MATCH_MAYBE},       {"GET", FIL_MATCH_MAYBE},     {"GET ", FIL_MATCH_MAYBE},
        {"GET /", FIL_MATCH_YES},     {"GET k", FIL_MATCH_NO},      {"GET\r", FIL_MATCH_NO},
        {"get /", FIL_MATCH_NO},      {"DEL", FIL_MATCH_MAYBE},     {"DEL k", FIL_MATCH_NO},
        {"DELETE /x", FIL_MATCH_YES}, {"P", FIL_MATCH_MAYBE},       {"PI", FIL_MATCH_NO},
        {"POST /a", FIL_MATCH_YES},   {"PATCH /", FIL_MATCH_YES},   {"HE", FIL_MATCH_MAYBE},
        {"HEL", FIL_MATCH_NO},        {"OPTIONS *", FIL_MATCH_YES}, {"*1\r\n", FIL_MATCH_NO},
        {"CONNECT a", FIL_MATCH_YES}, {"CONFIG", FIL_MATCH_NO},     {"\x16\x03", FIL_MATCH_NO},
    };
    open_world();
    for (size_t i = 0; i < FIL_COUNT_OF(samples); i++) {
        assert_int_equal(fil_http_protocol.match(fil_bytes_of(samples[i].text)), samples[i].match);
    }
}

static void test_large_page_arrives_at_a_slow_reader(void **state)
{
    (void)state;
    static const struct fil_sim_options narrow = {.buffer_bytes = {.min = 5000, .max = 5000}};
    world.network = &narrow;
    world.client_options.receive_bytes = (struct fil_sim_range){.min = 1, .max = 3000};
    open_world();
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n" GET_HELLO);
    net_world_expect(client, "HTTP/1.1 200 OK\r\n" DATE "Content-Length: 200000\r\n"
                             "Content-Type: application/octet-stream\r\n"
                             "Cache-Control: no-store\r\n" NOSNIF);
    for (size_t position = 0; position < LARGE_SIZE; position += 1000) {
        uint8_t piece[1000];
        toy_fill(piece, position, sizeof(piece));
        fil_sim_client_expect(client, fil_bytes_make(piece, sizeof(piece)));
    }
    net_world_expect(client, HELLO);
    net_world_run_for(&world, SECOND);
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)), "matched");
}

static void test_every_failed_allocation_sends_nothing_or_all(void **state)
{
    (void)state;
    bool is_complete = false;
    for (int64_t position = 0; !is_complete; position++) {
        (void)set_up(state);
        world.client_options.fragment_bytes = (struct fil_sim_range){.min = 20, .max = 20};
        open_world();
        struct fil_sim_client *client = net_world_client(&world);
        net_world_send(client, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
        fil_alloc_fail_after(position);
        net_world_run_for(&world, 3 * SECOND);
        fil_alloc_fail_after(-1);
        is_complete = client->received_size > LARGE_SIZE;
        if (!is_complete) {
            assert_int_equal(client->received_size, 0);
            assert_false(is_open(client));
            net_world_close(&world);
        }
        assert_true(position < 60);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(page_is_answered),
        TEST(head_gets_the_head_alone),
        TEST(errors_have_a_status_and_a_sentence),
        TEST(too_long_head_is_refused),
        TEST(pipelined_requests_are_answered_in_order),
        TEST(connection_ends_when_the_client_says_so),
        TEST(request_with_a_body_may_come_in_pieces),
        TEST(methods_are_told_from_inline_commands),
        TEST(large_page_arrives_at_a_slow_reader),
        TEST(every_failed_allocation_sends_nothing_or_all),
    };
#undef TEST
    return cmocka_run_group_tests_name("http_server", tests, NULL, NULL);
}
