// SPDX-License-Identifier: Apache-2.0
#include "lib/os/futex.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/clock_internal.h"

static_assert(sizeof(_Atomic uint32_t) == 4, "the kernel compares exactly four bytes");

int fil_futex_wait(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns)
{
    fil_assert(word != NULL);
    fil_assert(timeout_ns >= FIL_WAIT_FOREVER);

    struct timespec timeout;
    const struct timespec *limit = NULL;
    if (timeout_ns != FIL_WAIT_FOREVER) {
        timeout = fil_clock__timespec(timeout_ns);
        limit = &timeout;
    }
    if (syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, limit, NULL, 0) == 0) {
        return FIL_OK;
    }
    switch (errno) {
    case EAGAIN:
        return FIL_E_AGAIN;
    case ETIMEDOUT:
        return FIL_E_TIMEOUT;
    default:
        // A signal ends the sleep like a wake-up for no reason; anything else is a bad pointer.
        fil_assert(errno == EINTR);
        return FIL_OK;
    }
}

void fil_futex_wake(_Atomic uint32_t *word, uint32_t count)
{
    fil_assert(word != NULL);
    uint32_t limit = count < INT_MAX ? count : INT_MAX; // the kernel takes an int
    long woken = syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, limit, NULL, NULL, 0);
    fil_assert(woken >= 0);
}
