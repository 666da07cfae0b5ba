// SPDX-License-Identifier: Apache-2.0
/**
 * Sleeping on a word of memory until another thread changes it and wakes the sleeper.
 *
 * The word is the truth, the wake-up only a hint: who wakes changes the word first, who waits looks
 * at the word again after every return. Futexes are private to the process.
 *
 * Threads: both functions may be called from any thread.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/os/env.h"

/**
 * Sleeps while the word has the expected value. Returns FIL_OK when woken (or for no reason at
 * all), FIL_E_AGAIN at once when the word differs, FIL_E_TIMEOUT; FIL_WAIT_FOREVER has no timeout.
 */
int fil_futex_wait(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns) FIL_NODISCARD;

/** Wakes up to count sleepers; UINT32_MAX wakes them all. */
void fil_futex_wake(_Atomic uint32_t *word, uint32_t count);
