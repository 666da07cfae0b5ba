// SPDX-License-Identifier: Apache-2.0
/**
 * Routes that run in a pool, one test a promise: they are answered by the pool and not by the loop;
 * what is behind one on a connection waits and keeps its order; the last one is sent before the
 * connection ends; who does not fit is told at once; a request whose client went away is not run;
 * memory that is out is never worse than an ended connection.
 */
#include <string.h>

#include "core/exec/exec.h"
#include "lib/base/alloc.h"
#include "lib/mem/chunk.h"
#include "protocol/http/server.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define SECOND UINT64_C(1000000000)

static struct net_world world;
static struct fil_service service;
static struct fil_http_server server;
static struct fil_protocol protocol = {&fil_http_protocol, &server};
static struct fil_exec *executive;
static uint32_t page_count;
static bool is_pool_asleep;

static struct fil_reply page_costly(struct fil_request *request)
{
    page_count++;
    assert_ptr_equal(request->pool, &request->route->pool->workers[0].chunks);
    return fil_reply_text(request, 200, "%s", fil_query(request, "q", ""));
}

static struct fil_reply page_cheap(struct fil_request *request)
{
    return fil_reply_text(request, 200, "cheap");
}

static void settle(void *context, struct fil_runner *runner)
{
    (void)context;
    fil_runner_end_turn(runner);
}

static const struct fil_stage_hooks hooks = {.settle = settle};

static uint32_t cycle_pool(void *context)
{
    (void)context;
    fil_role_assert_executor();
    return is_pool_asleep ? 0 : fil_service_cycle(&service);
}

static void open_pool(uint32_t capacity)
{
    struct fil_exec_options options = {.env = &world.sim.env,
                                       .budget = &world.budget,
                                       .partition_count = 1,
                                       .thread_count = 1,
                                       .has_batching = true,
                                       .has_wake_suppression = true,
                                       .has_write_through = true};
    assert_int_equal(fil_exec_new(&executive, &options), FIL_OK);
    struct fil_service_pool_plan plan = {
        .name = "own", .thread_count = 1, .thread_max = 1, .capacity = capacity};
    fil_service_init(&service, &(struct fil_service_options){.env = &world.sim.env,
                                                             .exec = executive,
                                                             .hooks = &hooks,
                                                             .pools = &plan,
                                                             .pool_count = 1});
    struct fil_route_options costly = {.run_on = "own"};
    assert_int_equal(fil_service_route(&service, "GET /costly", page_costly, &costly, NULL),
                     FIL_OK);
    assert_int_equal(fil_service_route(&service, "GET /cheap", page_cheap, NULL, NULL), FIL_OK);
    assert_int_equal(fil_service_open(&service), FIL_OK);
}

static void open_world(uint32_t capacity) FIL_TSA(assert_capability(fil_role_io))
    FIL_TSA(assert_capability(fil_role_acceptor))
{
    server = (struct fil_http_server){
        .env = &world.sim.env, .service = &service, .budget = &world.budget};
    world.worker = (struct fil_sim_cycle){.cycle = cycle_pool};
    net_world_must_open(&world);
    fil_role_enter(&fil_role_executor);
    open_pool(capacity);
}

static int set_up(void **state)
{
    (void)state;
    page_count = 0;
    is_pool_asleep = false;
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
    is_pool_asleep = false;
    fil_role_assert_executor();
    while (fil_service_cycle(&service) > 0) {
    }
    for (uint32_t i = 0; i < world.loop_count; i++) {
        fil_role_assert_io();
        fil_loop_abort(&world.loops[i]);
        (void)fil_loop_cycle(&world.loops[i], 0);
    }
    fil_service_fini(&service);
    fil_exec_free(executive);
    net_world_close(&world);
    return 0;
}

static struct fil_sim_client *ask(const char *request)
{
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, request);
    net_world_run_for(&world, SECOND / 10);
    return client;
}

/** How often the text is in what the client has received. */
static uint32_t count(const struct fil_sim_client *client, const char *text)
{
    uint32_t found = 0;
    size_t size = strlen(text);
    for (size_t i = 0; i + size <= client->received_size; i++) {
        found += memcmp(client->received + i, text, size) == 0;
    }
    return found;
}

#define COSTLY(query) "GET /costly?q=" query " HTTP/1.1\r\nHost: x\r\n\r\n"
#define CHEAP         "GET /cheap HTTP/1.1\r\nHost: x\r\n\r\n"

