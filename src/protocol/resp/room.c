// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/room.h"

#define STEPS_PART 64U // of the limit, which steps of accounts are thought to need at most

bool fil_resp_room_is_left(const struct fil_map *map, uint64_t writes, uint64_t bytes)
{
    struct fil_budget *budget = map->budget;
    if (map->config.eviction != FIL_EVICTION_NONE) {
        return true;
    }
    // Each write may be the one for which its partition draws another step.
    uint64_t steps_max = budget->limit_bytes / STEPS_PART;
    uint64_t steps =
        writes < steps_max / budget->step_bytes ? writes * budget->step_bytes : steps_max;
    uint64_t kept = budget->spare_bytes + budget->last_bytes;
    uint64_t drawn = fil_budget_drawn(budget);
    uint64_t left = drawn + kept < budget->limit_bytes ? budget->limit_bytes - drawn - kept : 0;
    return steps <= left && bytes <= left - steps;
}
