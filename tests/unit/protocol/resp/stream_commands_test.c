// SPDX-License-Identifier: Apache-2.0
/**
 * Streams, both ways: entries go in, are read in ranges and go; a stream is a key like others, but
 * stays when it is empty; all who wait for a stream get what comes, from the moment they began to
 * wait; a deadline is answered; one that is gone holds nobody up; every failed allocation is
 * answered. What Redis answers is compared elsewhere (tests/integration/redis_scripts).
 */
#include "grid/map/shelf.h"
#include "tests/unit/protocol/resp/resp_ways.h"

#define WRONG   "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n"
#define ENTRY_1 "*2\r\n$3\r\n1-0\r\n*2\r\n$1\r\na\r\n$1\r\n1\r\n"
#define ENTRY_2 "*2\r\n$3\r\n2-0\r\n*2\r\n$1\r\nb\r\n$1\r\n2\r\n"
#define READ_2  "*1\r\n*2\r\n$1\r\ns\r\n*1\r\n" ENTRY_2

static struct resp_world *const world = &resp_ways_world;

static struct fil_sim_client *start(const char *text)
{
    struct fil_sim_client *client = net_world_client(&world->net);
    net_world_send(client, text);
    net_world_run_for(&world->net, RESP_WAYS_SECOND / 100);
    return client;
}

static bool has_received(const struct fil_sim_client *client, const char *text)
{
    return fil_bytes_equal_text(fil_sim_client_received(client), text);
}

static void test_entries_go_in_and_out(void **state)
{
    (void)state;
    resp_world_check(world,
                     "XADD s 1 a 1\r\nXADD s 2 b 2\r\nXLEN s\r\nXRANGE s - +\r\n"
                     "XREVRANGE s + - COUNT 1\r\nXREAD COUNT 1 STREAMS s 1\r\nXDEL s 1 7\r\n"
                     "XRANGE s - +\r\nXTRIM s MAXLEN 0\r\nEXISTS s\r\nTYPE s\r\nXADD s 2 c 3\r\n",
                     "$3\r\n1-0\r\n$3\r\n2-0\r\n:2\r\n*2\r\n" ENTRY_1 ENTRY_2 "*1\r\n" ENTRY_2
                     "*1\r\n*2\r\n$1\r\ns\r\n*1\r\n" ENTRY_2 ":1\r\n*1\r\n" ENTRY_2
                     ":1\r\n:1\r\n+stream\r\n-ERR The ID specified in XADD is equal or smaller "
                     "than the target stream top item\r\n");
    assert_int_equal(fil_map_collection_count(world->map), 1);
}

static void test_it_is_a_key_like_others(void **state)
{
    (void)state;
    resp_world_check(world,
                     "XADD s 1 a 1\r\nGET s\r\nLPUSH s 1\r\nSET t 1\r\nXADD t 1 a 1\r\n"
                     "XREAD STREAMS t 0\r\nCOPY s u\r\nXADD u 1 a 1\r\nRENAME u t\r\nXLEN t\r\n"
                     "DEL s t\r\nXLEN s\r\n",
                     "$3\r\n1-0\r\n" WRONG WRONG "+OK\r\n" WRONG WRONG
                     ":1\r\n-ERR The ID specified in XADD is equal or smaller than the target "
                     "stream top item\r\n+OK\r\n:1\r\n:2\r\n:0\r\n");
    assert_int_equal(fil_map_collection_count(world->map), 0);
}

static void test_all_who_wait_get_what_comes(void **state)
{
    (void)state;
    resp_world_check(world, "XADD s 1 a 1\r\n", "$3\r\n1-0\r\n");
    struct fil_sim_client *readers[] = {
        start("XREAD BLOCK 0 STREAMS s $\r\n"),
        start("XREAD BLOCK 0 STREAMS none s 0 1\r\nPING\r\n"),
        start("XREAD BLOCK 0 COUNT 5 STREAMS s $\r\n"),
    };
    struct fil_sim_client *taker = start("BLPOP s 0\r\n");
    assert_true(has_received(readers[0], ""));
    resp_world_check(world, "XADD s 2 b 2\r\n", "$3\r\n2-0\r\n");
    net_world_run_for(&world->net, RESP_WAYS_SECOND / 100);
    assert_true(has_received(readers[0], READ_2));
    assert_true(has_received(readers[1], READ_2 "+PONG\r\n"));
    assert_true(has_received(readers[2], READ_2));
    assert_true(has_received(taker, WRONG));
}

static void test_what_came_before_is_not_news(void **state)
{
    (void)state;
    struct fil_sim_client *reader = start("XREAD BLOCK 0 STREAMS s $\r\n");
    struct fil_sim_client *late = start("XREAD BLOCK 0 STREAMS s 1\r\n");
    resp_world_check(world, "XADD s 1 a 1\r\n", "$3\r\n1-0\r\n");
    net_world_run_for(&world->net, RESP_WAYS_SECOND / 100);
    assert_true(has_received(reader, "*1\r\n*2\r\n$1\r\ns\r\n*1\r\n" ENTRY_1));
    assert_true(has_received(late, ""));
    resp_world_check(world, "XADD s 2 b 2\r\n", "$3\r\n2-0\r\n");
    net_world_run_for(&world->net, RESP_WAYS_SECOND / 100);
    assert_true(has_received(late, READ_2));
}

static void test_deadlines_and_the_gone(void **state)
{
    (void)state;
    struct fil_sim_client *reader = start("XREAD BLOCK 50 STREAMS s t $ 0\r\n");
    struct fil_sim_client *gone = start("XREAD BLOCK 0 STREAMS s $\r\n");
    struct fil_sim_client *stays = start("XREAD BLOCK 0 STREAMS s $\r\n");
    fil_sim_client_close(gone);
    fil_sim_advance(&world->net.sim, RESP_WAYS_SECOND);
    net_world_run_for(&world->net, RESP_WAYS_SECOND / 10);
    assert_true(has_received(reader, "*-1\r\n"));
    resp_world_check(world, "XADD s 2 b 2\r\n", "$3\r\n2-0\r\n");
    net_world_run_for(&world->net, RESP_WAYS_SECOND / 100);
    assert_true(has_received(stays, READ_2));
}

static void test_failed_allocations_are_answered(void **state)
{
    (void)state;
    resp_ways_fail_allocations(
        "XADD s 1 a 1\r\nXADD s 2 b 2\r\nCOPY s t\r\nXREAD STREAMS s t 0 0\r\n"
        "XREAD BLOCK 1 STREAMS none $\r\nXADD n MAXLEN 1 3 c 3\r\n",
        50);
    resp_world_check(world, "DEL q\r\nXADD q 1 a 1\r\nXLEN q\r\n", ":0\r\n$3\r\n1-0\r\n:1\r\n");
    assert_true(fil_map_collection_count(world->map) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RESP_WAYS_TEST(entries_go_in_and_out),
        RESP_WAYS_TEST(it_is_a_key_like_others),
        RESP_WAYS_TEST(all_who_wait_get_what_comes),
        RESP_WAYS_TEST(what_came_before_is_not_news),
        RESP_WAYS_TEST(deadlines_and_the_gone),
        RESP_WAYS_TEST(failed_allocations_are_answered),
    };
    int failures = cmocka_run_group_tests_name("streams in place", tests, NULL, NULL);
    resp_ways_choose(false);
    return failures + cmocka_run_group_tests_name("streams handed over", tests, NULL, NULL);
}
