// SPDX-License-Identifier: Apache-2.0
/** Hints: what listens everywhere is reached here; redis-cli gets a host when it is no usual one.
 */
#include "node/hints.h"

#include "filbert/error.h"
#include "tests/unit/harness.h"

static void expect_flags(const char *listen, const char *expected)
{
    struct fil_address bound;
    char flags[FIL_HINT_FLAGS_MAX];
    assert_int_equal(fil_address_parse(listen, &bound), FIL_OK);
    struct fil_address address = fil_hint_reachable(&bound);
    assert_string_equal(fil_hint_redis_flags(&address, flags), expected);
}

static void test_usual_host_is_left_out(void **state)
{
    (void)state;
    expect_flags("127.0.0.1:5701", "-p 5701");
    expect_flags("10.1.2.3:5701", "-h 10.1.2.3 -p 5701");
    expect_flags("[fe80::1]:5701", "-h fe80::1 -p 5701");
}

static void test_what_listens_everywhere_is_reached_here(void **state)
{
    (void)state;
    expect_flags("0.0.0.0:5701", "-p 5701");
    expect_flags("[::]:65535", "-h ::1 -p 65535");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usual_host_is_left_out),
        cmocka_unit_test(test_what_listens_everywhere_is_reached_here),
    };
    return cmocka_run_group_tests_name("hints", tests, NULL, NULL);
}
