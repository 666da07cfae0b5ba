// SPDX-License-Identifier: Apache-2.0
/**
 * Aggregates that would need all values, from states of a fixed size: how many different ones there
 * are, and the value below which a share of them is.
 */
#include <math.h>

#include "core/stream/aggregate.h"
#include "core/stream/key.h"
#include "lib/base/assert.h"

// Distinct: registers that keep the longest run of zeros among the hashes dealt to each.
#define REGISTER_BITS  10U
#define REGISTER_COUNT (1U << REGISTER_BITS)
#define ESTIMATE_SCALE 0.7213 // of many registers; 1.079 / count is left to the error
#define SMALL_RANGE    2.5

// Percentile: 16 buckets for each power of two, those below 16 exact, negative ones likewise.
#define BUCKET_BITS  4U
#define BUCKETS_EACH (1U << BUCKET_BITS)
#define BUCKET_COUNT (BUCKETS_EACH * (64U - BUCKET_BITS))

struct distinct {
    uint64_t count;
    uint8_t registers[REGISTER_COUNT];
};

struct percentile {
    uint64_t count;
    uint32_t negative[BUCKET_COUNT]; // of -1 - value
    uint32_t positive[BUCKET_COUNT];
};

static void distinct_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                                const void *const *records, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct distinct *distinct = states[i];
        uint64_t hash = fil_key_hash_bytes(
            fil_bytes_make((const uint8_t *)records[i] + aggregate->offset, aggregate->limit));
        uint64_t rest = (hash << REGISTER_BITS) | (1U << (REGISTER_BITS - 1)); // never 0
        uint8_t run = (uint8_t)(__builtin_clzll(rest) + 1);
        uint8_t *place = &distinct->registers[hash >> (64U - REGISTER_BITS)];
        *place = run > *place ? run : *place;
        distinct->count++;
    }
}

static void distinct_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    (void)aggregate;
    struct distinct *distinct = into;
    const struct distinct *part = from;
    for (uint32_t i = 0; i < REGISTER_COUNT; i++) {
        bool is_more = part->registers[i] > distinct->registers[i];
        distinct->registers[i] = is_more ? part->registers[i] : distinct->registers[i];
    }
    distinct->count += part->count;
}

static void distinct_export(const struct fil_aggregate *aggregate, const void *state, void *out)
{
    (void)aggregate;
    const struct distinct *distinct = state;
    const double registers = REGISTER_COUNT;
    double sum = 0;
    uint32_t empty = 0;
    for (uint32_t i = 0; i < REGISTER_COUNT; i++) {
        sum += ldexp(1.0, -distinct->registers[i]);
        empty += distinct->registers[i] == 0;
    }
    double estimate = ESTIMATE_SCALE * registers * registers / sum;
    // While many registers are empty, how many are is the better witness.
    if (estimate <= SMALL_RANGE * registers && empty != 0) {
        estimate = registers * log(registers / empty);
    }
    int64_t result = llround(estimate);
    // There are no more different ones than there are.
    result = (uint64_t)result > distinct->count ? (int64_t)distinct->count : result;
    memcpy(out, &result, sizeof(result));
}

static uint32_t bucket_of(uint64_t value)
{
    if (value < BUCKETS_EACH) {
        return (uint32_t)value;
    }
    uint32_t shift = 63U - (uint32_t)__builtin_clzll(value) - BUCKET_BITS;
    return (shift + 1) * BUCKETS_EACH + (uint32_t)(value >> shift) - BUCKETS_EACH;
}

/** The middle of a bucket. */
static uint64_t value_of(uint32_t bucket)
{
    if (bucket < BUCKETS_EACH) {
        return bucket;
    }
    uint32_t shift = bucket / BUCKETS_EACH - 1;
    uint64_t least = (uint64_t)(BUCKETS_EACH + bucket % BUCKETS_EACH) << shift;
    return least + ((UINT64_C(1) << shift) - 1) / 2;
}

static void percentile_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                                  const void *const *records, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct percentile *percentile = states[i];
        int64_t value;
        memcpy(&value, (const uint8_t *)records[i] + aggregate->offset, sizeof(value));
        uint32_t *place = value < 0 ? &percentile->negative[bucket_of((uint64_t)(-1 - value))]
                                    : &percentile->positive[bucket_of((uint64_t)value)];
        *place += *place != UINT32_MAX; // stays there: the others still tell their shares
        percentile->count++;
    }
}

static void add_buckets(uint32_t *into, const uint32_t *from)
{
    for (uint32_t i = 0; i < BUCKET_COUNT; i++) {
        uint32_t room = UINT32_MAX - into[i];
        into[i] += from[i] < room ? from[i] : room;
    }
}

static void percentile_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    (void)aggregate;
    struct percentile *percentile = into;
    const struct percentile *part = from;
    if (part->count != 0) {
        add_buckets(percentile->negative, part->negative);
        add_buckets(percentile->positive, part->positive);
        percentile->count += part->count;
    }
}

static uint64_t total(const uint32_t *buckets)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < BUCKET_COUNT; i++) {
        sum += buckets[i];
    }
    return sum;
}

/** The value with so many at or below it. */
static int64_t find_rank(const struct percentile *percentile, uint64_t rank)
{
    uint64_t seen = 0;
    for (uint32_t i = BUCKET_COUNT; i > 0; i--) {
        seen += percentile->negative[i - 1];
        if (seen >= rank) {
            return -1 - (int64_t)value_of(i - 1);
        }
    }
    for (uint32_t i = 0; i < BUCKET_COUNT; i++) {
        seen += percentile->positive[i];
        if (seen >= rank) {
            return (int64_t)value_of(i);
        }
    }
    return 0;
}

static void percentile_export(const struct fil_aggregate *aggregate, const void *state, void *out)
{
    const struct percentile *percentile = state;
    uint64_t count = total(percentile->negative) + total(percentile->positive);
    double share = (double)aggregate->limit / FIL_AGGREGATE_RANK_SCALE / 100.0;
    uint64_t rank = (uint64_t)ceil(share * (double)count);
    rank = rank == 0 ? 1 : rank;
    int64_t result = find_rank(percentile, rank > count ? count : rank);
    memcpy(out, &result, sizeof(result));
}

static const struct fil_aggregate_ops distinct_ops = {.name = "distinct",
                                                      .accumulate = distinct_accumulate,
                                                      .combine = distinct_combine,
                                                      .export_result = distinct_export};
static const struct fil_aggregate_ops percentile_ops = {.name = "percentile",
                                                        .accumulate = percentile_accumulate,
                                                        .combine = percentile_combine,
                                                        .export_result = percentile_export};

_Static_assert(sizeof(struct distinct) % 8 == 0 && sizeof(struct percentile) % 8 == 0, "states");
_Static_assert(sizeof(struct percentile) <= FIL_AGGREGATE_STATE_BYTES_MAX, "a state has room");

struct fil_aggregate fil_aggregate_distinct(uint32_t offset, uint32_t size)
{
    return (struct fil_aggregate){.ops = &distinct_ops,
                                  .state_size = sizeof(struct distinct),
                                  .result_size = 8,
                                  .offset = offset,
                                  .limit = size};
}

struct fil_aggregate fil_aggregate_percentile(uint32_t offset, uint32_t rank)
{
    fil_assert(rank <= 100 * FIL_AGGREGATE_RANK_SCALE);
    return (struct fil_aggregate){.ops = &percentile_ops,
                                  .state_size = sizeof(struct percentile),
                                  .result_size = 8,
                                  .offset = offset,
                                  .limit = rank};
}
