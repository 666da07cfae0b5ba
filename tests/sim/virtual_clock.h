// SPDX-License-Identifier: Apache-2.0
/** The real environment with a clock that only moves when the test says so. */
#pragma once

#include "lib/os/env.h"

static uint64_t virtual_ns;

static inline uint64_t read_virtual_clock(struct fil_env *env)
{
    (void)env;
    return virtual_ns;
}

static inline struct fil_env *virtual_env(void)
{
    static struct fil_env_ops ops;
    static struct fil_env env = {.ops = &ops};
    ops = *fil_env_real()->ops;
    ops.now_ns = read_virtual_clock;
    return &env;
}
