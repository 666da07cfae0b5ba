// SPDX-License-Identifier: Apache-2.0
/**
 * A table of things with names, to which things are only added.
 *
 * Progress: find, next and count are wait-free but for the look along the table; add is for one
 *           thread at a time.
 * Memory:   borrows the things; an entry of them tells its name.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"

/** The name of a thing of the table. */
typedef void (*fil_names_of_fn)(const void *thing, struct fil_bytes *out_name);

struct fil_names {
    // Set by init, then read-only.
    fil_names_of_fn name_of;
    uint64_t seed;
    uint32_t count_max;
    uint32_t slot_count; // a power of two, at least twice count_max

    // Shared: a thing is put in once and stays.
    _Atomic(void *) *slots;
    _Atomic uint32_t count;
};

/** FIL_E_NOMEM. */
int fil_names_init(struct fil_names *names, uint32_t count_max, uint64_t seed,
                   fil_names_of_fn name_of) FIL_NODISCARD;
void fil_names_fini(struct fil_names *names);

/** NULL when there is none of that name. */
FIL_ANY_THREAD void *fil_names_find(const struct fil_names *names, struct fil_bytes name);

/** One thread at a time, and no thing of that name is there. FIL_E_LIMIT when the table is full. */
int fil_names_add(struct fil_names *names, void *thing) FIL_NODISCARD;

FIL_ANY_THREAD uint32_t fil_names_count(const struct fil_names *names);

/**
 * The next thing from a position on, which starts with 0 and is moved; NULL when there are no more.
 * Everything that is there from the first call to the last is met once, in no order.
 */
FIL_ANY_THREAD void *fil_names_next(const struct fil_names *names, uint32_t *position);
