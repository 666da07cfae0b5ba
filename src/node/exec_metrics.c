// SPDX-License-Identifier: Apache-2.0
/** What /metrics shows of the threading kernel: every thread that runs operations. */
#include "filbert/error.h"
#include "lib/base/checked.h"
#include "lib/metric/table.h"
#include "node/node_internal.h"

static const struct fil_metric_field runner_counters[] = {
    {FIL_METRIC_COUNTER_FAMILY("filbert_operations_total",
                               "Operations run, by the thread that ran them."),
     offsetof(struct fil_runner_stats, runs)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_operations_in_place_total",
                               "Operations run by the thread that brought them, without a queue."),
     offsetof(struct fil_runner_stats, caller_runs)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_operations_handed_over_total",
                               "Operations put into a partition's mailbox."),
     offsetof(struct fil_runner_stats, handed_over)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_operation_slices_total",
                               "Times an operation gave way and went to the tail of its mailbox."),
     offsetof(struct fil_runner_stats, slices)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_operation_parks_total",
                               "Operations that waited under a key."),
     offsetof(struct fil_runner_stats, parks)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_operation_expiries_total",
                               "Operations whose deadline passed."),
     offsetof(struct fil_runner_stats, expiries)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_operation_cancels_total",
                               "Operations that were cancelled."),
     offsetof(struct fil_runner_stats, cancels)},
    {FIL_METRIC_COUNTER_FAMILY("filbert_thread_wakes_total",
                               "Parked partition threads that this thread has woken."),
     offsetof(struct fil_runner_stats, wakes)},
};

static const struct fil_metric_family wait_family = FIL_METRIC_TIMES_FAMILY(
    "filbert_operation_wait_seconds", "Time operations waited in a mailbox.");
static const struct fil_metric_family service_family = FIL_METRIC_TIMES_FAMILY(
    "filbert_operation_service_seconds",
    "Time operations took to run; those of an I/O loop only where it ran a mailbox's.");
static const struct fil_metric_family turn_family = FIL_METRIC_TIMES_FAMILY(
    "filbert_io_turn_seconds",
    "Time an I/O loop's turns took; a connection that becomes ready waits for one at most.");
static const struct fil_metric_family busy_family =
    FIL_METRIC_TIME_FAMILY("filbert_thread_busy_seconds_total",
                           "Time a partition thread spent in turns that moved something.");
static const struct fil_metric_family steals_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_partition_steals_total", "Partitions a thread took from another's queue.");
static const struct fil_metric_family parks_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_thread_parks_total", "Times a partition thread went to sleep.");
static const struct fil_metric_family queued_family = FIL_METRIC_GAUGE_FAMILY(
    "filbert_partitions_queued", "Partitions that wait for their home thread.");

static const struct fil_metric_family in_place_family = FIL_METRIC_TIMES_FAMILY(
    "filbert_operation_in_place_seconds",
    "What an operation run in place took of its I/O loop, with its share of receiving and "
    "decoding: averages over 16 of them or fewer, sampled.");
static const struct fil_metric_family mail_family = FIL_METRIC_GAUGE_FAMILY(
    "filbert_mailbox_operations", "Operations that wait in the mailboxes of all partitions.");
static const struct fil_metric_family longest_family = FIL_METRIC_GAUGE_FAMILY(
    "filbert_mailbox_longest_operations", "Operations in the longest mailbox of a partition.");

static const struct fil_metric_family rings_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_alarm_rings_total",
    "Times something was due in a partition by itself: a deadline of what waits there, or upkeep.");
static const struct fil_metric_family reliefs_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_alarm_reliefs_total",
    "Times the alarm did itself what was due, because all partition threads were busy for long.");
static const struct fil_metric_family alarm_wakes_family = FIL_METRIC_COUNTER_FAMILY(
    "filbert_alarm_wakeups_total", "Times the alarm was woken for a deadline before its next.");

/** Sum and maximum of what waits in each partition. */
struct mailboxes {
    uint64_t sum;
    uint64_t longest;
};

static struct mailboxes look_at_mailboxes(struct fil_exec *exec)
{
    struct mailboxes mailboxes = {0};
    for (uint32_t i = 0; i < fil_exec_partition_count(exec); i++) {
        uint64_t length = fil_partition_mail_count(fil_exec_partition(exec, i));
        mailboxes.sum += length;
        mailboxes.longest = fil_max_u64(mailboxes.longest, length);
    }
    return mailboxes;
}

static double read_mail(void *context)
{
    return (double)look_at_mailboxes(context).sum;
}

static double read_longest(void *context)
{
    return (double)look_at_mailboxes(context).longest;
}

static double read_queued(void *context)
{
    struct fil_partition_stage *stage = context;
    return fil_tickets_count(&stage->tickets);
}

