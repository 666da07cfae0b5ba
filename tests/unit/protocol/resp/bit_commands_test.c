// SPDX-License-Identifier: Apache-2.0
/**
 * Strings as rows of bits, both ways: bits and fields are written where they belong, far ones too;
 * several strings become one; what does not change is nobody's concern; every failed allocation is
 * answered. What Redis answers is compared elsewhere (tests/integration/redis_scripts).
 */
#include "tests/unit/protocol/resp/resp_ways.h"

#define WRONG "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n"

static struct resp_world *const world = &resp_ways_world;

static void test_bits_are_set_and_found(void **state)
{
    (void)state;
    resp_world_check(
        world,
        "SETBIT b 7 1\r\nSETBIT b 7 1\r\nSETBIT b 12 1\r\nGETBIT b 12\r\nGETBIT b 999\r\n"
        "STRLEN b\r\nBITCOUNT b\r\nBITCOUNT b 1 -1\r\nBITCOUNT b 8 12 BIT\r\n"
        "BITPOS b 1\r\nBITPOS b 1 1\r\nBITPOS b 0 7 7 BIT\r\n",
        ":0\r\n:1\r\n:0\r\n:1\r\n:0\r\n:2\r\n:2\r\n:1\r\n:1\r\n:7\r\n:12\r\n:-1\r\n");
    assert_int_equal(fil_map_size(world->map), 1);
}

static void test_far_bits_are_left_to_partition_threads(void **state)
{
    (void)state;
    resp_world_check(world,
                     "SETBIT b 8000000 1\r\nSTRLEN b\r\nBITPOS b 1\r\nBITCOUNT b\r\n"
                     "BITFIELD f SET u8 8000000 255\r\nSTRLEN f\r\nBITCOUNT f -1 -1\r\n",
                     ":0\r\n:1000001\r\n:8000000\r\n:1\r\n*1\r\n:0\r\n:1000001\r\n:8\r\n");
    assert_int_equal(fil_map_size(world->map), 2);
}

static void test_strings_become_one(void **state)
{
    (void)state;
    resp_world_check(world,
                     "SET a abc\r\nSET b xy\r\nBITOP AND r a b\r\nGETRANGE r 0 1\r\n"
                     "BITOP XOR r a a\r\nBITCOUNT r\r\nBITOP NOT r a\r\nBITOP NOT r r\r\nGET r\r\n"
                     "BITOP OR r none\r\nEXISTS r\r\nHSET h a 1\r\nBITOP OR r a h\r\n"
                     "BITOP OR h a b\r\nTYPE h\r\nGETBIT h 1\r\n",
                     "+OK\r\n+OK\r\n:3\r\n$2\r\n``\r\n:3\r\n:0\r\n:3\r\n:3\r\n$3\r\nabc\r\n"
                     ":0\r\n:0\r\n:1\r\n" WRONG ":3\r\n+string\r\n:1\r\n");
    assert_int_equal(fil_map_size(world->map), 3);
}

static void test_fields_hold_numbers(void **state)
{
    (void)state;
    resp_world_check(world,
                     "BITFIELD f SET i5 3 -7 GET i5 3 INCRBY u8 #4 200 OVERFLOW SAT INCRBY u8 #4 "
                     "100 OVERFLOW FAIL INCRBY u8 #4 1\r\nSTRLEN f\r\nBITFIELD_RO f GET u8 32\r\n"
                     "BITFIELD none GET u8 0\r\nEXISTS none\r\nBITFIELD f\r\n",
                     "*5\r\n:0\r\n:-7\r\n:200\r\n:255\r\n$-1\r\n:5\r\n*1\r\n:255\r\n*1\r\n:0\r\n"
                     ":0\r\n*0\r\n");
    assert_int_equal(fil_map_size(world->map), 1);
}

static void test_what_does_not_change_stops_no_transaction(void **state)
{
    (void)state;
    resp_world_check(world,
                     "SETBIT b 0 1\r\nWATCH b\r\nSETBIT b 0 1\r\nMULTI\r\nGETBIT b 0\r\nEXEC\r\n"
                     "WATCH b\r\nSETBIT b 0 0\r\nMULTI\r\nGETBIT b 0\r\nEXEC\r\n",
                     ":0\r\n+OK\r\n:1\r\n+OK\r\n+QUEUED\r\n*1\r\n:1\r\n"
                     "+OK\r\n:1\r\n+OK\r\n+QUEUED\r\n*-1\r\n");
    assert_int_equal(fil_map_size(world->map), 1);
}

static void test_failed_allocations_are_answered(void **state)
{
    (void)state;
    resp_ways_fail_allocations("SETBIT b 9 1\r\nSETBIT b 900 1\r\nBITOP NOT r b\r\n"
                               "BITFIELD f SET u8 0 1 GET u8 0\r\nBITFIELD f SET u8 7000 1\r\n",
                               40);
    resp_world_check(world, "DEL q\r\nSETBIT q 0 1\r\nGETBIT q 0\r\n", ":0\r\n:0\r\n:1\r\n");
    assert_true(fil_map_size(world->map) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RESP_WAYS_TEST(bits_are_set_and_found),
        RESP_WAYS_TEST(far_bits_are_left_to_partition_threads),
        RESP_WAYS_TEST(strings_become_one),
        RESP_WAYS_TEST(fields_hold_numbers),
        RESP_WAYS_TEST(what_does_not_change_stops_no_transaction),
        RESP_WAYS_TEST(failed_allocations_are_answered),
    };
    int failures = cmocka_run_group_tests_name("bits in place", tests, NULL, NULL);
    resp_ways_choose(false);
    return failures + cmocka_run_group_tests_name("bits handed over", tests, NULL, NULL);
}
