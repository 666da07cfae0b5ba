// SPDX-License-Identifier: Apache-2.0
/**
 * A chain of maps and filters over a block of records, step by step.
 *
 * The records of a block lie one behind the other; each step reads all of them and leaves those
 * that go on, again one behind the other. So every step is one loop, or one call of a function for
 * many records.
 *
 * Threads: whoever owns it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/chain.h"

struct fil_block {
    const struct fil_chain_config *config;
    uint8_t *buffers[2]; // in turn: what a step reads and what it writes
    uint32_t kept[FIL_BATCH_RECORDS];
    uint32_t origins[FIL_BATCH_RECORDS]; // number of the input record that each one comes from
    uint32_t count;                      // of records that are left
};

/** Whether the steps are maps and filters only. */
bool fil_block_fits(const struct fil_chain_config *config);

/** FIL_E_NOMEM, FIL_E_INVALID: a step has no function; fini is due in any case. */
int fil_block_init(struct fil_block *block, const struct fil_chain_config *config) FIL_NODISCARD;
void fil_block_fini(struct fil_block *block);

/**
 * Takes up to FIL_BATCH_RECORDS records of this stride through all steps and writes those that are
 * left to `out`, which has room for all; `count` and `origins` tell which they are.
 */
void fil_block_run(struct fil_block *block, const void *records, uint32_t stride, uint32_t count,
                   void *out);
