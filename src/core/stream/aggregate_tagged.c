// SPDX-License-Identifier: Apache-2.0
// Aggregates of some of the records: those of one of several inputs.
#include <string.h>

#include "core/stream/aggregate.h"
#include "lib/base/assert.h"

#define AT_ONCE 64U

static uint64_t tag_of(const void *record, uint32_t offset)
{
    uint64_t tag;
    memcpy(&tag, (const uint8_t *)record + offset, sizeof(tag));
    return tag;
}

static void tagged_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                              const void *const *records, uint32_t count)
{
    const struct fil_aggregate *inner = aggregate->parts;
    void *own_states[AT_ONCE];
    const void *own_records[AT_ONCE];
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (tag_of(records[i], aggregate->offset) == aggregate->tag) {
            own_states[used] = states[i];
            own_records[used] = (const uint8_t *)records[i] + aggregate->offset + sizeof(uint64_t);
            used++;
        }
        if (used == AT_ONCE || (used != 0 && i + 1 == count)) {
            inner->ops->accumulate(inner, own_states, own_records, used);
            used = 0;
        }
    }
}

static void tagged_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    const struct fil_aggregate *inner = aggregate->parts;
    if (fil_aggregate_count_of(from) != 0) {
        inner->ops->combine(inner, into, from);
    }
}

static void tagged_deduct(const struct fil_aggregate *aggregate, void *from, const void *part)
{
    const struct fil_aggregate *inner = aggregate->parts;
    if (fil_aggregate_count_of(part) != 0) {
        inner->ops->deduct(inner, from, part);
    }
}

static void tagged_export(const struct fil_aggregate *aggregate, const void *state, void *out)
{
    if (fil_aggregate_count_of(state) == 0) {
        memset(out, 0, aggregate->result_size);
    } else {
        fil_aggregate_export(aggregate->parts, state, out);
    }
}

static const struct fil_aggregate_ops tagged_ops = {.name = "tagged",
                                                    .accumulate = tagged_accumulate,
                                                    .combine = tagged_combine,
                                                    .deduct = tagged_deduct,
                                                    .export_result = tagged_export};
static const struct fil_aggregate_ops tagged_fixed_ops = {.name = "tagged",
                                                          .accumulate = tagged_accumulate,
                                                          .combine = tagged_combine,
                                                          .export_result = tagged_export};

struct fil_aggregate fil_aggregate_tagged(const struct fil_aggregate *inner, uint64_t tag,
                                          uint32_t tag_offset)
{
    fil_assert(tag_offset % 8 == 0);
    return (struct fil_aggregate){.ops =
                                      inner->ops->deduct == NULL ? &tagged_fixed_ops : &tagged_ops,
                                  .state_size = inner->state_size,
                                  .result_size = inner->result_size,
                                  .offset = tag_offset,
                                  .parts = inner,
                                  .part_count = 1,
                                  .tag = tag};
}
