// SPDX-License-Identifier: Apache-2.0
/**
 * Aggregators of clients: one value made of an attribute of many entries.
 *
 * Known are count, distinct, the sums and averages of numbers, the largest and the smallest value,
 * and the entries that have them. Entries without the attribute count, and are in the distinct
 * values as null; sums, averages and extremes pass over them. A sum of whole numbers that does not
 * fit in 64 bits goes round, as in Java.
 *
 * Memory: borrows the aggregator's bytes; the extremes and the distinct values are copied.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "grid/map/processor.h"
#include "lib/base/attr.h"
#include "protocol/client/codec.h"
#include "protocol/client/query/distinct.h"
#include "protocol/client/query/path.h"

/** What is made of the values. */
enum fil_query_aggregate_kind {
    FIL_QUERY_COUNT,
    FIL_QUERY_DISTINCT,
    FIL_QUERY_SUM_INTEGER,
    FIL_QUERY_SUM_REAL,
    FIL_QUERY_AVERAGE,
    FIL_QUERY_LARGEST,
    FIL_QUERY_SMALLEST,
    FIL_QUERY_LARGEST_ENTRY,
    FIL_QUERY_SMALLEST_ENTRY,
};

struct fil_query_aggregate {
    enum fil_query_aggregate_kind kind;
    bool has_path;
    struct fil_query_path path;

    // What was seen so far.
    int error;
    uint64_t count;
    uint64_t integer_sum; // modulo 2^64
    double real_sum;
    bool has_best;
    struct fil_wire_value best; // its text lies in best_text
    struct fil_map_buffer best_text;
    struct fil_map_buffer best_entry; // an object
    struct fil_map_buffer scratch;
    struct fil_query_distinct distinct;
    const struct fil_query_entry *entry; // that is looked at
};

/** Of a serialized aggregator. FIL_E_UNSUPPORTED, FIL_E_MALFORMED; nothing is left behind. */
int fil_query_aggregate_init(struct fil_query_aggregate *aggregate, struct fil_bytes data,
                             struct fil_wire_fault *out_fault) FIL_NODISCARD;
void fil_query_aggregate_fini(struct fil_query_aggregate *aggregate);

/** FIL_E_NOMEM, FIL_E_LIMIT; FIL_E_INVALID: the attribute is not of the kind that is summed up. */
int fil_query_aggregate_add(struct fil_query_aggregate *aggregate, struct fil_query_entry *entry)
    FIL_NODISCARD;

/** The result as data; false: it is null. */
bool fil_query_aggregate_result(struct fil_query_aggregate *aggregate,
                                struct fil_map_buffer *out_data) FIL_NODISCARD;
