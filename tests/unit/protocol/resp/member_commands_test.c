// SPDX-License-Identifier: Apache-2.0
/**
 * Hashes, sets and sorted sets, each promise both ways, run by the loop in place and by partition
 * threads: members go in and out; several keys are read together and kept under another; a key has
 * one type; they expire, move and are found like strings; every failed allocation is answered. What
 * Redis answers to each command is compared elsewhere (tests/integration/redis_scripts).
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

static void test_fields_go_in_and_out(void **state)
{
    (void)state;
    resp_world_check(&world,
                     "HSET h a 1 b two\r\nHSET h a 5\r\nHGET h a\r\nHINCRBY h a 2\r\nHLEN h\r\n"
                     "HMGET h a x b\r\nHDEL h a\r\nHGETALL h\r\nHSETNX h b 3\r\n",
                     ":2\r\n:0\r\n$1\r\n5\r\n:7\r\n:2\r\n*3\r\n$1\r\n7\r\n$-1\r\n$3\r\ntwo\r\n"
                     ":1\r\n*2\r\n$1\r\nb\r\n$3\r\ntwo\r\n:0\r\n");
    resp_world_check(&world, "HDEL h b none\r\nEXISTS h\r\n", ":1\r\n:0\r\n");
    assert_int_equal(fil_map_collection_count(world.map), 0);
}

static void test_sets_are_read_together(void **state)
{
    (void)state;
    resp_world_check(&world,
                     "SADD a 1 2 3\r\nSADD b 3 4\r\nSINTER a b\r\nSUNIONSTORE c a b\r\n"
                     "SCARD c\r\nSDIFFSTORE a a b\r\nSMISMEMBER a 1 2 3\r\nSMOVE b a 4\r\n"
                     "SCARD a\r\nSPOP b\r\nEXISTS b\r\nSINTERCARD 2 a c\r\n",
                     ":3\r\n:2\r\n*1\r\n$1\r\n3\r\n:4\r\n:4\r\n:2\r\n*3\r\n:1\r\n:1\r\n:0\r\n"
                     ":1\r\n:3\r\n$1\r\n3\r\n:0\r\n:3\r\n");
    assert_int_equal(fil_map_collection_count(world.map), 2);
}

static void test_draws_with_repetitions_are_limited(void **state)
{
    (void)state;
    static const char refusal[] =
        "-ERR value is out of range, with repetitions at most 1000000 are drawn\r\n";
    resp_world_check(&world, "SADD s a\r\nSRANDMEMBER s -2\r\n",
                     ":1\r\n*2\r\n$1\r\na\r\n$1\r\na\r\n");
    resp_world_check(&world, "SRANDMEMBER s -1000001\r\n", refusal);
    resp_world_check(&world, "HRANDFIELD h -9223372036854775807\r\n", refusal);
    resp_world_check(&world, "ZRANDMEMBER z -9223372036854775807\r\n", refusal);
    assert_int_equal(fil_map_collection_count(world.map), 1);
}

static void test_members_have_an_order(void **state)
{
    (void)state;
    resp_world_check(&world,
                     "ZADD z 3 c 1 a 2 b\r\nZADD z 0 c\r\nZRANGE z 0 -1\r\nZRANK z b\r\n"
                     "ZRANGE z (0 2 BYSCORE LIMIT 1 1\r\nZPOPMAX z\r\nZADD y 5 a\r\n"
                     "ZUNIONSTORE x 2 z y\r\nZSCORE x a\r\nZREMRANGEBYRANK x 0 -1\r\nEXISTS x\r\n",
                     ":3\r\n:0\r\n*3\r\n$1\r\nc\r\n$1\r\na\r\n$1\r\nb\r\n:2\r\n*1\r\n$1\r\nb\r\n"
                     "*2\r\n$1\r\nb\r\n$1\r\n2\r\n:1\r\n:2\r\n$1\r\n6\r\n:2\r\n:0\r\n");
    assert_int_equal(fil_map_collection_count(world.map), 2);
}

static void test_a_key_has_one_type(void **state)
{
    (void)state;
    resp_world_check(&world,
                     "HSET h a 1\r\nSADD h a\r\nZADD h 1 a\r\nRPUSH h a\r\nGET h\r\nTYPE h\r\n"
                     "SADD s 1\r\nHGET s a\r\nSUNION s h\r\nOBJECT ENCODING s\r\nSET s 1\r\n"
                     "TYPE s\r\n",
                     ":1\r\n" WRONG WRONG WRONG WRONG "+hash\r\n:1\r\n" WRONG WRONG
                     "$6\r\nintset\r\n+OK\r\n+string\r\n");
    assert_int_equal(fil_map_collection_count(world.map), 1);
}

static void test_they_expire_and_move_like_strings(void **state)
{
    (void)state;
    resp_world_check(&world, "HSET h a 1\r\nPEXPIRE h 50\r\nZADD z 1 a\r\nEXPIRE z 100\r\n",
                     ":1\r\n:1\r\n:1\r\n:1\r\n");
    fil_sim_advance(&world.net.sim, SECOND);
    resp_world_check(&world,
                     "EXISTS h z\r\nRENAME z y\r\nTTL y\r\nCOPY y x\r\nZSCORE x a\r\n"
                     "SCAN 0 COUNT 10000 TYPE zset MATCH y\r\nDEL x y\r\nEXISTS h x y\r\n",
                     ":1\r\n+OK\r\n:99\r\n:1\r\n$1\r\n1\r\n*2\r\n$1\r\n0\r\n*1\r\n$1\r\ny\r\n"
                     ":2\r\n:0\r\n");
    assert_int_equal(fil_map_size(world.map), 0);
}

static void test_watched_members_stop_the_transaction(void **state)
{
    (void)state;
    resp_world_check(&world, "WATCH h\r\nHSET h a 1\r\nMULTI\r\nHDEL h a\r\nEXEC\r\nHLEN h\r\n",
                     "+OK\r\n:1\r\n+OK\r\n+QUEUED\r\n*-1\r\n:1\r\n");
    resp_world_check(&world, "MULTI\r\nSADD s 1\r\nSUNIONSTORE t s\r\nZADD z 1 a\r\nEXEC\r\n",
                     "+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n*3\r\n:1\r\n:1\r\n:1\r\n");
    assert_int_equal(fil_map_collection_count(world.map), 4);
}

static void test_failed_allocations_are_answered(void **state)
{
    (void)state;
    for (int position = 0; position < 90; position++) {
        resp_world_close(&world);
        (void)set_up(NULL);
        struct fil_sim_client *client = net_world_client(&world.net);
        net_world_run_for(&world.net, SECOND / 100);
        net_world_send(client,
                       "HSET h a 1 b 2\r\nHINCRBY h a 1\r\nSADD s a b\r\nSUNIONSTORE t s\r\n"
                       "ZADD z 1 a 2 b\r\nZUNIONSTORE y 2 z s\r\nZRANGESTORE x y 0 -1\r\n"
                       "HSET h c 01234567890123456789012345678901234567890123456789012345678901234"
                       "\r\nZADD z 1 "
                       "01234567890123456789012345678901234567890123456789012345678901234\r\n"
                       "SMOVE s t a\r\nRENAME h i\r\nCOPY z w\r\nZADD z 5 a\r\n");
        fil_alloc_fail_after(position);
        net_world_run_for(&world.net, SECOND / 10);
        fil_alloc_fail_after(-1);
        net_world_run_for(&world.net, SECOND / 100);
    }
    resp_world_check(&world, "DEL q\r\nHSET q a b\r\nHGET q a\r\n", ":0\r\n:1\r\n$1\r\nb\r\n");
    assert_true(fil_map_collection_count(world.map) > 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(fields_go_in_and_out),
        TEST(sets_are_read_together),
        TEST(draws_with_repetitions_are_limited),
        TEST(members_have_an_order),
        TEST(a_key_has_one_type),
        TEST(they_expire_and_move_like_strings),
        TEST(watched_members_stop_the_transaction),
        TEST(failed_allocations_are_answered),
    };
    int failures = 0;
    has_caller_runs = true;
    failures += cmocka_run_group_tests_name("members in place", tests, NULL, NULL);
    has_caller_runs = false;
    failures += cmocka_run_group_tests_name("members handed over", tests, NULL, NULL);
    return failures;
}
