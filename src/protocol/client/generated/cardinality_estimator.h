// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** CardinalityEstimator: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_cardinality_estimator_number {
    FIL_WIRE_CARDINALITY_ESTIMATOR_ADD = 0x190100,
    FIL_WIRE_CARDINALITY_ESTIMATOR_ESTIMATE = 0x190200,
};

struct fil_wire_cardinality_estimator_add_request {
    int64_t hash;
    struct fil_bytes name;
};
struct fil_wire_cardinality_estimator_estimate_request {
    struct fil_bytes name;
};
struct fil_wire_cardinality_estimator_estimate_response {
    int64_t response;
};

FIL_WIRE_DECLARE(cardinality_estimator_add);
FIL_WIRE_DECLARE(cardinality_estimator_estimate);
