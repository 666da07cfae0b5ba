// SPDX-License-Identifier: Apache-2.0
/** Partitions that are entered at once, or not at all. */
#include <stdlib.h>

#include "lib/base/assert.h"
#include "protocol/resp/journey.h"

static int compare_ids(const void *left, const void *right)
{
    const fil_partition_id *a = left;
    const fil_partition_id *b = right;
    return (*a > *b) - (*a < *b);
}

void fil_resp_places_tidy(struct fil_resp_places *places)
{
    if (places->count == 0) {
        return;
    }
    qsort(places->ids, places->count, sizeof(places->ids[0]), compare_ids);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < places->count; i++) {
        if (places->ids[i] != places->ids[kept - 1]) {
            places->ids[kept] = places->ids[i];
            kept++;
        }
    }
    fil_assert(kept <= places->count);
    places->count = kept;
}

/** Steps out of the first ones. */
static void give_up(const struct fil_resp_places *places, uint32_t count,
                    const struct fil_resp_door *door)
{
    struct fil_exec *exec = door->runner->exec;
    for (uint32_t i = 0; i < count; i++) {
        fil_resp_door_step_out(door, fil_exec_partition(exec, places->ids[i]));
    }
}

fil_partition_id fil_resp_places_enter(const struct fil_resp_places *places,
                                       const struct fil_resp_door *door)
{
    for (uint32_t i = 0; i < places->count; i++) {
        if (fil_resp_door_enter(door, places->ids[i]) == NULL) {
            give_up(places, i, door);
            return places->ids[i];
        }
    }
    return FIL_OP_NO_PARTITION;
}

void fil_resp_places_leave(const struct fil_resp_places *places, const struct fil_resp_door *door)
{
    struct fil_exec *exec = door->runner->exec;
    for (uint32_t i = 0; i < places->count; i++) {
        fil_resp_door_leave(door, fil_exec_partition(exec, places->ids[i]));
    }
}

void fil_resp_places_step_out(const struct fil_resp_places *places,
                              const struct fil_resp_door *door)
{
    give_up(places, places->count, door);
}
