// SPDX-License-Identifier: Apache-2.0
/**
 * Calls to other servers, one test a promise: the answer comes back whole and the connection is
 * used again; an answer of 5xx is tried again where that is asked for; who cannot be reached is
 * passed over; what was sent is repeated only when it may be; time that is over is told; what takes
 * longer than usual is asked of another server too, if it is safe, and the first good answer
 * counts; a copy of a request looks after a server that was ejected; a drain waits for calls; names
 * are looked up, and again when they are old or nobody is there; every failed allocation ends in an
 * answer or an error, and nothing is left.
 */
#include <string.h>

#include "core/exec/exec.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/os/thread.h"
#include "protocol/http/call.h"
#include "protocol/http/server.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define SECOND UINT64_C(1000000000)
#define HERE   "127.0.0.1:5701"
#define NOBODY "127.0.0.1:9"

static struct net_world world;
static struct fil_service service;
static struct fil_http_server server;
static struct fil_protocol protocol = {&fil_http_protocol, &server};
static struct fil_exec *executive;
static struct fil_http_client client;
static struct fil_http_call call;
static struct fil_arena arena;
static struct fil_chunk_queue content;
static uint32_t done_count;
static uint32_t refusal_count;
static int second_status;           // of the second one that asks for /hang-once
static struct fil_request *waiting; // of the route that does not answer

static struct fil_reply get_plain(struct fil_request *request)
{
    (void)fil_reply_header(request, "X-Mine", "yes");
    return fil_reply_text(request, 200, "plain");
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

/** Refuses once, then answers. */
static struct fil_reply refuse_once(struct fil_request *request)
{
    if (refusal_count++ == 0) {
        (void)fil_reply_header(request, "Filbert-Nack", "wait");
        return fil_reply_text(request, 503, "later");
    }
    return fil_reply_text(request, 200, "now");
}

/** Fails once, then answers. */
static struct fil_reply fail_once(struct fil_request *request)
{
    bool is_first = refusal_count++ == 0;
    return fil_reply_text(request, is_first ? 500 : 200, is_first ? "broken" : "mended");
}

/** The first one waits, those behind it get the status at once. */
static struct fil_reply hang_once(struct fil_request *request)
{
    return waiting == NULL ? hang(request) : fil_reply_text(request, second_status, "second");
}

static void open_world(const char *servers)
{
    static const struct {
        const char *pattern;
        fil_handler_fn handler;
    } routes[] = {{"GET /plain", get_plain},     {"GET /hang", hang},
                  {"POST /hang", hang},          {"GET /hang-once", hang_once},
                  {"PUT /hang-once", hang_once}, {"POST /refuse", refuse_once},
                  {"GET /fail", fail_once},      {"POST /fail", fail_once}};
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
    for (size_t i = 0; i < FIL_COUNT_OF(routes); i++) {
        assert_int_equal(
            fil_service_route(&service, routes[i].pattern, routes[i].handler, NULL, NULL), FIL_OK);
    }
    assert_int_equal(fil_service_open(&service), FIL_OK);
    assert_int_equal(fil_http_client_init(&client, fil_bytes_of(servers)), FIL_OK);
    fil_arena_init(&arena, 4096, 1U << 20);
    fil_chunk_queue_init(&content);
    done_count = 0;
    refusal_count = 0;
    waiting = NULL;
    second_status = 200;
}

static void close_world(void)
{
    fil_role_assert_io();
    if (waiting != NULL) {
        fil_request_complete(waiting, (struct fil_reply){.status = 204});
        waiting = NULL;
    }
    for (uint32_t turn = 0; turn < 3; turn++) {
        fil_loop_abort(&world.loops[0]);
        (void)fil_loop_cycle(&world.loops[0], 0);
    }
    fil_chunk_queue_clear(&content);
    fil_arena_fini(&arena);
    fil_http_client_fini(&client);
    fil_service_fini(&service);
    fil_exec_free(executive);
    net_world_close(&world);
}

static void count_done(struct fil_http_call *ended)
{
    assert_ptr_equal(ended, &call);
    done_count++;
}

static void start(enum fil_http_method method, const char *head, uint64_t timeout_ns)
{
    fil_role_assert_io();
    net_world_turn(&world); // the loop learns what time it is
    call = (struct fil_http_call){
        .client = &client,
        .loop = &world.loops[0],
        .method = method,
        .head = fil_bytes_of(head),
        .deadline_ns = timeout_ns == 0 ? UINT64_MAX : world.loops[0].now_ns + timeout_ns,
        .arena = &arena,
        .content = &content,
        .done = count_done,
    };
    fil_http_call_start(&call);
}

static void get(const char *head)
{
    start(FIL_HTTP_GET, head, 0);
    net_world_run_for(&world, 20 * SECOND);
}

static bool content_is(const char *text)
{
    struct fil_bytes slices[4];
    uint32_t count = fil_chunk_queue_slices(&content, slices, 4);
    return count == 1 && fil_bytes_equal_text(slices[0], text);
}

#define GET_PLAIN "GET /plain HTTP/1.1\r\nHost: x\r\n\r\n"

static void test_answer_comes_back_whole_and_connection_is_kept(void **state)
{
    (void)state;
    open_world(HERE);
    for (uint32_t i = 1; i <= 3; i++) {
        fil_chunk_queue_clear(&content);
        get(GET_PLAIN);
        assert_int_equal(done_count, i);
        assert_int_equal(call.error, FIL_OK);
        assert_int_equal(call.status, 200);
        assert_true(content_is("plain"));
    }
    assert_true(call.header_count > 2);
    // Both ends of one connection.
    assert_int_equal(fil_counter_read(&world.loops[0].stats.connections_opened), 2);
    close_world();
}

#define GET_FAIL  "GET /fail HTTP/1.1\r\nHost: x\r\n\r\n"
#define POST_FAIL "POST /fail HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"

/** Asks, of a client that takes failures for no answers. */
static void ask_insisting(enum fil_http_method method, const char *head, uint32_t tries_max)
{
    refusal_count = 0;
    fil_chunk_queue_clear(&content);
    start(method, head, 0);
    call.tries_max = tries_max;
    call.retries_failures = true;
    net_world_run_for(&world, SECOND);
}

static void test_failures_are_tried_again_where_that_is_asked_for(void **state)
{
    (void)state;
    open_world(HERE ", " HERE);
    get(GET_FAIL);
    assert_int_equal(call.status, 500); // nobody has asked for it
    ask_insisting(FIL_HTTP_GET, GET_FAIL, 2);
    assert_int_equal(call.status, 200);
    assert_int_equal(call.try_count, 2);
    assert_true(content_is("mended"));
    ask_insisting(FIL_HTTP_GET, GET_FAIL, 1);
    assert_int_equal(call.status, 500);
    assert_true(content_is("broken"));
    ask_insisting(FIL_HTTP_POST, POST_FAIL, 3);
    assert_int_equal(call.status, 500);
    assert_true(content_is("broken"));
    close_world();
}

static void test_idle_connection_ends_after_a_while(void **state)
{
    (void)state;
    open_world(HERE);
    get(GET_PLAIN);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 2);
    net_world_run_for(&world, 120 * SECOND);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 0);
    close_world();
}

