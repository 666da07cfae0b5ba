// SPDX-License-Identifier: Apache-2.0
#include "lib/os/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/clock_internal.h"
#include "lib/os/process.h"
#include "lib/os/process_internal.h"
#include "lib/os/signals_internal.h"
#include "lib/os/thread.h"

static const int waited_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};

static bool is_ignored(int signal)
{
    struct sigaction present = {0};
    int failed = sigaction(signal, NULL, &present);
    fil_assert(failed == 0);
    return (present.sa_flags & SA_SIGINFO) == 0 && present.sa_handler == SIG_IGN;
}

/** Whoever started us with SIGHUP ignored (nohup) wants us to outlive the terminal. */
static sigset_t waited_set(void)
{
    sigset_t set;
    (void)sigemptyset(&set); // fails for bad signal numbers only, as sigaddset does
    for (size_t i = 0; i < FIL_COUNT_OF(waited_signals); i++) {
        if (waited_signals[i] != SIGHUP || !is_ignored(SIGHUP)) {
            (void)sigaddset(&set, waited_signals[i]);
        }
    }
    return set;
}

void fil_signals_block(void)
{
    sigset_t set = waited_set();
    int failed = pthread_sigmask(SIG_BLOCK, &set, NULL);
    fil_assert(failed == 0);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    failed = sigaction(SIGPIPE, &ignore, NULL);
    fil_assert(failed == 0);
    // A file at its limit is an error of the write, as a full disk is.
    failed = sigaction(SIGXFSZ, &ignore, NULL);
    fil_assert(failed == 0);
}

static int wait_until(const sigset_t *set, int64_t deadline_ns)
{
    int64_t left_ns = deadline_ns - (int64_t)fil_clock__now_ns();
    struct timespec timeout = fil_clock__timespec(left_ns > 0 ? left_ns : 0);
    return sigtimedwait(set, NULL, &timeout);
}

int fil_signals_wait(int64_t timeout_ns, int *out_signal)
{
    fil_assert(timeout_ns >= FIL_WAIT_FOREVER);
    fil_assert(out_signal != NULL);
    sigset_t set = waited_set();
    bool is_endless = timeout_ns == FIL_WAIT_FOREVER;
    int64_t deadline_ns = is_endless ? INT64_MAX : fil_clock__deadline_ns(timeout_ns);
    int signal = -1;
    do {
        signal = is_endless ? sigwaitinfo(&set, NULL) : wait_until(&set, deadline_ns);
    } while (signal < 0 && errno == EINTR);
    if (signal < 0) {
        fil_assert(errno == EAGAIN);
        return FIL_E_TIMEOUT;
    }
    *out_signal = signal;
    return FIL_OK;
}

const char *fil_signals_name(int signal)
{
    switch (signal) {
    case SIGINT:
        return "SIGINT";
    case SIGTERM:
        return "SIGTERM";
    case SIGHUP:
        return "SIGHUP";
    case SIGUSR1:
        return "SIGUSR1";
    case SIGSEGV:
        return "SIGSEGV";
    case SIGBUS:
        return "SIGBUS";
    case SIGFPE:
        return "SIGFPE";
    case SIGABRT:
        return "SIGABRT";
    default:
        return "signal";
    }
}

// The crash report is written with nothing but async-signal-safe calls: no printf, no allocation.

struct line {
    char text[256];
    size_t size;
};

static void append_text(struct line *line, const char *text)
{
    for (size_t i = 0; text[i] != '\0' && line->size < sizeof(line->text); i++) {
        line->text[line->size] = text[i];
        line->size++;
    }
}

static void append_number(struct line *line, uint64_t number, uint32_t base)
{
    char digits[65];
    size_t first = sizeof(digits) - 1;
    digits[first] = '\0';
    do {
        first--;
        digits[first] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number > 0);
    append_text(line, digits + first);
}

static void print_crash(int signal, const siginfo_t *info)
{
    char name[FIL_THREAD_NAME_MAX];
    struct line line = {.size = 0};
    append_text(&line, "filbert: crashed with ");
    append_text(&line, fil_signals_name(signal));
    // Codes above 0 come from the kernel: a real fault with an address.
    if (signal != SIGABRT && info->si_code > 0) {
        append_text(&line, " at 0x");
        append_number(&line, (uint64_t)(uintptr_t)info->si_addr, 16);
    }
    append_text(&line, " in thread ");
    append_text(&line, fil_thread_name(name));
    append_text(&line, " (");
    append_number(&line, fil_thread_id(), 10);
    append_text(&line, ")\n");
    // The report is the last thing we do; if it cannot be written, nobody can be told.
    (void)!write(STDERR_FILENO, line.text, line.size);
    fil_process_backtrace(STDERR_FILENO);
}

static void on_crash(int signal, siginfo_t *info, void *context)
{
    (void)context;
    static atomic_flag is_reporting = ATOMIC_FLAG_INIT;
    // Relaxed: nothing is published, one thread is chosen. The others stay here until the chosen
    // one has ended the process, so that its report is whole.
    while (atomic_flag_test_and_set_explicit(&is_reporting, memory_order_relaxed)) {
        (void)pause();
    }
    print_crash(signal, info);
    struct sigaction standard = {.sa_handler = SIG_DFL};
    (void)sigaction(signal, &standard, NULL); // valid arguments cannot fail
    // Blocked now, delivered on return: the core shows the place of the crash.
    (void)raise(signal);
}

static void report_signal(int signal)
{
    struct sigaction present = {0};
    int failed = sigaction(signal, NULL, &present);
    fil_assert(failed == 0);
    if ((present.sa_flags & SA_SIGINFO) != 0 || present.sa_handler != SIG_DFL) {
        return;
    }
    struct sigaction report = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    // A crash inside the handler is then fatal at once instead of endless.
    (void)sigfillset(&report.sa_mask); // cannot fail
    failed = sigaction(signal, &report, NULL);
    fil_assert(failed == 0);
}

void fil_signals_report_crashes(void)
{
    // One for the process: only main calls this, and main's stack may be at its end in a crash.
    static char memory[FIL_CRASH_STACK_BYTES];
    stack_t mine = {.ss_sp = memory, .ss_size = sizeof(memory)};
    stack_t present = {0};
    int failed = sigaltstack(NULL, &present);
    fil_assert(failed == 0);
    if ((present.ss_flags & SS_DISABLE) != 0) {
        failed = sigaltstack(&mine, NULL);
        fil_assert(failed == 0);
    }
    fil_process__prepare_backtrace();
    for (size_t i = 0; i < FIL_COUNT_OF(crash_signals); i++) {
        report_signal(crash_signals[i]);
    }
}
