// SPDX-License-Identifier: Apache-2.0
/**
 * Sorts all of its input: emits it in order when it has ended.
 *
 * Records are gathered in runs, each sorted when it is full, so that no step pays for all of them;
 * in the end the runs are merged. Each instance emits its own records in order: an edge that merges
 * in the same order makes one sequence of them.
 */
#pragma once

#include "core/stream/order.h"
#include "core/stream/processor.h"

struct fil_sort_config {
    struct fil_order order; // of records of the output edge's stride
};

extern const struct fil_processor_ops fil_sort_ops; // one output, of the input's stride
