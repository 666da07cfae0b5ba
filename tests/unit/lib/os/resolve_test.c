// SPDX-License-Identifier: Apache-2.0
/**
 * What a host's name stands for: addresses as numbers are themselves, with the port that was asked
 * for; what can be no name is told so. Names that need a network are left to the system.
 */
#include <string.h>

#include "filbert/error.h"
#include "lib/os/env.h"
#include "tests/unit/harness.h"

static int resolve(const char *host, struct fil_resolved *out_resolved)
{
    struct fil_env *env = fil_env_real();
    return env->ops->resolve(env, host, 5701, out_resolved);
}

static void test_numbers_stand_for_themselves(void **state)
{
    (void)state;
    char text[FIL_ADDRESS_TEXT_MAX];
    struct fil_resolved resolved;
    assert_int_equal(resolve("127.0.0.2", &resolved), FIL_OK);
    assert_int_equal(resolved.count, 1);
    assert_string_equal(fil_address_format(&resolved.addresses[0], text), "127.0.0.2:5701");
    assert_int_equal(resolve("::1", &resolved), FIL_OK);
    assert_string_equal(fil_address_format(&resolved.addresses[0], text), "[::1]:5701");
}

static void test_what_is_no_name_is_not_found(void **state)
{
    (void)state;
    char text[300];
    struct fil_resolved resolved;
    memset(text, 'a', sizeof(text) - 1); // a label has 63 bytes at most
    text[sizeof(text) - 1] = '\0';
    assert_true(resolve(text, &resolved) < 0);
    assert_int_equal(resolved.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_stand_for_themselves),
        cmocka_unit_test(test_what_is_no_name_is_not_found),
    };
    return cmocka_run_group_tests_name("resolve", tests, NULL, NULL);
}
