// SPDX-License-Identifier: Apache-2.0
/** What the two halves of an executor share: its threads (executor.c) and its door. */
#pragma once

#include "core/exec/executor.h"

// The executor's word: | stopping | draining | running (30 bits) | queued (32 bits) |
#define FIL_EXECUTOR_STOPPING    (UINT64_C(1) << 63)
#define FIL_EXECUTOR_DRAINING    (UINT64_C(1) << 62)
#define FIL_EXECUTOR_RUNNING_ONE (UINT64_C(1) << 32)

static inline uint32_t fil_executor__queued_of(uint64_t word)
{
    return (uint32_t)word;
}

static inline uint32_t fil_executor__running_of(uint64_t word)
{
    return (uint32_t)(word >> 32) & ((1U << 30) - 1);
}

/** Puts into the line what has its place. */
FIL_ANY_THREAD void fil_executor__push(struct fil_executor *executor, struct fil_task *task);

/** Room was made by a sequentially consistent step: those who wait come in, in their order. */
FIL_ANY_THREAD void fil_executor__made_room(struct fil_executor *executor);
