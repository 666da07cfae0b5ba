// SPDX-License-Identifier: Apache-2.0
/**
 * WebSockets on a simulated network, one test a promise: the handshake is answered and messages go
 * both ways; requests that ask for none are told what this is; a ping is answered; who is silent is
 * asked, then cut; each end comes with its code, once, whoever ends it; messages that are none end
 * it; a reader that does not read stops whoever sends, and its own messages wait; a socket that is
 * kept outlives its connection; frames behind the handshake are not lost; memory that is out ends
 * no more than the connection.
 */
#include <string.h>

#include "core/exec/exec.h"
#include "filbert/websocket.h"
#include "lib/base/alloc.h"
#include "lib/http/websocket.h"
#include "protocol/http/server.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define SECOND  UINT64_C(1000000000)
#define KEY     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define VERSION "Sec-WebSocket-Version: 13\r\n"
#define UPGRADE "Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n"
#define ASK     "GET /echo HTTP/1.1\r\nHost: x\r\n" UPGRADE VERSION KEY "\r\n"

static struct net_world world;
static struct fil_service service;
static struct fil_http_server server;
static struct fil_protocol protocol = {&fil_http_protocol, &server};
static struct fil_exec *executive;

static struct fil_websocket *kept; // of the last one that opened
static bool is_kept;               // with a reference
static uint32_t open_count;
static uint32_t message_count;
static uint32_t close_count;
static int close_code;
static char close_reason[128];

static void on_open(struct fil_websocket *socket, void *context)
{
    assert_ptr_equal(context, &world);
    kept = is_kept ? fil_websocket_ref(socket) : socket;
    open_count++;
    assert_string_equal(fil_request_path(fil_websocket_request(socket)), "/echo");
}

static void on_message(struct fil_websocket *socket, void *context,
                       const struct fil_websocket_message *message)
{
    (void)context;
    message_count++;
    int error = fil_websocket_send(socket, message->kind, message->data, message->size);
    assert_true(error == FIL_OK || error == FIL_E_NOMEM);
}

static void on_close(struct fil_websocket *socket, void *context, int code, const char *reason)
{
    (void)context;
    assert_int_equal(fil_websocket_send(socket, FIL_WEBSOCKET_KIND_TEXT, "x", 1), FIL_E_CLOSED);
    close_count++;
    close_code = code;
    memcpy(close_reason, reason, strlen(reason) + 1);
}

static struct fil_reply echo(struct fil_request *request)
{
    return fil_websocket_accept(request,
                                &(struct fil_websocket_options){.context = &world,
                                                                .message_bytes_max = 100000,
                                                                .ping_interval_ms = 5000,
                                                                .subprotocol = "chat",
                                                                .on_open = on_open,
                                                                .on_message = on_message,
                                                                .on_close = on_close});
}

static int set_up(void **state)
{
    (void)state;
    is_kept = false;
    open_count = message_count = close_count = 0;
    close_code = 0;
    close_reason[0] = '\0';
    net_world_init(&world);
    world.limits.handshake_timeout_ns = 3600 * SECOND;
    world.client_options.send_bytes_max = (size_t)4 << 20;
    world.client_options.receive_bytes_max = (size_t)4 << 20;
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
    assert_int_equal(fil_service_route(&service, "GET /echo", echo, NULL, NULL), FIL_OK);
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
    assert_int_equal(close_count, open_count);
    return 0;
}

static void run(void)
{
    net_world_run_for(&world, SECOND / 10);
}

static void send_frame(struct fil_sim_client *client, unsigned first, const void *data, size_t size)
{
    static uint8_t frame[200000];
    uint8_t *at = frame;
    at += fil_websocket_encode_head(FIL_WEBSOCKET_OP_BINARY, size, frame);
    frame[0] = (uint8_t)first;
    frame[1] |= 0x80;
    memset(at, 0, 4); // a mask that changes nothing
    if (size > 0) {
        memcpy(at + 4, data, size);
    }
    fil_sim_client_send(client, fil_bytes_make(frame, (size_t)(at - frame) + 4 + size));
}

static void say(struct fil_sim_client *client, unsigned first, const char *text)
{
    send_frame(client, first, text, strlen(text));
    run();
}

static struct fil_sim_client *ask(const char *request)
{
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, request);
    run();
    return client;
}

