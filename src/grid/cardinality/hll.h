// SPDX-License-Identifier: Apache-2.0
/**
 * HyperLogLog++: how many different hashes there were, in 16 KiB at most.
 *
 * 2^14 registers, so that the estimate is off by 0.81 % (one standard deviation). A few hashes are
 * kept in a sorted array with 25 bits each, from which they are counted almost exactly; when that
 * would take as much memory as the registers, it becomes registers. The estimate of the registers
 * is Ertl's improved one, which needs no tables of empirical corrections.
 *
 * Memory:  charged to the account. FIL_E_NOMEM leaves it as it was.
 * Threads: single-threaded.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/mem/budget.h"

#define FIL_HLL_REGISTERS  (1U << 14)
#define FIL_HLL_SPARSE_MAX (FIL_HLL_REGISTERS / sizeof(uint32_t)) // entries

#define FIL_HLL_RANK_MAX 51U // of a register

struct fil_hll {
    struct fil_account *account;
    uint32_t *sparse;   // sorted; each with the index of 25 bits and the rank of what is behind it
    uint8_t *registers; // NULL: it is sparse
    uint32_t sparse_count;
    uint32_t sparse_capacity;
};

/** Owns nothing until the first hash comes. */
void fil_hll_init(struct fil_hll *hll, struct fil_account *account);
void fil_hll_fini(struct fil_hll *hll);

/** Bytes of memory. */
uint64_t fil_hll_bytes(const struct fil_hll *hll);

/** out_has_changed: whether the hash told anything new. FIL_E_NOMEM. */
int fil_hll_add(struct fil_hll *hll, uint64_t hash, bool *out_has_changed) FIL_NODISCARD;

uint64_t fil_hll_estimate(const struct fil_hll *hll);

/** The same from how many registers have each rank. */
uint64_t fil_hll_estimate_ranks(const uint32_t counts[FIL_HLL_RANK_MAX + 1]);

/** Adds all that the other has seen. FIL_E_NOMEM: some of it may have been added. */
int fil_hll_merge(struct fil_hll *hll, const struct fil_hll *other) FIL_NODISCARD;
