// SPDX-License-Identifier: Apache-2.0
/**
 * One future of many: all of them, any of them, or all however they end.
 *
 * The members are heard wherever they complete, without a hop; the joint future has a home of its
 * own. Cancelling it cancels every member, and so does the end of all and any for those members
 * that it does not wait for; the joint future completes at once then, the others end behind it.
 *
 * Progress: lock-free.
 * Memory:   blocks of the calling thread's promise pool, two for each member and four more. All or
 *           nothing: with FIL_E_NOMEM the members are still the caller's.
 * Threads:  any; the members may complete on different ones at the same time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/promise.h"

#define FIL_JOIN_MEMBERS_MAX 0x3FFFFFFFU

/** The results of all members; the value of an all or settle. */
struct fil_results;

/** Takes ownership of the futures. All values as struct fil_results, or the first failure. */
FIL_ANY_THREAD int fil_join_all(struct fil_target *home, const struct fil_future *futures,
                                uint32_t count, struct fil_future *out_future) FIL_NODISCARD;

/** Takes ownership of the futures, at least one. The first value, or the failure that came last. */
FIL_ANY_THREAD int fil_join_any(struct fil_target *home, const struct fil_future *futures,
                                uint32_t count, struct fil_future *out_future) FIL_NODISCARD;

/** Takes ownership of the futures. All results as struct fil_results; it does not fail. */
FIL_ANY_THREAD int fil_join_settle(struct fil_target *home, const struct fil_future *futures,
                                   uint32_t count, struct fil_future *out_future) FIL_NODISCARD;

uint32_t fil_results_count(const struct fil_results *results);

/** The next result, in the order of the futures, is the caller's now; false after the last. */
bool fil_results_take(struct fil_results *results, struct fil_result *out_result);

/** Also destroys the results that were not taken. It is the destructor of the joint value. */
void fil_results_free(struct fil_results *results);
