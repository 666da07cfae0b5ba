// SPDX-License-Identifier: Apache-2.0
#include "node/map_options.h"

struct fil_map_config fil_map_options_defaults(const struct fil_options *options)
{
    return (struct fil_map_config){
        .ttl_ms = options->map.ttl_ns / 1000000,
        .max_idle_ms = options->map.max_idle_ns / 1000000,
        .eviction = options->map.eviction,
        .entry_count_max = (uint64_t)options->map.entries_max,
        .partition_entry_count_max = (uint64_t)options->map.partition_entries_max,
        .byte_count_max = options->map.bytes_max,
        .memory_percent_max = (uint32_t)options->map.memory_percent_max,
        .has_statistics = options->map.statistics,
        .journal_capacity = (uint32_t)options->map.journal,
    };
}

int fil_map_options_rules(const struct fil_options *options,
                          struct fil_map_rule out_rules[FIL_MAP_RULES_MAX], char *out_problem,
                          size_t problem_size)
{
    struct fil_map_config defaults = fil_map_options_defaults(options);
    return fil_map_rules_parse(options->map.named, &defaults, out_rules, out_problem, problem_size);
}
