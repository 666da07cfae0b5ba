// SPDX-License-Identifier: Apache-2.0
/**
 * Log-linear histogram of 64-bit values, durations in nanoseconds above all.
 *
 * Every power of two is cut into 32 equal buckets: values up to 63 are exact, any other lies in a
 * bucket that is at most 1/32 (3.1 %) of its lower bound wide. All of uint64_t is covered; nothing
 * is ever out of range.
 *
 * Memory:  fixed, about 15 KiB a histogram; nothing is allocated.
 * Threads: one writer records and resets; any thread reads at any time without a lock. Where there
 *          are several writers, all of them use record_shared. What a reader sees is no single
 *          moment's truth: to get figures that agree with each other, merge into a histogram of
 *          your own and ask that one.
 * Progress: all wait-free but record_shared, which is lock-free; recording by one writer has no
 *          locked instruction.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define FIL_HISTOGRAM_SUB_BITS     5
#define FIL_HISTOGRAM_SUB_COUNT    (1U << FIL_HISTOGRAM_SUB_BITS)
#define FIL_HISTOGRAM_BUCKET_COUNT ((64U - FIL_HISTOGRAM_SUB_BITS + 1U) * FIL_HISTOGRAM_SUB_COUNT)

struct fil_histogram {
    _Atomic uint64_t sum; // wraps, after 584 years of nanoseconds
    _Atomic uint64_t min; // UINT64_MAX while empty
    _Atomic uint64_t max;
    _Atomic uint64_t buckets[FIL_HISTOGRAM_BUCKET_COUNT];
};

/** Values from lower to upper, both included. */
struct fil_histogram_bucket {
    uint64_t lower;
    uint64_t upper;
    uint64_t count;
};

void fil_histogram_init(struct fil_histogram *histogram);

/** The bucket a value falls into. */
static inline uint32_t fil_histogram_index(uint64_t value)
{
    // Below 64 nothing is cut off; above, the leading one and the five bits behind it are kept.
    uint32_t exponent = 63U - (uint32_t)__builtin_clzll(value | FIL_HISTOGRAM_SUB_COUNT);
    uint32_t shift = exponent - FIL_HISTOGRAM_SUB_BITS;
    return (shift << FIL_HISTOGRAM_SUB_BITS) + (uint32_t)(value >> shift);
}

/** Adds without a locked instruction; only the one writer may do so. */
static inline void fil_histogram_add_owned(_Atomic uint64_t *cell, uint64_t amount)
{
    // Relaxed: nothing else is published by a count.
    uint64_t before = atomic_load_explicit(cell, memory_order_relaxed);
    atomic_store_explicit(cell, before + amount, memory_order_relaxed);
}

/** Writer: the value was seen `count` times, e.g. by all operations of a batch. */
static inline void fil_histogram_record_many(struct fil_histogram *histogram, uint64_t value,
                                             uint64_t count)
{
    fil_histogram_add_owned(&histogram->buckets[fil_histogram_index(value)], count);
    fil_histogram_add_owned(&histogram->sum, value * count);
    // Relaxed: as above.
    if (value < atomic_load_explicit(&histogram->min, memory_order_relaxed)) {
        atomic_store_explicit(&histogram->min, value, memory_order_relaxed);
    }
    if (value > atomic_load_explicit(&histogram->max, memory_order_relaxed)) {
        atomic_store_explicit(&histogram->max, value, memory_order_relaxed);
    }
}

/** Writer: the value was seen. */
static inline void fil_histogram_record(struct fil_histogram *histogram, uint64_t value)
{
    fil_histogram_record_many(histogram, value, 1);
}

/** The value was seen, by one of several writers. */
void fil_histogram_record_shared(struct fil_histogram *histogram, uint64_t value);

/** Writer of `into`: adds all that `from` holds. */
void fil_histogram_merge(struct fil_histogram *into, const struct fil_histogram *from);

/** Writer: forgets everything. */
void fil_histogram_reset(struct fil_histogram *histogram);

/** How many values; walks the buckets. */
uint64_t fil_histogram_count(const struct fil_histogram *histogram);

uint64_t fil_histogram_sum(const struct fil_histogram *histogram);

/** 0 while empty. */
uint64_t fil_histogram_min(const struct fil_histogram *histogram);
uint64_t fil_histogram_max(const struct fil_histogram *histogram);

/**
 * A value that at least this part of all values does not exceed (0.99: the 99th percentile): the
 * upper bound of the bucket in question, or the maximum when that is less. 0 while empty.
 */
uint64_t fil_histogram_quantile(const struct fil_histogram *histogram, double quantile);

/**
 * Walks the buckets that are not empty, in rising order. Start with *cursor = 0; false at the end.
 */
bool fil_histogram_next(const struct fil_histogram *histogram, uint32_t *cursor,
                        struct fil_histogram_bucket *out_bucket);
