// SPDX-License-Identifier: Apache-2.0
/**
 * Commands that wait, run by the loop in place and by partition threads: those that wait for a key
 * are served in the order in which they came; one waits for several keys and gets from one; one
 * that is gone takes nothing, and what it was woken for goes to the next; a deadline is answered on
 * time; what the connection sent behind it waits; a failed allocation is answered or ends it.
 */
#include <stdio.h>

#include "grid/map/shelf.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

#define SECOND UINT64_C(1000000000)
#define TAKERS 8U

static struct resp_world world;
static bool has_caller_runs;

static int set_up(void **state)
{
    (void)state;
    resp_world_init(&world);
    world.has_caller_runs = has_caller_runs;
    resp_world_open(&world, 1U << 24);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    resp_world_close(&world);
    return 0;
}

static struct fil_sim_client *start(const char *text)
{
    struct fil_sim_client *client = net_world_client(&world.net);
    net_world_send(client, text);
    net_world_run_for(&world.net, SECOND / 100);
    return client;
}

static bool has_received(const struct fil_sim_client *client, const char *text)
{
    return fil_bytes_equal_text(fil_sim_client_received(client), text);
}

static void test_takers_are_served_as_they_came(void **state)
{
    (void)state;
    struct fil_sim_client *takers[TAKERS];
    char reply[64];
    for (uint32_t i = 0; i < TAKERS; i++) {
        takers[i] = start("BLPOP l 0\r\n");
        assert_true(has_received(takers[i], ""));
    }
    struct fil_sim_client *giver = start("RPUSH l 100 101 102\r\n");
    for (uint32_t i = 3; i < TAKERS; i++) {
        char push[32];
        (void)snprintf(push, sizeof(push), "RPUSH l %u\r\n", 100 + i);
        net_world_send(giver, push);
    }
    net_world_run_for(&world.net, SECOND / 10);
    for (uint32_t i = 0; i < TAKERS; i++) {
        (void)snprintf(reply, sizeof(reply), "*2\r\n$1\r\nl\r\n$3\r\n%u\r\n", 100 + i);
        assert_true(has_received(takers[i], reply));
    }
    assert_int_equal(fil_map_collection_count(world.map), 0);
}

static void test_one_of_several_keys_is_enough(void **state)
{
    (void)state;
    struct fil_sim_client *taker = start("BRPOP a b c d 0\r\nPING\r\n");
    struct fil_sim_client *other = start("BZPOPMIN z y 0\r\n");
    assert_true(has_received(taker, ""));
    (void)start("RPUSH c 1 2\r\n");
    (void)start("ZADD y 1 m\r\n");
    net_world_run_for(&world.net, SECOND / 10);
    assert_true(has_received(taker, "*2\r\n$1\r\nc\r\n$1\r\n2\r\n+PONG\r\n"));
    assert_true(has_received(other, "*3\r\n$1\r\ny\r\n$1\r\nm\r\n$1\r\n1\r\n"));
    resp_world_check(&world, "RPUSH a 1\r\nLLEN a\r\nLLEN c\r\n", ":1\r\n:1\r\n:1\r\n");
}

static void test_one_that_is_gone_takes_nothing(void **state)
{
    (void)state;
    struct fil_sim_client *gone = start("BLPOP l m 0\r\n");
    struct fil_sim_client *stays = start("BLPOP l 0\r\n");
    fil_sim_client_close(gone);
    net_world_run_for(&world.net, SECOND / 10);
    (void)start("RPUSH l 1\r\n");
    net_world_run_for(&world.net, SECOND / 10);
    assert_true(has_received(stays, "*2\r\n$1\r\nl\r\n$1\r\n1\r\n"));
    resp_world_check(&world, "RPUSH m 1\r\nLLEN m\r\n", ":1\r\n:1\r\n");
}

static void test_one_that_is_gone_with_more_behind_takes_nothing(void **state)
{
    (void)state;
    struct fil_sim_client *gone = start("BLPOP l 0\r\nPING\r\nBLPOP l m 0\r\nPING\r\n");
    fil_sim_client_close(gone);
    net_world_run_for(&world.net, SECOND / 10);
    resp_world_check(&world, "RPUSH l 1\r\nRPUSH m 1\r\nLLEN l\r\nLLEN m\r\n",
                     ":1\r\n:1\r\n:1\r\n:1\r\n");
    assert_int_equal(net_world_closed(&world.net, FIL_CLOSE_PEER), 1);
}

static void test_who_sends_no_more_does_not_wait(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    net_world_send(client, "BLPOP l 0\r\nPING\r\nBLMOVE l m LEFT LEFT 0\r\nRPUSH l 1\r\n");
    fil_sim_client_finish(client);
    net_world_run(&world.net);
    assert_int_equal(client->state, FIL_SIM_CLIENT_ENDED);
    assert_true(has_received(client, "-ERR the call was cancelled by its caller\r\n+PONG\r\n-ERR "
                                     "the call was cancelled by its caller\r\n:1\r\n"));
}

/** As the stage of the only loop does until it is empty. */
static void stop_member(void)
{
    fil_role_assert_io();
    for (uint32_t i = 0; i < 10 && fil_loop_connection_count(&world.net.loops[0]) > 0; i++) {
        fil_loop_drain(&world.net.loops[0]);
        net_world_run_for(&world.net, SECOND / 100);
    }
}