static void test_who_cannot_be_reached_is_passed_over(void **state)
{
    (void)state;
    open_world(NOBODY ", " HERE);
    for (uint32_t i = 1; i <= 8; i++) {
        fil_chunk_queue_clear(&content);
        get(GET_PLAIN);
        assert_int_equal(done_count, i);
        assert_int_equal(call.error, FIL_OK);
        assert_int_equal(call.status, 200);
    }
    close_world();
}

static void test_nobody_at_all_is_told_after_three_tries(void **state)
{
    (void)state;
    open_world(NOBODY);
    get(GET_PLAIN);
    assert_int_equal(done_count, 1);
    assert_int_equal(call.error, FIL_E_CLOSED);
    assert_int_equal(call.try_count, FIL_HTTP_CLIENT_TRIES_MAX);
    close_world();
}

static void test_what_may_not_be_repeated_is_sent_once(void **state)
{
    (void)state;
    open_world(HERE);
    start(FIL_HTTP_POST, "POST /hang HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 0);
    net_world_run_for(&world, 20 * SECOND);
    assert_int_equal(done_count, 1);
    assert_int_equal(call.error, FIL_E_TIMEOUT);
    assert_int_equal(call.try_count, 1);
    close_world();
}

static void test_deadline_ends_a_call(void **state)
{
    (void)state;
    open_world(HERE);
    start(FIL_HTTP_GET, "GET /hang HTTP/1.1\r\nHost: x\r\n\r\n", SECOND / 2);
    net_world_run_for(&world, SECOND / 4);
    assert_int_equal(done_count, 0);
    net_world_run_for(&world, SECOND);
    assert_int_equal(done_count, 1);
    assert_int_equal(call.error, FIL_E_TIMEOUT);
    close_world();
}

static void test_refusal_is_tried_again_whatever_it_is(void **state)
{
    (void)state;
    open_world(HERE);
    start(FIL_HTTP_POST, "POST /refuse HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 0);
    net_world_run_for(&world, SECOND);
    assert_int_equal(done_count, 1);
    assert_int_equal(call.status, 200);
    assert_int_equal(call.try_count, 2);
    assert_true(content_is("now"));
    close_world();
}

#define TWO       HERE ", " HERE
#define HANG_ONCE "GET /hang-once HTTP/1.1\r\nHost: x\r\n\r\n"

/** So many answers that what is usual is known. */
static void learn_usual(void)
{
    for (uint32_t i = 0; i < 20; i++) {
        fil_chunk_queue_clear(&content);
        get(GET_PLAIN);
        assert_int_equal(call.status, 200);
    }
    fil_chunk_queue_clear(&content);
    done_count = 0;
}

/** The one that waits is answered after all. */
static void answer_waiting(const char *text)
{
    fil_role_assert_io();
    struct fil_request *request = waiting;
    assert_non_null(request);
    waiting = NULL;
    fil_request_complete(request, fil_reply_text(request, 200, "%s", text));
    net_world_run_for(&world, SECOND / 10);
}

static void test_what_takes_long_is_asked_of_another_too(void **state)
{
    (void)state;
    open_world(TWO);
    learn_usual();
    start(FIL_HTTP_GET, HANG_ONCE, 0);
    net_world_run_for(&world, SECOND / 10);
    assert_int_equal(done_count, 1);
    assert_int_equal(call.status, 200);
    assert_int_equal(call.try_count, 2);
    assert_true(content_is("second"));
    assert_int_equal(fil_counter_read(&client.upstream.hedges.granted), 1);
    assert_int_equal(fil_counter_read(&client.upstream.hedges_won), 1);
    // What nobody waits for any more is read over, and its connection serves again.
    uint64_t opened = fil_counter_read(&world.loops[0].stats.connections_opened);
    answer_waiting("late");
    assert_true(content_is("second"));
    assert_int_equal(client.upstream.servers[0].busy + client.upstream.servers[1].busy, 0);
    for (uint32_t i = 0; i < 8; i++) {
        start(FIL_HTTP_GET, GET_PLAIN, 0);
        net_world_run_for(&world, SECOND / 10);
        assert_int_equal(call.status, 200);
    }
    assert_int_equal(fil_counter_read(&world.loops[0].stats.connections_opened), opened);
    close_world();
}

static void test_first_one_may_still_win(void **state)
{
    (void)state;
    open_world(TWO);
    learn_usual();
    second_status = 500;
    start(FIL_HTTP_GET, HANG_ONCE, 0);
    net_world_run_for(&world, SECOND / 10);
    assert_int_equal(done_count, 0); // a failure is no answer while the other may have one
    answer_waiting("first");
    assert_int_equal(done_count, 1);
    assert_int_equal(call.status, 200);
    assert_true(content_is("first"));
    assert_int_equal(fil_counter_read(&client.upstream.hedges_won), 0);
    close_world();
}

static void test_only_what_is_safe_is_asked_twice(void **state)
{
    (void)state;
    open_world(TWO);
    learn_usual();
    start(FIL_HTTP_PUT, "PUT /hang-once HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 0);
    net_world_run_for(&world, SECOND / 2);
    assert_int_equal(done_count, 0);
    assert_int_equal(call.try_count, 1);
    answer_waiting("alone");
    assert_int_equal(done_count, 1);
    client.is_hedging = false;
    start(FIL_HTTP_GET, HANG_ONCE, 0);
    net_world_run_for(&world, SECOND / 2);
    assert_int_equal(done_count, 1);
    answer_waiting("alone");
    assert_int_equal(done_count, 2);
    close_world();
}

static void test_one_that_lost_and_hangs_is_cut_in_its_time(void **state)
{
    (void)state;
    open_world(TWO);
    learn_usual();
    second_status = 204;
    start(FIL_HTTP_GET, HANG_ONCE, SECOND / 2);
    net_world_run_for(&world, SECOND / 10);
    assert_int_equal(done_count, 1);
    fil_role_assert_io();
    // The one that lost is cut when its time is over, and counts against its server.
    net_world_run_for(&world, 2 * SECOND);
    assert_int_equal(client.upstream.servers[0].busy + client.upstream.servers[1].busy, 0);
    assert_int_equal(client.upstream.servers[0].failures + client.upstream.servers[1].failures, 1);
    close_world();
}

static void test_copy_looks_after_one_that_was_ejected(void **state)
{
    (void)state;
    open_world(NOBODY ", " HERE);
    const struct fil_upstream_server *nobody = &client.upstream.servers[0];
    for (uint32_t i = 0; i < 20 && nobody->ejected_ns == 0; i++) {
        get(GET_PLAIN);
    }
    assert_int_not_equal(nobody->ejected_ns, 0); // once was enough
    assert_int_equal(fil_counter_read(&nobody->failed), 1);
    for (uint32_t i = 1; i <= 3; i++) {
        get(GET_PLAIN); // 20 s later
        assert_int_equal(call.status, 200);
        assert_int_equal(call.try_count, 1);
        assert_int_equal(fil_counter_read(&nobody->probes), i);
    }
    close_world();
}

static void test_drain_waits_for_a_call(void **state)
{
    (void)state;
    open_world(HERE);
    start(FIL_HTTP_POST, "POST /hang HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 0);
    net_world_run_for(&world, SECOND / 10);
    assert_non_null(waiting);
    fil_role_assert_io();
    fil_loop_drain(&world.loops[0]);
    net_world_run_for(&world, SECOND / 10);
    assert_int_equal(done_count, 0);
    struct fil_request *request = waiting;
    waiting = NULL;
    fil_request_complete(request, fil_reply_text(request, 200, "late"));
    net_world_run_for(&world, SECOND / 10);
    assert_int_equal(done_count, 1);
    assert_int_equal(call.error, FIL_OK);
    assert_true(content_is("late"));
    close_world();
}

static void test_every_failed_allocation_ends_well(void **state)
{
    (void)state;
    bool is_over = false;
    for (int64_t after = 0; !is_over; after++) {
        open_world(HERE);
        uint64_t before = fil_alloc_count();
        fil_alloc_fail_after(after);
        get(GET_PLAIN);
        fil_alloc_fail_after(-1);
        is_over = fil_alloc_count() - before < (uint64_t)after;
        assert_int_equal(done_count, 1);
        assert_true(call.error != FIL_OK || call.status == 200 || call.status == 503);
        close_world();
        assert_true(after < 1000);
    }
}

/** A resolver that the test decides on; asked by a thread of the client. */
static struct {
    struct fil_env_ops ops;
    _Atomic int error;
    _Atomic uint16_t port;  // of the address that is found
    _Atomic uint32_t asked; // lookups that have begun
    _Atomic bool is_held;   // they do not end
    _Atomic uint32_t answered;
} resolver;

static int resolve(struct fil_env *env, const char *host, uint16_t port,
                   struct fil_resolved *out_resolved)
{
    (void)env;
    assert_string_equal(host, "name.example");
    assert_int_equal(port, 80);
    atomic_fetch_add(&resolver.asked, 1);
    while (atomic_load(&resolver.is_held)) {
        fil_thread_yield();
    }
    *out_resolved = (struct fil_resolved){
        .count = 1, .addresses = {{.ip = {127, 0, 0, 1}, .port = atomic_load(&resolver.port)}}};
    int error = atomic_load(&resolver.error);
    atomic_fetch_add(&resolver.answered, 1);
    return error;
}

/** The simulated poller is not for other threads, and the loops turn anyway. */
static void wake(struct fil_env *env, struct fil_poller *poller)
{
    (void)env;
    (void)poller;
}

static void open_named(uint16_t port, int error)
{
    open_world("name.example:80");
    resolver.ops = *world.sim.env.ops;
    resolver.ops.resolve = resolve;
    resolver.ops.poller_wake = wake;
    world.sim.env.ops = &resolver.ops;
    atomic_store(&resolver.port, port);
    atomic_store(&resolver.error, error);
    atomic_store(&resolver.asked, 0);
    atomic_store(&resolver.answered, 0);
    atomic_store(&resolver.is_held, false);
}

/** Asks, and waits for the thread, which has a time of its own. */
static void ask_named(void)
{
    uint32_t before = done_count;
    fil_chunk_queue_clear(&content);
    start(FIL_HTTP_GET, GET_PLAIN, 0);
    while (done_count == before) {
        net_world_turn(&world);
        net_world_run_for(&world, SECOND / 1000);
        fil_thread_yield();
    }
}

static void test_names_are_looked_up_and_remembered(void **state)
{
    (void)state;
    open_named(5701, FIL_OK);
    for (uint32_t i = 0; i < 3; i++) {
        ask_named();
        assert_int_equal(call.error, FIL_OK);
        assert_int_equal(call.status, 200);
    }
    assert_int_equal(atomic_load(&resolver.asked), 1);
    do {
        fil_sim_advance(&world.sim, 31 * SECOND); // what is known gets old
        ask_named();
        assert_int_equal(call.status, 200); // and is good until something better is known
    } while (atomic_load(&resolver.answered) < 2);
    close_world();
}

static void test_unknown_name_is_told_and_looked_up_again(void **state)
{
    (void)state;
    open_named(5701, FIL_E_NOT_FOUND);
    ask_named();
    assert_int_equal(call.error, FIL_E_UNREACHABLE);
    assert_int_equal(client.upstream.names[0].error, FIL_E_NOT_FOUND);
    atomic_store(&resolver.error, FIL_OK);
    do {
        fil_sim_advance(&world.sim, 2 * SECOND);
        ask_named();
    } while (call.error == FIL_E_UNREACHABLE);
    assert_int_equal(call.status, 200);
    close_world();
}

static void test_address_that_cannot_be_reached_is_looked_up_again(void **state)
{
    (void)state;
    open_named(9, FIL_OK); // nobody is there
    ask_named();
    assert_int_equal(call.error, FIL_E_CLOSED);
    atomic_store(&resolver.port, 5701); // it has moved
    do {
        fil_sim_advance(&world.sim, 2 * SECOND);
        ask_named();
    } while (call.error != FIL_OK);
    assert_int_equal(call.status, 200);
    close_world();
}

static void test_call_that_waits_for_a_name_can_be_cancelled(void **state)
{
    (void)state;
    open_named(5701, FIL_OK);
    fil_role_assert_io();
    atomic_store(&resolver.is_held, true);
    start(FIL_HTTP_GET, GET_PLAIN, 0);
    while (atomic_load(&resolver.asked) == 0) {
        fil_thread_yield();
    }
    fil_http_call_cancel(&call);
    atomic_store(&resolver.is_held, false);
    while (done_count == 0) {
        net_world_turn(&world);
        net_world_run_for(&world, SECOND / 1000);
        fil_thread_yield();
    }
    assert_int_equal(done_count, 1);
    assert_int_equal(call.error, FIL_E_CANCELLED);
    close_world();
}

static void test_client_does_not_wait_for_the_resolver(void **state)
{
    (void)state;
    open_named(5701, FIL_OK);
    ask_named();
    atomic_store(&resolver.is_held, true);
    do { // until the first thread has gone, and another lookup begins
        fil_sim_advance(&world.sim, 31 * SECOND);
        ask_named();
        assert_int_equal(call.status, 200);
    } while (atomic_load(&resolver.asked) < 2);
    close_world(); // the lookup goes on alone
    atomic_store(&resolver.is_held, false);
    while (atomic_load(&resolver.answered) < 2) {
        fil_thread_yield();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answer_comes_back_whole_and_connection_is_kept),
        cmocka_unit_test(test_failures_are_tried_again_where_that_is_asked_for),
        cmocka_unit_test(test_idle_connection_ends_after_a_while),
        cmocka_unit_test(test_who_cannot_be_reached_is_passed_over),
        cmocka_unit_test(test_nobody_at_all_is_told_after_three_tries),
        cmocka_unit_test(test_what_may_not_be_repeated_is_sent_once),
        cmocka_unit_test(test_deadline_ends_a_call),
        cmocka_unit_test(test_refusal_is_tried_again_whatever_it_is),
        cmocka_unit_test(test_what_takes_long_is_asked_of_another_too),
        cmocka_unit_test(test_first_one_may_still_win),
        cmocka_unit_test(test_only_what_is_safe_is_asked_twice),
        cmocka_unit_test(test_one_that_lost_and_hangs_is_cut_in_its_time),
        cmocka_unit_test(test_copy_looks_after_one_that_was_ejected),
        cmocka_unit_test(test_drain_waits_for_a_call),
        cmocka_unit_test(test_every_failed_allocation_ends_well),
        cmocka_unit_test(test_names_are_looked_up_and_remembered),
        cmocka_unit_test(test_unknown_name_is_told_and_looked_up_again),
        cmocka_unit_test(test_address_that_cannot_be_reached_is_looked_up_again),
        cmocka_unit_test(test_call_that_waits_for_a_name_can_be_cancelled),
        cmocka_unit_test(test_client_does_not_wait_for_the_resolver),
    };
    return cmocka_run_group_tests_name("call", tests, NULL, NULL);
}