/** blocking_ms of Finagle, by what it was: see fil_runner_stats. */
int fil_node__register_stalls(struct fil_metrics *metrics, const struct fil_runner *runner)
{
    static const struct fil_metric_family family = FIL_METRIC_TIME_FAMILY(
        "filbert_blocking_seconds_total",
        "Time in operations that held their thread for longer than slow.threshold, on a processor "
        "or without one.");
    int error = fil_metrics_add_counter(
        metrics, &family, FIL_METRIC_LABELS({"thread", runner->name}, {"kind", "on_cpu"}),
        &runner->stats.stalled_cpu_ns, NULL);
    return error == FIL_OK ? fil_metrics_add_counter(
                                 metrics, &family,
                                 FIL_METRIC_LABELS({"thread", runner->name}, {"kind", "off_cpu"}),
                                 &runner->stats.stalled_sleep_ns, NULL)
                           : error;
}

static int register_runner(struct fil_metrics *metrics, const struct fil_runner *runner)
{
    const struct fil_runner_stats *stats = &runner->stats;
    struct fil_metric_labels labels = FIL_METRIC_LABELS({"thread", runner->name});
    int error = fil_metrics_add_fields(metrics, labels, runner_counters,
                                       FIL_COUNT_OF(runner_counters), stats);
    if (error == FIL_OK) {
        error = fil_node__register_stalls(metrics, runner);
    }
    return error == FIL_OK ? fil_metrics_add_histogram(metrics, &service_family, labels,
                                                       &stats->service_ns, NULL)
                           : error;
}

static int register_io(struct fil_metrics *metrics, struct fil_io_stage *stage)
{
    const struct fil_metric_row rows[] = {
        {.family = &turn_family, .histogram = &stage->turn_ns},
        {.family = &in_place_family, .histogram = &stage->turn.in_place_ns},
    };
    int error = register_runner(metrics, &stage->turn.runner);
    if (error == FIL_OK) {
        error = fil_node__register_backlog(metrics, stage);
    }
    return error == FIL_OK
               ? fil_metrics_add_rows(metrics, FIL_METRIC_LABELS({"thread", stage->name}), rows,
                                      FIL_COUNT_OF(rows))
               : error;
}

static int register_stage(struct fil_metrics *metrics, struct fil_partition_stage *stage)
{
    const struct fil_metric_row rows[] = {
        {.family = &steals_family, .counter = &stage->steals},
        {.family = &parks_family, .counter = &stage->parks},
        {.family = &busy_family, .counter = &stage->runner.stats.busy_ns},
        {.family = &wait_family, .histogram = &stage->runner.stats.wait_ns},
        {.family = &queued_family, .read = read_queued, .context = stage},
    };
    int error = register_runner(metrics, &stage->runner);
    return error == FIL_OK
               ? fil_metrics_add_rows(metrics, FIL_METRIC_LABELS({"thread", stage->name}), rows,
                                      FIL_COUNT_OF(rows))
               : error;
}

static int register_mailboxes(struct fil_metrics *metrics, struct fil_exec *exec)
{
    const struct fil_metric_row rows[] = {
        {.family = &mail_family, .read = read_mail, .context = exec},
        {.family = &longest_family, .read = read_longest, .context = exec},
    };
    return fil_metrics_add_rows(metrics, FIL_METRIC_NO_LABELS, rows, FIL_COUNT_OF(rows));
}

static double read_alarm_wakes(void *context)
{
    const struct fil_alarm *alarm = context;
    // Relaxed: a figure.
    return (double)atomic_load_explicit(&alarm->parker.wake_count, memory_order_relaxed);
}

static int register_alarm(struct fil_metrics *metrics, struct fil_alarm *alarm)
{
    const struct fil_metric_row rows[] = {
        {.family = &rings_family, .counter = &alarm->rings},
        {.family = &reliefs_family, .counter = &alarm->reliefs},
        {.family = &alarm_wakes_family, .read = read_alarm_wakes, .context = alarm},
    };
    int error = register_runner(metrics, &alarm->runner);
    if (error != FIL_OK) {
        return error;
    }
    return fil_metrics_add_rows(metrics, FIL_METRIC_NO_LABELS, rows, FIL_COUNT_OF(rows));
}

int fil_node__register_exec_metrics(struct fil_node *node)
{
    int error = FIL_OK;
    for (uint32_t i = 0; i < node->loop_count && error == FIL_OK; i++) {
        error = register_io(node->metrics, &node->stages[i]);
    }
    for (uint32_t i = 0; i < fil_exec_stage_count(node->exec) && error == FIL_OK; i++) {
        error = register_stage(node->metrics, fil_exec_stage(node->exec, i));
    }
    if (error == FIL_OK) {
        error = register_alarm(node->metrics, fil_exec_alarm(node->exec));
    }
    return error == FIL_OK ? register_mailboxes(node->metrics, node->exec) : error;
}