static void test_who_waits_when_the_member_stops_sees_the_end(void **state)
{
    (void)state;
    struct fil_sim_client *taker = start("PING\r\nBLPOP l 0\r\n");
    struct fil_sim_client *reader = start("XREAD BLOCK 0 STREAMS s $\r\n");
    stop_member();
    assert_int_equal(taker->state, FIL_SIM_CLIENT_ENDED);
    assert_int_equal(reader->state, FIL_SIM_CLIENT_ENDED);
    assert_true(has_received(taker, "+PONG\r\n"));
    assert_true(has_received(reader, ""));
}

static void test_what_stands_behind_a_wait_is_answered_when_the_member_stops(void **state)
{
    (void)state;
    struct fil_sim_client *client = start("BLPOP l 0\r\nMSET a 1 b 2\r\nPING\r\n");
    struct fil_sim_client *short_one = start("BLPOP l 0\r\nPING\r\n");
    assert_true(has_received(client, ""));
    stop_member();
    assert_int_equal(client->state, FIL_SIM_CLIENT_ENDED);
    assert_true(has_received(short_one, "-ERR the call was cancelled by its caller\r\n+PONG\r\n"));
    assert_true(
        has_received(client, "-ERR the call was cancelled by its caller\r\n+OK\r\n+PONG\r\n"));
}

static void test_wait_before_a_broken_command_ends_with_its_client(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    net_world_send(client, "BLPOP l 0\r\nBLPOP l 0\r\n\"\r\n");
    fil_sim_client_finish(client);
    net_world_run(&world.net);
    assert_int_equal(client->state, FIL_SIM_CLIENT_ENDED);
    resp_world_check(&world, "RPUSH l 1\r\nLLEN l\r\n", ":1\r\n:1\r\n");
}

static void test_deadline_is_answered(void **state)
{
    (void)state;
    struct fil_sim_client *taker = start("BLPOP l m 1.5\r\n");
    struct fil_sim_client *mover = start("BLMOVE l m LEFT RIGHT 1.5\r\n");
    fil_sim_advance(&world.net.sim, SECOND);
    net_world_run_for(&world.net, SECOND / 10);
    assert_true(has_received(taker, ""));
    fil_sim_advance(&world.net.sim, SECOND);
    net_world_run_for(&world.net, SECOND / 10);
    assert_true(has_received(taker, "*-1\r\n"));
    assert_true(has_received(mover, "*-1\r\n"));
    resp_world_check(&world, "RPUSH l 1\r\nLLEN l\r\n", ":1\r\n:1\r\n");
}

static void test_items_move_when_they_come(void **state)
{
    (void)state;
    struct fil_sim_client *mover = start("BLMOVE l m LEFT RIGHT 0\r\n");
    struct fil_sim_client *taker = start("BLPOP m 0\r\n");
    (void)start("SET l x\r\nDEL l\r\nRPUSH k 7\r\nRENAME k l\r\n");
    net_world_run_for(&world.net, SECOND / 10);
    assert_true(has_received(mover, "$1\r\n7\r\n"));
    assert_true(has_received(taker, "*2\r\n$1\r\nm\r\n$1\r\n7\r\n"));
    assert_int_equal(fil_map_collection_count(world.map), 0);
}

static void test_failed_allocations_lose_nothing(void **state)
{
    (void)state;
    for (int position = 0; position < 30; position++) {
        resp_world_close(&world);
        (void)set_up(NULL);
        struct fil_sim_client *taker = net_world_client(&world.net);
        net_world_run_for(&world.net, SECOND / 100);
        net_world_send(taker, "BLPOP l m 0.5\r\n");
        fil_alloc_fail_after(position);
        net_world_run_for(&world.net, SECOND / 10);
        fil_alloc_fail_after(-1);
        (void)start("RPUSH m 1\r\n");
        net_world_run_for(&world.net, SECOND);
        bool has_taken = has_received(taker, "*2\r\n$1\r\nm\r\n$1\r\n1\r\n");
        resp_world_check(&world, "LLEN m\r\n", has_taken ? ":0\r\n" : ":1\r\n");
        assert_true(has_taken || position < 29);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(takers_are_served_as_they_came),
        TEST(one_of_several_keys_is_enough),
        TEST(one_that_is_gone_takes_nothing),
        TEST(one_that_is_gone_with_more_behind_takes_nothing),
        TEST(who_sends_no_more_does_not_wait),
        TEST(who_waits_when_the_member_stops_sees_the_end),
        TEST(what_stands_behind_a_wait_is_answered_when_the_member_stops),
        TEST(wait_before_a_broken_command_ends_with_its_client),
        TEST(deadline_is_answered),
        TEST(items_move_when_they_come),
        TEST(failed_allocations_lose_nothing),
    };
    int failures = 0;
    has_caller_runs = true;
    failures += cmocka_run_group_tests_name("waiting in place", tests, NULL, NULL);
    has_caller_runs = false;
    failures += cmocka_run_group_tests_name("waiting handed over", tests, NULL, NULL);
    return failures;
}