/** What came behind the answer to the handshake. */
static struct fil_bytes frames(const struct fil_sim_client *client)
{
    const uint8_t *end = memmem(client->received, client->received_size, "\r\n\r\n", 4);
    assert_non_null(end);
    return fil_bytes_make(end + 4, client->received_size - (size_t)(end + 4 - client->received));
}

static void check_frames(const struct fil_sim_client *client, const char *expected, size_t size)
{
    struct fil_bytes found = frames(client);
    assert_int_equal(found.size, size);
    assert_memory_equal(found.data, expected, size);
}

static void check_closed(struct fil_sim_client *client, int code, const char *reason)
{
    run();
    assert_int_not_equal(client->state, FIL_SIM_CLIENT_OPEN);
    assert_int_equal(close_count, 1);
    assert_int_equal(close_code, code);
    assert_string_equal(close_reason, reason);
}

static void test_handshake_is_answered_and_messages_go_both_ways(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask(ASK);
    static const char head[] = "HTTP/1.1 101 Switching Protocols\r\n";
    assert_memory_equal(client->received, head, sizeof(head) - 1);
    assert_non_null(memmem(client->received, client->received_size,
                           "\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n", 54));
    assert_null(memmem(client->received, client->received_size, "Content-", 8));
    assert_null(memmem(client->received, client->received_size, "Sec-WebSocket-Protocol", 22));
    assert_int_equal(open_count, 1);
    say(client, 0x81, "hello");
    say(client, 0x02, "by");
    say(client, 0x80, "tes");
    check_frames(client,
                 "\x81\x05hello\x82\x05"
                 "bytes",
                 14);
    assert_int_equal(fil_websocket_send(kept, FIL_WEBSOCKET_KIND_TEXT, "\xff", 1), FIL_E_INVALID);
    assert_int_equal(fil_websocket_send(kept, FIL_WEBSOCKET_KIND_TEXT, NULL, 0), FIL_OK);
    run();
    check_frames(client,
                 "\x81\x05hello\x82\x05"
                 "bytes\x81\x00",
                 16);
}

static void test_subprotocol_is_spoken_when_it_is_offered(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask(
        "GET /echo HTTP/1.1\r\nHost: x\r\nSec-WebSocket-Protocol: mqtt, chat\r\n" UPGRADE VERSION
            KEY "\r\n");
    assert_non_null(memmem(client->received, client->received_size,
                           "\r\nSec-WebSocket-Protocol: chat\r\n", 32));
}

static void check_refused(const char *request, const char *status)
{
    struct fil_sim_client *client = ask(request);
    assert_true(client->received_size > 12);
    assert_memory_equal(client->received, status, 12);
    assert_int_equal(open_count, 0);
}

static void test_requests_for_something_else_are_told(void **state)
{
    (void)state;
    check_refused("GET /echo HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 426");
    check_refused("GET /echo HTTP/1.1\r\nHost: x\r\n" UPGRADE KEY
                  "Sec-WebSocket-Version: 8\r\n\r\n",
                  "HTTP/1.1 426");
    check_refused("GET /echo HTTP/1.1\r\nHost: x\r\n" VERSION KEY
                  "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
                  "HTTP/1.1 426");
    check_refused("GET /echo HTTP/1.0\r\nHost: x\r\n" UPGRADE VERSION KEY "\r\n", "HTTP/1.1 426");
    check_refused("GET /echo HTTP/1.1\r\nHost: x\r\n" UPGRADE VERSION "\r\n", "HTTP/1.1 400");
    check_refused("GET /echo HTTP/1.1\r\nHost: x\r\n" UPGRADE VERSION
                  "Sec-WebSocket-Key: short\r\n\r\n",
                  "HTTP/1.1 400");
}

static void test_frames_behind_the_handshake_are_not_lost(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask(ASK "\x81\x82maskL\b");
    check_frames(client, "\x81\x02!i", 4);
}

static void test_ping_is_answered(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask(ASK);
    say(client, 0x89, "are you there");
    check_frames(client,
                 "\x8a\x0d"
                 "are you there",
                 15);
    say(client, 0x8a, "");
    check_frames(client,
                 "\x8a\x0d"
                 "are you there",
                 15);
}

static void test_silence_is_asked_and_then_cut(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask(ASK);
    net_world_run_for(&world, 6 * SECOND);
    check_frames(client, "\x89\x00", 2);
    say(client, 0x8a, "");
    net_world_run_for(&world, 4 * SECOND);
    check_frames(client, "\x89\x00", 2);
    net_world_run_for(&world, 2 * SECOND);
    check_frames(client, "\x89\x00\x89\x00", 4);
    assert_int_equal(close_count, 0);
    net_world_run_for(&world, 6 * SECOND);
    check_closed(client, FIL_WEBSOCKET_LOST, "");
}

