// SPDX-License-Identifier: Apache-2.0
/**
 * Moves records to one of several places each, by their hashes, where there is room for all of them
 * everywhere: the inner loop of an exchange by key.
 */
#pragma once

#include <stdint.h>

/** With more targets than this, records are dealt one by one. */
#define FIL_SCATTER_TARGETS_MAX 16U

/** Records on their way to the places that their hashes say. */
struct fil_scatter {
    uint8_t *rows[FIL_SCATTER_TARGETS_MAX];   // of each target: where its next record goes
    int64_t *times[FIL_SCATTER_TARGETS_MAX];  // and its time
    uint32_t counts[FIL_SCATTER_TARGETS_MAX]; // records it has got
    uint32_t target_count;
    const uint8_t *from_rows;
    const int64_t *from_times; // NULL: none
    const uint64_t *hashes;
    uint32_t count;
};

/** Moves rows of stride bytes, and their times; the counts are zero before. */
void fil_scatter(struct fil_scatter *scatter, uint32_t stride);
