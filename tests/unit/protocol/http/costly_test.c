// SPDX-License-Identifier: Apache-2.0
/**
 * Costly pages, one test a promise: they are answered by the generic pool and not by the loop; what
 * is behind one on a connection waits and keeps its order; the last one is sent before the
 * connection ends; a full pool is told; a client that goes away costs nothing; memory that is out
 * is never worse than an ended connection.
 */
#include <string.h>

#include "core/exec/exec.h"
#include "core/exec/generic.h"
#include "lib/base/alloc.h"
#include "lib/mem/chunk.h"
#include "protocol/http/server.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define SECOND  UINT64_C(1000000000)
#define THREADS 2U // one of them reserved

static struct net_world world;
static struct fil_http_server server;
static struct fil_protocol protocol = {&fil_http_protocol, &server};
static struct fil_exec *executive;
static struct fil_generic generic;
static struct fil_runner runners[THREADS];
static struct fil_runner *runner_list[THREADS] = {&runners[0], &runners[1]};
static struct fil_pool chunks[THREADS];
static uint32_t page_count;
static bool is_pool_asleep;

static void page_costly(void *context, const struct fil_http_request *request,
                        struct fil_http_reply *reply)
{
    (void)context;
    page_count++;
    assert_ptr_equal(reply->pool, &chunks[1]);
    fil_http_reply_add(reply, request->query);
}

static void page_cheap(void *context, const struct fil_http_request *request,
                       struct fil_http_reply *reply)
{
    (void)context;
    (void)request;
    fil_http_reply_format(reply, "cheap");
}

static const struct fil_http_page pages[] = {
    {"/costly", page_costly, "costly"},
    {"/cheap", page_cheap, NULL},
};

static void settle(void *context, struct fil_runner *runner)
{
    (void)context;
    fil_runner_end_turn(runner);
}

static const struct fil_stage_hooks hooks = {.settle = settle};

static uint32_t cycle_pool(void *context)
{
    (void)context;
    fil_role_assert_generic();
    return is_pool_asleep ? 0 : fil_generic_cycle(&generic, 1);
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
    for (uint32_t i = 0; i < THREADS; i++) {
        fil_runner_init(&runners[i], executive, "generic");
        fil_chunk_pool_init(&chunks[i], &world.budget, 0);
        runners[i].chunks = &chunks[i];
    }
    struct fil_generic_options pool = {.env = &world.sim.env,
                                       .worker_count = THREADS - 1,
                                       .capacity = capacity,
                                       .priority_capacity = 1,
                                       .hooks = &hooks,
                                       .runners = runner_list};
    assert_int_equal(fil_generic_init(&generic, &pool), FIL_OK);
}

static void open_world(uint32_t capacity) FIL_TSA(assert_capability(fil_role_io))
    FIL_TSA(assert_capability(fil_role_acceptor))
{
    server = (struct fil_http_server){.env = &world.sim.env,
                                      .pages = pages,
                                      .page_count = FIL_COUNT_OF(pages),
                                      .generic = &generic,
                                      .budget = &world.budget};
    world.worker = (struct fil_sim_cycle){.cycle = cycle_pool};
    net_world_must_open(&world);
    fil_role_enter(&fil_role_generic);
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
    fil_role_assert_generic();
    while (fil_generic_cycle(&generic, 1) > 0) {
    }
    for (uint32_t i = 0; i < world.loop_count; i++) {
        fil_role_assert_io();
        fil_loop_abort(&world.loops[i]);
        (void)fil_loop_cycle(&world.loops[i], 0);
    }
    fil_generic_fini(&generic);
    for (uint32_t i = 0; i < THREADS; i++) {
        fil_pool_fini(&chunks[i]);
    }
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

#define COSTLY(query) "GET /costly?" query " HTTP/1.1\r\nHost: x\r\n\r\n"
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
        ask("GET /costly?last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" CHEAP);
    assert_int_equal(count(client, "last"), 1);
    assert_int_equal(count(client, "cheap"), 0);
    assert_int_not_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

static void test_full_pool_is_told(void **state)
{
    (void)state;
    open_world(2);
    is_pool_asleep = true;
    struct fil_sim_client *first = ask(COSTLY("a"));
    struct fil_sim_client *second = ask(COSTLY("b"));
    struct fil_sim_client *third = ask(COSTLY("c") CHEAP);
    assert_int_equal(count(third, "HTTP/1.1 503 Service Unavailable"), 1);
    assert_int_equal(count(third, "cheap"), 1);
    is_pool_asleep = false;
    net_world_run_for(&world, SECOND / 10);
    assert_int_equal(count(first, "HTTP/1.1 200 OK"), 1);
    assert_int_equal(count(second, "HTTP/1.1 200 OK"), 1);
}

static void test_client_that_goes_away_costs_nothing(void **state)
{
    (void)state;
    open_world(8);
    is_pool_asleep = true;
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, COSTLY("gone"));
    fil_sim_client_close(client);
    net_world_run_for(&world, SECOND / 10);
    is_pool_asleep = false;
    net_world_run_for(&world, 3 * SECOND);
    assert_int_equal(page_count, 1);
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
        TEST(test_full_pool_is_told),
        TEST(test_client_that_goes_away_costs_nothing),
        TEST(test_failing_memory_never_sends_half_a_page),
    };
    return cmocka_run_group_tests_name("costly", tests, NULL, NULL);
}
