// SPDX-License-Identifier: Apache-2.0
/**
 * A HyperLogLog as a string of bytes: how Redis clients keep one under a key.
 *
 *     "HYLL" | form 1 | zeros 3 | 8 bytes that say "not counted yet" | registers
 *
 * Hash, registers and estimate are Redis's, so that counts are too; so is the dense form, with six
 * bits a register. The sparse one is ours: up to so many registers that are not 0, sorted, with
 * three bytes each.
 *
 * Threads: pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "grid/cardinality/hll.h"
#include "lib/base/bytes.h"

#define FIL_SKETCH_HEAD        16U
#define FIL_SKETCH_SPARSE_MAX  1000U // registers
#define FIL_SKETCH_ENTRY_BYTES 3U
#define FIL_SKETCH_DENSE_BYTES (FIL_SKETCH_HEAD + FIL_HLL_REGISTERS / 4 * 3)

/** One that has seen nothing. */
extern const uint8_t fil_sketch_empty[FIL_SKETCH_HEAD];

/** Whether the bytes are one; all others want such. */
bool fil_sketch_is_sound(struct fil_bytes sketch);

/** What a thing is for a sketch: its register, and the rank that this then has at least. */
struct fil_sketch_mark {
    uint32_t index;
    uint32_t rank;
};
struct fil_sketch_mark fil_sketch_mark_of(struct fil_bytes thing);

/** The size that the sketch needs for the mark; 0: nothing changes by it. */
size_t fil_sketch_room(struct fil_bytes sketch, struct fil_sketch_mark mark);

/** Writes the mark into the sketch of a size, which has the room that it needs. */
void fil_sketch_add(uint8_t *sketch, size_t old_size, size_t size, struct fil_sketch_mark mark);

/** How many different things it has seen. */
uint64_t fil_sketch_estimate(struct fil_bytes sketch);

/** Registers of several together, a byte each. */
void fil_sketch_merge(struct fil_bytes sketch, uint8_t ranks[FIL_HLL_REGISTERS]);
uint64_t fil_sketch_estimate_merged(const uint8_t ranks[FIL_HLL_REGISTERS]);

/** Writes them as a sketch; returns its size. */
size_t fil_sketch_encode(const uint8_t ranks[FIL_HLL_REGISTERS],
                         uint8_t room[FIL_SKETCH_DENSE_BYTES]);
