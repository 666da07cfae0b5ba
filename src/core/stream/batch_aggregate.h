// SPDX-License-Identifier: Apache-2.0
/**
 * Aggregates all of the input by key; emits when the input has ended.
 *
 * A result is the key, rounded up to 8 bytes with zeros, and the aggregate's result. Its order is
 * that in which the keys came.
 */
#pragma once

#include "core/stream/group.h"
#include "core/stream/processor.h"

/** Bytes of a result: the output edge's stride. */
uint32_t fil_batch_aggregate_result_bytes(const struct fil_group_config *config);

/** Its configuration is a struct fil_group_config. */
extern const struct fil_processor_ops fil_batch_aggregate_ops;
