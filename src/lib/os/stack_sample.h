// SPDX-License-Identifier: Apache-2.0
/**
 * What another thread of this process is doing right now: the addresses on its stack.
 *
 * The thread is sent a real-time signal; its handler notes the addresses in a buffer made
 * beforehand and wakes the one who asks. Nothing is allocated and no name is looked up (symbol.h
 * does that, later and elsewhere). The thread loses a few microseconds; a system call it sleeps in
 * may end early, as after any signal.
 *
 * Progress: the one who asks waits for the thread, at most for the time it sets. A thread that
 *           blocks the signal, or does not get a cpu, gives no sample.
 * Memory:   one buffer for the process; who asks at the same time as others waits for its turn.
 * Threads:  any, also the sampled one itself.
 */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"

/** Frames kept of a stack, from the innermost outwards. */
#define FIL_STACK_FRAMES_MAX 48U

struct fil_stack_sample {
    uint32_t count;
    // The first one is where the thread was, the others are where its callers go on.
    uintptr_t frames[FIL_STACK_FRAMES_MAX];
};

/**
 * Chooses a real-time signal that nobody uses, for the life of the process, and gets everything
 * ready that the handler must not do. Later calls do nothing. FIL_E_SYSTEM when every such signal
 * is taken, FIL_E_UNSUPPORTED when the C library cannot walk a stack.
 */
int fil_stack_sample_prepare(void) FIL_NODISCARD;

/**
 * Samples the thread with the number that fil_thread_id gives. FIL_E_TIMEOUT when it does not
 * answer, FIL_E_NOT_FOUND when there is no such thread in this process, FIL_E_AGAIN when the thread
 * asked before is still busy with its answer, FIL_E_UNSUPPORTED before a successful prepare.
 */
int fil_stack_sample_take(uint32_t thread_id, int64_t timeout_ns,
                          struct fil_stack_sample *out_sample) FIL_NODISCARD;

/**
 * The same for stacks with the same callers. The innermost frame does not count: a thread that is
 * busy in one function is somewhere else in it at every look.
 */
uint64_t fil_stack_sample_hash(const struct fil_stack_sample *sample);
