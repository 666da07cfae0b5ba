// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/weight.h"

#define BLOCK_BYTES 4096U // of a sequence, which who looks for something in it passes one by one

/** Of so many members, those that are handled. */
static uint64_t count_touched(const struct fil_resp_extent *extent, uint64_t there)
{
    uint64_t left = there > extent->spared ? there - extent->spared : 0;
    return left < extent->most ? left : extent->most;
}

static uint64_t weigh_collection(const struct fil_resp_extent *extent, struct fil_bytes value)
{
    uint64_t there = fil_value_count(value);
    uint64_t touched = count_touched(extent, there);
    uint64_t bytes = fil_value_bytes(value);
    uint64_t passed = extent->is_sought ? bytes / BLOCK_BYTES : 0;
    if (touched == 0) {
        return passed;
    }
    uint64_t by_bytes = bytes / there * touched / FIL_RESP_MEMBER_BYTES;
    return passed + (touched > by_bytes ? touched : by_bytes);
}

static uint64_t weigh_key(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms,
                          const struct fil_resp_extent *extent)
{
    struct fil_store_spot spot;
    struct fil_store_view view;
    if (fil_map_find_here(map, key, now_ms, &spot)) {
        return spot.value.size / FIL_RESP_MEMBER_BYTES;
    }
    if (fil_map_inspect_collection_here(map, key, now_ms, &view)) {
        return weigh_collection(extent, view.value);
    }
    return 0;
}

uint64_t fil_resp_access_weight(const struct fil_resp_access *access)
{
    return weigh_key(access->map, &access->key, access->now_ms, &access->extent);
}

bool fil_resp_access_is_heavy(const struct fil_resp_access *access)
{
    return fil_resp_access_weight(access) >= FIL_RESP_HUGE_MEMBERS;
}

bool fil_resp_access_puts_off_collection(struct fil_resp_access *access)
{
    const struct fil_resp_extent all = FIL_RESP_EXTENT_ALL;
    struct fil_store_view view;
    access->is_put_off =
        access->can_put_off &&
        fil_map_inspect_collection_here(access->map, &access->key, access->now_ms, &view) &&
        weigh_collection(&all, view.value) >= FIL_RESP_HUGE_MEMBERS;
    return access->is_put_off;
}

bool fil_resp_access_puts_off_string(struct fil_resp_access *access)
{
    struct fil_store_spot spot;
    return fil_map_find_here(access->map, &access->key, access->now_ms, &spot) &&
           fil_resp_access_puts_off(access, spot.value.size);
}

fil_partition_id fil_resp_plan_start(const struct fil_resp_plan *plan,
                                     const struct fil_resp_command *command)
{
    if (fil_resp_argument(command, plan->first).size < FIL_RESP_HUGE_BYTES) {
        return fil_resp_plan_place(plan, command, 0).partition_id;
    }
    return (fil_partition_id)(plan->session->connection->id % plan->map->partition_count);
}

uint64_t fil_resp_plan_weight(const struct fil_resp_plan *plan,
                              const struct fil_resp_command *command)
{
    uint64_t weight = command->count;
    for (uint32_t i = 0; i < plan->count; i++) {
        struct fil_map_key key = fil_resp_plan_place(plan, command, i);
        struct fil_map *map = fil_resp_plan_map(plan, i);
        weight += weigh_key(map, &key, plan->now_ms, &plan->extent);
    }
    return weight;
}

bool fil_resp_plan_is_heavy(const struct fil_resp_plan *plan,
                            const struct fil_resp_command *command)
{
    return plan->is_weighed && fil_resp_plan_weight(plan, command) >= FIL_RESP_HUGE_MEMBERS;
}
