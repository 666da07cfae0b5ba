// SPDX-License-Identifier: Apache-2.0
/**
 * Drives one processor through schedules that a real job would rarely meet.
 *
 * The trivial schedule gives it everything at once and all the room it wants. The adversarial ones
 * give it one record at a time, refuse its output at every point in turn or at random, and replace
 * it by a new instance, restored from its saved state, between any two records. The output must be
 * the same: byte for byte, or as a set where an instance was restored.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/processor.h"

#define KIT_NO_WATERMARK INT64_MIN

/** What stands before a record of the second output, with zeros behind it, among the others. */
#define KIT_LATE INT64_MAX

struct kit_case {
    const struct fil_processor_ops *ops;
    const void *config;
    uint32_t in_stride;
    uint32_t out_stride;  // 0: a sink
    uint32_t late_stride; // of a second output; its records are kept with KIT_LATE in front; or 0
    const void *records;
    const int64_t *times;      // of the records, or NULL
    const int64_t *watermarks; // behind each record, or KIT_NO_WATERMARK; or NULL
    uint32_t count;
    bool has_no_snapshots;
    bool is_unordered;     // outputs are compared as sets
    void (*between)(void); // called between any two calls of the processor; or NULL
};

struct kit_schedule {
    uint32_t inbox_max;      // records offered at once
    uint32_t batch_records;  // of the output's batches
    uint64_t refusal_seed;   // 0: output always has room
    uint32_t snapshot_every; // records between two restores; 0: none
};

struct kit_output {
    uint8_t *records;
    uint32_t stride;
    uint32_t count;
    uint32_t capacity;
    int64_t last_watermark; // passed on by the processor itself
};

void kit_output_init(struct kit_output *output, uint32_t stride);
void kit_output_fini(struct kit_output *output);

/** Sorts by bytes, to compare as sets. */
void kit_output_sort(struct kit_output *output);

/** Runs one schedule. Returns FIL_OK or the processor's error. */
int kit_run(const struct kit_case *each, const struct kit_schedule *schedule,
            struct kit_output *out_output);

/**
 * Runs all schedules and asserts that the outputs are equal; leaves that of the trivial one in
 * out_output. `before` and `after`, where given, are called around each run, for sinks.
 */
void kit_check(const struct kit_case *each, struct kit_output *out_output, void (*before)(void),
               void (*after)(void));
