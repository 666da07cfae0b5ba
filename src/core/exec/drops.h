// SPDX-License-Identifier: Apache-2.0
/**
 * Who has lost events, by the listeners' names: a table that can be shown without knowing the
 * listeners, which come and go.
 *
 * The first names that lose something get a place each and keep it, as a metric keeps its series;
 * what all others lose is counted together. Listeners of the same name share a place.
 *
 * Progress: wait-free, but for the first loss of a listener, which looks through the table.
 * Threads:  any.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "lib/conc/counter.h"
#include "lib/conc/role.h"

#define FIL_DROPS_NAMES_MAX 32U
#define FIL_DROPS_NAME_MAX  32U

enum fil_drops_state {
    FIL_DROPS_FREE,
    FIL_DROPS_CLAIMED, // its name is being written
    FIL_DROPS_TAKEN,
};

struct fil_drops_place {
    _Atomic uint32_t state; // fil_drops_state
    char name[FIL_DROPS_NAME_MAX];
    struct fil_counter count;
};

/** Zeroed memory is an empty table. */
struct fil_drops {
    struct fil_drops_place places[FIL_DROPS_NAMES_MAX];
    struct fil_counter others;
};

/**
 * Counts lost events. The cache is the listener's: it begins as NULL and remembers where its losses
 * are counted.
 */
FIL_ANY_THREAD void fil_drops_count(struct fil_drops *drops, const char *name,
                                    _Atomic(struct fil_counter *) *cache, uint64_t count);

/** The place of that index once it has a name, else NULL; places are taken in their order. */
FIL_ANY_THREAD const struct fil_drops_place *fil_drops_place(const struct fil_drops *drops,
                                                             uint32_t index);
