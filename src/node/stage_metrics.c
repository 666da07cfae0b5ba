// SPDX-License-Identifier: Apache-2.0
/** What /metrics shows of the watchdog and of the stages beside the partitions. */
#include <stdio.h>

#include "filbert/error.h"
#include "node/node_internal.h"

#define COUNTER(metric_name, metric_help)                                    \
    {                                                                        \
        .name = metric_name, .help = metric_help, .type = FIL_METRIC_COUNTER \
    }
#define GAUGE(metric_name, metric_help)                                    \
    {                                                                      \
        .name = metric_name, .help = metric_help, .type = FIL_METRIC_GAUGE \
    }

static const struct fil_metric_family items_family =
    COUNTER("filbert_stage_items_total", "Pieces of work a thread of a stage has done.");
static const struct fil_metric_family cycles_family =
    COUNTER("filbert_stage_cycles_total", "Turns of a stage's thread that did something.");
static const struct fil_metric_family parks_family =
    COUNTER("filbert_stage_parks_total", "Times a thread of a stage went to sleep.");
static const struct fil_metric_family wakes_family = COUNTER(
    "filbert_stage_wakeups_total", "Times a sleeping thread of a stage was woken by another.");
static const struct fil_metric_family busy_family = {
    .name = "filbert_stage_busy_seconds_total",
    .help = "Time a thread of a stage spent in turns that did something.",
    .type = FIL_METRIC_COUNTER,
    .unit = FIL_METRIC_NS,
};
static const struct fil_metric_family wait_family = {
    .name = "filbert_stage_wait_seconds",
    .help = "Time pieces of work waited in a stage's queue, sampled.",
    .type = FIL_METRIC_HISTOGRAM,
    .unit = FIL_METRIC_NS,
};
static const struct fil_metric_family service_family = {
    .name = "filbert_stage_service_seconds",
    .help = "Time pieces of work took to be done, sampled.",
    .type = FIL_METRIC_HISTOGRAM,
    .unit = FIL_METRIC_NS,
};
static const struct fil_metric_family length_family =
    GAUGE("filbert_stage_queue_length", "Pieces of work that wait in a stage's queue.");
static const struct fil_metric_family refused_family =
    COUNTER("filbert_stage_refused_total", "Pieces of work refused because the queue was full.");
static const struct fil_metric_family overflow_family =
    COUNTER("filbert_stage_overflows_total",
            "Pieces of work taken although the queue was full, because they had been admitted.");

static const struct fil_metric_family listeners_family =
    GAUGE("filbert_event_listeners", "Listeners that are registered.");
static const struct fil_metric_family dropped_family =
    COUNTER("filbert_events_dropped_total", "Events dropped because a listener's queue was full.");
static const struct fil_metric_family waited_family =
    COUNTER("filbert_event_publisher_waits_total", "Times a publisher waited for a full queue.");
static const struct fil_metric_family unregistered_family =
    COUNTER("filbert_event_listeners_refused_total",
            "Listeners refused because event.capacity has no room for them.");

static const struct fil_metric_family slow_family =
    COUNTER("filbert_slow_operations_total", "Operations that ran for longer than slow.threshold.");
static const struct fil_metric_family blind_family =
    COUNTER("filbert_slow_operations_without_stack_total",
            "Slow operations whose thread did not tell its stack.");
static const struct fil_metric_family looks_family =
    COUNTER("filbert_watchdog_looks_total", "Times the watchdog looked at the threads.");
static const struct fil_metric_family unwatched_family =
    COUNTER("filbert_watchdog_refused_total", "Threads the watchdog had no room for.");

static const struct fil_metric_family unpinned_family =
    COUNTER("filbert_threads_unpinned_total",
            "Threads that the system did not let stay on their NUMA node.");
static const struct fil_metric_family in_flight_family =
    GAUGE("filbert_invocations_in_flight", "Invocations whose operation has not ended.");

struct invocation_counter {
    struct fil_metric_family family;
    size_t offset; // in struct fil_invocation_stats
};

static const struct invocation_counter invocation_counters[] = {
    {COUNTER("filbert_invocation_retries_total", "Times an operation was tried again."),
     offsetof(struct fil_invocation_stats, retries)},
    {COUNTER("filbert_invocation_pauses_total", "Retries that waited first."),
     offsetof(struct fil_invocation_stats, pauses)},
    {COUNTER("filbert_invocation_timeouts_total", "Invocations that missed their deadline."),
     offsetof(struct fil_invocation_stats, timeouts)},
    {COUNTER("filbert_invocation_cancels_total", "Invocations whose result nobody wants."),
     offsetof(struct fil_invocation_stats, cancels)},
    {COUNTER("filbert_invocation_waits_total", "Times a caller waited for room."),
     offsetof(struct fil_invocation_stats, waits)},
    {COUNTER("filbert_invocation_refused_total", "Callers that found no room."),
     offsetof(struct fil_invocation_stats, refused)},
};

