// SPDX-License-Identifier: Apache-2.0
/**
 * Flake ids: 64-bit numbers that differ on all members without asking each other.
 *
 *     0 | 41 bits: milliseconds since 2018 | 6 bits: sequence | 16 bits: number of the member
 *
 * They come in batches: a first number and a step. Who asks for more than 64 a millisecond gets
 * numbers of the time to come, up to 15 seconds ahead; then it is told to wait.
 *
 * Progress: lock-free.
 * Threads:  any.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "core/container/container.h"
#include "lib/base/attr.h"
#include "lib/conc/role.h"

#define FIL_FLAKE_EPOCH_MS     UINT64_C(1514764800000) // 2018-01-01 UTC
#define FIL_FLAKE_BATCH_MAX    100000U
#define FIL_FLAKE_AHEAD_MS_MAX UINT64_C(15000)

/** From one number to the next of the same member. */
#define FIL_FLAKE_STEP (UINT64_C(1) << 16)

struct fil_flake {
    struct fil_container container;
    _Atomic uint64_t next; // milliseconds and sequence of the next number
};

/** It has no settings. */
extern const struct fil_container_type fil_flake_type;

static inline struct fil_flake *fil_flake_of(struct fil_container *container)
{
    return FIL_CONTAINER_OF(container, struct fil_flake, container);
}

/**
 * Gives out `count` numbers: out_base, and the others FIL_FLAKE_STEP apart. FIL_E_INVALID for no or
 * too many numbers, FIL_E_LIMIT for a time that has no number, FIL_E_FULL when they would be too
 * far ahead: out_wait_ms says when to ask again.
 */
FIL_ANY_THREAD int fil_flake_take(struct fil_flake *flake, uint64_t now_ms, uint16_t member,
                                  uint32_t count, uint64_t *out_base, uint64_t *out_wait_ms)
    FIL_NODISCARD;
