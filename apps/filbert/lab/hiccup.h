// SPDX-License-Identifier: Apache-2.0
/**
 * The hiccup probe: a thread that sleeps for 100 us again and again and notes by how much it was
 * late. What it finds is what the machine itself adds to every latency that is measured beside it.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/histogram.h"
#include "lib/os/env.h"
#include "lib/os/thread.h"

struct lab_hiccup {
    struct fil_env *env;
    _Atomic uint32_t is_stopping;
    struct fil_histogram late_ns; // written by the probe
    struct fil_thread thread;
};

int lab_hiccup_start(struct lab_hiccup *hiccup, struct fil_env *env) FIL_NODISCARD;
void lab_hiccup_stop(struct lab_hiccup *hiccup);
