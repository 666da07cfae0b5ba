// SPDX-License-Identifier: Apache-2.0
/** The border where errno ends: one table from the system's numbers to ours. */
#pragma once

#include "lib/base/attr.h"

/** The FIL_E_* that says the same as the number (an errno, > 0); FIL_E_IO when none does. */
int fil_errno__translate(int number) FIL_NODISCARD;
