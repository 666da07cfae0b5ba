// SPDX-License-Identifier: Apache-2.0
/**
 * The HTTP server through a connection, one test a promise: a page is answered with its head and
 * body, byte for byte; HEAD gets the head alone; unknown paths, other methods and malformed
 * requests get their status and a sentence; a connection is kept for further requests, pipelined
 * ones are answered in order, and it ends when the client says so; bodies are read in every framing
 * and piece, and refused beyond the route's limit; answers that were promised keep the order of
 * their requests, and only so many are under way; methods are told from inline RESP commands by
 * their first bytes alone; a large page arrives whole at a slow reader; memory that is out ends the
 * connection and never sends half a reply.
 */
#include "protocol/http/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define SECOND     UINT64_C(1000000000)
#define LARGE_SIZE 200000U

static struct net_world world;
static struct fil_service service;
static struct fil_http_server server;
static struct fil_protocol protocol = {&fil_http_protocol, &server};

static struct fil_reply page_hello(struct fil_request *request)
{
    const char *query = fil_query(request, "a", "");
    return fil_reply_text(request, 200, "hello %s%s%s\n", (char *)fil_request_context(request),
                          query[0] == '\0' ? "" : " ", query);
}

static struct fil_reply page_large(struct fil_request *request)
{
    for (size_t position = 0; position < LARGE_SIZE; position += 1000) {
        uint8_t piece[1000];
        toy_fill(piece, position, sizeof(piece));
        fil_request_add(request, fil_bytes_make(piece, sizeof(piece)));
    }
    return fil_reply_content(200, "application/octet-stream");
}

/** So many bytes, without a copy. */
static struct fil_reply page_sized(struct fil_request *request)
{
    static uint8_t bytes[8192];
    toy_fill(bytes, 0, sizeof(bytes));
    size_t size = strtoul(fil_param(request, "size"), NULL, 10);
    assert_true(size <= sizeof(bytes));
    return fil_reply_bytes(200, "text/plain", bytes, size);
}

static struct fil_reply page_broken(struct fil_request *request)
{
    (void)request;
    return fil_reply_bytes(503, "text/html", "", 0);
}

static struct fil_reply page_echo(struct fil_request *request)
{
    size_t size = 0;
    const void *body = fil_body(request, &size);
    return fil_reply_bytes(200, "text/plain", body, size);
}

static struct fil_reply page_user(struct fil_request *request)
{
    (void)fil_reply_header(request, "X-Kind", "user");
    assert_int_equal(fil_reply_header(request, "X-Bad", "a\r\nSet-Cookie: b"), FIL_E_INVALID);
    return fil_reply_text(request, 200, "%s %s %s", fil_param(request, "id"),
                          fil_header(request, "x-tag", "-"), fil_request_method(request));
}

/** Promises the answer and keeps the request for complete_later. */
static struct fil_request *parked[FIL_HTTP_IN_FLIGHT_MAX + 1];
static uint32_t parked_count;

static struct fil_reply page_later(struct fil_request *request)
{
    struct fil_reply later = fil_reply_later(request);
    if (later.status == FIL_REPLY_LATER) {
        parked[parked_count++] = request;
    }
    return later;
}

static struct fil_reply page_nonsense(struct fil_request *request)
{
    (void)request;
    return (struct fil_reply){.status = 7};
}

static char context_text[] = "world";

static void add(const char *pattern, fil_handler_fn handler,
                const struct fil_route_options *options)
{
    assert_int_equal(fil_service_route(&service, pattern, handler, options, NULL), FIL_OK);
}

static void add_routes(void)
{
    struct fil_route_options small = {.body_bytes_max = 64};
    add("GET /", page_hello, &(struct fil_route_options){.context = context_text});
    add("GET /large", page_large, NULL);
    add("GET /sized/{size}", page_sized, NULL);
    add("GET /broken", page_broken, NULL);
    add("POST /echo", page_echo, &small);
    add("GET /users/{id}", page_user, NULL);
    add("GET /later", page_later, NULL);
    add("GET /nonsense", page_nonsense, NULL);
    assert_int_equal(fil_service_open(&service), FIL_OK);
}

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
    fil_service_fini(&service);
    return 0;
}

