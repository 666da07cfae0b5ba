// SPDX-License-Identifier: Apache-2.0
#include "node/map_options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/conf/option_list.h"
#include "protocol/client/query/attribute.h"

struct fil_map_config fil_map_options_defaults(const struct fil_options *options)
{
    struct fil_map_config config = {
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
    static_assert(sizeof(config.indexes) == sizeof(options->map.indexes), "one limit");
    if (strcmp(options->map.indexes, "none") != 0) {
        memcpy(config.indexes, options->map.indexes, sizeof(config.indexes));
    }
    return config;
}

static int check_indexes(const struct fil_map_config *config,
                         char out_problem[FIL_OPTION_REASON_MAX + 1])
{
    if (fil_query_declare_indexes(fil_bytes_of(config->indexes), NULL, NULL) == FIL_OK) {
        return FIL_OK;
    }
    (void)snprintf(out_problem, FIL_OPTION_REASON_MAX + 1,
                   "indexes are attributes as in `age,hash:city`, none with [any], not '%.80s'",
                   config->indexes);
    return FIL_E_CONFIG;
}

/** A name, or a pattern with one star. */
static bool is_name(const char *name)
{
    const char *star = strchr(name, '*');
    return strlen(name) <= FIL_MAP_NAME_MAX && (star == NULL || strchr(star + 1, '*') == NULL);
}

int fil_map_options_rules(const struct fil_options *options,
                          struct fil_map_rule out_rules[FIL_MAP_RULES_MAX],
                          char out_problem[FIL_OPTION_REASON_MAX + 1])
{
    struct fil_options own = *options;
    struct fil_option_list list;
    int got = 0;
    struct fil_map_config defaults = fil_map_options_defaults(options);
    if (check_indexes(&defaults, out_problem) != FIL_OK) {
        return FIL_E_CONFIG;
    }
    fil_option_list_init(&list, &fil_options_table, "map.named", options->map.named);
    while ((got = fil_option_list_next(&list, &own, out_problem)) > 0) {
        if (list.count > FIL_MAP_RULES_MAX) {
            (void)snprintf(out_problem, FIL_OPTION_REASON_MAX + 1, "more than %u rules",
                           FIL_MAP_RULES_MAX);
            return FIL_E_CONFIG;
        }
        if (!is_name(list.name)) {
            (void)snprintf(out_problem, FIL_OPTION_REASON_MAX + 1,
                           "a map's name has up to %u bytes and at most one '*', not '%.40s'",
                           FIL_MAP_NAME_MAX, list.name);
            return FIL_E_CONFIG;
        }
        struct fil_map_rule *rule = &out_rules[list.count - 1];
        memcpy(rule->name, list.name, strlen(list.name) + 1);
        rule->config = fil_map_options_defaults(&own);
        own = *options;
        if (check_indexes(&rule->config, out_problem) != FIL_OK) {
            return FIL_E_CONFIG;
        }
    }
    return got < 0 ? got : (int)list.count;
}
