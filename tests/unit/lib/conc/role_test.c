// SPDX-License-Identifier: Apache-2.0
/**
 * Thread roles, one test a promise: a thread has the roles it entered and no others; they add up
 * and are its own; a function behind a role assertion stops a thread that lacks the role.
 */
#include "lib/conc/role.h"

#include <pthread.h>
#include <string.h>

#include "tests/unit/harness.h"
#include "tests/unit/lib/base/assertion.h"

static int set_up(void **state)
{
    (void)state;
    fil_role_leave_all();
    return 0;
}

static void test_roles_add_up_until_they_are_left(void **state)
{
    (void)state;
    assert_string_equal(fil_role_name(), "none");
    assert_false(fil_role_is(&fil_role_io));
    fil_role_enter(&fil_role_io);
    assert_true(fil_role_is(&fil_role_io));
    assert_false(fil_role_is(&fil_role_partition));
    assert_string_equal(fil_role_name(), "io");
    fil_role_enter(&fil_role_partition);
    assert_true(fil_role_is(&fil_role_io));
    assert_true(fil_role_is(&fil_role_partition));
    assert_string_equal(fil_role_name(), "several");
    fil_role_leave_all();
    assert_false(fil_role_is(&fil_role_io));
}

static void test_every_role_has_its_own_bit_and_name(void **state)
{
    (void)state;
    static const struct fil_role *const roles[] = {
#define ROLE(role) &fil_role_##role,
        FIL_ROLES(ROLE)
#undef ROLE
    };
    uint32_t seen = 0;
    for (size_t i = 0; i < FIL_COUNT_OF(roles); i++) {
        assert_int_equal(seen & roles[i]->bit, 0);
        seen |= roles[i]->bit;
        fil_role_leave_all();
        fil_role_enter(roles[i]);
        assert_string_equal(fil_role_name(), roles[i]->name);
    }
}

static void assert_partition(void *context)
{
    (void)context;
    fil_role_assert_partition();
}

static void test_assertion_stops_a_thread_without_the_role(void **state)
{
    (void)state;
    fil_role_enter(&fil_role_io);
    assert_true(assertion_stops(assert_partition, NULL));
    assert_non_null(strstr(assertion_text, "fil_role_partition"));
    fil_role_enter(&fil_role_partition);
    assert_false(assertion_stops(assert_partition, NULL));
}

static void *look_at_own_roles(void *context)
{
    bool *is_free = context;
    *is_free = !fil_role_is(&fil_role_io);
    fil_role_enter(&fil_role_generic);
    return NULL;
}

static void test_roles_belong_to_one_thread(void **state)
{
    (void)state;
    fil_role_enter(&fil_role_io);
    bool is_free = false;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, look_at_own_roles, &is_free), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(is_free);
    assert_false(fil_role_is(&fil_role_generic));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_roles_add_up_until_they_are_left, set_up),
        cmocka_unit_test_setup(test_every_role_has_its_own_bit_and_name, set_up),
        cmocka_unit_test_setup(test_assertion_stops_a_thread_without_the_role, set_up),
        cmocka_unit_test_setup(test_roles_belong_to_one_thread, set_up),
    };
    return cmocka_run_group_tests_name("role", tests, NULL, NULL);
}
