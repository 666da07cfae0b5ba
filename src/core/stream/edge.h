// SPDX-License-Identifier: Apache-2.0
/**
 * What an edge between two vertices is: how records are dealt to the consumer's instances, what
 * they look like, how much may be on its way.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/batch.h"
#include "core/stream/key.h"

/** Batches on their way between two instances, unless the edge says otherwise. */
#define FIL_EDGE_BATCHES 16U

/** Bytes on their way between two instances, unless the edge says otherwise. */
#define FIL_EDGE_BYTES (UINT64_C(1) << 20)

enum fil_edge_kind {
    FIL_EDGE_UNICAST,     // each batch to one instance, in turn, past those that are full
    FIL_EDGE_ISOLATED,    // fixed pairs of instances; keeps the order
    FIL_EDGE_PARTITIONED, // each record by the hash of its key
    FIL_EDGE_BROADCAST,   // every batch to every instance
    FIL_EDGE_FAN_OUT,     // to every member, and there to one instance: on one member as unicast
    FIL_EDGE_ALL_TO_ONE,  // everything to the first instance
};

/** Order of two records, as in qsort. */
typedef int (*fil_compare_fn)(const void *context, const void *a, const void *b);

/** Orders records that begin with an unsigned 64-bit number. */
int fil_compare_u64(const void *context, const void *a, const void *b);

struct fil_edge {
    enum fil_edge_kind kind;
    struct fil_layout layout;
    struct fil_key key;   // partitioned: what to hash; without one, the processor's hashes
    int32_t priority;     // a smaller number is drained to its end before a larger one begins
    fil_compare_fn merge; // not NULL: sorted inputs are merged in this order
    const void *merge_context;
    uint32_t batch_count; // capacity between two instances; 0: FIL_EDGE_BATCHES
    uint64_t size_bytes;  // the same in bytes; 0: FIL_EDGE_BYTES
};
