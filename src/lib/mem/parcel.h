// SPDX-License-Identifier: Apache-2.0
/**
 * A block of the heap with its share of a budget: what was received or put together, and leaves
 * whoever did that as it is, so that nobody has to copy it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/conc/role.h"
#include "lib/mem/budget.h"

struct fil_parcel {
    uint8_t *block;            // NULL: there is none
    size_t size;               // drawn from the budget
    struct fil_budget *budget; // NULL: not accounted
};

/** Frees the block, if there is one, and returns its share. */
FIL_ANY_THREAD void fil_parcel_free(struct fil_parcel *parcel);
