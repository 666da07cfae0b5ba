// SPDX-License-Identifier: Apache-2.0
/**
 * PFADD and its kin, both ways: things are counted once, sketches are merged, other strings and
 * types are refused, and every failed allocation is answered.
 */
#include "tests/unit/protocol/resp/resp_ways.h"

#define WRONG   "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n"
#define INVALID "-WRONGTYPE Key is not a valid HyperLogLog string value.\r\n"

static struct resp_world *const world = &resp_ways_world;

static void test_things_are_counted_once(void **state)
{
    (void)state;
    resp_world_check(world,
                     "PFADD p a b c\r\nPFADD p a b\r\nPFADD q c d\r\nPFCOUNT p\r\nPFCOUNT p q x\r\n"
                     "PFMERGE r p q\r\nPFCOUNT r\r\nPFADD e\r\nPFADD e\r\nPFCOUNT e\r\nTYPE r\r\n",
                     ":1\r\n:0\r\n:1\r\n:3\r\n:4\r\n+OK\r\n:4\r\n:1\r\n:0\r\n:0\r\n+string\r\n");
    assert_int_equal(fil_map_size(world->map), 4);
}

static void test_others_are_refused(void **state)
{
    (void)state;
    resp_world_check(world,
                     "SET s text\r\nPFADD s a\r\nPFCOUNT s\r\nSADD c a\r\nPFADD c a\r\n"
                     "PFMERGE p s\r\nPFMERGE c p\r\nPFCOUNT p c\r\nSET s HYLL0123456789abc\r\n"
                     "PFCOUNT s\r\n",
                     "+OK\r\n" INVALID INVALID ":1\r\n" WRONG INVALID WRONG WRONG
                     "+OK\r\n" INVALID);
    assert_int_equal(fil_map_size(world->map), 1);
}

static void test_failed_allocations_are_answered(void **state)
{
    (void)state;
    resp_ways_fail_allocations("PFADD p a b c d e f g\r\nPFADD q a\r\nPFMERGE r p q\r\nPFADD e\r\n",
                               30);
    resp_world_check(world, "DEL x\r\nPFADD x 1\r\nPFCOUNT x\r\n", ":0\r\n:1\r\n:1\r\n");
    assert_true(fil_map_size(world->map) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RESP_WAYS_TEST(things_are_counted_once),
        RESP_WAYS_TEST(others_are_refused),
        RESP_WAYS_TEST(failed_allocations_are_answered),
    };
    int failures = cmocka_run_group_tests_name("sketches in place", tests, NULL, NULL);
    resp_ways_choose(false);
    return failures + cmocka_run_group_tests_name("sketches handed over", tests, NULL, NULL);
}
