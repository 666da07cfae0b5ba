// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/cardinality_estimator.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field cardinality_estimator_add_request_fields[] = {
    FIL_WIRE_FIELD(cardinality_estimator_add_request, hash, i64, 0),
    FIL_WIRE_FIELD(cardinality_estimator_add_request, name, string, 0),
};
static const struct fil_wire_field cardinality_estimator_estimate_request_fields[] = {
    FIL_WIRE_FIELD(cardinality_estimator_estimate_request, name, string, 0),
};
static const struct fil_wire_field cardinality_estimator_estimate_response_fields[] = {
    FIL_WIRE_FIELD(cardinality_estimator_estimate_response, response, i64, 0),
};

FIL_WIRE_LAYOUT_MAKE(cardinality_estimator_add_request, "CardinalityEstimator.add", REQUEST, 0x190100, cardinality_estimator_add_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_EMPTY(cardinality_estimator_add_response, "CardinalityEstimator.add", RESPONSE, 0x190101);
FIL_WIRE_LAYOUT_MAKE(cardinality_estimator_estimate_request, "CardinalityEstimator.estimate", REQUEST, 0x190200, cardinality_estimator_estimate_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cardinality_estimator_estimate_response, "CardinalityEstimator.estimate", RESPONSE, 0x190201, cardinality_estimator_estimate_response_fields, 1, 8, 8);


const struct fil_wire_message fil_wire_cardinality_estimator_messages[] = {
    FIL_WIRE_MESSAGE(cardinality_estimator_add, "cardinality_estimator.add", 0x190100, false, 0, NULL),
    FIL_WIRE_MESSAGE(cardinality_estimator_estimate, "cardinality_estimator.estimate", 0x190200, false, 0, NULL),
};
