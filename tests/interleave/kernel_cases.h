// SPDX-License-Identifier: Apache-2.0
/** The small worlds in which the kernel's ownership protocol is explored. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/interleave/explorer.h"

uint32_t fil_kernel_case_count(void);
const char *fil_kernel_case_name(uint32_t index);

/** Explores the case of that name; false: there is none. */
bool fil_kernel_case_run(const char *name, struct fil_explorer_result *out_result);
