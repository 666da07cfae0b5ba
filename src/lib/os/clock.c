// SPDX-License-Identifier: Apache-2.0
#include "lib/base/assert.h"
#include "lib/os/clock_internal.h"

static uint64_t read_clock(clockid_t id)
{
    struct timespec now = {0};
    int failed = clock_gettime(id, &now);
    fil_assert(failed == 0);
    fil_assert(now.tv_sec >= 0);
    return (uint64_t)now.tv_sec * (uint64_t)FIL_NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

uint64_t fil_clock__now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t fil_clock__wall_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

struct timespec fil_clock__timespec(int64_t ns)
{
    fil_assert(ns >= 0);
    return (struct timespec){
        .tv_sec = (time_t)(ns / FIL_NS_PER_SECOND),
        .tv_nsec = (long)(ns % FIL_NS_PER_SECOND),
    };
}

int64_t fil_clock__deadline_ns(int64_t timeout_ns)
{
    fil_assert(timeout_ns >= 0);
    int64_t now = (int64_t)fil_clock__now_ns();
    return timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
}
