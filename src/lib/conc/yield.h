// SPDX-License-Identifier: Apache-2.0
/**
 * Points at which another thread may come in between: one before every step on shared memory.
 *
 * Empty in normal builds. With FIL_INTERLEAVE the test's scheduler is asked at each of them which
 * thread goes on, so that it can try the orders one by one.
 */
#pragma once

#ifdef FIL_INTERLEAVE

#define FIL_YIELD_TEXT_OF(line) #line
#define FIL_YIELD_WHERE(line)   __FILE__ ":" FIL_YIELD_TEXT_OF(line)
#define FIL_YIELD_POINT()       fil_yield_point(FIL_YIELD_WHERE(__LINE__))

/** Provided by the test's scheduler; `where` is "file:line". */
void fil_yield_point(const char *where);

#else

#define FIL_YIELD_POINT() ((void)0)

#endif
