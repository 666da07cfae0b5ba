// SPDX-License-Identifier: Apache-2.0
#include "lib/base/histogram.h"

#include <assert.h>

#include "lib/base/assert.h"
#include "lib/base/attr.h"

static_assert(FIL_HISTOGRAM_BUCKET_COUNT == 1920, "the header tells the size");

// All loads and stores here are relaxed: counts publish nothing but themselves.

static uint64_t read_cell(const _Atomic uint64_t *cell)
{
    return atomic_load_explicit(cell, memory_order_relaxed);
}

void fil_histogram_reset(struct fil_histogram *histogram)
{
    for (uint32_t i = 0; i < FIL_HISTOGRAM_BUCKET_COUNT; i++) {
        atomic_store_explicit(&histogram->buckets[i], 0, memory_order_relaxed);
    }
    atomic_store_explicit(&histogram->sum, 0, memory_order_relaxed);
    atomic_store_explicit(&histogram->min, UINT64_MAX, memory_order_relaxed);
    atomic_store_explicit(&histogram->max, 0, memory_order_relaxed);
}

void fil_histogram_init(struct fil_histogram *histogram)
{
    fil_assert(histogram != NULL);
    fil_histogram_reset(histogram);
}

/** Moves the cell to the value, if that is beyond it in the wanted direction. */
static void extend_shared(_Atomic uint64_t *cell, uint64_t value, bool is_up)
{
    // Relaxed: as for one writer.
    uint64_t seen = atomic_load_explicit(cell, memory_order_relaxed);
    // Lock-free: each failure means that another writer has moved it.
    while ((is_up ? value > seen : value < seen) &&
           !atomic_compare_exchange_weak_explicit(cell, &seen, value, memory_order_relaxed,
                                                  memory_order_relaxed)) {
    }
}

void fil_histogram_record_shared(struct fil_histogram *histogram, uint64_t value)
{
    atomic_fetch_add_explicit(&histogram->buckets[fil_histogram_index(value)], 1,
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&histogram->sum, value, memory_order_relaxed);
    extend_shared(&histogram->min, value, false);
    extend_shared(&histogram->max, value, true);
}

void fil_histogram_merge(struct fil_histogram *into, const struct fil_histogram *from)
{
    fil_assert(into != from);
    for (uint32_t i = 0; i < FIL_HISTOGRAM_BUCKET_COUNT; i++) {
        uint64_t count = read_cell(&from->buckets[i]);
        if (count > 0) {
            fil_histogram_add_owned(&into->buckets[i], count);
        }
    }
    fil_histogram_add_owned(&into->sum, read_cell(&from->sum));
    uint64_t min = read_cell(&from->min);
    if (min < read_cell(&into->min)) {
        atomic_store_explicit(&into->min, min, memory_order_relaxed);
    }
    uint64_t max = read_cell(&from->max);
    if (max > read_cell(&into->max)) {
        atomic_store_explicit(&into->max, max, memory_order_relaxed);
    }
}

uint64_t fil_histogram_count(const struct fil_histogram *histogram)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < FIL_HISTOGRAM_BUCKET_COUNT; i++) {
        count += read_cell(&histogram->buckets[i]);
    }
    return count;
}

uint64_t fil_histogram_sum(const struct fil_histogram *histogram)
{
    return read_cell(&histogram->sum);
}

uint64_t fil_histogram_min(const struct fil_histogram *histogram)
{
    uint64_t min = read_cell(&histogram->min);
    // The maximum tells an empty histogram from one that holds only the largest value.
    return min == UINT64_MAX ? read_cell(&histogram->max) : min;
}

uint64_t fil_histogram_max(const struct fil_histogram *histogram)
{
    return read_cell(&histogram->max);
}

static uint64_t lower_bound(uint32_t index)
{
    fil_assert(index < FIL_HISTOGRAM_BUCKET_COUNT);
    // The inverse of fil_histogram_index; the first two groups of buckets have the width 1.
    uint32_t group = index >> FIL_HISTOGRAM_SUB_BITS;
    uint32_t shift = group == 0 ? 0 : group - 1;
    return (uint64_t)(index - (shift << FIL_HISTOGRAM_SUB_BITS)) << shift;
}

static uint64_t upper_bound(uint32_t index)
{
    return index + 1 == FIL_HISTOGRAM_BUCKET_COUNT ? UINT64_MAX : lower_bound(index + 1) - 1;
}

bool fil_histogram_next(const struct fil_histogram *histogram, uint32_t *cursor,
                        struct fil_histogram_bucket *out_bucket)
{
    for (uint32_t i = *cursor; i < FIL_HISTOGRAM_BUCKET_COUNT; i++) {
        uint64_t count = read_cell(&histogram->buckets[i]);
        if (count > 0) {
            *out_bucket = (struct fil_histogram_bucket){
                .lower = lower_bound(i), .upper = upper_bound(i), .count = count};
            *cursor = i + 1;
            return true;
        }
    }
    *cursor = FIL_HISTOGRAM_BUCKET_COUNT;
    return false;
}

/** How many of the smallest values the quantile spans; at least one. */
static uint64_t rank_of(double quantile, uint64_t count)
{
    if (quantile >= 1.0) {
        return count;
    }
    double exact = quantile * (double)count;
    uint64_t rank = (uint64_t)exact;
    // Rounded up, but 0.07 * 100 is 7 although the machine says a trifle more.
    if (exact - (double)rank > 1e-6) {
        rank++;
    }
    return rank == 0 ? 1 : rank;
}

uint64_t fil_histogram_quantile(const struct fil_histogram *histogram, double quantile)
{
    fil_assert(quantile >= 0.0);
    fil_assert(quantile <= 1.0);
    uint64_t count = fil_histogram_count(histogram);
    if (count == 0) {
        return 0;
    }
    uint64_t rank = rank_of(quantile, count);
    uint64_t seen = 0;
    uint32_t cursor = 0;
    struct fil_histogram_bucket bucket = {0};
    while (seen < rank && fil_histogram_next(histogram, &cursor, &bucket)) {
        seen += bucket.count;
    }
    // A maximum below the bucket is one that the writer has not stored yet.
    uint64_t max = fil_histogram_max(histogram);
    return max >= bucket.lower && max < bucket.upper ? max : bucket.upper;
}
