// SPDX-License-Identifier: Apache-2.0
/** The real clocks and the kernel's form of a duration, for the files of this folder. */
#pragma once

#include <stdint.h>
#include <time.h>

#define FIL_NS_PER_SECOND INT64_C(1000000000)

/** Monotonic. */
uint64_t fil_clock__now_ns(void);

/** Since 1970. */
uint64_t fil_clock__wall_ns(void);

/** A duration (not negative) or a point in time. */
struct timespec fil_clock__timespec(int64_t ns);

/** The point of the monotonic clock that lies timeout_ns ahead; INT64_MAX beyond the clock's end.
 */
int64_t fil_clock__deadline_ns(int64_t timeout_ns);
