// SPDX-License-Identifier: Apache-2.0
/**
 * What clients may run on the member: the functions that are built in (grid/executor/function.h),
 * those about maps, those of packages; and the submissions to the named executors.
 *
 *     map-size NAME   how many entries the map has: in the partition, or in all
 *     map-sum  NAME   the sum of its values, which are whole numbers
 *
 * Threads: init and fini by the member's owner.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grid/executor/function.h"
#include "grid/executor/submission.h"
#include "grid/map/maps.h"
#include "lib/base/attr.h"
#include "node/options.h"
#include "node/stages.h"

#define FIL_FUNCTION_PACKAGES_MAX 16U

struct fil_node_functions {
    struct fil_functions registry;
    struct fil_submissions submissions;
    struct fil_executors *executors;
    struct fil_executor_wish wish; // for executors that a client names first
    void *libraries[FIL_FUNCTION_PACKAGES_MAX];
    uint32_t library_count;
    bool is_open;
};

struct fil_node_functions_options {
    struct fil_env *env;
    struct fil_stages *stages;
    struct fil_maps *maps;
    struct fil_budget *budget;
    const struct fil_options *options;
};

/**
 * FIL_E_CONFIG when a package of executor.packages cannot be loaded, with the reason; FIL_E_NOMEM.
 * To be ended in any case, when all threads are.
 */
int fil_node_functions_init(struct fil_node_functions *functions,
                            const struct fil_node_functions_options *options, char *out_problem,
                            size_t problem_size) FIL_NODISCARD;

void fil_node_functions_fini(struct fil_node_functions *functions);
