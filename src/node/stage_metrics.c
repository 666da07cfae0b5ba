// SPDX-License-Identifier: Apache-2.0
/** What /metrics shows of the watchdog and of the stages beside the partitions. */
#include <stdio.h>

#include "filbert/error.h"
#include "lib/metric/table.h"
#include "node/node_internal.h"

static const struct fil_metric_family items_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_stage_items_total", "Pieces of work a thread of a stage has done.");
static const struct fil_metric_family cycles_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_stage_cycles_total", "Turns of a stage's thread that did something.");
static const struct fil_metric_family parks_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_stage_parks_total", "Times a thread of a stage went to sleep.");
static const struct fil_metric_family wakes_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_stage_wakeups_total", "Times a sleeping thread of a stage was woken by another.");
static const struct fil_metric_family busy_family =
    FIL_METRIC_TIME_FAMILY("filbert_stage_busy_seconds_total",
                           "Time a thread of a stage spent in turns that did something.");
static const struct fil_metric_family wait_family = FIL_METRIC_TIMES_FAMILY(
    "filbert_stage_wait_seconds", "Time pieces of work waited in a stage's queue, sampled.");
static const struct fil_metric_family service_family = FIL_METRIC_TIMES_FAMILY(
    "filbert_stage_service_seconds", "Time pieces of work took to be done, sampled.");
static const struct fil_metric_family length_family = FIL_METRIC_GAUGE_FAMILY(
    "filbert_stage_queue_length", "Pieces of work that wait in a stage's queue.");
static const struct fil_metric_family refused_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_stage_refused_total", "Pieces of work refused because the queue was full.");
static const struct fil_metric_family overflow_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_stage_overflows_total",
    "Pieces of work taken although the queue was full, because they had been admitted.");

static const struct fil_metric_family listeners_family =
    FIL_METRIC_GAUGE_FAMILY("filbert_event_listeners", "Listeners that are registered.");
static const struct fil_metric_family dropped_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_events_dropped_total", "Events dropped because a listener's queue was full.");
static const struct fil_metric_family waited_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_event_publisher_waits_total", "Times a publisher waited for a full queue.");
static const struct fil_metric_family unregistered_family =
    FIL_METRIC_COUNTER_FAMILY("filbert_event_listeners_refused_total",
                              "Listeners refused because event.capacity has no room for them.");
static const struct fil_metric_family lost_by_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_listener_dropped_total",
    "Events that the listener did not get: its queue was full, it read too slowly or was gone, or "
    "there was no memory; the first 32 names that lost some have a series each, (others) is the "
    "sum of the rest.");
static const struct fil_metric_family isolations_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_event_isolations_total", "Listeners that were moved to a thread of their own.");
static const struct fil_metric_family calmed_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_event_calmed_total", "Listeners that went back from it after a calm second.");

static const struct fil_metric_family slow_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_slow_operations_total", "Operations that ran for longer than slow.threshold.");
static const struct fil_metric_family blind_family =
    FIL_METRIC_COUNTER_FAMILY("filbert_slow_operations_without_stack_total",
                              "Slow operations whose thread did not tell its stack.");
static const struct fil_metric_family untold_family =
    FIL_METRIC_COUNTER_FAMILY("filbert_slow_operations_untold_total",
                              "Slow operations that had no line of their own in the log.");
static const struct fil_metric_family looks_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_watchdog_looks_total", "Times the watchdog looked at the threads.");
static const struct fil_metric_family unwatched_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_watchdog_refused_total", "Threads the watchdog had no room for.");

static const struct fil_metric_family unpinned_family =
    FIL_METRIC_COUNTER_FAMILY("filbert_threads_unpinned_total",
                              "Threads that the system did not let stay on their NUMA node.");
static const struct fil_metric_family unsliced_family =
    FIL_METRIC_COUNTER_FAMILY("filbert_threads_unsliced_total",
                              "Threads that the system did not let choose their time slice.");
