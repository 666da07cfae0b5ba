// SPDX-License-Identifier: Apache-2.0
#include "lib/os/stack_sample.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define HAS_BACKTRACE 1
#else
#define HAS_BACKTRACE 0
#endif

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "lib/os/clock_internal.h"
#include "lib/os/futex.h"
#include "lib/os/mutex.h"
#include "lib/os/process_internal.h"

#define HANDLER_FRAMES_MAX 16U // of the handler, of the kernel's return, of a sanitizer

/**
 * The word of one request: its number and how far it is. A handler that comes too late finds
 * another number or phase and leaves everything alone.
 *
 *             ask            the handler           done
 *   RESTING ------> ASKED ------------> WRITING -----------> RESTING
 *      ^              |
 *      +--------------+ nobody answered in time
 */
enum {
    PHASE_RESTING = 0,
    PHASE_ASKED = 1,
    PHASE_WRITING = 2,
    PHASE_MASK = 3,
    NUMBER_STEP = 4
};

struct sampler {
    struct fil_mutex mutex; // held by the one who asks
    _Atomic int signal;     // 0: not prepared
    _Atomic uint32_t word;

    // Whoever moved the word to WRITING; the one who asked when it is back at RESTING.
    struct fil_stack_sample sample;
};

// One for the process, because a signal's handler has no context of its own.
static struct sampler the_sampler = {.mutex = FIL_MUTEX_INIT};

#if HAS_BACKTRACE

/** Where the thread was when the signal came; 0 when this machine's registers are unknown here. */
static uintptr_t interrupted_at(const void *context)
{
    const ucontext_t *registers = context;
#if defined(__x86_64__)
    return (uintptr_t)registers->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)registers->uc_mcontext.pc;
#else
    (void)registers;
    return 0;
#endif
}

/** Fills the sample without the frames of the handler itself, as far as they can be told. */
static void walk_stack(struct fil_stack_sample *sample, uintptr_t here)
{
    void *frames[FIL_STACK_FRAMES_MAX + HANDLER_FRAMES_MAX];
    int found = backtrace(frames, FIL_COUNT_OF(frames));
    uint32_t total = found > 0 ? (uint32_t)found : 0;
    uint32_t first = 0;
    while (first < total && (uintptr_t)frames[first] != here) {
        first++;
    }
    if (first == total) {
        first = 0; // a sanitizer holds signals back and calls the handler from elsewhere
    }
    uint32_t count = total - first;
    sample->count = count < FIL_STACK_FRAMES_MAX ? count : FIL_STACK_FRAMES_MAX;
    for (uint32_t i = 0; i < sample->count; i++) {
        sample->frames[i] = (uintptr_t)frames[first + i];
    }
}

/** On the sampled thread, in the middle of whatever it does: async-signal-safe calls only. */
static void on_signal(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    int saved_errno = errno;
    struct sampler *sampler = &the_sampler;
    uint32_t asked = (uint32_t)(uintptr_t)info->si_value.sival_ptr;
    // A1 pairs with R1: the one who asked has read the sample before.
    if (info->si_code == SI_QUEUE && info->si_pid == getpid() &&
        (asked & PHASE_MASK) == PHASE_ASKED &&
        atomic_compare_exchange_strong_explicit(&sampler->word, &asked,
                                                asked - PHASE_ASKED + PHASE_WRITING,
                                                memory_order_acquire, memory_order_relaxed)) {
        walk_stack(&sampler->sample, interrupted_at(context));
        // R2 pairs with A2: the sample is there before the word says so.
        atomic_store_explicit(&sampler->word, asked - PHASE_ASKED + PHASE_RESTING,
                              memory_order_release);
        fil_futex_wake(&sampler->word, 1);
    }
    errno = saved_errno;
}

