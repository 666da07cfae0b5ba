// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of the process: cpu time grows with work, descriptors are counted exactly, their
 * limit is raised to the hard one, variables are found by name and in the list, terminals are told
 * from pipes, and the stack can be written.
 */
#include "lib/os/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/unit/harness.h"

static void test_cpu_time_grows_with_work(void **state)
{
    (void)state;
    struct fil_process_usage first;
    struct fil_process_usage now;
    fil_process_measure(&first);
    do {
        fil_process_measure(&now);
    } while (now.user_ns + now.system_ns == first.user_ns + first.system_ns);
    assert_true(now.user_ns + now.system_ns > first.user_ns + first.system_ns);
    assert_true(now.user_ns >= first.user_ns);
    assert_true(now.system_ns >= first.system_ns);
}

static void test_resident_memory_has_a_sane_size(void **state)
{
    (void)state;
    struct fil_process_usage usage;
    struct rusage peak;
    fil_process_measure(&usage);
    assert_int_equal(getrusage(RUSAGE_SELF, &peak), 0);
    assert_in_range(usage.resident_bytes, 65536, (uint64_t)peak.ru_maxrss * 1024 + (64U << 20));
    assert_int_equal(usage.resident_bytes % (uint64_t)sysconf(_SC_PAGESIZE), 0);
}

static void test_descriptors_are_counted_exactly(void **state)
{
    (void)state;
    int ends[2];
    struct fil_process_usage before;
    struct fil_process_usage open;
    struct fil_process_usage after;
    fil_process_measure(&before);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    fil_process_measure(&open);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(close(ends[1]), 0);
    fil_process_measure(&after);
    assert_true(before.descriptor_count > 0);
    assert_int_equal(open.descriptor_count, before.descriptor_count + 2);
    assert_int_equal(after.descriptor_count, before.descriptor_count);
}

static void test_descriptor_limit_is_raised_to_the_hard_one(void **state)
{
    (void)state;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    struct rlimit low = {.rlim_cur = 64, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    assert_int_equal(fil_process_descriptor_limit(), 64);
    assert_int_equal(fil_process_raise_descriptor_limit(), limit.rlim_max);
    assert_int_equal(fil_process_descriptor_limit(), limit.rlim_max);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(limit.rlim_cur, limit.rlim_max);
}

static bool environment_has(const char *entry)
{
    for (const char *const *at = fil_process_environment(); *at != NULL; at++) {
        if (strcmp(*at, entry) == 0) {
            return true;
        }
    }
    return false;
}

static void test_variables_are_found_by_name_and_in_the_list(void **state)
{
    (void)state;
    assert_null(fil_process_variable("FILBERT_TEST_VARIABLE"));
    assert_int_equal(setenv("FILBERT_TEST_VARIABLE", "a=b", 1), 0);
    assert_string_equal(fil_process_variable("FILBERT_TEST_VARIABLE"), "a=b");
    assert_true(environment_has("FILBERT_TEST_VARIABLE=a=b"));
    assert_int_equal(unsetenv("FILBERT_TEST_VARIABLE"), 0);
    assert_false(environment_has("FILBERT_TEST_VARIABLE=a=b"));
}

static void test_pipe_is_no_terminal(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_false(fil_process_is_terminal(ends[1]));
    assert_int_equal(fil_process_terminal_columns(ends[1]), 0);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(close(ends[1]), 0);
    assert_false(fil_process_is_terminal(-1));
}

static void test_terminal_tells_its_width(void **state)
{
    (void)state;
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) {
        skip(); // a sandbox without pseudo terminals
    }
    struct winsize size = {.ws_col = 123, .ws_row = 45};
    assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
    assert_true(fil_process_is_terminal(terminal));
    assert_int_equal(fil_process_terminal_columns(terminal), 123);
    assert_int_equal(close(terminal), 0);
}

static void test_process_has_id_and_host(void **state)
{
    (void)state;
    char text[FIL_HOSTNAME_MAX];
    assert_int_equal(fil_process_id(), getpid());
    assert_ptr_equal(fil_process_hostname(text), text);
    assert_in_range(strlen(text), 1, FIL_HOSTNAME_MAX - 1);
}

static void test_backtrace_names_this_program(void **state)
{
    (void)state;
    static char text[65536];
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    fil_process_backtrace(ends[1]);
    ssize_t size = read(ends[0], text, sizeof(text) - 1);
    assert_true(size > 0);
    text[size] = '\0';
    assert_non_null(strstr(text, "unit_lib_os_process"));
    assert_int_equal(text[size - 1], '\n');
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(close(ends[1]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cpu_time_grows_with_work),
        cmocka_unit_test(test_resident_memory_has_a_sane_size),
        cmocka_unit_test(test_descriptors_are_counted_exactly),
        cmocka_unit_test(test_descriptor_limit_is_raised_to_the_hard_one),
        cmocka_unit_test(test_variables_are_found_by_name_and_in_the_list),
        cmocka_unit_test(test_pipe_is_no_terminal),
        cmocka_unit_test(test_terminal_tells_its_width),
        cmocka_unit_test(test_process_has_id_and_host),
        cmocka_unit_test(test_backtrace_names_this_program),
    };
    return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
