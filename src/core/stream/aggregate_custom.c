// SPDX-License-Identifier: Apache-2.0
// Aggregates that a program brings: its state stands behind the number of records.
#include "core/stream/aggregate.h"

#include "lib/base/assert.h"

static void *own(void *state)
{
    return (uint64_t *)state + 1;
}

static const void *own_const(const void *state)
{
    return (const uint64_t *)state + 1;
}

static void custom_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                              const void *const *records, uint32_t count)
{
    const struct fil_aggregate_custom *custom = aggregate->custom;
    for (uint32_t i = 0; i < count; i++) {
        custom->accumulate(custom->context, own(states[i]), records[i]);
        (*(uint64_t *)states[i])++;
    }
}

static void custom_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    const struct fil_aggregate_custom *custom = aggregate->custom;
    // Nothing is combined with an empty state, so that functions need not know one.
    if (fil_aggregate_count_of(from) == 0) {
        return;
    }
    if (fil_aggregate_count_of(into) == 0) {
        memcpy(into, from, aggregate->state_size);
        return;
    }
    custom->combine(custom->context, own(into), own_const(from));
    *(uint64_t *)into += fil_aggregate_count_of(from);
}

static void custom_deduct(const struct fil_aggregate *aggregate, void *from, const void *part)
{
    const struct fil_aggregate_custom *custom = aggregate->custom;
    if (fil_aggregate_count_of(part) == 0) {
        return;
    }
    fil_assert(fil_aggregate_count_of(from) >= fil_aggregate_count_of(part));
    if (fil_aggregate_count_of(from) == fil_aggregate_count_of(part)) {
        memset(from, 0, aggregate->state_size); // nothing left is an empty state
        return;
    }
    custom->deduct(custom->context, own(from), own_const(part));
    *(uint64_t *)from -= fil_aggregate_count_of(part);
}

static void custom_export(const struct fil_aggregate *aggregate, const void *state, void *out)
{
    const struct fil_aggregate_custom *custom = aggregate->custom;
    custom->export_result(custom->context, own_const(state), out);
}

static const struct fil_aggregate_ops custom_ops = {.name = "custom",
                                                    .accumulate = custom_accumulate,
                                                    .combine = custom_combine,
                                                    .export_result = custom_export};
static const struct fil_aggregate_ops deducting_ops = {.name = "custom",
                                                       .accumulate = custom_accumulate,
                                                       .combine = custom_combine,
                                                       .deduct = custom_deduct,
                                                       .export_result = custom_export};

struct fil_aggregate fil_aggregate_custom(const struct fil_aggregate_custom *custom)
{
    fil_assert(custom->state_size > 0 && custom->state_size <= FIL_AGGREGATE_STATE_BYTES_MAX);
    return (struct fil_aggregate){.ops = custom->deduct == NULL ? &custom_ops : &deducting_ops,
                                  .state_size = (uint32_t)sizeof(uint64_t) +
                                                ((custom->state_size + 7U) & ~7U),
                                  .result_size = 8,
                                  .custom = custom};
}
