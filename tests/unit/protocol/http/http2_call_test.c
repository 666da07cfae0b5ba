// SPDX-License-Identifier: Apache-2.0
/**
 * Calls to servers that speak HTTP/2, one test a promise: many go over one connection at once and
 * each gets its own answer; bodies arrive; who cannot be reached is passed over; time that is over
 * ends one call and not the others; what a server that says goodbye has not begun goes elsewhere;
 * every failed allocation ends in an answer or an error.
 */
#include "protocol/http/call.h"
#include "tests/unit/protocol/http/http2_world.h"

#define HERE      "http2 127.0.0.1:5701"
#define CALLS_MAX 150U

static struct fil_http_client client;
static struct fil_http_call calls[CALLS_MAX];
static struct fil_arena arenas[CALLS_MAX];
static struct fil_chunk_queue contents[CALLS_MAX];
static uint32_t done_count;

static void open_client(const char *servers)
{
    open_world();
    assert_int_equal(fil_http_client_init(&client, fil_bytes_of(servers)), FIL_OK);
    for (uint32_t i = 0; i < CALLS_MAX; i++) {
        fil_arena_init(&arenas[i], 4096, 1U << 20);
        fil_chunk_queue_init(&contents[i]);
    }
    done_count = 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_role_assert_io();
    fil_alloc_fail_after(-1);
    if (parked != NULL) {
        fil_request_complete(parked, (struct fil_reply){.status = 204});
        parked = NULL;
    }
    for (uint32_t turn = 0; turn < 3; turn++) {
        fil_loop_abort(&world.loops[0]);
        (void)fil_loop_cycle(&world.loops[0], 0);
    }
    for (uint32_t i = 0; i < CALLS_MAX; i++) {
        fil_chunk_queue_clear(&contents[i]);
        fil_arena_fini(&arenas[i]);
    }
    fil_http_client_fini(&client);
    close_world();
    return 0;
}

static void count_done(struct fil_http_call *call)
{
    (void)call;
    done_count++;
}

static void start(uint32_t index, const char *head, const char *body, uint64_t timeout_ns)
{
    fil_role_assert_io();
    calls[index] = (struct fil_http_call){
        .client = &client,
        .loop = &world.loops[0],
        .method = head[0] == 'G' ? FIL_HTTP_GET : FIL_HTTP_POST,
        .head = fil_bytes_of(head),
        .body = fil_bytes_of(body),
        .deadline_ns = timeout_ns == 0 ? UINT64_MAX : world.loops[0].now_ns + timeout_ns,
        .arena = &arenas[index],
        .content = &contents[index],
        .done = count_done,
    };
    fil_http_call_start(&calls[index]);
}

static void assert_answer(uint32_t index, int status, const char *text)
{
    struct fil_bytes slices[2];
    assert_int_equal(calls[index].error, FIL_OK);
    assert_int_equal(calls[index].status, status);
    assert_int_equal(fil_chunk_queue_slices(&contents[index], slices, 2), 1);
    assert_true(fil_bytes_equal_text(slices[0], text));
}

#define GET_HELLO "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"
#define GET_LATER "GET /later HTTP/1.1\r\nHost: x\r\n\r\n"
#define POST_ECHO "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"

static void test_many_calls_share_a_connection(void **state)
{
    (void)state;
    open_client(HERE);
    net_world_turn(&world);
    for (uint32_t i = 0; i < 50; i++) {
        start(i, i % 2 == 0 ? GET_HELLO : POST_ECHO, i % 2 == 0 ? "" : "body", 0);
    }
    net_world_run_for(&world, SECOND);
    assert_int_equal(done_count, 50);
    for (uint32_t i = 0; i < 50; i++) {
        assert_answer(i, 200, i % 2 == 0 ? "hello x\n" : "body");
        assert_true(calls[i].header_count >= 3);
    }
    // Both ends of one connection.
    assert_int_equal(fil_counter_read(&world.loops[0].stats.connections_opened), 2);
}

