// SPDX-License-Identifier: Apache-2.0
/**
 * Whether there is memory for several writes: looked at before the first of them, so that what
 * belongs together is refused as a whole and not in its middle.
 *
 * It is a look and no reservation: others may use what was seen, and then a write is refused by
 * itself, as always.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "grid/map/map.h"
#include "lib/conc/role.h"

/** Whether so many writes of so many bytes in all find room in the map, or others go for them. */
FIL_ANY_THREAD bool fil_resp_room_is_left(const struct fil_map *map, uint64_t writes,
                                          uint64_t bytes);
