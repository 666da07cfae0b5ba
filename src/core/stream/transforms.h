// SPDX-License-Identifier: Apache-2.0
/**
 * Stateless processors: map, filter, flat map. Event times and key hashes go with the records.
 *
 * Each takes a function for one record, or one for many that lie one behind the other: a loop in
 * the function instead of a call for each record. When a batch is all theirs, a map whose records
 * keep their size works in place, and a filter that keeps all of it passes it on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/processor.h"

/** Writes the output record, of the output edge's stride. */
typedef void (*fil_map_fn)(void *context, const void *record, void *out_record);

/** The same for many records; both places may be one when the sizes are equal. */
typedef void (*fil_map_many_fn)(void *context, const void *records, void *out_records,
                                uint32_t count);

struct fil_map_config {
    fil_map_fn map;
    fil_map_many_fn map_many; // or this
    void *context;
};

typedef bool (*fil_filter_fn)(void *context, const void *record);

/** Writes the numbers of the records to keep, in their order; returns how many they are. */
typedef uint32_t (*fil_select_fn)(void *context, const void *records, uint32_t count,
                                  uint32_t *out_kept);

struct fil_filter_config {
    fil_filter_fn keep;
    fil_select_fn select; // or this, for records of one size
    void *context;
};

/**
 * The lazy sequence of a record's outputs: writes output number `index`, of the output edge's
 * stride; false when there are no more. It is asked again for the same number when there was no
 * room.
 */
typedef bool (*fil_flat_map_fn)(void *context, const void *record, uint32_t index,
                                void *out_record);

/**
 * Writes up to `room` outputs of a record, from where `cursor` stands (0 at first) on, and moves
 * it; fewer than `room` are the last ones.
 */
typedef uint32_t (*fil_expand_fn)(void *context, struct fil_bytes record, uint64_t *cursor,
                                  void *out_records, uint32_t room);

struct fil_flat_map_config {
    fil_flat_map_fn next;
    fil_expand_fn expand; // or this
    void *context;
};

extern const struct fil_processor_ops fil_map_ops;      // one output, of fixed stride
extern const struct fil_processor_ops fil_filter_ops;   // any outputs, each gets all that is kept
extern const struct fil_processor_ops fil_flat_map_ops; // one output, of fixed stride