static void test_more_calls_than_streams_take_another_connection(void **state)
{
    (void)state;
    open_client(HERE);
    net_world_turn(&world);
    for (uint32_t i = 0; i < CALLS_MAX; i++) {
        start(i, GET_HELLO, "", 0);
    }
    net_world_run_for(&world, SECOND);
    assert_int_equal(done_count, CALLS_MAX);
    for (uint32_t i = 0; i < CALLS_MAX; i++) {
        assert_answer(i, 200, "hello x\n");
    }
    assert_int_equal(fil_counter_read(&world.loops[0].stats.connections_opened), 4);
}

static void test_idle_connection_ends_after_a_while(void **state)
{
    (void)state;
    open_client(HERE);
    net_world_turn(&world);
    start(0, GET_HELLO, "", 0);
    net_world_run_for(&world, 20 * SECOND);
    assert_answer(0, 200, "hello x\n");
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 2);
    net_world_run_for(&world, 120 * SECOND);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 0);
}

static void test_who_cannot_be_reached_is_passed_over(void **state)
{
    (void)state;
    open_client("http2 127.0.0.1:9, 127.0.0.1:5701");
    net_world_turn(&world);
    for (uint32_t i = 0; i < 8; i++) {
        start(i, GET_HELLO, "", 0);
        net_world_run_for(&world, SECOND);
        assert_answer(i, 200, "hello x\n");
    }
}

static void test_deadline_ends_one_call_alone(void **state)
{
    (void)state;
    open_client(HERE);
    net_world_turn(&world);
    start(0, GET_LATER, "", SECOND / 2);
    start(1, GET_HELLO, "", 0);
    net_world_run_for(&world, SECOND / 4);
    assert_answer(1, 200, "hello x\n");
    assert_int_equal(done_count, 1);
    net_world_run_for(&world, SECOND);
    assert_int_equal(done_count, 2);
    assert_int_equal(calls[0].error, FIL_E_TIMEOUT);
    assert_true(fil_request_is_cancelled(parked)); // the server heard of it
    start(2, GET_HELLO, "", 0);
    net_world_run_for(&world, SECOND);
    assert_answer(2, 200, "hello x\n");
    assert_int_equal(fil_counter_read(&world.loops[0].stats.connections_opened), 2);
}

static void test_server_of_http_1_alone_is_no_server(void **state)
{
    (void)state;
    open_client(HERE);
    protocols[0] = protocols[1]; // which answers the preface with 505
    net_world_turn(&world);
    start(0, GET_HELLO, "", 0);
    net_world_run_for(&world, 20 * SECOND);
    assert_int_equal(done_count, 1);
    assert_int_not_equal(calls[0].error, FIL_OK);
}

static void test_every_failed_allocation_ends_well(void **state)
{
    bool is_over = false;
    for (int64_t after = 0; !is_over; after++) {
        open_client(HERE);
        net_world_turn(&world);
        uint64_t before = fil_alloc_count();
        fil_alloc_fail_after(after);
        start(0, POST_ECHO, "body", 0);
        net_world_run_for(&world, 20 * SECOND);
        fil_alloc_fail_after(-1);
        is_over = fil_alloc_count() - before < (uint64_t)after;
        assert_int_equal(done_count, 1);
        assert_true(calls[0].error != FIL_OK || calls[0].status == 200 || calls[0].status == 503);
        if (!is_over) {
            (void)tear_down(state);
        }
        assert_true(after < 1000);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_many_calls_share_a_connection),
        TEST(test_more_calls_than_streams_take_another_connection),
        TEST(test_idle_connection_ends_after_a_while),
        TEST(test_who_cannot_be_reached_is_passed_over),
        TEST(test_deadline_ends_one_call_alone),
        TEST(test_server_of_http_1_alone_is_no_server),
        TEST(test_every_failed_allocation_ends_well),
    };
    return cmocka_run_group_tests_name("http2_call", tests, NULL, NULL);
}
