// SPDX-License-Identifier: Apache-2.0
/**
 * Several stateless steps as one processor: maps, filters and flat maps of neighbouring stages.
 *
 * Maps and filters go over a block of records step by step, in buffers of the instance; the last
 * map writes to the output. With a flat map among them, a record goes through all steps before the
 * next one begins: when the output is full in the middle of it, the steps stay where they are and
 * go on from there.
 */
#pragma once

#include "core/stream/transforms.h"

#define FIL_CHAIN_STEPS_MAX 32U

enum fil_chain_kind {
    FIL_CHAIN_MAP,
    FIL_CHAIN_FILTER,
    FIL_CHAIN_FLAT_MAP,
};

struct fil_chain_step {
    enum fil_chain_kind kind;
    fil_map_fn map;
    fil_map_many_fn map_many; // instead of map; not beside flat maps
    fil_filter_fn keep;
    fil_select_fn select; // instead of keep; not beside flat maps
    fil_flat_map_fn next;
    void *context;
    uint32_t stride; // of its records behind it
};

struct fil_chain_config {
    const struct fil_chain_step *steps; // borrowed
    uint32_t count;
};

/** One output, whose stride is that of the last step. */
extern const struct fil_processor_ops fil_chain_ops;
