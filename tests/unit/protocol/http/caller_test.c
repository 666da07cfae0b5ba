// SPDX-License-Identifier: Apache-2.0
/**
 * Requests of those who have no loop, one test a promise: a request goes out as it should, and its
 * answer comes into its room; what is larger than the room is told; lines to the same servers share
 * connections; a cancelled request is done once, whenever that comes, and its server is not blamed;
 * a closed caller starts nothing; what nobody uses makes room for others; wrong servers and refused
 * memory are errors.
 */
#include <stdio.h>
#include <string.h>

#include "core/exec/exec.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "protocol/http/call.h"
#include "protocol/http/caller.h"
#include "protocol/http/server.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define SECOND UINT64_C(1000000000)
#define HERE   "127.0.0.1:5701"
#define NOBODY "127.0.0.1:9"
#define ROOM   64U

static struct net_world world;
static struct fil_service service;
static struct fil_http_server server;
static struct fil_protocol protocol = {&fil_http_protocol, &server};
static struct fil_exec *executive;
static struct fil_http_caller caller;
static struct fil_caller_line *line;
static struct fil_outcall call;
static uint8_t room[ROOM];
static uint32_t done_count;
static struct fil_request *waiting;

/** What came, told back. */
static struct fil_reply echo(struct fil_request *request)
{
    size_t size = 0;
    const void *body = fil_body(request, &size);
    return fil_reply_text(request, 200, "%s %.*s %s", fil_query(request, "id", "none"), (int)size,
                          (const char *)body, fil_header(request, "Content-Type", "no type"));
}

static struct fil_reply large(struct fil_request *request)
{
    return fil_reply_text(request, 200, "%0*d", (int)ROOM + 1, 0);
}

static struct fil_reply hang(struct fil_request *request)
{
    struct fil_reply later = fil_reply_later(request);
    if (later.status == FIL_REPLY_LATER) {
        assert_null(waiting);
        waiting = request;
    }
    return later;
}

static void count_done(struct fil_outcall *ended)
{
    assert_ptr_equal(ended, &call);
    done_count++;
}

static void open_world(const char *servers)
{
    net_world_init(&world);
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
    assert_int_equal(fil_service_route(&service, "POST /echo", echo, NULL, NULL), FIL_OK);
    assert_int_equal(fil_service_route(&service, "GET /echo", echo, NULL, NULL), FIL_OK);
    assert_int_equal(fil_service_route(&service, "GET /large", large, NULL, NULL), FIL_OK);
    assert_int_equal(fil_service_route(&service, "GET /hang", hang, NULL, NULL), FIL_OK);
    assert_int_equal(fil_service_open(&service), FIL_OK);
    fil_http_caller_init(&caller, &world.loops[0], 1);
    assert_int_equal(caller.base.ops->open(&caller.base, servers, &line), FIL_OK);
    call = (struct fil_outcall){.timeout_ns = 5 * SECOND,
                                .type = "application/json",
                                .room = room,
                                .room_size = ROOM,
                                .done = count_done};
    assert_int_equal(caller.base.ops->prepare(line, &call), FIL_OK);
    done_count = 0;
    waiting = NULL;
}

static void close_world(void)
{
    fil_role_assert_io();
    if (waiting != NULL) {
        fil_request_complete(waiting, (struct fil_reply){.status = 204});
        waiting = NULL;
    }
    caller.base.ops->release(&call);
    caller.base.ops->close(line);
    for (uint32_t turn = 0; turn < 3; turn++) {
        fil_loop_abort(&world.loops[0]);
        (void)fil_loop_cycle(&world.loops[0], 0);
    }
    fil_http_caller_fini(&caller);
    fil_service_fini(&service);
    fil_exec_free(executive);
    net_world_close(&world);
}

static void ask(enum fil_http_method method, const char *target, const char *body)
{
    net_world_turn(&world);
    call.method = method;
    call.target = fil_bytes_of(target);
    call.body = fil_bytes_of(body);
    caller.base.ops->start(&call);
}

static void check_answer(const char *text)
{
    assert_int_equal(call.error, FIL_OK);
    assert_int_equal(call.status, 200);
    assert_int_equal(call.content_size, strlen(text));
    assert_memory_equal(room, text, call.content_size);
}

static void test_request_goes_out_and_its_answer_comes_back(void **state)
{
    (void)state;
    open_world(HERE);
    ask(FIL_HTTP_POST, "/echo?id=3", "{\"a\":1}");
    assert_int_equal(done_count, 0); // on the loop
    net_world_run_for(&world, SECOND);
    assert_int_equal(done_count, 1);
    check_answer("3 {\"a\":1} application/json");
    ask(FIL_HTTP_GET, "/echo", "");
    net_world_run_for(&world, SECOND);
    assert_int_equal(done_count, 2);
    check_answer("none  no type");
    close_world();
}

