// SPDX-License-Identifier: Apache-2.0
#include "core/stream/aggregate.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/assert.h"

struct number {
    uint64_t count;
    int64_t value;
};

struct real {
    uint64_t count;
    double value;
};

struct top {
    uint64_t count;
    uint64_t used;
    struct fil_aggregate_top best[];
};

static int64_t number_at(const void *record, uint32_t offset)
{
    int64_t value;
    memcpy(&value, (const uint8_t *)record + offset, sizeof(value));
    return value;
}

static double real_at(const void *record, uint32_t offset)
{
    double value;
    memcpy(&value, (const uint8_t *)record + offset, sizeof(value));
    return value;
}

/** As the machine adds: without a trap or undefined behaviour at the ends. */
static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void count_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                             const void *const *records, uint32_t count)
{
    (void)aggregate;
    (void)records;
    for (uint32_t i = 0; i < count; i++) {
        ++*(uint64_t *)states[i];
    }
}

static void count_accumulate_run(const struct fil_aggregate *aggregate, void *state,
                                 const void *records, uint32_t stride, uint32_t count)
{
    (void)aggregate;
    (void)records;
    (void)stride;
    *(uint64_t *)state += count;
}

static void count_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    (void)aggregate;
    *(uint64_t *)into += *(const uint64_t *)from;
}

static void count_deduct(const struct fil_aggregate *aggregate, void *from, const void *part)
{
    (void)aggregate;
    *(uint64_t *)from -= *(const uint64_t *)part;
}

static void count_export(const struct fil_aggregate *aggregate, const void *state, void *out)
{
    (void)aggregate;
    memcpy(out, state, sizeof(uint64_t));
}

static void sum_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                           const void *const *records, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct number *state = states[i];
        state->count++;
        state->value = add(state->value, number_at(records[i], aggregate->offset));
    }
}

static void sum_accumulate_run(const struct fil_aggregate *aggregate, void *state,
                               const void *records, uint32_t stride, uint32_t count)
{
    struct number *sum = state;
    const uint8_t *record = records;
    sum->count += count;
    for (uint32_t i = 0; i < count; i++, record += stride) {
        sum->value = add(sum->value, number_at(record, aggregate->offset));
    }
}

static void sum_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    (void)aggregate;
    struct number *sum = into;
    const struct number *part = from;
    sum->count += part->count;
    sum->value = add(sum->value, part->value);
}

static void sum_deduct(const struct fil_aggregate *aggregate, void *from, const void *part)
{
    (void)aggregate;
    struct number *sum = from;
    const struct number *less = part;
    sum->count -= less->count;
    sum->value = (int64_t)((uint64_t)sum->value - (uint64_t)less->value);
}

static void value_export(const struct fil_aggregate *aggregate, const void *state, void *out)
{
    (void)aggregate;
    memcpy(out, (const uint8_t *)state + offsetof(struct number, value), sizeof(int64_t));
}

static void average_export(const struct fil_aggregate *aggregate, const void *state, void *out)
{
    (void)aggregate;
    const struct number *sum = state;
    double average = sum->count == 0 ? 0 : (double)sum->value / (double)sum->count;
    memcpy(out, &average, sizeof(average));
}

static void real_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                            const void *const *records, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct real *state = states[i];
        state->count++;
        state->value += real_at(records[i], aggregate->offset);
    }
}

static void real_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    (void)aggregate;
    struct real *sum = into;
    const struct real *part = from;
    sum->count += part->count;
    sum->value += part->value;
}

static void real_deduct(const struct fil_aggregate *aggregate, void *from, const void *part)
{
    (void)aggregate;
    struct real *sum = from;
    const struct real *less = part;
    sum->count -= less->count;
    // Nothing left is exactly nothing, whatever rounding has left.
    sum->value = sum->count == 0 ? 0 : sum->value - less->value;
}

static void keep_less(struct number *state, int64_t value)
{
    state->value = state->count == 0 || value < state->value ? value : state->value;
}

static void keep_greater(struct number *state, int64_t value)
{
    state->value = state->count == 0 || value > state->value ? value : state->value;
}

static void min_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                           const void *const *records, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct number *state = states[i];
        keep_less(state, number_at(records[i], aggregate->offset));
        state->count++;
    }
}

static void min_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    (void)aggregate;
    const struct number *part = from;
    if (part->count != 0) {
        keep_less(into, part->value);
        ((struct number *)into)->count += part->count;
    }
}

static void max_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                           const void *const *records, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct number *state = states[i];
        keep_greater(state, number_at(records[i], aggregate->offset));
        state->count++;
    }
}

static void max_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    (void)aggregate;
    const struct number *part = from;
    if (part->count != 0) {
        keep_greater(into, part->value);
        ((struct number *)into)->count += part->count;
    }
}

static bool is_better(const struct fil_aggregate_top *a, const struct fil_aggregate_top *b)
{
    return a->value > b->value || (a->value == b->value && a->id < b->id);
}

/** Puts the candidate into its place among the best, if it has one. */
static void top_offer(struct top *top, uint32_t limit, const struct fil_aggregate_top *candidate)
{
    if (top->used == limit && !is_better(candidate, &top->best[limit - 1])) {
        return;
    }
    uint64_t place = top->used < limit ? top->used++ : limit - 1;
    while (place > 0 && is_better(candidate, &top->best[place - 1])) {
        top->best[place] = top->best[place - 1];
        place--;
    }
    top->best[place] = *candidate;
}

static void top_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                           const void *const *records, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct top *top = states[i];
        const struct fil_aggregate_top candidate = {
            .value = number_at(records[i], aggregate->offset),
            .id = (uint64_t)number_at(records[i], aggregate->id_offset)};
        top->count++;
        top_offer(top, aggregate->limit, &candidate);
    }
}