static void test_close_of_the_peer_is_answered(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask(ASK);
    say(client, 0x88,
        "\x0f\xa1"
        "bye");
    check_frames(client, "\x88\x02\x0f\xa1", 4);
    check_closed(client, 4001, "bye");
}

static void test_close_without_a_code_is_answered(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask(ASK);
    say(client, 0x88, "");
    check_frames(client, "\x88\x02\x03\xe8", 4);
    check_closed(client, FIL_WEBSOCKET_NONE_SENT, "");
}

static void test_our_close_waits_for_its_answer(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask(ASK);
    assert_int_equal(fil_websocket_close(kept, 1005, NULL), FIL_E_INVALID);
    assert_int_equal(fil_websocket_close(kept, 1000, "\xff"), FIL_E_INVALID);
    assert_int_equal(fil_websocket_close(kept, 1000, "enough"), FIL_OK);
    assert_int_equal(fil_websocket_close(kept, 1000, "enough"), FIL_E_CLOSED);
    assert_int_equal(fil_websocket_send(kept, FIL_WEBSOCKET_KIND_TEXT, "x", 1), FIL_E_CLOSED);
    run();
    check_frames(client,
                 "\x88\x08\x03\xe8"
                 "enough",
                 10);
    say(client, 0x81, "crossed it");
    assert_int_equal(message_count, 0);
    assert_int_equal(close_count, 0);
    say(client, 0x88, "\x03\xe8");
    check_frames(client,
                 "\x88\x08\x03\xe8"
                 "enough",
                 10);
    check_closed(client, 1000, "");
}

static void test_close_that_nobody_answers_is_cut(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask(ASK);
    assert_int_equal(fil_websocket_close(kept, 1000, NULL), FIL_OK);
    for (uint32_t i = 0; i < 8; i++) {
        send_frame(client, 0x81, "on and on", 9);
        net_world_run_for(&world, SECOND);
    }
    check_closed(client, FIL_WEBSOCKET_LOST, "");
}

static void test_peer_that_is_gone_is_told(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask(ASK);
    fil_sim_client_reset(client);
    run();
    check_closed(client, FIL_WEBSOCKET_LOST, "");
}

static void test_peer_that_ends_without_a_word_is_told(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask(ASK);
    fil_sim_client_finish(client);
    run();
    check_closed(client, FIL_WEBSOCKET_LOST, "");
}

static void test_member_that_stops_says_so(void **state)
{
    (void)state;
    struct fil_sim_client *client = ask(ASK);
    fil_role_assert_io();
    fil_loop_drain(&world.loops[0]);
    run();
    check_frames(client, "\x88\x02\x03\xe9", 4);
    check_closed(client, FIL_WEBSOCKET_GOING_AWAY, "");
}

static void check_mistake(unsigned first, const char *text, int code, const char *reason)
{
    tear_down(NULL);
    set_up(NULL);
    struct fil_sim_client *client = ask(ASK);
    say(client, first, text);
    struct fil_bytes found = frames(client);
    assert_int_equal(found.size, 4 + strlen(reason));
    assert_int_equal(found.data[0], 0x88);
    assert_int_equal(found.data[2] << 8 | found.data[3], code);
    check_closed(client, code, reason);
}

static void test_mistakes_end_it_with_their_code(void **state)
{
    (void)state;
    check_mistake(0x81, "\xc3\x28", 1007, "a text is not UTF-8");
    check_mistake(0x83, "x", 1002, "a frame is of a reserved kind");
    check_mistake(0x80, "x", 1002, "a frame goes on with no message");
    check_mistake(0x88, "\x03\xee", 1002, "a close frame has no code that may be sent");
}

static void test_message_beyond_the_limit_ends_it(void **state)
{
    (void)state;
    static char large[100001];
    struct fil_sim_client *client = ask(ASK);
    send_frame(client, 0x82, large, 100000);
    run();
    assert_int_equal(message_count, 1);
    send_frame(client, 0x82, large, 100001);
    run();
    check_closed(client, 1009, "a message is larger than its limit");
}

