// SPDX-License-Identifier: Apache-2.0
#include "node/worker_kits.h"

#include <stdio.h>

#include "core/exec/exec.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/mem/chunk.h"

#define CHUNKS_KEPT 4U

int fil_worker_kits_init(struct fil_worker_kits *kits, struct fil_exec *exec, const char *name,
                         uint32_t count)
{
    fil_assert(count > 0);
    kits->kits = fil_alloc_aligned(FIL_CACHE_LINE, count * sizeof(struct fil_worker_kit));
    kits->runners = fil_alloc_zero(count, sizeof(struct fil_runner *));
    if (kits->kits == NULL || kits->runners == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct fil_worker_kit *kit = &kits->kits[i];
        (void)snprintf(kit->name, sizeof(kit->name), "%s/%u", name, i);
        fil_runner_init(&kit->runner, exec, kit->name);
        fil_chunk_pool_init(&kit->chunks, fil_exec_options(exec)->budget, CHUNKS_KEPT);
        kit->runner.chunks = &kit->chunks;
        kits->runners[i] = &kit->runner;
    }
    kits->count = count;
    return FIL_OK;
}

void fil_worker_kits_fini(struct fil_worker_kits *kits)
{
    for (uint32_t i = 0; i < kits->count; i++) {
        fil_pool_adopt(&kits->kits[i].chunks);
        fil_pool_fini(&kits->kits[i].chunks);
    }
    kits->count = 0;
    fil_free(kits->kits);
    fil_free(kits->runners);
    kits->kits = NULL;
    kits->runners = NULL;
}
