// SPDX-License-Identifier: Apache-2.0
/**
 * What another thread of this process waits for, as the kernel tells it: whether it runs, and in
 * which system call it sleeps. The thread itself notices nothing of the question.
 *
 * Threads: any, also the one in question.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"

#define FIL_THREAD_CHANNEL_MAX 32U // with the end; longer names are cut

struct fil_thread_state {
    bool is_running;   // on a processor, or waiting for one
    const char *call;  // static: the system call it sleeps in; "": in none, or not told
    bool is_restarted; // a signal does not end that call early
    char channel[FIL_THREAD_CHANNEL_MAX]; // the place in the kernel where it waits; "": not told
};

/**
 * Asks about the thread with the number that fil_thread_id gives. FIL_E_NOT_FOUND when there is no
 * such thread in this process, FIL_E_UNSUPPORTED when the system does not tell.
 */
int fil_thread_state_read(uint32_t id, struct fil_thread_state *out_state) FIL_NODISCARD;
