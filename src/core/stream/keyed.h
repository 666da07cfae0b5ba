// SPDX-License-Identifier: Apache-2.0
/**
 * Processors with a block of state for each key: the stateful map, and the join of a stream with
 * the records of another edge.
 *
 * The stateful map gives a function the state of the record's key, all zero at first, and emits
 * what it writes. Without a key there is one state for all records of the instance.
 *
 * The join keeps the records of its first edge by key, the last one of a key counts, and hands each
 * record of its second edge to a function together with its partner. The first edge has a smaller
 * priority number than the second, so all of it is there before, and is broadcast.
 */
#pragma once

#include "core/stream/key.h"
#include "core/stream/processor.h"

/** Writes the output record, of the output edge's stride; false: there is none. */
typedef bool (*fil_state_map_fn)(void *context, void *state, const void *record, int64_t time,
                                 void *out_record);

struct fil_state_map_config {
    struct fil_key key; // extract: size is the longest
    uint32_t state_size;
    fil_state_map_fn map;
    void *context;
};

/** `partner` is NULL when there is none; false: emit nothing. */
typedef bool (*fil_join_fn)(void *context, const void *record, const void *partner,
                            void *out_record);

struct fil_join_config {
    struct fil_key partner_key; // of the first edge's records
    uint32_t partner_size;
    struct fil_key key; // of the second edge's
    fil_join_fn join;
    void *context;
};

extern const struct fil_processor_ops fil_state_map_ops; // one output, of fixed stride
extern const struct fil_processor_ops fil_join_ops;      // two inputs, one output of fixed stride
