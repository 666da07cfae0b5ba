// SPDX-License-Identifier: Apache-2.0
/**
 * Error codes: what a call may answer besides FIL_OK.
 *
 * One table gives the codes, their texts, whether trying again can help and whose fault it is.
 * A text is one sentence with a cure.
 */
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What packages of jobs find in the program that loads them: filbert/package.h. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

// X(name, number, is_retryable, who, text); numbers are part of the ABI and are never reused.
// clang-format off
#define FIL_ERRORS(X) \
    X(NOMEM,         -1, true,  MEMBER,    "out of memory: free some, or raise memory.limit") \
    X(INVALID,       -2, false, CALLER,    "invalid argument: see the function's documentation") \
    X(FULL,          -3, true,  TRANSIENT, "a bounded queue or buffer is full: retry later") \
    X(LIMIT,         -4, false, CALLER,    "a configured limit was exceeded: send less, or raise it") \
    X(MALFORMED,     -5, false, CALLER,    "malformed input: the bytes do not follow the format") \
    X(AGAIN,         -6, true,  TRANSIENT, "nothing to do right now: wait until it is ready") \
    X(CLOSED,        -7, true,  TRANSIENT, "the connection is closed: connect again") \
    X(TIMEOUT,       -8, true,  TRANSIENT, "the deadline passed: retry, or allow more time") \
    X(CANCELLED,     -9, false, CALLER,    "the call was cancelled by its caller") \
    X(BROKEN,       -10, true,  MEMBER,    "the promise was dropped before it had a result") \
    X(WOULD_BLOCK,  -11, false, CALLER,    "this thread must not block: use the _async twin") \
    X(ADDRESS_USED, -12, false, CALLER,    "the address is in use: stop the other process or choose another port") \
    X(ADDRESS,      -13, false, CALLER,    "the address cannot be used: check host and port") \
    X(DENIED,       -14, false, CALLER,    "the operating system denied it: check permissions") \
    X(NOT_FOUND,    -15, false, CALLER,    "no such thing: check the name") \
    X(EXISTS,       -16, false, CALLER,    "it exists already: choose another name") \
    X(IO,           -17, true,  MEMBER,    "input or output failed: see the member's log") \
    X(SYSTEM,       -18, true,  MEMBER,    "the operating system refused a resource: check its limits") \
    X(UNSUPPORTED,  -19, false, CALLER,    "not supported here: see the documentation") \
    X(STOPPING,     -20, true,  TRANSIENT, "the member is stopping: use another member") \
    X(CONFIG,       -21, false, CALLER,    "the configuration is not valid: see the messages before this one") \
    X(WRONG_TARGET, -22, true,  TRANSIENT, "the partition is served elsewhere now: ask its new owner") \
    X(NOT_READY,    -23, true,  TRANSIENT, "the partition is not ready to serve yet: retry soon") \
    X(ENTRIES_MAX,  -24, true,  MEMBER,    "the map has reached entries_max: remove entries, or raise it") \
    X(BYTES_MAX,    -25, true,  MEMBER,    "the map has reached bytes_max: remove entries, or raise it") \
    X(COUNT_MAX,    -26, true,  MEMBER,    "there are map.count_max maps already: raise it") \
    X(UNEXPECTED,   -27, false, CALLER,    "a record came that was not expected, or one is missing: compare with the expectation") \
    X(UNREACHABLE,   -40, true,  TRANSIENT, "no member could be reached: start one, or check the address") \
    X(INDETERMINATE, -41, true,  TRANSIENT, "the connection was lost before the answer: the call may have run, look before you repeat it") \
    X(REFUSED,       -42, false, CALLER,    "the member answered with an error: see what it said")
// clang-format on

enum fil_error {
    FIL_OK = 0,
#define FIL_ERROR_CODE(name, number, is_retryable, who, text) FIL_E_##name = (number),
    FIL_ERRORS(FIL_ERROR_CODE)
#undef FIL_ERROR_CODE
};

/** Whose fault an error is. */
enum fil_fault {
    FIL_FAULT_NONE,
    FIL_FAULT_CALLER,
    FIL_FAULT_MEMBER,
    FIL_FAULT_TRANSIENT
};

/** One sentence with a cure; never NULL, also for codes that do not exist. */
const char *fil_error_text(int error);

/** The code's name without prefix ("NOMEM"); never NULL. */
const char *fil_error_name(int error);

/** Whether the same call may succeed later. */
bool fil_error_is_retryable(int error);

enum fil_fault fil_error_fault(int error);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
