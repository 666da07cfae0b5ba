// SPDX-License-Identifier: Apache-2.0
/**
 * Folds records of the same key, and slice of time, into states in front of an exchange by key, so
 * that it moves states and not records.
 *
 * A table of fixed size holds the states that grow: four places for a key, and when all are taken
 * by others one of these goes out. States leave also when a watermark passes the end of their
 * slice, when the input is idle, with a snapshot and with the end; so nothing of this is ever
 * saved. Where folding does not halve the records it only costs: then each record goes out as a
 * state of its own for some time, before folding is tried again.
 *
 * A result is, with slices, start and end of the slice as struct fil_window_result; the key rounded
 * up to 8 bytes; and the state. Its event time is the last moment of its slice.
 *
 * Memory:  drawn from the budget when the instance starts; with less, the table is smaller or, in
 *          the end, none. No budget is too small.
 * Order:   states of a key come in the order of their records.
 */
#pragma once

#include "core/stream/aggregate.h"
#include "core/stream/key.h"
#include "core/stream/processor.h"

struct fil_fold_config {
    struct fil_key key; // a fixed piece
    struct fil_aggregate aggregate;
    int64_t slide;      // length of a slice; 0: no slices
    uint32_t place_max; // of the table, a power of 2; 0: as many as usual
};

/** Where the key and the state are in a result. */
uint32_t fil_fold_key_at(const struct fil_fold_config *config);
uint32_t fil_fold_state_at(const struct fil_fold_config *config);

/** Bytes of a result: the output edge's stride. */
uint32_t fil_fold_result_bytes(const struct fil_fold_config *config);

extern const struct fil_processor_ops fil_fold_ops;