static void open_world(void) FIL_TSA(assert_capability(fil_role_io))
    FIL_TSA(assert_capability(fil_role_acceptor))
{
    parked_count = 0;
    fil_service_init(&service, &(struct fil_service_options){.env = &world.sim.env});
    add_routes();
    server = (struct fil_http_server){
        .env = &world.sim.env, .service = &service, .budget = &world.budget};
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
#define TYPE      "Content-Type: text/plain; charset=utf-8\r\n"
#define SIZE(n)   "Content-Length: " #n "\r\n"
#define END       "\r\n"
#define HELLO     "HTTP/1.1 200 OK\r\n" SIZE(12) DATE TYPE END "hello world\n"
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
    assert_reply(client, "HTTP/1.1 200 OK\r\n" SIZE(14) DATE TYPE END "hello world b\n");
    client = ask("GET /broken HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_reply(client, "HTTP/1.1 503 Service Unavailable\r\n" SIZE(0) DATE
                 "Content-Type: text/html\r\n\r\n");
}

static void test_head_gets_the_head_alone(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = ask("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n" GET_HELLO);
    assert_reply(client, "HTTP/1.1 200 OK\r\n" SIZE(12) DATE TYPE END HELLO);
}

/** Small bodies lie behind their heads, large ones apart: nobody sees which. */
static void test_bodies_of_all_sizes_arrive_whole(void **state)
{
    (void)state;
    static const unsigned sizes[] = {1, 100, 4095, 4096, 4097, 8192};
    open_world();
    struct fil_sim_client *client = net_world_client(&world);
    for (size_t i = 0; i < FIL_COUNT_OF(sizes); i++) {
        char text[256];
        uint8_t body[8192];
        toy_fill(body, 0, sizeof(body));
        (void)snprintf(text, sizeof(text),
                       "GET /sized/%u HTTP/1.1\r\nHost: x\r\n\r\n"
                       "HEAD /sized/%u HTTP/1.1\r\nHost: x\r\n\r\n",
                       sizes[i], sizes[i]);
        net_world_send(client, text);
        (void)snprintf(text, sizeof(text),
                       "HTTP/1.1 200 OK\r\nContent-Length: %u\r\n" DATE
                       "Content-Type: text/plain\r\n\r\n",
                       sizes[i]);
        net_world_expect(client, text);
        fil_sim_client_expect(client, fil_bytes_make(body, sizes[i]));
        net_world_expect(client, text);
    }
    net_world_run_for(&world, SECOND / 10);
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)), "matched");
}

static void test_errors_have_a_status_and_a_sentence(void **state)
{
    (void)state;
    open_world();
    assert_reply(ask("GET /nope HTTP/1.1\r\nHost: x\r\n\r\n"),
                 "HTTP/1.1 404 Not Found\r\n" SIZE(36) DATE TYPE END
                 "no such page: / lists what there is\n");
    assert_reply(ask("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n"),
                 "HTTP/1.1 405 Method Not Allowed\r\n" SIZE(28) DATE TYPE
                 "Allow: GET, HEAD\r\n\r\nthis path answers GET, HEAD\n");
    struct fil_sim_client *client = ask("GET / HTTP/1.1\r\n\r\n" GET_HELLO);
    assert_reply(client, "HTTP/1.1 400 Bad Request\r\n" CLOSE SIZE(67) DATE TYPE END
                 "HTTP/1.1 asks for a Host header and there is none (line 1, byte 0)\n");
    assert_false(is_open(client));
    client = ask("GET / HTTP/3.1\r\n\r\n");
    assert_reply(client, "HTTP/1.1 505 HTTP Version Not Supported\r\n" CLOSE SIZE(52) DATE TYPE END
                 "the version is neither 1.0 nor 1.1 (line 1, byte 6)\n");
    assert_false(is_open(client));
    client = ask("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    assert_reply(client, "HTTP/1.1 505 HTTP Version Not Supported\r\n" CLOSE SIZE(52) DATE TYPE END
                 "the version is neither 1.0 nor 1.1 (line 1, byte 6)\n");
    assert_false(is_open(client));
    net_world_run_for(&world, 3 * SECOND);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_MALFORMED), 3);
    // Not supported is not unknown: the protocol was clear.
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_UNKNOWN), 0);
}

