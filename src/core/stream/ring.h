// SPDX-License-Identifier: Apache-2.0
/**
 * The way from one producing to one consuming instance: a bounded queue of batches that wakes.
 *
 * A push wakes the consumer. A refused push leaves word that the producer waits; the consumer wakes
 * it when half of the ring is free again, so that the two do not take turns for every batch.
 *
 * Order:   first in, first out, marks among the data.
 * Bounds:  batches and bytes; a batch larger than the limit is let in when the ring is empty.
 * Memory:  a batch in the ring belongs to the ring: one reference.
 * Threads: one producer, one consumer (lib/conc/spsc.h).
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/stream/batch.h"
#include "core/stream/tasklet.h"
#include "lib/conc/spsc.h"

struct fil_ring {
    struct fil_spsc queue;

    // Set before the tasklets run, then read-only. NULL: nobody to wake.
    struct fil_tasklet *producer;
    struct fil_tasklet *consumer;
    uint64_t limit_bytes;

    // Written by the producer, read by anyone.
    alignas(FIL_CACHE_LINE) _Atomic uint64_t pushed_bytes;
    struct fil_counter record_count; // that went through
    struct fil_counter refusal_count;
    _Atomic bool producer_waits; // set by the producer, cleared by the consumer

    // Written by the consumer, read by the producer.
    alignas(FIL_CACHE_LINE) _Atomic uint64_t taken_bytes;
};

/** Batch count is a power of two. FIL_E_NOMEM. */
int fil_ring_init(struct fil_ring *ring, uint32_t batch_count, uint64_t limit_bytes) FIL_NODISCARD;

/** Lets go of what is still inside; harmless after a failed init of zeroed memory. */
void fil_ring_fini(struct fil_ring *ring);

/** Producer. Takes over the caller's reference; false when full: the consumer will wake it. */
bool fil_ring_push(struct fil_ring *ring, struct fil_batch *batch) FIL_NODISCARD;

/** Consumer. The next batch with the ring's reference, or NULL; NULL is told for certain. */
struct fil_batch *fil_ring_take(struct fil_ring *ring) FIL_NODISCARD;

/** Bytes on their way; a figure that may be old. */
FIL_ANY_THREAD uint64_t fil_ring_bytes(struct fil_ring *ring);
