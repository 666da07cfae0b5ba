// SPDX-License-Identifier: Apache-2.0
/**
 * One result for many: the explicit way to have more than one consumer.
 *
 * A share takes a future and gives out any number of others, before and after the result is there.
 * The value stays with the share; every listener's future brings a hold on it.
 *
 * Cancelling a listener's future ends that listener only; the source is not cancelled.
 *
 * Order:    those who listened before the result came are completed in the order they came.
 * Progress: lock-free.
 * Memory:   a block of the calling thread's promise pool for the share, two for each listener.
 */
#pragma once

#include <stdint.h>

#include "core/exec/promise.h"

/** Counted; immutable once the result is there. */
struct fil_share;

/** Takes ownership of the future if it returns FIL_OK; the caller has one hold. FIL_E_NOMEM. */
FIL_ANY_THREAD int fil_share_new(struct fil_future future, struct fil_share **out_share)
    FIL_NODISCARD;

FIL_ANY_THREAD void fil_share_ref(struct fil_share *share);

/** The last one destroys the value. NULL is fine. */
FIL_ANY_THREAD void fil_share_unref(struct fil_share *share);

/**
 * Another future. If the shared result is a value, its own is the share, as a pointer, held for
 * it: see fil_share_result. A failure comes as it is. FIL_E_NOMEM.
 */
FIL_ANY_THREAD int fil_share_listen(struct fil_share *share, struct fil_target *home,
                                    struct fil_future *out_future) FIL_NODISCARD;

/** For who got the share from a listener's future: the result, which stays the share's. */
FIL_ANY_THREAD const struct fil_result *fil_share_result(const struct fil_share *share);
