// SPDX-License-Identifier: Apache-2.0
/**
 * What the threads of a pool have of their own, so that they can run operations, write to
 * connections and be watched: a runner each, and blocks for output.
 *
 * Memory:  allocated by init; the names are "pool/index".
 * Threads: init and fini by the pool's owner; a kit by its thread.
 */
#pragma once

#include <stdint.h>

#include "core/exec/runner.h"
#include "lib/base/attr.h"
#include "lib/mem/pool.h"

struct fil_worker_kit {
    struct fil_runner runner;
    struct fil_pool chunks; // for what it writes to connections
    char name[48];
};

struct fil_worker_kits {
    uint32_t count;
    struct fil_worker_kit *kits;
    struct fil_runner **runners; // of the kits, as the stages take them
};

/** FIL_OK or FIL_E_NOMEM; fini is due either way. */
int fil_worker_kits_init(struct fil_worker_kits *kits, struct fil_exec *exec, const char *name,
                         uint32_t count) FIL_NODISCARD;

/** The threads have ended; harmless when it was never initialised but is all zero. */
void fil_worker_kits_fini(struct fil_worker_kits *kits);
