// SPDX-License-Identifier: Apache-2.0
/**
 * The hash, one test a promise: it is XXH3 as others compute it; it reads the bytes given and no
 * others, at any alignment and length; the seed matters; nothing has a hash, too.
 */
#include "lib/base/alloc.h"
#include "lib/base/hash.h"
#include "tests/unit/harness.h"

static void test_hash_is_xxh3(void **state)
{
    (void)state;
    // Published values of XXH3_64bits: the empty input, without seed.
    assert_true(fil_hash(fil_bytes_make(NULL, 0), 0) == UINT64_C(0x2d06800538d394c2));
    struct fil_bytes key = fil_bytes_of("0123456789abcdef");
    assert_true(fil_hash(key, 0) == XXH3_64bits(key.data, key.size));
}

static void test_hash_depends_on_every_byte_and_on_nothing_else(void **state)
{
    (void)state;
    for (size_t size = 1; size <= 300; size += size < 40 ? 1 : 13) {
        // Two blocks of exactly that size at different alignments: the sanitizer sees the ends.
        uint8_t *aligned = fil_alloc(size);
        uint8_t *shifted = fil_alloc(size + 1);
        assert_non_null(aligned);
        assert_non_null(shifted);
        for (size_t i = 0; i < size; i++) {
            aligned[i] = shifted[i + 1] = (uint8_t)(i * 31 + 7);
        }
        uint64_t hash = fil_hash(fil_bytes_make(aligned, size), 5);
        assert_true(hash == fil_hash(fil_bytes_make(shifted + 1, size), 5));
        for (size_t i = 0; i < size; i++) {
            aligned[i] ^= 1;
            assert_true(hash != fil_hash(fil_bytes_make(aligned, size), 5));
            aligned[i] ^= 1;
        }
        fil_free(aligned);
        fil_free(shifted);
    }
}

static void test_seed_changes_the_hash(void **state)
{
    (void)state;
    struct fil_bytes key = fil_bytes_of("key");
    assert_true(fil_hash(key, 1) != fil_hash(key, 2));
    assert_true(fil_hash(key, 1) == fil_hash(key, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_is_xxh3),
        cmocka_unit_test(test_hash_depends_on_every_byte_and_on_nothing_else),
        cmocka_unit_test(test_seed_changes_the_hash),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
