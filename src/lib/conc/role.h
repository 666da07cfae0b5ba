// SPDX-License-Identifier: Apache-2.0
/**
 * Thread roles: which kind of thread may run a function or touch a field.
 *
 * clang checks the annotations at compile time (-Wthread-safety); the role a thread really has is
 * kept in thread-local storage and checked by fil_role_assert_*() where the compiler cannot see: at
 * thread entry and behind function pointers. One thread may hold several roles: a simulation that
 * drives everything from one thread holds all of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"

struct FIL_TSA(capability("role")) fil_role {
    const char *name;
    uint32_t bit;
};

// clang-format off
#define FIL_ROLES(X) \
    X(main) X(acceptor) X(io) X(partition) X(generic) X(event) X(executor) X(log)
// clang-format on

#define FIL_ROLE_DECLARE(role)                    \
    extern const struct fil_role fil_role_##role; \
    void fil_role_assert_##role(void) FIL_TSA(assert_capability(fil_role_##role));
FIL_ROLES(FIL_ROLE_DECLARE)
#undef FIL_ROLE_DECLARE

#define FIL_RUNS_ON(role)  FIL_TSA(requires_capability(fil_role_##role))
#define FIL_OWNED_BY(role) FIL_TSA(guarded_by(fil_role_##role))
#define FIL_ANY_THREAD

/** The calling thread has the role from here on. */
#define FIL_ENTERS(role) FIL_TSA(assert_capability(fil_role_##role))

/**
 * Not a kind of thread, but the one that has something at the moment. Words for the reader: clang
 * follows no right that is passed on through atomics and function pointers. The functions that use
 * such a right check it in debug builds (fil_partition_assert_inside, fil_output_assert_mine), and
 * tests/interleave plays the orders in which it is passed. Why: docs/adr/0010.
 */
#define FIL_INSIDE_PARTITION // whoever moved the partition's word to running
#define FIL_HOLDS_WRITER     // whoever acquired the output's flag

/** Init and fini: no other thread knows the object yet, or any more. */
#define FIL_BEFORE_SHARING FIL_TSA(no_thread_safety_analysis)

/**
 * The calling thread begins and ends an operation, whatever its roles are; one may begin in
 * another. Who is inside of one has a partition to itself and must not block.
 */
void fil_role_begin_op(void);
void fil_role_end_op(void);
bool fil_role_is_in_op(void);

/** Gives the calling thread a role; called first thing in a thread. Roles add up. */
void fil_role_enter(const struct fil_role *role);

/** Takes all roles from the calling thread; for tests and simulations. */
void fil_role_leave_all(void);

/** Whether the calling thread has the role. */
bool fil_role_is(const struct fil_role *role);

/** Tells threads apart: something of the calling one's own. */
const void *fil_role_thread(void);

/** Names of the calling thread's roles for messages; "none" when it has none. */
const char *fil_role_name(void);
