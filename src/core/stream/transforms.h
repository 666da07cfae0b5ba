// SPDX-License-Identifier: Apache-2.0
/**
 * Stateless processors: map, filter, flat map. Event times and key hashes go with the records.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/processor.h"

/** Writes the output record, of the output edge's stride. */
typedef void (*fil_map_fn)(void *context, const void *record, void *out_record);

struct fil_map_config {
    fil_map_fn map;
    void *context;
};

typedef bool (*fil_filter_fn)(void *context, const void *record);

struct fil_filter_config {
    fil_filter_fn keep;
    void *context;
};

/**
 * The lazy sequence of a record's outputs: writes output number `index`, of the output edge's
 * stride; false when there are no more. It is asked again for the same number when there was no
 * room.
 */
typedef bool (*fil_flat_map_fn)(void *context, const void *record, uint32_t index,
                                void *out_record);

struct fil_flat_map_config {
    fil_flat_map_fn next;
    void *context;
};

extern const struct fil_processor_ops fil_map_ops;      // one output, of fixed stride
extern const struct fil_processor_ops fil_filter_ops;   // any outputs, each gets all that is kept
extern const struct fil_processor_ops fil_flat_map_ops; // one output, of fixed stride
