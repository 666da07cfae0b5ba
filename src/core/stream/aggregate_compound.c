// SPDX-License-Identifier: Apache-2.0
// Aggregates that consist of others: several at once, and the two halves of one.
#include <stddef.h>
#include <string.h>

#include "core/stream/aggregate.h"
#include "lib/base/assert.h"

// Several: a count of its own, then the states of the parts.

#define SEVERAL_AT_ONCE 64U

static void several_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                               const void *const *records, uint32_t count)
{
    void *places[SEVERAL_AT_ONCE];
    for (uint32_t first = 0; first < count; first += SEVERAL_AT_ONCE) {
        uint32_t some = count - first < SEVERAL_AT_ONCE ? count - first : SEVERAL_AT_ONCE;
        uint32_t offset = sizeof(uint64_t);
        for (uint32_t part = 0; part < aggregate->part_count; part++) {
            const struct fil_aggregate *each = &aggregate->parts[part];
            for (uint32_t i = 0; i < some; i++) {
                places[i] = (uint8_t *)states[first + i] + offset;
            }
            each->ops->accumulate(each, places, records + first, some);
            offset += each->state_size;
        }
        for (uint32_t i = 0; i < some; i++) {
            ++*(uint64_t *)states[first + i];
        }
    }
}

static void several_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    uint32_t offset = sizeof(uint64_t);
    *(uint64_t *)into += *(const uint64_t *)from;
    for (uint32_t part = 0; part < aggregate->part_count; part++) {
        const struct fil_aggregate *each = &aggregate->parts[part];
        each->ops->combine(each, (uint8_t *)into + offset, (const uint8_t *)from + offset);
        offset += each->state_size;
    }
}

static void several_deduct(const struct fil_aggregate *aggregate, void *from, const void *less)
{
    uint32_t offset = sizeof(uint64_t);
    *(uint64_t *)from -= *(const uint64_t *)less;
    for (uint32_t part = 0; part < aggregate->part_count; part++) {
        const struct fil_aggregate *each = &aggregate->parts[part];
        each->ops->deduct(each, (uint8_t *)from + offset, (const uint8_t *)less + offset);
        offset += each->state_size;
    }
}

static void several_export(const struct fil_aggregate *aggregate, const void *state, void *out)
{
    uint32_t offset = sizeof(uint64_t);
    uint8_t *to = out;
    for (uint32_t part = 0; part < aggregate->part_count; part++) {
        const struct fil_aggregate *each = &aggregate->parts[part];
        fil_aggregate_export(each, (const uint8_t *)state + offset, to);
        offset += each->state_size;
        to += each->result_size;
    }
}

static const struct fil_aggregate_ops several_ops = {.name = "several",
                                                     .accumulate = several_accumulate,
                                                     .combine = several_combine,
                                                     .deduct = several_deduct,
                                                     .export_result = several_export};
static const struct fil_aggregate_ops several_fixed_ops = {.name = "several",
                                                           .accumulate = several_accumulate,
                                                           .combine = several_combine,
                                                           .export_result = several_export};

struct fil_aggregate fil_aggregate_several(const struct fil_aggregate *parts, uint32_t count)
{
    fil_assert(count >= 1 && count <= FIL_AGGREGATE_PARTS_MAX);
    struct fil_aggregate several = {
        .ops = &several_ops, .state_size = sizeof(uint64_t), .parts = parts, .part_count = count};
    for (uint32_t i = 0; i < count; i++) {
        several.state_size += parts[i].state_size;
        several.result_size += parts[i].result_size;
        // One that cannot deduct keeps all of them from it.
        several.ops = parts[i].ops->deduct == NULL ? &several_fixed_ops : several.ops;
    }
    return several;
}

// The first half: states instead of results.

static const struct fil_aggregate *inner_of(const struct fil_aggregate *aggregate)
{
    fil_debug_assert(aggregate->part_count == 1);
    return &aggregate->parts[0];
}

static void partial_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                               const void *const *records, uint32_t count)
{
    const struct fil_aggregate *inner = inner_of(aggregate);
    inner->ops->accumulate(inner, states, records, count);
}

static void partial_accumulate_run(const struct fil_aggregate *aggregate, void *state,
                                   const void *records, uint32_t stride, uint32_t count)
{
    fil_aggregate_accumulate_run(inner_of(aggregate), state, records, stride, count);
}

static void inner_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    const struct fil_aggregate *inner = inner_of(aggregate);
    inner->ops->combine(inner, into, from);
}

static void inner_deduct(const struct fil_aggregate *aggregate, void *from, const void *part)
{
    const struct fil_aggregate *inner = inner_of(aggregate);
    inner->ops->deduct(inner, from, part);
}

static void partial_export(const struct fil_aggregate *aggregate, const void *state, void *out)
{
    memcpy(out, state, aggregate->state_size);
}

static const struct fil_aggregate_ops partial_ops = {.name = "part",
                                                     .accumulate = partial_accumulate,
                                                     .accumulate_run = partial_accumulate_run,
                                                     .combine = inner_combine,
                                                     .export_result = partial_export};

struct fil_aggregate fil_aggregate_partial(const struct fil_aggregate *inner)
{
    return (struct fil_aggregate){.ops = &partial_ops,
                                  .state_size = inner->state_size,
                                  .result_size = inner->state_size,
                                  .parts = inner,
                                  .part_count = 1};
}

// The second half: records that carry states of the first.

