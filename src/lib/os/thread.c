// SPDX-License-Identifier: Apache-2.0
#include "lib/os/thread.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/cpu_set_internal.h"
#include "lib/os/errno_internal.h"
#include "lib/os/signals_internal.h"

/**
 * Runs the entry with a signal stack that lies at the base of the thread's own stack: an overflow
 * hits the other end, so this end is still good when the crash handler needs it.
 */
static void run_with_crash_stack(struct fil_thread *thread)
{
    char memory[FIL_CRASH_STACK_BYTES];
    stack_t mine = {.ss_sp = memory, .ss_size = sizeof(memory)};
    stack_t previous = {0};
    int failed = sigaltstack(&mine, &previous);
    fil_assert(failed == 0);
    thread->entry(thread->context);
    // A sanitizer has a signal stack of its own and wants it back.
    failed = sigaltstack(&previous, NULL);
    fil_assert(failed == 0);
}

static void *run_thread(void *argument)
{
    struct fil_thread *thread = argument;
    fil_assert(thread->entry != NULL);
    (void)prctl(PR_SET_NAME, thread->name, 0, 0, 0); // cannot fail for a readable name
    run_with_crash_stack(thread);
    return NULL;
}

static int create(struct fil_thread *thread, const pthread_attr_t *attributes)
{
    int failed = pthread_create(&thread->handle, attributes, run_thread, thread);
    if (failed == 0) {
        return FIL_OK;
    }
    // EAGAIN here means that the number of threads is limited, not that it is worth a wait.
    return failed == EAGAIN ? FIL_E_SYSTEM : fil_errno__translate(failed);
}

static int create_with(struct fil_thread *thread, const struct fil_thread_options *options)
{
    size_t stack_bytes = options->stack_bytes == 0 ? FIL_THREAD_STACK_BYTES : options->stack_bytes;
    fil_assert(stack_bytes >= FIL_CRASH_STACK_BYTES * 2);

    pthread_attr_t attributes;
    int failed = pthread_attr_init(&attributes);
    fil_assert(failed == 0);
    failed = pthread_attr_setstacksize(&attributes, stack_bytes);
    fil_assert(failed == 0);
    if (options->cpus != NULL) {
        cpu_set_t cpus = fil_cpu_set__to_system(options->cpus);
        failed = pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus);
    }
    int error = failed == 0 ? create(thread, &attributes) : fil_errno__translate(failed);
    (void)pthread_attr_destroy(&attributes); // always succeeds after init
    return error;
}

int fil_thread_start_with(struct fil_thread *thread, const struct fil_thread_options *options)
{
    fil_assert(options->name != NULL);
    fil_assert(options->entry != NULL);
    *thread = (struct fil_thread){.entry = options->entry, .context = options->context};
    (void)snprintf(thread->name, sizeof(thread->name), "%s", options->name); // may cut
    int error = create_with(thread, options);
    thread->is_started = error == FIL_OK;
    return error;
}

int fil_thread_start(struct fil_thread *thread, const char *name, fil_thread_fn entry,
                     void *context)
{
    struct fil_thread_options options = {.name = name, .entry = entry, .context = context};
    return fil_thread_start_with(thread, &options);
}

void fil_thread_join(struct fil_thread *thread)
{
    fil_assert(thread->is_started);
    int failed = pthread_join(thread->handle, NULL);
    fil_assert(failed == 0);
    thread->is_started = false;
}

void fil_thread_detach(struct fil_thread *thread)
{
    fil_assert(thread->is_started);
    int failed = pthread_detach(thread->handle);
    fil_assert(failed == 0);
    thread->is_started = false;
}

int fil_thread_pin(const struct fil_cpu_set *cpus)
{
    cpu_set_t wanted = fil_cpu_set__to_system(cpus);
    return sched_setaffinity(0, sizeof(wanted), &wanted) == 0 ? FIL_OK
                                                              : fil_errno__translate(errno);
}

/** The kernel's struct sched_attr in its first form; the C library of Debian 12 has none. */
struct schedule {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns; // of the usual policies: the slice
    uint64_t deadline_ns;
    uint64_t period_ns;
};

static_assert(sizeof(struct schedule) == 48, "the kernel knows the struct by its size");

/** How the calling thread is scheduled; false when it has no slice that could be chosen. */
static bool read_schedule(struct schedule *out_schedule)
{
    *out_schedule = (struct schedule){.size = sizeof(*out_schedule)};
    if (syscall(SYS_sched_getattr, 0, out_schedule, sizeof(*out_schedule), 0) != 0) {
        return false; // a sandbox may forbid it
    }
    bool has_slices = out_schedule->policy == SCHED_OTHER || out_schedule->policy == SCHED_BATCH;
    return has_slices && out_schedule->runtime_ns > 0;
}

uint64_t fil_thread_slice_ns(void)
{
    struct schedule schedule;
    return read_schedule(&schedule) ? schedule.runtime_ns : 0;
}

int fil_thread_set_slice(uint64_t slice_ns)
{
    fil_assert(slice_ns >= FIL_THREAD_SLICE_NS_MIN);
    fil_assert(slice_ns <= FIL_THREAD_SLICE_NS_MAX);
    struct schedule schedule;
    if (!read_schedule(&schedule)) {
        return FIL_E_UNSUPPORTED;
    }
    // All else stays: a thread may always ask for the niceness that it has.
    schedule.size = sizeof(schedule);
    schedule.runtime_ns = slice_ns;
    return syscall(SYS_sched_setattr, 0, &schedule, 0) == 0 ? FIL_OK : fil_errno__translate(errno);
}

uint64_t fil_thread_timer_slack_ns(void)
{
    int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    return slack < 0 ? 0 : (uint64_t)slack;
}

void fil_thread_set_timer_slack(uint64_t slack_ns)
{
    fil_assert(slack_ns >= 1);
    (void)prctl(PR_SET_TIMERSLACK, slack_ns, 0, 0, 0); // cannot fail for the calling thread
}

const char *fil_thread_name(char text[FIL_THREAD_NAME_MAX])
{
    text[0] = '\0';
    (void)prctl(PR_GET_NAME, text, 0, 0, 0); // fails for a bad pointer only
    text[FIL_THREAD_NAME_MAX - 1] = '\0';
    return text;
}

uint32_t fil_thread_id(void)
{
    pid_t id = gettid();
    fil_assert(id > 0);
    return (uint32_t)id;
}

void fil_thread_yield(void)
{
    (void)sched_yield(); // always succeeds on Linux
}