static const struct fil_metric_family in_flight_family = FIL_METRIC_GAUGE_FAMILY(
    "filbert_invocations_in_flight", "Invocations whose operation has not ended.");

static const struct fil_metric_field invocation_counters[] = {
    {FIL_METRIC_COUNTER_FAMILY("filbert_invocation_retries_total",
                               "Times an operation was tried again."),
     offsetof(struct fil_invocation_stats, retries)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_invocation_pauses_total", "Retries that waited first."),
     offsetof(struct fil_invocation_stats, pauses)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_invocation_timeouts_total",
                               "Invocations that missed their deadline."),
     offsetof(struct fil_invocation_stats, timeouts)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_invocation_cancels_total",
                               "Invocations whose result nobody wants."),
     offsetof(struct fil_invocation_stats, cancels)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_invocation_waits_total", "Times a caller waited for room."),
     offsetof(struct fil_invocation_stats, waits)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_invocation_refused_total", "Callers that found no room."),
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
    const struct fil_metric_row rows[] = {
        {.family = &wakes_family, .read = read_wakes, .context = member},
        {.family = &items_family, .counter = &member->meter.item_count},
        {.family = &cycles_family, .counter = &member->meter.cycle_count},
        {.family = &parks_family, .counter = &member->park_count},
        {.family = &busy_family, .counter = &member->meter.busy_ns},
        {.family = &wait_family, .histogram = &member->meter.wait_ns},
        {.family = &service_family, .histogram = &member->meter.service_ns},
    };
    return fil_metrics_add_rows(metrics, FIL_METRIC_LABELS({"stage", stage}, {"thread", thread}),
                                rows, FIL_COUNT_OF(rows));
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
    if (error != FIL_OK || queue == NULL) {
        return error;
    }
    const struct fil_metric_row rows[] = {
        {.family = &refused_family, .counter = &queue->refused_count},
        {.family = &overflow_family, .counter = &queue->overflow_count},
    };
    return fil_metrics_add_rows(metrics, labels, rows, FIL_COUNT_OF(rows));
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
    const struct fil_metric_row rows[] = {
        {.family = &listeners_family, .read = read_listeners, .context = events},
        {.family = &dropped_family, .counter = &events->dropped_count},
        {.family = &waited_family, .counter = &events->waited_count},
        {.family = &unregistered_family, .counter = &events->refused_count},
        {.family = &isolations_family, .counter = &events->isolation_count},
        {.family = &calmed_family, .counter = &events->calm_count},
    };
    int error =
        fil_node__register_crew(metrics, "event", &events->crew, events->options.thread_count);
    if (error == FIL_OK) {
        error = fil_node__register_queue(metrics, "event", "all", NULL, read_events, events);
    }
    if (error == FIL_OK) {
        error = fil_metrics_add_rows(metrics, FIL_METRIC_NO_LABELS, rows, FIL_COUNT_OF(rows));
    }
    return error == FIL_OK ? fil_metrics_add_counter(metrics, &lost_by_family,
                                                     FIL_METRIC_LABELS({"listener", "(others)"}),
                                                     &events->drops.others, NULL)
                           : error;
}

void fil_node__show_drops(struct fil_node *node)
{
    uint32_t shown = atomic_load_explicit(&node->shown_drops, memory_order_relaxed);
    while (shown < FIL_DROPS_NAMES_MAX) {
        const struct fil_drops_place *place = fil_drops_place(&node->work.events.drops, shown);
        if (place == NULL) {
            return;
        }
        // Relaxed: of those who show the metrics at the same time one registers the place.
        if (atomic_compare_exchange_strong_explicit(&node->shown_drops, &shown, shown + 1,
                                                    memory_order_relaxed, memory_order_relaxed)) {
            int error = fil_metrics_add_counter(node->metrics, &lost_by_family,
                                                FIL_METRIC_LABELS({"listener", place->name}),
                                                &place->count, NULL);
            if (error != FIL_OK) {
                return; // without memory its series is missing, and counted as refused
            }
            shown++;
        }
    }
}