static double read_in_flight(void *context)
{
    return fil_invocation_service_in_flight(context);
}

static double read_wakes(void *context)
{
    const struct fil_crew_member *member = context;
    // Relaxed: a figure.
    return (double)atomic_load_explicit(&member->parker.wake_count, memory_order_relaxed);
}

static double read_normal(void *context)
{
    struct fil_generic *generic = context;
    return (double)fil_task_queue_count(&generic->normal);
}

static double read_priority(void *context)
{
    struct fil_generic *generic = context;
    return (double)fil_task_queue_count(&generic->priority);
}

static double read_events(void *context)
{
    struct fil_events *events = context;
    uint64_t length = 0;
    for (uint32_t i = 0; i < events->queue_count; i++) {
        length += fil_counter_read(&events->queues[i].length);
    }
    return (double)length;
}

static double read_listeners(void *context)
{
    struct fil_events *events = context;
    // Relaxed: a figure.
    return atomic_load_explicit(&events->listener_count, memory_order_relaxed);
}

static int register_member(struct fil_metrics *metrics, const char *stage,
                           struct fil_crew_member *member)
{
    char thread[16];
    (void)snprintf(thread, sizeof(thread), "%u", member->index);
    struct fil_metric_labels labels = FIL_METRIC_LABELS({"stage", stage}, {"thread", thread});
    const struct {
        const struct fil_metric_family *family;
        const struct fil_counter *counter;
    } counters[] = {
        {&items_family, &member->meter.item_count},
        {&cycles_family, &member->meter.cycle_count},
        {&parks_family, &member->park_count},
        {&busy_family, &member->meter.busy_ns},
    };
    const struct {
        const struct fil_metric_family *family;
        const struct fil_histogram *histogram;
    } histograms[] = {
        {&wait_family, &member->meter.wait_ns},
        {&service_family, &member->meter.service_ns},
    };
    int error = fil_metrics_add_function(metrics, &wakes_family, labels, read_wakes, member, NULL);
    for (size_t i = 0; i < FIL_COUNT_OF(counters) && error == FIL_OK; i++) {
        error =
            fil_metrics_add_counter(metrics, counters[i].family, labels, counters[i].counter, NULL);
    }
    for (size_t i = 0; i < FIL_COUNT_OF(histograms) && error == FIL_OK; i++) {
        error = fil_metrics_add_histogram(metrics, histograms[i].family, labels,
                                          histograms[i].histogram, NULL);
    }
    return error;
}

int fil_node__register_crew(struct fil_metrics *metrics, const char *stage, struct fil_crew *crew,
                            uint32_t count)
{
    int error = FIL_OK;
    for (uint32_t i = 0; i < count && error == FIL_OK; i++) {
        error = register_member(metrics, stage, &crew->members[i]);
    }
    return error;
}

int fil_node__register_queue(struct fil_metrics *metrics, const char *stage, const char *lane,
                             struct fil_task_queue *queue, fil_metric_read_fn read, void *context)
{
    struct fil_metric_labels labels = FIL_METRIC_LABELS({"stage", stage}, {"queue", lane});
    int error = fil_metrics_add_function(metrics, &length_family, labels, read, context, NULL);
    if (error == FIL_OK && queue != NULL) {
        error =
            fil_metrics_add_counter(metrics, &refused_family, labels, &queue->refused_count, NULL);
    }
    if (error == FIL_OK && queue != NULL) {
        error = fil_metrics_add_counter(metrics, &overflow_family, labels, &queue->overflow_count,
                                        NULL);
    }
    return error;
}

static int register_generic(struct fil_metrics *metrics, struct fil_generic *generic)
{
    int error = fil_node__register_crew(metrics, "generic", &generic->crew,
                                        fil_generic_thread_count(generic));
    if (error == FIL_OK) {
        error = fil_node__register_queue(metrics, "generic", "normal", &generic->normal,
                                         read_normal, generic);
    }
    if (error == FIL_OK) {
        error = fil_node__register_queue(metrics, "generic", "priority", &generic->priority,
                                         read_priority, generic);
    }
    return error;
}

/** The threads for isolated listeners are left out: most of them never run. */
static int register_events(struct fil_metrics *metrics, struct fil_events *events)
{
    const struct {
        const struct fil_metric_family *family;
        const struct fil_counter *counter;
    } counters[] = {
        {&dropped_family, &events->dropped_count},
        {&waited_family, &events->waited_count},
        {&unregistered_family, &events->refused_count},
    };
    int error =
        fil_node__register_crew(metrics, "event", &events->crew, events->options.thread_count);
    if (error == FIL_OK) {
        error = fil_node__register_queue(metrics, "event", "all", NULL, read_events, events);
    }
    if (error == FIL_OK) {
        error = fil_metrics_add_function(metrics, &listeners_family, FIL_METRIC_NO_LABELS,
                                         read_listeners, events, NULL);
    }
    for (size_t i = 0; i < FIL_COUNT_OF(counters) && error == FIL_OK; i++) {
        error = fil_metrics_add_counter(metrics, counters[i].family, FIL_METRIC_NO_LABELS,
                                        counters[i].counter, NULL);
    }
    return error;
}