/** Most records are worse than the worst of the best: those take one comparison. */
static void top_accumulate_run(const struct fil_aggregate *aggregate, void *state,
                               const void *records, uint32_t stride, uint32_t count)
{
    struct top *top = state;
    const uint8_t *record = records;
    top->count += count;
    for (uint32_t i = 0; i < count; i++, record += stride) {
        const struct fil_aggregate_top candidate = {
            .value = number_at(record, aggregate->offset),
            .id = (uint64_t)number_at(record, aggregate->id_offset)};
        // Among many keys most are as good as the worst: these, too, cost no call.
        if (top->used < aggregate->limit ||
            is_better(&candidate, &top->best[aggregate->limit - 1])) {
            top_offer(top, aggregate->limit, &candidate);
        }
    }
}

static void top_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    const struct top *part = from;
    for (uint64_t i = 0; i < part->used; i++) {
        top_offer(into, aggregate->limit, &part->best[i]);
    }
    ((struct top *)into)->count += part->count;
}

static void top_export(const struct fil_aggregate *aggregate, const void *state, void *out)
{
    const struct top *top = state;
    memset(out, 0, aggregate->result_size);
    memcpy(out, top->best, top->used * sizeof(top->best[0]));
}

static void real_average_export(const struct fil_aggregate *aggregate, const void *state, void *out)
{
    (void)aggregate;
    const struct real *sum = state;
    double average = sum->count == 0 ? 0 : sum->value / (double)sum->count;
    memcpy(out, &average, sizeof(average));
}

static const struct fil_aggregate_ops real_average_ops = {.name = "average",
                                                          .accumulate = real_accumulate,
                                                          .combine = real_combine,
                                                          .deduct = real_deduct,
                                                          .export_result = real_average_export};
static const struct fil_aggregate_ops count_ops = {.name = "count",
                                                   .is_additive = true,
                                                   .accumulate = count_accumulate,
                                                   .accumulate_run = count_accumulate_run,
                                                   .combine = count_combine,
                                                   .deduct = count_deduct,
                                                   .export_result = count_export,
                                                   .has_plain_result = true};
static const struct fil_aggregate_ops sum_ops = {.name = "sum",
                                                 .is_additive = true,
                                                 .accumulate = sum_accumulate,
                                                 .accumulate_run = sum_accumulate_run,
                                                 .combine = sum_combine,
                                                 .deduct = sum_deduct,
                                                 .export_result = value_export,
                                                 .has_plain_result = true,
                                                 .result_at = offsetof(struct number, value)};
static const struct fil_aggregate_ops average_ops = {.name = "average",
                                                     .is_additive = true,
                                                     .accumulate = sum_accumulate,
                                                     .accumulate_run = sum_accumulate_run,
                                                     .combine = sum_combine,
                                                     .deduct = sum_deduct,
                                                     .export_result = average_export};
static const struct fil_aggregate_ops real_ops = {.name = "sum",
                                                  .accumulate = real_accumulate,
                                                  .combine = real_combine,
                                                  .deduct = real_deduct,
                                                  .export_result = value_export,
                                                  .has_plain_result = true,
                                                  .result_at = offsetof(struct number, value)};
static const struct fil_aggregate_ops min_ops = {.name = "min",
                                                 .accumulate = min_accumulate,
                                                 .combine = min_combine,
                                                 .export_result = value_export,
                                                 .has_plain_result = true,
                                                 .result_at = offsetof(struct number, value)};
static const struct fil_aggregate_ops max_ops = {.name = "max",
                                                 .accumulate = max_accumulate,
                                                 .combine = max_combine,
                                                 .export_result = value_export,
                                                 .has_plain_result = true,
                                                 .result_at = offsetof(struct number, value)};
static const struct fil_aggregate_ops top_ops = {.name = "top",
                                                 .accumulate = top_accumulate,
                                                 .accumulate_run = top_accumulate_run,
                                                 .combine = top_combine,
                                                 .export_result = top_export};

_Static_assert(offsetof(struct real, value) == offsetof(struct number, value),
               "one export serves both");

struct fil_aggregate fil_aggregate_count(void)
{
    return (struct fil_aggregate){.ops = &count_ops, .state_size = 8, .result_size = 8};
}

static struct fil_aggregate of_number(const struct fil_aggregate_ops *ops, uint32_t offset)
{
    return (struct fil_aggregate){
        .ops = ops, .state_size = sizeof(struct number), .result_size = 8, .offset = offset};
}

struct fil_aggregate fil_aggregate_sum(uint32_t offset)
{
    return of_number(&sum_ops, offset);
}

struct fil_aggregate fil_aggregate_sum_real(uint32_t offset)
{
    return of_number(&real_ops, offset);
}

struct fil_aggregate fil_aggregate_average(uint32_t offset)
{
    return of_number(&average_ops, offset);
}

struct fil_aggregate fil_aggregate_average_real(uint32_t offset)
{
    return of_number(&real_average_ops, offset);
}

struct fil_aggregate fil_aggregate_min(uint32_t offset)
{
    return of_number(&min_ops, offset);
}

struct fil_aggregate fil_aggregate_max(uint32_t offset)
{
    return of_number(&max_ops, offset);
}

struct fil_aggregate fil_aggregate_top(uint32_t offset, uint32_t id_offset, uint32_t limit)
{
    fil_assert(limit >= 1 && limit <= FIL_AGGREGATE_TOP_MAX);
    uint32_t size = limit * (uint32_t)sizeof(struct fil_aggregate_top);
    return (struct fil_aggregate){.ops = &top_ops,
                                  .state_size = (uint32_t)sizeof(struct top) + size,
                                  .result_size = size,
                                  .offset = offset,
                                  .id_offset = id_offset,
                                  .limit = limit};
}
