// SPDX-License-Identifier: Apache-2.0
#include "node/structure_rules.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/conf/option_list.h"
#include "lib/conf/rules.h"

#define NS_PER_MS 1000000U

typedef void (*convert_fn)(const struct fil_options *options, struct fil_structure_config *config);

static void convert_queue(const struct fil_options *options, struct fil_structure_config *config)
{
    config->queue = (struct fil_queue_config){
        .size_max = (uint64_t)options->queue.items_max,
        .empty_ttl_ms = options->queue.empty_ttl_ns == 0
                            ? -1
                            : (int64_t)(options->queue.empty_ttl_ns / NS_PER_MS),
    };
    if (options->queue.order != FIL_QUEUE_ARRIVAL) {
        config->order.is_descending = options->queue.order == FIL_QUEUE_DESCENDING;
        config->queue.compare = fil_wire_order_compare;
        config->queue.compare_context = &config->order;
        if (strcmp(options->queue.attribute, "none") != 0) {
            config->is_wrong =
                fil_wire_order_by(&config->order, options->queue.attribute) != FIL_OK;
        }
    }
}

static void convert_list(const struct fil_options *options, struct fil_structure_config *config)
{
    config->list.size_max = (uint64_t)options->list.items_max;
}

static void convert_set(const struct fil_options *options, struct fil_structure_config *config)
{
    config->set.size_max = (uint64_t)options->set.items_max;
}

static void convert_ringbuffer(const struct fil_options *options,
                               struct fil_structure_config *config)
{
    config->ringbuffer = (struct fil_ringbuffer_config){
        .capacity = (uint64_t)options->ringbuffer.capacity,
        .ttl_ms = options->ringbuffer.ttl_ns / NS_PER_MS,
    };
}

static void convert_multimap(const struct fil_options *options, struct fil_structure_config *config)
{
    config->multimap = (struct fil_map_config){
        .values = options->multimap.values,
        .value_count_max = (uint64_t)options->multimap.values_max,
    };
}

static const struct {
    const char *option;
    convert_fn convert;
} kinds[FIL_STRUCTURE_KINDS] = {
    [FIL_STRUCTURE_QUEUE] = {"queue.named", convert_queue},
    [FIL_STRUCTURE_LIST] = {"list.named", convert_list},
    [FIL_STRUCTURE_SET] = {"set.named", convert_set},
    [FIL_STRUCTURE_RINGBUFFER] = {"ringbuffer.named", convert_ringbuffer},
    [FIL_STRUCTURE_MULTIMAP] = {"multimap.named", convert_multimap},
};

const char *fil_structure_rules_option(enum fil_structure_kind kind)
{
    fil_assert(kind < FIL_STRUCTURE_KINDS);
    return kinds[kind].option;
}

static int check(const struct fil_structure_config *config, const char *name,
                 char out_problem[FIL_OPTION_REASON_MAX + 1])
{
    if (config->is_wrong) {
        (void)snprintf(out_problem, FIL_OPTION_REASON_MAX + 1,
                       "'%.40s' has an attribute that is no path", name);
    }
    return config->is_wrong ? FIL_E_CONFIG : FIL_OK;
}

/** Takes over what was read. */
static int add_rule(struct fil_structure_rules *rules, const char *name, convert_fn convert,
                    const struct fil_options *own, char out_problem[FIL_OPTION_REASON_MAX + 1])
{
    const char *problem = rules->count == FIL_STRUCTURE_RULES_MAX ? "is one rule too many"
                          : !fil_rule_is_name(name)               ? "has more than one '*'"
                                                                  : NULL;
    if (problem != NULL) {
        (void)snprintf(out_problem, FIL_OPTION_REASON_MAX + 1, "'%.40s' %s", name, problem);
        return FIL_E_CONFIG;
    }
    struct fil_structure_rule *rule = &rules->rules[rules->count];
    (void)snprintf(rule->name, sizeof(rule->name), "%s", name);
    convert(own, &rule->config);
    rules->count++;
    return check(&rule->config, name, out_problem);
}

int fil_structure_rules_read(struct fil_structure_rules *rules, enum fil_structure_kind kind,
                             const struct fil_options *options,
                             char out_problem[FIL_OPTION_REASON_MAX + 1])
{
    struct fil_options own = *options;
    struct fil_option_list list;
    struct fil_option_value text;
    fil_assert(kind < FIL_STRUCTURE_KINDS);
    convert_fn convert = kinds[kind].convert;
    fil_option_load(fil_option_table_find(&fil_options_table, fil_bytes_of(kinds[kind].option)),
                    options, &text);
    memset(rules, 0, sizeof(*rules));
    convert(options, &rules->defaults);
    if (check(&rules->defaults, "queue", out_problem) != FIL_OK) {
        return FIL_E_CONFIG;
    }
    fil_option_list_init(&list, &fil_options_table, kinds[kind].option, text.text);
    int got = fil_option_list_next(&list, &own, out_problem);
    while (got > 0) {
        int error = add_rule(rules, list.name, convert, &own, out_problem);
        own = *options;
        got = error == FIL_OK ? fil_option_list_next(&list, &own, out_problem) : error;
    }
    return got;
}

const struct fil_structure_config *fil_structure_rules_find(const struct fil_structure_rules *rules,
                                                            struct fil_bytes name)
{
    const struct fil_structure_rule *best = NULL;
    for (uint32_t i = 0; i < rules->count; i++) {
        const struct fil_structure_rule *rule = &rules->rules[i];
        if (fil_rule_fits(rule->name, name) &&
            fil_rule_wins(rule->name, best == NULL ? NULL : best->name)) {
            best = rule;
        }
    }
    return best == NULL ? &rules->defaults : &best->config;
}