static void test_costly_page_is_answered_by_the_pool(void **state)
{
    (void)state;
    open_world(8);
    is_pool_asleep = true;
    struct fil_sim_client *client = ask(COSTLY("first"));
    assert_int_equal(client->received_size, 0);
    is_pool_asleep = false;
    net_world_run_for(&world, SECOND / 10);
    assert_int_equal(count(client, "\r\n\r\nfirst"), 1);
    assert_int_equal(page_count, 1);
}

static void test_order_on_a_connection_is_kept(void **state)
{
    (void)state;
    open_world(8);
    is_pool_asleep = true;
    struct fil_sim_client *client = ask(COSTLY("one") CHEAP COSTLY("two") CHEAP);
    assert_int_equal(client->received_size, 0);
    // Others are not held up by it.
    assert_int_equal(count(ask(CHEAP), "cheap"), 1);
    is_pool_asleep = false;
    net_world_run_for(&world, SECOND / 10);
    assert_int_equal(count(client, "HTTP/1.1 200 OK"), 4);
    const char *text = (const char *)client->received;
    const char *one = memmem(text, client->received_size, "one", 3);
    const char *cheap = memmem(text, client->received_size, "cheap", 5);
    const char *two = memmem(text, client->received_size, "two", 3);
    assert_true(one < cheap);
    assert_true(cheap < two);
}

static void test_last_page_is_sent_before_the_end(void **state)
{
    (void)state;
    open_world(8);
    struct fil_sim_client *client =
        ask("GET /costly?q=last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" CHEAP);
    assert_int_equal(count(client, "last"), 1);
    assert_int_equal(count(client, "cheap"), 0);
    assert_int_not_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

static void test_who_does_not_fit_is_told_at_once(void **state)
{
    (void)state;
    open_world(2);
    is_pool_asleep = true;
    struct fil_sim_client *first = ask(COSTLY("a"));
    struct fil_sim_client *second = ask(COSTLY("b"));
    struct fil_sim_client *third = ask(COSTLY("c") CHEAP);
    assert_int_equal(count(third, "HTTP/1.1 503 Service Unavailable"), 1);
    assert_int_equal(count(third, "Retry-After: 0\r\nFilbert-Nack: cap\r\n"), 1);
    assert_int_equal(count(third, "cheap"), 1);
    is_pool_asleep = false;
    net_world_run_for(&world, SECOND / 10);
    assert_int_equal(count(first, "HTTP/1.1 200 OK"), 1);
    assert_int_equal(count(second, "HTTP/1.1 200 OK"), 1);
}

static void test_client_that_goes_away_is_not_worked_for(void **state)
{
    (void)state;
    open_world(8);
    is_pool_asleep = true;
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, COSTLY("gone"));
    net_world_run_for(&world, SECOND / 10);
    fil_role_assert_io();
    fil_loop_abort(&world.loops[0]);
    is_pool_asleep = false;
    net_world_run_for(&world, 3 * SECOND);
    assert_int_equal(page_count, 0);
    assert_int_equal(fil_counter_read(&service.pools[0]->skipped_count), 1);
    assert_int_equal(net_world_closed_all(&world), 1);
}

static void test_failing_memory_never_sends_half_a_page(void **state)
{
    (void)state;
    open_world(8);
    uint32_t answered = 0;
    for (int position = 0; position < 12; position++) {
        struct fil_sim_client *client = net_world_client(&world);
        net_world_send(client, COSTLY("memory"));
        fil_alloc_fail_after(position);
        net_world_run_for(&world, SECOND / 10);
        fil_alloc_fail_after(-1);
        net_world_run_for(&world, SECOND / 10);
        bool is_whole = count(client, "\r\n\r\nmemory") == 1 || count(client, " 503 ") == 1;
        assert_true(is_whole || client->received_size == 0);
        answered += is_whole;
    }
    assert_true(answered > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_costly_page_is_answered_by_the_pool),
        TEST(test_order_on_a_connection_is_kept),
        TEST(test_last_page_is_sent_before_the_end),
        TEST(test_who_does_not_fit_is_told_at_once),
        TEST(test_client_that_goes_away_is_not_worked_for),
        TEST(test_failing_memory_never_sends_half_a_page),
    };
    return cmocka_run_group_tests_name("http_pool", tests, NULL, NULL);
}
