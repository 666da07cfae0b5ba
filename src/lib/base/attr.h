// SPDX-License-Identifier: Apache-2.0
/** Compiler attributes and small macros behind one spelling each. */
#pragma once

#include <stddef.h>

#define FIL_CACHE_LINE 64

#if defined(__clang__)
#define FIL_TSA(attribute) __attribute__((attribute))
#else
#define FIL_TSA(attribute)
#endif

#define FIL_NODISCARD           __attribute__((warn_unused_result))
#define FIL_NORETURN            __attribute__((noreturn))
#define FIL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define FIL_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define FIL_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define FIL_PREFETCH(pointer)   __builtin_prefetch(pointer)
#define FIL_COLD                __attribute__((cold, noinline))

/** Kept out of its callers: what it saves and has on the stack they need not pay for. */
#define FIL_APART __attribute__((noinline))

/**
 * For functions that only prefetch, which gcc takes for functions without effect: it leaves out
 * calls of them. Small ones are inlined before it can, others are hidden from it.
 */
#define FIL_PREFETCHES_INLINE static inline __attribute__((always_inline))
#if defined(__GNUC__) && !defined(__clang__)
#define FIL_PREFETCHES __attribute__((noipa))
#else
#define FIL_PREFETCHES
#endif

/** The result must be released with the named function; gcc warns of a wrong one. */
#if defined(__GNUC__) && !defined(__clang__)
#define FIL_GIVES(release) __attribute__((malloc(release, 1), warn_unused_result))
#else
#define FIL_GIVES(release) __attribute__((warn_unused_result))
#endif

#define FIL_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/** The struct of which pointer is the given member. */
#define FIL_CONTAINER_OF(pointer, type, member) \
    ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

/** As above for a pointer to const. */
#define FIL_CONTAINER_OF_CONST(pointer, type, member) \
    ((const type *)(const void *)((const char *)(pointer)-offsetof(type, member)))