static void combined_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                                const void *const *records, uint32_t count)
{
    const struct fil_aggregate *inner = inner_of(aggregate);
    for (uint32_t i = 0; i < count; i++) {
        inner->ops->combine(inner, states[i], (const uint8_t *)records[i] + aggregate->offset);
    }
}

/** States that are added word by word need no call for each. */
static void combined_add(const struct fil_aggregate *aggregate, void *const *states,
                         const void *const *records, uint32_t count)
{
    uint32_t words = aggregate->state_size / (uint32_t)sizeof(uint64_t);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *into = states[i];
        const uint64_t *part = (const void *)((const uint8_t *)records[i] + aggregate->offset);
        for (uint32_t word = 0; word < words; word++) {
            into[word] += part[word];
        }
    }
}

static void inner_export(const struct fil_aggregate *aggregate, const void *state, void *out)
{
    fil_aggregate_export(inner_of(aggregate), state, out);
}

static const struct fil_aggregate_ops combined_fixed_ops = {.name = "whole",
                                                            .accumulate = combined_accumulate,
                                                            .combine = inner_combine,
                                                            .export_result = inner_export};
static const struct fil_aggregate_ops combined_ops = {.name = "whole",
                                                      .accumulate = combined_accumulate,
                                                      .combine = inner_combine,
                                                      .deduct = inner_deduct,
                                                      .export_result = inner_export};
// Of those that are added word by word: without a plain result, with it in the first word, and in
// the second one.
static const struct fil_aggregate_ops combined_additive_ops[] = {{.name = "whole",
                                                                  .is_additive = true,
                                                                  .accumulate = combined_add,
                                                                  .combine = inner_combine,
                                                                  .deduct = inner_deduct,
                                                                  .export_result = inner_export},
                                                                 {.name = "whole",
                                                                  .is_additive = true,
                                                                  .has_plain_result = true,
                                                                  .accumulate = combined_add,
                                                                  .combine = inner_combine,
                                                                  .deduct = inner_deduct,
                                                                  .export_result = inner_export},
                                                                 {.name = "whole",
                                                                  .is_additive = true,
                                                                  .has_plain_result = true,
                                                                  .result_at = sizeof(uint64_t),
                                                                  .accumulate = combined_add,
                                                                  .combine = inner_combine,
                                                                  .deduct = inner_deduct,
                                                                  .export_result = inner_export}};

static const struct fil_aggregate_ops *choose_additive(const struct fil_aggregate_ops *inner)
{
    bool is_near = inner->has_plain_result && inner->result_at <= sizeof(uint64_t);
    return &combined_additive_ops[is_near ? 1 + inner->result_at / sizeof(uint64_t) : 0];
}

struct fil_aggregate fil_aggregate_combined(const struct fil_aggregate *inner, uint32_t offset)
{
    fil_assert(offset % 8 == 0);
    struct fil_aggregate combined = {.ops = &combined_fixed_ops,
                                     .state_size = inner->state_size,
                                     .result_size = inner->result_size,
                                     .offset = offset,
                                     .parts = inner,
                                     .part_count = 1};
    if (inner->ops->deduct != NULL) {
        combined.ops = inner->ops->is_additive ? choose_additive(inner->ops) : &combined_ops;
    }
    return combined;
}

const char *fil_aggregate_name(const struct fil_aggregate *aggregate)
{
    bool is_second = aggregate->ops->accumulate == combined_accumulate ||
                     aggregate->ops->accumulate == combined_add;
    return is_second ? inner_of(aggregate)->ops->name : aggregate->ops->name;
}

// Many states, or many records, at once.

#define RUN_AT_ONCE 64U

void fil_aggregate_accumulate_run(const struct fil_aggregate *aggregate, void *state,
                                  const void *records, uint32_t stride, uint32_t count)
{
    if (aggregate->ops->accumulate_run != NULL) {
        aggregate->ops->accumulate_run(aggregate, state, records, stride, count);
        return;
    }
    void *states[RUN_AT_ONCE];
    const void *places[RUN_AT_ONCE];
    for (uint32_t first = 0; first < count; first += RUN_AT_ONCE) {
        uint32_t some = count - first < RUN_AT_ONCE ? count - first : RUN_AT_ONCE;
        for (uint32_t i = 0; i < some; i++) {
            states[i] = state;
            places[i] = (const uint8_t *)records + (size_t)(first + i) * stride;
        }
        aggregate->ops->accumulate(aggregate, states, places, some);
    }
}

void fil_aggregate_combine_many(const struct fil_aggregate *aggregate, void *into, const void *from,
                                uint32_t count)
{
    uint32_t size = aggregate->state_size;
    if (aggregate->ops->is_additive) {
        uint64_t *sums = into;
        const uint64_t *parts = from;
        for (uint32_t i = 0; i < count * (size / sizeof(*sums)); i++) {
            sums[i] += parts[i];
        }
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        aggregate->ops->combine(aggregate, (uint8_t *)into + (size_t)i * size,
                                (const uint8_t *)from + (size_t)i * size);
    }
}

void fil_aggregate_deduct_many(const struct fil_aggregate *aggregate, void *from, const void *part,
                               uint32_t count)
{
    uint32_t size = aggregate->state_size;
    fil_assert(aggregate->ops->deduct != NULL);
    if (aggregate->ops->is_additive) {
        uint64_t *sums = from;
        const uint64_t *parts = part;
        for (uint32_t i = 0; i < count * (size / sizeof(*sums)); i++) {
            sums[i] -= parts[i];
        }
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        aggregate->ops->deduct(aggregate, (uint8_t *)from + (size_t)i * size,
                               (const uint8_t *)part + (size_t)i * size);
    }
}
