// SPDX-License-Identifier: Apache-2.0
/**
 * Bounded ring of byte blocks: one thread appends, the log's writer takes.
 *
 * A block is always one piece of memory: what does not fit before the end of the ring starts again
 * at its beginning. A full ring refuses the block; the caller drops it and counts.
 *
 * Order:    first in, first out.
 * Progress: wait-free on both sides.
 * Parking:  commit and is_empty are sequentially consistent, as lib/conc/parker.h wants it.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/counter.h"

#define FIL_LOG_RING_BYTES_MIN (UINT32_C(1) << 14)
#define FIL_LOG_RING_BYTES_MAX (UINT32_C(1) << 24)

/** Longest name of a thread ("partition/127"), with its end. */
#define FIL_LOG_ROLE_MAX 24U

/** A ring is taken by a thread, closed by it, and free for another once the writer emptied it. */
enum fil_log_ring_state {
    FIL_LOG_RING_FREE,
    FIL_LOG_RING_USED,
    FIL_LOG_RING_CLOSED
};

struct fil_log_ring {
    // Written by new, then read-only for everybody.
    uint8_t *memory;
    uint32_t capacity;

    // Written by whoever takes the ring, before its first block.
    char role[FIL_LOG_ROLE_MAX];

    // Shared.
    _Atomic uint32_t state; // enum fil_log_ring_state
    alignas(FIL_CACHE_LINE) _Atomic uint32_t tail;
    alignas(FIL_CACHE_LINE) _Atomic uint32_t head;

    // The producer's own.
    alignas(FIL_CACHE_LINE) uint32_t known_head;
    uint32_t reserved_tail;
    struct fil_counter dropped;

    // The consumer's own.
    alignas(FIL_CACHE_LINE) uint32_t known_tail;
    uint64_t dropped_told;
    uint64_t dropped_told_ns;
};

void fil_log_ring_free(struct fil_log_ring *ring);

/** Capacity is a power of two between FIL_LOG_RING_BYTES_MIN and _MAX; NULL when memory is out. */
struct fil_log_ring *fil_log_ring_new(uint32_t capacity) FIL_GIVES(fil_log_ring_free);

/** Producer: room for a block of size bytes at a multiple of eight, or NULL when the ring is full.
 */
void *fil_log_ring_reserve(struct fil_log_ring *ring, uint32_t size) FIL_NODISCARD;

/** Producer: the block reserved last is complete. */
void fil_log_ring_commit(struct fil_log_ring *ring);

/** Consumer: the oldest block, or NULL. It stays until release. */
const void *fil_log_ring_peek(struct fil_log_ring *ring);

/** Consumer: done with the block peek gave. */
void fil_log_ring_release(struct fil_log_ring *ring);

/** Consumer: false as soon as a block is committed. */
bool fil_log_ring_is_empty(struct fil_log_ring *ring);
