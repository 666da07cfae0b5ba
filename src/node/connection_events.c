// SPDX-License-Identifier: Apache-2.0
/**
 * What the log tells of connections that met a limit, with the option that says so: that could not
 * be accepted, were refused, or were ended. Rounds of a second, so that a storm is a line a limit.
 */
#include "lib/os/process.h"
#include "node/limit_name.h"
#include "node/node_internal.h"

#define ROUND_NS UINT64_C(1000000000)

/** How many more there are than were told; they count as told then. */
static uint64_t take_news(uint64_t *told, uint64_t count)
{
    uint64_t news = count - *told;
    *told = count;
    return news;
}

/** The system had no descriptor for them: they wait, and are tried again. */
static void tell_of_failures(struct fil_node *node)
{
    uint64_t count = take_news(&node->told_connections.accepts_failed,
                               fil_counter_read(&node->acceptor.stats.failed));
    if (count > 0) {
        struct fil_process_usage usage;
        fil_process_measure(&usage);
        fil_log_event(node->log, FIL_LOG_WARN, "accept_failed", FIL_F_U64("count", count),
                      FIL_F_U64("descriptors", usage.descriptor_count),
                      FIL_F_U64("limit", fil_process_descriptor_limit()),
                      FIL_F_TEXT("cure", "raise ulimit -n, or lower net.connections_max"));
    }
}

static void tell_of_refusals(struct fil_node *node)
{
    uint64_t count = take_news(&node->told_connections.refused,
                               fil_counter_read(&node->acceptor.stats.refused_limit));
    if (count > 0) {
        fil_log_event(node->log, FIL_LOG_WARN, "connections_refused", FIL_F_U64("count", count),
                      FIL_F_TEXT("option", "net.connections_max"),
                      FIL_F_U64("limit", node->connections_max));
    }
}

static uint64_t count_closed(struct fil_node *node, enum fil_close_reason reason)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < node->loop_count; i++) {
        count += fil_counter_read(&node->loops[i].stats.closed[reason]);
    }
    return count;
}

/** A connection that only was silent too long is no news. */
static void tell_of_ends(struct fil_node *node, enum fil_close_reason reason)
{
    struct fil_limit_name name = fil_limit_name_of(&node->loops[0].limits, reason);
    if (name.option == NULL || reason == FIL_CLOSE_IDLE) {
        return;
    }
    uint64_t count = take_news(&node->told_connections.closed[reason], count_closed(node, reason));
    if (count > 0) {
        fil_log_event(node->log, FIL_LOG_WARN, "connections_limited", FIL_F_U64("count", count),
                      FIL_F_APART(FIL_F_TEXT("reason", fil_close_reason_text(reason))),
                      FIL_F_TEXT("option", name.option), name.value);
    }
}

void fil_node__tell_of_connections(struct fil_node *node, uint64_t now_ns)
{
    if (node->log == NULL || now_ns < node->told_connections.next_ns) {
        return;
    }
    node->told_connections.next_ns = now_ns + ROUND_NS;
    tell_of_failures(node);
    tell_of_refusals(node);
    for (uint32_t i = 0; i < FIL_CLOSE_REASON_COUNT; i++) {
        tell_of_ends(node, (enum fil_close_reason)i);
    }
}
