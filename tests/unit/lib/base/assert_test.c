// SPDX-License-Identifier: Apache-2.0
/**
 * Assertions, one test a promise: a true condition costs nothing and is evaluated once; a false one
 * calls the hook once with condition, file and function, and then aborts the process; a hook that
 * fails itself does not come back.
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/harness.h"
#include "tests/unit/lib/base/assertion.h"

static void assert_odd(void *context)
{
    int *number = context;
    fil_assert((*number)++ % 2 == 1);
}

static void test_true_condition_goes_on(void **state)
{
    (void)state;
    int number = 1;
    assert_false(assertion_stops(assert_odd, &number));
    assert_int_equal(number, 2);
}

static void test_false_condition_tells_what_and_where(void **state)
{
    (void)state;
    int number = 2;
    assert_true(assertion_stops(assert_odd, &number));
    assert_int_equal(number, 3);
    assert_non_null(strstr(assertion_text, "(*number)++ % 2 == 1"));
    assert_non_null(strstr(assertion_text, "assert_test.c"));
    assert_non_null(strstr(assertion_text, "assert_odd"));
}

static void debug_assert_odd(void *context)
{
    int *number = context;
    fil_debug_assert((*number)++ % 2 == 1);
}

static void test_debug_assertion_is_there_in_debug_builds_only(void **state)
{
    (void)state;
    int number = 2;
    bool is_stopped = assertion_stops(debug_assert_odd, &number);
#ifdef FIL_DEBUG
    assert_true(is_stopped);
    assert_int_equal(number, 3);
#else
    assert_false(is_stopped);
    assert_int_equal(number, 2);
#endif
}

static void fail_again(const char *text)
{
    fil_assert(text == NULL);
}

/** How a child process ends that fails an assertion with the hook. */
static int die_in_child(fil_assert_hook_fn hook)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        // Neither a core file nor cmocka's handler, which would go on with the next test.
        struct rlimit none = {0};
        (void)setrlimit(RLIMIT_CORE, &none);
        (void)signal(SIGABRT, SIG_DFL);
        fil_assert_set_hook(hook);
        fil_assert(child != 0);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_failed_assertion_aborts_the_process(void **state)
{
    (void)state;
    int plain = die_in_child(NULL);
    assert_true(WIFSIGNALED(plain));
    assert_int_equal(WTERMSIG(plain), SIGABRT);
    int failing_hook = die_in_child(fail_again);
    assert_true(WIFSIGNALED(failing_hook));
    assert_int_equal(WTERMSIG(failing_hook), SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_true_condition_goes_on),
        cmocka_unit_test(test_false_condition_tells_what_and_where),
        cmocka_unit_test(test_debug_assertion_is_there_in_debug_builds_only),
        cmocka_unit_test(test_failed_assertion_aborts_the_process),
    };
    return cmocka_run_group_tests_name("assert", tests, NULL, NULL);
}
