// SPDX-License-Identifier: Apache-2.0
/** The digests that FIPS 180 publishes, and one for each way in which a message ends in its block.
 */
#include <stdio.h>
#include <string.h>

#include "lib/base/sha1.h"
#include "tests/unit/harness.h"

static const char *digest(const void *data, size_t size)
{
    static char text[2 * FIL_SHA1_SIZE + 1];
    uint8_t bytes[FIL_SHA1_SIZE];
    fil_sha1(fil_bytes_make(data, size), bytes);
    for (size_t i = 0; i < FIL_SHA1_SIZE; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
    return text;
}

static void test_published_digests(void **state)
{
    (void)state;
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    assert_string_equal(digest(NULL, 0), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    assert_string_equal(digest("abc", 3), "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_string_equal(digest(two_blocks, 56), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    static char million[1000000];
    memset(million, 'a', sizeof(million));
    assert_string_equal(digest(million, sizeof(million)),
                        "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

static void test_messages_end_anywhere_in_a_block(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        const char *digest;
    } cases[] = {
        {55, "cef734ba81a024479e09eb5a75b6ddae62e6abf1"},
        {56, "901305367c259952f4e7af8323f480d59f81335b"},
        {63, "0ddc4e0cccd9a12850deb5abb0853a4425559fec"},
        {64, "bb2fa3ee7afb9f54c6dfb5d021f14b1ffe40c163"},
        {65, "78c741ddc482e4cdf8c474a0876347a0905b6233"},
        {119, "4300320394f7ee239bcdce7d3b8bcee173a0cd5c"},
        {120, "ceb2821639c4b6dcb10bce0e522ca2e608ce056d"},
        {128, "150fa3fbdc899bd0b8f95a9fb6027f564d953762"},
    };
    char text[130];
    memset(text, 'x', sizeof(text));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(digest(text, cases[i].size), cases[i].digest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_digests),
        cmocka_unit_test(test_messages_end_anywhere_in_a_block),
    };
    return cmocka_run_group_tests_name("sha1", tests, NULL, NULL);
}
