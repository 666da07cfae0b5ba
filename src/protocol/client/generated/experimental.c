// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/experimental.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field experimental_pipeline_submit_request_fields[] = {
    FIL_WIRE_FIELD(experimental_pipeline_submit_request, resource_bundle_checksum, i32, 0),
    FIL_WIRE_FIELD(experimental_pipeline_submit_request, job_name, string_or_null, 0),
    FIL_WIRE_FIELD(experimental_pipeline_submit_request, pipeline_definition, string, 0),
    FIL_WIRE_FIELD(experimental_pipeline_submit_request, resource_bundle, bytes_or_null, 0),
};
static const struct fil_wire_field experimental_pipeline_submit_response_fields[] = {
    FIL_WIRE_FIELD(experimental_pipeline_submit_response, job_id, i64, 0),
};

FIL_WIRE_LAYOUT_MAKE(experimental_pipeline_submit_request, "Experimental.pipelineSubmit", REQUEST, 0xfd0100, experimental_pipeline_submit_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(experimental_pipeline_submit_response, "Experimental.pipelineSubmit", RESPONSE, 0xfd0101, experimental_pipeline_submit_response_fields, 1, 8, 8);


const struct fil_wire_message fil_wire_experimental_messages[] = {
    FIL_WIRE_MESSAGE(experimental_pipeline_submit, "experimental.pipeline_submit", 0xfd0100, true, 0, NULL),
};
