// SPDX-License-Identifier: Apache-2.0
#include "grid/map/config.h"

#include "lib/base/assert.h"
#include "lib/conf/rules.h"

const char *const fil_map_eviction_words[] = {
    [FIL_EVICTION_NONE] = "none",   [FIL_EVICTION_LRU] = "lru",
    [FIL_EVICTION_LFU] = "lfu",     [FIL_EVICTION_RANDOM] = "random",
    [FIL_EVICTION_SIEVE] = "sieve", [FIL_EVICTION_SIEVE + 1] = NULL,
};

const char *const fil_map_values_words[] = {
    [FIL_MAP_VALUES_SET] = "set", [FIL_MAP_VALUES_LIST] = "list", [FIL_MAP_VALUES_LIST + 1] = NULL};

bool fil_map_rule_fits(const struct fil_map_rule *rule, struct fil_bytes name)
{
    return fil_rule_fits(rule->name, name);
}

const struct fil_map_rule *fil_map_rule_find(const struct fil_map_rule *rules, uint32_t count,
                                             struct fil_bytes name)
{
    const struct fil_map_rule *best = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (fil_map_rule_fits(&rules[i], name) &&
            fil_rule_wins(rules[i].name, best == NULL ? NULL : best->name)) {
            best = &rules[i];
        }
    }
    return best;
}

/** A partition's share of a limit of the member: rounded up, so that it is never 0. */
static uint64_t share_of(uint64_t limit, uint32_t partition_count)
{
    return limit / partition_count + (limit % partition_count != 0);
}

struct fil_store_options fil_map_config_store(const struct fil_map_config *config,
                                              uint32_t partition_count)
{
    fil_assert(partition_count > 0);
    // What evicts nothing is counted exactly, by the map.
    bool has_share = config->eviction != FIL_EVICTION_NONE;
    uint64_t entry_count_max = has_share ? share_of(config->entry_count_max, partition_count) : 0;
    uint64_t own_max = config->partition_entry_count_max;
    if (own_max != 0 && (entry_count_max == 0 || own_max < entry_count_max)) {
        entry_count_max = own_max;
    }
    return (struct fil_store_options){
        .ttl_ms = config->ttl_ms,
        .max_idle_ms = config->max_idle_ms,
        .has_statistics = config->has_statistics,
        .eviction = config->eviction,
        .entry_count_max = entry_count_max,
        .byte_count_max = share_of(config->byte_count_max, partition_count),
        .memory_percent_max = config->memory_percent_max,
    };
}
