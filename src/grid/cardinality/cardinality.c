// SPDX-License-Identifier: Apache-2.0
#include "grid/cardinality/cardinality.h"

#include "filbert/error.h"

int fil_cardinality_add_here(struct fil_cardinality *cardinality, uint64_t hash, uint64_t now_ms)
{
    struct fil_container *container = &cardinality->container;
    bool has_changed = false;
    int error = fil_hll_add(&cardinality->hll, hash, &has_changed);
    fil_counter_add(error == FIL_OK ? &container->counters.adds : &container->counters.refused, 1);
    if (error == FIL_OK && has_changed) {
        fil_container_note_update_here(container, now_ms);
        fil_container_note_size_here(container, 1, fil_hll_bytes(&cardinality->hll));
    }
    return error;
}

uint64_t fil_cardinality_estimate_here(struct fil_cardinality *cardinality, uint64_t now_ms)
{
    fil_counter_add(&cardinality->container.counters.reads, 1);
    fil_container_note_read_here(&cardinality->container, now_ms);
    return fil_hll_estimate(&cardinality->hll);
}

static int open_cardinality(struct fil_container *container, const void *config)
{
    (void)config;
    fil_hll_init(&fil_cardinality_of(container)->hll, container->account);
    return FIL_OK;
}

static void close_cardinality(struct fil_container *container)
{
    fil_hll_fini(&fil_cardinality_of(container)->hll);
}

static void clear_cardinality(struct fil_container *container, uint64_t now_ms)
{
    fil_hll_fini(&fil_cardinality_of(container)->hll);
    fil_container_note_update_here(container, now_ms);
    fil_container_note_size_here(container, 0, 0);
}

const struct fil_container_type fil_cardinality_type = {
    .name = "cardinality",
    .size = sizeof(struct fil_cardinality),
    .open = open_cardinality,
    .close = close_cardinality,
    .clear = clear_cardinality,
};