static void test_options_of_the_whole_server_lists_the_methods(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = ask("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n" GET_HELLO);
    assert_reply(client, "HTTP/1.1 200 OK\r\n" SIZE(36) DATE TYPE
                 "Allow: GET, HEAD, POST\r\n\r\nthis member answers GET, HEAD, POST\n" HELLO);
    assert_true(is_open(client));
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
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_TOO_MUCH), 1);
}

static void test_pipelined_requests_are_answered_in_order(void **state)
{
    (void)state;
    world.client_options.fragment_bytes = (struct fil_sim_range){.min = 1, .max = 10};
    open_world();
    struct fil_sim_client *client =
        ask(GET_HELLO "GET /nope HTTP/1.1\r\nHost: x\r\n\r\n\r\n" GET_HELLO);
    assert_reply(client, HELLO "HTTP/1.1 404 Not Found\r\n" SIZE(36) DATE TYPE END
                 "no such page: / lists what there is\n" HELLO);
    assert_int_equal(fil_counter_read(&world.loops[0].stats.requests), 3);
}

#define HELLO_CLOSE "HTTP/1.1 200 OK\r\n" CLOSE SIZE(12) DATE TYPE END "hello world\n"

static void test_connection_ends_when_the_client_says_so(void **state)
{
    (void)state;
    open_world();
    static const char *const requests[] = {
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" GET_HELLO,
    };
    for (size_t i = 0; i < FIL_COUNT_OF(requests); i++) {
        struct fil_sim_client *client = ask(requests[i]);
        assert_reply(client, HELLO_CLOSE);
        assert_int_equal(client->state, FIL_SIM_CLIENT_ENDED);
    }
    net_world_run_for(&world, 3 * SECOND);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_REQUEST), FIL_COUNT_OF(requests));
}

#define POST_ECHO "POST /echo HTTP/1.1\r\nHost: x\r\n"
#define ECHO_TYPE "Content-Type: text/plain\r\n\r\n"

static void test_bodies_are_read_however_they_come(void **state)
{
    (void)state;
    world.client_options.fragment_bytes = (struct fil_sim_range){.min = 1, .max = 9};
    open_world();
    struct fil_sim_client *client =
        ask(POST_ECHO
            "Content-Length: 5\r\n\r\nhello" POST_ECHO
            "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\n\r\n" POST_ECHO
            "Content-Length: 0\r\n\r\n" GET_HELLO);
    assert_reply(client,
                 "HTTP/1.1 200 OK\r\n" SIZE(5) DATE ECHO_TYPE "helloHTTP/1.1 200 OK\r\n" SIZE(7)
                     DATE ECHO_TYPE "abcdefgHTTP/1.1 200 OK\r\n" SIZE(0) DATE ECHO_TYPE HELLO);
    assert_true(is_open(client));
}

static void test_body_nobody_wants_is_read_over_or_ends_the_connection(void **state)
{
    (void)state;
    static char large[600];
    (void)snprintf(large, sizeof(large), POST_ECHO "Content-Length: 100\r\n\r\n%0100d" GET_HELLO,
                   0);
    open_world();
    assert_reply(ask("DELETE / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc" GET_HELLO),
                 "HTTP/1.1 405 Method Not Allowed\r\n" SIZE(28) DATE TYPE
                 "Allow: GET, HEAD\r\n\r\nthis path answers GET, HEAD\n" HELLO);
    assert_reply(ask(large), "HTTP/1.1 413 Content Too Large\r\n" SIZE(44) DATE TYPE END
                 "this route takes bodies of at most 64 bytes\n" HELLO);
}

static void test_chunks_beyond_the_limit_are_refused(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client =
        ask(POST_ECHO "Transfer-Encoding: chunked\r\n\r\n50\r\n"
                      "0123456789012345678901234567890123456789012345678901234567890123456789"
                      "0123456789\r\n0\r\n\r\n");
    assert_memory_equal(client->received, "HTTP/1.1 413", 12);
    assert_false(is_open(client));
}

