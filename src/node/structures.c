// SPDX-License-Identifier: Apache-2.0
#include "node/structures.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

#include "filbert/error.h"
#include "grid/cardinality/cardinality.h"
#include "grid/counter/counter.h"
#include "grid/flake/flake.h"
#include "grid/replicated/replicated.h"
#include "grid/topic/topic.h"
#include "lib/base/alloc.h"
#include "lib/base/utf8.h"
#include "protocol/client/serialization.h"

/** A new structure needs a line here. */
static const struct fil_container_type *const types[] = {
    &fil_cardinality_type, &fil_flake_type,      &fil_list_type,
    &fil_pn_counter_type,  &fil_queue_type,      &fil_replicated_type,
    &fil_set_type,         &fil_ringbuffer_type, &fil_topic_type,
};

#define READER(field)                                                \
    static double read_##field(void *context)                        \
    {                                                                \
        const struct fil_container *container = context;             \
        return (double)fil_counter_read(&container->counters.field); \
    }
READER(items)
READER(bytes)
READER(adds)
READER(removes)
READER(reads)
READER(refused)
READER(waits)
READER(expired)
READER(events)
READER(events_lost)
#undef READER

#define SERIES(metric, text, kind, field)                                                 \
    {                                                                                     \
        {.name = "filbert_structure_" metric, .help = (text), .type = FIL_METRIC_##kind}, \
            read_##field                                                                  \
    }

static const struct {
    struct fil_metric_family family;
    fil_metric_read_fn read;
} series[] = {
    SERIES("items", "Items of a structure.", GAUGE, items),
    SERIES("bytes", "Bytes of memory that its items use.", GAUGE, bytes),
    SERIES("adds_total", "Items, messages or numbers added.", COUNTER, adds),
    SERIES("removes_total", "Items taken or removed.", COUNTER, removes),
    SERIES("reads_total", "Reads.", COUNTER, reads),
    SERIES("refused_total", "Additions refused for want of room or memory.", COUNTER, refused),
    SERIES("waits_total", "Operations that had to wait.", COUNTER, waits),
    SERIES("expired_total", "Items that expired or were overwritten.", COUNTER, expired),
    SERIES("events_total", "Events published to listeners.", COUNTER, events),
    SERIES("events_lost_total", "Events for which there was no memory or no room.", COUNTER,
           events_lost),
};

/** Its figures; one without memory for them, or whose name looks like another's, has none. */
static void register_metrics(void *context, struct fil_container *container)
{
    struct fil_structures *structures = context;
    char name[FIL_METRIC_LABEL_VALUE_MAX];
    (void)fil_utf8_excerpt(fil_container_name(container), name, sizeof(name));
    struct fil_metric_labels labels =
        FIL_METRIC_LABELS({"type", container->type->name}, {"name", name});
    int error = FIL_OK;
    for (size_t i = 0; i < FIL_COUNT_OF(series) && error == FIL_OK; i++) {
        error = fil_metrics_add_function(structures->metrics, &series[i].family, labels,
                                         series[i].read, container, NULL);
    }
}

/** A counter of all partitions of a multimap together. */
static double sum(const struct fil_map *map, size_t offset)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < map->partition_count; i++) {
        const char *counters = (const char *)&map->shards[i].counters;
        total += fil_counter_read((const struct fil_counter *)(const void *)(counters + offset));
    }
    return (double)total;
}

// What a structure's figure is called in a map.
#define READER(figure, field)                                          \
    static double sum_##figure(void *context)                          \
    {                                                                  \
        return sum(context, offsetof(struct fil_map_counters, field)); \
    }
READER(items, values)
READER(bytes, value_bytes)
READER(adds, puts)
READER(removes, removes)
READER(reads, gets)
READER(events, events)
READER(events_lost, events_lost)
#undef READER

/** The same series, read from a multimap; those that it has not are NULL. */
static fil_metric_read_fn multimap_reader(fil_metric_read_fn read)
{
    static const struct {
        fil_metric_read_fn of_container;
        fil_metric_read_fn of_multimap;
    } pairs[] = {
        {read_items, sum_items},
        {read_bytes, sum_bytes},
        {read_adds, sum_adds},
        {read_reads, sum_reads},
        {read_events, sum_events},
        {read_removes, sum_removes},
        {read_events_lost, sum_events_lost},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(pairs); i++) {
        if (pairs[i].of_container == read) {
            return pairs[i].of_multimap;
        }
    }
    return NULL;
}

