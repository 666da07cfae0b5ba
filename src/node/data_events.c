// SPDX-License-Identifier: Apache-2.0
/**
 * What the log tells of the member's data: how many entries have left each map by themselves, and
 * that memory was refused. Rounds of a second, so that a storm of evictions is a line a map.
 */
#include "grid/map/map.h"
#include "node/node_internal.h"

#define ROUND_NS UINT64_C(1000000000)

static void log_gone(struct fil_node *node, const struct fil_map_figures *figures,
                     const struct fil_map_stats *stats)
{
    if (stats->expired > figures->expired) {
        fil_log_event(node->log, FIL_LOG_DEBUG, "map_expired",
                      FIL_F_BYTES("map", fil_map_name(figures->map)),
                      FIL_F_U64("count", stats->expired - figures->expired),
                      FIL_F_U64("entries", stats->entries));
    }
    if (stats->evicted > figures->evicted) {
        fil_log_event(node->log, FIL_LOG_DEBUG, "map_evicted",
                      FIL_F_BYTES("map", fil_map_name(figures->map)),
                      FIL_F_U64("count", stats->evicted - figures->evicted),
                      FIL_F_U64("entries", stats->entries), FIL_F_SIZE("used", stats->bytes));
    }
}

/** The first round after the log was set to debug only looks where the counters stand. */
static void tell_of_maps(struct fil_node *node)
{
    bool is_on = fil_log_is_on(node->log, FIL_LOG_DEBUG);
    // A13 pairs with R13.
    struct fil_map_figures *figures = atomic_load_explicit(&node->figures, memory_order_acquire);
    for (; is_on && figures != NULL; figures = figures->next) {
        struct fil_map_stats stats;
        fil_map_read_stats(figures->map, &stats);
        if (node->told.is_telling) {
            log_gone(node, figures, &stats);
        }
        figures->expired = stats.expired;
        figures->evicted = stats.evicted;
    }
    node->told.is_telling = is_on;
}

static void tell_of_memory(struct fil_node *node)
{
    // Relaxed: it only counts.
    uint64_t refused = atomic_load_explicit(&node->budget.refused_count, memory_order_relaxed);
    if (refused > node->told.refused) {
        fil_log_event(node->log, FIL_LOG_WARN, "memory_refused",
                      FIL_F_U64("count", refused - node->told.refused),
                      FIL_F_SIZE("used", fil_budget_drawn(&node->budget)),
                      FIL_F_SIZE("limit", node->budget.limit_bytes));
    }
    node->told.refused = refused;
}

void fil_node__tell_of_data(struct fil_node *node, uint64_t now_ns)
{
    if (node->log == NULL || now_ns < node->told.next_ns) {
        return;
    }
    node->told.next_ns = now_ns + ROUND_NS;
    tell_of_maps(node);
    tell_of_memory(node);
}
