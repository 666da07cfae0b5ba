// SPDX-License-Identifier: Apache-2.0
/**
 * Assertions: broken invariants stop the process, in release builds too.
 *
 * fil_assert is for O(1) conditions and always on. fil_debug_assert is for the inner loops of hot
 * paths and compiled out unless FIL_DEBUG is defined. Wrong input from outside is an error, never
 * an assertion.
 */
#pragma once

#include "lib/base/attr.h"

#define fil_assert(condition) \
    (FIL_LIKELY(condition) ? (void)0 : fil_assert_failed(#condition, __FILE__, __LINE__, __func__))

#ifdef FIL_DEBUG
#define fil_debug_assert(condition) fil_assert(condition)
#else
#define fil_debug_assert(condition) ((void)sizeof(condition))
#endif

/** Called once with a line of text before the process aborts, e.g. to flush the log. */
typedef void (*fil_assert_hook_fn)(const char *text);

/** Installs the hook; NULL removes it. Called by main before threads start. */
void fil_assert_set_hook(fil_assert_hook_fn hook);

FIL_COLD FIL_NORETURN void fil_assert_failed(const char *condition, const char *file, int line,
                                             const char *function);