/** Takes the signal if nobody else has it. */
static bool claim_signal(int signal)
{
    struct sigaction present = {0};
    int failed = sigaction(signal, NULL, &present);
    fil_assert(failed == 0);
    if ((present.sa_flags & SA_SIGINFO) != 0 || present.sa_handler != SIG_DFL) {
        return false;
    }
    struct sigaction mine = {.sa_sigaction = on_signal,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    (void)sigfillset(&mine.sa_mask); // cannot fail
    failed = sigaction(signal, &mine, NULL);
    fil_assert(failed == 0);
    return true;
}

static int choose_signal(struct sampler *sampler)
{
    // From the top: applications and debuggers count from the bottom.
    for (int signal = SIGRTMAX; signal >= SIGRTMIN; signal--) {
        if (claim_signal(signal)) {
            // Relaxed: the number is all there is to see.
            atomic_store_explicit(&sampler->signal, signal, memory_order_relaxed);
            return FIL_OK;
        }
    }
    return FIL_E_SYSTEM;
}

#endif

int fil_stack_sample_prepare(void)
{
#if HAS_BACKTRACE
    struct sampler *sampler = &the_sampler;
    fil_process__prepare_backtrace();
    fil_mutex_lock(&sampler->mutex);
    int error = atomic_load_explicit(&sampler->signal, memory_order_relaxed) != 0
                    ? FIL_OK
                    : choose_signal(sampler);
    fil_mutex_unlock(&sampler->mutex);
    return error;
#else
    return FIL_E_UNSUPPORTED;
#endif
}

/** Opens a request; 0 when the handler of an earlier one is still writing. */
static uint32_t open_request(struct sampler *sampler)
{
    // A3 pairs with R2: what a handler wrote late, for nobody, is written before the next one.
    uint32_t word = atomic_load_explicit(&sampler->word, memory_order_acquire);
    fil_assert((word & PHASE_MASK) != PHASE_ASKED);
    if ((word & PHASE_MASK) == PHASE_WRITING) {
        return 0;
    }
    uint32_t asked = word + NUMBER_STEP + PHASE_ASKED;
    // R1 pairs with A1.
    atomic_store_explicit(&sampler->word, asked, memory_order_release);
    return asked;
}

static int send_request(int signal, uint32_t thread_id, uint32_t asked)
{
    siginfo_t info = {0};
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = (void *)(uintptr_t)asked;
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)thread_id, signal, &info) == 0) {
        return FIL_OK;
    }
    // EAGAIN: too many signals are queued for this user.
    return errno == ESRCH || errno == EINVAL ? FIL_E_NOT_FOUND : FIL_E_AGAIN;
}

/** Sleeps until the handler is done or the time is over; says whether it is done. */
static bool await_answer(struct sampler *sampler, uint32_t asked, int64_t timeout_ns)
{
    int64_t deadline_ns = fil_clock__deadline_ns(timeout_ns);
    for (;;) {
        // A2 pairs with R2: the sample is visible with the word.
        uint32_t word = atomic_load_explicit(&sampler->word, memory_order_acquire);
        if ((word & PHASE_MASK) == PHASE_RESTING) {
            return true;
        }
        fil_assert((word & ~(uint32_t)PHASE_MASK) == (asked & ~(uint32_t)PHASE_MASK));
        int64_t left_ns = deadline_ns - (int64_t)fil_clock__now_ns();
        if (left_ns <= 0) {
            return false;
        }
        // All answers mean the same: look at the word and at the clock again.
        int result = fil_futex_wait(&sampler->word, word, left_ns);
        fil_assert(result == FIL_OK || result == FIL_E_AGAIN || result == FIL_E_TIMEOUT);
    }
}

/** Takes the request back; a handler that has begun ends by itself, and nobody looks. */
static void withdraw_request(struct sampler *sampler, uint32_t asked)
{
    uint32_t expected = asked;
    // Relaxed: nothing was written by anybody.
    (void)atomic_compare_exchange_strong_explicit(&sampler->word, &expected, asked - PHASE_ASKED,
                                                  memory_order_relaxed, memory_order_relaxed);
}

static int take_locked(struct sampler *sampler, uint32_t thread_id, int64_t timeout_ns,
                       struct fil_stack_sample *out_sample)
{
    int signal = atomic_load_explicit(&sampler->signal, memory_order_relaxed);
    if (signal == 0) {
        return FIL_E_UNSUPPORTED;
    }
    uint32_t asked = open_request(sampler);
    if (asked == 0) {
        return FIL_E_AGAIN;
    }
    int error = send_request(signal, thread_id, asked);
    if (error == FIL_OK && await_answer(sampler, asked, timeout_ns)) {
        *out_sample = sampler->sample;
        return FIL_OK;
    }
    withdraw_request(sampler, asked);
    return error == FIL_OK ? FIL_E_TIMEOUT : error;
}

int fil_stack_sample_take(uint32_t thread_id, int64_t timeout_ns,
                          struct fil_stack_sample *out_sample)
{
    fil_assert(timeout_ns >= 0);
    fil_assert(out_sample != NULL);
    out_sample->count = 0;
    struct sampler *sampler = &the_sampler;
    fil_mutex_lock(&sampler->mutex);
    int error = take_locked(sampler, thread_id, timeout_ns, out_sample);
    fil_mutex_unlock(&sampler->mutex);
    return error;
}

uint64_t fil_stack_sample_hash(const struct fil_stack_sample *sample)
{
    fil_assert(sample->count <= FIL_STACK_FRAMES_MAX);
    size_t callers = sample->count > 0 ? sample->count - 1 : 0;
    return fil_hash(fil_bytes_make(sample->frames + 1, callers * sizeof(sample->frames[0])), 0);
}
