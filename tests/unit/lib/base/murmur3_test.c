// SPDX-License-Identifier: Apache-2.0
/**
 * Murmur3, one test a promise: the hashes are those that clients of the protocol compute, of any
 * length; a text counts with its length; the smallest number has a partition too.
 */
#include "lib/base/murmur3.h"

#include "tests/unit/harness.h"

#define PARTITIONS 271U

static void test_hashes_are_those_of_clients(void **state)
{
    (void)state;
    assert_int_equal(fil_murmur3(fil_bytes_make("\0\0\0\1k", 5)), 211586814);
    assert_int_equal(fil_murmur3(fil_bytes_make("\0\0\0\0", 4)), 923237662);
    assert_int_equal(fil_murmur3(fil_bytes_make("\0\0\0\1", 4)), 768969306);
    assert_int_equal(fil_murmur3(fil_bytes_make("\1", 1)), 535970202);
}

static void test_text_counts_with_its_length(void **state)
{
    (void)state;
    assert_int_equal(fil_murmur3_text(fil_bytes_of("k")), 211586814);
    assert_int_equal(fil_murmur3_text(fil_bytes_of("")), 923237662);
    assert_int_equal(fil_murmur3_text(fil_bytes_of("\xc3\xbc\xe2\x82\xac")), -1876825910);
}

static void test_every_hash_has_a_partition(void **state)
{
    (void)state;
    assert_int_equal(fil_murmur3_partition(211586814, PARTITIONS), 41);
    assert_int_equal(fil_murmur3_partition(-1876825910, PARTITIONS), 234);
    assert_int_equal(fil_murmur3_partition(INT32_MIN, PARTITIONS), 0);
    assert_int_equal(fil_murmur3_partition(-1, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes_are_those_of_clients),
        cmocka_unit_test(test_text_counts_with_its_length),
        cmocka_unit_test(test_every_hash_has_a_partition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
