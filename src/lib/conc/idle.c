// SPDX-License-Identifier: Apache-2.0
#include "lib/conc/idle.h"

#include "filbert/error.h"
#include "lib/base/assert.h"

static const char *const kind_names[] = {
    [FIL_IDLE_KIND_BLOCK] = "block",
    [FIL_IDLE_KIND_BACKOFF] = "backoff",
    [FIL_IDLE_KIND_SPIN] = "spin",
};

void fil_idle_init_counts(struct fil_idle *idle, enum fil_idle_kind kind, uint32_t spin_count,
                          uint32_t yield_count)
{
    fil_assert((size_t)kind < FIL_COUNT_OF(kind_names));
    fil_assert(spin_count <= UINT32_MAX - yield_count);
    *idle = (struct fil_idle){.kind = kind, .spin_count = spin_count, .yield_count = yield_count};
}

void fil_idle_init(struct fil_idle *idle, enum fil_idle_kind kind)
{
    fil_idle_init_counts(idle, kind, FIL_IDLE_SPIN_COUNT, FIL_IDLE_YIELD_COUNT);
}

static enum fil_idle_step back_off(struct fil_idle *idle)
{
    if (idle->turn >= idle->spin_count + idle->yield_count) {
        return FIL_IDLE_PARK;
    }
    enum fil_idle_step step = idle->turn < idle->spin_count ? FIL_IDLE_SPIN : FIL_IDLE_YIELD;
    idle->turn++;
    return step;
}

enum fil_idle_step fil_idle_next(struct fil_idle *idle)
{
    switch (idle->kind) {
    case FIL_IDLE_KIND_BLOCK:
        return FIL_IDLE_PARK;
    case FIL_IDLE_KIND_SPIN:
        return FIL_IDLE_SPIN;
    case FIL_IDLE_KIND_BACKOFF:
    default:
        return back_off(idle);
    }
}

int fil_idle_parse(struct fil_bytes text, enum fil_idle_kind *out_kind)
{
    for (size_t i = 0; i < FIL_COUNT_OF(kind_names); i++) {
        if (fil_bytes_equal_text(text, kind_names[i])) {
            *out_kind = (enum fil_idle_kind)i;
            return FIL_OK;
        }
    }
    return FIL_E_NOT_FOUND;
}

const char *fil_idle_name(enum fil_idle_kind kind)
{
    fil_assert((size_t)kind < FIL_COUNT_OF(kind_names));
    return kind_names[kind];
}