static void test_answer_beyond_the_room_is_told(void **state)
{
    (void)state;
    open_world(HERE);
    ask(FIL_HTTP_GET, "/large", "");
    net_world_run_for(&world, SECOND);
    assert_int_equal(call.error, FIL_E_LIMIT);
    call.room = NULL; // read over
    ask(FIL_HTTP_GET, "/large", "");
    net_world_run_for(&world, SECOND);
    assert_int_equal(call.error, FIL_OK);
    assert_int_equal(call.content_size, 0);
    close_world();
}

static void test_lines_to_the_same_servers_share_connections(void **state)
{
    (void)state;
    struct fil_caller_line *first = NULL;
    open_world(HERE);
    ask(FIL_HTTP_GET, "/echo", "");
    net_world_run_for(&world, SECOND);
    first = line;
    caller.base.ops->release(&call);
    assert_int_equal(caller.base.ops->open(&caller.base, HERE, &line), FIL_OK);
    assert_int_equal(caller.base.ops->prepare(line, &call), FIL_OK);
    ask(FIL_HTTP_GET, "/echo", "");
    net_world_run_for(&world, SECOND);
    assert_int_equal(done_count, 2);
    // Both ends of one connection.
    assert_int_equal(fil_counter_read(&world.loops[0].stats.connections_opened), 2);
    caller.base.ops->close(first);
    close_world();
}

static void test_nobody_there_is_told(void **state)
{
    (void)state;
    open_world(NOBODY);
    ask(FIL_HTTP_POST, "/echo", "");
    net_world_run_for(&world, SECOND);
    assert_int_equal(done_count, 1);
    assert_int_equal(call.error, FIL_E_CLOSED);
    assert_false(call.is_started);
    close_world();
}

static void test_time_is_all_of_the_call(void **state)
{
    (void)state;
    open_world(HERE);
    ask(FIL_HTTP_GET, "/hang", "");
    net_world_run_for(&world, 4 * SECOND); // longer than a try behind a route
    assert_int_equal(done_count, 0);
    net_world_run_for(&world, 2 * SECOND);
    assert_int_equal(done_count, 1);
    assert_int_equal(call.error, FIL_E_TIMEOUT);
    assert_true(call.is_started);
    close_world();
}

static void test_cancelled_call_is_done_once(void **state)
{
    (void)state;
    open_world(HERE);
    // After so many turns: before it is sent, while it hangs.
    for (uint32_t turns = 0; turns < 6; turns++) {
        done_count = 0;
        ask(FIL_HTTP_GET, "/hang", "");
        for (uint32_t i = 0; i < turns; i++) {
            net_world_turn(&world);
        }
        caller.base.ops->cancel(&call);
        caller.base.ops->cancel(&call);
        net_world_run_for(&world, SECOND);
        assert_int_equal(done_count, 1);
        assert_int_equal(call.error, FIL_E_CANCELLED);
        if (waiting != NULL) {
            fil_request_complete(waiting, (struct fil_reply){.status = 204});
            waiting = NULL;
        }
        net_world_run_for(&world, SECOND);
    }
    // The server is asked as ever.
    ask(FIL_HTTP_GET, "/echo", "");
    net_world_run_for(&world, SECOND);
    check_answer("none  no type");
    close_world();
}

static void test_cancel_that_comes_too_late_changes_nothing(void **state)
{
    (void)state;
    open_world(HERE);
    ask(FIL_HTTP_GET, "/echo", "");
    net_world_run_for(&world, SECOND);
    caller.base.ops->cancel(&call);
    net_world_run_for(&world, SECOND);
    assert_int_equal(done_count, 1);
    check_answer("none  no type");
    close_world();
}

static void test_cancel_between_two_tries_ends_it(void **state)
{
    (void)state;
    open_world(NOBODY);
    for (uint32_t turns = 0; turns < 8; turns++) {
        done_count = 0;
        ask(FIL_HTTP_GET, "/echo", "");
        for (uint32_t i = 0; i < turns; i++) {
            net_world_turn(&world);
        }
        caller.base.ops->cancel(&call);
        net_world_run_for(&world, 2 * SECOND);
        assert_int_equal(done_count, 1);
        assert_true(call.error == FIL_E_CANCELLED || call.error == FIL_E_CLOSED);
    }
    close_world();
}

