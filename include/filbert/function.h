// SPDX-License-Identifier: Apache-2.0
/**
 * Functions that clients run on a member by their names, on the threads of a named executor.
 *
 *   static int double_it(struct fil_function_call *call)
 *   {
 *       size_t size;
 *       const char *text = fil_function_text(call, &size);
 *       ...
 *       return fil_function_reply_number(call, 2 * number);
 *   }
 *
 * A package brings them to a member: FIL_PACKAGE_FUNCTIONS in filbert/package.h.
 *
 * Threads: a function runs on a thread of the executor that the client has named, several at the
 *          same time, and may block. It looks now and then whether it is still wanted: a member
 *          that stops waits for it.
 * Memory:  the call, and what it gives out, is the member's until the function returns; replies
 *          are copied.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filbert/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What packages find in the program that loads them: filbert/package.h. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/** One run of a function. */
struct fil_function_call;

/** FIL_OK, with the reply that was given or with none, or why it failed. */
typedef int (*fil_function_fn)(struct fil_function_call *call);

struct fil_function {
    const char *name; /* 1 to 63 bytes without a blank */
    /* How clients name it that send objects: the ids of an IdentifiedDataSerializable. Both 0: by
     * its name alone. */
    int32_t factory_id;
    int32_t class_id;
    fil_function_fn run;
};

/** What the client has sent: the text behind the name, or the fields of the object as they are. */
const void *fil_function_argument(const struct fil_function_call *call, size_t *out_size);

/** The same as text: of an object the string that is its first field; NULL: that is none. */
const char *fil_function_text(const struct fil_function_call *call, size_t *out_size);

/** The partition to which the client has sent it; -1: to the member. */
int32_t fil_function_partition(const struct fil_function_call *call);

/** Whether nobody wants the result any more. */
bool fil_function_is_cancelled(const struct fil_function_call *call);

/** Sleeps for so long, or until nobody wants the result: FIL_OK or FIL_E_CANCELLED. */
int fil_function_sleep(struct fil_function_call *call, uint64_t timeout_ms);

/* Replies: the last one counts. FIL_OK, FIL_E_LIMIT, FIL_E_NOMEM. */

/** A string. */
int fil_function_reply_text(struct fil_function_call *call, const void *text, size_t size);
/** JSON, which clients see as such. */
int fil_function_reply_json(struct fil_function_call *call, const void *text, size_t size);
/** A whole number, of 64 bits. */
int fil_function_reply_number(struct fil_function_call *call, int64_t number);
/** A value as the client protocol serializes it: hash, type and payload. */
int fil_function_reply_data(struct fil_function_call *call, const void *data, size_t size);

/** Says why it fails; returns the error. */
int fil_function_fail(struct fil_function_call *call, int error, const char *text);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
