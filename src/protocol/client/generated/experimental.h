// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** Experimental: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_experimental_number {
    FIL_WIRE_EXPERIMENTAL_PIPELINE_SUBMIT = 0xfd0100,
};

struct fil_wire_experimental_pipeline_submit_request {
    int32_t resource_bundle_checksum;
    struct fil_bytes job_name, pipeline_definition, resource_bundle;
};
struct fil_wire_experimental_pipeline_submit_response {
    int64_t job_id;
};

FIL_WIRE_DECLARE(experimental_pipeline_submit);
