// SPDX-License-Identifier: Apache-2.0
/**
 * The functions that a member has for its clients, and one run of such a function.
 *
 * Two are built in, with FIL_FUNCTION_FACTORY as their factory: `echo` (class 1) gives its argument
 * back, `sleep` (class 2) sleeps for so many milliseconds, or until it is cancelled.
 *
 * Threads: the registry is filled before it is shared, then read by any thread; a call belongs to
 *          the thread that runs the function, but for is_cancelled.
 * Memory:  a reply is drawn from the budget.
 * Limits:  FIL_FUNCTIONS_MAX functions, FIL_FUNCTION_REPLY_MAX bytes of a reply.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/op.h"
#include "filbert/function.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"
#include "lib/mem/budget.h"
#include "lib/os/env.h"

#define FIL_FUNCTIONS_MAX        256U
#define FIL_FUNCTION_NAME_MAX    63U
#define FIL_FUNCTION_REPLY_MAX   (UINT64_C(64) << 20)
#define FIL_FUNCTION_PROBLEM_MAX 160U
#define FIL_FUNCTION_FACTORY     7071

struct fil_function_entry {
    struct fil_function function;
    void *context; // for functions of the member's own
};

struct fil_functions {
    struct fil_function_entry list[FIL_FUNCTIONS_MAX];
    uint32_t count;
};

enum fil_function_reply {
    FIL_FUNCTION_NOTHING,
    FIL_FUNCTION_TEXT,
    FIL_FUNCTION_JSON,
    FIL_FUNCTION_NUMBER,
    FIL_FUNCTION_DATA,
};

struct fil_function_call {
    // Set before the run.
    void *context; // of the entry
    struct fil_env *env;
    struct fil_budget *budget;
    struct fil_bytes argument;
    bool has_fields;               // the argument is the fields of an object
    fil_partition_id partition_id; // FIL_OP_NO_PARTITION: sent to the member

    // Written by anyone.
    _Atomic uint32_t is_cancelled;

    // What the function says.
    enum fil_function_reply reply;
    int64_t number;
    uint8_t *data;
    size_t size;
    char problem[FIL_FUNCTION_PROBLEM_MAX];
};

/** With those that are built in. */
void fil_functions_init(struct fil_functions *functions);

/**
 * FIL_E_EXISTS for a name or ids that are taken, FIL_E_LIMIT, FIL_E_INVALID for a name that cannot
 * be. Names are borrowed for as long as the registry lives.
 */
int fil_functions_add(struct fil_functions *functions, const struct fil_function *function,
                      void *context) FIL_NODISCARD;

/** NULL when there is none. */
FIL_ANY_THREAD const struct fil_function_entry *
fil_functions_find(const struct fil_functions *functions, struct fil_bytes name);
FIL_ANY_THREAD const struct fil_function_entry *
fil_functions_find_ids(const struct fil_functions *functions, int32_t factory_id, int32_t class_id);

/** All zero before but for what is set before the run. */
void fil_function_call_fini(struct fil_function_call *call);

/** Tells the function that nobody wants its result any more. */
FIL_ANY_THREAD void fil_function_call_cancel(struct fil_function_call *call);
