// SPDX-License-Identifier: Apache-2.0
#include "node/structures.h"

#include <stddef.h>

#include "filbert/error.h"
#include "grid/cardinality/cardinality.h"
#include "grid/counter/counter.h"
#include "grid/flake/flake.h"
#include "grid/replicated/replicated.h"
#include "grid/topic/topic.h"
#include "lib/base/utf8.h"
#include "protocol/client/serialization.h"

#define NS_PER_MS 1000000U

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

/** The settings of a container; NULL: those of its type. */
static const void *find_config(void *context, const struct fil_container_type *type,
                               struct fil_bytes name)
{
    const struct fil_structures *structures = context;
    (void)name;
    if (type == &fil_queue_type) {
        return &structures->queue;
    }
    if (type == &fil_list_type) {
        return &structures->list;
    }
    if (type == &fil_set_type) {
        return &structures->set;
    }
    return type == &fil_ringbuffer_type ? &structures->ringbuffer : NULL;
}

static void read_options(struct fil_structures *structures, const struct fil_options *options)
{
    structures->queue = (struct fil_queue_config){
        .size_max = (uint64_t)options->structure.queue_items_max,
        .empty_ttl_ms = options->structure.queue_empty_ttl_ns == 0
                            ? -1
                            : (int64_t)(options->structure.queue_empty_ttl_ns / NS_PER_MS),
    };
    structures->list.size_max = (uint64_t)options->structure.list_items_max;
    structures->set.size_max = (uint64_t)options->structure.set_items_max;
    structures->ringbuffer = (struct fil_ringbuffer_config){
        .capacity = (uint64_t)options->structure.ringbuffer_capacity,
        .ttl_ms = options->structure.ringbuffer_ttl_ns / NS_PER_MS,
    };
}

int fil_structures_init(struct fil_structures *structures,
                        const struct fil_structures_options *options)
{
    structures->metrics = options->metrics;
    read_options(structures, options->options);
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
    structures->directory = NULL;
}