/** It gets no more than it takes, and is not listened to meanwhile; then all of it comes. */
static void test_reader_that_stops_stops_both_sides(void **state)
{
    (void)state;
    static char content[10000];
    struct fil_sim_client *client = ask(ASK);
    fil_sim_client_stop_reading(client);
    for (uint32_t i = 0; i < 200; i++) {
        send_frame(client, 0x82, content, sizeof(content));
    }
    net_world_run_for(&world, SECOND);
    assert_in_range(message_count, 1, 150);
    client->is_reading = true; // its script waits with what it has to say
    net_world_run_for(&world, SECOND);
    assert_int_equal(message_count, 200);
    assert_int_equal(frames(client).size, 200 * (sizeof(content) + 4));
}

static void test_sender_that_is_too_fast_is_told(void **state)
{
    (void)state;
    static char content[65536];
    struct fil_sim_client *client = ask(ASK);
    fil_sim_client_stop_reading(client);
    run();
    uint32_t sent = 0;
    while (fil_websocket_send(kept, FIL_WEBSOCKET_KIND_BINARY, content, sizeof(content)) ==
           FIL_OK) {
        sent++;
        run();
        assert_true(sent < 100);
    }
    assert_int_equal(fil_websocket_send(kept, FIL_WEBSOCKET_KIND_BINARY, content, 1), FIL_E_AGAIN);
    assert_int_equal(fil_websocket_wait(kept, 0), FIL_E_WOULD_BLOCK); // this thread is a loop
    fil_sim_client_start_reading(client);
    run();
    assert_int_equal(fil_websocket_send(kept, FIL_WEBSOCKET_KIND_BINARY, content, 1), FIL_OK);
    run();
    assert_int_equal(frames(client).size, sent * (sizeof(content) + 10) + 3);
}

static void test_socket_that_is_kept_outlives_its_connection(void **state)
{
    (void)state;
    is_kept = true;
    struct fil_sim_client *client = ask(ASK);
    say(client, 0x88, "");
    check_closed(client, FIL_WEBSOCKET_NONE_SENT, "");
    fil_sim_client_close(client);
    run();
    assert_int_equal(net_world_closed_all(&world), 1);
    assert_int_equal(fil_websocket_send(kept, FIL_WEBSOCKET_KIND_TEXT, "x", 1), FIL_E_CLOSED);
    assert_int_equal(fil_websocket_close(kept, 1000, NULL), FIL_E_CLOSED);
    fil_websocket_unref(kept);
    run();
}

static void test_memory_that_is_out_ends_no_more_than_the_connection(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 12; i++) {
        struct fil_sim_client *client = net_world_client(&world);
        net_world_send(client, ASK);
        fil_sim_client_pause(client, SECOND / 100);
        send_frame(client, 0x81, "hello", 5);
        fil_alloc_fail_after(i);
        run();
        fil_alloc_fail_after(-1);
        run();
        bool has_echo = memmem(client->received, client->received_size, "\x81\x05hello", 7) != NULL;
        bool has_error = memmem(client->received, client->received_size, " 503 ", 5) != NULL;
        assert_true(has_echo || has_error || client->state != FIL_SIM_CLIENT_OPEN ||
                    message_count > 0);
        if (client->fd >= 0) {
            fil_sim_client_close(client);
            run();
        }
        assert_int_equal(close_count, open_count);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(handshake_is_answered_and_messages_go_both_ways),
        TEST(subprotocol_is_spoken_when_it_is_offered),
        TEST(requests_for_something_else_are_told),
        TEST(frames_behind_the_handshake_are_not_lost),
        TEST(ping_is_answered),
        TEST(silence_is_asked_and_then_cut),
        TEST(close_of_the_peer_is_answered),
        TEST(close_without_a_code_is_answered),
        TEST(our_close_waits_for_its_answer),
        TEST(close_that_nobody_answers_is_cut),
        TEST(peer_that_is_gone_is_told),
        TEST(peer_that_ends_without_a_word_is_told),
        TEST(member_that_stops_says_so),
        TEST(mistakes_end_it_with_their_code),
        TEST(message_beyond_the_limit_ends_it),
        TEST(reader_that_stops_stops_both_sides),
        TEST(sender_that_is_too_fast_is_told),
        TEST(socket_that_is_kept_outlives_its_connection),
        TEST(memory_that_is_out_ends_no_more_than_the_connection),
    };
#undef TEST
    return cmocka_run_group_tests_name("websocket", tests, NULL, NULL);
}
