// SPDX-License-Identifier: Apache-2.0
/** An environment of which only the clock works, and that shows what the test sets. */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/os/env.h"

struct hand_clock {
    struct fil_env env;
    uint64_t now_ns;
};

static inline uint64_t hand_clock_now_ns(struct fil_env *env)
{
    return FIL_CONTAINER_OF(env, struct hand_clock, env)->now_ns;
}

static const struct fil_env_ops hand_clock_ops = {.now_ns = hand_clock_now_ns};

static inline void hand_clock_init(struct hand_clock *clock)
{
    *clock = (struct hand_clock){.env.ops = &hand_clock_ops, .now_ns = 1000000000};
}
