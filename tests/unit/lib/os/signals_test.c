// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of signals: blocked ones only arrive at wait, from whichever thread they come; a
 * hangup that is ignored stays so; a broken pipe kills nobody; a crash is reported with signal,
 * thread and stack (a stack overflow too) and then ends the process as it would have; a handler of
 * somebody else stays.
 */
#include "lib/os/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/os/process.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

static int set_up(void **state)
{
    (void)state;
    fil_signals_block();
    return 0;
}

static void test_blocked_signal_arrives_at_wait(void **state)
{
    (void)state;
    const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
    for (size_t i = 0; i < FIL_COUNT_OF(signals); i++) {
        int received = 0;
        assert_int_equal(kill(getpid(), signals[i]), 0);
        assert_int_equal(fil_signals_wait(FIL_WAIT_FOREVER, &received), FIL_OK);
        assert_int_equal(received, signals[i]);
    }
}

static void test_ignored_hangup_stays_ignored(void **state)
{
    (void)state;
    int received = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sigset_t hangup;
        (void)sigemptyset(&hangup);
        (void)sigaddset(&hangup, SIGHUP);
        (void)sigprocmask(SIG_UNBLOCK, &hangup, NULL);
        (void)signal(SIGHUP, SIG_IGN);
        fil_signals_block();
        (void)kill(getpid(), SIGHUP);
        _exit(fil_signals_wait(0, &received) == FIL_E_TIMEOUT ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_wait_times_out(void **state)
{
    (void)state;
    int received = 0;
    assert_int_equal(fil_signals_wait(0, &received), FIL_E_TIMEOUT);
    assert_int_equal(fil_signals_wait(1000000, &received), FIL_E_TIMEOUT);
    assert_int_equal(received, 0);
}

static void send_hangup(void *context)
{
    (void)context;
    assert_int_equal(kill(getpid(), SIGHUP), 0);
}

static void test_threads_inherit_the_block(void **state)
{
    (void)state;
    int received = 0;
    struct fil_thread thread;
    assert_int_equal(fil_thread_start(&thread, "sender", send_hangup, NULL), FIL_OK);
    assert_int_equal(fil_signals_wait(FIL_WAIT_FOREVER, &received), FIL_OK);
    fil_thread_join(&thread);
    assert_int_equal(received, SIGHUP);
}

static void test_broken_pipe_kills_nobody(void **state)
{
    (void)state;
    int ends[2];
    struct fil_env *env = fil_env_real();
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(env->ops->file_write(env, ends[1], "x", 1), FIL_E_CLOSED);
    assert_int_equal(close(ends[1]), 0);
}

static void test_signals_have_names(void **state)
{
    (void)state;
    assert_string_equal(fil_signals_name(SIGTERM), "SIGTERM");
    assert_string_equal(fil_signals_name(SIGSEGV), "SIGSEGV");
    assert_string_equal(fil_signals_name(12345), "signal");
}

typedef void (*crash_fn)(void);

static void install_reports(void)
{
    // A sanitizer's handlers would stay; this test is about ours.
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
    for (size_t i = 0; i < FIL_COUNT_OF(signals); i++) {
        (void)signal(signals[i], SIG_DFL);
    }
    fil_signals_report_crashes();
}

/** In the child: its stderr is the pipe and no core is left behind. */
static void crash_in_child(crash_fn crash, const int ends[2])
{
    const struct rlimit no_core = {0};
    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)dup2(ends[1], STDERR_FILENO);
    (void)close(ends[0]);
    (void)close(ends[1]);
    crash();
    _exit(0);
}

static void read_to_end(int fd, char *text, size_t capacity)
{
    size_t size = 0;
    for (ssize_t count = 1; count > 0 && size < capacity - 1;) {
        count = read(fd, text + size, capacity - 1 - size);
        size += count > 0 ? (size_t)count : 0;
    }
    text[size] = '\0';
}

/** Lets a child crash; gives what it printed and how it ended. */
static int observe_crash(crash_fn crash, char *text, size_t capacity)
{
    int ends[2];
    int status = 0;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        crash_in_child(crash, ends);
    }
    assert_int_equal(close(ends[1]), 0);
    read_to_end(ends[0], text, capacity);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void expect_crash(crash_fn crash, int signal, const char *const *phrases)
{
    static char text[65536];
    int status = observe_crash(crash, text, sizeof(text));
    for (size_t i = 0; phrases[i] != NULL; i++) {
        if (strstr(text, phrases[i]) == NULL) {
            fail_msg("\"%s\" is missing in: %s", phrases[i], text);
        }
    }
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), signal);
}

