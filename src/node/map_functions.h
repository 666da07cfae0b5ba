// SPDX-License-Identifier: Apache-2.0
/** The functions about maps that clients may run: functions.h. */
#pragma once

#include "grid/executor/function.h"
#include "grid/map/maps.h"
#include "lib/base/attr.h"

int fil_map_functions_add(struct fil_functions *functions, struct fil_maps *maps) FIL_NODISCARD;
