// SPDX-License-Identifier: Apache-2.0
/**
 * What maps are like: settings, and rules that give them to maps by name or by pattern.
 *
 * A rule's name is a map's whole name, or a pattern with one `*` that stands for any bytes. A whole
 * name wins over patterns; of several patterns that fit, the one with the most letters wins.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/store/store.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define FIL_MAP_NAME_MAX     255U // bytes
#define FIL_MAP_RULES_MAX    64U
#define FIL_MAP_INDEXES_MAX  255U       // bytes of text
#define FIL_MAP_JOURNAL_MAX  (1U << 24) // events, of all partitions
#define FIL_MAP_DURATION_MAX (UINT64_C(100) * 365 * 86400 * 1000)

/** How a multimap keeps the values of a key. */
enum fil_map_values {
    FIL_MAP_VALUES_SET,  // each once
    FIL_MAP_VALUES_LIST, // all, in the order in which they came
};

struct fil_map_config {
    uint64_t ttl_ms;      // of entries that name none; 0: none
    uint64_t max_idle_ms; // likewise
    enum fil_eviction eviction;
    uint64_t entry_count_max;              // on this member; 0: no limit
    uint64_t partition_entry_count_max;    // in each partition; 0: no limit
    uint64_t byte_count_max;               // on this member; 0: no limit
    uint32_t memory_percent_max;           // of the member's limit, used by all; 0: no limit
    bool has_statistics;                   // each entry knows its times, version and hits
    uint32_t journal_capacity;             // events kept, in all partitions together; 0: no journal
    char indexes[FIL_MAP_INDEXES_MAX + 1]; // a list of attributes, in words; "": none

    // Of a multimap.
    enum fil_map_values values;
    uint64_t value_count_max; // of a key; 0: no limit
};

struct fil_map_rule {
    char name[FIL_MAP_NAME_MAX + 1];
    struct fil_map_config config;
};

/** The words of enum fil_map_values, NULL behind the last. */
extern const char *const fil_map_values_words[];

/** The words of eviction policies, in the order of enum fil_eviction, NULL behind the last. */
extern const char *const fil_map_eviction_words[];

/** Whether the rule's name is the map's, or a pattern that fits it. */
bool fil_map_rule_fits(const struct fil_map_rule *rule, struct fil_bytes name);

/** The rule for the map, or NULL. */
const struct fil_map_rule *fil_map_rule_find(const struct fil_map_rule *rules, uint32_t count,
                                             struct fil_bytes name);

/** What all stores of such a map share; callbacks are the caller's. */
struct fil_store_options fil_map_config_store(const struct fil_map_config *config,
                                              uint32_t partition_count);
