// SPDX-License-Identifier: Apache-2.0
/** The processors that are built in. */
#pragma once

#include "grid/map/processor.h"

int fil_map__increment(struct fil_map_processing *processing, void *context);
int fil_map__append(struct fil_map_processing *processing, void *context);
int fil_map__compare_and_set(struct fil_map_processing *processing, void *context);
int fil_map__json_merge(struct fil_map_processing *processing, void *context);
