// SPDX-License-Identifier: Apache-2.0
/** The member's services as the configuration wants them: pools, admission, placement. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/service/service.h"
#include "lib/base/attr.h"
#include "node/options.h"

/** The pool of the member's own pages: one thread, which no user's handler can hold. */
#define FIL_SERVICES_ADMIN "admin"

/**
 * The pools that routes may run on. Returns how many, or FIL_E_CONFIG and why in out_problem.
 */
int fil_services_plan(const struct fil_options *options, uint32_t cpu_count,
                      struct fil_service_pool_plan out_plans[FIL_SERVICE_POOLS_MAX],
                      char *out_problem, size_t problem_size) FIL_NODISCARD;

/** Threads that all of them may start together. */
uint32_t fil_services_thread_count(const struct fil_options *options, uint32_t cpu_count);