static void test_client_that_waits_for_it_is_told_to_continue(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, POST_ECHO "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    net_world_expect(client, "HTTP/1.1 100 Continue\r\n\r\n");
    net_world_send(client, "ok");
    net_world_run_for(&world, SECOND / 10);
    assert_reply(client,
                 "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n" SIZE(2) DATE ECHO_TYPE "ok");
}

static void test_parameters_and_headers_reach_the_handler(void **state)
{
    (void)state;
    open_world();
    assert_reply(ask("GET /users/a%20b HTTP/1.1\r\nHost: x\r\nX-Tag: t\r\n\r\n"),
                 "HTTP/1.1 200 OK\r\n" SIZE(9) DATE TYPE "X-Kind: user\r\n\r\na b t GET");
    assert_memory_equal(ask("GET /users/ HTTP/1.1\r\nHost: x\r\n\r\n")->received, "HTTP/1.1 404",
                        12);
}

static void test_impossible_status_is_the_servers_fault(void **state)
{
    (void)state;
    open_world();
    assert_memory_equal(ask("GET /nonsense HTTP/1.1\r\nHost: x\r\n\r\n")->received, "HTTP/1.1 500",
                        12);
}

#define GET_LATER "GET /later?n HTTP/1.1\r\nHost: x\r\nX-Tag: kept\r\n\r\n"

static void test_promised_answers_keep_their_order(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = ask(GET_LATER GET_LATER GET_HELLO);
    assert_int_equal(parked_count, 2);
    assert_int_equal(client->received_size, 0);
    // What it borrowed is its own by now.
    assert_string_equal(fil_header(parked[1], "X-Tag", ""), "kept");
    fil_request_complete(parked[1], fil_reply_text(parked[1], 200, "second"));
    net_world_run_for(&world, SECOND / 10);
    assert_int_equal(client->received_size, 0);
    fil_request_complete(parked[0], fil_reply_text(parked[0], 200, "first"));
    net_world_run_for(&world, SECOND / 10);
    assert_reply(client, "HTTP/1.1 200 OK\r\n" SIZE(5) DATE TYPE END
                 "firstHTTP/1.1 200 OK\r\n" SIZE(6) DATE TYPE END "second" HELLO);
}

static void test_so_many_requests_are_under_way_at_a_time(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = net_world_client(&world);
    for (uint32_t i = 0; i < FIL_HTTP_IN_FLIGHT_MAX + 1; i++) {
        net_world_send(client, GET_LATER);
    }
    net_world_run_for(&world, SECOND / 10);
    assert_int_equal(parked_count, FIL_HTTP_IN_FLIGHT_MAX);
    for (uint32_t i = 0; i < parked_count; i++) {
        fil_request_complete(parked[i], fil_reply_text(parked[i], 204, "%s", ""));
        net_world_run_for(&world, SECOND / 100);
    }
    assert_int_equal(parked_count, FIL_HTTP_IN_FLIGHT_MAX + 1);
    assert_true(is_open(client));
}

static void test_caller_that_goes_away_cancels(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = ask(GET_LATER);
    assert_int_equal(parked_count, 1);
    assert_false(fil_request_is_cancelled(parked[0]));
    fil_role_assert_io();
    fil_loop_abort(&world.loops[0]);
    assert_true(fil_request_is_cancelled(parked[0]));
    fil_request_complete(parked[0], fil_reply_text(parked[0], 200, "too late"));
    net_world_run_for(&world, SECOND / 10);
    assert_int_equal(client->received_size, 0);
}

