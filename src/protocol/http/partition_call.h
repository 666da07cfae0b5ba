// SPDX-License-Identifier: Apache-2.0
/**
 * A request on its way into a partition: run right here when the partition is free, else sent there
 * and answered when it has run.
 *
 * Memory:  the call lives in the request's memory.
 * Threads: dispatch on the loop that has brought the request; run inside the partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/op.h"
#include "filbert/service.h"

struct fil_partition_call;

/** Leaves the answer in the call; false when it must wait, and under what. */
typedef bool (*fil_partition_call_fn)(struct fil_partition_call *call, uint64_t now_ns,
                                      uint64_t *out_wait_key);

struct fil_partition_call {
    struct fil_op op;
    struct fil_request *request;
    fil_partition_id partition_id;
    fil_partition_call_fn run;
    struct fil_reply reply;
};

/** The answer, or the promise of one; the handler returns it. */
struct fil_reply fil_partition_call_dispatch(struct fil_partition_call *call);
