// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <stddef.h>
#include <stdio.h>

#include "filbert/error.h"
#include "grid/map/index.h"
#include "grid/map/map.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/utf8.h"
#include "node/node_internal.h"

/** A counter of all partitions together. */
static double sum(const struct fil_map *map, size_t offset)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < map->partition_count; i++) {
        const char *counters = (const char *)&map->shards[i].counters;
        total += fil_counter_read((const struct fil_counter *)(const void *)(counters + offset));
    }
    return (double)total;
}

#define READER(field)                                                  \
    static double read_##field(void *context)                          \
    {                                                                  \
        return sum(context, offsetof(struct fil_map_counters, field)); \
    }
READER(entries)
READER(gets)
READER(hits)
READER(puts)
READER(removes)
READER(expired)
READER(evicted)
READER(locks)
READER(events)
READER(events_lost)
READER(journal_lost)
READER(collections)
READER(index_finds)
#undef READER

static double read_indexes(void *context)
{
    return (double)fil_map_index_count(context);
}

static double read_queries(void *context)
{
    return (double)fil_map_query_count(context);
}

static double read_indexed_queries(void *context)
{
    return (double)fil_map_indexed_query_count(context);
}

static double read_bytes(void *context)
{
    return (double)fil_map_bytes(context);
}

#define COUNTER(metric, text, field)                                                              \
    {                                                                                             \
        {.name = "filbert_map_" metric, .help = (text), .type = FIL_METRIC_COUNTER}, read_##field \
    }
#define GAUGE(metric, text, field)                                                              \
    {                                                                                           \
        {.name = "filbert_map_" metric, .help = (text), .type = FIL_METRIC_GAUGE}, read_##field \
    }

static const struct {
    struct fil_metric_family family;
    fil_metric_read_fn read;
} series[] = {
    GAUGE("entries", "Entries of a map.", entries),
    GAUGE("collections", "Keys of a database that have lists.", collections),
    GAUGE("bytes", "Bytes a map's entries use.", bytes),
    GAUGE("locks", "Keys of a map that are locked.", locks),
    COUNTER("gets_total", "Reads of entries by their key.", gets),
    COUNTER("hits_total", "Those reads that found the entry.", hits),
    COUNTER("puts_total", "Writes of entries.", puts),
    COUNTER("removes_total", "Entries removed by clients.", removes),
    COUNTER("expired_total", "Entries removed because their time had come.", expired),
    COUNTER("evicted_total", "Entries removed to make room, or because a client said so.", evicted),
    GAUGE("indexes", "Indexes of a map.", indexes),
    COUNTER("queries_total", "Requests for the entries that a predicate means.", queries),
    COUNTER("indexed_queries_total", "Those that looked into an index.", indexed_queries),
    COUNTER("index_finds_total", "Entries that those found there and tested.", index_finds),
    COUNTER("events_total", "Events published to listeners.", events),
    COUNTER("events_lost_total", "Events for which there was no memory or no room.", events_lost),
    COUNTER("journal_lost_total", "Changes for which the journal had no memory.", journal_lost),
};

static_assert(FIL_COUNT_OF(series) <= FIL_MAP_SERIES_MAX, "all series of a map fit");

static struct fil_map_figures *find(struct fil_node *node, const struct fil_map *map)
{
    // Relaxed: written under the mutex that the caller has.
    struct fil_map_figures *figures = atomic_load_explicit(&node->figures, memory_order_relaxed);
    while (figures != NULL && figures->map != map) {
        figures = figures->next;
    }
    return figures;
}

/** NULL when memory is out. */
static struct fil_map_figures *add(struct fil_node *node, struct fil_map *map)
{
    struct fil_map_figures *figures = fil_alloc_zero(1, sizeof(*figures));
    if (figures != NULL) {
        figures->map = map;
        figures->next = atomic_load_explicit(&node->figures, memory_order_relaxed);
        // R13 pairs with A13: they are complete.
        atomic_store_explicit(&node->figures, figures, memory_order_release);
    }
    return figures;
}

static void show(struct fil_node *node, struct fil_map_figures *figures)
{
    struct fil_map *map = figures->map;
    char name[FIL_METRIC_LABEL_VALUE_MAX];
    (void)fil_utf8_excerpt(fil_map_name(map), name, sizeof(name));
    struct fil_metric_labels labels =
        FIL_METRIC_LABELS({"map", name[0] == '\0' ? "(no name)" : name});
    int error = FIL_OK;
    // A map without memory for its figures, or whose name looks like another's, works without them.
    for (size_t i = 0; i < FIL_COUNT_OF(series) && error == FIL_OK; i++) {
        error = fil_metrics_add_function(node->metrics, &series[i].family, labels, series[i].read,
                                         map, &figures->series[i]);
    }
}

void fil_node__map_made(void *context, struct fil_map *map)
{
    struct fil_node *node = context;
    struct fil_map_figures *figures = find(node, map);
    figures = figures == NULL ? add(node, map) : figures;
    if (figures != NULL) {
        show(node, figures);
    }
    fil_log_event(node->log, FIL_LOG_DEBUG, "map_created", FIL_F_BYTES("map", fil_map_name(map)),
                  FIL_F_TEXT("eviction", fil_map_eviction_words[map->config.eviction]),
                  FIL_F_U64("maps", fil_maps_count(node->maps)));
}

void fil_node__map_destroyed(void *context, struct fil_map *map)
{
    struct fil_node *node = context;
    struct fil_map_figures *figures = find(node, map);
    for (size_t i = 0; figures != NULL && i < FIL_COUNT_OF(series); i++) {
        fil_metrics_remove(node->metrics, figures->series[i]);
        figures->series[i] = NULL;
    }
    fil_log_event(node->log, FIL_LOG_DEBUG, "map_destroyed", FIL_F_BYTES("map", fil_map_name(map)),
                  FIL_F_U64("entries", fil_map_size(map)));
}

void fil_node__free_figures(struct fil_node *node)
{
    struct fil_map_figures *figures = atomic_load_explicit(&node->figures, memory_order_relaxed);
    while (figures != NULL) {
        struct fil_map_figures *next = figures->next;
        fil_free(figures);
        figures = next;
    }
}
