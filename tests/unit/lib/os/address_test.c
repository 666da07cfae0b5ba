// SPDX-License-Identifier: Apache-2.0
/**
 * The address's promises: the four forms are read, every other text is refused and leaves the
 * result untouched, and what is formatted reads back as the same address.
 */
#include "lib/os/address.h"

#include <string.h>

#include "filbert/error.h"
#include "tests/unit/harness.h"

struct good {
    const char *text;
    const char *formatted;
    bool is_ipv6;
};

static const struct good good_ones[] = {
    {"127.0.0.1:5701", "127.0.0.1:5701", false},
    {"0.0.0.0:0", "0.0.0.0:0", false},
    {"255.255.255.255:65535", "255.255.255.255:65535", false},
    {"localhost:5701", "127.0.0.1:5701", false},
    {":5701", "0.0.0.0:5701", false},
    {"[::1]:5701", "[::1]:5701", true},
    {"[::]:0", "[::]:0", true},
    {"[2001:DB8:0:0:0:0:0:1]:80", "[2001:db8::1]:80", true},
    {"[::ffff:1.2.3.4]:1", "[::ffff:1.2.3.4]:1", true},
    {"[ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255]:65535",
     "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535", true},
};

static const char *const bad_ones[] = {
    "",
    ":",
    "5701",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:-1",
    "127.0.0.1:+1",
    "127.0.0.1:65536",
    "127.0.0.1:100000",
    "127.0.0.1:4294967297",
    "127.0.0.1:05701",
    "127.0.0.1:00",
    "127.0.0.1:57 01",
    "127.0.0.1: 5701",
    "127.0.0.1:5701 ",
    "127.0.0.1:5701x",
    "127.0.0.1:0x10",
    "127.0.0.1:http",
    "127.0.0.1:5701:5702",
    " 127.0.0.1:5701",
    "127.0.0.1 :5701",
    "127.0.0:5701",
    "127.0.0.1.2:5701",
    "127.0.0.256:5701",
    "127.0.0.01:5701",
    "127.0.0.:5701",
    "127..0.1:5701",
    "0x7f.0.0.1:5701",
    "2130706433:5701",
    "1.2.3.4/8:5701",
    "*:5701",
    "host:5701",
    "Localhost:5701",
    "localhost.:5701",
    "localhost",
    "::1:5701",
    "::1",
    "[::1]",
    "[::1]5701",
    "[::1] :5701",
    "[::1:5701",
    "::1]:5701",
    "[]:5701",
    "[:5701",
    "[[::1]]:5701",
    "[127.0.0.1]:5701",
    "[localhost]:5701",
    "[::1%lo]:5701",
    "[fe80::1%eth0]:5701",
    "[1:2:3:4:5:6:7]:5701",
    "[1:2:3:4:5:6:7:8:9]:5701",
    "[1::2::3]:5701",
    "[12345::]:5701",
    "[g::1]:5701",
    "[:::]:5701",
    "[ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.2555555555555555555]:1",
    "127.0.0.1127.0.0.1127.0.0.1127.0.0.1127.0.0.1127.0.0.1127.0.0.1:5701",
};

static void test_known_forms_are_read_and_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(good_ones); i++) {
        struct fil_address address;
        char text[FIL_ADDRESS_TEXT_MAX];
        memset(&address, 0xff, sizeof(address));
        assert_int_equal(fil_address_parse(good_ones[i].text, &address), FIL_OK);
        assert_int_equal(address.is_ipv6, good_ones[i].is_ipv6);
        assert_ptr_equal(fil_address_format(&address, text), text);
        assert_string_equal(text, good_ones[i].formatted);
    }
}

static void test_formatted_address_reads_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(good_ones); i++) {
        struct fil_address first;
        struct fil_address second;
        char text[FIL_ADDRESS_TEXT_MAX];
        assert_int_equal(fil_address_parse(good_ones[i].text, &first), FIL_OK);
        assert_int_equal(fil_address_parse(fil_address_format(&first, text), &second), FIL_OK);
        assert_memory_equal(first.ip, second.ip, sizeof(first.ip));
        assert_int_equal(first.port, second.port);
    }
}

static void test_ipv4_has_its_bytes_first_and_zeros_behind(void **state)
{
    (void)state;
    const uint8_t expected[16] = {10, 20, 30, 40};
    struct fil_address address;
    memset(&address, 0xff, sizeof(address));
    assert_int_equal(fil_address_parse("10.20.30.40:50", &address), FIL_OK);
    assert_memory_equal(address.ip, expected, sizeof(expected));
    assert_int_equal(address.port, 50);
}

static void test_anything_else_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(bad_ones); i++) {
        struct fil_address address;
        struct fil_address before;
        memset(&address, 0xa5, sizeof(address));
        memset(&before, 0xa5, sizeof(before));
        if (fil_address_parse(bad_ones[i], &address) != FIL_E_ADDRESS) {
            fail_msg("accepted: \"%s\"", bad_ones[i]);
        }
        assert_memory_equal(&address, &before, sizeof(before));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_forms_are_read_and_written),
        cmocka_unit_test(test_formatted_address_reads_back),
        cmocka_unit_test(test_ipv4_has_its_bytes_first_and_zeros_behind),
        cmocka_unit_test(test_anything_else_is_refused_and_changes_nothing),
    };
    return cmocka_run_group_tests_name("address", tests, NULL, NULL);
}
