// SPDX-License-Identifier: Apache-2.0
/**
 * Lists, each promise both ways, run by the loop in place and by partition threads: items go in and
 * out at both ends and between; a key has one type, whichever command comes; lists expire, move and
 * are found like strings; a string takes a list's place; every failed allocation is answered, and a
 * push adds all its items or none.
 */
#include "grid/map/shelf.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

#define SECOND UINT64_C(1000000000)
#define WRONG  "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n"

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

static void test_items_go_in_and_out_at_both_ends(void **state)
{
    (void)state;
    resp_world_check(&world,
                     "RPUSH l a b c\r\nLPUSH l z\r\nLLEN l\r\nLPOP l\r\nRPOP l 2\r\nLPUSHX l y\r\n"
                     "LPUSHX none y\r\nLRANGE l 0 -1\r\n",
                     ":3\r\n:4\r\n:4\r\n$1\r\nz\r\n*2\r\n$1\r\nc\r\n$1\r\nb\r\n:2\r\n:0\r\n"
                     "*2\r\n$1\r\ny\r\n$1\r\na\r\n");
    resp_world_check(&world,
                     "LMOVE l m LEFT RIGHT\r\nRPOPLPUSH l m\r\nLRANGE m 0 -1\r\nEXISTS l\r\n",
                     "$1\r\ny\r\n$1\r\na\r\n*2\r\n$1\r\na\r\n$1\r\ny\r\n:0\r\n");
    assert_int_equal(fil_map_collection_count(world.map), 1);
}

static void test_items_go_in_and_out_between(void **state)
{
    (void)state;
    resp_world_check(
        &world,
        "RPUSH l a b c b\r\nLREM l -1 b\r\nLINSERT l AFTER a x\r\nLSET l -1 z\r\n"
        "LPOS l z\r\nLTRIM l 1 -1\r\nLRANGE l 0 -1\r\n",
        ":4\r\n:1\r\n:4\r\n+OK\r\n:3\r\n+OK\r\n*3\r\n$1\r\nx\r\n$1\r\nb\r\n$1\r\nz\r\n");
    resp_world_check(&world, "LTRIM l 9 9\r\nTYPE l\r\n", "+OK\r\n+none\r\n");
    assert_int_equal(fil_map_collection_count(world.map), 0);
}

static void test_a_key_has_one_type(void **state)
{
    (void)state;
    resp_world_check(&world, "SET s 1\r\nRPUSH s a\r\nLLEN s\r\nRPUSH l a b\r\nGET l\r\nINCR l\r\n",
                     "+OK\r\n" WRONG WRONG ":2\r\n" WRONG WRONG);
    resp_world_check(&world, "MGET s l\r\nSETNX l 1\r\nTYPE l\r\nDBSIZE\r\nSET l 1\r\nTYPE l\r\n",
                     "*2\r\n$1\r\n1\r\n$-1\r\n:0\r\n+list\r\n:2\r\n+OK\r\n+string\r\n");
    assert_int_equal(fil_map_collection_count(world.map), 0);
}

static void test_lists_expire_and_move_like_strings(void **state)
{
    (void)state;
    resp_world_check(&world, "RPUSH l a b\r\nPEXPIRE l 50\r\nRPUSH m c\r\nEXPIRE m 100\r\n",
                     ":2\r\n:1\r\n:1\r\n:1\r\n");
    fil_sim_advance(&world.net.sim, SECOND);
    resp_world_check(&world, "EXISTS l m\r\nRENAME m n\r\nTTL n\r\nCOPY n o\r\nLRANGE o 0 -1\r\n",
                     ":1\r\n+OK\r\n:99\r\n:1\r\n*1\r\n$1\r\nc\r\n");
    resp_world_check(&world, "SCAN 0 COUNT 10000 TYPE list MATCH n\r\nDEL n o\r\nEXISTS l n o\r\n",
                     "*2\r\n$1\r\n0\r\n*1\r\n$1\r\nn\r\n:2\r\n:0\r\n");
    assert_int_equal(fil_map_size(world.map), 0);
}

static void test_watched_list_stops_the_transaction(void **state)
{
    (void)state;
    resp_world_check(&world, "WATCH l\r\nRPUSH l a\r\nMULTI\r\nLPOP l\r\nEXEC\r\nLLEN l\r\n",
                     "+OK\r\n:1\r\n+OK\r\n+QUEUED\r\n*-1\r\n:1\r\n");
    resp_world_check(&world, "MULTI\r\nRPUSH l b\r\nLPOP l 2\r\nEXEC\r\nFLUSHDB\r\nDBSIZE\r\n",
                     "+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n:2\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n"
                     "+OK\r\n:0\r\n");
    assert_int_equal(fil_map_collection_count(world.map), 0);
}

static void test_failed_allocations_are_answered(void **state)
{
    (void)state;
    for (int position = 0; position < 60; position++) {
        resp_world_close(&world);
        (void)set_up(NULL);
        struct fil_sim_client *client = net_world_client(&world.net);
        net_world_run_for(&world.net, SECOND / 100);
        net_world_send(client, "RPUSH l a b c\r\nRPUSH m d\r\nLMOVE l m LEFT RIGHT\r\n"
                               "LMOVE m m LEFT RIGHT\r\nEXPIRE l 100\r\nRENAME l m\r\nCOPY m n\r\n"
                               "SET n 1\r\nLSET m 0 long-long-long\r\nLINSERT m BEFORE b x\r\n");
        fil_alloc_fail_after(position);
        net_world_run_for(&world.net, SECOND / 10);
        fil_alloc_fail_after(-1);
        net_world_run_for(&world.net, SECOND / 100);
    }
    resp_world_check(&world, "DEL q\r\nRPUSH q a\r\nLPOP q\r\n", ":0\r\n:1\r\n$1\r\na\r\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(items_go_in_and_out_at_both_ends),
        TEST(items_go_in_and_out_between),
        TEST(a_key_has_one_type),
        TEST(lists_expire_and_move_like_strings),
        TEST(watched_list_stops_the_transaction),
        TEST(failed_allocations_are_answered),
    };
    int failures = 0;
    has_caller_runs = true;
    failures += cmocka_run_group_tests_name("lists in place", tests, NULL, NULL);
    has_caller_runs = false;
    failures += cmocka_run_group_tests_name("lists handed over", tests, NULL, NULL);
    return failures;
}