static int register_threads(struct fil_metrics *metrics, const struct fil_threads *threads)
{
    const struct fil_watchdog *watchdog = &threads->watchdog;
    const struct {
        const struct fil_metric_family *family;
        const struct fil_counter *counter;
    } counters[] = {
        {&slow_family, &watchdog->stats.slow_ops},
        {&blind_family, &watchdog->stats.blind},
        {&looks_family, &watchdog->stats.looks},
        {&unwatched_family, &watchdog->stats.refused_runners},
        {&unpinned_family, &threads->unpinned},
    };
    int error = FIL_OK;
    for (size_t i = 0; i < FIL_COUNT_OF(counters) && error == FIL_OK; i++) {
        error = fil_metrics_add_counter(metrics, counters[i].family, FIL_METRIC_NO_LABELS,
                                        counters[i].counter, NULL);
    }
    return error;
}

static int register_invocations(struct fil_metrics *metrics, struct fil_invocation_service *service)
{
    int error = fil_metrics_add_function(metrics, &in_flight_family, FIL_METRIC_NO_LABELS,
                                         read_in_flight, service, NULL);
    for (size_t i = 0; i < FIL_COUNT_OF(invocation_counters) && error == FIL_OK; i++) {
        const void *counter = (const char *)&service->stats + invocation_counters[i].offset;
        error = fil_metrics_add_counter(metrics, &invocation_counters[i].family,
                                        FIL_METRIC_NO_LABELS, counter, NULL);
    }
    return error;
}

static const struct fil_metric_family messages_family =
    COUNTER("filbert_pubsub_messages_total", "Messages taken, one for each subscriber.");
static const struct fil_metric_family deliveries_family =
    COUNTER("filbert_pubsub_deliveries_total", "Messages written to a subscriber's connection.");
static const struct fil_metric_family lost_family =
    COUNTER("filbert_pubsub_lost_total",
            "Messages a subscriber did not get: no room, no memory, or it was cut.");
static const struct fil_metric_family overruns_family =
    COUNTER("filbert_pubsub_overruns_total", "Subscribers cut because they read too slowly.");

/** A counter that is registered under a family of its own. */
struct registration {
    const struct fil_metric_family *family;
    const struct fil_counter *counter;
};

static int register_all(struct fil_metrics *metrics, const struct registration *list, size_t count)
{
    int error = FIL_OK;
    for (size_t i = 0; i < count && error == FIL_OK; i++) {
        error = fil_metrics_add_counter(metrics, list[i].family, FIL_METRIC_NO_LABELS,
                                        list[i].counter, NULL);
    }
    return error;
}

static int register_pubsub(struct fil_metrics *metrics, const struct fil_resp_pubsub *pubsub)
{
    const struct registration list[] = {
        {&messages_family, &pubsub->messages},
        {&deliveries_family, &pubsub->deliveries},
        {&lost_family, &pubsub->lost},
        {&overruns_family, &pubsub->overruns},
    };
    return register_all(metrics, list, FIL_COUNT_OF(list));
}

static const struct fil_metric_family client_events_family =
    COUNTER("filbert_client_events_total", "Events sent to clients of the open client protocol.");
static const struct fil_metric_family client_lost_family =
    COUNTER("filbert_client_events_lost_total",
            "Events that such a client did not get: no memory, or it was gone.");
static const struct fil_metric_family client_overruns_family =
    COUNTER("filbert_client_overruns_total", "Such clients cut because they read too slowly.");
static const struct fil_metric_family client_unsupported_family =
    COUNTER("filbert_client_unsupported_total", "Their requests that no handler serves.");
static const struct fil_metric_family client_refused_family =
    COUNTER("filbert_client_refused_total", "Their authentications that failed.");

static int register_clients(struct fil_metrics *metrics, const struct fil_wire_stats *stats)
{
    const struct registration list[] = {
        {&client_events_family, &stats->events},
        {&client_lost_family, &stats->events_lost},
        {&client_overruns_family, &stats->overruns},
        {&client_unsupported_family, &stats->unsupported},
        {&client_refused_family, &stats->refused},
    };
    return register_all(metrics, list, FIL_COUNT_OF(list));
}

int fil_node__register_stage_metrics(struct fil_node *node)
{
    int error = register_threads(node->metrics, &node->threads);
    if (error == FIL_OK) {
        error = register_generic(node->metrics, &node->work.generic);
    }
    if (error == FIL_OK) {
        error = register_events(node->metrics, &node->work.events);
    }
    if (error == FIL_OK) {
        error = register_invocations(node->metrics, &node->work.invocations);
    }
    if (error == FIL_OK) {
        error = register_pubsub(node->metrics, &node->resp.pubsub);
    }
    return error == FIL_OK ? register_clients(node->metrics, &node->wire.stats) : error;
}