static void test_closed_caller_starts_nothing(void **state)
{
    (void)state;
    open_world(HERE);
    fil_http_caller_close(&caller);
    ask(FIL_HTTP_GET, "/echo", "");
    assert_int_equal(done_count, 1);
    assert_int_equal(call.error, FIL_E_STOPPING);
    caller.base.ops->cancel(&call);
    net_world_run_for(&world, SECOND);
    assert_int_equal(done_count, 1);
    close_world();
}

static void test_what_nobody_uses_makes_room(void **state)
{
    (void)state;
    struct fil_caller_line *others[FIL_HTTP_CALLER_CLIENTS_MAX];
    char servers[32];
    open_world(HERE);
    for (uint32_t i = 1; i < FIL_HTTP_CALLER_CLIENTS_MAX; i++) {
        (void)snprintf(servers, sizeof(servers), "127.0.0.1:%u", i);
        assert_int_equal(caller.base.ops->open(&caller.base, servers, &others[i]), FIL_OK);
    }
    assert_int_equal(caller.base.ops->open(&caller.base, "127.0.0.2:1", &others[0]), FIL_E_LIMIT);
    caller.base.ops->close(others[1]);
    assert_int_equal(caller.base.ops->open(&caller.base, "127.0.0.2:1", &others[1]), FIL_OK);
    for (uint32_t i = 1; i < FIL_HTTP_CALLER_CLIENTS_MAX; i++) {
        caller.base.ops->close(others[i]);
    }
    close_world();
}

static void test_client_with_connections_is_not_made_room_of(void **state)
{
    (void)state;
    struct fil_caller_line *others[FIL_HTTP_CALLER_CLIENTS_MAX];
    char servers[32];
    open_world(HERE);
    ask(FIL_HTTP_GET, "/echo", "");
    net_world_run_for(&world, SECOND);
    caller.base.ops->release(&call);
    caller.base.ops->close(line); // its connection is still there
    for (uint32_t i = 1; i < FIL_HTTP_CALLER_CLIENTS_MAX; i++) {
        (void)snprintf(servers, sizeof(servers), "127.0.0.1:%u", i);
        assert_int_equal(caller.base.ops->open(&caller.base, servers, &others[i]), FIL_OK);
    }
    assert_int_equal(caller.base.ops->open(&caller.base, "127.0.0.2:1", &line), FIL_E_LIMIT);
    net_world_run_for(&world, 120 * SECOND);
    assert_int_equal(caller.base.ops->open(&caller.base, "127.0.0.2:1", &line), FIL_OK);
    for (uint32_t i = 1; i < FIL_HTTP_CALLER_CLIENTS_MAX; i++) {
        caller.base.ops->close(others[i]);
    }
    close_world();
}

static void test_wrong_servers_are_refused(void **state)
{
    (void)state;
    struct fil_caller_line *other = NULL;
    open_world(HERE);
    assert_int_equal(caller.base.ops->open(&caller.base, "127.0.0.1", &other), FIL_E_ADDRESS);
    assert_int_equal(caller.base.ops->open(&caller.base, "", &other), FIL_E_INVALID);
    assert_null(other);
    close_world();
}

static void test_refused_memory_is_an_error(void **state)
{
    (void)state;
    open_world(HERE);
    for (int64_t after = 0; after < 40; after++) {
        done_count = 0;
        net_world_turn(&world);
        fil_alloc_fail_after(after);
        ask(FIL_HTTP_GET, "/echo", "");
        net_world_run_for(&world, 10 * SECOND);
        fil_alloc_fail_after(-1);
        assert_int_equal(done_count, 1);
    }
    close_world();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request_goes_out_and_its_answer_comes_back),
        cmocka_unit_test(test_answer_beyond_the_room_is_told),
        cmocka_unit_test(test_lines_to_the_same_servers_share_connections),
        cmocka_unit_test(test_nobody_there_is_told),
        cmocka_unit_test(test_time_is_all_of_the_call),
        cmocka_unit_test(test_cancelled_call_is_done_once),
        cmocka_unit_test(test_cancel_that_comes_too_late_changes_nothing),
        cmocka_unit_test(test_cancel_between_two_tries_ends_it),
        cmocka_unit_test(test_closed_caller_starts_nothing),
        cmocka_unit_test(test_what_nobody_uses_makes_room),
        cmocka_unit_test(test_client_with_connections_is_not_made_room_of),
        cmocka_unit_test(test_wrong_servers_are_refused),
        cmocka_unit_test(test_refused_memory_is_an_error),
    };
    return cmocka_run_group_tests_name("caller", tests, NULL, NULL);
}