static void crash_by_abort(void)
{
    install_reports();
    abort();
}

static void touch_forbidden_memory(void *context)
{
    char *memory = context;
    memory[0] = 'x';
}

static void crash_by_fault(void)
{
    install_reports();
    char *memory = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct fil_thread thread;
    if (fil_thread_start(&thread, "partition/7", touch_forbidden_memory, memory) == FIL_OK) {
        fil_thread_join(&thread);
    }
}

/** Never returns, but the compiler cannot know. */
static uint32_t descend(const uint32_t *depth_max, uint32_t depth)
{
    uint32_t room[256];
    memset(room, (int)depth, sizeof(room));
    if (depth == *depth_max) {
        return 0;
    }
    return descend(depth_max, depth + 1) + room[depth % FIL_COUNT_OF(room)];
}

static void overflow(void *context)
{
    uint32_t *depth_max = context;
    *depth_max = descend(depth_max, 0);
}

static void crash_by_stack_overflow(void)
{
    install_reports();
    uint32_t depth_max = UINT32_MAX;
    struct fil_thread thread;
    if (fil_thread_start(&thread, "deep", overflow, &depth_max) == FIL_OK) {
        fil_thread_join(&thread);
    }
}

static void crash_by_sending(void)
{
    install_reports();
    (void)raise(SIGBUS);
}

static void test_crash_signal_from_outside_ends_the_process_too(void **state)
{
    (void)state;
    const char *const phrases[] = {"crashed with SIGBUS in thread", NULL}; // and no address
    expect_crash(crash_by_sending, SIGBUS, phrases);
}

static void test_abort_is_reported(void **state)
{
    (void)state;
    const char *const phrases[] = {"filbert: crashed with SIGABRT in thread", "unit_lib_os_signals",
                                   NULL};
    expect_crash(crash_by_abort, SIGABRT, phrases);
}

static void test_fault_is_reported_with_address_and_thread(void **state)
{
    (void)state;
    const char *const phrases[] = {"crashed with SIGSEGV at 0x", "000 in thread partition/7 (",
                                   "unit_lib_os_signals", NULL};
    expect_crash(crash_by_fault, SIGSEGV, phrases);
}

static void test_stack_overflow_is_reported(void **state)
{
    (void)state;
    const char *const phrases[] = {"crashed with SIGSEGV at 0x", "in thread deep (", NULL};
    expect_crash(crash_by_stack_overflow, SIGSEGV, phrases);
}

static void leave_quietly(int signal)
{
    (void)signal;
    _exit(42);
}

static void crash_with_a_handler_of_somebody_else(void)
{
    struct sigaction other = {.sa_handler = leave_quietly};
    (void)sigaction(SIGABRT, &other, NULL);
    fil_signals_report_crashes();
    (void)raise(SIGABRT);
}

static void test_handler_of_somebody_else_stays(void **state)
{
    (void)state;
    static char text[4096];
    int status = observe_crash(crash_with_a_handler_of_somebody_else, text, sizeof(text));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocked_signal_arrives_at_wait),
        cmocka_unit_test(test_ignored_hangup_stays_ignored),
        cmocka_unit_test(test_wait_times_out),
        cmocka_unit_test(test_threads_inherit_the_block),
        cmocka_unit_test(test_broken_pipe_kills_nobody),
        cmocka_unit_test(test_signals_have_names),
        cmocka_unit_test(test_abort_is_reported),
        cmocka_unit_test(test_crash_signal_from_outside_ends_the_process_too),
        cmocka_unit_test(test_fault_is_reported_with_address_and_thread),
        cmocka_unit_test(test_stack_overflow_is_reported),
        cmocka_unit_test(test_handler_of_somebody_else_stays),
    };
    return cmocka_run_group_tests_name("signals", tests, set_up, NULL);
}