static void test_methods_are_told_from_inline_commands(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum fil_match match;
    } samples[] = {
        {"G", FIL_MATCH_MAYBE},
        {"GET", FIL_MATCH_MAYBE},
        {"GET ", FIL_MATCH_MAYBE},
        {"GET /", FIL_MATCH_YES},
        {"GET k", FIL_MATCH_NO},
        {"GET http", FIL_MATCH_MAYBE},
        {"GET http:\r", FIL_MATCH_NO},
        {"GET http://h/", FIL_MATCH_YES},
        {"HEAD http://h/", FIL_MATCH_YES},
        {"POST http://h/", FIL_MATCH_YES},
        {"DELETE http://h/", FIL_MATCH_YES},
        {"PATCH http://h/", FIL_MATCH_YES},
        {"PUT http://h/", FIL_MATCH_YES},
        {"GET\r", FIL_MATCH_NO},
        {"get /", FIL_MATCH_NO},
        {"DEL", FIL_MATCH_MAYBE},
        {"DEL k", FIL_MATCH_NO},
        {"DELETE /x", FIL_MATCH_YES},
        {"P", FIL_MATCH_MAYBE},
        {"PI", FIL_MATCH_NO},
        {"POST /a", FIL_MATCH_YES},
        {"PATCH /", FIL_MATCH_YES},
        {"HE", FIL_MATCH_MAYBE},
        {"HEL", FIL_MATCH_NO},
        {"OPTIONS *", FIL_MATCH_YES},
        {"*1\r\n", FIL_MATCH_NO},
        {"CONNECT a", FIL_MATCH_YES},
        {"CONFIG", FIL_MATCH_NO},
        {"\x16\x03", FIL_MATCH_NO},
        {"PRI", FIL_MATCH_MAYBE},
        {"PRI * H", FIL_MATCH_MAYBE},
        {"PRI k", FIL_MATCH_NO},
        {"PRI * HTTP/2.0", FIL_MATCH_YES},
        {"\r", FIL_MATCH_MAYBE},
        {"\r\n", FIL_MATCH_MAYBE},
        {"\r\nGE", FIL_MATCH_MAYBE},
        {"\r\nGET /", FIL_MATCH_YES},
        {"\n\r\nGET /", FIL_MATCH_YES},
        {"\r\n*1\r\n", FIL_MATCH_NO},
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
    net_world_expect(client, "HTTP/1.1 200 OK\r\n" SIZE(200000) DATE
                     "Content-Type: application/octet-stream\r\n\r\n");
    for (size_t position = 0; position < LARGE_SIZE; position += 1000) {
        uint8_t piece[1000];
        toy_fill(piece, position, sizeof(piece));
        fil_sim_client_expect(client, fil_bytes_make(piece, sizeof(piece)));
    }
    net_world_expect(client, HELLO);
    net_world_run_for(&world, SECOND);
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)), "matched");
}

/** Nothing, or an answer that says why it is not the one that was asked for. */
static void expect_no_part_of_an_answer(struct fil_sim_client *client)
{
    struct fil_bytes received = fil_sim_client_received(client);
    if (received.size == 0) {
        assert_false(is_open(client));
    } else {
        assert_non_null(memmem(received.data, received.size, "HTTP/1.1 503 ", 13));
        assert_non_null(memmem(received.data, received.size, "\r\n\r\nout of memory: ", 19));
        assert_int_equal(received.data[received.size - 1], '\n');
    }
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
            expect_no_part_of_an_answer(client);
            net_world_close(&world);
            fil_service_fini(&service);
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
        TEST(bodies_of_all_sizes_arrive_whole),
        TEST(errors_have_a_status_and_a_sentence),
        TEST(options_of_the_whole_server_lists_the_methods),
        TEST(too_long_head_is_refused),
        TEST(pipelined_requests_are_answered_in_order),
        TEST(connection_ends_when_the_client_says_so),
        TEST(bodies_are_read_however_they_come),
        TEST(body_nobody_wants_is_read_over_or_ends_the_connection),
        TEST(chunks_beyond_the_limit_are_refused),
        TEST(client_that_waits_for_it_is_told_to_continue),
        TEST(parameters_and_headers_reach_the_handler),
        TEST(impossible_status_is_the_servers_fault),
        TEST(promised_answers_keep_their_order),
        TEST(so_many_requests_are_under_way_at_a_time),
        TEST(caller_that_goes_away_cancels),
        TEST(methods_are_told_from_inline_commands),
        TEST(large_page_arrives_at_a_slow_reader),
        TEST(every_failed_allocation_sends_nothing_or_all),
    };
#undef TEST
    return cmocka_run_group_tests_name("http_server", tests, NULL, NULL);
}
