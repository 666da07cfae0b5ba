// SPDX-License-Identifier: Apache-2.0
/**
 * Threads: start with a name, a stack of fixed size and a set of cpus; join; how the scheduler
 * treats them; and what a spinning thread does between two looks.
 *
 * Memory:  the caller owns struct fil_thread, which stays where it is from start to join.
 * Signals: a thread inherits the signal mask of the one that starts it (see signals.h), and gets a
 *          small stack of its own for the crash report, so that a stack overflow is reported too.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/os/cpu_set.h"
#include "lib/os/mutex.h"

/** What the kernel keeps of a name, with the end; longer names are cut. */
#define FIL_THREAD_NAME_MAX 16

/** Unless the options say otherwise. Address space, not memory: only touched pages count. */
#define FIL_THREAD_STACK_BYTES (UINT64_C(2) << 20)

/** What Linux takes as a slice. */
#define FIL_THREAD_SLICE_NS_MIN UINT64_C(100000)
#define FIL_THREAD_SLICE_NS_MAX UINT64_C(100000000)

typedef void (*fil_thread_fn)(void *context);

struct fil_thread_options {
    const char *name;
    fil_thread_fn entry;
    void *context;
    size_t stack_bytes;             // 0: FIL_THREAD_STACK_BYTES
    const struct fil_cpu_set *cpus; // NULL: wherever the starting thread may run
};

struct fil_thread {
    // Written by start, read by the thread.
    pthread_t handle;
    fil_thread_fn entry;
    void *context;
    char name[FIL_THREAD_NAME_MAX];

    // The starter's own.
    bool is_started;
};

/** Runs entry(context) on a new thread. FIL_E_SYSTEM or FIL_E_NOMEM when the system has none. */
int fil_thread_start(struct fil_thread *thread, const char *name, fil_thread_fn entry,
                     void *context) FIL_NODISCARD;

/** As fil_thread_start; also FIL_E_INVALID when this machine has none of the cpus. */
int fil_thread_start_with(struct fil_thread *thread, const struct fil_thread_options *options)
    FIL_NODISCARD;

/** Waits until the thread's entry has returned. Called once for each successful start. */
void fil_thread_join(struct fil_thread *thread);

/**
 * Nobody will join the thread. Instead of join, by the one who started it; the struct stays until
 * both this and the thread's entry have returned.
 */
void fil_thread_detach(struct fil_thread *thread);

/** Keeps the calling thread on these cpus. FIL_E_INVALID when this machine has none of them. */
int fil_thread_pin(const struct fil_cpu_set *cpus) FIL_NODISCARD;

/**
 * How long the scheduler lets the calling thread run before others of the same cpu get their turn;
 * 0: this kernel tells nobody (before Linux 6.12), or the thread is not scheduled by slices.
 */
uint64_t fil_thread_slice_ns(void);

/**
 * Chooses that time, from FIL_THREAD_SLICE_NS_MIN to _MAX. It needs no privilege and gives no
 * larger share of the cpu, but who wakes up waits less for a thread with a short slice, and is
 * itself served sooner when it has one. FIL_E_UNSUPPORTED where fil_thread_slice_ns is 0.
 */
int fil_thread_set_slice(uint64_t slice_ns) FIL_NODISCARD;

/**
 * How much later than asked the calling thread may be woken from a wait with a time limit; 0: the
 * system does not tell.
 */
uint64_t fil_thread_timer_slack_ns(void);

/** Chooses that, 1 and more: less is more precise, and more wake-ups of the cpu. */
void fil_thread_set_timer_slack(uint64_t slack_ns);

/** The calling thread's name. Returns text. Async-signal-safe. */
const char *fil_thread_name(char text[FIL_THREAD_NAME_MAX]);

/** The calling thread's number in the kernel, as top and gdb show it. Async-signal-safe. */
uint32_t fil_thread_id(void);

/** Lets another thread run on this cpu. */
void fil_thread_yield(void);

/** Tells the cpu that this is a spin loop: saves power and helps the other hyper-thread. */
static inline void fil_thread_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__clang__)
    __builtin_arm_yield();
#endif
}
