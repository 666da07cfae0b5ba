// SPDX-License-Identifier: Apache-2.0
#include "grid/flake/flake.h"

#include "filbert/error.h"
#include "lib/base/assert.h"

#define SEQUENCE_BITS 6U
#define MEMBER_BITS   16U
#define TIME_MAX      (UINT64_C(1) << 41)

int fil_flake_take(struct fil_flake *flake, uint64_t now_ms, uint16_t member, uint32_t count,
                   uint64_t *out_base, uint64_t *out_wait_ms)
{
    if (count == 0 || count > FIL_FLAKE_BATCH_MAX) {
        return FIL_E_INVALID;
    }
    uint64_t ahead_ms = FIL_FLAKE_AHEAD_MS_MAX;
    if (now_ms < FIL_FLAKE_EPOCH_MS || now_ms - FIL_FLAKE_EPOCH_MS >= TIME_MAX - ahead_ms - 1) {
        return FIL_E_LIMIT;
    }
    uint64_t now = (now_ms - FIL_FLAKE_EPOCH_MS) << SEQUENCE_BITS;
    uint64_t latest = now + (ahead_ms << SEQUENCE_BITS);
    // Relaxed: the word is all there is to it. Lock-free: each failure is another's batch.
    uint64_t next = atomic_load_explicit(&flake->next, memory_order_relaxed);
    uint64_t base = 0;
    do {
        base = next > now ? next : now;
        if (base + count > latest) {
            *out_wait_ms = ((base + count - latest) >> SEQUENCE_BITS) + 1;
            fil_counter_add_shared(&flake->container.counters.refused, 1);
            return FIL_E_FULL;
        }
    } while (!atomic_compare_exchange_weak_explicit(&flake->next, &next, base + count,
                                                    memory_order_relaxed, memory_order_relaxed));
    fil_assert(base >> (SEQUENCE_BITS + 41U) == 0);
    *out_base = (base << MEMBER_BITS) | member;
    fil_counter_add_shared(&flake->container.counters.reads, 1);
    fil_counter_add_shared(&flake->container.counters.adds, count);
    return FIL_OK;
}

static int open_flake(struct fil_container *container, const void *config)
{
    (void)config;
    atomic_init(&fil_flake_of(container)->next, 0);
    return FIL_OK;
}

static void close_flake(struct fil_container *container)
{
    (void)container;
}

/** Numbers that were given out stay given out. */
static void clear_flake(struct fil_container *container, uint64_t now_ms)
{
    fil_container_note_update_here(container, now_ms);
}

const struct fil_container_type fil_flake_type = {
    .name = "flake",
    .size = sizeof(struct fil_flake),
    .open = open_flake,
    .close = close_flake,
    .clear = clear_flake,
};
