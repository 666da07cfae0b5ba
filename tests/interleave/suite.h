// SPDX-License-Identifier: Apache-2.0
/** A suite: the cases over one set of explored copies. Each suite's cases file provides these. */
#pragma once

#include <stdint.h>

#include "tests/interleave/explorer.h"

extern const char fil_suite_name[];

uint32_t fil_suite_case_count(void);
const char *fil_suite_case_name(uint32_t index);

/** Plays the case in all its orders. */
struct fil_explorer_result fil_suite_case_run(uint32_t index);