static int register_threads(struct fil_metrics *metrics, const struct fil_threads *threads)
{
    const struct fil_watchdog_stats *stats = &threads->watchdog.stats;
    const struct fil_metric_row rows[] = {
        {.family = &slow_family, .counter = &stats->slow_ops},
        {.family = &blind_family, .counter = &stats->blind},
        {.family = &untold_family, .counter = &stats->untold},
        {.family = &looks_family, .counter = &stats->looks},
        {.family = &unwatched_family, .counter = &stats->refused_runners},
        {.family = &unpinned_family, .counter = &threads->unpinned},
        {.family = &unsliced_family, .counter = &threads->unsliced},
    };
    return fil_metrics_add_rows(metrics, FIL_METRIC_NO_LABELS, rows, FIL_COUNT_OF(rows));
}

static int register_invocations(struct fil_metrics *metrics, struct fil_invocation_service *service)
{
    int error = fil_metrics_add_function(metrics, &in_flight_family, FIL_METRIC_NO_LABELS,
                                         read_in_flight, service, NULL);
    return error == FIL_OK
               ? fil_metrics_add_fields(metrics, FIL_METRIC_NO_LABELS, invocation_counters,
                                        FIL_COUNT_OF(invocation_counters), &service->stats)
               : error;
}

static const struct fil_metric_family messages_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_pubsub_messages_total", "Messages taken, one for each subscriber.");
static const struct fil_metric_family deliveries_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_pubsub_deliveries_total", "Messages put into a subscriber's output.");
static const struct fil_metric_family lost_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_pubsub_lost_total",
    "Messages a subscriber did not get: no room, no memory, or its connection ended before they "
    "were sent. What PUBLISH has said, less these and the unwanted, is what was sent.");
static const struct fil_metric_family unwanted_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_pubsub_unwanted_total",
    "Messages that were on their way when their subscriber ended the subscription.");
static const struct fil_metric_family overruns_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_pubsub_overruns_total", "Subscribers cut because they read too slowly.");

static int register_pubsub(struct fil_metrics *metrics, const struct fil_resp_pubsub *pubsub)
{
    const struct fil_metric_row rows[] = {
        {.family = &messages_family, .counter = &pubsub->messages},
        {.family = &deliveries_family, .counter = &pubsub->deliveries},
        {.family = &lost_family, .counter = &pubsub->lost},
        {.family = &unwanted_family, .counter = &pubsub->unwanted},
        {.family = &overruns_family, .counter = &pubsub->overruns},
    };
    return fil_metrics_add_rows(metrics, FIL_METRIC_NO_LABELS, rows, FIL_COUNT_OF(rows));
}

static const struct fil_metric_family client_events_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_client_events_total", "Events sent to clients of the open client protocol.");
static const struct fil_metric_family client_lost_family =
    FIL_METRIC_COUNTER_FAMILY("filbert_client_events_lost_total",
                              "Events that such a client did not get: it read too slowly or was "
                              "gone, or there was no memory.");
static const struct fil_metric_family client_unsupported_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_client_unsupported_total", "Their requests that no handler serves.");
static const struct fil_metric_family client_refused_family =
    FIL_METRIC_COUNTER_FAMILY("filbert_client_refused_total", "Their authentications that failed.");

static int register_clients(struct fil_metrics *metrics, const struct fil_wire_stats *stats)
{
    const struct fil_metric_row rows[] = {
        {.family = &client_events_family, .counter = &stats->events},
        {.family = &client_lost_family, .counter = &stats->events_lost},
        {.family = &client_unsupported_family, .counter = &stats->unsupported},
        {.family = &client_refused_family, .counter = &stats->refused},
    };
    return fil_metrics_add_rows(metrics, FIL_METRIC_NO_LABELS, rows, FIL_COUNT_OF(rows));
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
