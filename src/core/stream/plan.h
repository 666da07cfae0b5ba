// SPDX-License-Identifier: Apache-2.0
/**
 * Turns a job's graph into tasklets and rings, and gives each tasklet its first home.
 *
 * Instance i of every vertex starts on the same worker, so that isolated edges and equal
 * parallelism keep a chain on one thread; the first worker changes from job to job. Blocking
 * instances get a worker of their own.
 */
#pragma once

#include "core/stream/job.h"

/** FIL_E_NOMEM; then fini cleans up. */
int fil_plan_init(struct fil_job *job) FIL_NODISCARD;
void fil_plan_fini(struct fil_job *job);
