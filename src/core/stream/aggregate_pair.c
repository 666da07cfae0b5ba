// SPDX-License-Identifier: Apache-2.0
// Aggregates over doubles that have an order, and over two fields of a record.
#include "core/stream/aggregate.h"

#include <stddef.h>
#include <string.h>

struct real {
    uint64_t count;
    double value;
};

/** The value of the record whose other field is the least, or the greatest. */
struct chosen {
    uint64_t count;
    uint64_t value; // as it is in the record
    int64_t number; // what was compared
    double real;
};

/** Means and how far the records are from them: as stable as the numbers are. */
struct trend {
    uint64_t count;
    double mean_x;
    double mean_y;
    double spread_xy;
    double spread_xx;
};

static double real_at(const void *record, uint32_t offset)
{
    double value;
    memcpy(&value, (const uint8_t *)record + offset, sizeof(value));
    return value;
}

static int64_t number_at(const void *record, uint32_t offset)
{
    int64_t value;
    memcpy(&value, (const uint8_t *)record + offset, sizeof(value));
    return value;
}

static bool is_max(const struct fil_aggregate *aggregate)
{
    return (aggregate->limit & FIL_AGGREGATE_IS_MAX) != 0;
}

static void extreme_offer(const struct fil_aggregate *aggregate, struct real *state, double value)
{
    bool is_better = is_max(aggregate) ? value > state->value : value < state->value;
    state->value = state->count == 0 || is_better ? value : state->value;
}

static void extreme_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                               const void *const *records, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct real *state = states[i];
        extreme_offer(aggregate, state, real_at(records[i], aggregate->offset));
        state->count++;
    }
}

static void extreme_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    const struct real *part = from;
    if (part->count != 0) {
        extreme_offer(aggregate, into, part->value);
        ((struct real *)into)->count += part->count;
    }
}

/** Below, at or above 0; equal ones are told apart by their values, whoever came first. */
static int compare_chosen(const struct fil_aggregate *aggregate, const struct chosen *a,
                          const struct chosen *b)
{
    bool is_real = (aggregate->limit & FIL_AGGREGATE_IS_REAL) != 0;
    int order = is_real ? (a->real > b->real) - (a->real < b->real)
                        : (a->number > b->number) - (a->number < b->number);
    order = is_max(aggregate) ? -order : order;
    return order != 0 ? order : (a->value > b->value) - (a->value < b->value);
}

static void chosen_offer(const struct fil_aggregate *aggregate, struct chosen *state,
                         const struct chosen *candidate)
{
    uint64_t count = state->count + candidate->count;
    if (state->count == 0 || compare_chosen(aggregate, candidate, state) < 0) {
        *state = *candidate;
    }
    state->count = count;
}

static void chosen_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                              const void *const *records, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct chosen candidate = {.count = 1,
                                         .value =
                                             (uint64_t)number_at(records[i], aggregate->offset),
                                         .number = number_at(records[i], aggregate->id_offset),
                                         .real = real_at(records[i], aggregate->id_offset)};
        chosen_offer(aggregate, states[i], &candidate);
    }
}

static void chosen_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    const struct chosen *part = from;
    if (part->count != 0) {
        chosen_offer(aggregate, into, part);
    }
}

static double as_real(const struct fil_aggregate *aggregate, const void *record, uint32_t offset,
                      uint32_t flag)
{
    return (aggregate->limit & flag) != 0 ? real_at(record, offset)
                                          : (double)number_at(record, offset);
}

static void trend_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                             const void *const *records, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct trend *trend = states[i];
        double y = as_real(aggregate, records[i], aggregate->offset, FIL_AGGREGATE_IS_REAL);
        double x = as_real(aggregate, records[i], aggregate->id_offset, FIL_AGGREGATE_IS_REAL_BY);
        trend->count++;
        double from_mean_x = x - trend->mean_x;
        trend->mean_x += from_mean_x / (double)trend->count;
        trend->mean_y += (y - trend->mean_y) / (double)trend->count;
        trend->spread_xy += from_mean_x * (y - trend->mean_y);
        trend->spread_xx += from_mean_x * (x - trend->mean_x);
    }
}

static void trend_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    (void)aggregate;
    struct trend *trend = into;
    const struct trend *part = from;
    if (part->count == 0) {
        return;
    }
    double own = (double)trend->count;
    double other = (double)part->count;
    double apart_x = part->mean_x - trend->mean_x;
    double apart_y = part->mean_y - trend->mean_y;
    double weight = own * other / (own + other);
    trend->count += part->count;
    trend->mean_x += apart_x * other / (own + other);
    trend->mean_y += apart_y * other / (own + other);
    trend->spread_xy += part->spread_xy + apart_x * apart_y * weight;
    trend->spread_xx += part->spread_xx + apart_x * apart_x * weight;
}

static void trend_export(const struct fil_aggregate *aggregate, const void *state, void *out)
{
    (void)aggregate;
    const struct trend *trend = state;
    double slope = trend->spread_xx > 0 ? trend->spread_xy / trend->spread_xx : 0;
    memcpy(out, &slope, sizeof(slope));
}

static const struct fil_aggregate_ops extreme_ops = {.name = "extreme of doubles",
                                                     .accumulate = extreme_accumulate,
                                                     .combine = extreme_combine,
                                                     .has_plain_result = true,
                                                     .result_at = offsetof(struct real, value)};
static const struct fil_aggregate_ops chosen_ops = {.name = "value at an extreme",
                                                    .accumulate = chosen_accumulate,
                                                    .combine = chosen_combine,
                                                    .has_plain_result = true,
                                                    .result_at = offsetof(struct chosen, value)};
static const struct fil_aggregate_ops trend_ops = {.name = "trend",
                                                   .accumulate = trend_accumulate,
                                                   .combine = trend_combine,
                                                   .export_result = trend_export};

struct fil_aggregate fil_aggregate_extreme_real(uint32_t offset, uint32_t flags)
{
    return (struct fil_aggregate){.ops = &extreme_ops,
                                  .state_size = sizeof(struct real),
                                  .result_size = 8,
                                  .offset = offset,
                                  .limit = flags};
}

struct fil_aggregate fil_aggregate_chosen(uint32_t offset, uint32_t by_offset, uint32_t flags)
{
    return (struct fil_aggregate){.ops = &chosen_ops,
                                  .state_size = sizeof(struct chosen),
                                  .result_size = 8,
                                  .offset = offset,
                                  .id_offset = by_offset,
                                  .limit = flags};
}

struct fil_aggregate fil_aggregate_trend(uint32_t offset, uint32_t by_offset, uint32_t flags)
{
    return (struct fil_aggregate){.ops = &trend_ops,
                                  .state_size = sizeof(struct trend),
                                  .result_size = 8,
                                  .offset = offset,
                                  .id_offset = by_offset,
                                  .limit = flags};
}
