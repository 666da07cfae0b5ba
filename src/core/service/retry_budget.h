// SPDX-License-Identifier: Apache-2.0
/**
 * How much may be done twice: a share of what is done once, and so many a second.
 *
 * Whoever repeats requests asks here first, so that one that is in trouble gets a little more to do
 * for it, and not a multiple.
 *
 * Threads: init alone; everything else by any thread, the figures being atomic and approximate.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"

#define FIL_RETRY_BUDGET_PERCENT    20U
#define FIL_RETRY_BUDGET_PER_SECOND 10U
#define FIL_RETRY_BUDGET_SAVED_MAX  100U

struct fil_retry_budget {
    // Set by init, then read-only; whoever inits may change them.
    uint32_t percent;    // of the requests
    uint32_t per_second; // besides
    uint32_t saved_max;  // what was not used, as a number of retries

    // Shared.
    _Atomic uint64_t left;    // in hundredths of a retry
    _Atomic uint64_t paid_ns; // when it last got its part of the time
    struct fil_counter granted;
    struct fil_counter refused;
};

/** A tenth of what may be saved is there at once. */
void fil_retry_budget_init(struct fil_retry_budget *budget);

/** A request begins: pays its share. */
FIL_ANY_THREAD void fil_retry_budget_pay(struct fil_retry_budget *budget, uint64_t now_ns);

/** Whether there is enough for one more, which it takes. */
FIL_ANY_THREAD bool fil_retry_budget_take(struct fil_retry_budget *budget) FIL_NODISCARD;