static void register_multimap(void *context, struct fil_map *map)
{
    struct fil_structures *structures = context;
    char name[FIL_METRIC_LABEL_VALUE_MAX];
    (void)fil_utf8_excerpt(fil_map_name(map), name, sizeof(name));
    struct fil_metric_labels labels = FIL_METRIC_LABELS({"type", "multimap"}, {"name", name});
    int error = FIL_OK;
    for (size_t i = 0; i < FIL_COUNT_OF(series) && error == FIL_OK; i++) {
        fil_metric_read_fn read = multimap_reader(series[i].read);
        if (read != NULL) {
            error = fil_metrics_add_function(structures->metrics, &series[i].family, labels, read,
                                             map, NULL);
        }
    }
}

/** The settings of a container; NULL: those of its type. */
static const void *find_config(void *context, const struct fil_container_type *type,
                               struct fil_bytes name)
{
    const struct fil_structures *structures = context;
    static const struct fil_container_type *const kind_types[] = {
        [FIL_STRUCTURE_QUEUE] = &fil_queue_type,
        [FIL_STRUCTURE_LIST] = &fil_list_type,
        [FIL_STRUCTURE_SET] = &fil_set_type,
        [FIL_STRUCTURE_RINGBUFFER] = &fil_ringbuffer_type,
    };
    for (size_t i = 0; i < FIL_COUNT_OF(kind_types); i++) {
        if (kind_types[i] == type) {
            return fil_structure_rules_find(&structures->rules[i], name);
        }
    }
    return NULL;
}

static int read_rules(struct fil_structures *structures, const struct fil_options *options)
{
    char problem[FIL_OPTION_REASON_MAX + 1];
    int error = FIL_OK;
    structures->rules = fil_alloc_zero(FIL_STRUCTURE_KINDS, sizeof(struct fil_structure_rules));
    if (structures->rules == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < FIL_STRUCTURE_KINDS && error == FIL_OK; i++) {
        // The options were checked before: there is no problem to tell.
        error = fil_structure_rules_read(&structures->rules[i], (enum fil_structure_kind)i, options,
                                         problem);
    }
    return error;
}

/** As the maps want them. */
static void copy_multimap_rules(const struct fil_structure_rules *from, struct fil_map_rule *to)
{
    for (uint32_t i = 0; i < from->count; i++) {
        (void)snprintf(to[i].name, sizeof(to[i].name), "%s", from->rules[i].name);
        to[i].config = from->rules[i].config.multimap;
    }
}

static int init_multimaps(struct fil_structures *structures,
                          const struct fil_structures_options *options)
{
    static_assert(FIL_STRUCTURE_RULES_MAX <= FIL_MAP_RULES_MAX, "all rules fit");
    struct fil_map_rule rules[FIL_MAP_RULES_MAX];
    const struct fil_structure_rules *read = &structures->rules[FIL_STRUCTURE_MULTIMAP];
    copy_multimap_rules(read, rules);
    return fil_maps_new(&structures->multimaps,
                        &(struct fil_maps_options){
                            .env = options->env,
                            .exec = options->exec,
                            .events = options->events,
                            .budget = options->budget,
                            .seed = options->seed,
                            .count_max = (uint32_t)options->options->map.count_max,
                            .defaults = read->defaults.multimap,
                            .rules = rules,
                            .rule_count = read->count,
                            .made = register_multimap,
                            .context = structures,
                        });
}

int fil_structures_init(struct fil_structures *structures,
                        const struct fil_structures_options *options)
{
    structures->metrics = options->metrics;
    int error = read_rules(structures, options->options);
    if (error == FIL_OK) {
        error = init_multimaps(structures, options);
    }
    if (error != FIL_OK) {
        return error;
    }
    return fil_directory_new(&structures->directory,
                             &(struct fil_directory_options){
                                 .env = options->env,
                                 .exec = options->exec,
                                 .events = options->events,
                                 .budget = options->budget,
                                 .seed = options->seed,
                                 .count_max = (uint32_t)options->options->structure.count_max,
                                 .types = types,
                                 .type_count = FIL_COUNT_OF(types),
                                 .place = fil_wire_partition_of_name,
                                 .config = find_config,
                                 .made = register_metrics,
                                 .context = structures,
                             });
}

void fil_structures_fini(struct fil_structures *structures)
{
    fil_directory_free(structures->directory);
    fil_maps_free(structures->multimaps);
    fil_free(structures->rules);
    *structures = (struct fil_structures){0};
}
