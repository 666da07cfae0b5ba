// SPDX-License-Identifier: Apache-2.0
/**
 * Sources: a generator of records, and a list of them.
 *
 * The records are dealt to shards: shard s of n has the records s, s + n, s + 2n and so on. An
 * instance has the shards whose number, modulo the number of instances, is its own; their number
 * stays what it was at the first start, so a job goes on from a snapshot with any parallelism. With
 * a frame they emit watermarks: the time of the latest record less the lag, rounded down to a
 * multiple of the frame; of several shards the slowest counts.
 */
#pragma once

#include <stdint.h>

#include "core/stream/processor.h"

/** Shards of a source, at most. */
#define FIL_SOURCE_SHARDS_MAX 4096U

struct fil_source_time {
    int64_t lag;
    int64_t frame; // 0: no watermarks
};

/** Writes record number `sequence` of the edge's stride; returns its event time. */
typedef int64_t (*fil_generate_fn)(void *context, uint64_t sequence, void *out_record);

/** Records to be written one behind the other: numbers first, first + step, first + 2 * step... */
struct fil_generator_span {
    uint64_t first;
    uint64_t step;
    uint32_t count;
    void *records;
    int64_t *times; // where their event times go
};

typedef void (*fil_generate_many_fn)(void *context, const struct fil_generator_span *span);

struct fil_generator_config {
    fil_generate_fn generate;
    fil_generate_many_fn generate_many; // or this: a loop of its own, no call for each record
    void *context;
    uint64_t count;         // of all instances; 0: without end
    uint64_t rate_a_second; // of all instances; 0: as fast as the others take it
    uint64_t began_ns;      // with a rate: when record 0 is due; 0: when the instance starts
    uint64_t pause_ns;      // with a rate: rest between two looks, at least; what is due meanwhile
                            // goes together
    uint32_t shard_count;   // 0: as many as there are instances
    struct fil_source_time time;
};

struct fil_list_source_config {
    const void *records;  // of the edge's stride, borrowed
    const int64_t *times; // NULL: none
    uint64_t count;
    uint32_t shard_count; // 0: as many as there are instances
    struct fil_source_time time;
};

extern const struct fil_processor_ops fil_generator_ops;   // one output, of fixed stride
extern const struct fil_processor_ops fil_list_source_ops; // one output, of fixed stride
